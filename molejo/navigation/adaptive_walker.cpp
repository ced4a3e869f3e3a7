#include "molejo/navigation/adaptive_walker.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "molejo/math/index.h"
#include "molejo/motion/blend.h"
#include "molejo/navigation/footwork.h"

namespace molejo::navigation {

namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Adds what time passes to a sum, when somebody wants to know.
class CpuStopwatch {
 public:
  CpuStopwatch(WalkCost* cost, double WalkCost::*part) : cost_(cost), part_(part) {
    if (cost_) start_ = cpu_seconds();
  }
  ~CpuStopwatch() {
    if (cost_) cost_->*part_ += cpu_seconds() - start_;
  }
  CpuStopwatch(const CpuStopwatch&) = delete;
  CpuStopwatch& operator=(const CpuStopwatch&) = delete;

 private:
  WalkCost* cost_;
  double WalkCost::*part_;
  double start_ = 0;
};

// 0 below zero, nearly e far above, smooth between.
double onset(double e, double width) {
  if (e <= 0) return 0;
  return e < width ? e * e / (2 * width) : e - 0.5 * width;
}

// What it is tuned to; lengths in leg lengths.
constexpr double longest_step = 0.05;  // s: longer frames are parted
constexpr double stretch = 0.985;      // that a leg is stretched to, if its clip does less
constexpr double roll_at = 0.97;       // that a foot behind the body rolls at, instead
constexpr double most_roll = 0.8;      // rad, over the toe, more than in the clip
constexpr double most_pitch = 1.1;     // rad, of a foot that rolls
constexpr double faster = 1.12;        // than in the clip at its fastest, that joints may turn

}  // namespace

class AdaptiveWalker final : public Walker {
 public:
  AdaptiveWalker(std::shared_ptr<const WalkClips> clips, const Ground& ground,
                 const WalkerStart& start, const AdaptiveOptions& options)
      : clips_(std::move(clips)),
        rig_(clips_->rig),
        options_(options),
        scale_(start.scale),
        footwork_(*clips_, ground, start, options),
        before_(footwork_),
        walk_cursor_(clips_->walk.sampler.cursor()),
        idle_cursor_(clips_->idle.sampler.cursor()),
        walk_pose_(rig_.skeleton),
        clip_pose_(rig_.skeleton),
        pose_(rig_.skeleton),
        taken_pose_(rig_.skeleton),
        X_(at(rig_.skeleton.size())),
        Q_(at(rig_.skeleton.size())),
        shown_(rig_.legs.size()),
        feet_(rig_.legs.size()) {
    for (const Leg& leg : rig_.legs) last_.emplace_back(leg.chain.size());
    show();
    finish();
  }

  void advance(double dt, const Steering& steering) override;
  void take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) override;

  const Rig& rig() const override { return rig_; }
  double scale() const override { return scale_; }
  const SkeletonPose& pose() const override { return pose_; }
  Affine placement() const override { return X_WM_; }
  std::span<const Affine> model_transforms() const override { return X_; }
  std::span<const FootState> feet() const override { return feet_; }
  bool plan_of_foot(int leg, std::span<Vec3> points) const override;
  Vec3 position() const override { return footwork_.position(); }
  double heading() const override { return footwork_.heading(); }
  const SkeletonPose& unadapted() const override { return clip_pose_; }
  Affine unadapted_placement() const override { return standing_at(position().z); }
  bool blocked() const override { return footwork_.blocked(); }
  bool walks() const override { return footwork_.weight() > 0.5; }
  double phase() const override {
    return footwork_.walk_phase() - std::floor(footwork_.walk_phase());
  }
  void measure(WalkCost* cost) override { cost_ = cost; }
  void save(SnapshotWriter& a) const override { visit(a, *this); }
  void restore(SnapshotReader& a) override {
    visit(a, *this);
    motion::model_transforms(rig_.skeleton, pose_, {}, X_);
  }

 private:
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, AdaptiveWalker>& w) {
    a.part("walker");
    visit_kind(a, WalkerKind::adaptive);
    Footwork::visit(a, w.footwork_);
    a(w.clip_pose_, w.pose_, w.taken_pose_, w.taken_, w.taken_for_, w.X_WM_, w.shown_, w.last_,
      w.feet_);
  }
  // X_WM with the floor of the clips at a height.
  Affine standing_at(double height) const {
    const Vec3 p = position();
    return navigation::placement(rig_.bearing(), {p.x, p.y, height - footwork_.floor() * scale_},
                                 heading(), scale_);
  }
  void show();
  void finish();
  void sample();
  void refresh_path();
  void place_hips();
  void roll_feet();
  void lower_hips();
  void solve_legs();
  double clip_extension(int leg) const;
  double haste(double dt) const;
  void remember();
  void blend_taken(double dt);
  void tell_feet();

  std::shared_ptr<const WalkClips> clips_;
  const Rig& rig_;
  const AdaptiveOptions options_;
  const double scale_;
  Footwork footwork_, before_;
  ClipCursor walk_cursor_, idle_cursor_;
  SkeletonPose walk_pose_, clip_pose_, pose_, taken_pose_;
  double taken_ = 0, taken_for_ = 0;  // s of the blend from a taken pose
  std::vector<Affine> X_;
  std::vector<Quat> Q_;
  Affine X_WM_;
  std::vector<FootPose> shown_;          // where feet shall be, in the world
  std::vector<std::vector<Quat>> last_;  // rotations of the legs in the last frame
  std::vector<FootState> feet_;
  WalkCost* cost_ = nullptr;
};

// Joints turn at most a little faster than in the clip: where the ground asks for more, the walk
// takes its time.
void AdaptiveWalker::advance(double dt, const Steering& steering) {
  if (!(dt > 0)) dt = 0;
  const int parts = std::clamp(static_cast<int>(std::ceil(dt / longest_step)), 1, 40);
  const double h = std::min(dt / parts, longest_step);
  for (int k = 0; k + 1 < parts; ++k) footwork_.advance(h, h, steering);
  double walked = h;
  before_ = footwork_;
  for (int attempt = 0;; ++attempt) {
    {
      const CpuStopwatch watch(cost_, &WalkCost::trajectories);
      footwork_.advance(h, walked, steering);
    }
    show();
    const double too_fast = parts == 1 ? haste(dt) / (faster * std::max(1.0, steering.rate)) : 0;
    if (too_fast <= 1 || attempt == 5) break;
    walked *= std::max(0.1, 0.95 / too_fast);
    footwork_ = before_;
  }
  blend_taken(dt);
  finish();
  if (cost_) ++cost_->frames;
}

void AdaptiveWalker::finish() {
  {
    const CpuStopwatch watch(cost_, &WalkCost::matrices);
    motion::model_transforms(rig_.skeleton, pose_, {}, X_);
  }
  remember();
  tell_feet();
}

// The largest turn of a joint since the last frame, against the fastest of its clip.
double AdaptiveWalker::haste(double dt) const {
  double most = 0;
  for (std::size_t i = 0; i < rig_.legs.size(); ++i) {
    const std::vector<int>& chain = rig_.legs[i].chain;
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const double turned = norm(log_quat(conjugate(last_[i][k]) * pose_.rotation(chain[k])));
      most = std::max(most, turned / (rig_.fastest_turn[k] * dt + 1e-4));
    }
  }
  return most;
}

void AdaptiveWalker::remember() {
  for (std::size_t i = 0; i < rig_.legs.size(); ++i) {
    const std::vector<int>& chain = rig_.legs[i].chain;
    for (std::size_t k = 0; k < chain.size(); ++k) last_[i][k] = pose_.rotation(chain[k]);
  }
}

void AdaptiveWalker::show() {
  sample();
  const CpuStopwatch watch(cost_, &WalkCost::inverse_kinematics);
  for (int i = 0; i < footwork_.size(); ++i) shown_[at(i)] = footwork_.foot(i);
  place_hips();
  if (!options_.inverse_kinematics) return;
  roll_feet();
  lower_hips();
  solve_legs();
}

void AdaptiveWalker::sample() {
  const CpuStopwatch watch(cost_, &WalkCost::sampling);
  const auto time = [](const ReadyClip& clip, double phase) {
    return clip.sampler.start() + (phase - std::floor(phase)) * clip.sampler.duration();
  };
  const ReadyClip &walk = clips_->walk, &idle = clips_->idle;
  const double w = footwork_.weight();
  if (w < 1) idle.sampler.sample(time(idle, footwork_.idle_phase()), idle_cursor_, clip_pose_);
  if (w > 0) walk.sampler.sample(time(walk, footwork_.walk_phase()), walk_cursor_, walk_pose_);
  if (w >= 1) {
    clip_pose_ = walk_pose_;
  } else if (w > 0) {
    blend(clip_pose_, walk_pose_, w, clip_pose_);
  }
  pose_ = clip_pose_;
}

void AdaptiveWalker::refresh_path() {
  motion::model_transforms(rig_.skeleton, pose_, {}, rig_.path, X_);
  for (const int j : rig_.path) {
    const int parent = rig_.skeleton[j].parent;
    Q_[at(j)] = parent < 0 ? pose_.rotation(j) : normalized(Q_[at(parent)] * pose_.rotation(j));
  }
}

// As high as the ground that carries it, and leaning into slopes.
void AdaptiveWalker::place_hips() {
  refresh_path();
  const Footwork::Support support = footwork_.support();
  X_WM_ = standing_at(support.height);
  if (!options_.inverse_kinematics) return;
  const double slope = footwork_.slope();
  const double lean =
      support.slope != 0 ? -std::atan(support.slope) : (slope > 0 ? 0.25 * slope : 0.15 * slope);
  if (lean == 0) return;
  const int parent = rig_.skeleton[rig_.hips].parent;
  const Quat Q_parent = parent < 0 ? Quat{} : Q_[at(parent)];
  const Quat turn = exp_quat(rig_.bearing().left * lean);
  pose_.set_rotation(rig_.hips,
                     normalized(conjugate(Q_parent) * turn * Q_parent * pose_.rotation(rig_.hips)));
  refresh_path();
}

double AdaptiveWalker::clip_extension(int leg) const {
  const std::vector<int>& chain = rig_.legs[at(leg)].chain;
  return norm(X_[at(chain.back())].origin - X_[at(chain.front())].origin) * scale_;
}

// Who stands behind the body rolls over the toe instead of being stretched.
void AdaptiveWalker::roll_feet() {
  for (int i = 0; i < footwork_.size(); ++i) {
    if (!footwork_.walks() || footwork_.swings(i)) continue;
    FootPose& foot = shown_[at(i)];
    const double whole = rig_.legs[at(i)].length * scale_;
    const double longest = std::max(clip_extension(i) + 0.008 * whole, roll_at * whole);
    const Vec3 hip = X_WM_ * X_[at(rig_.legs[at(i)].chain.front())].origin;
    const Mat3 R = matrix(foot.q);
    const Sole& sole = footwork_.sole(i);
    const Vec3 toe = foot.p + R * (sole.toe * scale_), from_toe = foot.p - toe;
    const Vec3 along = R * (sole.toe - sole.heel), across = cross(Vec3{0, 0, 1}, along);
    if (!(norm(across) > 0)) continue;
    const Vec3 axis = normalized(across);
    const double pitch = std::atan2(-along.z, norm(across));
    const double most = std::clamp(most_pitch - pitch, 0.0, most_roll);
    // more, the farther the foot is behind
    const double behind = dot(hip - foot.p, cross(axis, Vec3{0, 0, 1}));
    const double part = footwork_.weight() * smooth(behind / (0.3 * whole));
    double angle = 0;
    for (int step = 0; step < 3; ++step) {
      const Vec3 ankle = toe + matrix(exp_quat(axis * angle)) * from_toe;
      const Vec3 way = ankle - hip;
      const double distance = norm(way);
      const double slope = -dot(way, cross(axis, ankle - toe)) / distance;
      const double excess = part * onset(distance - longest, 0.02 * whole);
      angle = std::clamp(angle + excess / std::max(slope, 0.08 * whole), 0.0, most);
    }
    const Quat turn = exp_quat(axis * angle);
    foot = {normalized(turn * foot.q), toe + matrix(turn) * from_toe};
    footwork_.roll(i, axis, angle);
  }
}

// As low as legs need to reach their feet.
void AdaptiveWalker::lower_hips() {
  double lowered = 0;
  for (int i = 0; i < footwork_.size(); ++i) {
    const Leg& leg = rig_.legs[at(i)];
    const Vec3 hip = X_WM_ * X_[at(leg.chain.front())].origin, ankle = shown_[at(i)].p;
    const double whole = leg.length * scale_;
    const double longest =
        std::min(0.998 * whole, std::max(1.01 * clip_extension(i), stretch * whole));
    const double away = std::min(std::hypot(hip.x - ankle.x, hip.y - ankle.y), 0.98 * longest);
    const double highest = ankle.z + std::sqrt(longest * longest - away * away);
    const double excess = onset(hip.z - highest + 0.003 * whole, 0.006 * whole);
    lowered += excess * excess;
  }
  X_WM_.origin.z -= std::sqrt(lowered);
}

void AdaptiveWalker::solve_legs() {
  const Bearing& b = rig_.bearing();
  const Affine X_MW = inverse(X_WM_);
  // from the axes of the world to those of the model
  const Quat to_model =
      conjugate(quaternion(Mat3{b.front, b.left, b.up})) * exp_quat(Vec3{0, 0, -heading()});
  for (int i = 0; i < footwork_.size(); ++i) {
    const FootPose& foot = shown_[at(i)];
    reach(rig_, i, clips_->hinges[at(i)], X_MW * foot.p, normalized(to_model * foot.q), {}, pose_,
          X_, Q_);
  }
}

void AdaptiveWalker::blend_taken(double dt) {
  if (taken_ >= taken_for_) return;
  taken_ += dt;
  blend(taken_pose_, pose_, smooth(taken_ / taken_for_), pose_);
}

void AdaptiveWalker::tell_feet() {
  const bool own = taken_ >= taken_for_ && options_.inverse_kinematics;
  for (int i = 0; i < footwork_.size(); ++i) {
    const Leg& leg = rig_.legs[at(i)];
    const Affine X_WF = X_WM_ * X_[at(leg.foot())];
    feet_[at(i)] = {
        own && footwork_.heel_down(i), own && footwork_.toe_down(i), shown_[at(i)].p, X_WF.origin,
        X_WF * leg.sole.heel,          X_WF * leg.sole.toe};
  }
}

bool AdaptiveWalker::plan_of_foot(int leg, std::span<Vec3> points) const {
  const bool own = taken_ >= taken_for_ && options_.inverse_kinematics;
  if (!own || !footwork_.swings(leg)) return false;
  const double now = footwork_.swing_part(leg);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double ahead = static_cast<double>(k) / static_cast<double>(points.size() - 1);
    points[k] = footwork_.foot_at(leg, now + (1 - now) * ahead).p;
  }
  return true;
}

void AdaptiveWalker::take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) {
  motion::model_transforms(rig_.skeleton, pose, {}, X_);
  const Affine hips = X_WM * X_[at(rig_.hips)];
  // it looks where its hips do, as far as that can be told along the ground
  const std::vector<Affine> reference = motion::model_transforms(rig_.skeleton, rig_.reference);
  const Vec3 front_in_hips = inverse(reference[at(rig_.hips)]).linear * rig_.bearing().front;
  const Vec3 up_in_hips = inverse(reference[at(rig_.hips)]).linear * rig_.bearing().up;
  Vec3 front = hips.linear * front_in_hips;
  const Vec3 up = hips.linear * up_in_hips;
  // lying on the back it looks to where its head is not, on the belly to where it is
  if (std::hypot(front.x, front.y) < 0.5 * norm(front)) front = front.z > 0 ? -up : up;
  const double heading =
      std::hypot(front.x, front.y) > 0 ? std::atan2(front.y, front.x) : footwork_.heading();
  footwork_.stand(hips.origin, heading);
  taken_pose_ = pose;
  show();
  // the same pose, seen from where the walker now stands
  const Affine moved = inverse(X_WM_) * X_WM;
  for (int j = 0; j < rig_.skeleton.size(); ++j) {
    if (rig_.skeleton[j].parent < 0) taken_pose_.set(j, decomposed(moved * affine(pose[j])));
  }
  taken_ = 0;
  taken_for_ = std::max(0.0, seconds);
  blend_taken(0);
  finish();
}

std::unique_ptr<Walker> make_adaptive_walker(std::shared_ptr<const WalkClips> clips,
                                             const Ground& ground, const WalkerStart& start,
                                             const AdaptiveOptions& options) {
  return std::make_unique<AdaptiveWalker>(std::move(clips), ground, start, options);
}

}  // namespace molejo::navigation
