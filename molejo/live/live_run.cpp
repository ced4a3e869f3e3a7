#include "molejo/live/live_run.h"

#include <algorithm>
#include <cmath>

#include "molejo/model/error.h"

namespace molejo {

namespace {

SceneForce& find_force(Scene& scene, const std::string& name) {
  std::vector<std::string> known;
  for (SceneForce& f : scene.forces) {
    if (f.name == name) return f;
    known.push_back(f.name);
  }
  throw InputError(unknown_word("force", name, known));
}

SceneJoint& find_joint(Scene& scene, const std::string& name) {
  std::vector<std::string> known;
  for (SceneJoint& j : scene.joints) {
    if (j.name == name) return j;
    known.push_back(j.name);
  }
  throw InputError(unknown_word("joint", name, known));
}

template <class Named>
Named* find_named(std::vector<Named>& list, const std::string& name) {
  const auto at =
      std::find_if(list.begin(), list.end(), [&](const Named& item) { return item.name == name; });
  return at == list.end() ? nullptr : &*at;
}

// The formulas of a force or torque, as one vector or three numbers.
SceneFormula& part_of_force(SceneForce& force, const std::string& part, int component) {
  if (part != "force" && part != "torque") {
    const std::vector<std::string> known{"force", "torque"};
    throw InputError(unknown_word("part of a force", part, known));
  }
  std::vector<SceneFormula>& list = part == "force" ? force.force_formulas : force.torque_formulas;
  if (component < 0) {
    list.resize(1);
    return list[0];
  }
  if (component > 2) throw InputError("component " + std::to_string(component) + ": 0, 1 or 2");
  if (list.size() != 3) {
    // the other two components of a vector
    const SceneFormula whole = list.empty() ? SceneFormula{"[0, 0, 0]", "", ""} : list[0];
    list.clear();
    for (const char* axis : {".x", ".y", ".z"}) {
      SceneFormula of = whole;
      of.text = "(" + whole.text + ")" + axis;
      list.push_back(of);
    }
  }
  return list[static_cast<std::size_t>(component)];
}

SceneFormula& part_of_motor(SceneJoint& joint, const std::string& part, int component) {
  const auto count = static_cast<std::size_t>(freedoms(joint.type).count());
  const auto i = static_cast<std::size_t>(std::max(component, 0));
  if (i >= count) {
    throw InputError("joint '" + joint.name + "' has " + std::to_string(count) + " freedoms");
  }
  joint.motor_formulas.resize(count);
  MotorFormulas& motor = joint.motor_formulas[i];
  if (part == "target") return motor.target;
  if (part == "target_velocity") return motor.target_velocity;
  if (part == "force") return motor.force;
  const std::vector<std::string> known{"target", "target_velocity", "force"};
  throw InputError(unknown_word("part of a motor", part, known));
}

// The text of a formula of a scene.
SceneFormula& find_formula(Scene& scene, const std::string& what, const std::string& name,
                           const std::string& part, int component) {
  if (what == "force") return part_of_force(find_force(scene, name), part, component);
  if (what == "joint") return part_of_motor(find_joint(scene, name), part, component);
  if (what == "probe") {
    if (SceneProbe* probe = find_named(scene.probes, name)) return probe->formula;
    scene.probes.push_back({name, {}});
    return scene.probes.back().formula;
  }
  if (what == "variable") {
    for (SceneDefinition& d : scene.definitions) {
      const std::string full = d.formula.scope.empty() ? d.name : d.formula.scope + "." + d.name;
      if (full != name) continue;
      d.value.reset();
      return d.formula;
    }
    std::vector<std::string> known;
    for (const SceneDefinition& d : scene.definitions) known.push_back(d.name);
    throw InputError(unknown_word("variable", name, known));
  }
  const std::vector<std::string> known{"force", "joint", "probe", "variable"};
  throw InputError(unknown_word("kind of formula", what, known));
}

}  // namespace

LiveRun::LiveRun(Scene scene, HistoryLimits limits)
    : scene_(std::move(scene)),
      built_(std::make_unique<Built>(build(scene_))),
      settings_(scene_.settings),
      formulas_(built_->formulas),
      history_(limits) {
  settings_.duration = 1e6;  // until it is stopped
  start(built_->initial);
}

LiveRun::~LiveRun() = default;

std::unique_ptr<Run> LiveRun::make_run(const Built& built, const State& state) const {
  auto run = std::make_unique<Run>(built.model, state, settings_, built.formulas);
  for (const auto& [name, value] : values_) run->set_variable(name, value);
  return run;
}

std::size_t LiveRun::Moment::bytes() const {
  return sizeof(Frame) + frame.X_WB.size() * sizeof(Pose) +
         static_cast<std::size_t>(frame.state.q.size() + frame.state.v.size()) * sizeof(double) +
         frame.contacts.size() * sizeof(TouchPoint) + frame.probes.size() * sizeof(double) +
         events.size() * sizeof(ContactEvent);
}

void LiveRun::start(const State& state) {
  built_->formulas = formulas_;
  run_ = make_run(*built_, state);
  simulate_frame();
  history_.show_last();
}

bool LiveRun::simulate_frame() {
  Moment moment;
  if (!run_->next_frame(moment.frame, moment.events)) return false;
  history_.add(std::move(moment));
  return true;
}

bool LiveRun::advance() {
  if (is_at_end() && !simulate_frame()) return false;
  history_.show_next();
  return true;
}

void LiveRun::branch() {
  history_.forget_later();
  // the frame itself is made anew as the first of what follows
  const State state = frame().state;
  history_.forget_last();
  start(state);
}

void LiveRun::reset() {
  history_.clear();
  start(built_->initial);
}

void LiveRun::set_variable(const std::string& name, double value) {
  if (!std::isfinite(value)) throw InputError("variable '" + name + "': expected a finite number");
  if (!run_->set_variable(name, value)) {
    std::vector<std::string> known;
    if (formulas_) {
      for (const FormulaSet::Variable& v : formulas_->variables) known.push_back(v.name);
    }
    throw InputError(unknown_word("variable", name, known));
  }
  for (auto& [known, last] : values_) {
    if (known == name) {
      last = value;
      return;
    }
  }
  values_.emplace_back(name, value);
}

double LiveRun::variable(const std::string& name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  if (formulas_) {
    for (const FormulaSet::Variable& v : formulas_->variables) {
      if (v.name == name) return v.value;
    }
  }
  throw InputError("no variable '" + name + "'");
}

void LiveRun::replace_formula(const std::string& what, const std::string& name,
                              const std::string& part, int component, const std::string& text) {
  Scene changed = scene_;
  SceneFormula& formula = find_formula(changed, what, name, part, component);
  formula.text = text;
  formula.place = what + " '" + name + "'";
  if (what == "joint") {
    // a motor that was not there before is a new model; all that can fail comes first
    auto rebuilt = std::make_unique<Built>(build(changed));
    auto run = make_run(*rebuilt, history_.last().frame.state);
    Moment again;  // the last frame once more
    run->next_frame(again.frame, again.events);
    run_ = std::move(run);
    built_ = std::move(rebuilt);
    formulas_ = built_->formulas;
  } else {
    const std::shared_ptr<const FormulaSet> set = compile_formulas(changed, built_->model);
    run_->set_formulas(set);
    formulas_ = set;
  }
  scene_ = std::move(changed);
}

void LiveRun::push(const std::string& body, const Vec3& point, const Vec3& force, double seconds) {
  const auto finite = [](const Vec3& x) { return std::isfinite(x.x + x.y + x.z); };
  if (!finite(point) || !finite(force)) throw InputError("push: expected finite numbers");
  if (!(seconds > 0 && seconds <= 3600)) throw InputError("push: expected 0 to 3600 seconds");
  run_->add_push({built_->model.body(body), point, force, run_->state().t + seconds});
}

}  // namespace molejo
