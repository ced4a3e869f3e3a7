// Small animated characters made on the spot, and the real ones that npm and Debian bring.
#pragma once

#include <string>
#include <vector>

#include "molejo/math/random.h"
#include "molejo/motion/character.h"

namespace molejo::test {

// A walker of 21 joints with Mixamo names, one metre of legs, looking along +z with y up, bound to
// a skin of one box per bone, with the clips "walk" (1 s loop, goes 1 m forward), "wave" (STEP,
// CUBICSPLINE and LINEAR tracks, starts at t = 0.5) and "idle".
motion::Character stick_character();
// Another body: VRM names, A-pose, longer legs, shorter arms, looking along -z.
motion::Character other_character();
// A chain of joints that turn and move at random, `keys` keys a track.
motion::Character random_character(int joints, int keys, Random& random);

// Largest difference of two poses: of translations and scales, and of rotations as half-angles.
double pose_distance(const motion::SkeletonPose& a, const motion::SkeletonPose& b);

// The path of a file of the clips that scripts/install_deps --test installs, or "" without.
std::string installed_clip(const std::string& name);
// All files of Debian's assimp-testmodels with one of these endings; none if it is not installed.
std::vector<std::string> assimp_models(const std::vector<std::string>& endings);

}  // namespace molejo::test
