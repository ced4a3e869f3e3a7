// The enabled transitions, by priority: insert, remove and the highest non-empty rank in O(1) (one
// step for every 64-fold of the number of priorities).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

class EnabledSet {
 public:
  explicit EnabledSet(const Net& net);

  void insert(int transition);
  void remove(int transition);
  bool contains(int transition) const { return at(position_, transition) >= 0; }
  bool empty() const { return levels_.back()[0] == 0; }
  // Those of the highest priority; in an order that depends only on what was done before.
  std::span<const int> highest() const;
  // All, by rank, in that order.
  template <class F>
  void for_each(F&& f) const {
    for (const std::vector<int>& members : members_) {
      for (const int transition : members) f(transition);
    }
  }
  void clear();

 private:
  template <class T>
  static T& at(std::vector<T>& v, int i) {
    return v[static_cast<std::size_t>(i)];
  }
  template <class T>
  static const T& at(const std::vector<T>& v, int i) {
    return v[static_cast<std::size_t>(i)];
  }

  std::vector<int> rank_, position_;                // of a transition; position -1: not in the set
  std::vector<std::vector<int>> members_;           // of a rank; rank 0 is the lowest priority
  std::vector<std::vector<std::uint64_t>> levels_;  // bit r: rank r, or word r below, is not empty
};

}  // namespace molejo
