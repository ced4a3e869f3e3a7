#include "molejo/math/noise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

using namespace molejo;

TEST_CASE("noise: zero at whole coordinates, within -1 and 1, and far from constant") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-1000, 1000);
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, sum[3] = {0, 0, 0};
  constexpr int count = 200000;
  for (int n = 0; n < count; ++n) {
    const double x = place(random), y = place(random), z = place(random);
    const double values[] = {noise1(x).value, noise2(x, y).value, noise3(x, y, z).value};
    for (int d = 0; d < 3; ++d) {
      low[d] = std::fmin(low[d], values[d]);
      high[d] = std::fmax(high[d], values[d]);
      sum[d] += values[d];
    }
  }
  for (int d = 0; d < 3; ++d) {
    CAPTURE(d);
    CHECK(low[d] >= -1);
    CHECK(high[d] <= 1);
    CHECK(low[d] < -0.45);
    CHECK(high[d] > 0.45);
    CHECK(std::fabs(sum[d] / count) < 0.02);
  }
  for (const double i : {-7.0, 0.0, 3.0, 1e9}) {
    CHECK(noise1(i).value == 0);
    CHECK(noise2(i, 5).value == 0);
    CHECK(noise3(i, -2, 1).value == 0);
  }
}

TEST_CASE("noise: value, slope and curvature are continuous across cells") {
  // with fade 6t^5 - 15t^4 + 10t^3 the second derivative of each side is 0 at the border
  for (int i = -20; i < 20; ++i) {
    const double h = 1e-5;
    const Noise left = noise1(i - h), right = noise1(i + h), here = noise1(i);
    CHECK(std::fabs(left.value + right.value) < 1e-9);
    CHECK(std::fabs(left.slope[0] - here.slope[0]) < 1e-8);
    CHECK(std::fabs(right.slope[0] - here.slope[0]) < 1e-8);
    CHECK(std::fabs((here.slope[0] - left.slope[0]) / h) < 1e-3);
    CHECK(std::fabs((right.slope[0] - here.slope[0]) / h) < 1e-3);
    const double y = i * 0.37, z = i * 0.11;
    const Noise l = noise3(i - h, y, z), r = noise3(i + h, y, z);
    CHECK(std::fabs(l.value - r.value) < 1e-4);
    for (int d = 0; d < 3; ++d) CHECK(std::fabs(l.slope[d] - r.slope[d]) < 1e-4);
    CHECK(std::fabs((noise3(i, y, z).slope[0] - l.slope[0]) / h -
                    (r.slope[0] - noise3(i, y, z).slope[0]) / h) < 1e-2);
  }
}

TEST_CASE("noise: slopes are those of the values") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> place(-50, 50);
  const double h = 1e-5;
  for (int n = 0; n < 300; ++n) {
    const double x = place(random), y = place(random), z = place(random);
    const auto close = [&](double slope, double after, double before) {
      CHECK(std::fabs(slope - (after - before) / (2 * h)) < 1e-7);
    };
    close(noise1(x).slope[0], noise1(x + h).value, noise1(x - h).value);
    close(noise2(x, y).slope[0], noise2(x + h, y).value, noise2(x - h, y).value);
    close(noise2(x, y).slope[1], noise2(x, y + h).value, noise2(x, y - h).value);
    close(noise3(x, y, z).slope[0], noise3(x + h, y, z).value, noise3(x - h, y, z).value);
    close(noise3(x, y, z).slope[1], noise3(x, y + h, z).value, noise3(x, y - h, z).value);
    close(noise3(x, y, z).slope[2], noise3(x, y, z + h).value, noise3(x, y, z - h).value);
  }
}

TEST_CASE("noise: the same bits everywhere") {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  const auto take = [&](double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; ++i) hash = (hash ^ ((bits >> (8 * i)) & 255)) * 1099511628211u;
  };
  for (int i = -500; i < 500; ++i) {
    const double x = i * 0.171875, y = i * -0.3359375, z = i * 1.7265625;
    take(noise1(x).value);
    take(noise2(x, y).value);
    take(noise3(x, y, z).value);
    take(noise3(x, y, z).slope[1]);
  }
  CHECK(hash == 1254659217677146758u);
}

TEST_CASE("noise: huge and missing coordinates") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(noise1(1e300).value == 0);
  CHECK(noise2(-1e18, 0.5).value == noise2(0, 0.5).value);
  CHECK(std::isnan(noise1(infinity).value));
  CHECK(std::isnan(noise3(0, std::nan(""), 0).value));
}
