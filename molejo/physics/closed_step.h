// Steps of mechanisms with loops: after each of them the closures are closed again.
//
// Where closures lose rank (a parallelogram folded flat) several motions meet, and on the way there
// the multipliers grow without bound. Equations that come too close to depending on others are
// dropped (math/solve.h): the mechanism passes on its inertia, and the closed motion nearest to it
// beyond is the one that goes straight on. Near such a configuration a small error of closure is a
// large one of place, so there every step ends closed as well as numbers allow. How straight the
// passage was is told by what closing takes of the velocities, by the way back to closed positions,
// and by the difference to two steps of half the size: a step with a large fault is taken again in
// halves, and one that cannot be made straight is not taken.
#pragma once

#include "molejo/physics/integrate.h"

namespace molejo {

struct ClosedStep : AdaptiveStep {
  int projections = 0;
  int singular = -1;  // the loop at which the step could not be taken to its end
};

// `step`, then closed. Settings say whether, and to which tolerance.
ClosedStep closed_step(const Model& model, const Settings& settings, Integrator method, double h,
                       State& state, Scratch& scratch);

// `adaptive_step`, then closed.
ClosedStep closed_adaptive_step(const Model& model, const Settings& settings, double h,
                                State& state, Scratch& scratch);

// What to say of a step that was not taken.
std::string singular_message(const Model& model, int loop);

}  // namespace molejo
