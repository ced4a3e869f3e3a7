#include "molejo/math/curve.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/math/formulas.h"

using namespace molejo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

CurveKey key(double x, double value, Interpolation interpolation = Interpolation::linear) {
  return {.x = x, .value = value, .interpolation = interpolation};
}

std::string error_of(const std::vector<CurveKey>& keys, Extension before = Extension::hold) {
  try {
    Curve(keys, before);
  } catch (const CurveError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("curve: straight lines and steps") {
  const Curve curve({key(1, 10), key(3, 20), key(4, 0, Interpolation::step), key(6, 8)});
  CHECK(curve.at(1).value == 10);
  CHECK(curve.at(2).value == doctest::Approx(15).epsilon(1e-15));
  CHECK(curve.at(2).slope == doctest::Approx(5).epsilon(1e-15));
  CHECK(curve.at(3).value == 20);
  CHECK(curve.at(3.75).value == doctest::Approx(5).epsilon(1e-15));
  CHECK(curve.at(3).slope == doctest::Approx(-20).epsilon(1e-15));  // of the right side
  CHECK(curve.at(5.9).value == 0);
  CHECK(curve.at(5.9).slope == 0);
  CHECK(curve.at(6).value == 8);
  CHECK(curve.at(-5).value == 10);
  CHECK(curve.at(-5).slope == 0);
  CHECK(curve.at(99).value == 8);
  CHECK(curve.at(-infinity).value == 10);
  CHECK(std::isnan(curve.at(std::nan("")).value));
}

TEST_CASE("curve: extended by its end slopes, or repeated") {
  const std::vector<CurveKey> keys{key(1, 10), key(3, 20), key(4, 10)};
  const Curve extended(keys, Extension::extend, Extension::extend);
  CHECK(extended.at(0).value == doctest::Approx(5).epsilon(1e-15));
  CHECK(extended.at(6).value == doctest::Approx(-10).epsilon(1e-15));
  CHECK(extended.at(6).slope == doctest::Approx(-10).epsilon(1e-15));
  const Curve repeated(keys, Extension::repeat, Extension::repeat);
  for (const double x : {1.0, 1.5, 2.75, 3.0, 3.5}) {
    for (const double shift : {-300.0, -3.0, 3.0, 6.0, 3e6}) {
      CAPTURE(x + shift);
      CHECK(repeated.at(x + shift).value == repeated.at(x).value);
      CHECK(repeated.at(x + shift).slope == repeated.at(x).slope);
    }
  }
  CHECK(repeated.at(4).value == 10);
  CHECK(repeated.at(4).slope == doctest::Approx(5).epsilon(1e-15));
  CHECK(std::isnan(repeated.at(infinity).value));
}

TEST_CASE("curve: smooth ones neither overshoot nor break") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> step(0.1, 2), jump(-5, 5);
  for (int n = 0; n < 50; ++n) {
    std::vector<CurveKey> keys{key(0, 0, Interpolation::smooth)};
    for (int i = 0; i < 8; ++i) {
      keys.push_back(key(keys.back().x + step(random), jump(random), Interpolation::smooth));
    }
    const Curve curve(keys);
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      const double low = std::min(keys[i].value, keys[i + 1].value),
                   high = std::max(keys[i].value, keys[i + 1].value);
      for (int k = 0; k <= 20; ++k) {
        const double x = keys[i].x + (keys[i + 1].x - keys[i].x) * k / 20;
        CHECK(curve.at(x).value >= low - 1e-14);
        CHECK(curve.at(x).value <= high + 1e-14);
      }
      // the slope is the same from both sides
      const double h = 1e-9;
      if (i > 0) CHECK(std::fabs(curve.at(keys[i].x - h).slope - curve.at(keys[i].x).slope) < 1e-5);
    }
  }
}

TEST_CASE("curve: smooth ones take straight keys as a line and a parabola nearly as one") {
  std::vector<CurveKey> line, parabola;
  for (int i = 0; i <= 10; ++i) {
    line.push_back(key(i * i, 3 * i * i - 2, Interpolation::smooth));
    parabola.push_back(key(i, i * i, Interpolation::smooth));
  }
  const Curve straight(line), bent(parabola);
  for (double x = 0; x < 100; x += 0.37) CHECK(straight.at(x).value == doctest::Approx(3 * x - 2));
  // harmonic mean of 2k - 1 and 2k + 1
  for (int k = 1; k < 10; ++k) {
    CHECK(bent.at(k).slope == doctest::Approx((4.0 * k * k - 1) / (2 * k)).epsilon(1e-14));
  }
  CHECK(bent.at(10).slope == doctest::Approx(20).epsilon(1e-14));
}

TEST_CASE("curve: a repeated smooth curve is smooth where it begins again") {
  const Curve wave({key(0, 0, Interpolation::smooth), key(1, 1, Interpolation::smooth),
                    key(2, -1, Interpolation::smooth), key(3, 0, Interpolation::smooth)},
                   Extension::repeat, Extension::repeat);
  CHECK(wave.at(3 - 1e-9).slope == doctest::Approx(wave.at(3).slope).epsilon(1e-6));
  CHECK(wave.at(0).slope == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("curve: Bezier with handles at the thirds is the cubic of the handles") {
  // glTF: v(u) = Hermite with tangents a and b
  const double h = 2, a = 3, b = -1;
  CurveKey from = key(1, 5, Interpolation::bezier), to = key(1 + h, 4);
  from.right = {h / 3, a * h / 3};
  to.left = {-h / 3, -b * h / 3};
  const Curve curve({from, to});
  for (int i = 0; i <= 100; ++i) {
    const double u = i / 100.0, u2 = u * u, u3 = u2 * u;
    const double hermite = (2 * u3 - 3 * u2 + 1) * 5 + (u3 - 2 * u2 + u) * h * a +
                           (-2 * u3 + 3 * u2) * 4 + (u3 - u2) * h * b;
    CHECK(curve.at(1 + h * u).value == doctest::Approx(hermite).epsilon(1e-14));
  }
  CHECK(curve.at(1).slope == doctest::Approx(a).epsilon(1e-14));
}

TEST_CASE("curve: Bezier finds the parameter for any handles") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(0, 1), rise(-3, 3);
  for (int n = 0; n < 3000; ++n) {
    CurveKey from = key(-1, 2, Interpolation::bezier), to = key(4, 3);
    // some at the limits: no handle, the longest, both meeting
    const auto fraction = [&] { return n % 7 == 0 ? 0.0 : n % 7 == 1 ? 1.0 : part(random); };
    const double first = fraction(), second = n % 7 == 1 ? 0 : (1 - first) * fraction();
    from.right = {5 * first, rise(random)};
    to.left = {-5 * second, rise(random)};
    const Curve curve({from, to});
    for (int i = 1; i < 20; ++i) {
      const double t = i / 20.0, s = 1 - t;
      const auto cubic = [&](double p0, double p1, double p2, double p3) {
        return s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t * p3;
      };
      const double x = cubic(-1, -1 + from.right.x, 4 + to.left.x, 4);
      const double value = cubic(2, 2 + from.right.value, 3 + to.left.value, 3);
      const auto slope = [&](double p0, double p1, double p2, double p3) {
        return 3 * (s * s * (p1 - p0) + 2 * s * t * (p2 - p1) + t * t * (p3 - p2));
      };
      const double dx = slope(-1, -1 + from.right.x, 4 + to.left.x, 4);
      const double dv = slope(2, 2 + from.right.value, 3 + to.left.value, 3);
      CAPTURE(first);
      CAPTURE(second);
      CAPTURE(t);
      // the error of x in its last place moves the value by the slope
      const double bound = 8e-15 * (1 + std::fabs(dv / dx));
      CHECK(std::fabs(curve.at(x).value - value) <= bound);
      if (dx > 0.1) CHECK(curve.at(x).slope == doctest::Approx(dv / dx).epsilon(1e-11));
    }
  }
}

TEST_CASE("curve: handles longer than the segment are shortened together") {
  CurveKey from = key(0, 0, Interpolation::bezier), to = key(1, 1);
  from.right = {3, 6};
  to.left = {-1, -1};
  CurveKey shorter = from, shorter_to = to;
  shorter.right = {0.75, 1.5};
  shorter_to.left = {-0.25, -0.25};
  const Curve curve({from, to}), expected({shorter, shorter_to});
  for (double x = 0; x <= 1; x += 0.01) CHECK(curve.at(x).value == expected.at(x).value);
}

TEST_CASE("curve: bad keys are named") {
  CHECK(error_of({}) == "a curve needs a key");
  CHECK(error_of({key(0, 1), key(0, 2)}) == "key 2: x must grow from key to key");
  CHECK(error_of({key(0, infinity)}) == "key 1: a number beyond 1e150");
  CHECK(error_of({key(0, std::nan(""))}) == "key 1: a number beyond 1e150");
  CHECK(error_of({{.x = 0, .value = 0, .left = {1, 0}}}) ==
        "key 1: the left handle points to the right");
  CHECK(error_of({{.x = 0, .value = 0, .right = {-1, 0}}}) ==
        "key 1: the right handle points to the left");
  CHECK(error_of({key(0, 1)}, Extension::repeat) == "a curve of one key cannot be repeated");
  CHECK(error_of(std::vector<CurveKey>(max_curve_keys + 1)) == "more than 65536 keys");
  CHECK(Curve({key(3, 7)}, Extension::extend).at(-9).value == 7);
}

TEST_CASE("curve: a definition of an expression, with its slope in the gradient") {
  const TestNames names{{"t", {{2.5}}}};
  const std::vector<Definition> with{
      {.name = "lift",
       .scope = "arm",
       .curve = std::make_shared<Curve>(std::vector{key(0, 0), key(2, 1), key(4, 5)})}};
  const Formula formula{.text = "3 * lift(t) + 1", .scope = "arm"};
  const ExpressionProgram program = compile(with, {&formula, 1}, names);
  ExpressionWorkspace work(program);
  evaluate(program, names.values.data(), work);
  CHECK(output(program, 0, work) == doctest::Approx(7).epsilon(1e-15));
  CHECK(gradient(program, 0, 0, work)[0] == doctest::Approx(6).epsilon(1e-15));
  CHECK(molejo::error_of("lift(t, 2)", names, with, "arm") ==
        "column 1: function 'arm.lift' takes 1, given 2");
  CHECK(values_of("arm.lift(3)", names, with)[0] == doctest::Approx(3).epsilon(1e-15));
}
