#include "molejo/model/formulas.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "molejo/math/interrupt.h"
#include "molejo/model/formula_error.h"
#include "molejo/model/scene.h"
#include "molejo/model/snapshot.h"

namespace molejo {

namespace {

// What may follow the name of a body, after a dot.
struct BodyWord {
  const char* word;
  Quantity quantity;
  int component;  // of a vector, -1: all of it, or a number
  bool is_vector;
  const char* unit;
};
constexpr BodyWord body_words[] = {
    {"position", Quantity::position, -1, true, "m"},
    {"x", Quantity::position, 0, false, "m"},
    {"y", Quantity::position, 1, false, "m"},
    {"z", Quantity::position, 2, false, "m"},
    {"com", Quantity::com, -1, true, "m"},
    {"velocity", Quantity::velocity, -1, true, "m/s"},
    {"vx", Quantity::velocity, 0, false, "m/s"},
    {"vy", Quantity::velocity, 1, false, "m/s"},
    {"vz", Quantity::velocity, 2, false, "m/s"},
    {"angular_velocity", Quantity::angular_velocity, -1, true, "rad/s"},
    {"wx", Quantity::angular_velocity, 0, false, "rad/s"},
    {"wy", Quantity::angular_velocity, 1, false, "rad/s"},
    {"wz", Quantity::angular_velocity, 2, false, "rad/s"},
    {"x_axis", Quantity::x_axis, -1, true, ""},
    {"y_axis", Quantity::y_axis, -1, true, ""},
    {"z_axis", Quantity::z_axis, -1, true, ""},
    {"rx", Quantity::angles, 0, false, "rad"},
    {"ry", Quantity::angles, 1, false, "rad"},
    {"rz", Quantity::angles, 2, false, "rad"},
    {"mass", Quantity::mass, -1, false, "kg"},
    {"kinetic", Quantity::kinetic, -1, false, "J"},
    {"potential", Quantity::potential, -1, false, "J"},
    {"energy", Quantity::energy, -1, false, "J"},
    {"contact.force", Quantity::contact_force, -1, true, "N"},
    {"contact", Quantity::contact, -1, false, ""},
};
constexpr BodyWord total_words[] = {
    {"kinetic", Quantity::total_kinetic, -1, false, "J"},
    {"potential", Quantity::total_potential, -1, false, "J"},
    {"energy", Quantity::total_energy, -1, false, "J"},
    {"com", Quantity::total_com, -1, true, "m"},
    {"momentum", Quantity::total_momentum, -1, true, "N*s"},
};

std::optional<Dimension> unit_of(const char* unit) {
  return *unit == 0 ? Dimension{} : dimension_of(unit);
}

// A joint of the tree or one that closes a loop.
struct JointPlace {
  int index = 0;
  bool is_loop = false;
  Freedoms freedoms;
};

struct JointWord {
  std::string word;
  Quantity quantity;
  int part;
  bool is_vector;
  const char* unit;
};

std::vector<JointWord> joint_words(const Freedoms& f) {
  std::vector<JointWord> words;
  const auto number = [](int i, int count) { return count == 1 ? "" : std::to_string(i + 1); };
  for (int i = 0; i < f.translations; ++i) {
    const std::string n = number(i, f.translations);
    words.push_back({"position" + n, Quantity::coordinate, i, false, "m"});
    words.push_back({"speed" + n, Quantity::rate, i, false, "m/s"});
  }
  if (f.rotations == 3) {
    words.push_back({"rotation", Quantity::rotation, f.translations, true, "rad"});
    words.push_back({"angular_velocity", Quantity::rotation_rate, f.translations, true, "rad/s"});
    return words;
  }
  for (int i = 0; i < f.rotations; ++i) {
    const std::string n = number(i, f.rotations);
    words.push_back({"angle" + n, Quantity::coordinate, f.translations + i, false, "rad"});
    words.push_back({"rate" + n, Quantity::rate, f.translations + i, false, "rad/s"});
  }
  return words;
}

// The names of a model; each that is asked for gets its inputs.
class ModelNames : public Names {
 public:
  explicit ModelNames(const Model& model) : model_(model) {
    for (int i = 0; i < model.body_count(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const Body& body = model.bodies[n];
      bodies_[body.name] = i;
      const Freedoms f{model.links[n].translations, model.links[n].rotations};
      if (!body.joint.empty() && body.joint != body.name && f.count() > 0) {
        joints_[body.joint] = {i, false, f};
      }
    }
    for (std::size_t i = 0; i < model.loops.size(); ++i) {
      const LoopJoint& loop = model.loops[i];
      joints_[loop.name] = {static_cast<int>(i), true, freedoms(loop.type)};
    }
  }

  void add_variable(const std::string& name, const SceneDefinition& d) {
    variables_[name] = set_.variables.size();
    set_.variables.push_back({name, set_.inputs++, *d.value, d.lower, d.upper});
  }

  std::optional<Symbol> find(std::string_view name) const override {
    if (const auto v = variables_.find(std::string(name)); v != variables_.end()) {
      return Symbol{set_.variables[v->second].slot};
    }
    if (name == "t") return symbol({Quantity::time}, -1, false, "s");
    // the longest known name before a dot
    for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      const std::string owner(name.substr(0, dot));
      const std::string_view word = name.substr(dot + 1);
      if (const auto found = find_of(owner, word)) return found;
    }
    return std::nullopt;
  }

  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const KnownName& known : known_names(model_)) names.push_back(known.name);
    for (const FormulaSet::Variable& v : set_.variables) names.push_back(v.name);
    return names;
  }

  void for_each(const std::function<void(const KnownName&)>& tell) const {
    tell({"t", false, "s"});
    for (const Body& body : model_.bodies) {
      for (const BodyWord& w : body_words) tell({body.name + "." + w.word, w.is_vector, w.unit});
    }
    for (const auto& [name, place] : joints_) {
      for (const JointWord& w : joint_words(place.freedoms)) {
        tell({name + "." + w.word, w.is_vector, w.unit});
      }
    }
    for (const BodyWord& w : total_words) {
      tell({std::string("total.") + w.word, w.is_vector, w.unit});
    }
  }

  FormulaSet& set() { return set_; }

 private:
  std::optional<Symbol> find_of(const std::string& owner, std::string_view word) const {
    if (const auto body = bodies_.find(owner); body != bodies_.end()) {
      for (const BodyWord& w : body_words) {
        if (w.word == word) {
          return symbol({w.quantity, body->second}, w.component, w.is_vector, w.unit);
        }
      }
    }
    if (const auto joint = joints_.find(owner); joint != joints_.end()) {
      const JointPlace& place = joint->second;
      for (const JointWord& w : joint_words(place.freedoms)) {
        if (w.word == word) {
          return symbol({w.quantity, place.index, place.is_loop, w.part}, -1, w.is_vector, w.unit);
        }
      }
    }
    if (owner == "total") {
      for (const BodyWord& w : total_words) {
        if (w.word == word) return symbol({w.quantity}, -1, w.is_vector, w.unit);
      }
    }
    return std::nullopt;
  }

  Symbol symbol(Signal signal, int component, bool is_vector, const char* unit) const {
    const auto key = std::make_tuple(signal.quantity, signal.index, signal.is_loop, signal.part);
    const auto [known, is_new] = slots_.emplace(key, set_.inputs);
    signal.slot = known->second;
    if (is_new) {
      set_.inputs += signal.numbers();
      set_.signals.push_back(signal);
    }
    const auto shift = static_cast<std::uint32_t>(std::max(component, 0));
    return {signal.slot + shift, is_vector, unit_of(unit), std::nullopt};
  }

  const Model& model_;
  std::map<std::string, int> bodies_;
  std::map<std::string, JointPlace> joints_;
  std::map<std::string, std::size_t> variables_;
  mutable FormulaSet set_;  // what was asked for
  mutable std::map<std::tuple<Quantity, int, bool, int>, std::uint32_t> slots_;  // of signals
};

// The outputs of a scene, in the order in which they are compiled.
class Outputs {
 public:
  explicit Outputs(FormulaSet& set) : set_(set) {}

  int add(const SceneFormula& source, Wanted wanted, const char* unit) {
    const std::optional<Dimension> dimension =
        unit ? unit_of(unit) : std::optional<Dimension>(std::nullopt);
    set_.outputs.push_back({source.text, source.scope, wanted, dimension});
    set_.sources.push_back(source);
    return static_cast<int>(set_.outputs.size()) - 1;
  }
  FormulaSet::Three add_three(const std::vector<SceneFormula>& sources, const char* unit) {
    if (sources.empty()) return {};
    if (sources.size() == 1) return {add(sources[0], Wanted::vector, unit), true};
    FormulaSet::Three three{static_cast<int>(set_.outputs.size()), false};
    for (const SceneFormula& source : sources) add(source, Wanted::number, unit);
    return three;
  }

 private:
  FormulaSet& set_;
};

void add_definitions(const Scene& scene, ModelNames& names) {
  FormulaSet& set = names.set();
  for (const SceneDefinition& d : scene.definitions) {
    const std::string full = d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name;
    if (d.value) {
      names.add_variable(full, d);
      continue;
    }
    Definition definition{.name = d.name, .scope = d.formula.scope, .text = d.formula.text};
    definition.is_function = d.is_function;
    definition.parameters = d.parameters;
    if (!d.keys.empty()) {
      try {
        definition.curve = std::make_shared<const Curve>(d.keys, d.before, d.after);
      } catch (const CurveError& e) {
        throw InputError(d.formula.place + ": " + e.what());
      }
    }
    set.definitions.push_back(std::move(definition));
    set.definition_sources.push_back(d.formula);
  }
}

void add_forces(const Scene& scene, const Model& model, Outputs& outputs, FormulaSet& set) {
  for (const SceneForce& f : scene.forces) {
    if (f.force_formulas.empty() && f.torque_formulas.empty()) continue;
    check_interrupt();  // each looks through all bodies
    FormulaSet::Force force{.name = f.name, .body = model.body(f.at.body), .p = f.at.p};
    force.in_body_axes = f.in_body_axes;
    force.implicit = f.implicit;
    if (f.implicit && !model.loops.empty()) {
      throw InputError("force '" + f.name +
                       "': implicit forces need a model without loops, in reduced coordinates");
    }
    force.force = outputs.add_three(f.force_formulas, "N");
    force.torque = outputs.add_three(f.torque_formulas, "N*m");
    set.forces.push_back(force);
  }
}

// The first motor of each joint, by name.
std::unordered_map<std::string_view, int> first_motors(const Model& model) {
  std::unordered_map<std::string_view, int> motors;
  for (const LoopJoint& loop : model.loops) motors.emplace(loop.name, loop.first_motor);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    motors.emplace(model.bodies[i].joint, model.links[i].v);
  }
  return motors;
}

void add_motors(const Scene& scene, const Model& model, Outputs& outputs, FormulaSet& set) {
  const std::unordered_map<std::string_view, int> first = first_motors(model);
  for (const SceneJoint& joint : scene.joints) {
    const int translations = freedoms(joint.type).translations;
    for (std::size_t i = 0; i < joint.motor_formulas.size(); ++i) {
      const MotorFormulas& m = joint.motor_formulas[i];
      if (m.target.empty() && m.target_velocity.empty() && m.force.empty()) continue;
      const auto formula = [&](const SceneFormula& source, const char* linear,
                               const char* angular) {
        const bool slides = static_cast<int>(i) < translations;
        return source.empty() ? -1 : outputs.add(source, Wanted::number, slides ? linear : angular);
      };
      const auto found = first.find(joint.name);
      if (found == first.end()) {
        throw InputError("joint '" + joint.name +
                         "': a formula drives it, but it has nothing to move");
      }
      FormulaSet::Motor motor{.motor = found->second + static_cast<int>(i)};
      motor.target = formula(m.target, "m", "rad");
      motor.target_velocity = formula(m.target_velocity, "m/s", "rad/s");
      motor.force = formula(m.force, "N", "N*m");
      set.motors.push_back(motor);
    }
  }
}

std::vector<std::size_t> outputs_of(const FormulaSet& set, bool motors) {
  std::vector<std::size_t> list;
  const auto add = [&](int output) {
    if (output >= 0) list.push_back(static_cast<std::size_t>(output));
  };
  const auto add_three = [&](const FormulaSet::Three& three) {
    for (int i = 0; i < (three.is_vector ? 1 : 3) && three.first >= 0; ++i) add(three.first + i);
  };
  if (motors) {
    for (const FormulaSet::Motor& m : set.motors)
      add(m.target), add(m.target_velocity), add(m.force);
  } else {
    for (const FormulaSet::Force& f : set.forces) add_three(f.force), add_three(f.torque);
  }
  return list;
}

}  // namespace

std::uint32_t Signal::numbers() const {
  switch (quantity) {
    case Quantity::position:
    case Quantity::com:
    case Quantity::velocity:
    case Quantity::angular_velocity:
    case Quantity::x_axis:
    case Quantity::y_axis:
    case Quantity::z_axis:
    case Quantity::angles:
    case Quantity::contact_force:
    case Quantity::rotation:
    case Quantity::rotation_rate:
    case Quantity::total_com:
    case Quantity::total_momentum:
      return 3;
    default:
      return 1;
  }
}

std::string source_of(const FormulaSet& set, const TextPlace& place) {
  const SceneFormula& source =
      place.in_definition ? set.definition_sources[place.index] : set.sources[place.index];
  return source.place + ": '" + source.text + "': ";
}

std::shared_ptr<const FormulaSet> compile_formulas(const Scene& scene, const Model& model) {
  ModelNames names(model);
  FormulaSet& set = names.set();
  add_definitions(scene, names);
  Outputs outputs(set);
  add_forces(scene, model, outputs, set);
  add_motors(scene, model, outputs, set);
  for (const SceneProbe& probe : scene.probes) {
    set.probes.push_back({probe.name, outputs.add(probe.formula, Wanted::any, nullptr)});
  }
  if (set.outputs.empty() && scene.definitions.empty()) return nullptr;
  try {
    set.program = compile(set.definitions, set.outputs, names);
  } catch (const ExpressionError& e) {
    throw FormulaError(source_of(set, e.place) + e.what(), e.column);
  }
  set.force_program = part_of(set.program, outputs_of(set, false));
  set.motor_program = part_of(set.program, outputs_of(set, true));
  for (FormulaSet::Probe& probe : set.probes) {
    const ExpressionProgram::Output& output =
        set.program.outputs[static_cast<std::size_t>(probe.output)];
    probe.is_vector = output.is_vector;
    probe.unit = output.unit;
  }
  set.fingerprint = fingerprint(set);
  return std::make_shared<const FormulaSet>(std::move(set));
}

std::vector<KnownName> known_names(const Model& model) {
  std::vector<KnownName> all;
  ModelNames(model).for_each([&](const KnownName& known) { all.push_back(known); });
  return all;
}

std::vector<std::string> unit_complaints(const FormulaSet& set, const Model& model, bool strict) {
  ModelNames names(model);
  for (const FormulaSet::Variable& v : set.variables) {
    SceneDefinition d;
    d.value = v.value;
    names.add_variable(v.name, d);
  }
  std::vector<std::string> complaints;
  for (const UnitComplaint& c : check_units(set.definitions, set.outputs, names, strict)) {
    complaints.push_back(source_of(set, c.place) + "column " + std::to_string(c.place.column) +
                         ": " + c.text);
  }
  return complaints;
}

}  // namespace molejo
