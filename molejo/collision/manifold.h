// Contact manifolds: the points by which two shapes hold each other off.
//
// Closed forms where they exist (spheres, capsules, planes, boxes), otherwise the features found by
// `separation`, clipped against each other. At most four points for two convex solids; a height
// field gives up to eight. Points keep their `feature` as long as the same features meet, so that
// impulses can be carried from step to step.
#pragma once

#include <cstdint>
#include <vector>

#include "molejo/collision/distance.h"

namespace molejo {

struct ContactPoint {
  Vec3 p;                     // world, halfway between the surfaces
  Vec3 normal;                // unit, world, from b to a
  double gap = 0;             // along the normal; negative: penetration
  std::uint32_t feature = 0;  // of this pair of shapes; the same while the same features meet
};

// A shape prepared for contact: exactly one of the three is meant.
struct TouchShape {
  enum class Kind : std::uint8_t { convex, plane, height_field };
  Kind kind = Kind::convex;
  Convex convex;
  const HeightField* field = nullptr;
};

// Memory of one pair from step to step: speed, not results. Nothing in it means: not met yet.
struct ManifoldCache {
  SeparationCache separation;
  int axis = -1;  // of two boxes: the one that separated them or carried the contact
};

// Appends the points with gap < margin, in ascending order of `feature`. One of the two must be
// convex. Never fails and makes no NaN of finite input.
void touch(const TouchShape& a, const Pose& X_WA, const TouchShape& b, const Pose& X_WB,
           double margin, ManifoldCache& cache, std::vector<ContactPoint>& points);

// Least and largest world coordinates; a plane and what is below a height field reach to 1e30.
struct Aabb {
  Vec3 lower, upper;
};
Aabb bounds(const TouchShape& shape, const Pose& X_WS);

}  // namespace molejo
