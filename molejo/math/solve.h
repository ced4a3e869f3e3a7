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
class SparseLdlt {
 public:
  // Entry (i, j), j <= i, of the lower triangle, in the order in which values are given later.
  struct Entry {
    int row, column;
  };
  // Chooses a fill-reducing order, finds the pattern of L and allocates. Every diagonal entry must
  // be present.
  void analyse(int size, const std::vector<Entry>& lower);

  // Numbers in the order of `lower`. A pivot below `threshold` times its own diagonal is dropped.
  // Returns the number of dropped rows. No allocation.
  int factorize(const double* values, double threshold = 1e-10);

  // x = A^-1 x.
  void solve(double* x) const;

  int size() const { return size_; }
  std::size_t entries() const { return L_row_.size(); }  // below the diagonal of L
  bool is_dropped(int i) const { return D_inverse_[place_[static_cast<std::size_t>(i)]] == 0; }

 private:
  int size_ = 0;
  std::vector<std::size_t> place_;  // user index -> position in the order
  std::vector<std::size_t> column_start_, column_row_, column_value_;  // upper triangle, permuted
  std::vector<std::size_t> parent_;                                    // elimination tree
  std::vector<std::size_t> L_start_, L_row_;
  std::vector<double> L_value_, D_inverse_;
  std::vector<std::size_t> L_count_, stack_, pattern_, mark_;
  std::vector<double> work_;
  mutable std::vector<double> permuted_;
};

}  // namespace molejo
