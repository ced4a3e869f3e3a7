// A gait with feedback tried many times at once: pushed, shaken, for as long as it stays up.
//
// Four trials go in a pack and packs are spread over threads; every trial gives the same bits as it
// does alone. See replay.h for one that is watched.
#pragma once

#include <cstdint>
#include <span>

#include "molejo/locomotion/feedback.h"

namespace molejo {

struct Trial {
  const Feedback* feedback = nullptr;  // none: open loop
  double seconds = 5;
  std::vector<GaitPush> pushes{};  // times count from the start of the trial
  // Standard deviation of a random change of the whole body's velocity, along each axis, at the
  // start of each (half) cycle, m/s. Feedback sees it only there.
  double noise = 0;
  std::uint64_t seed = 1;  // of the noise
  bool keep_states = false;
};

// What a (half) cycle began with, in the units of feedback.h.
struct CycleStart {
  VecX error, input;
};

struct TrialResult {
  double seconds = 0;  // before it fell, or a little more than asked for
  int cycles = 0;      // (half) cycles begun
  bool fell = false;
  double forward = 0, sideways = 0;  // m: way, largest distance from the line
  double last_error = 0;             // root mean square at the last start, in tolerances
  double peak_force = 0;             // body weights
  std::vector<CycleStart> starts;    // if asked for
};

std::vector<TrialResult> run_trials(const GaitProblem& problem, const std::vector<double>& unknowns,
                                    std::span<const Trial> trials, int threads);

}  // namespace molejo
