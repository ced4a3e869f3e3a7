#include "molejo/math/eigenvalues.h"

#include <Eigen/Eigenvalues>
#include <limits>

namespace molejo {

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
