#include "molejo/motion/blend.h"

#include <cassert>

#include "molejo/math/instructions.h"

namespace molejo::motion {

MOLEJO_IN_BOTH_SETS(void blend(const SkeletonPose& a, const SkeletonPose& b, double w,
                               SkeletonPose& out, std::span<const double> mask);
                    void subtract(const SkeletonPose& pose, const SkeletonPose& reference,
                                  SkeletonPose& out);
                    void add(const SkeletonPose& base, const SkeletonPose& difference, double w,
                             SkeletonPose& out, std::span<const double> mask);)

void blend(const SkeletonPose& a, const SkeletonPose& b, double w, SkeletonPose& out,
           std::span<const double> mask) {
  assert(a.joints() == b.joints() && a.joints() == out.joints());
  assert(mask.empty() || mask.size() == static_cast<std::size_t>(a.stride()));
  MOLEJO_CHOSEN(blend)(a, b, w, out, mask);
}

void subtract(const SkeletonPose& pose, const SkeletonPose& reference, SkeletonPose& out) {
  assert(pose.joints() == reference.joints() && pose.joints() == out.joints());
  MOLEJO_CHOSEN(subtract)(pose, reference, out);
}

void add(const SkeletonPose& base, const SkeletonPose& difference, double w, SkeletonPose& out,
         std::span<const double> mask) {
  assert(base.joints() == difference.joints() && base.joints() == out.joints());
  assert(mask.empty() || mask.size() == static_cast<std::size_t>(base.stride()));
  MOLEJO_CHOSEN(add)(base, difference, w, out, mask);
}

std::vector<double> joint_mask(const Skeleton& skeleton, int joint, double inside, double outside) {
  const SkeletonPose pose(skeleton.size());
  std::vector<double> mask(static_cast<std::size_t>(pose.stride()), outside);
  for (int j = 0; j < skeleton.size(); ++j) {
    if (skeleton.descends(j, joint)) mask[static_cast<std::size_t>(j)] = inside;
  }
  return mask;
}

}  // namespace molejo::motion
