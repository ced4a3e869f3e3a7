// Elementary functions with the same bits on every machine. Those of libm differ in the last bit
// between processors with and without fused multiplication.
// Sine and cosine are in pack.h; square roots are exact everywhere.
#pragma once

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/pack.h"

namespace molejo {

// The angle of the point (x, y), as std::atan2 has it, within 2 units in the last place, for finite
// arguments. From a rough value by steps towards sin(angle - theta) = 0, each of third order.
inline double arc_tangent(double y, double x) {
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

// ln x, within 2 units in the last place; minus infinity at 0, not a number below.
// x = 2^e m with m in [sqrt(1/2), sqrt 2), then ln m = 2 artanh s, s = (m - 1) / (m + 1).
inline double logarithm(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (std::isinf(x)) return x;
  int e = 0;
  double m = std::frexp(x, &e);  // in [1/2, 1)
  if (m < 0.7071067811865476) m *= 2, --e;
  const double f = m - 1, s = f / (m + 1), z = s * s;
  double series = 0;  // s^2/3 + s^4/5 + ...; |s| < 0.172, so the term after s^22/23 is below 1e-19
  for (int k = 23; k >= 3; k -= 2) series = z * (1.0 / k + series);
  constexpr double ln2_high = 6.93147180369123816490e-01;  // 33 bits: e times it is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  return e * ln2_high + (2 * s + (2 * s * series + e * ln2_low));
}

// e^x, within 2 units in the last place. x = k ln 2 + r, |r| <= ln(2)/2, Taylor's series of e^r.
inline double exponential(double x) {
  if (std::isnan(x)) return x;
  if (x > 710) return INFINITY;
  if (x < -746) return 0;
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 0;  // r^2/2! + r^3/3! + ... divided by r; the term after r^14/14! is below 1e-19
  for (int i = 14; i >= 2; --i) series = r / i * (1 + series);
  const double value = 1 + (r + r * series);
  // in two steps, for 2^k alone may be beyond the largest double where the product is not
  const int half = static_cast<int>(k) / 2;
  return std::ldexp(std::ldexp(value, half), static_cast<int>(k) - half);
}

}  // namespace molejo
