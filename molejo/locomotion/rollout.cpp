#include "molejo/locomotion/rollout.h"

#include "molejo/locomotion/rollout_kernel.h"
#include "molejo/math/instructions.h"
#include "molejo/model/error.h"

namespace molejo {

// Four at once; instantiated in rollout_pack.cpp.
extern template class RolloutRun<Pack4>;
MOLEJO_IN_BOTH_SETS(void run_four(RolloutRun<Pack4>&, std::span<const Gait* const>,
                                  std::span<RolloutResult>,
                                  std::span<const std::span<const GaitPush>>);)

std::string_view to_string(EasyTerm term) {
  constexpr std::string_view names[easy_terms] = {
      "least_speed", "mean_speed", "joint_speed", "energy",     "upright",  "support", "take_off",
      "no_stumble",  "start_gap",  "clearance",   "peak_force", "likeness", "size"};
  return names[static_cast<std::size_t>(term)];
}

RolloutSettings rollout_of_the_thesis() {
  RolloutSettings settings;
  settings.whole_body = false;
  settings.limits.start_gap = settings.limits.clearance = -100;
  settings.limits.peak_force = 1e9;
  settings.limits.likeness = -1;
  settings.limits.size = -100;
  return settings;
}

struct Rollout::Memory {
  Memory(const Character& character, const RolloutSettings& settings)
      : pack(character, settings), single(character, settings) {}
  RolloutRun<Pack4> pack;
  RolloutRun<double> single;
};

Rollout::Rollout(const Character& character, const RolloutSettings& settings) {
  if (!(character.up.z > 1 - 1e-9)) {
    throw InputError("gaits need gravity along -z: their ground is the plane z = 0");
  }
  if (!character.model.forces.empty()) {
    throw InputError("force '" + character.model.forces[0].name +
                     "': gaits know no given forces, only pushes");
  }
  memory_ = std::make_unique<Memory>(character, settings);
}
Rollout::~Rollout() = default;
Rollout::Rollout(Rollout&&) noexcept = default;

void Rollout::run(std::span<const Gait* const> gaits, std::span<RolloutResult> results,
                  std::span<const std::span<const GaitPush>> pushes) {
  MOLEJO_CHOSEN(run_four)(memory_->pack, gaits, results, pushes);
}

RolloutResult Rollout::run(const Gait& gait, std::span<const GaitPush> pushes,
                           const std::function<void(const RolloutView&)>& watch) {
  RolloutResult result;
  const Gait* gaits[] = {&gait};
  const std::span<const GaitPush> lists[] = {pushes};
  memory_->single.run(gaits, {&result, 1}, {lists, pushes.empty() ? 0U : 1U}, watch);
  return result;
}

void Rollout::begin(const Gait& gait) { memory_->single.begin(gait); }
bool Rollout::advance(std::span<const GaitPush> pushes,
                      const std::function<void(const RolloutView&)>& watch) {
  return memory_->single.advance(pushes, watch);
}
RolloutResult Rollout::result() const { return memory_->single.result(); }
std::span<const GroundPoint> Rollout::points() const { return memory_->single.points(); }
void Rollout::save(SnapshotWriter& a) const {
  RolloutRun<double>::visit(a, std::as_const(memory_->single));
}
void Rollout::restore(const Gait& gait, SnapshotReader& a) {
  memory_->single.begin(gait);
  RolloutRun<double>::visit(a, memory_->single);
}
double Rollout::time() const { return memory_->single.time(); }
std::span<const double> Rollout::q() const { return memory_->single.q(); }
std::span<const double> Rollout::v() const { return memory_->single.v(); }

void Rollout::compare_with(const StyleReference& reference) {
  memory_->pack.compare_with(reference);
  memory_->single.compare_with(reference);
}

void Rollout::measure_hinges(const EasyLimits& tightened) {
  memory_->pack.measure_hinges(tightened);
  memory_->single.measure_hinges(tightened);
}

}  // namespace molejo
