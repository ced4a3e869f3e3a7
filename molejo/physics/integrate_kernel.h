// Bodies of the templates declared in integrate.h, for the two files that instantiate them.
#pragma once

#include <cassert>

#include "molejo/physics/dynamics_kernel.h"
#include "molejo/physics/forces_kernel.h"
#include "molejo/physics/integrate.h"

namespace molejo {

// Evaluations of the velocity-dependent forces per midpoint step. The iteration contracts by about
// h |da/dv| / 2; three leave an asymmetry of fourth order in h.
inline constexpr int midpoint_evaluations = 3;

template <class S>
StepScratch<S>::StepScratch(const Model& model)
    : dynamics(model), v_middle(static_cast<std::size_t>(model.nv)) {}

// Accelerations at q and v with a new factor. `factorized()` is called after it is made and
// `constrain()` after the solve; they solve the loops of a single world.
template <class S, class Factorized, class Constrain>
void accelerate(const Model& model, double t, const S* q, const S* v, Dynamics<S>& d,
                Factorized&& factorized, Constrain&& constrain) {
  if (model.loops.empty() && !has_body_forces(model)) {
    forward_dynamics(model, q, v, d);
    return;
  }
  update_poses(model, q, d.kinematics);
  update_velocities(model, v, d.kinematics);
  apply_body_forces(model, t, d);
  factorize(model, d);
  factorized();
  solve_acceleration(model, v, d);
  constrain();
}

template <class S, class Factorized, class Constrain>
void step_euler(const Model& model, double t, double h, S* q, S* v, StepScratch<S>& scratch,
                Factorized&& factorized, Constrain&& constrain) {
  Dynamics<S>& d = scratch.dynamics;
  apply_drives(model, q, v, ImplicitDrive::end_of_step(h), d);
  accelerate(model, t, q, v, d, factorized, constrain);
  for (std::size_t i = 0; i < d.a.size(); ++i) v[i] += d.a[i] * h;
  move(model, v, h, q);
}

template <class S, class Factorized, class Constrain>
void step_midpoint(const Model& model, double t, double h, S* q, S* v, StepScratch<S>& scratch,
                   Factorized&& factorized, Constrain&& constrain) {
  Dynamics<S>& d = scratch.dynamics;
  S* v_middle = scratch.v_middle.data();
  const std::size_t count = d.a.size();

  // half a step of q, and a first estimate with the velocity of the start
  move(model, v, h / 2, q);
  const ImplicitDrive implicit = ImplicitDrive::middle_of_step(h);
  apply_drives(model, q, v, implicit, d);
  accelerate(model, t + h / 2, q, v, d, factorized, constrain);

  // the same factor serves better velocities
  const bool body_forces = has_body_forces(model);
  const bool linear_velocities = body_forces || !model.loops.empty();
  for (int n = 1; n < midpoint_evaluations; ++n) {
    for (std::size_t i = 0; i < count; ++i) v_middle[i] = v[i] + d.a[i] * (h / 2);
    correct_ball_drives(model, q, v, v_middle, implicit, d);
    if (linear_velocities) update_velocities(model, v_middle, d.kinematics);
    if (body_forces) apply_body_forces(model, t + h / 2, d);
    solve_acceleration(model, v_middle, d);
    constrain();
  }

  for (std::size_t i = 0; i < count; ++i) v[i] += d.a[i] * h;
  move(model, v, h / 2, q);
}

template <class S>
void step_tree(const Model& model, Integrator method, double t, double h, S* q, S* v,
               StepScratch<S>& scratch) {
  assert(model.loops.empty());
  const auto nothing = [] {};
  if (method == Integrator::semi_implicit_euler) {
    step_euler(model, t, h, q, v, scratch, nothing, nothing);
  } else {
    assert(method == Integrator::midpoint);
    step_midpoint(model, t, h, q, v, scratch, nothing, nothing);
  }
}

}  // namespace molejo
