// Levenberg-Marquardt on problems whose minima are known.
#include "molejo/optimise/least_squares.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/optimise/functions.h"

using namespace molejo;
using namespace molejo::test;

namespace {

void rosenbrock_residuals(const VecX& x, double* r) {
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
}

// More, Garbow and Hillstrom (1981), problem 13: the Jacobian is singular at the solution 0.
void powell_singular(const VecX& x, double* r) {
  r[0] = x[0] + 10 * x[1];
  r[1] = std::sqrt(5.0) * (x[2] - x[3]);
  r[2] = (x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
  r[3] = std::sqrt(10.0) * (x[0] - x[3]) * (x[0] - x[3]);
}

const double inf = HUGE_VAL;

}  // namespace

TEST_CASE("least squares: Rosenbrock from its usual start") {
  ThreadEvaluator evaluator(problem(2, 2, rosenbrock_residuals, 4), 2);
  for (const bool central : {false, true}) {
    const LeastSquaresResult result =
        least_squares(evaluator, std::vector<double>{-1.2, 1}, {}, {},
                      {.difference = 1e-7, .central = central, .target = 1e-20});
    CHECK(result.stop == LeastSquaresStop::target);
    CHECK(std::fabs(result.solution.x[0] - 1) < 1e-9);
    CHECK(std::fabs(result.solution.x[1] - 1) < 1e-9);
    CHECK(result.iterations <= 30);
    CHECK(result.solution.outputs.size() == 2);
  }
}

TEST_CASE("least squares: Powell's singular function") {
  ThreadEvaluator evaluator(problem(4, 4, powell_singular), 1);
  const LeastSquaresResult result =
      least_squares(evaluator, std::vector<double>{3, -1, 0, 1}, {}, {},
                    {.max_iterations = 100, .difference = 1e-7, .central = true, .target = 1e-20});
  // |x| falls only linearly where J is singular: |r| ~ |x|^2
  CHECK(result.cost < 1e-16);
  for (const double x : result.solution.x) CHECK(std::fabs(x) < 1e-3);
}

TEST_CASE("least squares: linear problems are solved in few steps, with any number of residuals") {
  // ten residuals, four unknowns: the normal equations, solved by hand with Eigen in the test
  Random random(2);
  MatX A(10, 4);
  VecX b(10);
  for (int i = 0; i < 10; ++i) {
    b[i] = random.normal();
    for (int j = 0; j < 4; ++j) A(i, j) = random.normal();
  }
  const auto f = [&](const VecX& x, double* r) { Eigen::Map<VecX>(r, 10) = A * x - b; };
  ThreadEvaluator evaluator(problem(4, 10, f), 1);
  const LeastSquaresResult result =
      least_squares(evaluator, std::vector<double>(4, 0.0), {}, {}, {.central = true});
  const VecX x = Eigen::Map<const VecX>(result.solution.x.data(), 4);
  CHECK((A.transpose() * (A * x - b)).norm() < 1e-6);  // the gradient vanishes
  CHECK(result.iterations < 10);
}

TEST_CASE("least squares: bounds that are active at the solution") {
  // Rosenbrock with x <= 0.5: there y = x^2 is free, cost (1 - x)^2 / 2
  ThreadEvaluator evaluator(problem(2, 2, rosenbrock_residuals), 1);
  const LeastSquaresResult upper =
      least_squares(evaluator, std::vector<double>{-1.2, 1}, std::vector<double>{-2, -inf},
                    std::vector<double>{0.5, inf}, {.difference = 1e-7});
  CHECK(upper.solution.x[0] == 0.5);
  CHECK(std::fabs(upper.solution.x[1] - 0.25) < 1e-7);
  CHECK(std::fabs(upper.cost - 0.125) < 1e-12);
  // y >= 1.5 in a box: r = 0 for no x; d/dx [50 (1.5 - x^2)^2 + (1 - x)^2 / 2] = 0
  const LeastSquaresResult lower =
      least_squares(evaluator, std::vector<double>{1, 1.8}, std::vector<double>{0, 1.5},
                    std::vector<double>{2, 3}, {.difference = 1e-7});
  CHECK(lower.solution.x[1] == 1.5);
  const double x = lower.solution.x[0];
  CHECK(std::fabs(-200 * x * (1.5 - x * x) - (1 - x)) < 1e-4);
}

TEST_CASE("least squares: a quadratic in a box, the active set found from any start") {
  // least |A x - b|^2 in [0, 1]^6: at the solution the gradient is 0 where x is free and presses
  // outwards where it is not
  Random random(4);
  MatX A(8, 6);
  VecX b(8);
  for (int i = 0; i < 8; ++i) {
    b[i] = 2 * random.normal();
    for (int j = 0; j < 6; ++j) A(i, j) = random.normal();
  }
  const auto f = [&](const VecX& x, double* r) { Eigen::Map<VecX>(r, 8) = A * x - b; };
  ThreadEvaluator evaluator(problem(6, 8, f), 1);
  int active = 0;
  for (int seed = 0; seed < 5; ++seed) {
    std::vector<double> start(6);
    for (double& x : start)
      x = seed == 0 ? 9 : seed == 1 ? -9 : random.uniform();  // outside: corners
    const LeastSquaresResult result =
        least_squares(evaluator, start, std::vector<double>(6, 0.0), std::vector<double>(6, 1.0));
    const VecX x = Eigen::Map<const VecX>(result.solution.x.data(), 6);
    const VecX gradient = A.transpose() * (A * x - b);
    for (int i = 0; i < 6; ++i) {
      CAPTURE(i);
      if (x[i] == 0) {
        CHECK(gradient[i] > 0);
        ++active;
      } else if (x[i] == 1) {
        CHECK(gradient[i] < 0);
        ++active;
      } else {
        CHECK(std::fabs(gradient[i]) < 1e-5);
      }
    }
  }
  CHECK(active >= 10);  // two coordinates or more, each time
}

TEST_CASE("least squares: a part of the outputs, fixed coordinates, and `enough`") {
  const auto f = [](const VecX& x, double* y) {
    y[0] = 1e9;  // an objective that must not count
    y[1] = x[0] * x[1] - 2;
    y[2] = x[0] - x[2];
    y[3] = NAN;
  };
  ThreadEvaluator evaluator(problem(3, 4, f), 1);
  int told = 0;
  const LeastSquaresSettings settings{
      .first_residual = 1, .residuals = 2, .enough = [&](const Solution& s) {
        ++told;
        return std::fabs(s.outputs[1]) < 1e-3 && std::fabs(s.outputs[2]) < 1e-3;
      }};
  const LeastSquaresResult result =
      least_squares(evaluator, std::vector<double>{0.5, 1, 4}, std::vector<double>{-5, -5, 4},
                    std::vector<double>{5, 5, 4}, settings);
  CHECK(result.stop == LeastSquaresStop::enough);
  CHECK(result.solution.x[2] == 4);
  CHECK(std::fabs(result.solution.x[0] - 4) < 1e-2);
  CHECK(std::fabs(result.solution.x[1] - 0.5) < 1e-2);
  CHECK(told == result.iterations + 1);
  // one point, then three differences an iteration, and steps by the six
  CHECK(result.evaluations >= 1 + 9 * result.iterations);
  CHECK((result.evaluations - 1 - 3 * result.iterations) % 6 == 0);
  CHECK(evaluator.evaluations() == result.evaluations);
}

TEST_CASE("least squares: what is not finite is never accepted") {
  // no number beyond x = 1, the minimum is at 3
  const auto f = [](const VecX& x, double* r) { r[0] = x[0] > 1 ? NAN : x[0] - 3; };
  ThreadEvaluator evaluator(problem(1, 1, f), 1);
  const LeastSquaresResult result = least_squares(evaluator, std::vector<double>{0.0}, {}, {});
  CHECK(std::isfinite(result.cost));
  CHECK(result.solution.x[0] <= 1);
  CHECK(result.solution.x[0] > 0.5);
  const LeastSquaresResult nowhere = least_squares(evaluator, std::vector<double>{2.0}, {}, {});
  CHECK(nowhere.stop == LeastSquaresStop::not_finite);
}

TEST_CASE("least squares: the same bits for any threads and grouping") {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3}) {
    for (const int group : {1, 4}) {
      ThreadEvaluator evaluator(problem(4, 4, powell_singular, group), threads);
      const LeastSquaresResult result =
          least_squares(evaluator, std::vector<double>{3, -1, 0, 1}, {}, {}, {.max_iterations = 9});
      const std::uint64_t found = hash(result.solution.x);
      if (expected == 0) expected = found;
      CHECK(found == expected);
    }
  }
}
