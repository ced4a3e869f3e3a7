// Minimises |r(x)|^2 / 2 within lower <= x <= upper: Levenberg and Marquardt, made for evaluators
// that take many points at once.
//
//   (J^T J + mu D) step = -J^T r,   D = diag(J^T J)
//
// J by differences, all in one batch; several mu, again in one batch, of which the best is taken.
// A coordinate at a bound against which the gradient presses is held; one that a step would carry
// beyond is put on its bound and the rest of the step is solved again (active set).
// Sources: Marquardt (1963); Nocedal and Wright, Numerical Optimization (2006), 10.3 and 16.7.
// The same bits on every machine.
#pragma once

#include <functional>
#include <span>

#include "molejo/optimise/evaluate.h"
#include "molejo/optimise/multipliers.h"

namespace molejo {

struct LeastSquaresSettings {
  int first_residual = 0;    // r = outputs first .. first + count - 1 of the problem
  int residuals = 0;         // 0: all outputs from the first
  int max_iterations = 50;   // each one batch of differences and one of steps
  double difference = 1e-4;  // in widths of the interval where a coordinate has bounds
  bool central = false;      // differences to both sides: twice the points, second order
  double damping = 1e-3;     // first mu
  std::vector<double> factors = {1e2, 1e1, 1, 1e-1, 1e-2, 1e-3};  // on mu, tried together
  double target = 0;                                              // cost as low as this
  double tol_cost = 1e-12;                                        // relative decrease below
  double tol_x = 1e-12;  // step below, units as for `difference`
  // Told of every point that is accepted, the start first; true: good enough, stop.
  std::function<bool(const Solution&)> enough = {};
};

enum class LeastSquaresStop {
  target,
  enough,
  tol_cost,
  tol_x,
  iterations,
  no_descent,  // no mu lowered the cost
  not_finite   // the start cannot be evaluated
};
std::string_view name(LeastSquaresStop stop);

struct LeastSquaresResult {
  Solution solution;  // the best point and all its outputs
  double cost = 0;    // |r|^2 / 2
  int iterations = 0;
  std::int64_t evaluations = 0;
  LeastSquaresStop stop = LeastSquaresStop::iterations;
};

// Bounds as for CmaEs, but single ones and equal ones are allowed. A start outside is moved to the
// nearer bound. Points and residuals that are not finite are never accepted.
LeastSquaresResult least_squares(Evaluator& evaluator, std::span<const double> start,
                                 std::span<const double> lower, std::span<const double> upper,
                                 const LeastSquaresSettings& settings = {});

}  // namespace molejo
