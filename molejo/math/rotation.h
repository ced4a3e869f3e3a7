// Rotations: unit quaternions (scalar first), matrices and rotation vectors.
//
//   exp(phi) = (cos(|phi|/2), sin(|phi|/2) phi/|phi|)      R(q) = rotation matrix of q
//
// A rotation changes by a vector in its own (body) axes: q (+) phi = q exp(phi), so that
// d/dt q = 1/2 q (0, w) with w the angular velocity in body axes.
// Source of the Jacobian of exp: Bullo and Murray, "PD control on the Euclidean group" (1995).
#pragma once

#include "molejo/math/pack.h"
#include "molejo/math/types.h"

namespace molejo {

template <class S>
struct QuatT {
  S w{1.0}, x{}, y{}, z{};
  bool operator==(const QuatT&) const = default;
};
using Quat = QuatT<double>;

template <class S>
QuatT<S> operator*(const QuatT<S>& a, const QuatT<S>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class S>
QuatT<S> conjugate(const QuatT<S>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class S>
S squared_norm(const QuatT<S>& q) {
  return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}
// q / |q|; q must not be zero.
template <class S>
QuatT<S> normalized(const QuatT<S>& q) {
  const S f = 1.0 / square_root(squared_norm(q));
  return {q.w * f, q.x * f, q.y * f, q.z * f};
}

// Rotation matrix of a unit quaternion.
template <class S>
Mat3T<S> matrix(const QuatT<S>& q) {
  const S x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const S wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  const S xx = q.x * x2, xy = q.x * y2, xz = q.x * z2;
  const S yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
  return {{1.0 - (yy + zz), xy - wz, xz + wy},
          {xy + wz, 1.0 - (xx + zz), yz - wx},
          {xz - wy, yz + wx, 1.0 - (xx + yy)}};
}

inline Vec3 rotated(const Quat& q, const Vec3& v) { return matrix(q) * v; }
// v turned about the z axis.
inline Vec3 turned_by(double heading, const Vec3& v) {
  const SinCos<double> sc = sincos(heading);
  return {sc.cos * v.x - sc.sin * v.y, sc.sin * v.x + sc.cos * v.y, v.z};
}

// exp(phi), for a rotation vector phi of any length.
template <class S>
QuatT<S> exp_quat(const Vec3T<S>& phi) {
  // z = (|phi|/2)^2: the series serves small turns, sine and cosine the others
  const S z = 0.25 * dot(phi, phi);
  S c = cos_series(z);
  S f = 0.5 + 0.5 * sinc_minus_one(z);
  const auto large = z > S(0.5);
  if (any(large)) {
    const S half = square_root(z);
    const SinCos<S> sc = sincos(half);
    c = select(large, sc.cos, c);
    f = select(large, 0.5 * sc.sin / half, f);
  }
  return {c, phi.x * f, phi.y * f, phi.z * f};
}

// q (+) phi, for a q of unit length up to rounding: one step of Newton's method keeps it so, for
// less than a square root.
template <class S>
QuatT<S> turned(const QuatT<S>& q, const Vec3T<S>& phi) {
  const QuatT<S> p = q * exp_quat(phi);
  const S f = 1.5 - 0.5 * squared_norm(p);
  return {p.w * f, p.x * f, p.y * f, p.z * f};
}

// sum a_n x^n, even and odd powers apart: two short chains instead of a long one.
template <int count, class S>
S polynomial(const double (&a)[count], const S& x) {
  static_assert(count % 2 == 0);
  const S z = x * x;
  S even(a[count - 2]), odd(a[count - 1]);
  for (int n = count - 4; n >= 0; n -= 2) even = even * z + a[n], odd = odd * z + a[n + 1];
  return even + x * odd;
}

// Of a turn by theta, from c = cos(theta/2) in [0, 1]. Both are analytic there, with their nearest
// pole at c = -1: Chebyshev expansions, written out in powers of 2c - 1, reach 1e-16.
//   angle_per_sine      theta / sin(theta/2)
//   jacobian_bend       (1 - (theta/2) cot(theta/2)) / theta^2
template <class S>
S angle_per_sine(const S& c) {
  constexpr double a[] = {2.4183991523122903,      -0.5272002825625699,     0.13946638410409384,
                          -0.039674293844957548,   0.01172325794991518,     -0.0035458569222198669,
                          0.0010895479762603622,   -0.00033861989478124245, 0.00010614740646112965,
                          -3.3498286494563746e-05, 1.0628574376183841e-05,  -3.387278241702014e-06,
                          1.0837163971455429e-06,  -3.4777097995389664e-07, 1.1151477685776574e-07,
                          -3.5929579148688805e-08, 1.2066320019556467e-08,  -3.9333237837102538e-09,
                          9.3620238072511023e-10,  -2.9205650631699837e-10, 2.3780302913700691e-10,
                          -7.9692407205838724e-11};
  return polynomial(a, 2.0 * c - 1.0);
}
template <class S>
S jacobian_bend(const S& c) {
  constexpr double a[] = {0.090140439339811973,    -0.0083913530340701641,  0.0020116598227635798,
                          -0.00055011292208628044, 0.00015914524996407089,  -4.7505276523737183e-05,
                          1.4466532552657047e-05,  -4.4668479448987735e-06, 1.393324687534241e-06,
                          -4.3800935223165713e-07, 1.3855480346683629e-07,  -4.4045719164558956e-08,
                          1.4032693499106247e-08,  -4.4919313647920542e-09, 1.4800818427879916e-09,
                          -4.7916077014072363e-10, 1.2314633306267915e-10,  -3.8584510575403368e-11,
                          2.7330595033151339e-11,  -9.1290960883261924e-12};
  return polynomial(a, 2.0 * c - 1.0);
}

// The shortest rotation vector of a unit quaternion: exp_quat(log_quat(q)) = +-q, |result| <= pi.
template <class S>
Vec3T<S> log_quat(const QuatT<S>& q) {
  const S c = absolute(q.w);
  const S f = angle_per_sine(c) * select(q.w < S(0.0), S(-1.0), S(1.0));
  return {q.x * f, q.y * f, q.z * f};
}

// Rotation matrix about a unit axis.
Mat3 axis_rotation(const Vec3& axis, double angle);

// R = Rx(a.x) Ry(a.y) Rz(a.z), turns about axes that have turned already, and the angles of an R:
// a.y within a quarter turn.
Mat3 rotation_xyz(const Vec3& angles);
Vec3 angles_xyz(const Mat3& R);

// Unit quaternion of a rotation matrix, w >= 0.
Quat quaternion(const Mat3& R);

// A rotation matrix whose third column is the unit vector z; the others are chosen smoothly
// except at z = -e3, and form the identity for z = e3.
Mat3 frame_from_z(const Vec3& z);

// If phi(t) is the rotation vector of q(t) and w its angular velocity in body axes:
//   d/dt phi = inverse_right_jacobian(phi) w
// Regular for |phi| < 2 pi.
Mat3 inverse_right_jacobian(const Vec3& phi);
// d/dt of the above while phi changes at the rate phi_dot.
Mat3 inverse_right_jacobian_rate(const Vec3& phi, const Vec3& phi_dot);

// Pose X_AB: orientation R_AB and origin p_AB of frame B in frame A; X_AC = X_AB * X_BC.
struct Pose {
  Mat3 R = Mat3::identity();
  Vec3 p;

  bool operator==(const Pose&) const = default;
};
inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.p + a.R * b.p}; }
inline Vec3 operator*(const Pose& X, const Vec3& p) { return X.p + X.R * p; }
inline Pose inverse(const Pose& X) { return {transpose(X.R), -transpose_times(X.R, X.p)}; }

}  // namespace molejo
