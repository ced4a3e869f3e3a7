#include "molejo/math/solve.h"
#include "molejo/math/matrix.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
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

// Factors A as it is, its diagonal for the sizes of its rows.
int factored(const MatX& A, SparseLdlt& factor) {
  const Sparse s = lower(A);
  factor.analyse(static_cast<int>(A.rows()), s.entries);
  const VecX size = A.diagonal();
  return factor.factorize(s.values.data(), size.data());
}

}  // namespace

TEST_CASE("solve: the sparse factor solves what a dense one solves") {
  std::mt19937 random(11);
  for (int n : {1, 2, 7, 40}) {
    const MatX G = random_rows(n, 3 * n, random);
    const MatX A = G * G.transpose() + 1e-3 * MatX::Identity(n, n);
    SparseLdlt factor;
    CHECK(factored(A, factor) == 0);
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
    SparseLdlt factor;
    CHECK(factored(A, factor) == 5);
    VecX x = b;
    factor.solve(x.data());
    CHECK((A * x - b).norm() < 1e-8 * b.norm());
    int dropped = 0;
    for (int i = 0; i < 17; ++i) dropped += factor.is_dropped(i) ? 1 : 0;
    CHECK(dropped == 5);
  }
}

TEST_CASE("solve: rows that are nothing but rounding are dropped, whatever they claim") {
  std::mt19937 random(13);
  for (int trial = 0; trial < 50; ++trial) {
    // unit rows, of which 6 have lost all but the last digits
    MatX G = MatX::Random(14, 20);
    for (int i = 0; i < 14; ++i) G.row(i) /= G.row(i).norm();
    for (int i = 0; i < 6; ++i) {
      G.row(static_cast<int>(random() % 2) + 2 * i) *= 1e-16 * (1 + static_cast<int>(random() % 9));
    }
    const MatX A = G * G.transpose();
    const Sparse s = lower(A);
    SparseLdlt factor;
    factor.analyse(14, s.entries);
    const VecX size = VecX::Ones(14);
    CHECK(factor.factorize(s.values.data(), size.data()) == 6);
    CHECK(factor.weakest().pivot > 1e-6);
  }
}

TEST_CASE("solve: neither the order of the rows nor their units decide which rank they have") {
  std::mt19937 random(14);
  for (int trial = 0; trial < 200; ++trial) {
    // rows that are all but parallel to others, by 1e-3, one of them by much less: which is seen
    // only when the others have been used up
    const double apart = 1e-3, weak = trial % 2 == 0 ? 1e-6 : 1e-4;
    const MatX base = MatX::Random(8, 16).householderQr().householderQ() * MatX::Identity(8, 8);
    MatX G = MatX::Zero(6, 8);
    G.row(0) = base.col(0).transpose();
    G.row(1) = (base.col(0) + apart * base.col(1)).transpose();
    G.row(2) = (base.col(0) - apart * base.col(1) + weak * base.col(2)).transpose();
    for (int i = 3; i < 6; ++i) G.row(i) = base.col(i).transpose();
    VecX size = VecX::Ones(6);
    std::vector<int> order{0, 1, 2, 3, 4, 5};
    std::shuffle(order.begin(), order.end(), random);
    MatX mixed(6, 8);
    for (int i = 0; i < 6; ++i) {
      const double unit = std::pow(10.0, static_cast<double>(random() % 7) - 3);
      mixed.row(i) = G.row(order[static_cast<std::size_t>(i)]) * unit;
      size[i] = unit * unit;
    }
    const Sparse s = lower(mixed * mixed.transpose());
    SparseLdlt factor;
    factor.analyse(6, s.entries);
    CHECK(factor.factorize(s.values.data(), size.data()) == (weak < 1e-5 ? 1 : 0));
    // the smallest singular value, squared
    const double smallest = G.jacobiSvd().singularValues()[5];
    if (weak < 1e-5) continue;
    CHECK(factor.weakest().pivot > smallest * smallest * 0.99);
    CHECK(factor.weakest().pivot < smallest * smallest * 10);
  }
}
