// Factorisations of dense matrices. They are Eigen's; one source compiles them for all others.
#pragma once

#include <memory>
#include <optional>

#include "molejo/math/matrix.h"

namespace molejo {

// X with A X = B, for a symmetric positive definite A; nothing when A is not (Cholesky).
std::optional<MatX> solve_positive_definite(const MatX& A, const MatX& B);
// x with A x = b, for a symmetric semidefinite A (LDL^T with pivoting).
VecX solve_semidefinite(const MatX& A, const VecX& b);
// The shortest of the x for which A x is nearest to b (complete orthogonal decomposition).
VecX solve_least_norm(const MatX& A, const VecX& b);
MatX inverse(const MatX& A);

// A regular square matrix, factored once for several right-hand sides (LU with partial pivoting).
class LuFactor {
 public:
  explicit LuFactor(const MatX& A);
  ~LuFactor();
  MatX solve(const MatX& B) const;

 private:
  struct Factor;
  std::unique_ptr<const Factor> factor_;
};

// Columns that span all x with C x = 0, orthonormal; the rank of C is decided by pivoted QR.
MatX null_space(const MatX& C);
// Orthonormal columns of all of the space; the first ones span the columns of A.
MatX completed_basis(const MatX& A);

}  // namespace molejo
