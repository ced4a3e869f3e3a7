#include "molejo/io/scene_keys.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace molejo {

namespace {

struct Entry {
  SceneObject object;
  std::string_view name;
  std::vector<std::string> keys;
};

const std::vector<Entry>& entries() {
  using enum SceneObject;
  static const std::vector<Entry> table{
      {scene, "scene", {"$schema",    "name",       "description", "gravity",       "formulation",
                        "integrator", "projection", "duration",    "fps",           "camera",
                        "plot",       "parameters", "colors",      "materials",     "bodies",
                        "joints",     "springs",    "forces",      "contact",       "assemblies",
                        "instances",  "warnings",   "variables",   "functions",     "curves",
                        "probes",     "start_time", "tables",      "legacy_angles", "character"}},
      {integrator, "integrator", {"method", "time_step", "tolerance", "min_step", "max_step"}},
      {projection, "projection", {"enabled", "tolerance"}},
      {contact,
       "contact",
       {"enabled", "combine", "rest_speed", "iterations", "tolerance", "recovery", "slop",
        "distance", "sleep", "pairs"}},
      {combine, "combine", {"friction", "restitution"}},
      {sleep, "sleep", {"enabled", "speed", "time"}},
      {contact_pair,
       "contact_pair",
       {"between", "response", "friction", "restitution", "sticks", "stiffness", "damping",
        "reach"}},
      {assembly_contact, "assembly_contact", {"pairs"}},
      {material, "material", {"density", "color", "friction", "restitution"}},
      {body,
       "body",
       {"name",
        "position",
        "orientation",
        "shape",
        "shapes",
        "color",
        "material",
        "density",
        "mass",
        "mass_properties",
        "velocity",
        "angular_velocity",
        "angular_velocity_deg",
        "immobile",
        "massless",
        "friction",
        "restitution",
        "collides",
        "group",
        "follow"}},
      {path_key,
       "path_key",
       {"t", "position", "orientation", "velocity", "angular_velocity", "angular_velocity_deg"}},
      {shape,
       "shape",
       {"sphere", "capsule", "box", "cylinder", "polyhedron", "plane", "height_field", "mesh",
        "position", "orientation", "color", "friction", "restitution", "collides"}},
      {sphere, "sphere", {"radius"}},
      {capsule, "capsule", {"radius", "length", "from", "to"}},
      {cylinder, "cylinder", {"radius", "length", "from", "to"}},
      {polyhedron, "polyhedron", {"vertices", "faces", "obj", "scale"}},
      {height_field, "height_field", {"size", "spacing", "heights", "cells", "image", "height"}},
      {mesh, "mesh", {"obj", "vertices", "parts", "scale"}},
      {orientation, "orientation", {"axis", "angle", "angle_deg", "euler", "euler_deg", "z"}},
      {mass_properties, "mass_properties", {"mass", "center", "inertia"}},
      {joint,
       "joint",
       {"name",     "type",         "parent",     "child",           "loop",          "anchor",
        "axis",     "normal",       "axes",       "orientation",     "parent_frame",  "child_frame",
        "position", "position_deg", "rotation",   "velocity",        "velocity_deg",  "spring",
        "damping",  "limits",       "limits_deg", "limit_stiffness", "limit_damping", "motor",
        "armature", "drives"}},
      {frame, "frame", {"position", "orientation"}},
      {drive,
       "drive",
       {"spring", "damping", "limits", "limits_deg", "limit_stiffness", "limit_damping", "motor",
        "armature"}},
      {joint_spring, "joint_spring", {"stiffness", "rest", "rest_deg", "hertz", "damping_ratio"}},
      {motor,
       "motor",
       {"kp", "kd", "target", "target_deg", "target_velocity", "target_velocity_deg", "force",
        "max_force"}},
      {spring, "spring", {"name", "a", "b", "stiffness", "rest_length", "damping"}},
      {attachment, "attachment", {"body", "point"}},
      {force, "force", {"name", "body", "point", "force", "torque", "samples", "axes", "implicit"}},
      {sample, "sample", {"t", "force", "torque"}},
      {formula, "formula", {"formula", "scope"}},
      {variable, "variable", {"value", "range"}},
      {curve, "curve", {"keys", "interpolation", "before", "after"}},
      {curve_key, "curve_key", {"x", "value", "interpolation", "left", "right"}},
      {camera, "camera", {"position", "target", "fov_deg"}},
      {character, "character", {"torso", "feet", "mirror", "forward"}},
      {foot, "foot", {"body", "toe", "heel", "radius"}},
      {assembly,
       "assembly",
       {"description", "parameters", "bodies", "joints", "springs", "forces", "contact",
        "instances", "variables", "functions", "curves", "probes"}},
      {instance,
       "instance",
       {"assembly", "name", "count", "position", "orientation", "parameters", "first", "last"}}};
  return table;
}

const Entry& entry(SceneObject object) {
  const std::vector<Entry>& table = entries();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [object](const Entry& e) { return e.object == object; });
  assert(found != table.end());
  return *found;
}

}  // namespace

std::span<const std::string> scene_keys(SceneObject object) { return entry(object).keys; }
std::string_view to_string(SceneObject object) { return entry(object).name; }

std::span<const SceneObject> scene_objects() {
  static const std::vector<SceneObject> all = [] {
    std::vector<SceneObject> objects;
    for (const Entry& e : entries()) objects.push_back(e.object);
    return objects;
  }();
  return all;
}

}  // namespace molejo
