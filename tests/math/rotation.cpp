#include "molejo/math/rotation.h"

#include <doctest/doctest.h>

#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

double distance(const Mat3& a, const Mat3& b) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) worst = std::max(worst, max_abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("rotation: matrices are orthogonal and follow the product of quaternions") {
  std::mt19937 random(1);
  for (int n = 0; n < 1000; ++n) {
    const Quat a = exp_quat(random_vector(random) * 3.0), b = exp_quat(random_vector(random) * 3.0);
    const Mat3 R = matrix(a);
    CHECK(distance(transpose(R) * R, Mat3::identity()) < 1e-14);
    CHECK(distance(matrix(a * b), matrix(a) * matrix(b)) < 1e-14);
    CHECK(distance(matrix(quaternion(R)), R) < 1e-14);
  }
}

TEST_CASE("rotation: exp and log undo each other up to half a turn") {
  std::mt19937 random(2);
  for (double size : {1e-12, 1e-8, 1e-4, 0.1, 1.0, 3.0}) {
    for (int n = 0; n < 100; ++n) {
      const Vec3 phi = normalized(random_vector(random)) * size;
      CHECK(max_abs(log_quat(exp_quat(phi)) - phi) <= 4e-15 * std::max(1.0, size));
    }
  }
}

TEST_CASE("rotation: turning about an axis is Rodrigues' formula and the exponential") {
  std::mt19937 random(3);
  for (int n = 0; n < 200; ++n) {
    const Vec3 axis = normalized(random_vector(random));
    const double angle = 3 * symmetric_unit(random);
    CHECK(distance(axis_rotation(axis, angle), matrix(exp_quat(axis * angle))) < 1e-14);
    CHECK(max_abs(axis_rotation(axis, angle) * axis - axis) < 1e-15);
  }
}

TEST_CASE("rotation: the inverse right Jacobian is the rate of the rotation vector") {
  std::mt19937 random(4);
  for (double size : {1e-6, 0.05, 0.099, 0.101, 1.0, 2.8}) {
    for (int n = 0; n < 50; ++n) {
      const Vec3 phi = normalized(random_vector(random)) * size, w = random_vector(random);
      const double h = 1e-5;
      const Vec3 ahead = log_quat(exp_quat(phi) * exp_quat(w * h));
      const Vec3 behind = log_quat(exp_quat(phi) * exp_quat(w * -h));
      const Vec3 rate = inverse_right_jacobian(phi) * w;
      CHECK(max_abs((ahead - behind) / (2 * h) - rate) < 1e-8);

      const Mat3 difference =
          (inverse_right_jacobian(phi + rate * h) - inverse_right_jacobian(phi - rate * h)) *
          (0.5 / h);
      CHECK(distance(inverse_right_jacobian_rate(phi, rate), difference) < 1e-8);
    }
  }
}

TEST_CASE("rotation: a frame from its z axis is right-handed, also upside down") {
  std::mt19937 random(5);
  for (const Vec3& z :
       {Vec3{0, 0, 1}, Vec3{0, 0, -1}, Vec3{0, 1, 0}, normalized(random_vector(random))}) {
    const Mat3 R = frame_from_z(z);
    CHECK(max_abs(R.column(2) - z) < 1e-15);
    CHECK(distance(transpose(R) * R, Mat3::identity()) < 1e-14);
    CHECK(determinant(R) == doctest::Approx(1));
  }
  CHECK(frame_from_z({0, 0, 1}) == Mat3::identity());
}

TEST_CASE("rotation: a million small turns keep the quaternion of unit length") {
  Quat q;
  for (int n = 0; n < 1000000; ++n) q = turned(q, Vec3{1e-3, 2e-3, -5e-4});
  CHECK(std::fabs(std::sqrt(squared_norm(q)) - 1) < 1e-15);
  const Vec3 axis = normalized(Vec3{1e-3, 2e-3, -5e-4});
  CHECK(max_abs(matrix(q) * axis - axis) < 1e-9);
}

TEST_CASE("rotation: the logarithm of a turn is exact to rounding up to half a turn") {
  const Vec3 axis = normalized(Vec3{1, -2, 3});
  for (int n = 1; n <= 3140; ++n) {
    const double theta = 1e-3 * n;
    const Quat q{std::cos(theta / 2), axis.x * std::sin(theta / 2), axis.y * std::sin(theta / 2),
                 axis.z * std::sin(theta / 2)};
    const Vec3 phi = log_quat(q);
    CHECK(max_abs(phi - axis * theta) < 4e-15 * std::max(1.0, theta));
    const double half = theta / 2;
    const double bend = (1 - half * std::cos(half) / std::sin(half)) / (theta * theta);
    // the closed form itself cancels near zero
    CHECK(jacobian_bend(q.w) == doctest::Approx(bend).epsilon(1e-15 + 1e-15 / (theta * theta)));
  }
  CHECK(norm(log_quat(Quat{})) == 0);
  CHECK(log_quat(Quat{0, 0, 0, 1}).z == doctest::Approx(3.141592653589793).epsilon(1e-15));
}

TEST_CASE("rotation: four logarithms at once have the bits of single ones") {
  QuatT<Pack4> four;
  Quat one[4];
  for (int i = 0; i < 4; ++i) {
    one[i] = exp_quat(Vec3{0.9 * i, -1.2 + i, 0.3 - 0.7 * i});
    if (i == 2) one[i] = {-one[i].w, -one[i].x, -one[i].y, -one[i].z};
    four.w.set(i, one[i].w), four.x.set(i, one[i].x);
    four.y.set(i, one[i].y), four.z.set(i, one[i].z);
  }
  const Vec3T<Pack4> phi = log_quat(four);
  for (int i = 0; i < 4; ++i) {
    CHECK(Vec3{phi.x[i], phi.y[i], phi.z[i]} == log_quat(one[i]));
  }
}
