// A leg reaches for a place: its joints bend until it is as long as it must be, then it is turned.
//
//   |p_foot(theta) - p_0| = d        bends: one joint in closed form, more by damped Gauss-Newton
//   R(p_foot - p_0 -> target - p_0)  the shortest turn at its first joint
//
// It starts from the pose of the clip, so that a target where the clip has the foot changes
// nothing. Bends are about the hinge of each joint, which is learnt from the clip.
#pragma once

#include <span>

#include "molejo/navigation/rig.h"

namespace molejo::navigation {

// Of one leg: axes of the joints between its first and its foot, in the frame of their parents
// (orthonormal), positive to the side that they bend to; and how much they bend.
struct LegHinges {
  std::vector<Vec3> axes;
  std::vector<double> least, most;  // bends in the clip, rad
};
// Learnt from a clip: the plane in which the leg lies when it bends most.
LegHinges find_hinges(const Rig& rig, int leg, const Clip& clip);

struct LegLimits {
  double most_bend = 2.6;    // rad, of a joint
  double least_bend = 0.02;  // rad; a knee does not go through
  double foot_turn = 1.5;    // rad, of the foot from where the clip has it against the shin
};

// X and Q of all joints of the path: transforms and orientations in the model; those of the leg are
// updated. `foot` is the orientation wanted. False: too far or too near; it points there then.
bool reach(const Rig& rig, int leg, const LegHinges& hinges, const Vec3& target, const Quat& foot,
           const LegLimits& limits, SkeletonPose& pose, std::span<Affine> X, std::span<Quat> Q);

}  // namespace molejo::navigation
