#include "molejo/math/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace molejo {

std::optional<MatX> solve_positive_definite(const MatX& A, const MatX& B) {
  const Eigen::LLT<MatX> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return MatX(factor.solve(B));
}

VecX solve_semidefinite(const MatX& A, const VecX& b) { return A.ldlt().solve(b); }

VecX solve_least_norm(const MatX& A, const VecX& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

MatX inverse(const MatX& A) { return A.inverse(); }

struct LuFactor::Factor {
  Eigen::PartialPivLU<MatX> lu;
};

LuFactor::LuFactor(const MatX& A)
    : factor_(std::make_unique<const Factor>(Factor{Eigen::PartialPivLU<MatX>(A)})) {}
LuFactor::~LuFactor() = default;

MatX LuFactor::solve(const MatX& B) const { return factor_->lu.solve(B); }

MatX null_space(const MatX& C) {
  const Eigen::Index n = C.cols();
  if (C.rows() == 0) return MatX::Identity(n, n);
  const Eigen::ColPivHouseholderQR<MatX> qr(C.transpose());
  const MatX Q = qr.householderQ() * MatX::Identity(n, n);
  return Q.rightCols(n - qr.rank());
}

MatX completed_basis(const MatX& A) {
  if (A.cols() == 0) return MatX::Identity(A.rows(), A.rows());
  return A.householderQr().householderQ();
}

}  // namespace molejo
