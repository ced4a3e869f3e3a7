#include "molejo/locomotion/gait.h"

#include <algorithm>

#include "molejo/math/pack.h"

namespace molejo {

double pulse_mean(const Pulse& pulse, PulseShape shape, double t, double h) {
  const double from = std::max(t, pulse.start);
  const double until = std::min(t + h, pulse.start + pulse.length);
  if (!(until > from)) return 0;
  if (shape == PulseShape::rectangle) return (until - from) / h;
  // the integral of 2 sin^2(pi s / length)
  const auto area = [&](double s) {
    constexpr double two_pi = 6.283185307179586;
    return s - pulse.length / two_pi * sincos(two_pi * s / pulse.length).sin;
  };
  return (area(until - pulse.start) - area(from - pulse.start)) / h;
}

}  // namespace molejo
