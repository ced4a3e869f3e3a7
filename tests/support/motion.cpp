#include "tests/support/motion.h"

namespace molejo::test {

State run(const Model& model, State state, Integrator method, double h, double until) {
  constexpr double closed = 1e-11;
  Scratch scratch(model);
  const double begin = state.t;
  const long steps = std::lround((until - begin) / h);
  const double step_size = (until - begin) / static_cast<double>(steps);
  for (long i = 0; i < steps; ++i) {
    step(model, method, step_size, state, scratch);
    state.t = begin + static_cast<double>(i + 1) * step_size;
    if (model.rows > 0) project(model, state, closed, scratch.tree.dynamics, scratch.loops);
  }
  return state;
}

Kinematics<double> kinematics(const Model& model, const State& state) {
  Kinematics<double> k(model);
  update_poses(model, state.q.data(), k);
  update_velocities(model, state.v.data(), k);
  return k;
}

Pose pose(const Model& model, const State& state, const std::string& body) {
  return body_pose(model, kinematics(model, state), model.body(body));
}

Energy energy(const Model& model, const State& state) {
  const Kinematics<double> k = kinematics(model, state);
  const Totals sum = totals(model, k);
  return {sum.kinetic, sum.gravity_potential, elastic_energy(model, k, state.q)};
}

VecX accelerations(const Model& model, const State& state) {
  Scratch scratch(model);
  VecX a(model.nv);
  acceleration(model, state.t, state.q.data(), state.v.data(), a.data(), scratch);
  return a;
}

double separation(const Model& model, const State& a, const State& b) {
  return std::max(difference(model, a.q, b.q).lpNorm<Eigen::Infinity>(),
                  (a.v - b.v).lpNorm<Eigen::Infinity>());
}

VecX own_rk4(const std::function<VecX(double t, const VecX& x)>& f, VecX x, double duration,
             int steps) {
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const VecX k1 = f(t, x);
    const VecX k2 = f(t + h / 2, x + h / 2 * k1);
    const VecX k3 = f(t + h / 2, x + h / 2 * k2);
    const VecX k4 = f(t + h, x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}

double simpson(const std::function<double(double)>& f, double end, int intervals) {
  const double h = end / intervals;
  double sum = f(0) + f(end);
  for (int i = 1; i < intervals; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(i * h);
  return sum * h / 3;
}

}  // namespace molejo::test
