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

TEST_CASE("same bits: logarithm and exponential are those of libm within 2 units") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-300, 300), near_one(0.5, 2), argument(-700, 700);
  double worst_log = 0, worst_exp = 0;
  for (int n = 0; n < 200'000; ++n) {
    const double x = n % 2 == 0 ? std::pow(10, exponent(random)) : near_one(random);
    worst_log = std::max(worst_log, std::fabs(logarithm(x) - std::log(x)) /
                                        std::max(std::fabs(std::log(x)), 1e-300));
    const double y = n % 2 == 0 ? argument(random) : 0.01 * argument(random);
    worst_exp = std::max(worst_exp, std::fabs(exponential(y) / std::exp(y) - 1));
  }
  CHECK(worst_log < 4.5e-16);
  CHECK(worst_exp < 4.5e-16);
}

TEST_CASE("same bits: logarithm and exponential at their ends") {
  CHECK(logarithm(1) == 0);
  CHECK(logarithm(0) == -INFINITY);
  CHECK(logarithm(INFINITY) == INFINITY);
  CHECK(std::isnan(logarithm(-1)));
  CHECK(std::isnan(logarithm(NAN)));
  CHECK(std::fabs(logarithm(5e-324) / std::log(5e-324) - 1) < 4.5e-16);
  CHECK(exponential(0) == 1);
  CHECK(exponential(1000) == INFINITY);
  CHECK(exponential(-1000) == 0);
  CHECK(std::isnan(exponential(NAN)));
  CHECK(std::fabs(exponential(709.7) / std::exp(709.7) - 1) < 4.5e-16);
  CHECK(exponential(-740) > 0);  // below the normal numbers
  CHECK(std::fabs(exponential(-740) - std::exp(-740)) <= 5e-324);
}
