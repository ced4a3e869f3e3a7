// Pairs of boxes that overlap, out of many that move little from step to step.
//
// A binary tree of boxes grown by a margin; a box that leaves its grown one is put in anew, all
// others cost nothing (after Catto, Dynamic Bounding Volume Hierarchies, 2019). Near-linear in the
// number of boxes. What `pairs` returns depends on the boxes alone, not on their history.
#pragma once

#include <utility>
#include <vector>

#include "molejo/collision/manifold.h"

namespace molejo {

class BroadPhase {
 public:
  // `moves[i]`: false for boxes that stay; two of these are never a pair.
  explicit BroadPhase(std::vector<bool> moves);

  void update(int i, const Aabb& box);
  // All (i, j), i < j, whose present boxes overlap, in ascending order. No allocation once the
  // lists have grown to their size.
  const std::vector<std::pair<int, int>>& pairs();

 private:
};

}  // namespace molejo
