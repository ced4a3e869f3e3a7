// Sparse linear equations A x = b by Gauss elimination with threshold pivoting, as ANIMADO's EGESP
// (thesis, 3.3.2): the matrix by rows in three lists, and at stage k
//
//   row i may be the pivot if |a_ik| >= T max_r |a_rk|;   of those the one with fewest entries
//
// T = 1 is partial pivoting; a smaller T leaves more choice, so less fill, and multipliers up to
// 1/T. Eigen's SparseLU is the faster way; this one tells what it does.
#pragma once

#include <cstddef>
#include <vector>

#include "molejo/math/matrix.h"
#include "molejo/math/types.h"

namespace molejo {

// Compressed rows: entries row_start[i] .. row_start[i + 1] - 1 are those of row i, by columns.
struct SparseMatrix {
  int rows = 0, columns = 0;
  std::vector<double> values;          // valorA of the thesis
  std::vector<int> column;             // ICA
  std::vector<std::size_t> row_start;  // ILA, and one behind the last

  std::size_t entries() const { return values.size(); }
};

// The entries that are not zero.
SparseMatrix sparse(const MatX& dense);
MatX dense(const SparseMatrix& A);
VecX operator*(const SparseMatrix& A, const VecX& x);

struct GaussSolution {
  VecX x;                         // zero when singular
  std::size_t fill = 0;           // entries that came to be
  double largest_multiplier = 0;  // |m_ik| of all stages
  int singular_column = -1;       // the stage without a pivot, -1: none
  bool ok() const { return singular_column < 0; }
};

// A must be square and finite, as large as b, and 0 < threshold <= 1. Singular is a column whose
// largest candidate is below 1e-14 of the largest row sum of A. Cost n rows per stage and the
// entries that are touched.
GaussSolution solve_by_gauss(const SparseMatrix& A, const VecX& b, double threshold = 0.1);

}  // namespace molejo
