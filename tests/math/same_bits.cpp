// Own elementary functions against those of libm.
#include "molejo/math/same_bits.h"

#include <doctest/doctest.h>

#include <random>

using namespace molejo;

TEST_CASE("same bits: the angle of a point is that of atan2") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-150, 150);
  double worst = 0;
  for (int n = 0; n < 200'000; ++n) {
    const double size = std::pow(10, exponent(random));
    const double y = normal(random) * size, x = normal(random) * (n % 2 == 0 ? size : 1);
    const double exact = std::atan2(y, x);
    worst = std::max(worst, std::fabs(arc_tangent(y, x) / exact - 1));
  }
  CHECK(worst < 4.5e-16);
}

TEST_CASE("same bits: the angle on the axes, and of the origin with all its signs") {
  for (const double y : {-2.0, -0.0, 0.0, 2.0}) {
    for (const double x : {-3.0, -0.0, 0.0, 3.0}) {
      CAPTURE(x);
      CAPTURE(y);
      CHECK(std::fabs(arc_tangent(y, x) - std::atan2(y, x)) < 5e-16);
      CHECK(std::signbit(arc_tangent(y, x)) == std::signbit(std::atan2(y, x)));
    }
  }
}

TEST_CASE("same bits: the fifth power of the fifth root is the number") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-300, 300);
  double worst = 0;
  for (int n = 0; n < 100'000; ++n) {
    const double x = std::pow(10, exponent(random));
    const double y = fifth_root(x);
    worst = std::max(worst, std::fabs(y * y * y * y * y / x - 1));
  }
  CHECK(worst < 2e-15);
  CHECK(fifth_root(0) == 0);
  CHECK(std::isinf(fifth_root(INFINITY)));
  CHECK(fifth_root(32) == 2);
}
