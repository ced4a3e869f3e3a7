// Minimises f(x) + easy(x) subject to phi(x) = 0: CMA-ES inside the method of multipliers.
//
//   W = f + easy + lambda^T p + k p^T p,   p_i = phi_i / tolerance_i, or phi_i if not `scaled`
//
//   run 0:  lambda = 0, k = 0: reaches the easy constraints
//   run r:  sigma = max(floor, decay sigma); CMA-ES, with a fresh covariance, minimises W from the
//           last solution; over when that has |phi_i| < tolerance_i and easy = 0; lambda += 2 k p
//
// Hestenes (1969), Powell (1969), Miele et al. (1972); Nunes, thesis, Universidade Federal do Ceara
// (2012), 4.4. A result of the problem is the row (f, easy, phi_1 .. phi_m, anything more).
// `easy` is exactly 0 where the easy constraints hold.
#pragma once

#include <functional>
#include <optional>

#include "molejo/optimise/cma.h"
#include "molejo/optimise/evaluate.h"

namespace molejo {

struct MultiplierSettings {
  CmaSettings cma{.tol_x = 1e-4, .max_generations = 1000};  // of each run; sigma of run 0
  std::vector<double> tolerance = {};                       // of each phi, positive
  bool scaled = true;                                       // phi in units of its tolerance
  double penalty = 0.003;  // k; 0.1 is the thesis's, with phi not scaled
  int runs = 20;           // after run 0
  double sigma_decay = 0.7, sigma_floor = 0.001;
  bool run_0_until_easy = true;   // run 0 ends as soon as the easy constraints hold
  bool penalty_in_run_0 = false;  // phi counts before there are multipliers
  bool stop_at_first = false;     // all ends with the first sample that meets everything
  std::int64_t max_evaluations = std::numeric_limits<std::int64_t>::max();
};

// A point and what the problem said of it.
struct Solution {
  std::vector<double> x, outputs;

  double objective() const { return outputs[0]; }
  double easy() const { return outputs[1]; }
  bool operator==(const Solution&) const = default;
};

enum class MultiplierPhase {
  running,    // ask and tell
  run_ended,  // next_run is awaited
  solved,     // every constraint holds
  runs_done,
  budget_done  // and some constraint does not hold
};
std::string_view name(MultiplierPhase phase);

// All that is known between two generations.
struct MultiplierState {
  MultiplierSettings settings;
  int outputs = 0;
  MultiplierPhase phase = MultiplierPhase::running;
  int run = 0;
  std::int64_t evaluations = 0;
  std::vector<double> lambda;     // in units of p
  Solution solution;              // least W of this run; outputs are empty before there is one
  std::optional<Solution> valid;  // least f of the points that meet everything
  CmaState cma;                   // of this run
};

class Multipliers {
 public:
  // outputs: of the problem, at least 2 + tolerance.size(). Bounds as for CmaEs.
  Multipliers(const MultiplierSettings& settings, int outputs, std::span<const double> start,
              std::span<const double> lower = {}, std::span<const double> upper = {});
  // Goes on with the same bits.
  explicit Multipliers(const MultiplierState& state);

  int unknowns() const { return cma_.unknowns(); }
  int population() const { return cma_.population(); }
  int outputs() const { return kept_.outputs; }  // of the problem

  // While running. points: population() rows of unknowns(); results: rows of outputs.
  void ask(double* points) { cma_.ask(points); }
  void tell(const double* points, const double* results);

  MultiplierPhase phase() const { return kept_.phase; }
  // After run_ended: ends, or updates lambda and begins the next run.
  void next_run();
  // In place of the run's solution (a polish may do so between run_ended and next_run), with the
  // number of evaluations that it took.
  void take(Solution solution);
  void count_evaluations(std::int64_t more) { kept_.evaluations += more; }

  int run() const { return kept_.run; }
  int generation() const { return cma_.state().generation; }
  std::int64_t evaluations() const { return kept_.evaluations; }
  double penalty() const {
    return kept_.run == 0 && !kept_.settings.penalty_in_run_0 ? 0 : kept_.settings.penalty;
  }
  const std::vector<double>& lambda() const { return kept_.lambda; }
  const CmaEs& cma() const { return cma_; }
  // Least W of this run; outputs are empty before the first tell.
  const Solution& solution() const { return kept_.solution; }
  bool solution_meets_all() const {
    return !kept_.solution.outputs.empty() && meets_all(kept_.solution.outputs.data());
  }
  // The solution, unless only another point met everything.
  const Solution& best() const {
    return kept_.valid && !solution_meets_all() ? *kept_.valid : kept_.solution;
  }
  double merit(const double* outputs) const;  // W; infinite when a number is not finite
  double ratio(const double* outputs) const;  // largest |phi_i| / tolerance_i
  bool meets_all(const double* outputs) const { return outputs[1] == 0 && ratio(outputs) < 1; }

  // Complete, between two generations.
  MultiplierState state() const;

 private:
  void end_if_due();

  MultiplierState kept_;  // but for `cma`, which lives in cma_
  CmaEs cma_;
  double least_ = std::numeric_limits<double>::infinity();  // W of the solution
  std::vector<double> values_;
};

struct MultiplierHooks {
  // After each generation, with the state complete: report, save. False: stop here, to go on later.
  std::function<bool(const Multipliers&)> after_generation = {};
  // When a run has ended, before it is judged: may take() a polished solution. Called again after
  // a resume if the first call was not lived through, so it must give the same result.
  std::function<void(Multipliers&)> after_run = {};
};

// Until it is solved, or done, or a hook says stop. Goes on from any state. The evaluator must have
// the unknowns and outputs of the multipliers: check them after a state was read from a file.
void minimise(Multipliers& multipliers, Evaluator& evaluator, const MultiplierHooks& hooks = {});

}  // namespace molejo
