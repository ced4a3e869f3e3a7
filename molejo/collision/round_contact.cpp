// Closed forms for spheres and capsules: balls about the closest points of their cores.
#include "molejo/collision/contact_parts.h"

namespace molejo {

namespace {

struct Line {
  Vec3 from, along;  // from end 0 to end 1
  Vec3 at(double s) const { return from + along * s; }
};

Line core_of(const PlacedSolid& capsule) {
  const Vec3 half = capsule.X.R.column(2) * capsule.convex.half.z;
  return {capsule.X.p - half, half * 2.0};
}

// Where the endless line is closest to p; 0 and 1 are its ends.
double place_on(const Line& line, const Vec3& p) {
  const double squared = dot(line.along, line.along);
  return squared > 0 ? dot(p - line.from, line.along) / squared : 0.0;
}
double closest_on(const Line& line, const Vec3& p) {
  return std::clamp(place_on(line, p), 0.0, 1.0);
}

// Ericson, Real-Time Collision Detection (2005), 5.1.9; parallel ones meet at the middle of what
// they share.
void closest_between(const Line& a, const Line& b, double& s, double& t) {
  const double aa = dot(a.along, a.along), bb = dot(b.along, b.along);
  const double ab = dot(a.along, b.along);
  const Vec3 r = a.from - b.from;
  const double ar = dot(a.along, r), br = dot(b.along, r);
  const double turn = aa * bb - ab * ab;
  if (turn > 1e-12 * aa * bb) {
    s = std::clamp((ab * br - ar * bb) / turn, 0.0, 1.0);
  } else {
    const double s0 = closest_on(a, b.from), s1 = closest_on(a, b.from + b.along);
    s = 0.5 * (s0 + s1);
  }
  t = closest_on(b, a.at(s));
  s = closest_on(a, b.at(t));
}

// A direction across both, for lines that cut each other: it parts them as well as any.
Vec3 across_both(const Vec3& u, const Vec3& v) {
  const Vec3 n = cross(u, v);
  const double length = norm(n);
  if (length > 1e-12 * norm(u) * norm(v) && length > 0) return n / length;
  const double size = norm(u);
  return size > 0 ? frame_from_z(u / size).column(0) : Vec3{0, 0, 1};
}

}  // namespace

bool touch_balls(const Vec3& a, double radius_a, const Vec3& b, double radius_b, double margin,
                 std::uint32_t feature, const Vec3& otherwise, ContactPoints& points) {
  const Vec3 apart = a - b;
  const double distance = norm(apart);
  const double gap = distance - radius_a - radius_b;
  if (!(gap < margin)) return false;
  // of centres that coincide but for rounding the difference has no direction
  const double noise = 1e-14 * (radius_a + radius_b);
  const Vec3 n = distance > noise ? apart / distance : otherwise;
  points.push_back(contact_at(a - n * radius_a, n, gap, feature));
  return true;
}

void touch_spheres(const PlacedSolid& a, const PlacedSolid& b, double margin,
                   ContactPoints& points) {
  touch_balls(a.X.p, a.convex.radius, b.X.p, b.convex.radius, margin, 0, {0, 0, 1}, points);
}

void touch_sphere_capsule(const PlacedSolid& sphere, const PlacedSolid& capsule, double margin,
                          ContactPoints& points) {
  const Line core = core_of(capsule);
  touch_balls(sphere.X.p, sphere.convex.radius, core.at(closest_on(core, sphere.X.p)),
              capsule.convex.radius, margin, 0, across_both(core.along, core.along), points);
}

void touch_sphere_box(const PlacedSolid& sphere, const PlacedSolid& box, double margin,
                      ContactPoints& points) {
  const Vec3 h = box.convex.half;
  const Vec3 c = transpose_times(box.X.R, sphere.X.p - box.X.p);
  const Vec3 nearest{std::clamp(c.x, -h.x, h.x), std::clamp(c.y, -h.y, h.y),
                     std::clamp(c.z, -h.z, h.z)};
  const double radii = sphere.convex.radius + box.convex.radius;
  const Vec3 apart = c - nearest;
  double distance = norm(apart);
  Vec3 n;
  if (distance > 0) {
    n = apart / distance;
  } else {
    // the middle is inside: out by the nearest face
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
      if (h[i] - std::fabs(c[i]) < h[axis] - std::fabs(c[axis])) axis = i;
    }
    n[axis] = c[axis] < 0 ? -1 : 1;
    distance = std::fabs(c[axis]) - h[axis];
  }
  const double gap = distance - radii;
  if (!(gap < margin)) return;
  n = box.X.R * n;
  points.push_back(contact_at(sphere.X.p - n * sphere.convex.radius, n, gap, 0));
}

// Side by side they hold each other at both ends of what they share, each with its own normal;
// names: 0, 1 the ends of a; 2, 3 those of b; 4 the closest point elsewhere.
void touch_capsules(const PlacedSolid& a, const PlacedSolid& b, double margin,
                    ContactPoints& points) {
  const Line core_a = core_of(a), core_b = core_of(b);
  const double radius_a = a.convex.radius, radius_b = b.convex.radius;
  const Vec3 otherwise = across_both(core_a.along, core_b.along);
  double s, t;
  closest_between(core_a, core_b, s, t);
  const double least = norm(core_a.at(s) - core_b.at(t)) - radius_a - radius_b;
  if (!(least < margin)) return;

  const Vec3 turn = cross(core_a.along, core_b.along);
  const double aa = dot(core_a.along, core_a.along), bb = dot(core_b.along, core_b.along);
  constexpr double side_by_side = 0.1;  // sine of the angle
  const std::size_t first = points.size();
  double reached = margin;
  if (dot(turn, turn) < side_by_side * side_by_side * aa * bb) {
    // the stretch they share ends at ends of a or of b; of two that are level, a's counts
    constexpr double level = 1e-3;
    for (std::uint32_t end = 0; end < 2; ++end) {
      const double on_b = place_on(core_b, core_a.at(end)), on_a = place_on(core_a, core_b.at(end));
      if (on_b >= -level && on_b <= 1 + level) {
        touch_balls(core_a.at(end), radius_a, core_b.at(std::clamp(on_b, 0.0, 1.0)), radius_b,
                    margin, end, otherwise, points);
      }
      if (on_a > level && on_a < 1 - level) {
        touch_balls(core_a.at(on_a), radius_a, core_b.at(end), radius_b, margin, 2 + end, otherwise,
                    points);
      }
    }
    for (std::size_t i = first; i < points.size(); ++i) reached = std::min(reached, points[i].gap);
  }
  if (!(reached <= least + 1e-10 * std::min(a.convex.reach, b.convex.reach))) {
    touch_balls(core_a.at(s), radius_a, core_b.at(t), radius_b, margin, 4, otherwise, points);
  }
}

}  // namespace molejo
