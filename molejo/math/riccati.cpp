#include "molejo/math/riccati.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cassert>
#include <cmath>
#include <limits>

namespace molejo {

namespace {

MatX symmetric_part(const MatX& M) { return 0.5 * (M + M.transpose()); }

}  // namespace

Riccati solve_riccati(const MatX& A, const MatX& B, const MatX& Q, const MatX& R) {
  const Eigen::Index n = A.rows();
  assert(A.cols() == n && B.rows() == n && Q.rows() == n && Q.cols() == n);
  assert(R.rows() == B.cols() && R.cols() == B.cols());
  Riccati result;
  const Eigen::LLT<MatX> factor_of_R(R);
  if (!A.allFinite() || !B.allFinite() || !Q.allFinite() || !R.allFinite() ||
      factor_of_R.info() != Eigen::Success) {
    return result;
  }

  // A_k -> 0, H_k -> P
  MatX A_k = A;
  MatX G_k = symmetric_part(B * factor_of_R.solve(B.transpose()));
  MatX H_k = symmetric_part(Q);
  constexpr int most_steps = 60;
  bool settled = false;
  while (result.steps < most_steps && !settled) {
    ++result.steps;
    const Eigen::PartialPivLU<MatX> W(MatX::Identity(n, n) + G_k * H_k);
    const MatX WA = W.solve(A_k), WG = W.solve(G_k);
    const MatX more = symmetric_part(A_k.transpose() * H_k * WA);
    G_k = symmetric_part(G_k + A_k * WG * A_k.transpose());
    H_k += more;
    A_k = A_k * WA;
    if (!H_k.allFinite() || !G_k.allFinite() || !A_k.allFinite()) return result;
    settled = more.norm() <= 1e-15 * H_k.norm();
  }

  const MatX BtP = B.transpose() * H_k;
  const Eigen::LLT<MatX> factor(symmetric_part(R + BtP * B));
  if (factor.info() != Eigen::Success) return result;
  result.P = H_k;
  result.K = factor.solve(BtP * A);
  const MatX closed = A - B * result.K;
  result.residual = (A.transpose() * H_k * closed + Q - H_k).norm() /
                    std::max(H_k.norm(), std::numeric_limits<double>::min());
  result.converged = settled && result.residual < 1e-6 && spectral_radius(closed) < 1;
  return result;
}

double spectral_radius(const MatX& A) {
  if (!A.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  if (A.size() == 0) return 0;
  return Eigen::EigenSolver<MatX>(A, false).eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace molejo
