#include "molejo/optimise/multipliers.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/optimise/least_squares.h"
#include "tests/optimise/functions.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// least x^2 + 2 y^2 + 3 z^2 on x + y + z = 3 and x - y = 0.5, by hand:
// gradient = -lambda_1 (1,1,1) - lambda_2 (1,-1,0)
struct Plane {
  double x, y, z, lambda_1, lambda_2;
};

// From y = x - 0.5, z = 3.5 - 2x: minimise x^2 + 2 (x - 0.5)^2 + 3 (3.5 - 2x)^2, so
// 2x + 4 (x - 0.5) - 12 (3.5 - 2x) = 0, x = 44/30.
constexpr double x_best = 44.0 / 30;
constexpr Plane plane = {x_best, x_best - 0.5, 3.5 - 2 * x_best, -6 * (3.5 - 2 * x_best),
                         6 * (3.5 - 2 * x_best) - 2 * x_best};

void plane_problem(const VecX& x, double* y) {
  y[0] = x[0] * x[0] + 2 * x[1] * x[1] + 3 * x[2] * x[2];
  y[1] = 0;
  y[2] = x[0] + x[1] + x[2] - 3;
  y[3] = x[0] - x[1] - 0.5;
}

MultiplierSettings thesis(double tolerance) {
  MultiplierSettings settings{.tolerance = {tolerance, tolerance}, .scaled = false, .penalty = 0.1};
  settings.cma.weights = CmaWeights::classic;
  settings.cma.tol_x = 1e-9;
  settings.run_0_until_easy = false;
  return settings;
}

}  // namespace

TEST_CASE("multipliers: a known KKT point and its multipliers with k = 0.1 fixed") {
  MultiplierSettings settings = thesis(1e-5);
  settings.runs = 200;  // each run takes away a part of the error: k is small here
  settings.sigma_floor = 0.01;
  Multipliers multipliers(settings, 4, std::vector<double>(3, 0.0));
  ThreadEvaluator evaluator(problem(3, 4, plane_problem), 1);
  minimise(multipliers, evaluator);
  REQUIRE(multipliers.phase() == MultiplierPhase::solved);
  const std::vector<double>& x = multipliers.best().x;
  CHECK(std::fabs(x[0] - plane.x) < 1e-4);
  CHECK(std::fabs(x[1] - plane.y) < 1e-4);
  CHECK(std::fabs(x[2] - plane.z) < 1e-4);
  CHECK(std::fabs(multipliers.lambda()[0] - plane.lambda_1) < 1e-3);
  CHECK(std::fabs(multipliers.lambda()[1] - plane.lambda_2) < 1e-3);
  CHECK(multipliers.penalty() == 0.1);
}

TEST_CASE("multipliers: the multipliers approach at the rate of theory") {
  // with a quadratic f and linear phi, error of lambda shrinks by (1 + 2 k s)^-1 a run, where s are
  // the eigenvalues of A H^-1 A^T: one constraint x + y + z = 3, H = diag(2, 4, 6): s = 11/12
  const auto f = [](const VecX& x, double* y) {
    plane_problem(x, y);
    y[3] = 0;
  };
  MultiplierSettings settings = thesis(1e-12);
  settings.runs = 6;
  settings.cma.tol_x = 1e-11;
  settings.cma.tol_fun = 0;
  Multipliers multipliers(settings, 4, std::vector<double>(3, 0.0));
  ThreadEvaluator evaluator(problem(3, 4, f), 1);
  std::vector<double> lambdas;
  minimise(multipliers, evaluator,
           {.after_run = [&](Multipliers& m) { lambdas.push_back(m.lambda()[0]); }});
  REQUIRE(lambdas.size() == 7);
  CHECK(lambdas[0] == 0);
  CHECK(lambdas[1] == 0);  // run 0 has no penalty
  const double best = -36.0 / 11, rate = 1 / (1 + 2 * 0.1 * 11 / 12);
  for (std::size_t r = 2; r < lambdas.size(); ++r) {
    const double error = lambdas[r] - best, before = lambdas[r - 1] - best;
    CHECK(std::fabs(error / before - rate) < 1e-5);
  }
}

TEST_CASE("multipliers: scaled constraints of unlike units are met together") {
  // phi_1 in thousands, phi_2 in thousandths: only the tolerances know
  const auto f = [](const VecX& x, double* y) {
    y[0] = 1e-3 * rosenbrock(x);
    y[1] = 0;
    y[2] = 1e3 * (x[0] + x[1] - 1);
    y[3] = 1e-3 * (x[2] * x[3] - 0.5);
  };
  const auto ratio_after = [&](bool scaled) {
    MultiplierSettings settings{.tolerance = {1, 1e-6}, .scaled = scaled, .runs = 6};
    settings.penalty = scaled ? 0.003 : 0.1;
    settings.cma.max_generations = 300;
    Multipliers multipliers(settings, 4, std::vector<double>(6, 0.3), std::vector<double>(6, -2),
                            std::vector<double>(6, 2));
    ThreadEvaluator evaluator(problem(6, 4, f), 1);
    minimise(multipliers, evaluator);
    return multipliers.ratio(multipliers.best().outputs.data());
  };
  CHECK(ratio_after(true) < 1);
  CHECK(ratio_after(false) > 10);
}

TEST_CASE("multipliers: run 0 ends with the easy constraints, sigma decays to its floor") {
  const auto f = [](const VecX& x, double* y) {
    y[0] = 1e-5 * sphere(x);
    const double d = x[0] + x[1] - 6;  // a wall with a step, as the specification has it
    y[1] = d < 0 ? 1e5 * (d * d + 1) : 0;
    y[2] = x[2] - x[3];
  };
  MultiplierSettings settings{.tolerance = {1e-9}, .runs = 4};
  settings.cma.max_generations = 3;
  settings.cma.tol_fun = 0;
  settings.sigma_floor = 0.1;
  Multipliers multipliers(settings, 3, std::vector<double>(4, 0.0), std::vector<double>(4, -5),
                          std::vector<double>(4, 5));
  ThreadEvaluator evaluator(problem(4, 3, f), 1);
  std::vector<double> sigmas;
  std::vector<int> generations;
  settings.cma.max_generations = 1000;
  Multipliers patient(settings, 3, std::vector<double>(4, 0.0), std::vector<double>(4, -5),
                      std::vector<double>(4, 5));
  minimise(patient, evaluator, {.after_generation = [&](const Multipliers& m) {
             if (m.phase() == MultiplierPhase::run_ended) {
               generations.push_back(m.generation());
               CHECK(m.solution().easy() == 0);
             }
             return generations.empty();
           }});
  REQUIRE(generations.size() == 1);
  CHECK(generations[0] < 50);
  CHECK(patient.run() == 0);

  minimise(multipliers, evaluator, {.after_run = [&](Multipliers& m) {
             sigmas.push_back(m.cma().state().settings.sigma);
           }});
  const double expected[] = {0.3, 0.21, 0.147, 0.1029, 0.1};
  REQUIRE(sigmas.size() == 5);
  for (std::size_t r = 0; r < 5; ++r) CHECK(std::fabs(sigmas[r] - expected[r]) < 1e-15);
  CHECK(multipliers.phase() == MultiplierPhase::runs_done);
  CHECK(multipliers.run() == 4);
}

TEST_CASE("multipliers: stopped after any generation and resumed, the result has the same bits") {
  const auto polish = [](Evaluator& evaluator) {
    return [&evaluator](Multipliers& m) {
      if (m.run() != 1) return;
      const LeastSquaresResult result =
          least_squares(evaluator, m.solution().x, {}, {},
                        {.first_residual = 2, .residuals = 2, .max_iterations = 1});
      m.count_evaluations(result.evaluations);
      m.take(result.solution);
    };
  };
  MultiplierSettings settings = thesis(1e-7);
  settings.runs = 4;
  settings.cma.max_generations = 12;
  ThreadEvaluator evaluator(problem(3, 4, plane_problem), 1);
  Multipliers whole(settings, 4, std::vector<double>(3, 0.0));
  minimise(whole, evaluator, {.after_run = polish(evaluator)});
  const MultiplierState expected = whole.state();
  CHECK(expected.run >= 1);

  for (const int stop_every : {1, 5, 13}) {
    CAPTURE(stop_every);
    MultiplierState state = Multipliers(settings, 4, std::vector<double>(3, 0.0)).state();
    while (state.phase <= MultiplierPhase::run_ended) {
      Multipliers part(state);
      int generations = 0;
      minimise(part, evaluator,
               {.after_generation = [&](const Multipliers&) { return ++generations < stop_every; },
                .after_run = polish(evaluator)});
      state = part.state();
    }
    CHECK(state.phase == expected.phase);
    CHECK(state.run == expected.run);
    CHECK(state.evaluations == expected.evaluations);
    CHECK(state.lambda == expected.lambda);
    CHECK(state.solution == expected.solution);
    CHECK(state.valid == expected.valid);
    CHECK(hash(state.cma.mean) == hash(expected.cma.mean));
    CHECK(state.cma.random == expected.cma.random);
  }
}

TEST_CASE("multipliers: a polished solution is judged and ends the search") {
  MultiplierSettings settings = thesis(1e-9);
  ThreadEvaluator evaluator(problem(3, 4, plane_problem), 1);
  Multipliers multipliers(settings, 4, std::vector<double>(3, 0.0));
  minimise(multipliers, evaluator, {.after_run = [&](Multipliers& m) {
             const LeastSquaresResult polished = least_squares(
                 evaluator, m.solution().x, {}, {}, {.first_residual = 2, .residuals = 2});
             m.take(polished.solution);
           }});
  CHECK(multipliers.phase() == MultiplierPhase::solved);
  CHECK(multipliers.run() == 0);
  CHECK(multipliers.ratio(multipliers.best().outputs.data()) < 1);
}

TEST_CASE("multipliers: the budget ends it, and the first that meets all may") {
  MultiplierSettings settings = thesis(1e-9);
  settings.max_evaluations = 500;
  ThreadEvaluator evaluator(problem(3, 4, plane_problem), 1);
  Multipliers multipliers(settings, 4, std::vector<double>(3, 0.0));
  minimise(multipliers, evaluator);
  CHECK(multipliers.phase() == MultiplierPhase::budget_done);
  CHECK(multipliers.evaluations() >= 500);
  CHECK(multipliers.evaluations() < 500 + multipliers.population());

  settings = thesis(0.3);
  settings.stop_at_first = true;
  Multipliers eager(settings, 4, std::vector<double>{1.4, 1, 0.6});
  minimise(eager, evaluator);
  CHECK(eager.phase() == MultiplierPhase::solved);
  CHECK(eager.meets_all(eager.best().outputs.data()));
  CHECK(eager.evaluations() < 200);
}

TEST_CASE("multipliers: results that are not finite are never a solution") {
  const auto f = [](const VecX& x, double* y) {
    plane_problem(x, y);
    if (x[0] < 0) y[2] = NAN;
    if (x[1] < 0) y[0] = -HUGE_VAL;
    if (x[2] < 0) y[1] = NAN;
  };
  MultiplierSettings settings = thesis(1e-3);
  settings.runs = 60;
  Multipliers multipliers(settings, 4, std::vector<double>(3, 0.1));
  ThreadEvaluator evaluator(problem(3, 4, f), 1);
  minimise(multipliers, evaluator, {.after_generation = [](const Multipliers& m) {
             if (!m.solution().outputs.empty()) {
               for (const double y : m.solution().outputs) CHECK(std::isfinite(y));
             }
             return true;
           }});
  CHECK(multipliers.phase() == MultiplierPhase::solved);
}
