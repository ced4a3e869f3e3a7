// Optimal feedback u = -K x for x' = A x + B u, cost sum of x^T Q x + u^T R u:
//
//   P = A^T P A - A^T P B (R + B^T P B)^-1 B^T P A + Q,   K = (R + B^T P B)^-1 B^T P A
//
// Structure-preserving doubling (Chu, Fan, Lin, Wang, "Structure-preserving algorithms for periodic
// discrete-time algebraic Riccati equations", 2004): k steps equal 2^k steps of the fixed point.
#pragma once

#include "molejo/math/matrix.h"
#include "molejo/math/types.h"

namespace molejo {

struct Riccati {
  MatX P;  // symmetric, positive semi-definite; x^T P x is the cost from x on
  MatX K;
  int steps = 0;
  double residual = 0;     // of the equation, relative to |P|
  bool converged = false;  // false: (A, B) cannot be stabilised, or Q does not see it; P and K are
                           // then not to be used
};

// Q symmetric positive semi-definite, R symmetric positive definite.
Riccati solve_riccati(const MatX& A, const MatX& B, const MatX& Q, const MatX& R);

}  // namespace molejo
