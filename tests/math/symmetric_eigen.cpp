#include "molejo/math/symmetric_eigen.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/math/random.h"

using namespace molejo;

namespace {

MatX random_symmetric(int n, unsigned seed) {
  Random random(seed);
  MatX A(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) A(i, j) = A(j, i) = random.normal();
  }
  return A;
}

}  // namespace

TEST_CASE("symmetric eigen: Q diag Q^T is the matrix, Q is orthonormal, values rise") {
  for (const int n : {1, 2, 3, 5, 20, 87}) {
    CAPTURE(n);
    const MatX A = random_symmetric(n, static_cast<unsigned>(n));
    SymmetricEigen eigen(n);
    REQUIRE(eigen.compute(A));
    const MatX& Q = eigen.vectors();
    CHECK((Q * eigen.values().asDiagonal() * Q.transpose() - A).norm() < 1e-14 * n * A.norm());
    CHECK((Q.transpose() * Q - MatX::Identity(n, n)).norm() < 1e-14 * n);
    for (int i = 0; i + 1 < n; ++i) CHECK(eigen.values()[i] <= eigen.values()[i + 1]);
  }
}

TEST_CASE("symmetric eigen: the chain of springs has its closed form") {
  // 2 on the diagonal, -1 beside: 4 sin^2(k pi / (2 (n + 1)))
  constexpr int n = 50;
  MatX A = 2 * MatX::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) A(i + 1, i) = -1;
  A.triangularView<Eigen::StrictlyUpper>().setConstant(NAN);  // only the lower triangle is read
  SymmetricEigen eigen(n);
  REQUIRE(eigen.compute(A));
  for (int k = 1; k <= n; ++k) {
    const double s = std::sin(k * 3.141592653589793 / (2 * (n + 1)));
    CHECK(std::fabs(eigen.values()[k - 1] - 4 * s * s) < 1e-14);
  }
}

TEST_CASE("symmetric eigen: equal values, zeros, tiny, huge and mixed scales") {
  SymmetricEigen eigen(4);
  REQUIRE(eigen.compute(MatX::Identity(4, 4)));
  CHECK(eigen.values() == VecX::Ones(4));
  REQUIRE(eigen.compute(MatX::Zero(4, 4)));
  CHECK(eigen.values() == VecX::Zero(4));
  for (const double scale : {1e-200, 1e200}) {
    REQUIRE(eigen.compute(scale * random_symmetric(4, 9)));
    const VecX scaled = eigen.values() / scale;
    REQUIRE(eigen.compute(random_symmetric(4, 9)));
    CHECK((scaled - eigen.values()).norm() < 1e-14);
  }
  // one row 1e12 times the others
  VecX d(4);
  d << 1e-6, 1, 1, 1e6;
  const MatX A =
      d.asDiagonal() * (random_symmetric(4, 2) + 5 * MatX::Identity(4, 4)) * d.asDiagonal();
  REQUIRE(eigen.compute(A));
  CHECK(std::fabs(eigen.values().sum() / A.trace() - 1) < 1e-13);
}

TEST_CASE("symmetric eigen: what is not finite is refused") {
  SymmetricEigen eigen(3);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    MatX A = MatX::Identity(3, 3);
    A(2, 1) = bad;
    CHECK_FALSE(eigen.compute(A));
  }
}
