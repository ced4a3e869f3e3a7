// A = Q diag(values) Q^T of a dense symmetric matrix, in memory that is allocated once.
//
// Householder reflections to tridiagonal form, then implicit QL steps with Wilkinson's shift
// (Golub and Van Loan, Matrix Computations, 8.3). Only + - * / and square roots, in one order:
// the same bits on every machine. About 8 n^3 multiplications.
#pragma once

#include "molejo/math/matrix.h"
#include "molejo/math/types.h"

namespace molejo {

class SymmetricEigen {
 public:
  SymmetricEigen() = default;
  explicit SymmetricEigen(int size);

  // Reads the lower triangle of A. False (and no meaning in the results) when A holds a number
  // that is not finite. No allocation.
  bool compute(const MatX& A);

  const VecX& values() const { return values_; }    // rising
  const MatX& vectors() const { return vectors_; }  // one column a value, orthonormal

 private:
  void reduce();
  void collect_reflections();
  bool iterate();
  void sort();

  MatX work_, vectors_;
  VecX values_, beside_;  // diagonal and subdiagonal of the tridiagonal matrix
  VecX factor_, product_;
};

}  // namespace molejo
