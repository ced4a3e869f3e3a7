// Feedback for a trained gait, once at the start of each (half) cycle:
//
//   u = -K e, clipped        e: state - nominal state, u: changes of pulses and times
//
// so that it runs on without any reset. The cycle map e' = A e + B u is found by central
// differences of the simulation, K is optimal for the cost sum |e|^2 + r |u|^2 (math/riccati.h).
// Units: e in tolerances of the motion, u in input_unit: 0.02 of an amplitude, 5 ms, 0.02 of the
// air share. The map is only smooth in pieces, so differences are secants over errors that occur,
// and which gains are best is found out by trials (trials.h).
#pragma once

#include <functional>

#include "molejo/locomotion/gait_problem.h"
#include "molejo/locomotion/replay.h"

namespace molejo {

struct Feedback {
  MatX K;     // inputs x errors
  VecX clip;  // of each input, above zero

  VecX input(const VecX& error) const;
};

// Inputs are the unknowns behind those of the state: amplitudes, pulse lengths, period, air share.
int input_count(const GaitProblem& problem);
double input_unit(const GaitProblem& problem, int input);

// The gait with its pulses and times changed by `input`; its start stays as it is. Times are kept
// in the range of the motion; amplitudes too, but a priority mode may be turned round for a step.
void apply_input(const GaitProblem& problem, const std::vector<double>& unknowns, const VecX& input,
                 Gait& gait);

// The same gait, of a motion that allows the lowest modes of all palettes too and does not use
// them: more for a feedback to act with.
struct WiderGait {
  Motion motion;
  std::vector<double> unknowns;
};
WiderGait with_more_inputs(const GaitProblem& problem, const std::vector<double>& unknowns,
                           int lowest_modes);

// For replay(): keeps what it needs of its arguments but the problem.
BetweenCycles feedback_hook(const GaitProblem& problem, const std::vector<double>& unknowns,
                            const Feedback& feedback);

// e' = A e + B u around the nominal gait; differences of `step` units.
struct CycleMap {
  MatX A, B;
};
CycleMap linearised(const GaitProblem& problem, const std::vector<double>& unknowns, double step,
                    int threads);

}  // namespace molejo
