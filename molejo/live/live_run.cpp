#include "molejo/live/live_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "molejo/math/angles.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/bounds.h"
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

bool is_finite(const Vec3& x) { return std::isfinite(x.x + x.y + x.z); }

}  // namespace

LiveRun::LiveRun(Scene scene, HistoryLimits limits, RunBudget budget)
    : scene_(std::move(scene)),
      built_(std::make_shared<const Built>(build(scene_))),
      settings_(scene_.settings),
      formulas_(built_->formulas),
      history_(limits) {
  settings_.duration = bounds_of::duration.most;  // until it is stopped
  settings_.budget = budget;
  go_on_from(begin_at(built_, built_->initial));
}

LiveRun::~LiveRun() = default;

std::unique_ptr<Run> LiveRun::make_run(const std::shared_ptr<const Built>& built,
                                       const State& state,
                                       std::shared_ptr<const FormulaSet> formulas) const {
  return std::make_unique<Run>(std::shared_ptr<const Model>(built, &built->model), state, settings_,
                               std::move(formulas));
}

// All that can fail.
LiveRun::Beginning LiveRun::begin_at(const std::shared_ptr<const Built>& built,
                                     const State& state) const {
  Beginning begun;
  begun.run = make_run(built, state, built == built_ ? formulas_ : built->formulas);
  for (const auto& [name, value] : values_) begun.run->set_variable(name, value);
  begun.run->hold(held_);
  if (command_) begun.run->set_command(*command_);
  if (!begun.run->next_frame(begun.first.frame, begun.first.events)) {
    throw InputError(begun.run->summary().failure);
  }
  return begun;
}

void LiveRun::go_on_from(Beginning begun) {
  run_ = std::move(begun.run);
  unfinished_ = {};
  touched_ = true;
  add_frame(std::move(begun.first));
  history_.show_last();
}

std::size_t LiveRun::Moment::bytes() const {
  return bytes_of(frame) + events.size() * sizeof(ContactEvent) + mark;
}

// Marks of many contacts are larger than frames: they take part of the memory of the history.
bool LiveRun::mark_is_due(const Moment& next) const {
  constexpr std::size_t least_share = std::size_t{64} << 10;  // bytes a frame
  if (touched_ || marks_.empty()) return true;
  const auto frames = static_cast<std::size_t>(history_.last_number() + 1 - marks_.back().number);
  return frames * std::max(least_share, 2 * next.bytes()) >= marks_.back().snapshot.bytes.size();
}

// Made by the run just now.
void LiveRun::add_frame(Moment moment) {
  if (mark_is_due(moment)) {
    Mark mark{history_.last_number() + 1, built_, formulas_, held_, command_, {}};
    save(*run_, mark.snapshot);
    moment.mark = mark.snapshot.bytes.size();
    marks_.push_back(std::move(mark));
    touched_ = false;
  }
  history_.add(std::move(moment));
}

Advance LiveRun::show_next(Clock::time_point until) {
  if (is_at_end()) {
    Run::Made made = Run::Made::over;
    try {
      made = run_->next_frame(unfinished_.frame, unfinished_.events, until);
    } catch (const Interrupted&) {
      touched_ = true;  // the step that was taken back left a trace in the contacts
      throw;
    }
    if (made == Run::Made::not_yet) return Advance::not_yet;
    if (made == Run::Made::over) return Advance::over;
    add_frame(std::exchange(unfinished_, {}));
  }
  history_.show_next();
  while (marks_.size() > 1 && marks_[1].number <= history_.first_number()) marks_.pop_front();
  return Advance::shown;
}

std::vector<Frame> LiveRun::frames(double from, double to) const {
  std::vector<Frame> list;
  for (const Moment& m : history_.moments()) {
    if (m.time() >= from - 1e-9 && m.time() <= to + 1e-9) list.push_back(m.frame);
  }
  return list;
}

std::vector<const Frame*> LiveRun::some_frames(double from, double to, std::size_t most) const {
  std::vector<const Frame*> list;
  for (const Moment* m : history_.some(from, to, most)) list.push_back(&m->frame);
  return list;
}

// The run as it was after it had made a frame.
std::unique_ptr<Run> LiveRun::run_at(const Mark& mark, std::int64_t number) const {
  std::unique_ptr<Run> run = make_run(mark.built, mark.built->initial, mark.formulas);
  restore(mark.snapshot, *run);
  Moment again;
  for (std::int64_t n = mark.number; n < number; ++n) {
    again.events.clear();
    run->next_frame(again.frame, again.events);
  }
  return run;
}

void LiveRun::branch() {
  const std::int64_t number = history_.number();
  const auto after =
      std::find_if(marks_.begin(), marks_.end(), [&](const Mark& m) { return m.number > number; });
  const Mark& mark = *std::prev(after);
  std::unique_ptr<Run> run;
  bool is_new = true;
  if (mark.built != built_) {
    // another model since then
    run = begin_at(built_, frame().state).run;
  } else {
    run = run_at(mark, number);
    is_new = formulas_ != mark.formulas || held_ != mark.held || command_ != mark.command;
    if (formulas_ != mark.formulas) run->set_formulas(formulas_);
    for (const auto& [name, value] : values_) run->set_variable(name, value);
    if (held_ != mark.held) run->hold(held_);
    if (command_ != mark.command) run->set_command(command());
  }
  run_ = std::move(run);
  unfinished_ = {};
  history_.forget_later();
  marks_.erase(after, marks_.end());
  touched_ = touched_ || is_new || !values_.empty();
}

void LiveRun::reset() {
  Beginning begun = begin_at(built_, built_->initial);
  history_.clear();
  marks_.clear();
  go_on_from(std::move(begun));
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
  touched_ = true;
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
    auto rebuilt = std::make_shared<const Built>(build(changed));
    // its first frame is the last one once more
    run_ = begin_at(rebuilt, history_.last().frame.state).run;
    unfinished_ = {};
    built_ = std::move(rebuilt);
    formulas_ = built_->formulas;
  } else {
    const std::shared_ptr<const FormulaSet> set = compile_formulas(changed, built_->model);
    run_->set_formulas(set);
    formulas_ = set;
  }
  scene_ = std::move(changed);
  touched_ = true;
}

void LiveRun::push(const std::string& body, const Vec3& point, const Vec3& force, double seconds) {
  if (!is_finite(point) || !is_finite(force)) throw InputError("push: expected finite numbers");
  if (!(seconds > 0 && seconds <= 3600)) throw InputError("push: expected 0 to 3600 seconds");
  Push push{built_->model.body(body), point, force};
  push.until = run_->state().t + seconds;
  run_->add_push(push);
  touched_ = true;
}

void LiveRun::drag(const std::string& body, const Vec3& point, const Vec3& to,
                   std::optional<double> stiffness) {
  if (!is_finite(point) || !is_finite(to)) throw InputError("drag: expected finite numbers");
  if (stiffness && !(*stiffness > 0 && *stiffness <= 1e9)) {
    throw InputError("drag: expected a stiffness from 0 to 1e9 N/m");
  }
  const Model& model = built_->model;
  Push pull{model.body(body), point, {}};
  pull.to = to;
  double all = 0;  // of the tree that hangs together
  for (const Tree& tree : model.trees) {
    if (pull.body.index < tree.first_link || pull.body.index >= tree.last_link) continue;
    for (int i = tree.first_link; i < tree.last_link; ++i) {
      all += model.links[static_cast<std::size_t>(i)].mass;
    }
  }
  // explicit in time: the frequency of the point alone, far from its middle, must stay small
  constexpr double hertz = 1.5;
  const double own = model.links[static_cast<std::size_t>(pull.body.index)].mass / 4;
  const double h = settings_.time_step;
  const double wanted = stiffness.value_or(all * (2 * pi * hertz) * (2 * pi * hertz));
  pull.stiffness = std::min(wanted, 0.05 * own / (h * h));
  pull.damping = std::min(0.7 * 2 * std::sqrt(pull.stiffness * std::max(all, own)), 0.2 * own / h);
  held_ = pull;
  run_->hold(held_);
  touched_ = true;
}

void LiveRun::set_command(Command<double> command) {
  run_->set_command(command);
  command_ = std::make_shared<const Command<double>>(std::move(command));
  touched_ = true;
}

Command<double> LiveRun::command() const {
  return command_ ? *command_ : Command<double>(built_->model);
}

void LiveRun::drop() {
  held_.reset();
  run_->hold(held_);
  touched_ = true;
}

}  // namespace molejo
