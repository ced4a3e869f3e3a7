// The search for the feedback of a gait (feedback.h) that survives pushes.
//
// Robustness is predicted neither by the spectral radius of the closed loop nor by the cost of the
// linear problem, so candidates are pushed and shaken (trials.h) and scored by how long they stay
// up. First some settings: difference step times weight of inputs. Then CMA-ES over the weights of
// groups of errors and of every input: each candidate is still the solution of a Riccati equation,
// stable for small errors. Everything is a function of gait and seed, whatever the threads.
#pragma once

#include <cstdint>
#include <functional>

#include "molejo/locomotion/push_battery.h"

namespace molejo {

struct StabiliseSettings {
  std::uint64_t seed = 1;
  int threads = 0;
  double push = 0.5;  // N s/kg, on the torso, for 0.2 s
  int directions = 8, phases = 4;
  double seconds = 2;    // to stay up after a push
  double noise = 0.05;   // m/s, see Trial
  int generations = 30;  // of CMA-ES at most
  int population = 12;
  std::vector<double> steps{2, 4};      // of differences, tolerances
  std::vector<double> weights{0.3, 1};  // of inputs
};

struct StabiliseProgress {
  int generation = 0;  // 0: trying settings
  int tried = 0;       // candidates so far
  double best = 0;     // score: part of the trials' time spent upright, 1 is all
  double score = 0;    // best of the present generation
};

struct Stabilised {
  Feedback feedback;
  double score = 0;
  double push = 0;  // N s/kg, of the trials
  std::uint64_t seed = 1;
  double step = 0;    // of differences, that was chosen
  double radius = 0;  // spectral, of the closed loop
  double open_radius = 0;
  int tried = 0;
};

// Throws InputError if no setting gives a feedback. `proceed` may end the search: what is best so
// far is the result.
Stabilised stabilise(const GaitProblem& problem, const std::vector<double>& unknowns,
                     const StabiliseSettings& settings,
                     const std::function<bool(const StabiliseProgress&)>& proceed = {});

}  // namespace molejo
