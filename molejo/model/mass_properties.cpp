#include "molejo/model/mass_properties.h"

#include <algorithm>

#include "molejo/math/angles.h"

namespace molejo {

namespace {

MassProperties solid(const Sphere& s, double density) {
  const double m = density * 4 / 3 * pi * s.radius * s.radius * s.radius;
  const double i = 0.4 * m * s.radius * s.radius;
  return {m, {}, Sym3::diagonal(i, i, i)};
}

MassProperties solid(const Box& b, double density) {
  const Vec3 h = b.half;
  const double m = density * 8 * h.x * h.y * h.z;
  const double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
  return {m, {}, Sym3::diagonal(yy + zz, xx + zz, xx + yy) * (m / 3)};
}

MassProperties solid(const Cylinder& c, double density) {
  const double rr = c.radius * c.radius, hh = c.half_length * c.half_length;
  const double m = density * 2 * pi * rr * c.half_length;
  const double across = m * (rr / 4 + hh / 3);
  return {m, {}, Sym3::diagonal(across, across, m * rr / 2)};
}

// Two half balls on a cylinder. A half ball of mass m has its centre of mass 3r/8 above its flat
// side and the transverse moment 2/5 m r^2 about the centre of that side.
MassProperties solid(const Capsule& c, double density) {
  const double r = c.radius, h = c.half_length, rr = r * r;
  const MassProperties barrel = solid(Cylinder{r, h}, density);
  const double m = density * 2 / 3 * pi * rr * r;
  const double across = m * (0.4 * rr + h * (h + 0.75 * r));
  const Sym3 caps = Sym3::diagonal(across, across, 0.4 * m * rr) * 2.0;
  return {barrel.mass + 2 * m, {}, barrel.I_BC + caps};
}

// Signed tetrahedra from one vertex o of the surface to each triangle (a, b, c), with s = a+b+c:
//   volume det/6,   first moment det s/24,   second moment det (s s^T + a a^T + b b^T + c c^T)/120
MassProperties solid(const Polyhedron& p, double density) {
  if (p.triangles.empty()) return {};
  const Vec3 o = p.vertices.front();
  const auto outer = [](const Vec3& a) {
    return Sym3{a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
  };
  double volume = 0;
  Vec3 first;
  Sym3 second;
  for (const auto& [i, j, k] : p.triangles) {
    const Vec3 a = p.vertices[static_cast<std::size_t>(i)] - o;
    const Vec3 b = p.vertices[static_cast<std::size_t>(j)] - o;
    const Vec3 c = p.vertices[static_cast<std::size_t>(k)] - o;
    const double det = dot(a, cross(b, c));
    const Vec3 s = a + b + c;
    volume += det / 6;
    first += s * (det / 24);
    second += (outer(s) + outer(a) + outer(b) + outer(c)) * (det / 120);
  }
  if (!(volume > 0)) return {};

  // from o to the centre of mass, and from second moments C to inertia tr(C) 1 - C
  const Vec3 oc = first / volume;
  const Sym3 C = second + outer(oc) * -volume;
  const double m = density * volume;
  const Sym3 I{C.yy + C.zz, C.xx + C.zz, C.xx + C.yy, -C.xy, -C.xz, -C.yz};
  return {m, o + oc, I * density};
}

MassProperties solid(const Plane&, double) { return {}; }
MassProperties solid(const HeightField&, double) { return {}; }

}  // namespace

MassProperties mass_properties(const Shape& shape, double density) {
  const MassProperties m =
      std::visit([&](const auto& geometry) { return solid(geometry, density); }, shape.geometry);
  return transformed(shape.X_BS, m);
}

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double m = a.mass + b.mass;
  if (!(m > 0)) return {};
  // two masses at distance d have the reduced mass a b / (a + b) at that distance
  const Vec3 d = b.p_BC - a.p_BC;
  return {m, a.p_BC + d * (b.mass / m), a.I_BC + b.I_BC + point_inertia(a.mass * (b.mass / m), d)};
}

MassProperties transformed(const Pose& X_AB, const MassProperties& m) {
  return {m.mass, X_AB * m.p_BC, rotated(X_AB.R, m.I_BC)};
}

// Cyclic Jacobi: plane rotations that zero one off-diagonal element after the other
// (Golub and Van Loan, Matrix Computations, 4th ed., section 8.5).
PrincipalInertia principal_inertia(const Sym3& I) {
  Mat3 A = full(I), V = Mat3::identity();
  const auto length = [](double x) { return std::sqrt(1 + x * x); };  // of (1, x)
  constexpr int sweeps = 30;  // it converges quadratically, in about five
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (A[0][1] == 0 && A[0][2] == 0 && A[1][2] == 0) break;
    for (const auto& [p, q] : {std::array{0, 1}, std::array{0, 2}, std::array{1, 2}}) {
      if (A[p][q] == 0) continue;
      const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
      const double t = std::copysign(1 / (std::fabs(theta) + length(theta)), theta);
      const double c = 1 / length(t), s = t * c;
      Mat3 J = Mat3::identity();
      J[p][p] = c, J[q][q] = c, J[p][q] = s, J[q][p] = -s;
      // rounding leaves a residue in the element that is now zero
      A = transpose(J) * (A * J);
      A[p][q] = A[q][p] = 0;
      V = V * J;
    }
  }

  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return A[a][a] < A[b][b]; });
  const Vec3 x = V.column(order[0]), y = V.column(order[1]);
  return {{A[order[0]][order[0]], A[order[1]][order[1]], A[order[2]][order[2]]},
          from_columns(x, y, cross(x, y))};
}

bool is_physical_inertia(const Sym3& I, double slack) {
  const double sum = I.xx + I.yy + I.zz + I.xy + I.xz + I.yz;
  if (!std::isfinite(sum)) return false;
  const Vec3 m = principal_inertia(I).moments;
  return m.x > 0 && m.z <= (m.x + m.y) * (1 + slack);
}

}  // namespace molejo
