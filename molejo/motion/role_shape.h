// A body read from the shape of its skeleton alone (private to this module).
#pragma once

#include "molejo/math/index.h"
#include "molejo/motion/roles.h"

namespace molejo::motion {

using molejo::at;
inline std::size_t at(Role r) { return static_cast<std::size_t>(r); }

int common_ancestor(const Skeleton& skeleton, int a, int b);

// From a joint down to the farthest joint below it, those left out that lie where the last one was.
std::vector<int> main_chain(const Skeleton& skeleton, std::span<const Affine> X, int joint);

struct BodyShape {
  std::array<int, role_count> joints;
};
// Two like chains that reach lowest are legs, where they part are the hips; two like chains above
// are arms; the highest end between them is the head. Roles known already are kept to.
BodyShape body_shape(const Skeleton& skeleton, std::span<const Affine> X, const Roles& known);

}  // namespace molejo::motion
