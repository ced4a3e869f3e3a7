// molejo check: what a file would simulate, without simulating it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/cli/command.h"
#include "molejo/io/load.h"
#include "molejo/model/build.h"
#include "molejo/physics/loops.h"

namespace molejo::cli {

namespace {

// One joint as it is simulated: part of the tree, or a closure with its equations.
struct JointRow {
  std::string name, type, parent, child;
  int freedoms = 0, equations = 0;
};

struct Findings {
  int bodies = 0, immobile_bodies = 0, freedoms = 0, loops = 0;
  int equations = 0, redundant_equations = 0;
  double mass = 0;  // of all that moves
  std::vector<JointRow> joints;

  // freedoms of the tree without those that the closures take
  int freedoms_left() const { return freedoms - (equations - redundant_equations); }
};

std::string body_name(const Model& model, BodyId body) {
  return body.is_world() ? "world" : model.bodies[static_cast<std::size_t>(body.index)].name;
}

Findings findings(const Built& built) {
  const Model& model = built.model;
  Findings f;
  f.bodies = model.body_count();
  f.freedoms = model.nv;
  f.loops = static_cast<int>(model.loops.size());
  for (const LoopJoint& loop : model.loops) f.equations += loop.rows;
  f.redundant_equations = model.rows > 0 ? redundant_rows(model, built.initial) : 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.immobile) {
      ++f.immobile_bodies;
    } else {
      f.mass += model.links[i].mass;
    }
    f.joints.push_back({body.joint.empty() ? "-" : body.joint,
                        std::string(to_string(body.joint_type)),
                        body_name(model, BodyId{model.links[i].parent}), body.name,
                        freedoms(body.joint_type).count(), 0});
  }
  for (const LoopJoint& loop : model.loops) {
    f.joints.push_back({loop.name, std::string(to_string(loop.type)), body_name(model, loop.body_1),
                        body_name(model, loop.body_2), 0, loop.rows});
  }
  return f;
}

void print_joints(const std::vector<JointRow>& joints) {
  std::size_t name = 5, parent = 6, child = 5;
  for (const JointRow& j : joints) {
    name = std::max(name, j.name.size());
    parent = std::max(parent, j.parent.size());
    child = std::max(child, j.child.size());
  }
  fmt::print("\n  {:<{}}  {:<14}  {:<{}}  {:<{}}  {}\n", "joint", name, "type", "parent", parent,
             "child", child, "leaves free");
  for (const JointRow& j : joints) {
    const std::string role = j.equations > 0
                                 ? fmt::format("closes a loop by {} equations", j.equations)
                                 : fmt::format("{}", j.freedoms);
    fmt::print("  {:<{}}  {:<14}  {:<{}}  {:<{}}  {}\n", j.name, name, j.type, j.parent, parent,
               j.child, child, role);
  }
}

void print_findings(const Scene& scene, const Findings& f) {
  const Settings& s = scene.settings;
  fmt::print("{}\n", scene.name.empty() ? "scene" : scene.name);
  fmt::print("  {:<24}{}", "bodies", f.bodies);
  if (f.immobile_bodies > 0) fmt::print(", {} of them immobile", f.immobile_bodies);
  fmt::print("\n  {:<24}{:.6g} kg\n", "mass", f.mass);
  fmt::print("  {:<24}{}\n", "freedoms", f.freedoms);
  fmt::print("  {:<24}{}\n", "loops", f.loops);
  fmt::print("  {:<24}{}\n", "constraint equations", f.equations);
  fmt::print("  {:<24}{}\n", "redundant constraints", f.redundant_equations);
  fmt::print("  {:<24}{}\n", "freedoms left", f.freedoms_left());
  fmt::print("  {:<24}{} springs, {} forces\n", "between points", scene.springs.size(),
             scene.forces.size());
  fmt::print("  {:<24}{:g} s at {:g} frames per second\n", "duration", s.duration, s.fps);
  fmt::print("  {:<24}{}, {} coordinates\n", "integrator", to_string(s.integrator),
             to_string(s.formulation));
  print_joints(f.joints);
}

nlohmann::ordered_json to_json(const CheckOptions& options, const Scene& scene, const Findings& f) {
  nlohmann::ordered_json joints = nlohmann::ordered_json::array();
  for (const JointRow& j : f.joints) {
    joints.push_back({{"name", j.name},
                      {"type", j.type},
                      {"parent", j.parent},
                      {"child", j.child},
                      {"freedoms", j.freedoms},
                      {"equations", j.equations}});
  }
  return {{"file", options.file},
          {"name", scene.name},
          {"bodies", f.bodies},
          {"immobile_bodies", f.immobile_bodies},
          {"mass", f.mass},
          {"freedoms", f.freedoms},
          {"loops", f.loops},
          {"constraint_equations", f.equations},
          {"redundant_constraints", f.redundant_equations},
          {"freedoms_left", f.freedoms_left()},
          {"springs", scene.springs.size()},
          {"forces", scene.forces.size()},
          {"formulation", to_string(scene.settings.formulation)},
          {"integrator", to_string(scene.settings.integrator)},
          {"duration", scene.settings.duration},
          {"joints", joints},
          {"warnings", scene.warnings}};
}

}  // namespace

int check(const CheckOptions& options) {
  const Scene scene = load_scene(options.file);
  const Built built = build_loaded(scene, options.file);
  const Findings f = findings(built);
  if (options.json) {
    using nlohmann::ordered_json;
    fmt::print(
        "{}\n",
        to_json(options, scene, f).dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    print_findings(scene, f);
    print_warnings(scene.warnings);
  }
  return success;
}

}  // namespace molejo::cli
