#include "molejo/physics/world.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "molejo/math/interrupt.h"
#include "molejo/model/bounds.h"
#include "molejo/model/error.h"
#include "molejo/model/snapshot.h"
#include "molejo/physics/audit.h"
#include "molejo/physics/events.h"
#include "molejo/physics/snapshot.h"
#include "molejo/physics/touch_log.h"

namespace molejo {

// One world in time. Frames fall between its steps.
class Run::Stepper {
 public:
  Stepper(std::shared_ptr<const Model> model, const State& start, const Settings& settings,
          std::shared_ptr<const FormulaSet> formulas)
      : kept_model_(std::move(model)),
        model_(*kept_model_),
        settings_(settings),
        state_(start),
        scratch_(model_),
        command_(model_),
        obeyed_(model_),
        shown_(model_),
        begin_(start.t),
        end_(start.t + settings.duration),
        last_frame_(static_cast<std::int64_t>(std::floor(settings.duration * settings.fps + 1e-9))),
        kept_(model_),
        audit_(model_, settings) {
    next_step_ = std::min(settings.max_step, 1e-3);
    const bool runge_kutta =
        settings.integrator == Integrator::rk4 || settings.integrator == Integrator::rkf45;
    if (scratch_.penalty) aside_ = std::make_unique<Scratch>(model_);
    for (Scratch* scratch : {&scratch_, aside_.get()}) {
      if (!scratch) continue;
      if (scratch->contact) scratch->contact->contacts.set_budget(settings.budget.contacts);
      if (scratch->penalty) scratch->penalty->contacts.set_budget(settings.budget.contacts);
    }
    if (scratch_.contact) scratch_.contact->contacts.threads = settings.threads;
    if (scratch_.contact && runge_kutta) {
      events_ = std::make_unique<Events>(model_);
      // all bodies are part of the search for the next event
      scratch_.contact->may_sleep.assign(model_.trees.size(), false);
      // this is the accurate way
      scratch_.contact->contacts.keeps_points = false;
      scratch_.contact->tolerance *= 1e-4;
      scratch_.contact->most_iterations *= 20;
    }
    if (settings_.project && model_.rows > 0) keep_closed(state_);
    before_ = state_;
    scratch_.command = &obeyed_;
    if (aside_) aside_->command = &obeyed_;
    if (formulas) set_formulas(std::move(formulas));
  }

  void set_formulas(std::shared_ptr<const FormulaSet> formulas) {
    auto next = std::make_unique<FormulaRun>(model_, formulas);
    if (scratch_.formulas) take_over(*scratch_.formulas, *next);
    update_poses(model_, state_.q.data(), shown_);
    update_velocities(model_, state_.v.data(), shown_);
    read_signals(model_, state_.t, state_.q.data(), state_.v.data(), shown_, *next);
    // those that were, stay if not
    check_finite(*next, scratch_.formulas ? "now" : "at the start");
    audit_.add_formulas(*formulas);
    if (aside_) aside_->formulas = std::make_unique<FormulaRun>(*next);
    scratch_.formulas = std::move(next);
    for (Scratch* scratch : {&scratch_, aside_.get()}) {
      if (!scratch) continue;
      auto stiff = std::make_unique<ImplicitForces>(model_, *formulas);
      scratch->implicit_forces = stiff->empty() ? nullptr : std::move(stiff);
    }
    if (scratch_.contact) {
      // who is pushed never sleeps
      for (const FormulaSet::Force& f : formulas->forces) {
        const auto body = static_cast<std::size_t>(f.body.index);
        const int tree = scratch_.contact->system.tree[body];
        scratch_.contact->may_sleep[static_cast<std::size_t>(tree)] = false;
      }
      wake_all(model_, scratch_.tree.dynamics, *scratch_.contact);
    }
    measure_work(model_, shown_, 0, *scratch_.formulas);
  }

  bool set_variable(const std::string& name, double value) {
    if (!scratch_.formulas) return false;
    for (const FormulaSet::Variable& v : scratch_.formulas->set->variables) {
      if (v.name != name) continue;
      scratch_.formulas->inputs[v.slot] = value;
      if (aside_ && aside_->formulas) aside_->formulas->inputs[v.slot] = value;
      return true;
    }
    return false;
  }

  void add_push(const Push& push) {
    audit_.push();
    scratch_.pushes.push_back(push);
    if (aside_) aside_->pushes.push_back(push);
    if (scratch_.contact) wake_all(model_, scratch_.tree.dynamics, *scratch_.contact);
  }

  void hold(const std::optional<Push>& push) {
    for (Scratch* scratch : {&scratch_, aside_.get()}) {
      if (!scratch) continue;
      // it stays for a step, in which the force that it was is taken away
      for (Push& p : scratch->pushes) {
        if (p.held) p.until = -std::numeric_limits<double>::infinity();
      }
    }
    // who hung at rest falls
    if (scratch_.contact) wake_all(model_, scratch_.tree.dynamics, *scratch_.contact);
    if (!push) return;
    Push held = *push;
    held.held = true;
    held.until = std::numeric_limits<double>::infinity();
    add_push(held);
  }

  // Frames within the last step, which are shown later, still belong to what it obeyed.
  void set_command(const Command<double>& command) {
    check(command);
    command_ = command;
    is_told_ = true;
  }
  const Command<double>& command() const { return command_; }
  void set_controller(Controller controller) { controller_ = std::move(controller); }

  Made next_frame(Frame& frame, std::vector<ContactEvent>& events, Clock::time_point until) {
    try {
      return go_on(frame, events, until);
    } catch (const OverBudget& e) {
      char text[120];
      std::snprintf(text, sizeof text, " at t = %.6g s; the %zu MB for contact hold no more",
                    state_.t, settings_.budget.contacts >> 20);
      summary_.failure = e.what() + std::string(text);
      over_ = true;
      return Made::over;
    }
  }

  const State& state() const { return state_; }
  const Settings& settings() const { return settings_; }
  const Summary& summary() const { return summary_; }

  std::uint64_t fingerprint() const {
    const Settings& s = settings_;
    return molejo::fingerprint(
        {model_.fingerprint, scratch_.formulas ? scratch_.formulas->set->fingerprint : 0,
         static_cast<std::uint64_t>(s.integrator), bits_of(s.time_step), bits_of(s.tolerance),
         bits_of(s.min_step), bits_of(s.max_step), s.project ? 1u : 0u,
         bits_of(s.constraint_tolerance), bits_of(s.fps)});
  }

  // All that the next frame depends on.
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Stepper>& s) {
    const Model& model = s.model_;
    a.part("state");
    a(s.begin_);
    visit_state(a, model, s.state_);
    visit_state(a, model, s.before_);
    visit_scratch(a, model, s.state_, s.scratch_);
    if (s.aside_) visit_scratch(a, model, s.state_, *s.aside_);
    visit_command(a, model, s.obeyed_);
    visit_command(a, model, s.command_);
    if constexpr (Archive::reads) s.is_told_ = true;
    if (s.events_) visit_events(a, model, *s.events_);
    a.part("touches");
    TouchLog::visit(a, model, s.touches_);
    TouchLog::visit(a, model, s.soft_touches_);
    visit_list(a, s.pushes_, most_soft_contacts, [&](auto& c) { visit_contact(a, model, c); });
    a.part("steps");
    a(s.frame_, s.shown_time_, s.unlogged_, s.next_step_, s.work_before_, s.work_);
    Audit::visit(a, s.audit_);
    visit_summary(a, s.summary_);
    if constexpr (Archive::reads) s.take_up(a);
  }

 private:
  static constexpr std::size_t most_soft_contacts = 1'000'000;

  // What follows from numbers that were read, if they are those of a run.
  void take_up(const SnapshotReader& a) {
    end_ = begin_ + settings_.duration;
    over_ = !summary_.failure.empty();
    step_failure_.clear();
    const double tiny = 1e-9 * std::max(1.0, std::fabs(state_.t));
    const double due = begin_ + static_cast<double>(frame_) / settings_.fps;
    a.require(bounds_of::start_time.hold(begin_) && before_.t >= begin_ && state_.t >= before_.t &&
                  state_.t <= begin_ + 10 * bounds_of::duration.most,
              "times of a run");
    a.require(frame_ >= 0 && due >= before_.t - tiny && unlogged_ >= 0, "the next frame");
    a.require(next_step_ > 0 && summary_.steps >= 0, "the next step");
    if (events_ || settings_.integrator == Integrator::rkf45) return;
    const double ahead = next_time() - state_.t;
    a.require(ahead > 0 && ahead < 2 * settings_.time_step, "the time of the next step");
  }

  Made go_on(Frame& frame, std::vector<ContactEvent>& events, Clock::time_point until) {
    for (bool first = true; !over_; first = false) {
      // frames within the last step come before its touches, which count from its end
      const double t =
          begin_ + static_cast<double>(frame_) / settings_.fps;  // not summed: no drift
      const double same_time = 1e-12 * std::max(1.0, std::fabs(state_.t));
      if (frame_ <= last_frame_ && t <= state_.t + same_time) {
        const bool at_end = t >= state_.t - same_time;
        if (at_end) log_contacts(events);
        State shown = at_end ? state_ : state_between(before_, t);
        put_on_paths(model_, shown);
        if (!at_end && settings_.project && model_.rows > 0) keep_closed(shown);
        make_frame(shown, frame, events);
        ++frame_;
        return Made::frame;
      }
      if (!first && until < Clock::time_point::max() && Clock::now() > until) return Made::not_yet;
      log_contacts(events);
      over_ = state_.t >= end_ - 1e-12 * settings_.duration;
      if (!over_ && !take_step()) {
        over_ = true;
        // what was reached is shown
        if (state_.t <= shown_time_) return Made::over;
        make_frame(state_, frame, events);
        return Made::frame;
      }
    }
    return Made::over;
  }

  // False: it went wrong; the state before it is kept.
  bool take_step() {
    check_interrupt();
    begin_step();
    bool is_pushed = false;
    try {
      is_pushed = obey();
      advance();
    } catch (...) {
      take_back();
      throw;
    }
    if (is_pushed) audit_.push();
    if (scratch_.failed || !step_failure_.empty() || !is_finite(state_)) {
      fail();
      return false;
    }
    put_on_paths(model_, state_);
    take_penalty(state_.t - before_.t);
    unlogged_ = state_.t - before_.t;
    if (touched()) audit_.touch();
    if (scratch_.formulas) sum_contact_forces(unlogged_);
    if (scratch_.formulas && !scratch_.formulas->set->forces.empty()) {
      update_poses(model_, state_.q.data(), shown_);
      update_velocities(model_, state_.v.data(), shown_);
      read_signals(model_, state_.t, state_.q.data(), state_.v.data(), shown_, *scratch_.formulas);
      measure_work(model_, shown_, unlogged_, *scratch_.formulas);
      work_before_ = work_;
      work_ = std::accumulate(scratch_.formulas->done.begin(), scratch_.formulas->done.end(), 0.0);
    }
    const auto over = [&](const Push& p) { return p.until < before_.t; };  // frames may go back
    std::erase_if(scratch_.pushes, over);
    if (aside_) std::erase_if(aside_->pushes, over);
    return true;
  }

  void check(const Command<double>& command) const {
    const std::string trouble = command_trouble(model_, command);
    if (!trouble.empty()) throw InputError(trouble);
  }

  // What a step changes is kept while it lasts, into memory that is there.
  void begin_step() {
    std::swap(kept_.before, before_);
    before_ = state_;
    kept_.steps = summary_.steps;
    kept_.next_step = next_step_;
    kept_.is_told = is_told_;
    molejo::begin_step(scratch_);
    if (events_) molejo::begin_step(*events_);
    if (controller_) kept_.command = command_;
    if (controller_ || is_told_) kept_.obeyed = obeyed_;
  }

  // As if it had not begun.
  void take_back() {
    state_ = before_;
    std::swap(kept_.before, before_);
    summary_.steps = kept_.steps;
    next_step_ = kept_.next_step;
    is_told_ = kept_.is_told;
    molejo::take_back(model_, state_, scratch_);
    if (events_) molejo::take_back(*events_);
    if (controller_) command_ = kept_.command;
    if (controller_ || is_told_) obeyed_ = kept_.obeyed;
  }

  // What is told acts in the step that begins. True: that is something new.
  bool obey() {
    if (controller_) {
      controller_(state_, command_);
      check(command_);
      is_told_ = true;
    }
    if (!std::exchange(is_told_, false)) return false;
    obeyed_ = command_;  // into memory that is there
    return acting(model_, obeyed_).any();
  }

  // Did anything push another in the last step?
  bool touched() const {
    const auto pushes = [](const Contact& c) { return !(c.impulse == Vec3{}); };
    const auto any = [&](const std::vector<Contact>& list) {
      return std::any_of(list.begin(), list.end(), pushes);
    };
    return (scratch_.contact && any(scratch_.contact->contacts.list)) ||
           (events_ && any(events_->impacts)) || any(pushes_);
  }

  // On each body, over the last step.
  void sum_contact_forces(double h) {
    std::vector<Vec3>& sum = scratch_.formulas->contact_force;
    std::fill(sum.begin(), sum.end(), Vec3{});
    const auto add = [&](const std::vector<Contact>& list) {
      for (const Contact& c : list) {
        sum[static_cast<std::size_t>(c.body_a)] += c.impulse / h;
        sum[static_cast<std::size_t>(c.body_b)] -= c.impulse / h;
      }
    };
    if (scratch_.contact) add(scratch_.contact->contacts.list);
    if (scratch_.penalty) add(pushes_);
  }

  // One step, of the fixed size or as large as the error allows, not beyond the end.
  void advance() {
    if (events_) {
      advance_by_events();
    } else if (settings_.integrator == Integrator::rkf45) {
      const double left = end_ - state_.t;
      account(
          closed_adaptive_step(model_, settings_, std::min(next_step_, left), state_, scratch_));
    } else {
      const double next = next_time();
      const double target = next > end_ - 1e-9 * settings_.time_step ? end_ : next;
      account(closed_step(model_, settings_, settings_.integrator, target - state_.t, state_,
                          scratch_));
      state_.t = target;
    }
    ++summary_.steps;
    if (model_.rows > 0 && is_finite(state_)) {
      update_poses(model_, state_.q.data(), scratch_.tree.dynamics.kinematics);
      const double error = closure_error(model_, scratch_.tree.dynamics.kinematics, scratch_.loops);
      const int row = most_open_row(scratch_.loops);
      audit_.add_closure(scratch_.loops.rows[static_cast<std::size_t>(row)], scratch_.loops.unit,
                         loop_of_row(model_, row));
      summary_.constraint_error = std::max(summary_.constraint_error, error);
    }
  }

  // Times are multiples of the step, not sums.
  double next_time() const {
    return begin_ + static_cast<double>(summary_.steps + 1) * settings_.time_step;
  }

  void advance_by_events() {
    const double left = end_ - state_.t;
    const double proposed =
        settings_.integrator == Integrator::rkf45 ? next_step_ : settings_.time_step;
    const EventStep report =
        event_step(model_, settings_, std::min(proposed, left), state_, scratch_, *events_);
    step_failure_ = report.failure;
    account(report);
    if (!report.impact) return;
    // a new motion begins
    ++summary_.impacts;
    next_step_ = std::min(settings_.max_step, 1e-3);
  }

  void account(const ClosedStep& report) {
    // a step cut short by the end says nothing about the next one
    if (report.taken >= next_step_ || report.rejected > 0) next_step_ = report.next;
    summary_.rejected_steps += report.rejected;
    summary_.projections += report.projections;
    if (report.singular >= 0) step_failure_ = singular_message(model_, report.singular);
  }

  // The springs of soft contacts act over the whole step as they did last.
  void take_penalty(double h) {
    if (!scratch_.penalty) return;
    const Penalty& penalty = *scratch_.penalty;
    pushes_ = penalty.contacts.list;
    for (std::size_t i = 0; i < pushes_.size(); ++i) {
      pushes_[i].impulse = pushes_[i].normal * (penalty.force[i] * h);
    }
  }

  // Of the last step, once.
  void log_contacts(std::vector<ContactEvent>& events) {
    const double h = std::exchange(unlogged_, 0.0);
    if (h == 0) return;
    if (scratch_.penalty) {
      soft_touches_.add_step(
          state_.t, h, pushes_, [](int) { return false; }, events);
    }
    if (!scratch_.contact) return;
    const ContactStep& contact = *scratch_.contact;
    if (events_) {
      log_events(h, events);
      return;
    }
    const auto still = [&](int body) {
      return !contact.contacts.moves[static_cast<std::size_t>(body)];
    };
    touches_.add_step(state_.t, h, contact.contacts.list, still, events);
    for (const Contact& c : contact.contacts.list) {
      const bool bounces = c.restitution > 0 && c.approach < -model_.contact.rest_speed;
      double& deepest = summary_.largest_penetration;
      if (!bounces) deepest = std::max(deepest, -c.gap);
    }
  }

  // Lasting contacts act over the step, impacts at its end.
  void log_events(double h, std::vector<ContactEvent>& events) {
    const auto never_still = [](int) { return false; };
    touches_.add_step(state_.t, h, scratch_.contact->contacts.list, never_still, events);
    if (!events_->impacts.empty()) touches_.add_impact(state_.t, events_->impacts, events);
  }

  // Within the last step. A fixed step is taken again, shorter: unlike a curve through its ends
  // that is right for stiff drives too.
  State state_between(const State& before, double t) {
    if (events_) return state_at(model_, events_->path, t);
    if (settings_.integrator == Integrator::rkf45) {
      return between(model_, before, state_, t, aside_ ? *aside_ : scratch_);
    }
    if (scratch_.contact) return blend(before, t);
    State state = before;
    closed_step(model_, settings_, settings_.integrator, t - before.t, state,
                aside_ ? *aside_ : scratch_);
    state.t = t;
    return state;
  }

  // Along the straight way: a step with contact cannot be taken again without its memory.
  State blend(const State& before, double t) const {
    const double s = (t - before.t) / (state_.t - before.t);
    State state{t, before.q, before.v + s * (state_.v - before.v)};
    const VecX way = difference(model_, before.q, state_.q);
    move(model_, way.data(), s, state.q.data());
    return state;
  }

  void keep_closed(State& state) {
    Kinematics<double>& k = scratch_.tree.dynamics.kinematics;
    update_poses(model_, state.q.data(), k);
    if (closure_misfit(model_, k, scratch_.loops) <= settings_.constraint_tolerance) return;
    project(model_, state, settings_.constraint_tolerance, scratch_.tree.dynamics, scratch_.loops);
    ++summary_.projections;
  }

  // Beyond 1e100 even energies overflow: as good as infinite.
  template <class Numbers>
  static bool are_usable(const Numbers& numbers) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [](double x) { return std::fabs(x) < 1e100; });
  }
  static bool is_finite(const State& state) { return are_usable(state.q) && are_usable(state.v); }

  // Names the first body that went wrong, and goes back to the last good state.
  void fail() {
    std::string body = scratch_.failed ? most_pressed_body() : "";
    if (body.empty()) body = first_lost_body();
    char time[32];
    std::snprintf(time, sizeof time, "%.6g", before_.t);
    summary_.failure = step_failure_.empty()
                           ? "the state is no longer finite after t = " + std::string(time) +
                                 " s (body '" + body + "'); try a smaller time step"
                           : step_failure_ + " after t = " + time + " s; try a smaller time step";
    take_back();
  }

  // The first whose numbers cannot be used; where all can, the fastest.
  const std::string& first_lost_body() const {
    std::size_t fastest = 0;
    double most = -1;
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      const Link& link = model_.links[i];
      const Freedoms f{link.translations, link.rotations};
      const auto v = state_.v.segment(link.v, f.count());
      if (!are_usable(state_.q.segment(link.q, f.coordinates())) || !are_usable(v)) {
        return model_.bodies[i].name;
      }
      const double speed = f.count() > 0 ? v.template lpNorm<Eigen::Infinity>() : 0;
      if (speed > most) most = speed, fastest = i;
    }
    return model_.bodies[fastest].name;
  }

  // Where a contact solve went wrong: the bodies of the first contact without a finite impulse, or
  // nothing where all have one.
  std::string most_pressed_body() const {
    const ContactStep& contact = *scratch_.contact;
    for (std::size_t n = 0; n < contact.order.size(); ++n) {
      const Vec3& impulse = contact.system.contacts[n].impulse;
      if (std::isfinite(impulse.x + impulse.y + impulse.z)) continue;
      const Contact& c = contact.contacts.list[static_cast<std::size_t>(contact.order[n])];
      return model_.bodies[static_cast<std::size_t>(c.body_a)].name + "' and '" +
             model_.bodies[static_cast<std::size_t>(c.body_b)].name;
    }
    return "";
  }

  void make_frame(const State& state, Frame& frame, std::vector<ContactEvent>& events) {
    frame = {};
    frame.state = state;
    shown_time_ = state.t;
    Kinematics<double>& k = shown_;
    update_poses(model_, state.q.data(), k);
    update_velocities(model_, state.v.data(), k);
    for (int i = 0; i < model_.body_count(); ++i) frame.X_WB.push_back(body_pose(model_, k, {i}));
    const Totals sum = totals(model_, k);
    frame.energy = {sum.kinetic + rotor_energy(model_, k, state.v), sum.gravity_potential,
                    elastic_energy(model_, k, state.q)};
    if (scratch_.penalty) frame.energy.elastic += penalty_energy(model_, k, *aside_->penalty);
    frame.momentum = sum.momentum;
    frame.angular_momentum = sum.angular_momentum;
    if (model_.rows > 0) frame.constraint_error = closure_error(model_, k, scratch_.loops);
    touches_.add_frame(state.t, events, frame.contacts);
    soft_touches_.add_frame(state.t, events, frame.contacts);
    if (scratch_.contact) frame.asleep = scratch_.contact->sleepers;
    const double passed = state_.t > before_.t ? (state.t - before_.t) / (state_.t - before_.t) : 1;
    audit_.add_frame(frame, work_before_ + passed * (work_ - work_before_));
    audit_.report(summary_.warnings);
    summary_.energy_drift = audit_.energy_drift();
    if (scratch_.formulas) {
      read_signals(model_, state.t, state.q.data(), state.v.data(), k, *scratch_.formulas);
      read_probes(*scratch_.formulas, frame.probes);
    }
  }

  std::shared_ptr<const Model> kept_model_;
  const Model& model_;
  const Settings settings_;
  State state_;
  Scratch scratch_;
  Command<double> command_, obeyed_;  // from the next step on, and in the last one
  bool is_told_ = false;              // they may differ
  Controller controller_;
  Kinematics<double> shown_;  // of frames
  double begin_, end_;
  const std::int64_t last_frame_;
  std::int64_t frame_ = 0;  // the next one
  double shown_time_ = 0;   // of the last one
  bool over_ = false;
  State before_;         // the start of the last step
  double unlogged_ = 0;  // seconds of the last step, until its touches are told
  // while a step lasts, what was there before it
  struct Kept {
    explicit Kept(const Model& model) : command(model), obeyed(model) {}
    State before;
    std::int64_t steps = 0;
    double next_step = 0;
    bool is_told = false;
    Command<double> command, obeyed;
  };
  Kept kept_;
  // of frames too, where soft contacts remember: what is asked leaves no trace in the steps
  std::unique_ptr<Scratch> aside_;
  TouchLog touches_, soft_touches_;
  std::vector<Contact> pushes_;     // of soft contacts in the last step
  std::unique_ptr<Events> events_;  // when contact is event-driven
  std::string step_failure_;
  double next_step_ = 0;
  Audit audit_;
  // of formula forces, up to the start and the end of the last step
  double work_before_ = 0, work_ = 0;
  Summary summary_;
};

Run::Run(std::shared_ptr<const Model> model, const State& start, const Settings& settings,
         std::shared_ptr<const FormulaSet> formulas)
    : stepper_(std::make_unique<Stepper>(std::move(model), start, settings, std::move(formulas))) {}
Run::Run(Model model, const State& start, const Settings& settings,
         std::shared_ptr<const FormulaSet> formulas)
    : Run(std::make_shared<const Model>(std::move(model)), start, settings, std::move(formulas)) {}
Run::Run(Built built, const Settings& settings)
    : Run(std::move(built.model), built.initial, settings, std::move(built.formulas)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
bool Run::next_frame(Frame& frame, std::vector<ContactEvent>& events) {
  return stepper_->next_frame(frame, events, Clock::time_point::max()) == Made::frame;
}
Run::Made Run::next_frame(Frame& frame, std::vector<ContactEvent>& events,
                          Clock::time_point until) {
  return stepper_->next_frame(frame, events, until);
}
const State& Run::state() const { return stepper_->state(); }
const Settings& Run::settings() const { return stepper_->settings(); }
const Summary& Run::summary() const { return stepper_->summary(); }
void Run::set_formulas(std::shared_ptr<const FormulaSet> formulas) {
  stepper_->set_formulas(std::move(formulas));
}
bool Run::set_variable(const std::string& name, double value) {
  return stepper_->set_variable(name, value);
}
void Run::add_push(const Push& push) { stepper_->add_push(push); }
void Run::hold(const std::optional<Push>& push) { stepper_->hold(push); }
void Run::set_command(const Command<double>& command) { stepper_->set_command(command); }
const Command<double>& Run::command() const { return stepper_->command(); }
void Run::set_controller(Controller controller) { stepper_->set_controller(std::move(controller)); }
std::uint64_t Run::fingerprint() const { return stepper_->fingerprint(); }
void Run::save(SnapshotWriter& a) const { Stepper::visit(a, *stepper_); }
void Run::restore(SnapshotReader& a) { Stepper::visit(a, *stepper_); }

namespace {

// What only the whole recording tells.
void sum_up(const State& end, double wall, Recording& recording) {
  Summary& s = recording.summary;
  const std::vector<Frame>& frames = recording.frames;
  const auto count = static_cast<double>(frames.size());
  s.duration = end.t - frames.front().state.t;
  s.frames = static_cast<std::int64_t>(frames.size());
  s.energy_initial = frames.front().energy.total();
  s.energy_final = frames.back().energy.total();
  double mean = 0;
  for (const Frame& f : frames) {
    mean += f.energy.total() / count;
    s.momentum_drift = std::max(s.momentum_drift, norm(f.momentum - frames.front().momentum));
    s.angular_momentum_drift = std::max(s.angular_momentum_drift,
                                        norm(f.angular_momentum - frames.front().angular_momentum));
    s.constraint_error = std::max(s.constraint_error, f.constraint_error);
  }
  double variance = 0;
  for (const Frame& f : frames)
    variance += (f.energy.total() - mean) * (f.energy.total() - mean) / count;
  s.energy_deviation = std::sqrt(variance);
  s.wall_seconds = wall;
  s.steps_per_second = wall > 0 ? static_cast<double>(s.steps) / wall : 0;
  s.hash = hash(end);
}

}  // namespace

Recording simulate(const Built& built, const Settings& settings, const Progress& progress) {
  Run run(lent(built.model), built.initial, settings, built.formulas);
  return record(run, built.formulas.get(), progress);
}

Recording record(Run& run, const FormulaSet* formulas, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Recording recording;
  if (formulas) recording.probes = recorded_probes(*formulas);
  const std::size_t budget = run.settings().budget.recording;
  std::size_t bytes = 0;
  std::string ended;
  try {
    Frame frame;
    while (run.next_frame(frame, recording.contacts)) {
      bytes += bytes_of(frame);
      recording.frames.push_back(std::move(frame));
      if (bytes + recording.contacts.size() * sizeof(ContactEvent) > budget) {
        ended = "the " + std::to_string(budget >> 20) + " MB of memory for the recording are full";
        break;
      }
      const bool first = recording.frames.size() == 1;
      if (progress && !first && !progress(recording.frames.back(), run.summary().steps)) break;
    }
  } catch (const Interrupted& e) {
    if (recording.frames.empty()) throw;
    ended = e.what();
  }
  recording.summary = run.summary();
  if (recording.frames.empty()) throw InputError(recording.summary.failure);
  if (!ended.empty()) {
    char time[32];
    std::snprintf(time, sizeof time, " at t = %.6g s", run.state().t);
    recording.summary.failure = ended + time;
  }
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sum_up(run.state(), wall, recording);
  return recording;
}

}  // namespace molejo
