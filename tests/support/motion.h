// Following a model for a while, and a second integrator that knows nothing of the library.
#pragma once

#include <functional>

#include "molejo/model/build.h"
#include "molejo/model/recording.h"
#include "molejo/physics/integrate.h"

namespace molejo::test {

// The state at the time `until`, after round((until - t) / h) equal steps. Loops are projected
// after every step.
State run(const Model& model, State state, Integrator method, double h, double until);
inline State run(const Built& built, Integrator method, double h, double until) {
  return run(built.model, built.initial, method, h, until);
}

// Kinematics with poses and velocities up to date.
Kinematics<double> kinematics(const Model& model, const State& state);
Pose pose(const Model& model, const State& state, const std::string& body);
Energy energy(const Model& model, const State& state);
// d2/dt2 of the coordinates at a state.
VecX accelerations(const Model& model, const State& state);

// Largest difference in any coordinate (rotation vector) or velocity.
double separation(const Model& model, const State& a, const State& b);

// log2 of the ratio of the errors of step h and of step h/2.
inline double order(double error, double error_of_half_step) {
  return std::log2(error / error_of_half_step);
}

// Classical Runge-Kutta for dx/dt = f(t, x): the equations of a test's own derivation.
VecX own_rk4(const std::function<VecX(double t, const VecX& x)>& f, VecX x, double duration,
             int steps);

// Integral of f over [0, end] by Simpson's rule.
double simpson(const std::function<double(double)>& f, double end, int intervals = 2000);

}  // namespace molejo::test
