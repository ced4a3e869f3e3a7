// Integrators: from a State to the next one.
//
//   semi_implicit_euler  order 1: v += h a(q, v), q += h v; drives implicit at the end of the step
//   midpoint             order 2, time-symmetric: half a step of q, then v over the whole step with
//                        the acceleration at the middle (velocity found by fixed-point iteration on
//                        one factor of the mass matrix), then the other half of q; drives implicit
//   rk4                  order 4
//   rkf45                order 5, adaptive (Fehlberg 1969), error control by the embedded order 4
//
// Rotations are integrated on the manifold: Runge-Kutta works in the chart q0 (+) y around the
// start of the step, with dy/dt = J_r^-1(y) w (Munthe-Kaas 1999).
// The two fixed-step methods at the top also run for packs of four worlds.
#pragma once

#include <memory>

#include "molejo/physics/contact.h"
#include "molejo/physics/forces.h"
#include "molejo/physics/formula_forces.h"
#include "molejo/physics/implicit_forces.h"
#include "molejo/physics/loops.h"
#include "molejo/physics/penalty.h"

namespace molejo {

// Memory for stepping worlds of one model, one after another; trees only.
template <class S>
struct StepScratch {
  explicit StepScratch(const Model& model);

  Dynamics<S> dynamics;
  std::vector<S> v_middle;
};

// One step of `method` (semi_implicit_euler or midpoint) of a model without loops. `q` and `v` have
// model.nq and model.nv entries and are replaced. No allocation.
template <class S>
void step_tree(const Model& model, Integrator method, double t, double h, S* q, S* v,
               StepScratch<S>& scratch);
void step_tree(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
               StepScratch<Pack4>& scratch);
// The same while a command acts (command.h). Lane i of a pack obeys lane i of the command.
template <class S>
void step_tree(const Model& model, Integrator method, double t, double h, S* q, S* v,
               const Command<S>& command, StepScratch<S>& scratch);
void step_tree(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
               const Command<Pack4>& command, StepScratch<Pack4>& scratch);

// A push by hand: a force on a point of a body for some time, and a damped spring from there to a
// place in the world where there is one:  f = force + stiffness (to - p) - damping v.
struct Push {
  BodyId body;
  Vec3 p;      // in the body frame
  Vec3 force;  // in world axes
  double until = 0;
  Vec3 to{};
  double stiffness = 0, damping = 0;  // N/m, N s/m
  bool held = false;                  // by a hand that may let go: Run::hold
  bool operator==(const Push&) const = default;
};

// Everything a single world needs, loops and contact included.
struct Scratch {
  explicit Scratch(const Model& model);

  StepScratch<double> tree;
  Loops loops;
  std::unique_ptr<ContactStep> contact;             // none: nothing can touch
  std::unique_ptr<Penalty> penalty;                 // none: no pair of this response
  std::unique_ptr<FormulaRun> formulas;             // none until they are given
  std::unique_ptr<ImplicitForces> implicit_forces;  // likewise
  std::vector<Push> pushes;
  const Command<double>* command = nullptr;  // acts in all that is done with this; none: nothing
  bool failed = false;                       // a contact solve of the last step was not finite
  // stages of Runge-Kutta methods: rates of the chart and of the velocities
  static constexpr int stages = 6;
  std::vector<VecX> y_rate, v_rate;
  VecX y, q, v;
  State start, closed;  // of a step, and of one that ends closed, to go back to
};

// What the step that begins now overwrites is kept, so that it can be taken back: interrupted, or
// without a result. `start` is where it began.
void begin_step(Scratch& scratch);
void take_back(const Model& model, const State& start, Scratch& scratch);

// Accelerations at a state, with all forces and closures.
void acceleration(const Model& model, double t, const double* q, const double* v, double* a,
                  Scratch& scratch);
void acceleration(const Model& model, double t, const double* q, const double* v,
                  const Command<double>& command, double* a, Scratch& scratch);

// One step of fixed size h by any method; rkf45 then is its order-5 formula. No allocation.
// Returns the estimated error of the step (rkf45: largest difference of the two formulas in any
// chart coordinate or velocity; others: 0).
double step(const Model& model, Integrator method, double h, State& state, Scratch& scratch);
// The same while a command acts. Who is told something does not sleep.
double step(const Model& model, Integrator method, double h, State& state,
            const Command<double>& command, Scratch& scratch);

struct AdaptiveSettings {
  double tolerance = 1e-6, min_step = 1e-9, max_step = 1.0 / 30;
};
struct AdaptiveStep {
  double taken = 0;  // size of the accepted step
  double next = 0;   // proposal for the following one
  int rejected = 0;
};
// One accepted step of rkf45, of at most `h`. A step of min_step is accepted whatever its error.
AdaptiveStep adaptive_step(const Model& model, double h, const AdaptiveSettings& settings,
                           State& state, Scratch& scratch);
AdaptiveStep adaptive_step(const Model& model, double h, const AdaptiveSettings& settings,
                           State& state, const Command<double>& command, Scratch& scratch);

// The way between two states of one step, q(t) = q0 (+) y(s), s = (t - t0) / h, y(s) = c1 s + ...
struct StepPath {
  State start;
  double h = 0;
  VecX c[6];  // of powers of s; c[0] is zero
};
// The quintic through coordinates, velocities and accelerations at both ends.
void smooth_path(const Model& model, const State& start, const State& end, Scratch& scratch,
                 StepPath& path);
// The straight way.
void straight_path(const Model& model, const State& start, const State& end, StepPath& path);
State state_at(const Model& model, const StepPath& path, double t);
void position_at(const Model& model, const StepPath& path, double s, VecX& q);

// state_at of the smooth path.
State between(const Model& model, const State& start, const State& end, double t, Scratch& scratch);

}  // namespace molejo
