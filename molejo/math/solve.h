// Direct solvers whose structure is found once and whose numbers change every step.
#pragma once

#include <cstddef>
#include <vector>

namespace molejo {

// A = L D L^T of a sparse symmetric positive semi-definite matrix, row by row along its
// elimination tree (Davis, "Algorithm 849: a concise sparse Cholesky factorization package", 2005).
//
// A row that depends on earlier ones leaves no pivot: it is dropped, its unknown is zero. For a
// consistent system the solution is exact; so redundant constraints need no special treatment.
//
// The pivot is x^T A x, with x the combination of rows that ends with this one and is independent
// of all before. What counts as none is measured against sum x_i^2 size_i, what it would be if
// nothing cancelled: an estimate of the smallest eigenvalue of A relative to the sizes, in whatever
// order and in whatever units the rows come.
class SparseLdlt {
 public:
  // Entry (i, j), j <= i, of the lower triangle, in the order in which values are given later.
  struct Entry {
    int row, column;
  };
  // Chooses a fill-reducing order, finds the pattern of L and allocates. Every diagonal entry must
  // be present.
  void analyse(int size, const std::vector<Entry>& lower);

  // A pivot below this part of what it could be is dropped, and one below `noise` is zero.
  static constexpr double threshold = 1e-10, noise = 1e-12;

  // Numbers in the order of `lower`, and of each row the size that its diagonal entry would have if
  // nothing cancelled. Returns the number of dropped rows. No allocation.
  int factorize(const double* values, const double* size);

  // The smallest pivot, as a part of what it could be, that is not noise, and its row. It may have
  // been dropped. Those above `sound` are known roughly.
  struct Weakest {
    int row = -1;
    double pivot = 1;
  };
  static constexpr double sound = 1e-4;
  const Weakest& weakest() const { return weakest_; }

  // x = A^-1 x.
  void solve(double* x) const;

  int size() const { return size_; }
  std::size_t entries() const { return L_row_.size(); }  // below the diagonal of L
  bool is_dropped(int i) const { return D_inverse_[place_[static_cast<std::size_t>(i)]] == 0; }

 private:
  double combined_size(std::size_t k, const double* size);

  int size_ = 0;
  Weakest weakest_;
  std::vector<std::size_t> place_;  // user index -> position in the order
  std::vector<int> at_place_;       // and back
  std::vector<std::size_t> column_start_, column_row_, column_value_;  // upper triangle, permuted
  std::vector<std::size_t> parent_;                                    // elimination tree
  std::vector<std::size_t> L_start_, L_row_;
  std::vector<double> L_value_, D_inverse_;
  std::vector<double> reach_;  // about sum x_i^2 size_i of each row
  std::vector<std::size_t> L_count_, stack_, pattern_, mark_;
  std::vector<double> work_;
  mutable std::vector<double> permuted_;
};

}  // namespace molejo
