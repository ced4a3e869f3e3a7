#include "molejo/collision/contact_parts.h"

namespace molejo {

// Two balls about points of the world.
bool touch_balls(const Vec3& a, double radius_a, const Vec3& b, double radius_b, double margin,
                 std::uint32_t feature, ContactPoints& points) {
  const Vec3 apart = a - b;
  const double distance = norm(apart);
  const double gap = distance - radius_a - radius_b;
  if (!(gap < margin)) return false;
  // centres that coincide are parted upwards
  const Vec3 n = distance > 0 ? apart / distance : Vec3{0, 0, 1};
  points.push_back(contact_at(a - n * radius_a, n, gap, feature));
  return true;
}

void touch_spheres(const PlacedSolid& a, const PlacedSolid& b, double margin,
                   ContactPoints& points) {
  touch_balls(a.X.p, a.convex.radius, b.X.p, b.convex.radius, margin, 0, points);
}

}  // namespace molejo
