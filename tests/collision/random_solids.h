// Convex solids and ways of placing two of them, the same on every machine.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "molejo/collision/convex.h"

// splitmix64
struct Random {
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  // From 10^low to 10^high, all magnitudes alike.
  double magnitude(double low, double high) { return std::pow(10, between(low, high)); }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  molejo::Vec3 in_cube() { return {between(-1, 1), between(-1, 1), between(-1, 1)}; }
  molejo::Vec3 on_sphere();
  molejo::Mat3 rotation() { return matrix(molejo::exp_quat(on_sphere() * between(0, 3.1))); }
  // One of the 24 that turn the axes into each other.
  molejo::Mat3 axis_rotation();
};

// Owns the meshes of its solids.
struct Solids {
  std::deque<molejo::ConvexMesh> meshes;
  std::vector<molejo::Convex> spheres, capsules, boxes, cylinders, hulls;

  explicit Solids(std::uint64_t seed, int of_each = 40);
  const std::vector<molejo::Convex>& kind(int i) const;
  static constexpr int kinds = 5;
};

// A polyhedron from points, and the solid.
molejo::Convex hull_of(const std::vector<molejo::Vec3>& points,
                       std::deque<molejo::ConvexMesh>& meshes);

enum class Placement { apart, touching, parallel, nested, deep, grazing, coincident };
inline constexpr int placements = 7;
const char* name(Placement placement);

struct PlacedPair {
  molejo::Convex a, b;
  molejo::Pose X_WA, X_WB;
};
// Solids of two kinds. Coincident ones are the same solid twice.
PlacedPair place(const Solids& solids, int kind_a, int kind_b, Placement placement, Random& random);
