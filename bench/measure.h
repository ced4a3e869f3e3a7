// Microseconds and energies, measured so that a busy machine disturbs little and all engines alike:
// processor time, one core, engines in turn (A, B, C, A, B, C, ...), the best of all passes, the
// start state written anew before each pass, and the state read after it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/engines.h"

namespace bench {

struct Effort {
  int rounds = 3;     // over all races
  int passes = 9;     // of a race
  double length = 1;  // factor on the steps of a pass
};

// Processor time of this thread that `run` takes.
double microseconds(const std::function<void()>& run);

// One engine with one integrator.
struct Entrant {
  const Engine* engine;
  std::string integrator;
  std::string label() const { return std::string(engine->name()) + ", " + integrator; }
};

// The engine with each of its integrators.
std::vector<Entrant> entrants_of(const Engine* engine);

struct Race {
  std::string work;
  int steps;                                        // of one pass, the same for everyone
  std::vector<std::optional<double>> microseconds;  // per step and world, one per entrant
};

// Full steps of 1 ms, the same number for everyone.
Race race_steps(const Work& work, int steps, const std::vector<Entrant>& entrants,
                const Effort& effort);
// Forward dynamics alone, at the state reached after 0.2 s; nothing for engines without it.
Race race_forward_dynamics(const Work& work, int count, const std::vector<Entrant>& entrants,
                           const Effort& effort);

// Work D: largest |E - E0| / E_ref within the first second and within the whole duration, energy
// sampled every 10 steps of 1 ms, E_ref = N m g (N L) / 2.
struct Drift {
  double first_second = 0, whole = 0;
};
Drift energy_drift(const Entrant& entrant, int links, double angle, double duration);

}  // namespace bench
