#include <numbers>

#include "molejo/collision/patch.h"
#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

constexpr int cap_corners = 12;
constexpr std::uint16_t side_line = 2 * cap_corners;  // name of the cylinder's line, end 0

// The plane through a point of sight coordinates p with world normal m.
void set_plane(Patch& patch, const Vec3& m, const Vec3& p, double lift, const Sight& s) {
  const double along = 1 / dot(m, s.n);
  patch.slope_x = -dot(m, s.x) * along, patch.slope_y = -dot(m, s.y) * along;
  patch.height = p.z - patch.slope_x * p.x - patch.slope_y * p.y + lift;
}

Vec3 seen(const Sight& s, const Vec3& world) {
  const Vec3 d = world - s.origin;
  return {dot(s.x, d), dot(s.y, d), dot(s.n, d)};
}

void add_corner(Patch& patch, const Vec3& p, int vertex, int edge) {
  patch.x[patch.count] = p.x, patch.y[patch.count] = p.y;
  patch.vertex[patch.count] = static_cast<std::uint16_t>(vertex);
  patch.edge[patch.count] = static_cast<std::uint16_t>(edge);
  ++patch.count;
}

Patch point_patch(const Vec3& core_point, double lift, const Sight& s) {
  Patch patch;
  const Vec3 p = seen(s, core_point);
  add_corner(patch, p, 0, 0);
  patch.height = p.z + lift;
  return patch;
}

Patch segment_patch(const Vec3& from, const Vec3& to, int name, double lift, const Sight& s) {
  Patch patch;
  const Vec3 p = seen(s, from), q = seen(s, to);
  add_corner(patch, p, name, name), add_corner(patch, q, name + 1, name);
  patch.z[0] = p.z + lift, patch.z[1] = q.z + lift;
  return patch;
}

Patch cap_patch(const PlacedSolid& c, bool upper, double side, const Sight& s) {
  static const struct Circle {
    Circle() {
      for (int k = 0; k < cap_corners; ++k) {
        const double angle = 2 * std::numbers::pi * k / cap_corners;
        const SinCos<double> sc = sincos(angle);
        x[k] = sc.cos, y[k] = sc.sin;
      }
    }
    double x[cap_corners], y[cap_corners];
  } circle;
  const double r = c.convex.half.x, z = upper ? c.convex.half.z : -c.convex.half.z;
  const Vec3 middle = seen(s, c.X * Vec3{0, 0, z});
  const Vec3 u = c.X.R.column(0) * r, v = c.X.R.column(1) * r;
  const Vec3 us{dot(s.x, u), dot(s.y, u), 0}, vs{dot(s.x, v), dot(s.y, v), 0};
  Patch patch;
  const bool forward = upper == (side > 0);
  for (int i = 0; i < cap_corners; ++i) {
    const int k = forward ? i : cap_corners - 1 - i;
    const int edge = forward ? k : (k + cap_corners - 1) % cap_corners;
    const int cap = upper ? cap_corners : 0;
    add_corner(patch, middle + us * circle.x[k] + vs * circle.y[k], cap + k, cap + edge);
  }
  set_plane(patch, c.X.R.column(2), middle, side * c.convex.radius, s);
  return patch;
}

// Cap or side line, whichever looks more towards the other solid.
Patch cylinder_patch(const PlacedSolid& c, double side, const Sight& s) {
  const Vec3 outward = transpose_times(c.X.R, s.n) * side;
  const double across = std::sqrt(outward.x * outward.x + outward.y * outward.y);
  if (std::fabs(outward.z) >= across) return cap_patch(c, outward.z > 0, side, s);
  const double r = c.convex.half.x / across, h = c.convex.half.z;
  return segment_patch(c.X * Vec3{outward.x * r, outward.y * r, -h},
                       c.X * Vec3{outward.x * r, outward.y * r, h}, side_line,
                       side * c.convex.radius, s);
}

// The middle of the vertices that are farthest along `outward`: of a vertex, an edge or a face.
Vec3 middle_of_farthest(const ConvexMesh& mesh, const Vec3& outward, double tie) {
  double farthest = -1e300;
  for (const Vec3& v : mesh.vertices) farthest = std::max(farthest, dot(v, outward));
  Vec3 sum;
  int count = 0;
  for (const Vec3& v : mesh.vertices) {
    if (dot(v, outward) >= farthest - tie) sum += v, ++count;
  }
  return sum / count;
}

// Among the faces that hold the farthest feature, the one that looks most outward.
Patch mesh_patch(const PlacedSolid& solid, double side, const Sight& s) {
  const ConvexMesh& mesh = *solid.convex.mesh;
  const Vec3 outward = transpose_times(solid.X.R, s.n) * side;
  const double near_enough = 1e-6 * solid.convex.reach;
  const Vec3 p = middle_of_farthest(mesh, outward, near_enough);
  const ConvexMesh::Face* best = nullptr;
  double most = 1e-6;
  for (const ConvexMesh::Face& face : mesh.faces) {
    const double facing = dot(face.normal, outward);
    if (facing > most && dot(face.normal, p) > face.offset - near_enough) {
      most = facing, best = &face;
    }
  }
  const double lift = side * solid.convex.radius;
  if (!best) return point_patch(solid.X * p, lift, s);

  Patch patch;
  const int step = (best->count + Patch::room - 1) / Patch::room;
  Vec3 corner;
  for (int i = 0; i < best->count; i += step) {
    // counter-clockwise seen from outside is clockwise seen along the normal of b
    const int k = best->first + (side > 0 ? i : best->count - 1 - i);
    const int edge = side > 0 ? k : best->first + (best->count - 2 - i + best->count) % best->count;
    const int vertex = mesh.face_vertices[static_cast<std::size_t>(k)];
    corner = seen(s, solid.X * mesh.vertices[static_cast<std::size_t>(vertex)]);
    add_corner(patch, corner, vertex, mesh.face_edges[static_cast<std::size_t>(edge)]);
  }
  set_plane(patch, solid.X.R * best->normal, corner, lift, s);
  return patch;
}

Patch triangle_patch(const PlacedSolid& solid, double side, const Sight& s) {
  Vec3 p[3];
  for (int i = 0; i < 3; ++i) p[i] = seen(s, solid.X * solid.convex.corner[i]);
  const Vec3 m = cross(p[1] - p[0], p[2] - p[0]);  // in sight axes
  const double lift = side * solid.convex.radius;
  if (!(std::fabs(m.z) > 1e-6 * norm(m)))
    return point_patch(solid.X * solid.convex.corner[0], lift, s);
  Patch patch;
  for (int i = 0; i < 3; ++i) {
    const int k = m.z > 0 ? i : 2 - i;
    add_corner(patch, p[k], k, m.z > 0 ? k : (k + 2) % 3);
  }
  patch.slope_x = -m.x / m.z, patch.slope_y = -m.y / m.z;
  patch.height = p[0].z - patch.slope_x * p[0].x - patch.slope_y * p[0].y + lift;
  return patch;
}

}  // namespace

Patch box_patch(const PlacedSolid& box, double side, const Sight& s) {
  const Mat3& R = box.X.R;
  const Vec3 h = box.convex.half;
  const Vec3 outward = transpose_times(R, s.n) * side;
  const double ax = std::fabs(outward.x), ay = std::fabs(outward.y), az = std::fabs(outward.z);
  const int i = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
  const bool positive = outward[i] > 0;
  const Vec3 ri = R.column(i), rj = R.column(j) * h[j], rk = R.column(k) * h[k];

  const Vec3 middle = seen(s, box.X.p + ri * (positive ? h[i] : -h[i]));
  const double jx = dot(s.x, rj), jy = dot(s.y, rj), kx = dot(s.x, rk), ky = dot(s.y, rk);
  Patch patch;
  patch.count = 4;
  // signs of j and k turn counter-clockwise about +i
  static constexpr int sign_j[4] = {0, 1, 1, 0}, sign_k[4] = {0, 0, 1, 1};
  const bool forward = positive == (side > 0);
  for (int n = 0; n < 4; ++n) {
    const int c = forward ? n : 3 - n, next = forward ? (n + 1) & 3 : (2 - n) & 3;
    patch.x[n] = middle.x + (sign_j[c] ? jx : -jx) + (sign_k[c] ? kx : -kx);
    patch.y[n] = middle.y + (sign_j[c] ? jy : -jy) + (sign_k[c] ? ky : -ky);
    const int fixed = positive ? 1 << i : 0;
    const int vertex = fixed | (sign_j[c] << j) | (sign_k[c] << k);
    // an edge is named by its direction and its end of lesser coordinates
    const int other = fixed | (sign_j[next] << j) | (sign_k[next] << k);
    const int direction = sign_j[c] != sign_j[next] ? j : k;
    patch.vertex[n] = static_cast<std::uint16_t>(vertex);
    patch.edge[n] = static_cast<std::uint16_t>(8 * direction + (vertex & other));
  }
  set_plane(patch, ri, middle, side * box.convex.radius, s);
  return patch;
}

Patch patch_of(const PlacedSolid& solid, double side, const Sight& s) {
  const Convex& c = solid.convex;
  switch (c.core) {
    case Core::point:
      break;
    case Core::segment:
      return segment_patch(solid.X * Vec3{0, 0, -c.half.z}, solid.X * Vec3{0, 0, c.half.z}, 0,
                           side * c.radius, s);
    case Core::triangle:
      return triangle_patch(solid, side, s);
    case Core::box:
      return box_patch(solid, side, s);
    case Core::cylinder:
      return cylinder_patch(solid, side, s);
    case Core::polyhedron:
      return mesh_patch(solid, side, s);
  }
  return point_patch(solid.X.p, side * c.radius, s);
}

}  // namespace molejo
