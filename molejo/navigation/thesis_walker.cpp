#include "molejo/navigation/thesis_walker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"
#include "molejo/model/error.h"
#include "molejo/motion/blend.h"

namespace molejo::navigation {

namespace {

using namespace thesis;

// Adds the time it lives to a number, if there is one.
class Stopwatch {
 public:
  explicit Stopwatch(double* sum) : sum_(sum) {
    if (sum_) start_ = std::chrono::steady_clock::now();
  }
  ~Stopwatch() {
    if (!sum_) return;
    *sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* sum_;
  std::chrono::steady_clock::time_point start_;
};

std::unique_ptr<LegSolver> solver_for(const Rig& rig, const ThesisOptions& options) {
  int links = 0;
  for (const Leg& leg : rig.legs) links += static_cast<int>(leg.chain.size()) - 1;
  if (options.newton) return make_newton_solver(links);
  DescentSettings settings;
  if (options.growth_limit) settings.growth_limit = 10;
  return make_descent_solver(links, settings);
}

BaseMotionOptions base_options(const ThesisOptions& options, bool idle) {
  return {.support_factor = options.support_factor,
          .rule = options.left_foot_decides ? SupportRule::left_foot : SupportRule::slower_foot,
          .idle = idle};
}

LegWeights weights_for(const Rig& rig, const ThesisOptions& options) {
  LegWeights weights = thesis_weights(2 * rig.legs[0].length);
  weights.original = options.keep_original;
  weights.previous = options.keep_previous;
  return weights;
}

class WalkerOfThesis : public ThesisWalker {
 public:
  WalkerOfThesis(std::shared_ptr<const WalkClips> clips, const Ground& ground,
                 const WalkerStart& start, const ThesisOptions& options);

  void advance(double dt, const Steering& steering) override;
  const Rig& rig() const override { return clips_->rig; }
  double scale() const override { return scale_; }
  const SkeletonPose& pose() const override { return pose_; }
  Affine placement() const override { return X_WM_; }
  std::span<const Affine> model_transforms() const override { return X_; }
  std::span<const FootState> feet() const override { return feet_; }
  bool plan_of_foot(int leg, std::span<Vec3> points) const override;
  Vec3 position() const override { return {hip_.x, hip_.y, ground_height_}; }
  double heading() const override { return heading_; }
  const SkeletonPose& unadapted() const override { return unadapted_; }
  Affine unadapted_placement() const override { return unadapted_X_WM_; }
  bool blocked() const override { return walk_.stopped() && clip_is_active(0); }
  void take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) override;
  void measure(WalkCost* cost) override { cost_ = cost; }
  void save(SnapshotWriter& a) const override { visit(a, *this); }
  void restore(SnapshotReader& a) override {
    visit(a, *this);
    motion::model_transforms(rig().skeleton, pose_, {}, X_);
  }

  void set_options(const ThesisOptions& options) override;
  DebugCurves debug_curves() const override;
  const AdaptedClip& walk() const override { return walk_; }
  const AdaptedClip& idle() const override { return idle_; }
  double idle_weight() const override { return weight_of(1); }
  void watch(std::function<void(ThesisStage)> observer) override {
    observer_ = std::move(observer);
  }

 private:
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, WalkerOfThesis>& w) {
    a.part("walker");
    visit_kind(a, WalkerKind::thesis);
    AdaptedClip::visit(a, w.walk_);
    AdaptedClip::visit(a, w.idle_);
    a.within(w.current_, 0, 1, "clip");
    a.within(w.next_, -1, 1, "clip");
    for (const int which : {w.current_, w.next_}) {
      a.require(which < 0 || !w.clip(which).targets().empty(), "curves of the clip");
    }
    a(w.fade_, w.hip_, w.heading_, w.turn_, w.ground_height_, w.pose_, w.unadapted_, w.X_WM_,
      w.unadapted_X_WM_, w.feet_, w.taken_, w.taken_place_, w.taken_hip_, w.taken_for_,
      w.taken_left_);
  }
  AdaptedClip& clip(int which) { return which == 0 ? walk_ : idle_; }
  const AdaptedClip& clip(int which) const { return which == 0 ? walk_ : idle_; }
  bool clip_is_active(int which) const { return which == current_ || which == next_; }
  double weight_of(int which) const {
    if (next_ < 0) return which == current_ ? 1 : 0;
    return which == next_ ? fade_ : 1 - fade_;
  }
  void tell(ThesisStage stage) const {
    if (observer_) observer_(stage);
  }
  double* cost_of(double WalkCost::*part) const { return cost_ ? &(cost_->*part) : nullptr; }
  Stand stand() const { return {hip_, heading_, turn_, ground_height_, scale_}; }

  void choose_clips(bool walk);
  void fade(double dt);
  void find_ground();
  void place();
  void sample();
  void blend_taken();
  void find_feet();

  std::shared_ptr<const WalkClips> clips_;
  const Ground& ground_;
  ThesisOptions options_;
  double scale_;
  AdaptedClip walk_, idle_;
  std::unique_ptr<LegSolver> solver_;
  ClipCursor walk_cursor_, idle_cursor_;

  int current_ = 1, next_ = -1;  // 0: walk, 1: idle
  double fade_ = 0;              // from current_ to next_
  Vec3 hip_;
  double heading_ = 0, turn_ = 0, ground_height_ = 0;

  SkeletonPose pose_, unadapted_, other_, other_unadapted_;
  Affine X_WM_, unadapted_X_WM_;
  std::vector<Affine> X_;
  std::vector<FootState> feet_;

  SkeletonPose taken_;  // what was taken over, and how long it still shows
  Transform taken_place_;
  Vec3 taken_hip_;
  double taken_for_ = 0, taken_left_ = 0;

  WalkCost* cost_ = nullptr;
  std::function<void(ThesisStage)> observer_;
};

WalkerOfThesis::WalkerOfThesis(std::shared_ptr<const WalkClips> clips, const Ground& ground,
                               const WalkerStart& start, const ThesisOptions& options)
    : clips_(std::move(clips)),
      ground_(ground),
      options_(options),
      scale_(start.scale),
      walk_(clips_->rig, clips_->walk.clip, clips_->walk.footfalls, ground, scale_,
            ClipKind::walking, base_options(options, false), weights_for(clips_->rig, options)),
      idle_(clips_->rig, clips_->idle.clip, clips_->idle.footfalls, ground, scale_, ClipKind::idle,
            base_options(options, true), weights_for(clips_->rig, options)),
      solver_(solver_for(clips_->rig, options)),
      walk_cursor_(clips_->walk.sampler.cursor()),
      idle_cursor_(clips_->idle.sampler.cursor()),
      hip_{start.x, start.y, 0},
      heading_(start.heading),
      pose_(clips_->rig.skeleton),
      unadapted_(pose_),
      other_(pose_),
      other_unadapted_(pose_),
      X_(at(clips_->rig.skeleton.size())),
      feet_(clips_->rig.legs.size()),
      taken_(pose_) {
  find_ground();
  hip_.z = ground_height_ + idle_.base().hip(0).z;
  advance(0, {.walk = false});
}

void WalkerOfThesis::choose_clips(bool walk) {
  const int wanted = walk ? 0 : 1;
  if (next_ < 0 && wanted != current_) {
    next_ = wanted;
    fade_ = 0;
    clip(next_).start();
  } else if (next_ >= 0 && wanted == current_) {
    std::swap(current_, next_);
    fade_ = 1 - fade_;
  }
}

void WalkerOfThesis::fade(double dt) {
  if (next_ < 0) return;
  fade_ = options_.fade > 0 ? fade_ + dt / options_.fade : 1;
  if (fade_ < 1) return;
  clip(current_).restore();
  current_ = next_;
  next_ = -1;
  fade_ = 0;
}

void WalkerOfThesis::find_ground() {
  if (const std::optional<GroundPoint> g = ground_.at(hip_.x, hip_.y)) ground_height_ = g->height;
}

void WalkerOfThesis::advance(double dt, const Steering& steering) {
  // what is no time or no turn is none; more than a day is a day
  const auto number = [](double x, double least, double most) {
    return std::isfinite(x) ? std::clamp(x, least, most) : 0;
  };
  dt = number(dt, 0, 86400);
  const double dt_clip = dt * number(steering.rate, 0, 1000);
  turn_ = number(steering.turn, -1000, 1000);

  tell(ThesisStage::times);
  choose_clips(steering.walk);
  for (const int which : {0, 1}) {
    if (clip_is_active(which)) clip(which).advance_time(dt_clip);
  }
  tell(ThesisStage::heading);
  heading_ += dt_clip * turn_;
  tell(ThesisStage::activation);
  fade(dt);
  {
    const Stopwatch watch(cost_of(&WalkCost::trajectories));
    tell(ThesisStage::curves);
    const CurveOptions curves{options_.stride_correction, options_.correction_by_descent,
                              options_.stride_validation, options_.step_limit};
    for (const int which : {0, 1}) {
      if (clip_is_active(which)) clip(which).update_curves(stand(), curves);
    }
    tell(ThesisStage::place);
    place();
  }
  {
    const Stopwatch watch(cost_of(&WalkCost::inverse_kinematics));
    tell(ThesisStage::angles);
    LegSolver* solver = options_.inverse_kinematics ? solver_.get() : nullptr;
    for (const int which : {0, 1}) {
      if (clip_is_active(which)) clip(which).update_angles(stand(), solver);
    }
  }
  {
    const Stopwatch watch(cost_of(&WalkCost::sampling));
    tell(ThesisStage::sampling);
    sample();
  }
  {
    const Stopwatch watch(cost_of(&WalkCost::matrices));
    taken_left_ = std::max(0.0, taken_left_ - dt);
    if (taken_left_ > 0) blend_taken();
    motion::model_transforms(rig().skeleton, pose_, {}, X_);
    find_feet();
  }
  if (cost_) ++cost_->frames;
}

// The hips where their curve has them; of two clips in the middle, or by weight.
void WalkerOfThesis::place() {
  if (next_ < 0) {
    hip_ = clip(current_).hip_target();
  } else {
    const double w = options_.weighted_hips ? fade_ : 0.5;
    const Vec3 from = clip(current_).hip_target(), to = clip(next_).hip_target();
    hip_ = from + (to - from) * w;
    clip(current_).shift(hip_ - from);
    clip(next_).shift(hip_ - to);
  }
  find_ground();
}

void WalkerOfThesis::sample() {
  const auto show = [&](int which, SkeletonPose& original, SkeletonPose& adapted) {
    const ClipSampler& sampler = which == 0 ? clips_->walk.sampler : clips_->idle.sampler;
    ClipCursor& cursor = which == 0 ? walk_cursor_ : idle_cursor_;
    sampler.sample(sampler.start() + clip(which).time(), cursor, original);
    adapted = original;
    clip(which).overlay(adapted);
  };
  show(current_, unadapted_, pose_);
  if (next_ >= 0) {
    show(next_, other_unadapted_, other_);
    blend(unadapted_, other_unadapted_, fade_, unadapted_);
    blend(pose_, other_, fade_, pose_);
  }
  // both stand with their hips at the same place on the ground
  const auto hip_of = [&](const SkeletonPose& p) {
    motion::model_transforms(rig().skeleton, p, {}, rig().path, X_);
    return X_[at(rig().hips)].origin;
  };
  X_WM_ = navigation::placement(rig().bearing(), {}, heading_, scale_);
  unadapted_X_WM_ = X_WM_;
  unadapted_X_WM_.origin = hip_ - X_WM_.linear * hip_of(unadapted_);
  unadapted_X_WM_.origin.z = ground_height_ - scale_ * clips_->walk.footfalls.floor;
  X_WM_.origin = hip_ - X_WM_.linear * hip_of(pose_);
}

void WalkerOfThesis::blend_taken() {
  const double x = taken_left_ / taken_for_, w = x * x * (3 - 2 * x);  // of what was taken
  blend(pose_, taken_, w, pose_);
  const Transform own = decomposed(X_WM_);
  motion::model_transforms(rig().skeleton, pose_, {}, rig().path, X_);
  const Quat turn = slerp(own.rotation, taken_place_.rotation, w);
  X_WM_.linear = affine({{}, turn, own.scale}).linear;
  X_WM_.origin = hip_ + (taken_hip_ - hip_) * w - X_WM_.linear * X_[at(rig().hips)].origin;
}

void WalkerOfThesis::find_feet() {
  const AdaptedClip& shown = clip(next_ >= 0 && fade_ > 0.5 ? next_ : current_);
  for (int leg = 0; leg < 2; ++leg) {
    const Leg& own = rig().legs[at(leg)];
    const Affine foot = X_WM_ * X_[at(own.foot())];
    // heel and toe as the clip has them; a stopped walk stands on both, an idle on feet that are
    // low
    const BaseMotion& base = shown.base();
    const double raised = base.ankle(leg, 0).z - std::min(base.ankle(0, 0).z, base.ankle(1, 0).z);
    const bool idles = shown.kind() == ClipKind::idle;
    bool heel = idles ? raised < 0.05 * base.leg_length() : shown.stopped(), toe = heel;
    double since = 0;
    const double phase = shown.time() / shown.frames().duration();
    const Stance* stance =
        idles || shown.stopped() ? nullptr : clips_->walk.footfalls.stance_at(leg, phase, &since);
    if (stance) {
      const double p = stance->on + since;
      heel = p >= stance->heel_on && p < stance->heel_off;
      toe = p >= stance->toe_on && p < stance->toe_off;
    }
    feet_[at(leg)] = {.heel_down = heel,
                      .toe_down = toe,
                      .target = shown.ankle_target(leg),
                      .ankle = foot.origin,
                      .heel = foot * own.sole.heel,
                      .toe = foot * own.sole.toe};
  }
}

bool WalkerOfThesis::plan_of_foot(int leg, std::span<Vec3> points) const {
  const FootState& foot = feet_[at(leg)];
  const AdaptedClip& shown = clip(next_ >= 0 ? next_ : current_);
  const LinearCurve& way = shown.targets().ankle(leg);
  const double now = shown.reproduction_time();
  if (foot.heel_down || foot.toe_down || way.empty() || way.last_time() <= now) return false;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double ahead = static_cast<double>(k) / static_cast<double>(points.size() - 1);
    points[k] = way.held(now + (way.last_time() - now) * ahead);
  }
  return true;
}

void WalkerOfThesis::take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) {
  if (pose.joints() != rig().skeleton.size()) {
    throw InputError(fmt::format("a pose of {} joints for a skeleton of {}", pose.joints(),
                                 rig().skeleton.size()));
  }
  taken_ = pose;
  taken_place_ = decomposed(X_WM);
  motion::model_transforms(rig().skeleton, pose, {}, rig().path, X_);
  taken_hip_ = X_WM * X_[at(rig().hips)].origin;
  const Vec3 front = X_WM.linear * rig().bearing().front;
  if (front.x * front.x + front.y * front.y > 0.01 * dot(front, front)) {
    heading_ = arc_tangent(front.y, front.x);
  }
  hip_ = taken_hip_;
  find_ground();
  walk_.restore();
  idle_.start();
  current_ = 1, next_ = -1, fade_ = 0;
  taken_for_ = taken_left_ = std::isfinite(seconds) ? std::max(0.0, seconds) : 0;
  advance(0, {.walk = false});
}

void WalkerOfThesis::set_options(const ThesisOptions& options) {
  const bool other =
      options.newton != options_.newton || options.growth_limit != options_.growth_limit;
  options_ = options;
  if (other) solver_ = solver_for(rig(), options);
}

DebugCurves WalkerOfThesis::debug_curves() const {
  const TargetCurves& targets = clip(next_ >= 0 ? next_ : current_).targets();
  DebugCurves curves;
  for (int leg = 0; leg < 2; ++leg) {
    curves.ankle_target[at(leg)] = targets.ankle(leg);
    curves.ankle_real[at(leg)] = targets.ankle_history(leg);
  }
  curves.hip_target = targets.hip();
  curves.hip_real = targets.hip_history();
  return curves;
}

}  // namespace

const char* to_string(ThesisStage stage) {
  switch (stage) {
    case ThesisStage::times:
      return "times";
    case ThesisStage::heading:
      return "heading";
    case ThesisStage::activation:
      return "activation";
    case ThesisStage::curves:
      return "curves";
    case ThesisStage::place:
      return "place";
    case ThesisStage::angles:
      return "angles";
    case ThesisStage::sampling:
      return "sampling";
  }
  return "";
}

std::unique_ptr<ThesisWalker> make_thesis_walker(std::shared_ptr<const WalkClips> clips,
                                                 const Ground& ground, const WalkerStart& start,
                                                 const ThesisOptions& options) {
  check_rig(clips->rig, start.scale);
  for (const double x : {start.x, start.y, start.heading}) {
    if (std::isfinite(x)) continue;
    throw InputError(fmt::format("a walker cannot start at x {}, y {}, heading {}", start.x,
                                 start.y, start.heading));
  }
  if (!(options.support_factor > 0) || !(options.fade >= 0) || !(options.step_limit > 0)) {
    throw InputError(
        fmt::format("support factor {}, fade {}, step limit {}: expected numbers above 0 (a fade "
                    "may be 0)",
                    options.support_factor, options.fade, options.step_limit));
  }
  if (!(options.keep_original >= 0) || !(options.keep_previous >= 0)) {
    throw InputError(fmt::format("weights {} and {} of the angles: expected numbers from 0 on",
                                 options.keep_original, options.keep_previous));
  }
  check_clip(clips->rig, clips->walk.clip, ClipKind::walking);
  check_clip(clips->rig, clips->idle.clip, ClipKind::idle);
  return std::make_unique<WalkerOfThesis>(std::move(clips), ground, start, options);
}

}  // namespace molejo::navigation
