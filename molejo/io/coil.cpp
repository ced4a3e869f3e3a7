#include "molejo/io/coil.h"

#include <algorithm>
#include <numbers>

namespace molejo {

namespace {

constexpr int coil_turns = 9, steps_per_turn = 14, coil_sides = 6;

// A tube along the helix (r cos a, r sin a, z), its ends closed.
Mesh helix(double length) {
  const double radius = 0.055 * length, wire = 0.012 * length;
  const int steps = coil_turns * steps_per_turn;
  Mesh mesh;
  for (int i = 0; i <= steps; ++i) {
    const double a = 2 * std::numbers::pi * i / steps_per_turn;
    const Vec3 out{std::cos(a), std::sin(a), 0};
    const double rise = length / (2 * std::numbers::pi * coil_turns);
    const Vec3 along = normalized(Vec3{-radius * out.y, radius * out.x, rise});
    const Vec3 side = cross(along, out);
    const Vec3 centre = out * radius + Vec3{0, 0, length * i / steps};
    for (int k = 0; k < coil_sides; ++k) {
      const double b = 2 * std::numbers::pi * k / coil_sides;
      const Vec3 normal = out * std::cos(b) + side * std::sin(b);
      mesh.positions.push_back(centre + normal * wire);
      mesh.normals.push_back(normal);
    }
  }
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < coil_sides; ++k) {
      const int a = i * coil_sides + k, b = i * coil_sides + (k + 1) % coil_sides;
      mesh.triangles.push_back({a, b, b + coil_sides});
      mesh.triangles.push_back({a, b + coil_sides, a + coil_sides});
    }
  }
  for (int k = 1; k + 1 < coil_sides; ++k) {
    const int end = steps * coil_sides;
    mesh.triangles.push_back({0, k + 1, k});
    mesh.triangles.push_back({end, end + k, end + k + 1});
  }
  return mesh;
}

// The frame with third column z whose first column is as near to that of R as possible.
Mat3 turned_to(const Mat3& R, const Vec3& z) {
  Vec3 x = R.column(0) - z * dot(R.column(0), z);
  if (norm(x) < 0.1) x = cross(R.column(1), z);
  x = normalized(x);
  return from_columns(x, cross(z, x), z);
}

}  // namespace

Coil coil(const PointSpring& spring, const std::vector<const Frame*>& frames) {
  const auto attachment = [](const Frame& frame, BodyId body, const Vec3& p) {
    return body.is_world() ? p : frame.X_WB[static_cast<std::size_t>(body.index)] * p;
  };
  Coil out;
  double length_at_one = spring.rest_length;
  Mat3 R = Mat3::identity();
  for (const Frame* frame : frames) {
    const Vec3 a = attachment(*frame, spring.body_1, spring.p_1);
    const Vec3 d = attachment(*frame, spring.body_2, spring.p_2) - a;
    const double length = norm(d);
    if (out.X_WS.empty() && !(length_at_one > 0)) length_at_one = std::max(length, 1e-3);
    // a spring of no length keeps its direction
    if (length > 1e-9 * length_at_one) R = turned_to(R, d / length);
    out.X_WS.push_back({R, a});
    out.stretch.push_back(std::max(length / length_at_one, 1e-3));
  }
  out.mesh = helix(length_at_one > 0 ? length_at_one : 1);
  return out;
}

}  // namespace molejo
