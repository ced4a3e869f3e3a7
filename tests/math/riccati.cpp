// Optimal feedback: closed forms, and the fixed point as a second method.
#include "molejo/math/riccati.h"
#include "molejo/math/decompositions.h"
#include "molejo/math/eigenvalues.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "molejo/math/random.h"

using namespace molejo;

namespace {

MatX random_matrix(int rows, int columns, Random& random) {
  MatX M(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) M(i, j) = random.normal();
  }
  return M;
}

// Joseph's form, in which P stays symmetric.
MatX fixed_point(const MatX& A, const MatX& B, const MatX& Q, const MatX& R, int iterations) {
  MatX P = Q;
  for (int i = 0; i < iterations; ++i) {
    const MatX K = (R + B.transpose() * P * B).inverse() * B.transpose() * P * A;
    const MatX closed = A - B * K;
    P = closed.transpose() * P * closed + K.transpose() * R * K + Q;
  }
  return P;
}

MatX number(double x) { return MatX::Constant(1, 1, x); }

}  // namespace

TEST_CASE("riccati: one state has a quadratic equation") {
  // p = a^2 p - (a b p)^2 / (r + b^2 p) + q
  for (const double a : {0.0, 0.5, 1.0, 3.0, -2.0}) {
    const double b = 2, q = 3, r = 5;
    const Riccati solved = solve_riccati(number(a), number(b), number(q), number(r));
    CAPTURE(a);
    REQUIRE(solved.converged);
    const double s = r * (1 - a * a) - b * b * q;  // b^2 p^2 + s p - q r = 0
    const double p = (-s + std::sqrt(s * s + 4 * b * b * q * r)) / (2 * b * b);
    CHECK(std::fabs(solved.P(0, 0) / p - 1) < 1e-13);
    CHECK(std::fabs(solved.K(0, 0) - a * b * p / (r + b * b * p)) < 1e-13);
  }
}

TEST_CASE("riccati: doubling equals the fixed point, in 20 steps at most") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const int n = 12, m = 4;
    const MatX A = random_matrix(n, n, random) * 0.4, B = random_matrix(n, m, random);
    const MatX C = random_matrix(n, n, random), D = random_matrix(m, m, random);
    const MatX Q = C.transpose() * C, R = D.transpose() * D + MatX::Identity(m, m);
    const Riccati solved = solve_riccati(A, B, Q, R);
    CAPTURE(seed);
    CAPTURE(spectral_radius(A));
    REQUIRE(solved.converged);
    CHECK(solved.steps <= 20);
    CHECK(solved.residual < 1e-12);
    CHECK((solved.P - fixed_point(A, B, Q, R, 3000)).norm() < 1e-9 * solved.P.norm());
    CHECK(solved.P == MatX(solved.P.transpose()));
    CHECK(spectral_radius(A - B * solved.K) < 1);
  }
}

TEST_CASE("riccati: the cost of the closed loop is x^T P x, and no other gain is cheaper") {
  Random random(11);
  const int n = 5, m = 2;
  const MatX A = random_matrix(n, n, random) * 0.7, B = random_matrix(n, m, random);
  const MatX Q = MatX::Identity(n, n), R = MatX::Identity(m, m);
  const Riccati solved = solve_riccati(A, B, Q, R);
  REQUIRE(solved.converged);
  const VecX start = random_matrix(n, 1, random);
  const auto cost = [&](const MatX& K) {
    double sum = 0;
    VecX x = start;
    for (int t = 0; t < 2000; ++t) {
      const VecX u = -K * x;
      sum += x.dot(Q * x) + u.dot(R * u);
      x = A * x + B * u;
    }
    return sum;
  };
  const double best = start.dot(solved.P * start);
  CHECK(std::fabs(cost(solved.K) / best - 1) < 1e-12);
  for (int i = 0; i < 20; ++i) {
    CHECK(cost(solved.K + 1e-3 * random_matrix(m, n, random)) > best);
  }
}

TEST_CASE("riccati: as large as a step-to-step map, with unstable directions") {
  Random random(2);
  const int n = 71, m = 16;
  MatX A = random_matrix(n, n, random);
  A *= 3.7 / spectral_radius(A);
  const MatX B = random_matrix(n, m, random);
  const Riccati solved = solve_riccati(A, B, MatX::Identity(n, n), 0.1 * MatX::Identity(m, m));
  REQUIRE(solved.converged);
  CHECK(spectral_radius(A - B * solved.K) < 1);
}

TEST_CASE("riccati: what cannot be stabilised is told") {
  // the second state grows and no input reaches it
  MatX A = MatX::Zero(2, 2), B = MatX::Zero(2, 1);
  A(0, 0) = 0.5, A(1, 1) = 1.5, B(0, 0) = 1;
  CHECK_FALSE(solve_riccati(A, B, MatX::Identity(2, 2), number(1)).converged);
  // R not positive definite, numbers not finite
  CHECK_FALSE(solve_riccati(A, B, MatX::Identity(2, 2), number(-1)).converged);
  A(0, 0) = NAN;
  CHECK_FALSE(solve_riccati(A, B, MatX::Identity(2, 2), number(1)).converged);
}

TEST_CASE("riccati: spectral radius of rotations and triangles") {
  MatX turn(2, 2);
  turn << 0.6, -0.8, 0.8, 0.6;
  CHECK(std::fabs(spectral_radius(2 * turn) - 2) < 1e-14);
  MatX triangle = MatX::Zero(3, 3);
  triangle << 1, 5, 7, 0, -4, 9, 0, 0, 2;
  CHECK(std::fabs(spectral_radius(triangle) - 4) < 1e-14);
  CHECK(spectral_radius(MatX(0, 0)) == 0);
  CHECK(std::isnan(spectral_radius(number(NAN))));
}
