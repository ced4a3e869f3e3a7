#include "molejo/math/pack.h"

#include <doctest/doctest.h>

#include <random>

#include "molejo/math/rotation.h"

using namespace molejo;

TEST_CASE("pack: sine and cosine are within one unit in the last place") {
  std::mt19937 random(7);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = (static_cast<double>(random()) / 2147483648.0 - 1) * (i % 2 ? 4 : 9e4);
    const SinCos<double> r = sincos(x);
    worst = std::max(worst, std::fabs(r.sin - std::sin(x)));
    worst = std::max(worst, std::fabs(r.cos - std::cos(x)));
  }
  CHECK(worst <= 2.3e-16);
}

TEST_CASE("pack: sine and cosine of huge, zero and special arguments") {
  CHECK(sincos(0.0).sin == 0);
  CHECK(sincos(0.0).cos == 1);
  const SinCos<double> huge = sincos(1e9);
  CHECK(huge.sin * huge.sin + huge.cos * huge.cos == doctest::Approx(1));
  CHECK(std::isnan(sincos(std::nan("")).sin));
  CHECK(std::isnan(sincos(double{INFINITY}).cos));
}

TEST_CASE("pack: every lane has the bits of the scalar") {
  std::mt19937 random(3);
  const auto number = [&] { return (static_cast<double>(random()) / 2147483648.0 - 1) * 10; };
  for (int n = 0; n < 5000; ++n) {
    Pack4 x, y, z;
    for (int i = 0; i < 4; ++i) x.set(i, number()), y.set(i, number()), z.set(i, number() / 8);
    const SinCos<Pack4> sc = sincos(x);
    const QuatT<Pack4> q = turned(exp_quat(Vec3T<Pack4>{x, y, z}), Vec3T<Pack4>{z, z * 0.01, y});
    const Pack4 root = square_root(absolute(x)), least = minimum(x, y), most = maximum(x, y);
    for (int i = 0; i < 4; ++i) {
      const SinCos<double> s = sincos(x[i]);
      const Quat p = turned(exp_quat(Vec3{x[i], y[i], z[i]}), Vec3{z[i], z[i] * 0.01, y[i]});
      CHECK(sc.sin[i] == s.sin);
      CHECK(sc.cos[i] == s.cos);
      CHECK((q.w[i] == p.w && q.x[i] == p.x && q.y[i] == p.y && q.z[i] == p.z));
      CHECK(root[i] == std::sqrt(std::fabs(x[i])));
      CHECK(least[i] == std::fmin(x[i], y[i]));
      CHECK(most[i] == std::fmax(x[i], y[i]));
    }
  }
}
