#include "molejo/navigation/adaptive_walker.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <ctime>

#include "molejo/motion/blend.h"
#include "molejo/navigation/foot_path.h"

namespace molejo::navigation {

namespace {

std::size_t index(int j) { return static_cast<std::size_t>(j); }

double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Adds what time passes to a sum, when somebody wants to know.
class Stopwatch {
 public:
  Stopwatch(WalkCost* cost, double WalkCost::*part) : cost_(cost), part_(part) {
    if (cost_) start_ = now();
  }
  ~Stopwatch() {
    if (cost_) cost_->*part_ += now() - start_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  WalkCost* cost_;
  double WalkCost::*part_;
  double start_ = 0;
};

Vec3 ahead(double heading) {
  const SinCos<double> turn = sincos(heading);
  return {turn.cos, turn.sin, 0};
}
Vec3 turned_about_up(const Vec3& v, double heading) {
  const Vec3 x = ahead(heading);
  return {x.x * v.x - x.y * v.y, x.y * v.x + x.x * v.y, v.z};
}

double towards(double from, double to, double step) {
  return from < to ? std::min(to, from + step) : std::max(to, from - step);
}

// 0 below zero, nearly e far above, smooth between.
double onset(double e, double width) {
  if (e <= 0) return 0;
  return e < width ? e * e / (2 * width) : e - 0.5 * width;
}

// What this walker is tuned to; lengths in leg lengths.
constexpr double longest_step = 0.05;  // s: longer frames are parted
constexpr double search_reach = 0.22;  // of a foothold, before and behind
constexpr double even_enough = 0.018;  // unevenness under a sole that needs no search
constexpr double replan_distance = 0.035, replan_turn = 0.06;
constexpr double last_plan = 0.7;         // part of a swing after which its goal stays
constexpr double release_distance = 0.6;  // of a standing foot from where the clip has it
constexpr double reach_part =
    0.985;                         // of a leg, that it may be stretched to, if its clip does less
constexpr double low_part = 0.6;   // of the way from the mean height of the feet to the lowest
constexpr double most_rise = 0.8;  // rad, of a heel over its toe, more than in the clip
constexpr double highest_step = 0.42;                    // between neighbouring places on the way
constexpr double idle_moved = 0.08, idle_turned = 0.35;  // before a foot is set anew
constexpr double idle_step = 0.38;                       // s

}  // namespace

class AdaptiveWalker final : public Walker {
 public:
  AdaptiveWalker(std::shared_ptr<const WalkClips> clips, const Ground& ground,
                 const WalkerStart& start, const AdaptiveOptions& options)
      : clips_(std::move(clips)),
        rig_(clips_->rig),
        ground_(ground),
        options_(options),
        scale_(start.scale),
        leg_length_(rig_.leg_length * start.scale),
        p_{start.x, start.y, 0},
        heading_(start.heading),
        walk_cursor_(clips_->walk.sampler.cursor()),
        idle_cursor_(clips_->idle.sampler.cursor()),
        walk_pose_(rig_.skeleton),
        clip_pose_(rig_.skeleton),
        pose_(rig_.skeleton),
        taken_pose_(rig_.skeleton),
        X_(index(rig_.skeleton.size())),
        Q_(index(rig_.skeleton.size())),
        legs_(rig_.legs.size()),
        feet_(rig_.legs.size()) {
    for (LegState& leg : legs_) leg.path.scale = scale_;
    p_.z = ground_height(p_).value_or(0);
    stand_still();
    show(0);
  }

  void advance(double dt, const Steering& steering) override {
    if (!(dt >= 0)) dt = 0;
    const int parts = std::clamp(static_cast<int>(std::ceil(dt / longest_step)), 1, 40);
    const double h = std::min(dt / parts, longest_step);
    for (int k = 0; k + 1 < parts; ++k) go(h, steering);
    go(h, steering);
    show(h);
    if (cost_) ++cost_->frames;
  }

  const Rig& rig() const override { return rig_; }
  double scale() const override { return scale_; }
  const SkeletonPose& pose() const override { return pose_; }
  Affine placement() const override { return X_WM_; }
  std::span<const Affine> model_transforms() const override { return X_; }
  std::span<const FootState> feet() const override { return feet_; }
  Vec3 position() const override { return p_; }
  double heading() const override { return heading_; }
  const SkeletonPose& unadapted() const override { return clip_pose_; }
  Affine unadapted_placement() const override {
    return navigation::placement(rig_.bearing(),
                                 {p_.x, p_.y, ground_height(p_).value_or(p_.z) - floor() * scale_},
                                 heading_, scale_);
  }
  bool blocked() const override { return blocked_; }
  void measure(WalkCost* cost) override { cost_ = cost; }

  void take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) override;

 private:
  struct LegState {
    FootPath path;
    Print print;         // that it stands on, or leaves
    Print next;          // that it goes to
    double left_at = 0;  // phase at which the swing began
    Vec3 wanted;         // middle of the print that the plan was made for
    double wanted_heading = 0;
    double shift = 0, followed = 0;  // of the foothold, and how much of it the body has followed
    double rise = 0;                 // of the heel over the toe, more than in the clip, rad
    Vec3 rise_axis;
    bool unsettled = false;  // idle: it does not stand as it shall
    FootPose shown;
  };

  const ReadyClip& walk() const { return clips_->walk; }
  const ReadyClip& idle() const { return clips_->idle; }
  // The clip that the feet follow, and its phase.
  const ReadyClip& source() const { return walking_ ? walk() : idle(); }
  double source_phase() const { return walking_ ? phase_ : idle_phase_; }
  FootPose clip_foot(int leg) const { return source().feet.at(leg, source_phase()); }
  double floor() const {
    const double w = smooth(weight_);
    return idle().footfalls.floor + (walk().footfalls.floor - idle().footfalls.floor) * w;
  }
  // Metres per phase of walking, against those of the clip.
  double speed_part() const { return smooth(weight_) * pace_; }

  std::optional<double> ground_height(const Vec3& p) const {
    const auto here = ground_.at(p.x, p.y);
    return here ? std::optional(here->height) : std::nullopt;
  }

  void go(double dt, const Steering& steering);
  bool passable() const;
  void start_walking();
  void stop_walking();
  void stand_still();
  void move_body(double dt, const Steering& steering);
  void step_walking(int leg);
  void step_idle(double dt);
  void plan(int leg, const Vec3& middle, double heading, const Print& print);
  void clear_swing(int leg);
  struct Goal {
    Vec3 middle;
    double heading;
  };
  Goal walking_goal(const Print& print) const;
  Goal idle_goal(const Print& print) const;
  Foothold foothold(int leg, const Goal& goal, const Print& print) const;

  void show(double dt);
  void sample(double dt);
  void place_feet();
  void place_hips();
  void raise_heels();
  void lower_hips();
  void solve_legs();
  double clip_extension(int leg) const;
  void refresh_path();
  void blend_taken(double dt);
  void tell_feet();

  std::shared_ptr<const WalkClips> clips_;
  const Rig& rig_;
  const Ground& ground_;
  const AdaptiveOptions options_;
  const double scale_, leg_length_;

  Vec3 p_;  // where the model's origin is over the ground; z: height of that ground
  double heading_, turn_ = 0;
  bool walking_ = false, blocked_ = false;
  double weight_ = 0;  // of the walk against the idle
  double phase_ = 0, idle_phase_ = 0, phase_rate_ = 0;
  double pace_ = 1, haste_ = 1;  // stride and rate against the clip's
  double slope_ = 0;             // along the heading, smoothed
  ClipCursor walk_cursor_, idle_cursor_;
  SkeletonPose walk_pose_, clip_pose_, pose_, taken_pose_;
  double taken_ = 0, taken_for_ = 0;  // s of the blend from a taken pose
  std::vector<Affine> X_;
  std::vector<Quat> Q_;
  Affine X_WM_;
  std::vector<LegState> legs_;
  std::vector<FootState> feet_;
  WalkCost* cost_ = nullptr;
};

void AdaptiveWalker::go(double dt, const Steering& steering) {
  const Stopwatch watch(cost_, &WalkCost::trajectories);
  const bool free = !steering.walk || !options_.stride_validation || passable();
  blocked_ = !free;
  const bool walks = steering.walk && free && steering.rate > 0;
  if (walks && !walking_) start_walking();
  weight_ = towards(weight_, walks ? 1 : 0, options_.fade > 0 ? dt / options_.fade : 1);
  if (walking_ && weight_ == 0 && !walks) stop_walking();
  move_body(dt, steering);
  if (walking_) {
    for (int leg = 0; leg < static_cast<int>(legs_.size()); ++leg) step_walking(leg);
  } else {
    step_idle(dt);
  }
}

// Is there ground on the way ahead, as far as it takes to stop, without a wall or a drop?
bool AdaptiveWalker::passable() const {
  constexpr int samples = 8;
  const double speed = walk().footfalls.speed() * scale_;
  const double brake = 0.5 * speed * options_.fade * smooth(weight_);
  const double distance = 0.75 * leg_length_ + brake;
  const Vec3 x = ahead(heading_);
  std::optional<double> before = ground_height(p_);
  if (!before) before = p_.z;
  for (int k = 1; k <= samples; ++k) {
    const auto height = ground_height(p_ + x * (distance * k / samples));
    if (!height || std::abs(*height - *before) > highest_step * leg_length_) return false;
    before = height;
  }
  return true;
}

// Begins with the lift-off of one leg, while most others stand flat. A leg that is in the air goes
// on with its own swing.
void AdaptiveWalker::start_walking() {
  double best = -1, start = 0;
  for (int leg = 0; leg < static_cast<int>(legs_.size()); ++leg) {
    const Print print = walk().feet.print_at(leg, 0.0);
    const double lift_off = print.off + 1e-6;
    double score = legs_[index(leg)].path.swings ? 10 : 0;
    for (int other = 0; other < static_cast<int>(legs_.size()); ++other) {
      const Print p = walk().feet.print_at(other, lift_off);
      const bool flat = p.heel_on <= lift_off && lift_off < p.heel_off && p.toe_on <= lift_off &&
                        lift_off < p.toe_off;
      score += other != leg && flat ? 1 : 0;
    }
    if (score > best) best = score, start = lift_off;
  }
  for (int leg = 0; leg < static_cast<int>(legs_.size()); ++leg) {
    legs_[index(leg)].shown = legs_[index(leg)].path.at(clip_foot(leg));
  }
  walking_ = true;
  phase_ = start;
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    LegState& leg = legs_[index(i)];
    const FootPose clip = clip_foot(i);
    leg.path.stand(map_onto(clip, leg.shown, heading_, scale_));
    leg.print = walk().feet.print_at(i, phase_);
    leg.unsettled = false;
    if (leg.print.on <= phase_) continue;
    // it swings: what it leaves is where it is
    leg.next = leg.print;
    leg.path.begin(clip.p);
    leg.left_at = phase_;
    leg.shift = leg.followed = 0;
    const Goal goal = walking_goal(leg.next);
    plan(i, goal.middle, goal.heading, leg.next);
  }
}

void AdaptiveWalker::stop_walking() {
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    legs_[index(i)].shown = legs_[index(i)].path.at(clip_foot(i));
  }
  walking_ = false;
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    LegState& leg = legs_[index(i)];
    leg.path.stand(map_onto(clip_foot(i), leg.shown, heading_, scale_));
    leg.print = idle().feet.print_at(i, 0.0);
    leg.unsettled = true;
  }
}

void AdaptiveWalker::stand_still() {
  walking_ = false;
  weight_ = 0;
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    LegState& leg = legs_[index(i)];
    leg.print = idle().feet.print_at(i, 0.0);
    const Goal goal = idle_goal(leg.print);
    leg.path.stand(map_onto(leg.print, foothold(i, goal, leg.print)));
    leg.wanted = goal.middle, leg.wanted_heading = goal.heading;
    leg.unsettled = false;
  }
}

void AdaptiveWalker::move_body(double dt, const Steering& steering) {
  const double rate = std::clamp(steering.rate, 0.0, 10.0);
  turn_ = steering.turn * rate;
  idle_phase_ += dt / idle().footfalls.duration;
  double haste = 1, uneven = 0;
  for (const LegState& leg : legs_) {
    if (leg.path.swings) {
      uneven = std::max(uneven, std::abs(leg.path.to.height - leg.path.from.height) / leg_length_);
    }
  }
  // steps up and down take longer, slopes shorter strides
  haste = 1 / (1 + 1.5 * uneven);
  haste_ += (haste - haste_) * (1 - std::exp(-8 * dt));
  // slopes where it is, and a step ahead
  const Vec3 x = ahead(heading_);
  const auto height = [&](double part) {
    return ground_height(p_ + x * (part * leg_length_)).value_or(p_.z);
  };
  const double behind = height(-0.4), before = height(0.4), far = height(1.2);
  const double here = std::clamp((before - behind) / (0.8 * leg_length_), -1.0, 1.0);
  const double next_slope = std::clamp((far - before) / (0.8 * leg_length_), -1.0, 1.0);
  slope_ += (here - slope_) * (1 - std::exp(-5 * dt));
  const double steepest = std::max({std::abs(here), std::abs(next_slope), std::abs(slope_)});
  const double pace = 1 / (1 + 5 * steepest * steepest);
  pace_ += (pace - pace_) * (1 - std::exp(-4 * dt));

  const double middle = heading_ + 0.5 * turn_ * dt;
  heading_ += turn_ * dt;
  if (walking_) {
    phase_rate_ = rate * haste_ / walk().footfalls.duration;
    const double next = phase_ + phase_rate_ * dt;
    const Vec3 way = walk().footfalls.way_at(next) - walk().footfalls.way_at(phase_);
    p_ = p_ + turned_about_up(way, middle) * (scale_ * speed_part());
    phase_ = next;
    // the body goes along with feet that were set elsewhere
    for (LegState& leg : legs_) {
      if (!leg.path.swings) continue;
      const double follow = 0.5 * leg.shift * smooth(leg.path.s);
      p_ = p_ + x * (follow - leg.followed);
      leg.followed = follow;
    }
  }
  p_.z = ground_height(p_).value_or(p_.z);
}

// Where the body will be when the foot stands below it, and how it will look then.
AdaptiveWalker::Goal AdaptiveWalker::walking_goal(const Print& print) const {
  const Footfalls& falls = walk().footfalls;
  const double when = print.on + 0.4 * (print.off - print.on);
  const double time = phase_rate_ > 0 ? std::max(0.0, (when - phase_) / phase_rate_) : 0;
  const double turn = std::clamp(turn_ * time, -1.2, 1.2);
  const Vec3 way = falls.way_at(when) - falls.way_at(phase_);
  const Vec3 body = p_ + turned_about_up(way, heading_ + 0.5 * turn) * (scale_ * speed_part());
  const Vec3 seen = (print.heel + print.toe) * 0.5 - falls.way_at(when);
  Goal goal;
  // a shorter stride brings feet nearer to the body, before and behind it
  goal.middle = body + turned_about_up(seen, heading_ + turn) * scale_;
  const Vec3 along = print.toe - print.heel;
  goal.heading = heading_ + turn + std::atan2(along.y, along.x);
  return goal;
}

AdaptiveWalker::Goal AdaptiveWalker::idle_goal(const Print& print) const {
  const Vec3 along = print.toe - print.heel;
  return {p_ + turned_about_up((print.heel + print.toe) * 0.5, heading_) * scale_,
          heading_ + std::atan2(along.y, along.x)};
}

Foothold AdaptiveWalker::foothold(int leg, const Goal& goal, const Print& print) const {
  const FootTracks& feet = source().feet;
  const SoleSize size{feet.sole_length(leg) * scale_, 0.35 * feet.sole_length(leg) * scale_};
  const Vec3 along = ahead(goal.heading);
  if (size.length > 1e-9 * leg_length_) {
    const auto found = find_foothold(ground_, goal.middle, along, ahead(heading_), size,
                                     search_reach * leg_length_, even_enough * leg_length_);
    if (found) return *found;
  }
  // one point, or no ground: level
  Foothold level{goal.middle, goal.middle, {0, 0, 1}};
  const auto here = ground_.at(goal.middle.x, goal.middle.y);
  level.heel = goal.middle - along * (0.5 * size.length);
  level.toe = goal.middle + along * (0.5 * size.length);
  level.heel.z = level.toe.z = here ? here->height : p_.z;
  (void)print;
  return level;
}

void AdaptiveWalker::plan(int i, const Vec3& middle, double heading, const Print& print) {
  LegState& leg = legs_[index(i)];
  leg.wanted = middle, leg.wanted_heading = heading;
  const Foothold hold = foothold(i, {middle, heading}, print);
  leg.shift = hold.shift;
  leg.path.aim(map_onto(print, hold), clip_foot(i));
  if (options_.stride_correction) clear_swing(i);
}

// Heights that heel and toe need over the ground on their way.
void AdaptiveWalker::clear_swing(int i) {
  LegState& leg = legs_[index(i)];
  const FootTracks& feet = source().feet;
  const Sole& sole = feet.sole(i);
  std::array<double, FootPath::knots> needed{};
  // half the way between two knots: what stands there counts for both
  const Vec3 way = leg.path.to.to - leg.path.from.to;
  const Vec3 half = Vec3{way.x, way.y, 0} * (0.6 / (FootPath::knots + 1));
  for (int k = 0; k < FootPath::knots; ++k) {
    const double part = (k + 1.0) / (FootPath::knots + 1);
    const double phase = walking_ ? leg.left_at + (leg.next.on - leg.left_at) * part : idle_phase_;
    const FootPose clip = feet.at(i, phase);
    const FootPose foot = leg.path.sketch(clip, part);
    const Mat3 R = matrix(foot.q);
    const double margin = std::min(0.03 * leg_length_, scale_ * feet.clearance(i, phase));
    for (const Vec3& point : {sole.heel, sole.toe}) {
      const Vec3 p = foot.p + R * (point * scale_);
      for (const double side : {-1.0, 0.0, 1.0}) {
        const auto height = ground_height(p + half * side);
        if (!height) continue;
        double& need = needed[index(k)];
        need = std::max(need, *height + margin - p.z);
      }
    }
  }
  leg.path.clear(needed, clip_foot(i));
}

void AdaptiveWalker::step_walking(int i) {
  LegState& leg = legs_[index(i)];
  for (int events = 0; events < 4; ++events) {
    if (!leg.path.swings) {
      const FootPose clip = clip_foot(i);
      const Vec3 nominal =
          p_ + turned_about_up((clip.p - walk().footfalls.way_at(phase_)), heading_) * scale_;
      const Vec3 is = leg.path.at(clip).p;
      const double strayed = std::hypot(nominal.x - is.x, nominal.y - is.y);
      if (phase_ < leg.print.off && strayed < release_distance * leg_length_) break;
      const Print next = walk().feet.print_after(i, leg.print);
      leg.path.begin(phase_ < leg.print.off ? clip.p : leg.print.toe);
      // what the heel has risen goes with it
      leg.path.from.tilted = normalized(exp_quat(leg.rise_axis * leg.rise) * leg.path.from.tilted);
      leg.rise = 0;
      leg.next = next;
      leg.left_at = phase_ < leg.print.off ? phase_ : leg.print.off;
      leg.shift = leg.followed = 0;
      const Goal goal = walking_goal(next);
      plan(i, goal.middle, goal.heading, next);
    }
    leg.path.s = std::clamp((phase_ - leg.left_at) / (leg.next.on - leg.left_at), 0.0, 1.0);
    if (phase_ < leg.next.on) {
      if (leg.path.s < last_plan) {
        const Goal goal = walking_goal(leg.next);
        const Vec3 wanted = goal.middle - ahead(heading_) * leg.followed;
        const Vec3 off = wanted - leg.wanted;
        if (std::hypot(off.x, off.y) > replan_distance * leg_length_ ||
            std::abs(goal.heading - leg.wanted_heading) > replan_turn) {
          plan(i, wanted, goal.heading, leg.next);
        }
      }
      break;
    }
    leg.path.land();
    leg.print = leg.next;
  }
}

// Feet stand; one after the other is set anew when the body has turned or moved too far for it.
void AdaptiveWalker::step_idle(double dt) {
  int worst = -1;
  double most = 1;
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    LegState& leg = legs_[index(i)];
    if (leg.path.swings) {
      leg.path.s += dt / idle_step;
      if (leg.path.s >= 1) leg.path.land();
      return;
    }
    const Goal goal = idle_goal(leg.print);
    const Vec3 off = goal.middle - leg.wanted;
    const double moved = std::hypot(off.x, off.y) / (idle_moved * leg_length_);
    const double turned = std::abs(goal.heading - leg.wanted_heading) / idle_turned;
    const double need = leg.unsettled ? 1e3 : std::max(moved, turned);
    if (need > most) most = need, worst = i;
  }
  if (worst < 0) return;
  LegState& leg = legs_[index(worst)];
  leg.unsettled = false;
  leg.path.begin(clip_foot(worst).p);
  const Goal goal = idle_goal(leg.print);
  plan(worst, goal.middle, goal.heading, leg.print);
  // a foot that only settles stays down; one that goes elsewhere is lifted
  const double distance =
      norm(leg.path.to.to - leg.path.sketch(clip_foot(worst), 0).p) / leg_length_;
  (void)distance;
}

void AdaptiveWalker::show(double dt) {
  sample(dt);
  {
    const Stopwatch watch(cost_, &WalkCost::trajectories);
    place_feet();
  }
  {
    const Stopwatch watch(cost_, &WalkCost::inverse_kinematics);
    place_hips();
    if (options_.inverse_kinematics) {
      raise_heels();
      lower_hips();
      solve_legs();
    }
  }
  blend_taken(dt);
  {
    const Stopwatch watch(cost_, &WalkCost::matrices);
    motion::model_transforms(rig_.skeleton, pose_, {}, X_);
  }
  tell_feet();
}

void AdaptiveWalker::sample(double) {
  const Stopwatch watch(cost_, &WalkCost::sampling);
  const auto time = [](const ReadyClip& clip, double phase) {
    return clip.sampler.start() + (phase - std::floor(phase)) * clip.sampler.duration();
  };
  const double w = smooth(weight_);
  if (w < 1) idle().sampler.sample(time(idle(), idle_phase_), idle_cursor_, clip_pose_);
  if (w > 0) walk().sampler.sample(time(walk(), phase_), walk_cursor_, walk_pose_);
  if (w >= 1) {
    clip_pose_ = walk_pose_;
  } else if (w > 0) {
    blend(clip_pose_, walk_pose_, w, clip_pose_);
  }
  pose_ = clip_pose_;
}

void AdaptiveWalker::place_feet() {
  const FootTracks& feet = source().feet;
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    LegState& leg = legs_[index(i)];
    leg.shown = leg.path.at(clip_foot(i));
    if (!leg.path.swings || !options_.stride_correction) continue;
    // never into the ground
    const Mat3 R = matrix(leg.shown.q);
    double below = 0;
    for (const Vec3& point : {feet.sole(i).heel, feet.sole(i).toe}) {
      const Vec3 p = leg.shown.p + R * (point * scale_);
      if (const auto height = ground_height(p)) below = std::max(below, *height - p.z);
    }
    leg.shown.p.z += below;
  }
}

void AdaptiveWalker::refresh_path() {
  motion::model_transforms(rig_.skeleton, pose_, {}, rig_.path, X_);
  for (const int j : rig_.path) {
    const int parent = rig_.skeleton[j].parent;
    Q_[index(j)] =
        parent < 0 ? pose_.rotation(j) : normalized(Q_[index(parent)] * pose_.rotation(j));
  }
}

// As high as the ground under its feet, and leaning into slopes.
void AdaptiveWalker::place_hips() {
  // nearer to the lower feet than to the higher ones
  const auto count = static_cast<double>(legs_.size());
  double base = 0, spread = 0;
  for (const LegState& leg : legs_) base += leg.path.height() / count;
  for (const LegState& leg : legs_) {
    const double off = leg.path.height() - base;
    spread += off * off / count;
  }
  const double soft = 0.02 * leg_length_;
  base -= low_part * (std::sqrt(spread + soft * soft) - soft);
  const double lean = slope_ > 0 ? 0.25 * slope_ : 0.15 * slope_;
  const int parent = rig_.skeleton[rig_.hips].parent;
  refresh_path();
  if (lean != 0 && options_.inverse_kinematics) {
    const Quat Q_parent = parent < 0 ? Quat{} : Q_[index(parent)];
    const Quat turn = exp_quat(rig_.bearing().left * lean);
    pose_.set_rotation(
        rig_.hips, normalized(conjugate(Q_parent) * turn * Q_parent * pose_.rotation(rig_.hips)));
    refresh_path();
  }
  X_WM_ = navigation::placement(rig_.bearing(), {p_.x, p_.y, base - floor() * scale_}, heading_,
                                scale_);
}

double AdaptiveWalker::clip_extension(int leg) const {
  const std::vector<int>& chain = rig_.legs[index(leg)].chain;
  return norm(X_[index(chain.back())].origin - X_[index(chain.front())].origin) * scale_;
}

// Who stands behind the body rolls over the toe instead of being stretched.
void AdaptiveWalker::raise_heels() {
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    LegState& leg = legs_[index(i)];
    leg.rise = 0;
    if (leg.path.swings || !walking_) continue;
    const double whole = rig_.legs[index(i)].length * scale_;
    const double longest = std::max(clip_extension(i) + 0.003 * whole, 0.97 * whole);
    const Vec3 hip = X_WM_ * X_[index(rig_.legs[index(i)].chain.front())].origin;
    const Mat3 R = matrix(leg.shown.q);
    const Sole& sole = source().feet.sole(i);
    const Vec3 toe = leg.shown.p + R * (sole.toe * scale_);
    const Vec3 heel = leg.shown.p + R * (sole.heel * scale_);
    const Vec3 along = toe - heel, from_toe = leg.shown.p - toe;
    const Vec3 across = cross(Vec3{0, 0, 1}, along);
    if (!(norm(across) > 0)) continue;
    const Vec3 axis = normalized(across);
    // more, the farther the foot is behind
    const double behind = dot(hip - leg.shown.p, cross(axis, Vec3{0, 0, 1}));
    const double part = smooth(behind / (0.3 * whole));
    for (int step = 0; step < 3; ++step) {
      const Vec3 ankle = toe + matrix(exp_quat(axis * leg.rise)) * from_toe;
      const Vec3 way = ankle - hip;
      const double distance = norm(way);
      const double slope = -dot(way, cross(axis, ankle - toe)) / distance;
      const double excess = part * onset(distance - longest, 0.02 * whole);
      leg.rise = std::clamp(leg.rise + excess / std::max(slope, 0.08 * whole), 0.0, most_rise);
    }
    const Quat turn = exp_quat(axis * leg.rise);
    leg.shown = {normalized(turn * leg.shown.q), toe + matrix(turn) * from_toe};
    leg.rise_axis = axis;
  }
}

// As low as legs need to reach their feet.
void AdaptiveWalker::lower_hips() {
  double lowered = 0;
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    const Leg& leg = rig_.legs[index(i)];
    const Vec3 hip = X_WM_ * X_[index(leg.chain.front())].origin;
    const Vec3 ankle = legs_[index(i)].shown.p;
    const double whole = leg.length * scale_;
    const double longest =
        std::min(0.998 * whole, std::max(1.01 * clip_extension(i), reach_part * whole));
    const double away = std::min(std::hypot(hip.x - ankle.x, hip.y - ankle.y), 0.98 * longest);
    const double highest = ankle.z + std::sqrt(longest * longest - away * away);
    const double excess = onset(hip.z - highest + 0.005 * whole, 0.01 * whole);
    lowered += excess * excess;
  }
  X_WM_.origin.z -= std::sqrt(lowered);
}

void AdaptiveWalker::solve_legs() {
  const Bearing& b = rig_.bearing();
  const Affine X_MW = inverse(X_WM_);
  // from ground axes, turned by the heading, to those of the model
  const Quat to_model =
      conjugate(quaternion(Mat3{b.front, b.left, b.up})) * exp_quat(Vec3{0, 0, -heading_});
  for (int i = 0; i < static_cast<int>(legs_.size()); ++i) {
    const LegState& leg = legs_[index(i)];
    reach(rig_, i, clips_->hinges[index(i)], X_MW * leg.shown.p, normalized(to_model * leg.shown.q),
          {}, pose_, X_, Q_);
  }
}

void AdaptiveWalker::blend_taken(double dt) {
  if (taken_ >= taken_for_) return;
  taken_ += dt;
  // the taken pose hangs in the world where it was
  blend(taken_pose_, pose_, smooth(taken_ / taken_for_), pose_);
}

void AdaptiveWalker::tell_feet() {
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    const LegState& leg = legs_[i];
    const Affine X_WF = X_WM_ * X_[index(rig_.legs[i].foot())];
    FootState& foot = feet_[i];
    const bool stands = !leg.path.swings && taken_ >= taken_for_;
    foot.heel_down = foot.toe_down = stands && !leg.unsettled;
    if (walking_) {
      foot.heel_down =
          stands && phase_ >= leg.print.heel_on && phase_ < leg.print.heel_off && leg.rise < 1e-3;
      foot.toe_down = stands && phase_ >= leg.print.toe_on && phase_ < leg.print.toe_off;
    }
    foot.target = leg.shown.p;
    foot.ankle = X_WF.origin;
    foot.heel = X_WF * rig_.legs[i].sole.heel;
    foot.toe = X_WF * rig_.legs[i].sole.toe;
  }
}

void AdaptiveWalker::take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) {
  motion::model_transforms(rig_.skeleton, pose, {}, X_);
  const Affine hips = X_WM * X_[index(rig_.hips)];
  // it looks where its hips do, as far as that can be told along the ground
  const std::vector<Affine> reference = motion::model_transforms(rig_.skeleton, rig_.reference);
  const Vec3 front_in_hips = inverse(reference[index(rig_.hips)]).linear * rig_.bearing().front;
  const Vec3 up_in_hips = inverse(reference[index(rig_.hips)]).linear * rig_.bearing().up;
  Vec3 front = hips.linear * front_in_hips;
  const Vec3 up = hips.linear * up_in_hips;
  // lying on the back it looks to where its head is not, on the belly to where it is
  if (std::hypot(front.x, front.y) < 0.5 * norm(front)) front = front.z > 0 ? -up : up;
  if (std::hypot(front.x, front.y) > 0) heading_ = std::atan2(front.y, front.x);
  p_ = {hips.origin.x, hips.origin.y, 0};
  p_.z = ground_height(p_).value_or(hips.origin.z);
  slope_ = 0;
  stand_still();
  taken_pose_ = pose;
  taken_ = taken_for_ = 0;
  show(0);
  // the same pose, seen from where the walker now stands
  const Affine moved = inverse(X_WM_) * X_WM;
  for (int j = 0; j < rig_.skeleton.size(); ++j) {
    if (rig_.skeleton[j].parent < 0) taken_pose_.set(j, decomposed(moved * affine(pose[j])));
  }
  taken_for_ = std::max(0.0, seconds);
  blend_taken(0);
  motion::model_transforms(rig_.skeleton, pose_, {}, X_);
  tell_feet();
}

std::unique_ptr<Walker> make_adaptive_walker(std::shared_ptr<const WalkClips> clips,
                                             const Ground& ground, const WalkerStart& start,
                                             const AdaptiveOptions& options) {
  return std::make_unique<AdaptiveWalker>(std::move(clips), ground, start, options);
}

}  // namespace molejo::navigation
