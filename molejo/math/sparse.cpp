#include "molejo/math/sparse.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo {

namespace {

struct Entry {
  int column;
  double value;
};
using SparseRow = std::vector<Entry>;

// Rows k .. n-1 have no entries before column k: only the first one can be in it.
double in_column(const SparseRow& row, int k) {
  return !row.empty() && row[0].column == k ? row[0].value : 0;
}

// The row of the pivot of stage k, or -1.
int find_pivot(const std::vector<SparseRow>& rows, int k, double threshold, double least) {
  const int n = static_cast<int>(rows.size());
  double largest = 0;
  for (int i = k; i < n; ++i) {
    largest = std::max(largest, std::fabs(in_column(rows[static_cast<std::size_t>(i)], k)));
  }
  if (largest <= least) return -1;
  int best = -1;
  for (int i = k; i < n; ++i) {
    const SparseRow& row = rows[static_cast<std::size_t>(i)];
    const double a = std::fabs(in_column(row, k));
    if (a < threshold * largest) continue;
    if (best >= 0) {
      // of equally short ones the larger
      const SparseRow& other = rows[static_cast<std::size_t>(best)];
      if (row.size() > other.size()) continue;
      if (row.size() == other.size() && a <= std::fabs(in_column(other, k))) continue;
    }
    best = i;
  }
  return best;
}

// row - m pivot, without the first entries of both, which cancel. Returns the entries that neither
// had place for before.
std::size_t eliminate(const SparseRow& pivot, double m, SparseRow& row, SparseRow& result) {
  result.clear();
  std::size_t fill = 0, i = 1;
  for (std::size_t j = 1; j < pivot.size(); ++j) {
    while (i < row.size() && row[i].column < pivot[j].column) result.push_back(row[i++]);
    const double change = -m * pivot[j].value;
    if (i < row.size() && row[i].column == pivot[j].column) {
      const double value = row[i++].value + change;
      if (value != 0) result.push_back({pivot[j].column, value});
    } else if (change != 0) {
      result.push_back({pivot[j].column, change});
      ++fill;
    }
  }
  result.insert(result.end(), row.begin() + static_cast<std::ptrdiff_t>(i), row.end());
  std::swap(row, result);
  return fill;
}

double largest_row_sum(const std::vector<SparseRow>& rows) {
  double largest = 0;
  for (const SparseRow& row : rows) {
    double sum = 0;
    for (const Entry& e : row) sum += std::fabs(e.value);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

SparseMatrix sparse(const MatX& A) {
  SparseMatrix result;
  result.rows = static_cast<int>(A.rows());
  result.columns = static_cast<int>(A.cols());
  result.row_start.push_back(0);
  for (int i = 0; i < result.rows; ++i) {
    for (int j = 0; j < result.columns; ++j) {
      if (A(i, j) == 0) continue;
      result.values.push_back(A(i, j));
      result.column.push_back(j);
    }
    result.row_start.push_back(result.values.size());
  }
  return result;
}

MatX dense(const SparseMatrix& A) {
  MatX result = MatX::Zero(A.rows, A.columns);
  for (int i = 0; i < A.rows; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (std::size_t n = A.row_start[r]; n < A.row_start[r + 1]; ++n) {
      result(i, A.column[n]) = A.values[n];
    }
  }
  return result;
}

VecX operator*(const SparseMatrix& A, const VecX& x) {
  VecX result = VecX::Zero(A.rows);
  for (int i = 0; i < A.rows; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (std::size_t n = A.row_start[r]; n < A.row_start[r + 1]; ++n) {
      result[i] += A.values[n] * x[A.column[n]];
    }
  }
  return result;
}

GaussSolution solve_by_gauss(const SparseMatrix& A, const VecX& b, double threshold) {
  assert(A.rows == A.columns && A.rows == b.size() && threshold > 0 && threshold <= 1);
  const int n = A.rows;
  GaussSolution solution;
  solution.x = VecX::Zero(n);
  std::vector<SparseRow> rows(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      rows[i].push_back({A.column[e], A.values[e]});
    }
  }
  const double least = 1e-14 * largest_row_sum(rows);
  VecX y = b;

  // to upper triangular form
  SparseRow spare;
  for (int k = 0; k < n; ++k) {
    const int pivot = find_pivot(rows, k, threshold, least);
    if (pivot < 0) {
      solution.singular_column = k;
      return solution;
    }
    std::swap(rows[static_cast<std::size_t>(k)], rows[static_cast<std::size_t>(pivot)]);
    std::swap(y[k], y[pivot]);
    const SparseRow& top = rows[static_cast<std::size_t>(k)];
    for (int i = k + 1; i < n; ++i) {
      SparseRow& row = rows[static_cast<std::size_t>(i)];
      if (row.empty() || row[0].column != k) continue;
      const double m = row[0].value / top[0].value;
      solution.largest_multiplier = std::max(solution.largest_multiplier, std::fabs(m));
      solution.fill += eliminate(top, m, row, spare);
      y[i] -= m * y[k];
    }
  }

  // and back
  for (int k = n - 1; k >= 0; --k) {
    const SparseRow& row = rows[static_cast<std::size_t>(k)];
    double sum = y[k];
    for (std::size_t e = 1; e < row.size(); ++e) sum -= row[e].value * solution.x[row[e].column];
    solution.x[k] = sum / row[0].value;
  }
  return solution;
}

}  // namespace molejo
