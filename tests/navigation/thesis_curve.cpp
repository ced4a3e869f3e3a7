// Linearly interpolated curves, the descent engine, and the two ways to correct a stride.
#include "molejo/navigation/thesis/curve.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "molejo/math/random.h"
#include "molejo/math/rotation.h"
#include "molejo/navigation/thesis/stride_correction.h"

using namespace molejo;
using namespace molejo::navigation::thesis;

namespace {

LinearCurve curve_of(std::vector<double> times, std::vector<Vec3> points) {
  return LinearCurve(times, points);
}

// A swing of n points: forwards, up and down again.
LinearCurve swing(int n, double dt, double lift) {
  LinearCurve c;
  for (int k = 0; k < n; ++k) {
    const double u = static_cast<double>(k) / (n - 1);
    c.append(k * dt, {0.8 * u, 0.1 * u, lift * 4 * u * (1 - u) + 0.05 * u});
  }
  return c;
}

class Quadratic : public DescentTerm {
 public:
  explicit Quadratic(std::vector<double> centre) : centre_(std::move(centre)) {}
  double value(std::span<const double> x) const override {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - centre_[i]) * (x[i] - centre_[i]);
    return sum;
  }
  void add_gradient(std::span<const double> x, double f, std::span<double> g) const override {
    for (std::size_t i = 0; i < x.size(); ++i) g[i] += f * 2 * (x[i] - centre_[i]);
  }

 private:
  std::vector<double> centre_;
};

}  // namespace

TEST_CASE("thesis curve: points, segments between them, velocities on both sides") {
  const LinearCurve c = curve_of({1, 2, 4}, {{0, 0, 0}, {2, 0, 4}, {2, 6, 0}});
  CHECK(c.at(1.5) == Vec3{1, 0, 2});
  CHECK(c.at(3) == Vec3{2, 3, 2});
  CHECK(c.at(2.00005) == Vec3{2, 0, 4});  // within epsilon it is the point
  CHECK(c.at(0.99995) == Vec3{0, 0, 0});  // and the range is as much wider
  CHECK_THROWS_AS(c.at(0.999), std::out_of_range);
  CHECK_THROWS_AS(c.at(4.001), std::out_of_range);
  CHECK(c.held(0) == Vec3{0, 0, 0});
  CHECK(c.held(9) == Vec3{2, 6, 0});
  CHECK(c.left_velocity(1) == Vec3{2, 0, 4});
  CHECK(c.right_velocity(1) == Vec3{0, 3, -2});
  CHECK_THROWS_AS(c.left_velocity(0), std::out_of_range);
  CHECK_THROWS_AS(c.right_velocity(2), std::out_of_range);
}

TEST_CASE("thesis curve: times must grow") {
  CHECK_THROWS_AS(curve_of({0, 0}, {{}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(curve_of({0, 1.5e-4}, {{}, {}}), std::invalid_argument);  // within 2 epsilon
  CHECK_THROWS_AS(curve_of({1, 0}, {{}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(curve_of({0, 1}, {{}}), std::invalid_argument);
  LinearCurve c = curve_of({0, 1}, {{}, {1, 0, 0}});
  CHECK_FALSE(c.insert(1.0001, {5, 5, 5}));
  CHECK(c.point(1) == Vec3{1, 0, 0});
  CHECK(c.insert(0.5, {5, 5, 5}));
  CHECK(c.at(0.5) == Vec3{5, 5, 5});
  c.record(0.50005, {6, 6, 6});  // a history takes the newer value
  CHECK(c.size() == 3);
  CHECK(c.at(0.5) == Vec3{6, 6, 6});
}

TEST_CASE("thesis curve: scaled, moved, turned, shifted in time, cut") {
  LinearCurve c = curve_of({0, 1, 2}, {{1, 0, 0}, {2, 0, 0}, {2, 2, 0}});
  c.scale(2);
  c.translate({0, 0, 1});
  c.turn(axis_rotation({0, 0, 1}, 3.141592653589793 / 2));
  c.shift_time(10);
  CHECK(norm(c.at(11) - Vec3{0, 4, 1}) < 1e-15);
  CHECK(norm(c.at(12) - Vec3{-4, 4, 1}) < 1e-15);
  LinearCurve part;
  c.sample(10.5, 11.5, part);
  CHECK(part.size() == 3);
  CHECK(norm(part.point(0) - Vec3{0, 3, 1}) < 1e-15);
  CHECK(norm(part.point(2) - Vec3{-2, 4, 1}) < 1e-15);
  CHECK_THROWS_AS(c.sample(9, 11, part), std::out_of_range);
  c.forget_before(11.5);
  CHECK(c.first_time() == 11);
}

TEST_CASE("thesis curve: connected, joined, handed over") {
  const LinearCurve a = curve_of({0, 1, 2}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
  const LinearCurve b = curve_of({1, 2, 3}, {{0, 4, 0}, {0, 5, 0}, {0, 6, 0}});
  LinearCurve out;
  connect(a, b, out);
  CHECK(out.last_time() == 4);
  CHECK(out.at(4) == Vec3{2, 2, 0});
  join(a, b, out);
  CHECK(out.size() == 4);
  CHECK(out.at(3) == Vec3{0, 6, 0});
  transition(a, b, 1.5, out);
  CHECK(out.at(1) == a.at(1));
  CHECK(out.at(1.5) == (a.at(1.5) + b.at(1.5)) * 0.5);
  CHECK(out.at(3) == b.at(3));
  CHECK_THROWS_AS(transition(a, b, 2.5, out), std::out_of_range);
  CHECK_THROWS_AS(transition(a, b, 0.5, out), std::out_of_range);
}

TEST_CASE("thesis curve: a soft transition begins with the old value and ends with the new one") {
  LinearCurve a, b, out;
  for (int k = 0; k <= 10; ++k) a.append(0.1 * k, {0, 0, 0});
  for (int k = 0; k <= 10; ++k) b.append(0.1 * k, {1, 2, 3});
  soft_transition(a, b, 0.2, 0.6, out);
  CHECK(out.at(0.2) == Vec3{0, 0, 0});
  CHECK(norm(out.at(0.3) - Vec3{0.25, 0.5, 0.75}) < 1e-12);
  CHECK(norm(out.at(0.5) - Vec3{0.75, 1.5, 2.25}) < 1e-12);
  CHECK(out.at(0.6) == Vec3{1, 2, 3});
  CHECK(out.size() == 11);
  // no step is larger than the blend makes it
  for (int k = 1; k < out.size(); ++k) CHECK(norm(out.point(k) - out.point(k - 1)) < 0.25 * 3.75);
  CHECK_THROWS_AS(soft_transition(a, b, 0.5, 1.5, out), std::out_of_range);
}

TEST_CASE("thesis curve: fitted ends are exact, the shape is turned and stretched") {
  Random random(7);
  for (int n = 0; n < 200; ++n) {
    const auto point = [&] {
      return Vec3{random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5};
    };
    LinearCurve c = swing(9, 0.04, 0.12);
    const LinearCurve before = c;
    const Vec3 v0 = point(), v1 = point();
    c.fit_ends(v0, v1);
    CHECK(c.point(0) == v0);
    CHECK(c.point(8) == v1);
    // similar: all distances grow by the same factor
    const double factor = norm(v1 - v0) / norm(before.point(8) - before.point(0));
    for (int k = 1; k < 9; ++k) {
      CHECK(std::fabs(norm(c.point(k) - c.point(0)) -
                      factor * norm(before.point(k) - before.point(0))) < 1e-12);
    }
  }
}

TEST_CASE("thesis curve: slopes are met exactly, also where directions are nearly parallel") {
  // his rotation about z alone missed slopes below 8 degrees
  LinearCurve c = swing(5, 0.1, 0);
  c.fit_ends({0, 0, 0}, {0.8, 0.1, 0.1});
  const Vec3 middle = c.point(2);
  CHECK(std::fabs(middle.z - 0.05) < 1e-12);
  // the opposite way: the swing is still upwards
  LinearCurve back = swing(5, 0.1, 0.2);
  back.fit_ends({0, 0, 0}, {-0.8, -0.1, 0});
  CHECK(back.point(2).z > 0.19);
}

TEST_CASE("thesis curve: a curve that ends where it began is moved, not stretched") {
  LinearCurve c = curve_of({0, 1, 2}, {{0, 0, 0}, {0.02, 0, 0.01}, {1e-4, 0, 0}});
  c.fit_ends({5, 5, 5}, {5.1, 5, 5});
  CHECK(norm(c.point(0) - Vec3{5, 5, 5}) < 1e-12);
  CHECK(norm(c.point(2) - Vec3{5.1, 5, 5}) < 1e-12);
  CHECK(std::fabs(c.point(1).x - (5 + 0.02 + 0.5 * (0.1 - 1e-4))) < 1e-12);
  LinearCurve vertical = curve_of({0, 1, 2}, {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}});
  vertical.fit_ends({0, 0, 0}, {0, 3, 0});
  CHECK(norm(vertical.point(1) - Vec3{0, 1.5, 0}) < 1e-12);
}

TEST_CASE("thesis descent: the minimum of a quadratic, by plain steps and with momentum") {
  const Quadratic f({1, -2, 3});
  const WeightedTerm terms[] = {{&f, 0.5}};
  for (const double momentum : {0.0, 0.8}) {
    std::vector<double> x{10, 10, 10};
    Descent descent(3);
    const DescentReport report = descent.minimise(
        {.rate = 0.1, .momentum = momentum, .max_steps = 2000, .target_change = 1e-9}, terms, x);
    CHECK(report.settled);
    CHECK(std::fabs(x[0] - 1) < 1e-6);
    CHECK(std::fabs(x[1] + 2) < 1e-6);
    CHECK(std::fabs(x[2] - 3) < 1e-6);
  }
}

TEST_CASE("thesis descent: both stop rules") {
  const Quadratic f({0});
  const WeightedTerm terms[] = {{&f, 1}};
  std::vector<double> x{1};
  Descent descent(1);
  // each step shrinks x by 1 - 2 rate; the change rate 2 x is below 0.01 when x was below 0.05
  const DescentReport settled =
      descent.minimise({.rate = 0.1, .max_steps = 300, .target_change = 0.01}, terms, x);
  CHECK(settled.settled);
  CHECK(settled.steps == 15);
  CHECK(std::fabs(x[0] - std::pow(0.8, 15)) < 1e-12);
  x = {1};
  const DescentReport cut =
      descent.minimise({.rate = 0.1, .max_steps = 4, .target_change = 0.01}, terms, x);
  CHECK_FALSE(cut.settled);
  CHECK(cut.steps == 4);
}

TEST_CASE("thesis descent: momentum makes the sequence done by hand") {
  // F = x^2, rate 0.1, m = 0.8: g = 0.8 g + 0.2 * 2 x, x -= 0.1 g
  const Quadratic f({0});
  const WeightedTerm terms[] = {{&f, 1}};
  Descent descent(1);
  const double by_hand[] = {0.96, 0.8896, 0.797696};
  for (int n = 1; n <= 3; ++n) {
    std::vector<double> x{1};
    descent.minimise({.rate = 0.1, .momentum = 0.8, .max_steps = n, .target_change = 0}, terms, x);
    CHECK(std::fabs(x[0] - by_hand[n - 1]) < 1e-15);
  }
}

TEST_CASE("thesis descent: what the observer does to a change is what the momentum remembers") {
  struct Halt : StepObserver {
    void after_step(std::span<double> x, std::span<double> change) override {
      x[0] = 1;
      change[0] = 0;
    }
  } halt;
  const Quadratic f({0});
  const WeightedTerm terms[] = {{&f, 1}};
  Descent descent(1);
  std::vector<double> x{1};
  const DescentReport report = descent.minimise(
      {.rate = 0.1, .momentum = 0.8, .max_steps = 5, .target_change = 1e-3}, terms, x, &halt);
  CHECK(report.settled);
  CHECK(report.steps == 1);
  CHECK(x[0] == 1);
}

TEST_CASE("thesis descent: a change that the observer halved goes on from its half") {
  struct Halve : StepObserver {
    int steps = 0;
    void after_step(std::span<double>, std::span<double> change) override {
      if (++steps == 1) change[0] /= 2;
    }
  } halve;
  const Quadratic f({0});
  const WeightedTerm terms[] = {{&f, 1}};
  Descent descent(1);
  std::vector<double> x{1};
  descent.minimise({.rate = 0.1, .momentum = 0.8, .max_steps = 2, .target_change = 0}, terms, x,
                   &halve);
  // g = 0.4, x = 0.96; remembered 0.2; g = 0.8 0.2 + 0.2 1.92
  CHECK(std::fabs(x[0] - (0.96 - 0.1 * 0.544)) < 1e-15);
}

TEST_CASE("thesis descent: the limit of growth, which only his code has") {
  // a gradient that grows a hundredfold from the first step to the second
  struct Jump : DescentTerm {
    double value(std::span<const double>) const override { return 0; }
    void add_gradient(std::span<const double> x, double f, std::span<double> g) const override {
      g[0] += f * (x[0] == 0 ? 1 : 100);
    }
  } jump;
  const WeightedTerm terms[] = {{&jump, 1}};
  Descent descent(1);
  std::vector<double> x{0};
  descent.minimise({.rate = 1, .max_steps = 2, .target_change = 0, .growth_limit = 10}, terms, x);
  CHECK(x[0] == -11);
  x = {0};
  descent.minimise({.rate = 1, .max_steps = 2, .target_change = 0}, terms, x);
  CHECK(x[0] == -101);
}

TEST_CASE("thesis stride correction: ends stay, no point is too low, nothing moves without need") {
  Random random(3);
  StrideCorrector corrector(32);
  for (int n = 0; n < 300; ++n) {
    const int points = 3 + static_cast<int>(random.uniform() * 28);
    LinearCurve c = swing(points, 1.0 / 30, 0.12);
    const LinearCurve before = c;
    std::vector<double> lowest;
    bool raised = false;
    for (int k = 0; k < points; ++k) {
      lowest.push_back(0.25 * random.uniform());
      raised = raised || (k > 0 && k + 1 < points && lowest.back() > c.point(k).z);
    }
    corrector.correct(c, lowest);
    CHECK(c.point(0) == before.point(0));
    CHECK(c.point(points - 1) == before.point(points - 1));
    double moved = 0;
    for (int k = 1; k + 1 < points; ++k) {
      CHECK(c.point(k).z >= lowest[static_cast<std::size_t>(k)]);
      CHECK(c.point(k).x == before.point(k).x);
      CHECK(c.point(k).y == before.point(k).y);
      moved = std::max(moved, c.point(k).z - before.point(k).z);
    }
    CHECK((moved > 0) == raised);
  }
}

TEST_CASE("thesis stride correction: the descent finds the least concave majorant") {
  Random random(11);
  StrideCorrector corrector(24);
  double most = 0;
  for (int n = 0; n < 40; ++n) {
    const int points = 8 + static_cast<int>(random.uniform() * 14);
    // frames of unequal length too
    LinearCurve exact;
    double t = 0;
    for (int k = 0; k < points; ++k) {
      const double u = static_cast<double>(k) / (points - 1);
      exact.append(t, {0.8 * u, 0, 0.4 * u * (1 - u)});
      t += (n % 2 ? 1.0 : 0.7 + 0.6 * random.uniform()) / 30;
    }
    LinearCurve descended = exact;
    std::vector<double> lowest;
    for (int k = 0; k < points; ++k) lowest.push_back(0.3 * random.uniform());
    corrector.correct(exact, lowest);
    corrector.descend(descended, lowest, 0, 20000);  // never settles
    for (int k = 0; k < points; ++k) {
      most = std::max(most, norm(exact.point(k) - descended.point(k)));
    }
  }
  MESSAGE("descent against majorant: " << most << " m");
  CHECK(most < 1e-12);
}

TEST_CASE("thesis stride correction: 600 steps as in his code come near the exact swing") {
  StrideCorrector corrector(20);
  double most = 0;
  for (const double bump : {0.1, 0.2, 0.4}) {
    LinearCurve exact = swing(15, 1.0 / 30, 0.1), descended = exact;
    std::vector<double> lowest(15, 0.0);
    lowest[6] = lowest[7] = bump;
    corrector.correct(exact, lowest);
    corrector.descend(descended, lowest, 1.7);
    for (int k = 0; k < 15; ++k) most = std::max(most, norm(exact.point(k) - descended.point(k)));
  }
  MESSAGE("600 steps of descent: within " << most * 1000 << " mm of the exact correction");
  CHECK(most < 5e-4);
}
