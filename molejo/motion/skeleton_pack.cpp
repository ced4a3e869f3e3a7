// No packs here, but products of matrices, which the compiler takes four numbers at a time.
#include <span>

#include "molejo/math/index.h"
#include "molejo/math/instructions.h"
#include "molejo/motion/skeleton.h"

namespace molejo::motion::MOLEJO_SET {

void model_transforms(const Skeleton& skeleton, const SkeletonPose& pose, const Affine& base,
                      std::span<Affine> out) {
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    out[at(j)] = (parent < 0 ? base : out[at(parent)]) * affine(pose[j]);
  }
}

void some_model_transforms(const Skeleton& skeleton, const SkeletonPose& pose, const Affine& base,
                           std::span<const int> joints, std::span<Affine> out) {
  for (const int j : joints) {
    const int parent = skeleton[j].parent;
    out[at(j)] = (parent < 0 ? base : out[at(parent)]) * affine(pose[j]);
  }
}

}  // namespace molejo::motion::MOLEJO_SET
