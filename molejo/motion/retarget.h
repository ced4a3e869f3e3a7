// A clip of one skeleton on another, of other names and proportions:
//
//   R'_k = C D_j C^T R'_k0        D_j = R_j R_j0^T: what turned j from its reference pose
//
// in model axes; k plays the part of j (by role, else by name), C turns the source's up and front
// onto the target's. Reference poses are brought together first: limbs of the target are turned so
// that their bones point as the source's do. The hips move by as much more as the legs are longer.
#pragma once

#include "molejo/motion/clip.h"
#include "molejo/motion/roles.h"

namespace molejo::motion {

struct RetargetSide {
  const Skeleton& skeleton;
  const SkeletonPose& reference;
  const Roles& roles;
};

struct RetargetOptions {
  bool match_references = true;  // turn arms and legs of the target onto the source's first
  double scale = 0;              // of the movement of the hips; 0: by the length of the legs
};

class Retarget {
 public:
  Retarget(const RetargetSide& source, const RetargetSide& target,
           const RetargetOptions& options = {});

  // The joint of the source that each of the target follows, or -1.
  const std::vector<int>& partners() const { return partners_; }
  double scale() const { return scale_; }
  // No allocation.
  void apply(const SkeletonPose& source, SkeletonPose& target);
  Clip apply(const Clip& clip);

 private:
  void find_partners();
  void match_references();
  void move_hips(const SkeletonPose& source, SkeletonPose& target) const;

  RetargetSide from_, to_;
  std::vector<int> partners_;
  double scale_ = 1;
  Quat facing_;               // C
  Vec3 from_base_, to_base_;  // hips of the standing figures
  std::vector<Quat> from_reference_, to_reference_, from_now_, to_now_;  // in model axes
};

}  // namespace molejo::motion
