#include "molejo/navigation/thesis/descent.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo::navigation::thesis {

Descent::Descent(int variables)
    : gradient_(static_cast<std::size_t>(variables)),
      stored_(static_cast<std::size_t>(variables)),
      change_(static_cast<std::size_t>(variables)) {}

DescentReport Descent::minimise(const DescentSettings& settings,
                                std::span<const WeightedTerm> terms, std::span<double> x,
                                StepObserver* observer) {
  const std::size_t n = x.size();
  assert(n <= gradient_.size());
  const std::span<double> gradient(gradient_.data(), n), change(change_.data(), n);
  std::fill(stored_.begin(), stored_.end(), 0.0);
  DescentReport report;
  while (report.steps < settings.max_steps) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (const WeightedTerm& t : terms) t.term->add_gradient(x, t.weight, gradient);
    for (std::size_t i = 0; i < n; ++i) {
      double g = gradient[i];
      if (settings.growth_limit > 0 && report.steps > 0 && stored_[i] != 0) {
        const double most = settings.growth_limit * std::fabs(stored_[i]);
        g = std::clamp(g, -most, most);
      }
      stored_[i] = settings.momentum * stored_[i] + (1 - settings.momentum) * g;
      change[i] = -settings.rate * stored_[i];
      x[i] += change[i];
      gradient[i] = change[i];  // what the observer was given
    }
    ++report.steps;
    if (observer != nullptr) {
      observer->after_step(x, change);
      for (std::size_t i = 0; i < n; ++i) {
        if (change[i] != gradient[i]) stored_[i] = -change[i] / settings.rate;
      }
    }
    report.settled = std::all_of(change.begin(), change.end(),
                                 [&](double c) { return std::fabs(c) < settings.target_change; });
    if (report.settled) break;
  }
  return report;
}

double weighted_sum(std::span<const WeightedTerm> terms, std::span<const double> x) {
  double sum = 0;
  for (const WeightedTerm& t : terms) sum += t.weight * t.term->value(x);
  return sum;
}

}  // namespace molejo::navigation::thesis
