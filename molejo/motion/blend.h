// Mixing poses, joint by joint in their own frames:
//
//   blend      (1 - w) a + w b, rotations by slerp the short way
//   additive   base + w d, where d is what a pose adds to a reference: t - t_r, q_r^-1 q, s / s_r
//
// Four joints at once, no allocation. `out` may be one of the inputs. Weights of joints, where
// given, multiply w: a mask for the upper body, say.
#pragma once

#include <span>

#include "molejo/motion/skeleton.h"

namespace molejo::motion {

// `mask` is empty, or has pose.stride() weights of joints.
void blend(const SkeletonPose& a, const SkeletonPose& b, double w, SkeletonPose& out,
           std::span<const double> mask = {});

// What `pose` adds to `reference`; scales of the reference must not be zero.
void subtract(const SkeletonPose& pose, const SkeletonPose& reference, SkeletonPose& out);

// `difference` is a result of subtract. w = 1 on the reference gives the pose again; w may exceed 1
// or be negative within [-2, 2], as long as no joint turns by more than half a turn.
void add(const SkeletonPose& base, const SkeletonPose& difference, double w, SkeletonPose& out,
         std::span<const double> mask = {});

// A mask: `inside` for a joint and all below it, `outside` for the others.
std::vector<double> joint_mask(const Skeleton& skeleton, int joint, double inside = 1,
                               double outside = 0);

}  // namespace molejo::motion
