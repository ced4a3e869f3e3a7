#include "tests/support/elliptic.h"

#include <cmath>
#include <vector>

namespace molejo::test {

namespace {

constexpr double pi = 3.14159265358979323846;

// The means a_n and c_n = (a_(n-1) - b_(n-1)) / 2, until they no longer change.
struct Means {
  std::vector<double> a{1.0}, c;
};

Means arithmetic_geometric(double m) {
  Means means;
  means.c = {std::sqrt(m)};
  double b = std::sqrt(1 - m);
  while (means.c.back() > 1e-17 && means.a.size() < 30) {
    const double a = means.a.back();
    means.a.push_back((a + b) / 2);
    means.c.push_back((a - b) / 2);
    b = std::sqrt(a * b);
  }
  return means;
}

}  // namespace

double complete_elliptic(double m) { return pi / (2 * arithmetic_geometric(m).a.back()); }

Jacobi jacobi(double u, double m) {
  const Means means = arithmetic_geometric(m);
  // amplitude from the last mean back to the first: sin(2 phi_(n-1) - phi_n) = c_n/a_n sin phi_n
  std::size_t n = means.a.size() - 1;
  double phi = std::ldexp(means.a[n] * u, static_cast<int>(n));
  for (; n > 0; --n) phi = (phi + std::asin(means.c[n] / means.a[n] * std::sin(phi))) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - m * sn * sn)};
}

}  // namespace molejo::test
