#include "molejo/optimise/restarts.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

constexpr std::uint64_t stream_of_restarts = 1u << 20;  // runs have the streams 0, 1, ..

CmaSettings first_run(const RestartSettings& settings) {
  CmaSettings cma = settings.cma;
  cma.seed = seed_of_stream(settings.cma.seed, 0);
  cma.max_evaluations = std::min(cma.max_evaluations, settings.max_evaluations);
  return cma;
}

// growth^times, but no more samples than 16 million numbers
int grown_population(int population, double growth, int times, int unknowns) {
  const double most = std::max(population, (1 << 24) / unknowns);
  double size = population;
  for (int i = 0; i < times; ++i) size = std::min(most, size * growth);
  return static_cast<int>(size);
}

}  // namespace

Restarts::Restarts(const RestartSettings& settings, std::span<const double> start,
                   std::span<const double> lower, std::span<const double> upper)
    : cma_(first_run(settings), start, lower, upper) {
  assert(settings.growth >= 1);
  kept_.settings = settings;
  kept_.settings.cma.population = cma_.population();
  kept_.start.assign(start.begin(), start.end());
  kept_.random = Random(seed_of_stream(settings.cma.seed, stream_of_restarts));
  kept_.best = cma_.state().best;
}

Restarts::Restarts(const RestartState& state) : kept_(state), cma_(state.cma) {
  kept_.cma = CmaState();
}

RestartState Restarts::state() const {
  RestartState state = kept_;
  state.cma = cma_.state();
  return state;
}

void Restarts::tell(const double* values) {
  assert(!kept_.over);
  cma_.tell(values);
  kept_.evaluations += population();
  const CmaState& run = cma_.state();
  if (run.best_value < kept_.best_value) {
    kept_.best_value = run.best_value;
    kept_.best = run.best;
  }
  if (run.stop == CmaStop::none) return;
  (kept_.small ? kept_.used_by_small : kept_.used_by_grown) += run.evaluations;
  if (run.stop == CmaStop::target || kept_.evaluations >= kept_.settings.max_evaluations) {
    kept_.over = true;
  } else {
    begin_next();
  }
}

void Restarts::begin_next() {
  const RestartSettings& s = kept_.settings;
  const CmaState& last = cma_.state();
  if (!kept_.small) ++kept_.grown;
  kept_.small = s.kind == RestartKind::bipop && kept_.used_by_small < kept_.used_by_grown;
  if (kept_.grown > s.restarts && !kept_.small) {
    kept_.over = true;
    return;
  }
  CmaSettings cma = s.cma;
  cma.max_evaluations = std::min(cma.max_evaluations, s.max_evaluations - kept_.evaluations);
  cma.population = grown_population(s.cma.population, s.growth, kept_.grown, unknowns());
  if (kept_.small) {
    // between the first population and half the largest so far; sigma down to a hundredth
    const double u = kept_.random.uniform(), v = kept_.random.uniform();
    const double half_ratio = 0.5 * cma.population / s.cma.population;
    const double power = exponential(u * u * logarithm(std::max(1.0, half_ratio)));
    cma.population = static_cast<int>(s.cma.population * power);
    cma.sigma *= exponential(-2 * v * 2.302585092994046);
    // at most half of what the runs of growing population took on average
    const std::int64_t most = kept_.used_by_grown / (2 * std::max(1, kept_.grown));
    cma.max_evaluations = std::min(cma.max_evaluations, std::max<std::int64_t>(most, 1));
  }
  ++kept_.run;
  cma.seed = seed_of_stream(s.cma.seed, static_cast<std::uint64_t>(kept_.run));

  std::vector<double> start = kept_.start;
  const std::vector<double> lower = last.lower, upper = last.upper;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double u = kept_.random.uniform();
    const bool bounded = !lower.empty() && std::isfinite(lower[i]);
    start[i] = bounded ? lower[i] + u * (upper[i] - lower[i])
                       : kept_.start[i] + 2 * s.cma.sigma * (2 * u - 1);
  }
  cma_ = CmaEs(cma, start, lower, upper);
}

}  // namespace molejo
