#include "molejo/collision/broad_phase.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr double endless_size = 1e15;
constexpr double growth = 0.1;  // of the longest side, on each side

bool overlap(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

bool contains(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.lower.x && a.lower.y <= b.lower.y && a.lower.z <= b.lower.z &&
         b.upper.x <= a.upper.x && b.upper.y <= a.upper.y && b.upper.z <= a.upper.z;
}

Aabb united(const Aabb& a, const Aabb& b) {
  return {{std::min(a.lower.x, b.lower.x), std::min(a.lower.y, b.lower.y),
           std::min(a.lower.z, b.lower.z)},
          {std::max(a.upper.x, b.upper.x), std::max(a.upper.y, b.upper.y),
           std::max(a.upper.z, b.upper.z)}};
}

// Half the surface: proportional to the chance of being visited.
double area(const Aabb& a) {
  const Vec3 d = a.upper - a.lower;
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

double longest_side(const Aabb& a) {
  const Vec3 d = a.upper - a.lower;
  return std::max(d.x, std::max(d.y, d.z));
}

Aabb grown(const Aabb& a) {
  const double margin = growth * longest_side(a);
  const Vec3 m{margin, margin, margin};
  return {a.lower - m, a.upper + m};
}

}  // namespace

BroadPhase::BroadPhase(std::vector<bool> moves) : moves_(std::move(moves)) {
  const std::size_t n = moves_.size();
  boxes_.resize(n), nodes_.resize(n);
  known_.assign(n, 0), left_.assign(n, 0);
  leavers_.reserve(n), order_.reserve(n), endless_.reserve(n);
  // n leaves need at most n - 1 inner nodes
  nodes_.resize(n + n);
  free_nodes_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) free_nodes_.push_back(static_cast<int>(2 * n - 1 - i));
}

void BroadPhase::update(int i, const Aabb& box) {
  boxes_[at(i)] = box;
  if (left_[at(i)] || (known_[at(i)] && contains(node(i).box, box))) return;
  left_[at(i)] = 1;
  leavers_.push_back(i);
}

// Descends to the sibling that makes the tree grow least (Catto 2019, greedy surface heuristic).
void BroadPhase::insert(int leaf) {
  int& root = root_[moves_[at(leaf)]];
  if (root < 0) {
    root = leaf, node(leaf).parent = -1;
    return;
  }
  const Aabb box = node(leaf).box;
  int at_node = root;
  while (node(at_node).child[0] >= 0) {
    const double with = area(united(node(at_node).box, box));
    const double as_sibling = 2 * with;
    const double inherited = 2 * (with - area(node(at_node).box));
    double cost[2];
    for (int k = 0; k < 2; ++k) {
      const Node& child = node(node(at_node).child[k]);
      cost[k] = area(united(child.box, box)) + inherited;
      if (child.child[0] >= 0) cost[k] -= area(child.box);
    }
    if (as_sibling < cost[0] && as_sibling < cost[1]) break;
    at_node = node(at_node).child[cost[1] < cost[0] ? 1 : 0];
  }
  const int inner = free_nodes_.back();
  free_nodes_.pop_back();
  const int parent = node(at_node).parent;
  node(inner) = {united(node(at_node).box, box), parent, {at_node, leaf}};
  node(at_node).parent = node(leaf).parent = inner;
  if (parent < 0) {
    root = inner;
  } else {
    node(parent).child[node(parent).child[1] == at_node ? 1 : 0] = inner;
    refit(parent);
  }
}

void BroadPhase::remove(int leaf) {
  int& root = root_[moves_[at(leaf)]];
  const int parent = node(leaf).parent;
  if (parent < 0) {
    root = -1;
    return;
  }
  const int sibling = node(parent).child[node(parent).child[0] == leaf ? 1 : 0];
  const int above = node(parent).parent;
  node(sibling).parent = above;
  free_nodes_.push_back(parent);
  if (above < 0) {
    root = sibling;
  } else {
    node(above).child[node(above).child[1] == parent ? 1 : 0] = sibling;
    refit(above);
  }
}

void BroadPhase::refit(int i) {
  for (; i >= 0; i = node(i).parent) {
    rotate(i);
    node(i).box = united(node(node(i).child[0]).box, node(node(i).child[1]).box);
  }
}

// Swaps a child with a grandchild of the other side when that shrinks the inner box.
void BroadPhase::rotate(int i) {
  int best_side = -1, best_grandchild = 0;
  double best_gain = 0;
  for (int side = 0; side < 2; ++side) {
    const int inner = node(i).child[side], other = node(i).child[1 - side];
    if (node(inner).child[0] < 0) continue;
    for (int g = 0; g < 2; ++g) {
      // grandchild g goes up, `other` takes its place
      const double gain =
          area(node(inner).box) - area(united(node(node(inner).child[1 - g]).box, node(other).box));
      if (gain > best_gain) best_gain = gain, best_side = side, best_grandchild = g;
    }
  }
  if (best_side < 0) return;
  const int inner = node(i).child[best_side], other = node(i).child[1 - best_side];
  const int risen = node(inner).child[best_grandchild];
  node(i).child[1 - best_side] = risen, node(risen).parent = i;
  node(inner).child[best_grandchild] = other, node(other).parent = inner;
  node(inner).box = united(node(node(inner).child[0]).box, node(node(inner).child[1]).box);
}

// Halves order_[first .. first + count) at the median of the longest side, and so on.
int BroadPhase::build(int first, int count) {
  if (count == 1) return order_[at(first)];
  Aabb box = node(order_[at(first)]).box, centres;
  centres.lower = centres.upper = box.lower + box.upper;
  for (int k = first + 1; k < first + count; ++k) {
    const Aabb& b = node(order_[at(k)]).box;
    const Vec3 c = b.lower + b.upper;
    box = united(box, b), centres = united(centres, {c, c});
  }
  const Vec3 d = centres.upper - centres.lower;
  const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + count / 2, begin + count, [&](int i, int j) {
    const double a = node(i).box.lower[axis] + node(i).box.upper[axis];
    const double b = node(j).box.lower[axis] + node(j).box.upper[axis];
    return a < b || (a == b && i < j);
  });
  const int inner = free_nodes_.back();
  free_nodes_.pop_back();
  const int low = build(first, count / 2);
  const int high = build(first + count / 2, count - count / 2);
  node(inner) = {box, -1, {low, high}};
  node(low).parent = node(high).parent = inner;
  return inner;
}

void BroadPhase::rebuild(Tree tree) {
  if (root_[tree] >= 0) {
    stack_.assign(1, root_[tree]);
    while (!stack_.empty()) {
      const int i = stack_.back();
      stack_.pop_back();
      if (node(i).child[0] < 0) continue;
      stack_.push_back(node(i).child[0]), stack_.push_back(node(i).child[1]);
      free_nodes_.push_back(i);
    }
  }
  order_.clear();
  for (int i = 0; i < size(); ++i) {
    if (moves_[at(i)] == (tree == moving) && known_[at(i)] == 1) order_.push_back(i);
  }
  root_[tree] = order_.empty() ? -1 : build(0, static_cast<int>(order_.size()));
  if (root_[tree] >= 0) node(root_[tree]).parent = -1;
}

// New candidates of leaver i in one tree; a pair of two leavers is found by the first of them.
void BroadPhase::find(int root, int i) {
  if (root < 0) return;
  const Aabb box = node(i).box;
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const int k = stack_.back();
    stack_.pop_back();
    if (!overlap(node(k).box, box)) continue;
    if (node(k).child[0] >= 0) {
      stack_.push_back(node(k).child[0]), stack_.push_back(node(k).child[1]);
    } else if (k != i && (!left_[at(k)] || i < k)) {
      add_candidate(i, k);
    }
  }
}

void BroadPhase::add_candidate(int i, int k) {
  if (candidates_.size() + found_.size() >= most_pairs) {
    throw OverBudget(std::to_string(most_pairs) + " pairs of shapes and more are near each other");
  }
  found_.emplace_back(std::min(i, k), std::max(i, k));
}

void BroadPhase::take_new_candidates() {
  constexpr char in_tree = 1, is_endless = 2;
  const std::size_t many = moves_.size() / 4 + 1;
  const bool anew = leavers_.size() >= many;
  for (const int i : leavers_) {
    if (known_[at(i)] == in_tree && !anew) remove(i);
    const bool endless = !(longest_side(boxes_[at(i)]) < endless_size);
    if (endless != (known_[at(i)] == is_endless)) {
      if (endless) {
        // a rebuild must not find the leaf in the old tree any more
        if (known_[at(i)] == in_tree && anew) remove(i);
        endless_.push_back(i);
      } else {
        endless_.erase(std::find(endless_.begin(), endless_.end(), i));
      }
    }
    known_[at(i)] = endless ? is_endless : in_tree;
    node(i).box = endless ? boxes_[at(i)] : grown(boxes_[at(i)]);
    node(i).child[0] = node(i).child[1] = -1;
    if (!endless && !anew) insert(i);
  }
  if (anew) rebuild(staying), rebuild(moving);

  // candidates of leavers are forgotten and found again
  const auto gone = [&](const Pair& p) { return left_[at(p.first)] || left_[at(p.second)]; };
  candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), gone),
                    candidates_.end());
  found_.clear();
  for (const int i : leavers_) {
    check_interrupt();
    find(root_[moving], i);
    if (moves_[at(i)]) find(root_[staying], i);
    const auto meet = [&](int k) {
      if (k == i || (!moves_[at(i)] && !moves_[at(k)]) || (left_[at(k)] && k < i)) return;
      if (overlap(node(k).box, node(i).box)) add_candidate(i, k);
    };
    if (known_[at(i)] == is_endless) {
      for (int k = 0; k < size(); ++k) {
        if (known_[at(k)] == is_endless) meet(k);
      }
    } else {
      for (const int k : endless_) meet(k);
    }
  }
  std::sort(found_.begin(), found_.end());
  merged_.resize(candidates_.size() + found_.size());
  std::merge(candidates_.begin(), candidates_.end(), found_.begin(), found_.end(), merged_.begin());
  candidates_.swap(merged_);
  for (const int i : leavers_) left_[at(i)] = 0;
  leavers_.clear();
}

const std::vector<std::pair<int, int>>& BroadPhase::pairs() {
  if (!leavers_.empty()) take_new_candidates();
  pairs_.clear();
  for (const Pair& p : candidates_) {
    if (overlap(boxes_[at(p.first)], boxes_[at(p.second)])) pairs_.push_back(p);
  }
  return pairs_;
}

}  // namespace molejo
