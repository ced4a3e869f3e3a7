#include "molejo/math/solve.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "molejo/math/types.h"

using namespace molejo;

namespace {

// Random sparse rows G; A = G G^T has rank min(rows, independent rows).
MatX random_rows(int rows, int columns, std::mt19937& random) {
  MatX G = MatX::Zero(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int n = 0; n < 4; ++n) {
      G(i, static_cast<int>(random() % static_cast<unsigned>(columns))) =
          static_cast<double>(random()) / 2147483648.0 - 1;
    }
  }
  return G;
}

struct Sparse {
  std::vector<SparseLdlt::Entry> entries;
  std::vector<double> values;
};
Sparse lower(const MatX& A) {
  Sparse s;
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j <= i; ++j) {
      if (A(i, j) == 0 && i != j) continue;
      s.entries.push_back({i, j});
      s.values.push_back(A(i, j));
    }
  }
  return s;
}

}  // namespace

TEST_CASE("solve: the sparse factor solves what a dense one solves") {
  std::mt19937 random(11);
  for (int n : {1, 2, 7, 40}) {
    const MatX G = random_rows(n, 3 * n, random);
    const MatX A = G * G.transpose() + 1e-3 * MatX::Identity(n, n);
    const Sparse s = lower(A);
    SparseLdlt factor;
    factor.analyse(n, s.entries);
    CHECK(factor.factorize(s.values.data()) == 0);
    const VecX b = VecX::Random(n);
    VecX x = b;
    factor.solve(x.data());
    CHECK((A * x - b).norm() < 1e-10 * (1 + b.norm()));
    CHECK((x - A.ldlt().solve(b)).norm() < 1e-8 * (1 + x.norm()));
  }
}

TEST_CASE("solve: dependent rows are dropped and a consistent system is solved exactly") {
  std::mt19937 random(12);
  for (int trial = 0; trial < 50; ++trial) {
    // 12 independent rows and 5 combinations of them
    const MatX base = MatX::Random(12, 20);
    MatX G(17, 20);
    G.topRows(12) = base;
    G.bottomRows(5) = MatX::Random(5, 12) * base;
    const MatX A = G * G.transpose();
    const VecX b = G * VecX::Random(20);  // in the range of A
    const Sparse s = lower(A);
    SparseLdlt factor;
    factor.analyse(17, s.entries);
    CHECK(factor.factorize(s.values.data()) == 5);
    VecX x = b;
    factor.solve(x.data());
    CHECK((A * x - b).norm() < 1e-8 * b.norm());
    int dropped = 0;
    for (int i = 0; i < 17; ++i) dropped += factor.is_dropped(i) ? 1 : 0;
    CHECK(dropped == 5);
  }
}
