#include "molejo/studio/gait_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/locomotion/push_battery.h"
#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/studio/figure_frame.h"

namespace molejo {

namespace {

constexpr double gives_up_after = 0.25, stands_up_after = 1.6;  // s on the ground
constexpr double most_way = 1e4;  // m in a (half) cycle; farther it is lost

Vec3 reflected(const Character& c, const Vec3& p) { return p - c.left * (2 * dot(p, c.left)); }

Vec3 root_position(const Character& c, const State& s) {
  const Link& root = c.model.links[at(c.root.index)];
  return {s.q[root.q], s.q[root.q + 1], s.q[root.q + 2]};
}

void shift(const Character& c, const Vec3& way, State& s) {
  const Link& root = c.model.links[at(c.root.index)];
  for (int i = 0; i < 3; ++i) s.q[root.q + i] += way[i];
}

bool is_finite(const Vec3& x) { return std::isfinite(x.x + x.y + x.z); }

const GaitFile& checked(const GaitFile& gait, const GaitProblem& problem, const std::string& file) {
  if (gait.unknowns.size() != at(problem.size())) {
    throw InputError(fmt::format("{}: /found/unknowns: {} numbers, expected {}", file,
                                 gait.unknowns.size(), problem.size()));
  }
  if (gait.feedback) check_feedback(problem, *gait.feedback, file);
  return gait;
}

}  // namespace

std::string_view to_string(GaitControl control) {
  constexpr std::string_view names[] = {"feedback", "open_loop", "reset"};
  return names[static_cast<std::size_t>(control)];
}

GaitRun::GaitRun(GaitFile gait, const std::string& file, HistoryLimits limits)
    : FrameTimeline(shown_fps, limits),
      file_(std::move(gait)),
      character_(make_character(file_.motion.scene, file_.motion.motion.figure)),
      problem_(character_, file_.motion.motion),
      nominal_(problem_.gait(checked(file_, problem_, file).unknowns.data())),
      rollout_(character_, file_.motion.motion.rollout),
      kinematics_(character_.model) {
  if (file_.feedback) {
    between_ = feedback_hook(problem_, file_.unknowns, file_.feedback->feedback);
    control_ = GaitControl::feedback;
  }
  find_correction();
  reset();
}

// What the thesis's reset adds at the end of each (half) cycle; all of them are alike.
void GaitRun::find_correction() {
  const RolloutResult r = rollout_.run(nominal_);
  State target = nominal_.mirrored ? mirrored(character_, nominal_.start) : nominal_.start;
  const Vec3 way =
      character_.forward *
      dot(root_position(character_, r.end) - root_position(character_, target), character_.forward);
  shift(character_, way, target);
  draw_q_ = difference(character_.model, r.end.q, target.q);
  draw_v_ = target.v - r.end.v;
  if (r.finite) return;
  draw_q_.setZero(), draw_v_.setZero();
}

void GaitRun::set_control(GaitControl control) {
  if (control == GaitControl::feedback && !file_.feedback) {
    throw InputError("'value': this gait has no feedback; molejo stabilise finds one");
  }
  control_ = control;
}

void GaitRun::push(const std::string& body, const Vec3& point, const Vec3& force, double seconds) {
  if (!is_finite(point) || !is_finite(force)) throw InputError("push: expected finite numbers");
  if (!(seconds > 0 && seconds <= 3600)) throw InputError("push: expected 0 to 3600 seconds");
  if (pushes_.size() >= 1000) throw InputError("push: too many at once");
  const int index = character_.model.body(body).index;
  pushes_.push_back({index, point, force, now(), now() + seconds});
}

void GaitRun::drag(const std::string& body, const Vec3& point, const Vec3& to,
                   std::optional<double> stiffness) {
  if (!is_finite(point) || !is_finite(to)) throw InputError("drag: expected finite numbers");
  if (stiffness && !(*stiffness > 0 && *stiffness <= 1e9)) {
    throw InputError("drag: expected a stiffness from 0 to 1e9 N/m");
  }
  Hold hold{character_.model.body(body), point, to};
  // the bounds of LiveRun::drag
  constexpr double hertz = 1.5;
  const double all = total_mass(character_);
  const double own = character_.model.links[at(hold.body.index)].mass / 4;
  const double h = file_.motion.motion.rollout.time_step;
  const double wanted = stiffness.value_or(all * (2 * pi * hertz) * (2 * pi * hertz));
  hold.stiffness = std::min(wanted, 0.05 * own / (h * h));
  hold.damping = std::min(0.7 * 2 * std::sqrt(hold.stiffness * all), 0.2 * own / h);
  hold_ = hold;
}

State GaitRun::simulated() const {
  State s;
  s.q = Eigen::Map<const VecX>(rollout_.q().data(), static_cast<Eigen::Index>(rollout_.q().size()));
  s.v = Eigen::Map<const VecX>(rollout_.v().data(), static_cast<Eigen::Index>(rollout_.v().size()));
  return s;
}

// The spring of the hand on the simulated side, for the coming step.
GaitPush GaitRun::pull() const {
  const Cycle& cycle = cycles_.back();
  GaitPush force{hold_->body.index, hold_->point, {}, 0, 1e9};
  Vec3 to = hold_->to - character_.forward * cycle.forward;
  if (cycle.image) {
    force.body = character_.mirror.body[at(force.body)];
    force.p = reflected(character_, force.p);
    to = reflected(character_, to);
  }
  update_poses(character_.model, rollout_.q().data(), kinematics_);
  update_velocities(character_.model, rollout_.v().data(), kinematics_);
  const Vec3 p = body_pose(character_.model, kinematics_, {force.body}) * force.p;
  const Vec3 v = point_velocity(kinematics_, {force.body}, p);
  force.force = (to - p) * hold_->stiffness - v * hold_->damping;
  return force;
}

std::vector<GaitPush> GaitRun::pushes_now() {
  if (pushes_.empty() && !hold_) return {};
  std::erase_if(pushes_, [&](const GaitPush& p) { return p.until <= now(); });
  const Cycle& cycle = cycles_.back();
  std::vector<GaitPush> list = pushes_in_cycle(character_, pushes_, cycle.time, 1e9, cycle.image);
  if (hold_) list.push_back(pull());
  return list;
}

void GaitRun::take_step() {
  Cycle& cycle = cycles_.back();
  const std::vector<GaitPush> pushes = pushes_now();
  if (!pushes.empty()) {
    cycle.pushes.emplace_back(step_, pushes);
    cycle.drawn = false;
    touched_ = true;
  }
  simulate_step(pushes);
}

void GaitRun::simulate_step(std::span<const GaitPush> pushes) {
  ++step_;
  const bool goes_on = rollout_.advance(pushes, [&](const RolloutView& view) {
    touching_.clear();
    for (std::size_t i = 0; i < view.points.size(); ++i) {
      if (view.impulses[i].z > 0) {
        touching_.emplace_back(view.points[i], view.impulses[i] * (1 / view.h));
      }
    }
  });
  if (!goes_on) end_cycle();
}

void GaitRun::begin_cycle(Cycle cycle, const State& start) {
  cycle.image = nominal_.mirrored && cycle.number % 2 == 1;
  cycle.gait = nominal_;
  cycle.gait.start = start;
  cycle.down_since = down_since_, cycle.falls = falls_, cycle.touched = touched_;
  if (cycle.limp) {
    for (GaitStep& step : cycle.gait.steps) {
      for (GaitPhase* phase : {&step.air, &step.ground}) {
        for (Pulse& pulse : phase->pulses) pulse.torque.setZero();
      }
    }
  } else if (control_ == GaitControl::feedback) {
    between_(start, cycle.number, cycle.gait);
  }
  cycle.drawn = control_ == GaitControl::reset && !touched_ && !cycle.limp;
  cycles_.push_back(std::move(cycle));
  rollout_.begin(cycles_.back().gait);
  step_ = 0;
}

void GaitRun::begin_again(double time, double forward) {
  down_since_ = -1;
  touched_ = false;
  touching_.clear();
  begin_cycle({.time = time, .forward = forward}, nominal_.start);
}

void GaitRun::end_cycle() {
  const Cycle& last = cycles_.back();
  const double time = last.time + last.gait.duration();
  const State end = simulated();
  const double way =
      dot(root_position(character_, end) - root_position(character_, last.gait.start),
          character_.forward);
  const double down = down_since_ < 0 ? 0 : time - down_since_;
  if (!is_somewhere(end) || down > stands_up_after) {
    begin_again(time, last.forward + (is_somewhere(end) ? way : 0));
    return;
  }
  Cycle next{.number = last.number + 1, .time = time, .forward = last.forward + way};
  next.limp = down > gives_up_after;
  if (next.limp && !last.limp) ++falls_;
  begin_cycle(std::move(next), last.drawn ? nominal_.start : problem_.next_start(last.gait, end));
}

bool GaitRun::is_somewhere(const State& s) const {
  return s.q.allFinite() && s.v.allFinite() &&
         norm(root_position(character_, s) - root_position(character_, nominal_.start)) < most_way;
}

Frame GaitRun::shown() const {
  const Cycle& cycle = cycles_.back();
  State state = simulated();
  const State side = state;
  if (cycle.drawn) {
    const double s = 1 - (cycle.gait.duration() - rollout_.time()) / (0.1 * cycle.gait.period());
    if (s > 0) {
      const double smooth = s * s * (3 - 2 * s);
      move(character_.model, draw_q_.data(), smooth, state.q.data());
      state.v += draw_v_ * smooth;
    }
  }
  if (cycle.image) state = mirrored(character_, state);
  const Vec3 way = character_.forward * cycle.forward;
  shift(character_, way, state);
  state.t = now();
  Frame frame = figure_frame(character_.model, state, kinematics_);
  // points where the simulated side touches, on the side that is shown
  update_poses(character_.model, side.q.data(), kinematics_);
  for (const auto& [p, force] : touching_) {
    const BodyMotion<double>& body = kinematics_.bodies[at(p.body)];
    const Vec3 point = body.p + body.R * p.p - character_.up * p.radius;
    TouchPoint touch;
    touch.a = {cycle.image ? character_.mirror.body[at(p.body)] : p.body};
    touch.b = world_body;
    touch.point = (cycle.image ? reflected(character_, point) : point) + way;
    touch.normal = character_.up;
    touch.force = cycle.image ? reflected(character_, force) : force;
    frame.contacts.push_back(touch);
  }
  return frame;
}

void GaitRun::branch() {
  history_.forget_later();
  go_back_to(time());
}

void GaitRun::reset() {
  cycles_.clear();
  pushes_.clear();
  hold_.reset();
  falls_ = 0, made_ = 0;
  begin_anew();
}

bool GaitRun::make(Frame& frame) {
  if (cycles_.empty()) {
    begin_again(0, 0);
    frame = shown();
    return true;
  }
  const double due = static_cast<double>(++made_) / shown_fps;
  const double half_step = 0.5 * file_.motion.motion.rollout.time_step;
  while (now() + half_step < due) take_step();
  const State state = simulated();
  if (!is_somewhere(state)) {
    begin_again(now(), cycles_.back().forward);
  } else if (!has_fallen(character_, state)) {
    down_since_ = -1;
  } else if (down_since_ < 0) {
    down_since_ = now();
  }
  while (cycles_.size() > 1 && cycles_[1].time < begin()) cycles_.pop_front();
  frame = shown();
  return true;
}

void GaitRun::go_back_to(double t) {
  while (cycles_.size() > 1 && cycles_.back().time > t + 1e-9) cycles_.pop_back();
  Cycle& cycle = cycles_.back();
  falls_ = cycle.falls, down_since_ = cycle.down_since, touched_ = cycle.touched;
  std::deque<std::pair<int, std::vector<GaitPush>>> done = std::move(cycle.pushes);
  cycle.pushes.clear();
  rollout_.begin(cycle.gait);
  step_ = 0;
  pushes_.clear();
  hold_.reset();
  while (now() < t - 1e-9) {
    std::vector<GaitPush> pushes;
    if (!done.empty() && done.front().first == step_) {
      pushes = std::move(done.front().second);
      done.pop_front();
      touched_ = true;
      cycle.pushes.emplace_back(step_, pushes);
    }
    simulate_step(pushes);
  }
  made_ = std::llround(t * shown_fps);
}

}  // namespace molejo
