// What was sculpted onto a ground:
//
//   sum_k H_k (1 - r_k^2 / R_k^2)^2 for r_k < R_k
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "molejo/io/terrain.h"

namespace molejo {

struct Bump {
  double x = 0, y = 0, radius = 1, height = 0;  // m, in the world
};

// By the square metres they lie on.
class Bumps {
 public:
  const std::vector<Bump>& all() const { return all_; }
  void clear() { all_.clear(), cells_.clear(); }
  // Strokes of a brush that rests grow one bump. Throws InputError: too wide, too high, too many.
  void add(const Bump& bump);
  motion::Elevation at(double x, double y) const;

 private:
  static std::int64_t key(int i, int j) { return static_cast<std::int64_t>(i) * 4'000'000'000 + j; }

  std::vector<Bump> all_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> cells_;
};

// The terrain with bumps on it, present and future ones, in its own scale.
Terrain with_bumps(Terrain terrain, std::shared_ptr<const Bumps> bumps);

}  // namespace molejo
