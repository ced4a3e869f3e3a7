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

// The shortest rotation vector of q: exp_quat(log_quat(q)) = +-q, |result| <= pi.
Vec3 log_quat(const Quat& q);

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
