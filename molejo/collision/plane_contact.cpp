#include "molejo/collision/patch.h"

namespace molejo {

namespace {

const double sqrt_half = std::sqrt(0.5);

void touch_box(const PlacedSolid& a, const Vec3& n, double height, double margin,
               ContactPoints& points) {
  // height of a corner = height of the middle +- the three half axes
  const Vec3 up = transpose_times(a.X.R, n);
  const Vec3 half = a.convex.half;
  const Vec3 rise{up.x * half.x, up.y * half.y, up.z * half.z};
  const double lowest = height - std::fabs(rise.x) - std::fabs(rise.y) - std::fabs(rise.z);
  if (!(lowest < margin)) return;

  double gap[8];
  int below = 0;
  for (int i = 0; i < 8; ++i) {
    gap[i] = height + (i & 1 ? rise.x : -rise.x) + (i & 2 ? rise.y : -rise.y) +
             (i & 4 ? rise.z : -rise.z);
    below += gap[i] < margin;
  }
  // more than four: those of the face that looks down most; the lowest corner is one of them
  int face_bit = 0;
  if (below > 4) {
    const double x = std::fabs(up.x), y = std::fabs(up.y), z = std::fabs(up.z);
    face_bit = z >= x && z >= y ? 4 : y >= x ? 2 : 1;
  }
  const int face_value = face_bit != 0 && up[face_bit == 4 ? 2 : face_bit - 1] < 0 ? face_bit : 0;
  for (int i = 0; i < 8; ++i) {
    if (!(gap[i] < margin) || (i & face_bit) != face_value) continue;
    const Vec3 corner{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    points.push_back(
        contact_at(a.X * corner - n * a.convex.radius, n, gap[i], static_cast<std::uint32_t>(i)));
  }
}

void touch_cylinder(const PlacedSolid& a, const Vec3& n, double height, double margin,
                    ContactPoints& points) {
  const Vec3 up = transpose_times(a.X.R, n);
  RimPoint footing[4];
  const int count = cylinder_footing(a.convex.half, -up, footing);
  for (int i = 0; i < count; ++i) {
    const double gap = height + dot(up, footing[i].p);
    if (gap < margin) {
      points.push_back(
          contact_at(a.X * footing[i].p - n * a.convex.radius, n, gap, footing[i].feature));
    }
  }
}

// Vertices below the margin, of which keep_four chooses; `corner(i)` in the solid's frame.
template <class Corner>
void touch_vertices(const PlacedSolid& a, const Vec3& n, double height, double margin, int count,
                    const Corner& corner, ContactPoints& points) {
  const Mat3 across = frame_from_z(n);
  const Vec3 x = transpose_times(a.X.R, across.column(0)),
             y = transpose_times(a.X.R, across.column(1));
  const Vec3 up = transpose_times(a.X.R, n);
  constexpr int room = 64;
  Meeting found[room];
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 c = corner(i);
    const double gap = height + dot(up, c);
    if (!(gap < margin)) continue;
    if (kept == room) kept = keep_four(found, kept, margin);
    found[kept++] = {dot(x, c), dot(y, c), gap, 0, static_cast<std::uint32_t>(i)};
  }
  kept = keep_four(found, kept, margin);
  for (int k = 0; k < kept; ++k) {
    const Vec3 tip = a.X * corner(static_cast<int>(found[k].feature)) - n * a.convex.radius;
    points.push_back(contact_at(tip, n, found[k].gap(), found[k].feature));
  }
}

}  // namespace

int cylinder_footing(const Vec3& half, const Vec3& down, RimPoint (&points)[4]) {
  const double r = half.x, h = half.z;
  const bool upper = down.z > 0;
  const double z = upper ? h : -h;
  const std::uint32_t cap = upper ? rim_upper_cap : 0;
  const double tilt = std::sqrt(down.x * down.x + down.y * down.y);  // sine of the tilt
  const bool lying = tilt > sqrt_half;
  // below this the direction of the lowest point is noise
  const double x = tilt > 1e-12 ? down.x / tilt : 1, y = tilt > 1e-12 ? down.y / tilt : 0;

  if (lying) {
    points[0] = {{r * x, r * y, z}, cap + rim_lowest};
    points[1] = {{r * x, r * y, -z}, (cap ^ rim_upper_cap) + rim_lowest};
    return 2;
  }
  // the lowest point takes the place of the nearest fixed one. Nearly upright it takes its name as
  // well, since it may be anywhere in the next step; a coin that rolls on its rim keeps one name.
  const std::uint32_t nearest = std::fabs(x) >= std::fabs(y) ? (x > 0 ? 0 : 2) : (y > 0 ? 1 : 3);
  constexpr double upright = 0.05;
  points[0] = {{r * x, r * y, z}, cap + (tilt > upright ? rim_lowest : rim_fixed + nearest)};
  int count = 1;
  constexpr double tilted = 0.3;  // the cap no longer looks at the ground
  if (tilt > tilted) return count;
  constexpr double cosine[4] = {1, 0, -1, 0}, sine[4] = {0, 1, 0, -1};
  for (std::uint32_t k = 0; k < 4; ++k) {
    if (k != nearest) points[count++] = {{r * cosine[k], r * sine[k], z}, cap + rim_fixed + k};
  }
  return count;
}

void touch_plane(const PlacedSolid& a, const Pose& X_WP, double margin, ContactPoints& points) {
  const Vec3 n = X_WP.R.column(2);
  const Convex& c = a.convex;
  const double height = dot(n, a.X.p - X_WP.p) - c.radius;
  if (!(height - c.reach < margin) && c.reach > 0) return;
  switch (c.core) {
    case Core::point:
      if (height < margin) points.push_back(contact_at(a.X.p - n * c.radius, n, height, 0));
      return;
    case Core::segment:
      touch_vertices(
          a, n, height, margin, 2,
          [&](int i) {
            return Vec3{0, 0, i == 0 ? -c.half.z : c.half.z};
          },
          points);
      return;
    case Core::triangle:
      touch_vertices(
          a, n, height, margin, 3, [&](int i) { return c.corner[i]; }, points);
      return;
    case Core::box:
      touch_box(a, n, height, margin, points);
      return;
    case Core::cylinder:
      touch_cylinder(a, n, height, margin, points);
      return;
    case Core::polyhedron:
      touch_vertices(
          a, n, height, margin, static_cast<int>(c.mesh->vertices.size()),
          [&](int i) { return c.mesh->vertices[static_cast<std::size_t>(i)]; }, points);
      return;
  }
}

}  // namespace molejo
