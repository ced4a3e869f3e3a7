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
  // what an animator waits for, seconds of one core: both palettes after a change of the rest pose;
  // the sketch from a changed amplitude to its next frame of 1/60 s
  double palettes = 0, sketch_frame = 0;
  std::vector<LocomotionEntry> peers{};
};

// The basic run trained on two cores from a cold start.
struct TrainingTime {
  int seed = 1;
  bool valid = false;
  double seconds = 0;  // of wall time
  long long evaluations = 0;
};

LocomotionRace race_locomotion(const Engines& engines, const Effort& effort);
std::vector<TrainingTime> time_training(int seeds);

std::string training_text(const std::vector<TrainingTime>& times);

std::string locomotion_text(const LocomotionRace& race);
std::string locomotion_json(const LocomotionRace& race);

}  // namespace bench
