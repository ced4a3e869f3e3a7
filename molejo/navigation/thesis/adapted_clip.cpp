#include "molejo/navigation/thesis/adapted_clip.h"

#include <algorithm>

#include "molejo/math/index.h"

namespace molejo::navigation::thesis {

namespace {

constexpr long longest_skip = 5;      // frames
constexpr double longest_time = 1e6;  // s: beyond, times of curves lose their digits

}  // namespace

AdaptedClip::AdaptedClip(const Rig& rig, const Clip& clip, const Footfalls& footfalls,
                         const Ground& ground, double scale, ClipKind kind,
                         const BaseMotionOptions& options, const LegWeights& weights)
    : rig_(rig),
      kind_(kind),
      frames_(rig, clip),
      base_(rig, clip, frames_, footfalls, scale, options),
      targets_(base_, ground),
      kinematics_(rig, frames_),
      angles_(static_cast<int>(rig.path.size()), 32),
      weights_(weights) {
  X_.resize(at(rig.skeleton.size()));
  kinematics_.pose({}, frames_.rotations(0), X_);
  hip_model_ = X_[at(rig.hips)].origin;
  first_.push_back(0);
  for (const Leg& leg : rig.legs) {
    for (const int j : leg.chain) {
      if (j == leg.foot()) continue;
      slots_.push_back(frames_.slot(j));
      links_.push_back({frames_.fixed().translation(j), {}, frames_.fixed().scale(j)});
    }
    first_.push_back(static_cast<int>(slots_.size()));
    ends_.push_back(frames_.fixed().translation(leg.foot()));
  }
  bases_.resize(2), goals_.resize(2);
  for (std::vector<double>* v : {&original_, &previous_, &angle_}) v->resize(slots_.size());
  turns_.resize(rig.path.size());
  edited_.resize(at(frames_.frames()) * rig.path.size());
  start();
}

double AdaptedClip::reproduction_time() const {
  return frames_.duration() * static_cast<double>(rounds_) + time_;
}

void AdaptedClip::start() {
  time_ = before_ = 0;
  rounds_ = 0;
  frame_ = 0;
  restore();
}

void AdaptedClip::restore() {
  done_ = never;
  stopped_ = false;
  targets_.restart();
  angles_.clear();
  for (int f = 0; f < frames_.frames(); ++f) write(f, frames_.rotations(f));
}

void AdaptedClip::advance_time(double dt) {
  before_ = reproduction_time();
  time_ += dt;
  const double rounds = std::floor(time_ / frames_.duration());
  rounds_ += static_cast<long>(rounds);
  time_ = std::clamp(time_ - rounds * frames_.duration(), 0.0, frames_.duration());
  frame_ = rounds_ * frames_.frames() + frames_.frame_at(time_);
  if (reproduction_time() > longest_time) count_anew();
}

// The same place in the clip, rounds from zero on. Curves and angles are made again.
void AdaptedClip::count_anew() {
  rounds_ = 0;
  frame_ = frames_.frame_at(time_);
  before_ = time_;
  done_ = never;
  angles_.clear();
  if (!stopped_) targets_.restart();  // the next update makes new ones; who stopped stays
}

Affine AdaptedClip::X_WM(const Vec3& hip, double heading, double scale) const {
  Affine X = placement(rig_.bearing(), {}, heading, scale);
  X.origin = hip - X.linear * hip_model_;
  return X;
}

// Frames that were jumped over keep what the last solved one differs from its original by, less and
// less; after a long jump none of it is left.
void AdaptedClip::fill_skipped() {
  const long gap = frame_ - done_;
  if (done_ == never || gap > longest_skip || gap < 0 || angles_.empty()) {
    angles_.clear();
    angles_.record(base_.time(frame_), frames_.rotations(frames_.wrapped(frame_)));
    return;
  }
  const long solved = done_ + 1;
  for (long f = solved; f <= frame_; ++f) {
    if (!angles_.at(base_.time(f)).empty()) continue;
    const std::span<const AxisAngle> last = angles_.at(base_.time(solved));
    const std::span<const AxisAngle> from = frames_.rotations(frames_.wrapped(solved));
    const std::span<const AxisAngle> to = frames_.rotations(frames_.wrapped(f));
    const double weight = std::max(0.0, 1 - static_cast<double>(f - solved) / 4);
    for (std::size_t s = 0; s < turns_.size(); ++s) {
      turns_[s] = to[s];
      if (!last.empty()) turns_[s].angle += weight * (last[s].angle - from[s].angle);
    }
    angles_.record(base_.time(f), turns_);
  }
}

std::array<Vec3, 2> AdaptedClip::real_ankles(long frame, const Vec3& hip, const Stand& stand) {
  kinematics_.pose(X_WM(hip, stand.heading, stand.scale), angles_, base_.time(frame), X_);
  return {X_[at(rig_.legs[0].foot())].origin, X_[at(rig_.legs[1].foot())].origin};
}

void AdaptedClip::record_past(const Stand& stand) {
  for (long f = done_ + 1; f <= frame_; ++f) {
    const Vec3 hip = targets_.hip().held(base_.time(f));
    targets_.record(base_.time(f), real_ankles(f, hip, stand), hip);
  }
  targets_.forget_before(base_.time(frame_) - 2 * frames_.duration());
  angles_.forget_before(base_.time(frame_) - 6 * frames_.mean_step());
}

void AdaptedClip::update_curves(const Stand& stand, const CurveOptions& options) {
  if (!new_frame()) return;
  if (kind_ == ClipKind::idle) return stand_still(stand);
  update_walk(stand, options);
}

// Where the hips are at this frame, from where they were before the last advance.
Vec3 AdaptedClip::restarted_hip(const Stand& stand) const {
  const bool jumped = base_.time(frame_) - before_ > frames_.mean_step() * longest_skip;
  if (stopped_ || jumped) return stand.hip;
  const Vec3 d = base_.hip(frame_) - base_.hip_at(before_);
  const SinCos<double> sc = sincos(stand.heading);
  return stand.hip + Vec3{sc.cos * d.x - sc.sin * d.y, sc.sin * d.x + sc.cos * d.y, 0};
}

void AdaptedClip::update_walk(const Stand& stand, const CurveOptions& options) {
  bool restart = done_ == never || frame_ - done_ > longest_skip;
  if (stopped_) {
    // tried again when the clip passes the pose in which it stopped
    const long n = frames_.frames();
    const long next = done_ + 1 + ((frozen_ - (done_ + 1)) % n + n) % n;
    if (next > frame_) return;
    angles_.clear();
    angles_.record(base_.time(frame_), frames_.rotations(frames_.wrapped(frame_)));
    restart = true;
  } else {
    fill_skipped();
  }
  if (restart || targets_.empty()) {
    targets_.restart();
  } else {
    record_past(stand);
  }
  const Vec3 hip =
      targets_.empty() ? restarted_hip(stand) : targets_.hip().held(base_.time(frame_));
  const CurveInputs now{.frame = frame_,
                        .heading = stand.heading,
                        .hip = hip,
                        .ankles = real_ankles(frame_, hip, stand),
                        .ground = stand.ground};
  if (!targets_.generate(now, options)) return stop(now);
  if (!stopped_) return;
  stopped_ = false;
  for (int f = 0; f < frames_.frames(); ++f) write(f, frames_.rotations(f));
}

void AdaptedClip::stop(const CurveInputs& now) {
  targets_.restart();
  targets_.hold(base_.time(frame_), now.ankles, now.hip);
  if (stopped_) return;
  stopped_ = true;
  frozen_ = frames_.wrapped(frame_);
  write_all(angles_.at(base_.time(frame_)));
}

// An idle is one pose: its first. Feet stay below it, on the ground, and turn with the body.
void AdaptedClip::stand_still(const Stand& stand) {
  const double t = base_.time(frame_);
  std::span<const AxisAngle> last = frames_.rotations(0);
  if (done_ != never && !angles_.empty()) {
    const std::span<const AxisAngle> known = angles_.at(angles_.last_time());
    std::copy(known.begin(), known.end(), turns_.begin());
    last = turns_;
  }
  angles_.record(t, last);
  std::array<Vec3, 2> ankles;
  for (int leg = 0; leg < 2; ++leg) {
    const Vec3 d = base_.ankle(leg, 0) - base_.hip(0);
    const SinCos<double> sc = sincos(stand.heading);
    Vec3& p = ankles[at(leg)];
    p.x = stand.hip.x + sc.cos * d.x - sc.sin * d.y;
    p.y = stand.hip.y + sc.sin * d.x + sc.cos * d.y;
    p.z = targets_.ground_height(p.x, p.y, stand.ground) + base_.support_height(leg, 0);
  }
  const double z = targets_.hip_height(0, ankles[0].z, ankles[1].z);
  const Vec3 hip{stand.hip.x, stand.hip.y, z};
  targets_.hold(t, ankles, hip);
  targets_.record(t, real_ankles(frame_, hip, stand), hip);
  targets_.forget_before(t - 2 * frames_.duration());
  angles_.forget_before(t - 6 * frames_.mean_step());
}

Vec3 AdaptedClip::hip_target() const { return targets_.hip().held(reproduction_time()); }
Vec3 AdaptedClip::ankle_target(int leg) const {
  return targets_.ankle(leg).held(reproduction_time());
}

void AdaptedClip::update_angles(const Stand& stand, LegSolver* solver) {
  if (!new_frame()) return;
  done_ = frame_;
  const double t = base_.time(frame_);
  if (kind_ == ClipKind::idle) {
    if (solver == nullptr) {
      for (int f = 0; f < frames_.frames(); ++f) write(f, frames_.rotations(f));
      angles_.clear();
      return;
    }
    solve(0, stand, targets_.hip().held(t), stand.heading, *solver);
    angles_.record(t, turns_);
    return write_all(turns_);
  }
  if (stopped_) return;
  const double next = base_.time(frame_ + 1);
  const int current = frames_.wrapped(frame_), following = frames_.wrapped(frame_ + 1);
  if (solver == nullptr) {
    angles_.record(t, frames_.rotations(current));
    angles_.record(next, frames_.rotations(following));
    write(current, frames_.rotations(current));
    return write(following, frames_.rotations(following));
  }
  const double heading = stand.heading + stand.turn * (next - t);
  write(current, angles_.at(t));
  solve(frame_ + 1, stand, targets_.hip().held(next), heading, *solver);
  angles_.record(next, turns_);
  write(following, turns_);
}

// Angles of a frame into turns_, from those recorded last.
void AdaptedClip::solve(long frame, const Stand& stand, const Vec3& hip, double heading,
                        LegSolver& solver) {
  const std::span<const AxisAngle> wanted = frames_.rotations(frames_.wrapped(frame));
  const std::span<const AxisAngle> last = angles_.at(angles_.last_time());
  const double t = kind_ == ClipKind::idle ? base_.time(frame_) : base_.time(frame);
  std::copy(wanted.begin(), wanted.end(), turns_.begin());
  kinematics_.pose({}, turns_, X_);
  const Affine to_model = inverse(X_WM(hip, heading, stand.scale));
  for (int leg = 0; leg < 2; ++leg) {
    const int above = rig_.skeleton[rig_.legs[at(leg)].chain.front()].parent;
    bases_[at(leg)] = X_[at(above)];
    goals_[at(leg)] = to_model * targets_.ankle(leg).held(t);
  }
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const AxisAngle& to = wanted[at(slots_[k])];
    links_[k].axis = to.axis;
    original_[k] = to.angle;
    previous_[k] = angle_[k] = angle_beside(last[at(slots_[k])], to);
  }
  const LegTask task{first_, links_, bases_, ends_, goals_, original_, previous_};
  const LegSolution solution = solver.solve(task, weights_, angle_);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    if (std::isfinite(angle_[k])) turns_[at(slots_[k])].angle = angle_[k];
  }
  ++statistics_.runs;
  statistics_.unsettled += !solution.settled;
  statistics_.steps += solution.steps;
  statistics_.reach += solution.reach;
  statistics_.original += solution.original;
  statistics_.previous += solution.previous;
  statistics_.total += solution.total();
  statistics_.error += solution.reach / weights_.reach;
  statistics_.most_steps = std::max(statistics_.most_steps, solution.steps);
}

void AdaptedClip::write(int frame, std::span<const AxisAngle> turns) {
  for (std::size_t s = 0; s < turns.size(); ++s) {
    edited_[index(frame, static_cast<int>(s))] = quaternion(turns[s]);
  }
}

void AdaptedClip::write_all(std::span<const AxisAngle> turns) {
  for (int f = 0; f < frames_.frames(); ++f) write(f, turns);
}

void AdaptedClip::overlay(SkeletonPose& pose) const {
  const int f = frames_.wrapped(frame_), next = frames_.wrapped(frame_ + 1);
  const double t = base_.time(frame_), step = base_.time(frame_ + 1) - t;
  const double u = std::clamp((reproduction_time() - t) / step, 0.0, 1.0);
  for (std::size_t s = 0; s < frames_.path().size(); ++s) {
    const int slot = static_cast<int>(s);
    pose.set_rotation(frames_.path()[s], slerp(edited(f, slot), edited(next, slot), u));
  }
}

}  // namespace molejo::navigation::thesis
