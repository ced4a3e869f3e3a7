#include "molejo/math/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>

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

GeneralisedEigen generalised_eigen(const MatX& K, const MatX& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(K, M);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double spectral_radius(const MatX& A) {
  if (!A.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  if (A.size() == 0) return 0;
  return Eigen::EigenSolver<MatX>(A, false).eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace molejo
