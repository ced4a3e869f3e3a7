// Bodies of the templates declared in integrate.h, for the two files that instantiate them.
#pragma once

#include <algorithm>
#include <cassert>

#include "molejo/physics/command_kernel.h"
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

// What joins the motion of free trees. A coupling is told to set the motors (`command`), when poses
// and velocities of the start are known (`placed`), to add forces on bodies (`push`), when the
// factor is there (`factorized`), after each solve (`constrain`), when v has been advanced (`meet`)
// and when q has (`settle`). `acts` is what a command tells.
template <class T>
struct Uncoupled {
  static constexpr bool needs_poses = false, pushes = false;
  static constexpr Acting<T> acts{};
  template <class S>
  void command(double, const S*, const S*) {}
  void placed() {}
  template <class S>
  void push(double, const S*, const S*) {}
  void factorized() {}
  void constrain() {}
  template <class S>
  void meet(S*, double) {}
  template <class S>
  void settle(S*, S*) {}
};

// Free trees that obey a command.
template <class T>
struct Obeying : Uncoupled<T> {
  Obeying(const Model& model, const Acting<T>& command)
      : needs_poses(command.on_bodies(model)), pushes(needs_poses), acts(command) {}
  const bool needs_poses, pushes;
  const Acting<T> acts;
};

// After a step: who was pushed by a command is let go.
template <class S>
void let_go(const Model& model, const Acting<S>& command, Dynamics<S>& d) {
  if (!command.on_bodies(model)) return;
  std::fill(d.applied.begin(), d.applied.end(), Spatial<S>{});
}

// Accelerations along paths.
template <class S>
void give_accelerations(const Model& model, double t, Dynamics<S>& d) {
  if (model.paths.empty()) return;
  for (const Link& link : model.links) {
    if (link.follows < 0) continue;
    const MotionPath::Motion m = model.paths[static_cast<std::size_t>(link.follows)].at(t);
    for (int j = 0; j < 3; ++j) {
      d.given_a[static_cast<std::size_t>(link.v + j)] = S(m.a[j]);
      d.given_a[static_cast<std::size_t>(link.v + 3 + j)] = S(m.w_rate[j]);
    }
  }
}

// Accelerations at q and v with a new factor.
template <class S, class Coupling>
void accelerate(const Model& model, double t, const S* q, const S* v, Dynamics<S>& d,
                Coupling& coupling) {
  give_accelerations(model, t, d);
  if (!coupling.needs_poses && !has_body_forces(model)) {
    forward_dynamics<S>(model, q, v, d);
    return;
  }
  update_poses(model, q, d.kinematics);
  update_velocities(model, v, d.kinematics);
  coupling.placed();
  if (coupling.pushes || has_body_forces(model)) apply_body_forces(model, t, d, coupling.acts);
  coupling.push(t, q, v);
  factorize(model, d);
  coupling.factorized();
  solve_acceleration(model, v, d);
  coupling.constrain();
}

template <class S>
void add_scaled(const std::vector<LinkRange>& awake, const std::vector<S>& a, double h, S* v) {
  for (const LinkRange& range : awake) {
    for (int i = range.first_v; i < range.last_v; ++i) v[i] += a[static_cast<std::size_t>(i)] * h;
  }
}
template <class S>
void move_awake(const Model& model, const Dynamics<S>& d, const S* v, double h, S* q) {
  for (const LinkRange& range : d.kinematics.awake) move(model, range, v, h, q);
}

template <class S, class Coupling>
void step_euler(const Model& model, double t, double h, S* q, S* v, StepScratch<S>& scratch,
                Coupling&& coupling) {
  Dynamics<S>& d = scratch.dynamics;
  coupling.command(t, q, v);
  apply_drives(model, q, v, ImplicitDrive::end_of_step(h), d, coupling.acts);
  accelerate(model, t, q, v, d, coupling);
  add_scaled(d.kinematics.awake, d.a, h, v);
  coupling.meet(v, h);
  move_awake(model, d, v, h, q);
  coupling.settle(q, v);
}

template <class S, class Coupling>
void step_midpoint(const Model& model, double t, double h, S* q, S* v, StepScratch<S>& scratch,
                   Coupling&& coupling) {
  Dynamics<S>& d = scratch.dynamics;
  S* v_middle = scratch.v_middle.data();

  // half a step of q, and a first estimate with the velocity of the start
  move_awake(model, d, v, h / 2, q);
  const ImplicitDrive implicit = ImplicitDrive::middle_of_step(h);
  coupling.command(t + h / 2, q, v);
  apply_drives(model, q, v, implicit, d, coupling.acts);
  accelerate(model, t + h / 2, q, v, d, coupling);

  // the same factor serves better velocities
  const bool body_forces = coupling.pushes || has_body_forces(model);
  const bool linear_velocities = body_forces || !model.loops.empty();
  for (int n = 1; n < midpoint_evaluations; ++n) {
    for (const LinkRange& range : d.kinematics.awake) {
      for (int i = range.first_v; i < range.last_v; ++i) {
        v_middle[i] = v[i] + d.a[static_cast<std::size_t>(i)] * (h / 2);
      }
    }
    correct_ball_drives(model, q, v, v_middle, implicit, d, coupling.acts);
    if (linear_velocities) update_velocities(model, v_middle, d.kinematics);
    if (body_forces) apply_body_forces(model, t + h / 2, d, coupling.acts);
    coupling.push(t + h / 2, q, v_middle);
    solve_acceleration(model, v_middle, d);
    coupling.constrain();
  }

  add_scaled(d.kinematics.awake, d.a, h, v);
  coupling.meet(v, h / 2);
  move_awake(model, d, v, h / 2, q);
  coupling.settle(q, v);
}

template <class S, class Coupling>
void step_coupled(const Model& model, Integrator method, double t, double h, S* q, S* v,
                  StepScratch<S>& scratch, Coupling&& coupling) {
  assert(model.loops.empty());
  if (method == Integrator::semi_implicit_euler) {
    step_euler(model, t, h, q, v, scratch, coupling);
  } else {
    assert(method == Integrator::midpoint);
    step_midpoint(model, t, h, q, v, scratch, coupling);
  }
}

template <class S>
void step_tree(const Model& model, Integrator method, double t, double h, S* q, S* v,
               StepScratch<S>& scratch) {
  step_coupled(model, method, t, h, q, v, scratch, Uncoupled<S>{});
}

template <class S>
void step_tree(const Model& model, Integrator method, double t, double h, S* q, S* v,
               const Command<S>& command, StepScratch<S>& scratch) {
  const Acting<S> acts = acting(model, command);
  if (!acts.any()) return step_tree(model, method, t, h, q, v, scratch);
  step_coupled(model, method, t, h, q, v, scratch, Obeying<S>(model, acts));
  let_go(model, acts, scratch.dynamics);
}

}  // namespace molejo
