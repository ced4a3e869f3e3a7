// A clip that is changed while it plays: its times, its curves, its angles.
//
//   t_rep = duration rounds + t       reproduction: forwards only, the time of all curves
//
// At a new frame: fill in what was skipped, record where the feet really were, make new curves
// (target_curves.h), solve the legs for the next frame (leg_solver.h), write its angles. Between
// two frames rotations are interpolated. Source: Matthey (2022), 4.4, 4.8, 4.9.2. Each walker has
// its own; nothing is shared but what does not change.
#pragma once

#include "molejo/navigation/thesis/clip_rules.h"
#include "molejo/navigation/thesis/leg_kinematics.h"
#include "molejo/navigation/thesis/leg_solver.h"
#include "molejo/navigation/thesis/target_curves.h"

namespace molejo::navigation::thesis {

// Where the character is now.
struct Stand {
  Vec3 hip;            // of the joint, in the world
  double heading = 0;  // rad
  double turn = 0;     // rad per second of the clip
  double ground = 0;   // its height where there is none
  double scale = 1;
};

// What the solver did, added up.
struct SolverStatistics {
  long runs = 0, unsettled = 0;
  double steps = 0, reach = 0, original = 0, previous = 0, total = 0;
  double error = 0;  // square of the distance from ankle to target in the model, both legs
  int most_steps = 0;
};

class AdaptedClip {
 public:
  AdaptedClip(const Rig& rig, const Clip& clip, const Footfalls& footfalls, const Ground& ground,
              double scale, ClipKind kind, const BaseMotionOptions& options,
              const LegWeights& weights);
  AdaptedClip(const AdaptedClip&) = delete;  // its parts know each other by place
  AdaptedClip& operator=(const AdaptedClip&) = delete;

  const ClipFrames& frames() const { return frames_; }
  const BaseMotion& base() const { return base_; }
  const TargetCurves& targets() const { return targets_; }
  ClipKind kind() const { return kind_; }
  double time() const { return time_; }  // within the clip
  double reproduction_time() const;
  bool new_frame() const { return frame_ != done_; }
  long frame() const { return frame_; }  // extended
  bool stopped() const { return stopped_; }
  const SolverStatistics& statistics() const { return statistics_; }
  const AngleHistory& angle_history() const { return angles_; }
  Quat edited(int frame, int slot) const { return edited_[index(frame, slot)]; }

  // From its first frame on, nothing known of before.
  void start();
  // As it was: original rotations, no curves.
  void restore();
  void advance_time(double dt);
  // New curves, if there is a new frame.
  void update_curves(const Stand& stand, const CurveOptions& options);
  // Along the ground, with all its curves: two clips that play at once stay together.
  void shift(const Vec3& d) { targets_.shift(d); }
  Vec3 hip_target() const;
  Vec3 ankle_target(int leg) const;
  // New angles for the next frame, if there is a new one, which is done with then. Without a solver
  // those of the clip.
  void update_angles(const Stand& stand, LegSolver* solver);
  // Writes the rotations of the legs and of the hips at this time.
  void overlay(SkeletonPose& pose) const;

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, AdaptedClip>& c) {
    TargetCurves::visit(a, c.targets_);
    AngleHistory::visit(a, c.angles_);
    a(c.time_, c.before_, c.rounds_, c.frame_, c.done_, c.stopped_, c.edited_);
    a.index(c.frozen_, static_cast<std::size_t>(c.frames_.frames()), "frame");
    auto& s = c.statistics_;
    a(s.runs, s.unsettled, s.steps, s.reach, s.original, s.previous, s.total, s.error,
      s.most_steps);
    a.require(c.time_ >= 0 && c.time_ <= c.frames_.duration() && c.rounds_ >= 0 &&
                  c.rounds_ < most_rounds && c.done_ >= never && c.done_ <= c.frame_,
              "a time of the clip");
    if constexpr (Archive::reads) {
      const long frame = c.rounds_ * c.frames_.frames() + c.frames_.frame_at(c.time_);
      a.require(c.frame_ == frame, "the frame of that time");
    }
  }

 private:
  static constexpr long most_rounds = 1'000'000'000'000;
  static constexpr long never = -1;
  std::size_t index(int frame, int slot) const {
    return static_cast<std::size_t>(frame) * frames_.path().size() + static_cast<std::size_t>(slot);
  }
  Affine X_WM(const Vec3& hip, double heading, double scale) const;
  void count_anew();
  void fill_skipped();
  std::array<Vec3, 2> real_ankles(long frame, const Vec3& hip, const Stand& stand);
  void record_past(const Stand& stand);
  Vec3 restarted_hip(const Stand& stand) const;
  void update_walk(const Stand& stand, const CurveOptions& options);
  void stop(const CurveInputs& now);
  void stand_still(const Stand& stand);
  void solve(long frame, const Stand& stand, const Vec3& hip, double heading, LegSolver& solver);
  void write(int frame, std::span<const AxisAngle> turns);
  void write_all(std::span<const AxisAngle> turns);

  const Rig& rig_;
  ClipKind kind_;
  ClipFrames frames_;
  BaseMotion base_;
  TargetCurves targets_;
  LegKinematics kinematics_;
  AngleHistory angles_;
  LegWeights weights_;
  double time_ = 0;
  double before_ = 0;  // the time of reproduction before the last advance
  long rounds_ = 0, frame_ = 0;
  long done_ = never;  // the last frame that was worked on
  bool stopped_ = false;
  int frozen_ = 0;            // the frame in which it stopped
  Vec3 hip_model_;            // of the fixed pose
  std::vector<Quat> edited_;  // of every frame and joint of the path
  // of the solver: joints but the feet, both legs
  std::vector<int> first_, slots_;
  std::vector<LegLink> links_;
  std::vector<Affine> bases_, X_;
  std::vector<Vec3> ends_, goals_;
  std::vector<double> original_, previous_, angle_;
  std::vector<AxisAngle> turns_;
  SolverStatistics statistics_;
};

}  // namespace molejo::navigation::thesis
