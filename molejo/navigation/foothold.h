// Where a sole may stand on uneven ground: heel and toe on it, as far from each other as they are.
#pragma once

#include <optional>

#include "molejo/motion/ground.h"

namespace molejo::navigation {

using namespace molejo::motion;

struct Foothold {
  Vec3 heel, toe;
  Vec3 normal;            // across the sole: from the ground, upright to heel and toe
  double unevenness = 0;  // largest distance of the ground from the sole, along up
  double shift = 0;       // along the search from where it was wanted
  double height() const { return 0.5 * (heel.z + toe.z); }
};

struct SoleSize {
  double length = 0;  // heel to toe point
  double tip = 0;     // beyond the toe point
};

// With its middle over `middle`, along a horizontal unit vector. Nothing where there is no ground.
std::optional<Foothold> foothold_at(const Ground& ground, const Vec3& middle, const Vec3& along,
                                    const SoleSize& sole);

// The best near `middle`: as even as `tolerance` asks, as near as can be, at most `reach` before or
// behind along `search`, a horizontal unit vector.
std::optional<Foothold> find_foothold(const Ground& ground, const Vec3& middle, const Vec3& along,
                                      const Vec3& search, const SoleSize& sole, double reach,
                                      double tolerance);

}  // namespace molejo::navigation
