// Sets of trees that move together, each led by the one with the smallest index.
#pragma once

#include <algorithm>
#include <vector>

#include "molejo/physics/index.h"

namespace molejo {

// Shortens the way for those who ask next.
inline int leader_of(std::vector<int>& leader, int tree) {
  while (leader[index(tree)] != tree) {
    leader[index(tree)] = leader[index(leader[index(tree)])];
    tree = leader[index(tree)];
  }
  return tree;
}

inline void join(std::vector<int>& leader, int a, int b) {
  a = leader_of(leader, a), b = leader_of(leader, b);
  leader[index(std::max(a, b))] = std::min(a, b);
}

}  // namespace molejo
