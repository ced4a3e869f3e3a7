// Contact manifolds: the points by which two shapes hold each other off.
//
// Closed forms where they exist (spheres, capsules, planes, boxes), otherwise the features found by
// `separation`, clipped against each other. At most four points for two convex solids; a height
// field gives up to eight. Points keep their `feature` as long as the same features meet, so that
// impulses can be carried from step to step. On a plane, and on a field where nothing else of the
// field is near, it is the vertex of a box (bits: signs of x, y, z) or polyhedron, the end 0 (-z)
// or 1 (+z) of a capsule, and 0 for a sphere.
//
// The least gap is the signed distance of the two, to 1e-9 of the smaller one; the deepest point is
// always kept. On a height field that holds above the ground; below it each corner is as deep as
// the triangle above it says.
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

// Memory of one pair from step to step. Changes the speed, and the result by no more than rounding
// or the choice among equals. As it is made it means: not met yet.
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
