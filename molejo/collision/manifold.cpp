#include "molejo/collision/manifold.h"

#include "molejo/collision/contact_parts.h"

namespace molejo {

namespace {

constexpr double far_away = 1e30;

// Half the extent of a convex solid along each world axis, and its middle, for all cores but
// meshes and triangles, which are asked corner by corner.
Aabb bounds(const Convex& c, const Pose& X) {
  const Mat3& R = X.R;
  Vec3 lower = X.p, upper = X.p;
  const auto grow = [&](const Vec3& p) {
    for (int i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], p[i]), upper[i] = std::max(upper[i], p[i]);
    }
  };
  Vec3 half;
  switch (c.core) {
    case Core::point:
      break;
    case Core::segment:
      for (int i = 0; i < 3; ++i) half[i] = std::fabs(R[i].z) * c.half.z;
      break;
    case Core::box:
      for (int i = 0; i < 3; ++i) {
        half[i] = std::fabs(R[i].x) * c.half.x + std::fabs(R[i].y) * c.half.y +
                  std::fabs(R[i].z) * c.half.z;
      }
      break;
    case Core::cylinder:
      // a disc reaches r sqrt(1 - u_i^2), with u its axis
      for (int i = 0; i < 3; ++i) {
        half[i] =
            std::fabs(R[i].z) * c.half.z + std::sqrt(R[i].x * R[i].x + R[i].y * R[i].y) * c.half.x;
      }
      break;
    case Core::triangle:
      lower = upper = X * c.corner[0];
      grow(X * c.corner[1]), grow(X * c.corner[2]);
      break;
    case Core::polyhedron:
      lower = upper = X * c.mesh->vertices.front();
      for (const Vec3& v : c.mesh->vertices) grow(X * v);
      break;
  }
  half += Vec3{c.radius, c.radius, c.radius};
  return {lower - half, upper + half};
}

// The slab |x| <= X, |y| <= Y, z <= top in its own axes, without a bottom.
Aabb bounds_below(double half_x, double half_y, double top, const Pose& X) {
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    const Vec3& r = X.R[i];
    const double side =
        (r.x == 0 ? 0 : std::fabs(r.x) * half_x) + (r.y == 0 ? 0 : std::fabs(r.y) * half_y);
    box.lower[i] = r.z > 0 ? -far_away : std::max(X.p[i] + r.z * top - side, -far_away);
    box.upper[i] = r.z < 0 ? far_away : std::min(X.p[i] + r.z * top + side, far_away);
  }
  return box;
}

constexpr int pair_of(Core a, Core b) { return static_cast<int>(a) * 8 + static_cast<int>(b); }

void touch_convex(const PlacedSolid& a, const PlacedSolid& b, double margin, ManifoldCache& cache,
                  ContactPoints& points) {
  using enum Core;
  const std::size_t first = points.size();
  const auto turn = [&] {
    for (std::size_t i = first; i < points.size(); ++i) points[i].normal = -points[i].normal;
  };
  switch (pair_of(a.convex.core, b.convex.core)) {
    case pair_of(point, point):
      return touch_spheres(a, b, margin, points);
    case pair_of(point, segment):
      return touch_sphere_capsule(a, b, margin, points);
    case pair_of(segment, point):
      return touch_sphere_capsule(b, a, margin, points), turn();
    case pair_of(point, box):
      return touch_sphere_box(a, b, margin, points);
    case pair_of(box, point):
      return touch_sphere_box(b, a, margin, points), turn();
    case pair_of(segment, segment):
      return touch_capsules(a, b, margin, points);
    case pair_of(box, box):
      return touch_boxes(a, b, margin, cache, points);
    default:
      return touch_by_separation(a, b, margin, cache, points);
  }
}

// A few points: by insertion. Equal names, which only huge meshes can give, are told apart.
void sort_by_feature(ContactPoints& points, std::size_t first) {
  for (std::size_t i = first + 1; i < points.size(); ++i) {
    for (std::size_t k = i; k > first && points[k].feature < points[k - 1].feature; --k) {
      std::swap(points[k], points[k - 1]);
    }
  }
  for (std::size_t i = first + 1; i < points.size(); ++i) {
    if (points[i].feature <= points[i - 1].feature) points[i].feature = points[i - 1].feature + 1;
  }
}

}  // namespace

void touch(const TouchShape& a, const Pose& X_WA, const TouchShape& b, const Pose& X_WB,
           double margin, ManifoldCache& cache, ContactPoints& points) {
  using enum TouchShape::Kind;
  const std::size_t first = points.size();
  // ground is always the second of the two
  if (a.kind != convex) {
    if (b.kind != convex) return;
    touch(b, X_WB, a, X_WA, margin, cache, points);
    for (std::size_t i = first; i < points.size(); ++i) points[i].normal = -points[i].normal;
    return;
  }
  const PlacedSolid solid{a.convex, X_WA};
  switch (b.kind) {
    case plane:
      touch_plane(solid, X_WB, margin, points);
      break;
    case height_field:
      touch_terrain(solid, *b.field, X_WB, margin, points);
      break;
    case convex:
      touch_convex(solid, {b.convex, X_WB}, margin, cache, points);
      break;
  }
  sort_by_feature(points, first);
}

Aabb bounds(const TouchShape& shape, const Pose& X_WS) {
  switch (shape.kind) {
    case TouchShape::Kind::plane:
      return bounds_below(1e300, 1e300, 0, X_WS);  // cut off at far_away
    case TouchShape::Kind::height_field: {
      const HeightField& f = *shape.field;
      const double top = *std::max_element(f.heights.begin(), f.heights.end());
      return bounds_below(0.5 * (f.columns - 1) * f.dx, 0.5 * (f.rows - 1) * f.dy, top, X_WS);
    }
    case TouchShape::Kind::convex:
      break;
  }
  return bounds(shape.convex, X_WS);
}

}  // namespace molejo
