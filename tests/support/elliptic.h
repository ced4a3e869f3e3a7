// Complete and Jacobian elliptic functions of the parameter m = k^2, 0 <= m < 1.
//
// Arithmetic-geometric mean and descending Landen transformation: Abramowitz and Stegun (1964),
// 16.4 and 17.6. Accurate to a few units in the last place.
#pragma once

namespace molejo::test {

// K(m), the quarter period.
double complete_elliptic(double m);

struct Jacobi {
  double sn, cn, dn;
};
Jacobi jacobi(double u, double m);

}  // namespace molejo::test
