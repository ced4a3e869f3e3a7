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

  // Where box i is now. A box that was never told takes part in no pair.
  void update(int i, const Aabb& box);
  // Where it was told to be last.
  const Aabb& box(int i) const { return boxes_[static_cast<std::size_t>(i)]; }
  // All (i, j), i < j, whose present boxes overlap (touching counts), in ascending order. No
  // allocation once the lists have grown to their size. Throws OverBudget for more than
  // most_pairs of grown boxes.
  const std::vector<std::pair<int, int>>& pairs();
  std::size_t most_pairs = std::size_t{1} << 20;

 private:
  // A leaf holds a grown box; node i < size is the leaf of box i.
  struct Node {
    Aabb box;
    int parent = -1;
    int child[2] = {-1, -1};
  };
  enum Tree : int { staying = 0, moving = 1 };

  void insert(int leaf);
  void remove(int leaf);
  void refit(int node);
  void rotate(int node);
  void rebuild(Tree tree);
  int build(int first, int count);
  void find(int root, int i);
  void add_candidate(int i, int k);
  void take_new_candidates();

  int size() const { return static_cast<int>(moves_.size()); }
  Node& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }

  std::vector<bool> moves_;
  std::vector<Aabb> boxes_;         // present ones
  std::vector<Node> nodes_;         // leaves first, then inner nodes
  std::vector<int> free_nodes_;     // inner nodes that nobody uses
  std::vector<int> endless_;        // boxes too large for a tree
  std::vector<char> known_, left_;  // in a tree or endless_; has left its grown box
  std::vector<int> leavers_, order_, stack_;
  int root_[2] = {-1, -1};
  using Pair = std::pair<int, int>;
  std::vector<Pair> candidates_, found_, merged_, pairs_;  // of grown boxes; of present boxes
};

}  // namespace molejo
