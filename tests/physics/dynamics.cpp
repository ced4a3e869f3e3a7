// Each claim is checked against a result found another way: a textbook formula or a second
// algorithm.
#include "molejo/physics/dynamics.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Random joint forces and wrenches on the bodies.
void load_randomly(Dynamics<double>& d, std::mt19937& random) {
  for (double& tau : d.tau) tau = 10 * symmetric_unit(random);
  for (Spatial<double>& f : d.applied) {
    f = {random_vector(random) * 5.0, random_vector(random) * 20.0};
  }
}

VecX accelerations(const Dynamics<double>& d) {
  return Eigen::Map<const VecX>(d.a.data(), static_cast<Eigen::Index>(d.a.size()));
}
VecX forces(const Dynamics<double>& d) {
  return Eigen::Map<const VecX>(d.tau.data(), static_cast<Eigen::Index>(d.tau.size()));
}

}  // namespace

TEST_CASE("dynamics: articulated bodies, composite bodies and Newton-Euler agree on random trees") {
  std::mt19937 random(21);
  for (unsigned seed = 0; seed < 18; ++seed) {
    const Model model =
        build(random_tree_scene({.bodies = 14, .floating = seed % 3 == 0, .seed = seed})).model;
    Dynamics<double> d(model);
    for (int n = 0; n < 10; ++n) {
      const State state = random_state(model, random);
      load_randomly(d, random);
      forward_dynamics(model, state.q.data(), state.v.data(), d);
      const VecX a = accelerations(d), tau = forces(d);
      CAPTURE(seed);

      // RNEA gives the forces back
      CHECK((inverse_dynamics(model, state.v, a, d) - tau).norm() < 1e-9 * (1 + tau.norm()));
      // CRBA: M a = tau - c
      const VecX bias = inverse_dynamics(model, state.v, VecX::Zero(model.nv), d);
      const MatX M = mass_matrix(model, d);
      CHECK((M * a - (tau - bias)).norm() < 1e-9 * (1 + bias.norm()));
      CHECK((M.ldlt().solve(tau - bias) - a).norm() < 1e-8 * (1 + a.norm()));
      // the tree's own L^T D L
      CHECK((solve(factorize_mass_matrix(model, M), tau - bias) - a).norm() <
            1e-8 * (1 + a.norm()));
      // M^-1 on the articulated factor
      update_poses(model, state.q.data(), d.kinematics);
      factorize(model, d);
      VecX x(model.nv);
      const VecX y = tau - bias;
      solve_mass(model, d, y.data(), x.data());
      CHECK((x - a).norm() < 1e-8 * (1 + a.norm()));
    }
  }
}

TEST_CASE("dynamics: column i of M is the force that accelerates freedom i alone") {
  std::mt19937 random(22);
  const Model model = build(random_tree_scene({.bodies = 9, .floating = true, .seed = 2})).model;
  Dynamics<double> d(model);
  const State state = random_state(model, random);
  update_poses(model, state.q.data(), d.kinematics);
  update_velocities(model, state.v.data(), d.kinematics);
  const VecX bias = inverse_dynamics(model, state.v, VecX::Zero(model.nv), d);
  const MatX M = mass_matrix(model, d);
  for (int i = 0; i < model.nv; ++i) {
    const VecX tau = inverse_dynamics(model, state.v, VecX::Unit(model.nv, i), d);
    CHECK((M.col(i) - (tau - bias)).norm() < 1e-11);
  }
}

TEST_CASE("dynamics: kinetic energy is v^T M v / 2") {
  std::mt19937 random(23);
  for (unsigned seed = 0; seed < 9; ++seed) {
    const Model model = build(random_tree_scene({.bodies = 10, .seed = seed})).model;
    Dynamics<double> d(model);
    const State state = random_state(model, random);
    update_poses(model, state.q.data(), d.kinematics);
    update_velocities(model, state.v.data(), d.kinematics);
    const MatX M = mass_matrix(model, d);
    CHECK(totals(model, d.kinematics).kinetic ==
          doctest::Approx(0.5 * state.v.dot(M * state.v)).epsilon(1e-12));
  }
}

TEST_CASE("dynamics: a wrench on a body acts as J^T f, and its power is that of the joints") {
  std::mt19937 random(24);
  const Model model = build(random_tree_scene({.bodies = 12, .seed = 3})).model;
  Dynamics<double> d(model);
  const State state = random_state(model, random);
  update_poses(model, state.q.data(), d.kinematics);
  update_velocities(model, state.v.data(), d.kinematics);
  const VecX none = inverse_dynamics(model, state.v, VecX::Zero(model.nv), d);
  for (int i = 0; i < model.body_count(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Vec3 f = random_vector(random), torque = random_vector(random);
    const Vec3 p = d.kinematics.bodies[n].p + random_vector(random);
    d.applied[n] = {torque + cross(p - d.kinematics.bodies[n].p, f), f};
    const VecX felt = none - inverse_dynamics(model, state.v, VecX::Zero(model.nv), d);
    d.applied[n] = {};
    const VecX expected =
        point_jacobian(model, d.kinematics, {i}, p).transpose() * VecX{{f.x, f.y, f.z}} +
        rotation_jacobian(model, d.kinematics, {i}).transpose() *
            VecX{{torque.x, torque.y, torque.z}};
    CHECK((felt - expected).norm() < 1e-12 * (1 + none.norm()));
    const double power =
        dot(f, point_velocity(d.kinematics, {i}, p)) + dot(torque, d.kinematics.bodies[n].w);
    CHECK(felt.dot(state.v) == doctest::Approx(power).epsilon(1e-10));
  }
}

TEST_CASE("dynamics: armature adds to the diagonal of M") {
  std::mt19937 random(25);
  Model model = build(random_tree_scene({.bodies = 8, .seed = 5})).model;
  for (std::size_t i = 0; i < model.drives.size(); ++i)
    model.drives[i].armature = 0.1 * static_cast<double>(i + 1);
  Dynamics<double> d(model);
  const State state = random_state(model, random);
  load_randomly(d, random);
  forward_dynamics(model, state.q.data(), state.v.data(), d);
  const VecX a = accelerations(d);
  const VecX bias = inverse_dynamics(model, state.v, VecX::Zero(model.nv), d);
  MatX M = mass_matrix(model, d);
  for (int i = 0; i < model.nv; ++i) M(i, i) += 0.1 * (i + 1);
  CHECK((M * a - (forces(d) - bias)).norm() < 1e-9 * (1 + bias.norm()));
}
