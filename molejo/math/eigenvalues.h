// Eigenvalues of dense matrices. They are Eigen's; one source compiles them for all others.
#pragma once

#include "molejo/math/matrix.h"

namespace molejo {

// K x = lambda M x with symmetric K and positive definite M: rising lambda, x^T M x = 1.
struct GeneralisedEigen {
  VecX values;
  MatX vectors;
};
GeneralisedEigen generalised_eigen(const MatX& K, const MatX& M);

// The largest absolute eigenvalue of a square matrix; NaN when an entry is not finite.
double spectral_radius(const MatX& A);

}  // namespace molejo
