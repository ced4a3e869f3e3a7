#include "molejo/math/riccati.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "molejo/math/decompositions.h"
#include "molejo/math/eigenvalues.h"

namespace molejo {

namespace {

MatX symmetric_part(const MatX& M) { return 0.5 * (M + M.transpose()); }

}  // namespace

Riccati solve_riccati(const MatX& A, const MatX& B, const MatX& Q, const MatX& R) {
  const Eigen::Index n = A.rows();
  assert(A.cols() == n && B.rows() == n && Q.rows() == n && Q.cols() == n);
  assert(R.rows() == B.cols() && R.cols() == B.cols());
  Riccati result;
  if (!A.allFinite() || !B.allFinite() || !Q.allFinite() || !R.allFinite()) return result;
  const std::optional<MatX> RiBt = solve_positive_definite(R, B.transpose());
  if (!RiBt) return result;

  // A_k -> 0, H_k -> P
  MatX A_k = A;
  MatX G_k = symmetric_part(B * *RiBt);
  MatX H_k = symmetric_part(Q);
  constexpr int most_steps = 60;
  bool settled = false;
  while (result.steps < most_steps && !settled) {
    ++result.steps;
    const LuFactor W(MatX::Identity(n, n) + G_k * H_k);
    const MatX WA = W.solve(A_k), WG = W.solve(G_k);
    const MatX more = symmetric_part(A_k.transpose() * H_k * WA);
    G_k = symmetric_part(G_k + A_k * WG * A_k.transpose());
    H_k += more;
    A_k = A_k * WA;
    if (!H_k.allFinite() || !G_k.allFinite() || !A_k.allFinite()) return result;
    settled = more.norm() <= 1e-15 * H_k.norm();
  }

  const MatX BtP = B.transpose() * H_k;
  const std::optional<MatX> K = solve_positive_definite(symmetric_part(R + BtP * B), BtP * A);
  if (!K) return result;
  result.P = H_k;
  result.K = *K;
  const MatX closed = A - B * result.K;
  result.residual = (A.transpose() * H_k * closed + Q - H_k).norm() /
                    std::max(H_k.norm(), std::numeric_limits<double>::min());
  result.converged = settled && result.residual < 1e-6 && spectral_radius(closed) < 1;
  return result;
}

}  // namespace molejo
