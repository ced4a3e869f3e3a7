// ANIMADO's sparse Gauss elimination against Eigen's sparse LU, and what it says of itself.
#include "molejo/math/sparse.h"

#include <doctest/doctest.h>

#include <Eigen/SparseLU>
#include <random>

using namespace molejo;

namespace {

// n x n, about `per_row` entries a row with values from -1 to 1, the diagonal among them.
MatX random_sparse(std::mt19937& random, int n, int per_row) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int> place(0, n - 1);
  MatX A = MatX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = value(random);
    for (int k = 1; k < per_row; ++k) A(i, place(random)) = value(random);
  }
  return A;
}

VecX by_eigen(const MatX& A, const VecX& b) {
  const Eigen::SparseMatrix<double> S = A.sparseView();
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(S);
  REQUIRE(lu.info() == Eigen::Success);
  return lu.solve(b);
}

}  // namespace

TEST_CASE("sparse gauss: 200 equations for T = 0.1, 0.5 and 1, as Eigen's sparse LU") {
  std::mt19937 random(4);
  double fill_loose = 0, fill_strict = 0;
  for (int round = 0; round < 10; ++round) {
    const MatX A = random_sparse(random, 200, 4);
    const SparseMatrix S = sparse(A);
    const VecX b = VecX::Random(200);
    const VecX reference = by_eigen(A, b);
    for (const double T : {0.1, 0.5, 1.0}) {
      CAPTURE(T);
      const GaussSolution found = solve_by_gauss(S, b, T);
      REQUIRE(found.ok());
      CHECK((A * found.x - b).norm() <= 1e-10 * b.norm());
      CHECK((S * found.x - A * found.x).norm() <= 1e-12 * b.norm());
      CHECK((found.x - reference).norm() <= 1e-8 * reference.norm());
      CHECK(found.largest_multiplier <= 1 / T * (1 + 1e-15));
      CHECK(found.largest_multiplier > 0);
      if (T == 0.1) fill_loose += static_cast<double>(found.fill) / 10;
      if (T == 1.0) fill_strict += static_cast<double>(found.fill) / 10;
    }
  }
  CHECK(fill_loose <= fill_strict);
  CHECK(fill_loose > 0);
}

TEST_CASE("sparse gauss: a loose threshold takes the short row where partial pivoting fills") {
  // a full row with the largest first entry over rows of two entries
  MatX A = MatX::Identity(5, 5) * 4;
  A.row(0) << 2, 1, 1, 1, 1;
  A.col(0) << 2, 1, 1, 1, 1;
  const VecX b = VecX::LinSpaced(5, 1, 5);
  const GaussSolution loose = solve_by_gauss(sparse(A), b, 0.1);
  const GaussSolution strict = solve_by_gauss(sparse(A), b, 1);
  CHECK((A * loose.x - b).norm() < 1e-14);
  CHECK((A * strict.x - b).norm() < 1e-14);
  CHECK(strict.fill == 12);  // all of the four lower rows
  CHECK(loose.fill < strict.fill);
  CHECK(loose.largest_multiplier > 1);
  CHECK(strict.largest_multiplier <= 1);
}

TEST_CASE("sparse gauss: rows are exchanged where the first pivot is zero") {
  MatX A(2, 2);
  A << 0, 1, 1, 0;
  VecX b(2);
  b << 3, 5;
  const GaussSolution found = solve_by_gauss(sparse(A), b);
  REQUIRE(found.ok());
  CHECK(found.x[0] == 5);
  CHECK(found.x[1] == 3);
  CHECK(found.fill == 0);
}

TEST_CASE("sparse gauss: a singular matrix is told with the column without a pivot") {
  MatX A(3, 3);
  A << 1, 2, 3, 2, 4, 6.5, 4, 8, 1;  // the second column is twice the first
  const GaussSolution found = solve_by_gauss(sparse(A), VecX::Ones(3));
  CHECK_FALSE(found.ok());
  CHECK(found.singular_column == 1);
  CHECK(found.x.norm() == 0);
  CHECK(solve_by_gauss(sparse(MatX::Zero(2, 2)), VecX::Ones(2)).singular_column == 0);
}

TEST_CASE("sparse gauss: dense to rows and back is the same matrix") {
  std::mt19937 random(9);
  MatX A = random_sparse(random, 30, 3);
  A.row(7).setZero();  // an empty row stays one
  const SparseMatrix S = sparse(A);
  CHECK(dense(S) == A);
  CHECK(S.row_start.size() == 31);
  CHECK(S.row_start[7] == S.row_start[8]);
  CHECK(S.entries() == static_cast<std::size_t>((A.array() != 0).count()));
  MatX wide = MatX::Zero(2, 5);
  wide(1, 4) = 2;
  CHECK(dense(sparse(wide)) == wide);
}
