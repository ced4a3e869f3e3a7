// Gaits: the humanoid of the basic run simulated as its training does it, beside the same bodies,
// springs, torques and ground in MuJoCo and ODE.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace bench {

struct LocomotionEntry {
  std::string engine, solver;
  double steps = 0;       // of 1 ms, per second of one core
  double difference = 0;  // m: largest of a centre of mass after 50 ms in flight
  std::string complaint{};
};

struct LocomotionRace {
  // steps of 1 ms per second: one gait, four in a pack, packs on two cores (wall time)
  double steps_single = 0, steps_in_packs = 0, steps_two_cores = 0;
  // candidates per second as the optimiser asks for them, each simulated twice
  double evaluations = 0, evaluations_two_cores = 0;
  double evaluated_seconds = 0;  // simulated time of one of the two
  std::vector<LocomotionEntry> peers{};
};

LocomotionRace race_locomotion(const Engines& engines, const Effort& effort);

std::string locomotion_text(const LocomotionRace& race);
std::string locomotion_json(const LocomotionRace& race);

}  // namespace bench
