// Gradient descent on a weighted sum of terms:
//
//   F(x) = sum w_i f_i(x)      plain:     x -= rate F'(x)
//                              momentum:  g = m g + (1 - m) F'(x),  x -= rate g
//
// Source: Matthey (2022), 2.6 and 4.5. It stops when no component changes by `target_change` or
// more, or after `max_steps`. No allocation while it runs.
#pragma once

#include <span>
#include <vector>

namespace molejo::navigation::thesis {

class DescentTerm {
 public:
  virtual ~DescentTerm() = default;
  virtual double value(std::span<const double> x) const = 0;
  // Adds factor times the partial derivatives.
  virtual void add_gradient(std::span<const double> x, double factor,
                            std::span<double> gradient) const = 0;
};

struct WeightedTerm {
  const DescentTerm* term = nullptr;
  double weight = 1;
};

// Sees every step after it was taken and may change both: what it does to `change` is what the
// momentum remembers.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void after_step(std::span<double> x, std::span<double> change) = 0;
};

struct DescentSettings {
  double rate = 0.01;
  double momentum = 0;  // 0: plain; the thesis takes 0.8
  int max_steps = 300;
  double target_change = 1e-3;
  // From the second step on no component of the gradient grows beyond so many times its last stored
  // value. Not in the thesis, but in its code, with 10. 0: no limit.
  double growth_limit = 0;
};

struct DescentReport {
  int steps = 0;
  bool settled = false;  // else max_steps were taken
};

class Descent {
 public:
  explicit Descent(int variables);
  // x: start, and where it ended.
  DescentReport minimise(const DescentSettings& settings, std::span<const WeightedTerm> terms,
                         std::span<double> x, StepObserver* observer = nullptr);

 private:
  std::vector<double> gradient_, stored_, change_;
};

double weighted_sum(std::span<const WeightedTerm> terms, std::span<const double> x);

}  // namespace molejo::navigation::thesis
