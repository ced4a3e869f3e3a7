#include "molejo/optimise/multipliers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo {

namespace {

// each run draws its own numbers
CmaSettings settings_of_run(const MultiplierSettings& settings, int run) {
  CmaSettings cma = settings.cma;
  for (int r = 0; r < run; ++r) {
    cma.sigma = std::max(settings.sigma_floor, settings.sigma_decay * cma.sigma);
  }
  cma.seed = seed_of_stream(settings.cma.seed, static_cast<std::uint64_t>(run));
  return cma;
}

}  // namespace

std::string_view name(MultiplierPhase phase) {
  constexpr std::string_view names[] = {"running", "run_ended", "solved", "runs_done",
                                        "budget_done"};
  return names[static_cast<std::size_t>(phase)];
}

Multipliers::Multipliers(const MultiplierSettings& settings, int outputs,
                         std::span<const double> start, std::span<const double> lower,
                         std::span<const double> upper)
    : cma_(settings_of_run(settings, 0), start, lower, upper) {
  assert(outputs >= 2 + static_cast<int>(settings.tolerance.size()));
  kept_.settings = settings;
  kept_.outputs = outputs;
  kept_.lambda.assign(settings.tolerance.size(), 0);
  const VecX& x = cma_.state().best;  // the start, within the bounds
  kept_.solution.x.assign(x.begin(), x.end());
  values_.resize(static_cast<std::size_t>(population()));
}

Multipliers::Multipliers(const MultiplierState& state) : kept_(state), cma_(state.cma) {
  kept_.cma = CmaState();
  if (!kept_.solution.outputs.empty()) least_ = merit(kept_.solution.outputs.data());
  values_.resize(static_cast<std::size_t>(population()));
}

MultiplierState Multipliers::state() const {
  MultiplierState state = kept_;
  state.cma = cma_.state();
  return state;
}

double Multipliers::merit(const double* outputs) const {
  const double k = penalty();
  double W = outputs[0] + outputs[1];
  for (std::size_t i = 0; i < kept_.lambda.size(); ++i) {
    const double phi = outputs[2 + i];
    if (!std::isfinite(phi)) return std::numeric_limits<double>::infinity();
    const double p = kept_.settings.scaled ? phi / kept_.settings.tolerance[i] : phi;
    W += (kept_.lambda[i] + k * p) * p;
  }
  return std::isfinite(W) ? W : std::numeric_limits<double>::infinity();
}

double Multipliers::ratio(const double* outputs) const {
  double worst = 0;
  for (std::size_t i = 0; i < kept_.lambda.size(); ++i) {
    const double r = std::fabs(outputs[2 + i]) / kept_.settings.tolerance[i];
    worst = r <= worst ? worst : r;  // NaN is the worst of all
    if (std::isnan(r)) return r;
  }
  return worst;
}

void Multipliers::tell(const double* points, const double* results) {
  assert(kept_.phase == MultiplierPhase::running);
  const auto n = static_cast<std::size_t>(unknowns());
  const auto m = static_cast<std::size_t>(kept_.outputs);
  const auto copy = [&](std::size_t k, Solution& to) {
    to.x.assign(points + k * n, points + (k + 1) * n);
    to.outputs.assign(results + k * m, results + (k + 1) * m);
  };
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double* outputs = results + k * m;
    values_[k] = merit(outputs);
    if (values_[k] < least_) {
      least_ = values_[k];
      copy(k, kept_.solution);
    }
    if (!std::isfinite(values_[k]) || !meets_all(outputs)) continue;
    if (!kept_.valid) kept_.valid.emplace();
    if (kept_.valid->outputs.empty() || outputs[0] < kept_.valid->objective()) {
      copy(k, *kept_.valid);
    }
  }
  cma_.tell(values_.data());
  kept_.evaluations += population();
  end_if_due();
}

void Multipliers::end_if_due() {
  const MultiplierSettings& s = kept_.settings;
  const Solution& solution = kept_.solution;
  const bool easy_holds = !solution.outputs.empty() && solution.easy() == 0;
  if ((s.stop_at_first && kept_.valid) || cma_.stop() != CmaStop::none ||
      kept_.evaluations >= s.max_evaluations ||
      (kept_.run == 0 && s.run_0_until_easy && easy_holds)) {
    kept_.phase = MultiplierPhase::run_ended;
  }
}

void Multipliers::take(Solution solution) {
  assert(static_cast<int>(solution.x.size()) == unknowns());
  assert(static_cast<int>(solution.outputs.size()) == kept_.outputs);
  least_ = merit(solution.outputs.data());
  kept_.solution = std::move(solution);
  const Solution& s = kept_.solution;
  if (std::isfinite(least_) && meets_all(s.outputs.data()) &&
      (!kept_.valid || s.objective() < kept_.valid->objective())) {
    kept_.valid = s;
  }
}

void Multipliers::next_run() {
  assert(kept_.phase == MultiplierPhase::run_ended);
  const MultiplierSettings& s = kept_.settings;
  const bool runs_done = kept_.run >= s.runs, budget_done = kept_.evaluations >= s.max_evaluations;
  // a sample that met everything by chance counts only if nothing better is to come
  if (solution_meets_all() || (kept_.valid && (s.stop_at_first || runs_done || budget_done))) {
    kept_.phase = MultiplierPhase::solved;
  } else if (runs_done) {
    kept_.phase = MultiplierPhase::runs_done;
  } else if (budget_done) {
    kept_.phase = MultiplierPhase::budget_done;
  } else {
    const Solution& solution = kept_.solution;
    // penalty() is 0 in run 0, whose solution knows nothing of phi
    for (std::size_t i = 0; i < kept_.lambda.size() && !solution.outputs.empty(); ++i) {
      const double phi = solution.outputs[2 + i];
      const double p = s.scaled ? phi / s.tolerance[i] : phi;
      kept_.lambda[i] += 2 * penalty() * p;
    }
    ++kept_.run;
    const CmaState& last = cma_.state();
    cma_ = CmaEs(settings_of_run(s, kept_.run), solution.x, last.lower, last.upper);
    least_ = solution.outputs.empty() ? std::numeric_limits<double>::infinity()
                                      : merit(solution.outputs.data());
    kept_.phase = MultiplierPhase::running;
  }
}

void minimise(Multipliers& multipliers, Evaluator& evaluator, const MultiplierHooks& hooks) {
  const auto rows = static_cast<std::size_t>(multipliers.population());
  std::vector<double> points(rows * static_cast<std::size_t>(evaluator.unknowns()));
  std::vector<double> results(rows * static_cast<std::size_t>(evaluator.outputs()));
  assert(evaluator.unknowns() == multipliers.unknowns());
  assert(evaluator.outputs() == multipliers.outputs());
  while (true) {
    if (multipliers.phase() == MultiplierPhase::run_ended) {
      if (hooks.after_run) hooks.after_run(multipliers);
      multipliers.next_run();
    }
    if (multipliers.phase() != MultiplierPhase::running) return;
    multipliers.ask(points.data());
    evaluator.evaluate(multipliers.population(), points.data(), results.data());
    multipliers.tell(points.data(), results.data());
    if (hooks.after_generation && !hooks.after_generation(multipliers)) return;
  }
}

}  // namespace molejo
