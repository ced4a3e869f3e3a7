// The parts of `touch`, one for each kind of meeting (private to this module).
//
// All take a convex solid a with pose X_WA against something else, append points with gap < margin
// whose normals point towards a, in any order, and leave sorting to `touch`.
#pragma once

#include <algorithm>

#include "molejo/collision/manifold.h"

namespace molejo {

using ContactPoints = std::vector<ContactPoint>;

struct PlacedSolid {
  const Convex& convex;
  const Pose& X;  // in the world
};

// The point of the plane's normal side, halfway: `x` on the surface of a, `gap` above b.
inline ContactPoint contact_at(const Vec3& x, const Vec3& normal, double gap,
                               std::uint32_t feature) {
  return {x - normal * (0.5 * gap), normal, gap, feature};
}

// Features of round solids, boxes and polyhedra against a plane; terrain.cpp uses them as well.
//   box and polyhedron: index of the vertex (bits of a box: signs of x, y, z)
//   capsule: end 0 (-z), 1 (+z)      cylinder: cap_rim + point of the rim
inline constexpr std::uint32_t rim_fixed = 0, rim_lowest = 4, rim_upper_cap = 8;
struct RimPoint {
  Vec3 p;  // in the axes of `down`
  std::uint32_t feature;
};
// Up to four points of the cylinder with half extents (r, r, h) that can hold it on ground in the
// direction `down` (unit, its own axes): the lowest first. Upright (up to a
// sine of 0.3): the lowest point of the rim and three of four fixed ones; tilted: the lowest one;
// lying (beyond 45 degrees): both ends of the lowest line. Returns how many.
int cylinder_footing(const Vec3& half, const Vec3& down, RimPoint (&points)[4]);

// Two balls; parted along `otherwise` when their centres coincide. Returns whether they touch.
bool touch_balls(const Vec3& a, double radius_a, const Vec3& b, double radius_b, double margin,
                 std::uint32_t feature, const Vec3& otherwise, ContactPoints& points);

void touch_spheres(const PlacedSolid& a, const PlacedSolid& b, double margin,
                   ContactPoints& points);
void touch_sphere_box(const PlacedSolid& sphere, const PlacedSolid& box, double margin,
                      ContactPoints& points);
void touch_sphere_capsule(const PlacedSolid& sphere, const PlacedSolid& capsule, double margin,
                          ContactPoints& points);
void touch_capsules(const PlacedSolid& a, const PlacedSolid& b, double margin,
                    ContactPoints& points);
// Fifteen axes, then the overlap of the two faces.
void touch_boxes(const PlacedSolid& a, const PlacedSolid& b, double margin, ManifoldCache& cache,
                 ContactPoints& points);
// Any two: `separation`, then the overlap of what they show each other.
void touch_by_separation(const PlacedSolid& a, const PlacedSolid& b, double margin,
                         ManifoldCache& cache, ContactPoints& points);
void touch_plane(const PlacedSolid& a, const Pose& X_WP, double margin, ContactPoints& points);
// Up to eight points.
void touch_terrain(const PlacedSolid& a, const HeightField& field, const Pose& X_WF, double margin,
                   ContactPoints& points);

}  // namespace molejo
