#include "molejo/locomotion/rollout.h"

#include "molejo/locomotion/rollout_kernel.h"
#include "molejo/model/error.h"

namespace molejo {

// Four at once; instantiated in rollout_pack.cpp.
extern template class RolloutRun<Pack4>;

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

std::string_view to_string(EasyTerm term) {
  constexpr std::string_view names[easy_terms] = {
      "least_speed", "mean_speed", "joint_speed", "energy",    "upright",   "support",
      "take_off",    "no_stumble", "start_gap",   "clearance", "peak_force"};
  return names[static_cast<std::size_t>(term)];
}

struct Rollout::Memory {
  Memory(const Character& character, const RolloutSettings& settings)
      : pack(character, settings), single(character, settings) {}
  RolloutRun<Pack4> pack;
  RolloutRun<double> single;
};

Rollout::Rollout(const Character& character, const RolloutSettings& settings) {
  if (character.feet.size() > 8) throw InputError("a character may have eight feet at most");
  memory_ = std::make_unique<Memory>(character, settings);
}
Rollout::~Rollout() = default;
Rollout::Rollout(Rollout&&) noexcept = default;

void Rollout::run(std::span<const Gait* const> gaits, std::span<RolloutResult> results) {
  memory_->pack.run(gaits, results, {}, {});
}

RolloutResult Rollout::run(const Gait& gait, std::span<const GaitPush> pushes,
                           const std::function<void(const RolloutView&)>& watch) {
  RolloutResult result;
  const Gait* gaits[] = {&gait};
  memory_->single.run(gaits, {&result, 1}, pushes, watch);
  return result;
}

void Rollout::measure_hinges(const EasyLimits& tightened) {
  memory_->pack.measure_hinges(tightened);
  memory_->single.measure_hinges(tightened);
}

}  // namespace molejo
