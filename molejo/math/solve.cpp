#include "molejo/math/solve.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>

#include "molejo/math/interrupt.h"
#include "molejo/math/matrix.h"

namespace molejo {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

// Position of each index in a fill-reducing order.
std::vector<std::size_t> minimum_degree(int size, const std::vector<SparseLdlt::Entry>& lower) {
  std::vector<Eigen::Triplet<double>> pattern;
  for (const SparseLdlt::Entry& e : lower) {
    pattern.emplace_back(e.row, e.column, 1.0);
    if (e.row != e.column) pattern.emplace_back(e.column, e.row, 1.0);
  }
  Eigen::SparseMatrix<double> A(size, size);
  A.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::AMDOrdering<int>::PermutationType order;
  Eigen::AMDOrdering<int>()(A, order);
  std::vector<std::size_t> place(static_cast<std::size_t>(size));
  for (int k = 0; k < size; ++k) {
    place[static_cast<std::size_t>(order.indices()[k])] = static_cast<std::size_t>(k);
  }
  return place;
}

}  // namespace

void SparseLdlt::analyse(int size, const std::vector<Entry>& lower) {
  size_ = size;
  const auto n = static_cast<std::size_t>(size);
  place_ = minimum_degree(size, lower);
  at_place_.resize(n);
  for (int i = 0; i < size; ++i) at_place_[place_[static_cast<std::size_t>(i)]] = i;

  // columns of the upper triangle in the new order
  column_start_.assign(n + 1, 0);
  const auto column_of = [&](const Entry& e) {
    return std::max(place_[static_cast<std::size_t>(e.row)],
                    place_[static_cast<std::size_t>(e.column)]);
  };
  for (const Entry& e : lower) ++column_start_[column_of(e) + 1];
  for (std::size_t k = 0; k < n; ++k) column_start_[k + 1] += column_start_[k];
  column_row_.resize(lower.size());
  column_value_.resize(lower.size());
  std::vector<std::size_t> next(column_start_.begin(), column_start_.end() - 1);
  for (std::size_t v = 0; v < lower.size(); ++v) {
    const std::size_t k = column_of(lower[v]);
    const std::size_t at = next[k]++;
    column_row_[at] = std::min(place_[static_cast<std::size_t>(lower[v].row)],
                               place_[static_cast<std::size_t>(lower[v].column)]);
    column_value_[at] = v;
  }

  // elimination tree and column counts: walk from every entry of row k up to k
  parent_.assign(n, none);
  mark_.assign(n, none);
  std::vector<std::size_t> count(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    check_interrupt();
    mark_[k] = k;
    for (std::size_t p = column_start_[k]; p < column_start_[k + 1]; ++p) {
      for (std::size_t i = column_row_[p]; i < k && mark_[i] != k; i = parent_[i]) {
        if (parent_[i] == none) parent_[i] = k;
        ++count[i];
        mark_[i] = k;
      }
    }
  }
  L_start_.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) L_start_[k + 1] = L_start_[k] + count[k];
  L_row_.resize(L_start_[n]);
  L_value_.resize(L_start_[n]);
  D_inverse_.assign(n, 0);
  reach_.assign(n, 0);
  L_count_.assign(n, 0);
  stack_.assign(n, 0);
  pattern_.assign(n, 0);
  work_.assign(n, 0);
  permuted_.assign(n, 0);
}

int SparseLdlt::factorize(const double* values, const double* size) {
  const auto n = static_cast<std::size_t>(size_);
  int dropped = 0;
  weakest_ = {};
  std::fill(L_count_.begin(), L_count_.end(), 0);
  std::fill(work_.begin(), work_.end(), 0);  // an interrupt may have left something
  std::fill(mark_.begin(), mark_.end(), none);
  for (std::size_t k = 0; k < n; ++k) {
    check_interrupt();
    // scatter row k and find the columns it meets, in topological order
    std::size_t top = n;
    mark_[k] = k;
    double diagonal = 0;
    for (std::size_t p = column_start_[k]; p < column_start_[k + 1]; ++p) {
      std::size_t i = column_row_[p];
      if (i == k) {
        diagonal += values[column_value_[p]];
        continue;
      }
      work_[i] += values[column_value_[p]];
      std::size_t length = 0;
      for (; mark_[i] != k; i = parent_[i]) {
        stack_[length++] = i;
        mark_[i] = k;
      }
      while (length > 0) pattern_[--top] = stack_[--length];
    }

    // row k of L by a sparse triangular solve
    const int row = at_place_[k];
    double pivot = diagonal, whole = size[row], reach = whole;
    for (; top < n; ++top) {
      const std::size_t i = pattern_[top];
      const double y = work_[i];
      work_[i] = 0;
      for (std::size_t p = L_start_[i]; p < L_start_[i] + L_count_[i]; ++p) {
        work_[L_row_[p]] -= L_value_[p] * y;
      }
      const double l = y * D_inverse_[i];
      pivot -= l * y;
      reach += l * l * reach_[i];
      const std::size_t at = L_start_[i] + L_count_[i]++;
      L_row_[at] = k;
      L_value_[at] = l;
    }
    if (pivot > threshold * whole && pivot < sound * reach) {
      whole = reach = combined_size(k, size);
    }
    const bool keep = pivot > threshold * whole;
    D_inverse_[k] = keep ? 1 / pivot : 0;
    reach_[k] = reach;
    dropped += keep ? 0 : 1;
    if (pivot < weakest_.pivot * whole && pivot > noise * whole) weakest_ = {row, pivot / whole};
  }
  return dropped;
}

// Row k of L^-1 is x; dropped rows have no part in it.
double SparseLdlt::combined_size(std::size_t k, const double* size) {
  std::vector<double>& x = work_;
  x[k] = 1;
  double sum = size[at_place_[k]];
  for (std::size_t j = k; j-- > 0;) {
    for (std::size_t p = L_start_[j]; p < L_start_[j] + L_count_[j]; ++p) {
      x[j] -= L_value_[p] * x[L_row_[p]];
    }
    sum += x[j] * x[j] * size[at_place_[j]];
  }
  std::fill_n(x.begin(), k + 1, 0);
  return sum;
}

void SparseLdlt::solve(double* x) const {
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t i = 0; i < n; ++i) permuted_[place_[i]] = x[i];
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t p = L_start_[k]; p < L_start_[k + 1]; ++p) {
      permuted_[L_row_[p]] -= L_value_[p] * permuted_[k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) permuted_[k] *= D_inverse_[k];
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t p = L_start_[k]; p < L_start_[k + 1]; ++p) {
      permuted_[k] -= L_value_[p] * permuted_[L_row_[p]];
    }
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = permuted_[place_[i]];
}

}  // namespace molejo
