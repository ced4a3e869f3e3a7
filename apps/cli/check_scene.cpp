// molejo check of a scene: what it would simulate, without simulating it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/cli/check.h"
#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "molejo/io/json_library.h"
#include "molejo/io/load.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/physics/contacts.h"
#include "molejo/physics/loops.h"

namespace molejo::cli {

namespace {

// One joint as it is simulated: part of the tree, or a closure with its equations.
struct JointRow {
  std::string name, type, parent, child;
  int freedoms = 0, equations = 0;
};

// A name that the scene defines for its formulas.
struct VariableRow {
  std::string name, kind, text;
};

struct Findings {
  int bodies = 0, immobile_bodies = 0, freedoms = 0, loops = 0;
  int equations = 0, redundant_equations = 0;
  double mass = 0;  // of all that moves
  std::size_t colliders = 0;
  std::optional<std::size_t> pairs;   // of colliders that may touch; not counted where too many
  std::vector<std::string> overlaps;  // at the start, a sentence each
  std::vector<JointRow> joints;
  std::vector<VariableRow> variables;
  std::size_t formulas = 0;  // of forces, motors and probes
  std::vector<std::string> probes;

  // freedoms of the tree without those that the closures take
  int freedoms_left() const { return freedoms - (equations - redundant_equations); }
};

std::string body_name(const Model& model, BodyId body) {
  return body.is_world() ? "world" : model.bodies[static_cast<std::size_t>(body.index)].name;
}

// Two that touch at the start may be meant to; deeper than this they are pushed apart with force.
constexpr double deep = 1e-3;  // of the smaller of the two

// Bodies that are inside each other in the initial state, each two once, the deepest point.
std::vector<std::string> overlaps(const Built& built) {
  const Model& model = built.model;
  Kinematics<double> kinematics(model);
  update_poses(model, built.initial.q.data(), kinematics);
  update_velocities(model, built.initial.v.data(), kinematics);
  Contacts contacts(model);
  find_contacts(model, kinematics, 0, contacts);
  std::map<std::pair<int, int>, double> deepest;
  for (const Contact& c : contacts.list) {
    const auto size = [&](int collider) {
      return contacts.size[static_cast<std::size_t>(collider)];
    };
    const double limit = std::min({size(c.a), size(c.b), 1.0}) * deep;
    if (c.gap > -limit) continue;
    double& gap = deepest[{c.body_a, c.body_b}];
    gap = std::min(gap, c.gap);
  }
  std::vector<std::string> sentences;
  for (const auto& [bodies, gap] : deepest) {
    sentences.push_back(fmt::format("bodies '{}' and '{}' overlap by {:.3g} m at the start",
                                    body_name(model, {bodies.first}),
                                    body_name(model, {bodies.second}), -gap));
  }
  return sentences;
}

void find_contact(const Built& built, Findings& f) {
  const Model& model = built.model;
  if (!model.contact.enabled) return;
  f.colliders = model.colliders.size();
  constexpr std::size_t most = 5000;  // twelve million pairs
  if (f.colliders <= most) {
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < f.colliders; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        pairs += may_touch(model, model.colliders[i], model.colliders[k]);
      }
    }
    f.pairs = pairs;
  }
  f.overlaps = overlaps(built);
}

void find_formulas(const Scene& scene, const Built& built, Findings& f) {
  for (const SceneDefinition& d : scene.definitions) {
    VariableRow row{d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name, "formula",
                    d.formula.text};
    if (d.value) {
      row.kind = "variable";
      row.text = fmt::format("{:g}", *d.value);
      if (d.lower && d.upper) row.text += fmt::format(", from {:g} to {:g}", *d.lower, *d.upper);
    } else if (!d.keys.empty()) {
      row.kind = "curve";
      row.text = fmt::format("{} keys", d.keys.size());
    } else if (d.is_function) {
      row.kind = "function";
    }
    f.variables.push_back(std::move(row));
  }
  for (const SceneProbe& probe : scene.probes) f.probes.push_back(probe.name);
  if (built.formulas) f.formulas = built.formulas->outputs.size();
}

Findings findings(const Scene& scene, const Built& built) {
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
  find_contact(built, f);
  find_formulas(scene, built, f);
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

// Told only where there are some.
void print_formulas(const Findings& f) {
  if (f.formulas > 0) {
    fmt::print("  {:<24}{}, for forces, motors and probes\n", "formulas", f.formulas);
  }
  const auto print_row = [](std::size_t i, const char* label, const std::string& text) {
    fmt::print("  {:<24}{}\n", i == 0 ? label : "", text);
  };
  for (std::size_t i = 0; i < f.probes.size(); ++i) print_row(i, "probes", f.probes[i]);
  for (std::size_t i = 0; i < f.variables.size(); ++i) {
    const VariableRow& row = f.variables[i];
    print_row(i, "names",
              fmt::format("{} {}{}{}", row.kind, row.name, row.kind == "formula" ? " = " : ": ",
                          row.text));
  }
}

void print_names(const Scene& scene, const Model& model) {
  struct Row {
    std::string name, kind, unit;
  };
  std::vector<Row> rows;
  for (const KnownName& n : known_names(model)) {
    rows.push_back({n.name, n.is_vector ? "vector" : "number", n.unit});
  }
  for (const SceneDefinition& d : scene.definitions) {
    rows.push_back({d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name,
                    d.value           ? "variable"
                    : !d.keys.empty() ? "curve"
                    : d.is_function   ? "function"
                                      : "formula",
                    ""});
  }
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  for (const Row& row : rows) {
    const std::string line = fmt::format("{:<{}}  {:<8}  {}", row.name, width, row.kind, row.unit);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
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
  if (s.contact.enabled) {
    const std::string pairs = !f.pairs        ? "many pairs"
                              : *f.pairs == 1 ? "1 pair"
                                              : fmt::format("{} pairs", *f.pairs);
    fmt::print("  {:<24}{} shapes collide, {} of them may touch\n", "contact", f.colliders, pairs);
  } else {
    fmt::print("  {:<24}off\n", "contact");
  }
  print_formulas(f);
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
  nlohmann::ordered_json variables = nlohmann::ordered_json::array();
  for (const VariableRow& v : f.variables) {
    variables.push_back({{"name", v.name}, {"kind", v.kind}, {"text", v.text}});
  }
  return {{"file", options.file},
          {"kind", "scene"},
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
          {"contact", scene.settings.contact.enabled},
          {"colliders", f.colliders},
          {"collider_pairs", f.pairs ? nlohmann::ordered_json(*f.pairs) : nullptr},
          {"overlaps", f.overlaps},
          {"formulation", to_string(scene.settings.formulation)},
          {"integrator", to_string(scene.settings.integrator)},
          {"duration", scene.settings.duration},
          {"joints", joints},
          {"formulas", f.formulas},
          {"variables", variables},
          {"probes", f.probes},
          {"warnings", scene.warnings}};
}

}  // namespace

int check_scene(const CheckOptions& options) {
  const Scene scene = load_scene(given(options.file));
  const Built built = build_loaded(scene, options.file);
  check_units(built, options.units);
  if (options.names) {
    print_names(scene, built.model);
    return success;
  }
  const Findings f = findings(scene, built);
  if (options.json) {
    using nlohmann::ordered_json;
    fmt::print(
        "{}\n",
        to_json(options, scene, f).dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    print_findings(scene, f);
    print_warnings(scene.warnings);
    print_warnings(f.overlaps);
  }
  return success;
}

}  // namespace molejo::cli
