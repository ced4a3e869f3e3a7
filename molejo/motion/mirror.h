// Left for right:
//
//   D'_j = S D_k S         D: what turned a joint from its reference pose, in model axes
//
// k is the joint on the other side of j and S the reflection in the plane through the middle of the
// body. Twice is the identity. Works for skeletons whose left and right frames are no images of
// each other, as long as their reference pose is.
#pragma once

#include "molejo/motion/clip.h"
#include "molejo/motion/roles.h"

namespace molejo::motion {

// The joint on the other side of each: by roles, by the sides in their names, and by place; itself
// for those in the middle and those without a partner. An involution.
std::vector<int> mirror_partners(const Skeleton& skeleton, const SkeletonPose& reference,
                                 const Roles& roles);

class Mirror {
 public:
  Mirror(const Skeleton& skeleton, const SkeletonPose& reference, const Roles& roles);

  const std::vector<int>& partners() const { return partners_; }
  // No allocation once used. `out` must not be `pose`.
  void apply(const SkeletonPose& pose, SkeletonPose& out);
  // With keys wherever the clip has some, LINEAR.
  Clip apply(const Clip& clip);

 private:
  const Skeleton& skeleton_;
  SkeletonPose reference_;
  std::vector<int> partners_;
  Vec3 normal_;
  std::vector<Quat> reference_rotation_, rotation_, turned_;  // in model axes
};

}  // namespace molejo::motion
