// Elementary functions with the same bits on every machine. Those of libm differ in the last bit
// between processors with and without fused multiplication.
// Sine and cosine are in pack.h; square roots are exact everywhere.
#pragma once

#include <algorithm>
#include <cmath>

#include "molejo/math/pack.h"

namespace molejo {

// The angle of the point (x, y), as std::atan2 has it, within 2 units in the last place, for finite
// arguments. From a rough value by steps towards sin(angle - theta) = 0, each of third order.
inline double arc_tangent(double y, double x) {
  constexpr double pi = 3.141592653589793;
  const double scale = std::max(std::fabs(x), std::fabs(y));
  if (scale == 0) return std::signbit(x) ? std::copysign(pi, y) : y;
  x /= scale, y /= scale;
  const double a = std::fabs(x), b = std::fabs(y), ratio = std::min(a, b);
  double theta = ratio * (pi / 4 + 0.273 * (1 - ratio));  // within 4e-3
  if (b > a) theta = pi / 2 - theta;
  const double r = std::sqrt(x * x + y * y);
  for (int n = 0; n < 2; ++n) {
    const SinCos<double> sc = sincos(theta);
    theta += (b * sc.cos - a * sc.sin) / r;
  }
  return std::copysign(std::signbit(x) ? pi - theta : theta, y);
}

// x^(1/5) by Newton's method; 0 for what is not positive.
inline double fifth_root(double x) {
  if (!(x > 0)) return 0;
  if (std::isinf(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [1/2, 1)
  const int whole = exponent / 5;
  const double rest = std::ldexp(fraction, exponent - 5 * whole);  // in [1/32, 16)
  double y = rest < 1 ? 0.5 + 0.5 * rest : 1 + 0.05 * (rest - 1);
  for (int n = 0; n < 8; ++n) {
    const double y4 = (y * y) * (y * y);
    y += (rest / y4 - y) / 5;
  }
  return std::ldexp(y, whole);
}

}  // namespace molejo
