// Where ankles and hips shall go over the ground:
//
//   ankle   its part of the clip, turned and stretched from where it is to where it will stand;
//           swings lifted over the ground between (stride_correction.h)
//   hips    the way of the clip from where they are, turned by the heading, at the height
//           z = min over ankles (z_ankle + (z_hip - z_ankle of the clip))
//
// Made again at every frame; the old curve hands over to the new one. Source: Matthey (2022), 4.8.3
// to 4.8.7. Times are those of reproduction, which extended frames have by themselves: frame f of
// round r is f + r N.
#pragma once

#include "molejo/motion/ground.h"
#include "molejo/navigation/thesis/base_motion.h"
#include "molejo/navigation/thesis/stride_correction.h"

namespace molejo::navigation::thesis {

struct CurveOptions {
  bool correction = true;
  bool correction_by_descent = false;  // else by the exact majorant
  bool validation = false;
  double step_limit = 0.65;  // of the leg's length: more is too steep, of his code
};

// What is now.
struct CurveInputs {
  long frame = 0;      // extended
  double heading = 0;  // rad
  Vec3 hip;            // where the hips are; z does not matter
  std::array<Vec3, 2> ankles;
  double ground = 0;  // where there is none
};

// A point at a wanted distance from `from`, on the ground `over` it: of 61 candidates up to 1.5
// times that distance along `direction` the one whose distance in space fits best, then bisected.
struct Landing {
  Vec3 point;
  double miss = 0;        // distance - wanted, absolute
  bool grounded = false;  // some candidate had ground
};
Landing find_landing(const Ground& ground, const Vec3& from, const Vec3& direction, double wanted,
                     double over);

class TargetCurves {
 public:
  TargetCurves(const BaseMotion& base, const Ground& ground);

  // Forgets curves and where feet and hips have been.
  void restart();
  // Records where they really were.
  void record(double t, const std::array<Vec3, 2>& ankles, const Vec3& hip);
  void forget_before(double t);

  // New curves. False where a step is refused: the ground before it is too high, too low, or
  // missing; all stays as it was then.
  bool generate(const CurveInputs& now, const CurveOptions& options);
  // Ankles and hips stay where they are told.
  void hold(double t, const std::array<Vec3, 2>& ankles, const Vec3& hip);
  // Moves all curves along the ground.
  void shift(const Vec3& d);
  // The height that hips have above these ankles at a frame.
  double hip_height(long frame, double left, double right) const;

  double ground_height(double x, double y, double without) const;

  bool empty() const { return hip_.empty(); }
  const LinearCurve& ankle(int leg) const { return ankles_[static_cast<std::size_t>(leg)]; }
  const LinearCurve& hip() const { return hip_; }
  const LinearCurve& ankle_history(int leg) const { return past_[static_cast<std::size_t>(leg)]; }
  const LinearCurve& hip_history() const { return hip_past_; }
  // As it was fitted and corrected, before the hand-over.
  const LinearCurve& fitted_ankle(int leg) const { return fitted_[static_cast<std::size_t>(leg)]; }
  const Part& part(int leg) const { return parts_[static_cast<std::size_t>(leg)]; }

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, TargetCurves>& t) {
    for (auto* curve :
         {&t.hip_, &t.hip_past_, &t.ankles_[0], &t.ankles_[1], &t.past_[0], &t.past_[1]}) {
      LinearCurve::visit(a, *curve);
    }
    for (const LinearCurve& ankle : t.ankles_) {
      a.require(ankle.empty() == t.hip_.empty(), "curves of hips and ankles");
    }
    for (auto& part : t.parts_) a(part.first, part.last, part.is_static);
  }

 private:
  Vec3 start_of(int leg, const Part& part, const CurveInputs& now) const;
  Landing end_of(int leg, const Part& part, const Vec3& start, const CurveInputs& now) const;
  bool passable(int leg, const Part& part, const Vec3& start, const Vec3& end,
                const CurveInputs& now, const CurveOptions& options) const;
  void correct(int leg, const Part& part, const CurveOptions& options);
  void make_hip(const CurveInputs& now);
  void hand_over(LinearCurve& old, const LinearCurve& fresh, long frame);

  const BaseMotion& base_;
  const Ground& ground_;
  StrideCorrector corrector_;
  std::array<LinearCurve, 2> ankles_, past_, fitted_;
  std::array<Part, 2> parts_;
  LinearCurve hip_, hip_past_, fresh_hip_, spare_;
  std::vector<double> lowest_;
};

}  // namespace molejo::navigation::thesis
