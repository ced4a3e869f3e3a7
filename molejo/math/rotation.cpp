#include "molejo/math/rotation.h"
#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

// c(theta) = (1 - (theta/2) cot(theta/2)) / theta^2 and c'(theta) / theta, by series near zero.
struct JacobianCoefficient {
  double c, c_prime_over_theta;
};

JacobianCoefficient jacobian_coefficient(double theta_squared) {
  const double t2 = theta_squared;
  if (t2 < 1e-2) {
    return {1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 / 1209600)),
            1.0 / 360 + t2 * (1.0 / 7560 + t2 * (1.0 / 201600 + t2 / 5987520))};
  }
  const double theta = std::sqrt(t2), half = theta / 2;
  const SinCos<double> sc = sincos(half);
  const double s = sc.sin, cot = sc.cos / s;
  const double c = (1 - half * cot) / t2;
  // derivative of the numerator is -cot/2 + half/(2 s^2)
  const double numerator_prime = -cot / 2 + half / (2 * s * s);
  return {c, (numerator_prime / t2 - 2 * c / theta) / theta};
}

}  // namespace

Mat3 axis_rotation(const Vec3& axis, double angle) {
  const SinCos<double> sc = sincos(angle);
  const Mat3 K = skew(axis);
  return Mat3::identity() + K * sc.sin + (K * K) * (1 - sc.cos);
}

Mat3 rotation_xyz(const Vec3& angles) {
  return axis_rotation({1, 0, 0}, angles.x) * axis_rotation({0, 1, 0}, angles.y) *
         axis_rotation({0, 0, 1}, angles.z);
}

Vec3 angles_xyz(const Mat3& R) {
  return {arc_tangent(-R.r1.z, R.r2.z),
          arc_tangent(R.r0.z, std::sqrt(R.r0.x * R.r0.x + R.r0.y * R.r0.y)),
          arc_tangent(-R.r0.y, R.r0.x)};
}

Quat quaternion(const Mat3& R) {
  // the largest of the four squares keeps the division safe
  const double ww = 1 + R.r0.x + R.r1.y + R.r2.z, xx = 1 + R.r0.x - R.r1.y - R.r2.z;
  const double yy = 1 - R.r0.x + R.r1.y - R.r2.z, zz = 1 - R.r0.x - R.r1.y + R.r2.z;
  const double a = R.r2.y - R.r1.z, b = R.r0.z - R.r2.x, c = R.r1.x - R.r0.y;
  const double d = R.r0.y + R.r1.x, e = R.r0.z + R.r2.x, f = R.r1.z + R.r2.y;
  Quat q;
  if (ww >= xx && ww >= yy && ww >= zz) {
    q = {ww, a, b, c};
  } else if (xx >= yy && xx >= zz) {
    q = {a, xx, d, e};
  } else if (yy >= zz) {
    q = {b, d, yy, f};
  } else {
    q = {c, e, f, zz};
  }
  q = normalized(q);
  return q.w < 0 ? Quat{-q.w, -q.x, -q.y, -q.z} : q;
}

Mat3 frame_from_z(const Vec3& z) {
  // the shortest turn from e3 to z; half a turn about x where that is undefined
  const double across = z.x * z.x + z.y * z.y;
  if (z.z < 0 && across < 1e-24) return {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  // 1 / (1 + z.z), without cancellation where z.z is near -1
  const double f = z.z < 0 ? (1 - z.z) / across : 1 / (1 + z.z);
  return {{1 - z.x * z.x * f, -z.x * z.y * f, z.x},
          {-z.x * z.y * f, 1 - z.y * z.y * f, z.y},
          {-z.x, -z.y, z.z}};
}

Mat3 inverse_right_jacobian(const Vec3& phi) {
  const Mat3 K = skew(phi);
  return Mat3::identity() + K * 0.5 + (K * K) * jacobian_coefficient(dot(phi, phi)).c;
}

Mat3 inverse_right_jacobian_rate(const Vec3& phi, const Vec3& phi_dot) {
  const Mat3 K = skew(phi), K_dot = skew(phi_dot);
  const JacobianCoefficient j = jacobian_coefficient(dot(phi, phi));
  return K_dot * 0.5 + (K * K) * (j.c_prime_over_theta * dot(phi, phi_dot)) +
         (K_dot * K + K * K_dot) * j.c;
}

}  // namespace molejo
