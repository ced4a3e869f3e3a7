// The words of the native scene file: which keys each kind of object has. The reader refuses any
// other; docs/scene.schema.json has a definition of the same name with the same keys.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace molejo {

enum class SceneObject {
  scene,
  integrator,
  projection,
  contact,
  combine,
  sleep,
  contact_pair,
  assembly_contact,
  material,
  body,
  path_key,
  shape,
  sphere,
  capsule,
  cylinder,
  polyhedron,
  height_field,
  mesh,
  orientation,
  mass_properties,
  joint,
  frame,
  drive,
  joint_spring,
  motor,
  spring,
  attachment,
  force,
  sample,
  formula,
  variable,
  curve,
  curve_key,
  camera,
  character,
  foot,
  assembly,
  instance
};

std::span<const std::string> scene_keys(SceneObject object);
std::string_view to_string(SceneObject object);
// All of them, in order.
std::span<const SceneObject> scene_objects();

}  // namespace molejo
