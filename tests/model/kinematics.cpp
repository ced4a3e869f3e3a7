#include "molejo/model/kinematics.h"

#include <doctest/doctest.h>

#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Snapshot {
  Vec3 point;
  Mat3 R;
};

// Where a body-fixed point stands after moving by h along v.
Snapshot displaced(const Model& model, const State& state, double h, BodyId body, const Vec3& p_B) {
  VecX q = state.q;
  move(model, state.v.data(), h, q.data());
  Kinematics<double> k(model);
  update_poses(model, q.data(), k);
  const Pose X = body_pose(model, k, body);
  return {X * p_B, X.R};
}

VecX to_vector(const Vec3& a) { return VecX{{a.x, a.y, a.z}}; }

}  // namespace

TEST_CASE("kinematics: Jacobians, velocities and finite differences agree for all joint types") {
  std::mt19937 random(5);
  for (unsigned seed = 0; seed < 9; ++seed) {
    const Model model =
        build(random_tree_scene({.bodies = 12, .floating = seed % 2 == 0, .seed = seed})).model;
    Kinematics<double> k(model);
    for (int n = 0; n < 5; ++n) {
      const State state = random_state(model, random);
      update_poses(model, state.q.data(), k);
      update_velocities(model, state.v.data(), k);
      for (int i = 0; i < model.body_count(); ++i) {
        const Vec3 p_B = random_vector(random);
        const Vec3 p_W = body_pose(model, k, {i}) * p_B;
        const VecX velocity = to_vector(point_velocity(k, {i}, p_W));
        const VecX spin = to_vector(k.bodies[static_cast<std::size_t>(i)].w);
        CHECK((point_jacobian(model, k, {i}, p_W) * state.v - velocity).norm() < 1e-12);
        CHECK((rotation_jacobian(model, k, {i}) * state.v - spin).norm() < 1e-12);

        const double h = 1e-6;
        const Snapshot ahead = displaced(model, state, h, {i}, p_B);
        const Snapshot behind = displaced(model, state, -h, {i}, p_B);
        CHECK((to_vector((ahead.point - behind.point) / (2 * h)) - velocity).norm() < 1e-7);
        const Mat3 W = (ahead.R - behind.R) * (0.5 / h) * transpose(body_pose(model, k, {i}).R);
        CHECK((to_vector({W.r2.y, W.r0.z, W.r1.x}) - spin).norm() < 1e-7);
      }
    }
  }
}

TEST_CASE("kinematics: the bias acceleration is the rate of the Jacobian times the velocity") {
  std::mt19937 random(6);
  for (unsigned seed = 0; seed < 9; ++seed) {
    const Model model = build(random_tree_scene({.bodies = 9, .seed = seed})).model;
    Kinematics<double> k(model);
    const State state = random_state(model, random);
    update_poses(model, state.q.data(), k);
    update_velocities(model, state.v.data(), k);
    for (int i = 0; i < model.body_count(); ++i) {
      const Vec3 p_B = random_vector(random);
      const BiasAcceleration bias =
          bias_acceleration(model, k, state.v, {i}, body_pose(model, k, {i}) * p_B);
      // velocities a little later and earlier, with the same joint rates
      const double h = 1e-5;
      const auto at = [&](double time) {
        VecX q = state.q;
        move(model, state.v.data(), time, q.data());
        Kinematics<double> moved(model);
        update_poses(model, q.data(), moved);
        update_velocities(model, state.v.data(), moved);
        return std::pair{point_velocity(moved, {i}, body_pose(model, moved, {i}) * p_B),
                         moved.bodies[static_cast<std::size_t>(i)].w};
      };
      const auto ahead = at(h), behind = at(-h);
      CHECK(max_abs((ahead.first - behind.first) / (2 * h) - bias.linear) < 1e-7);
      CHECK(max_abs((ahead.second - behind.second) / (2 * h) - bias.angular) < 1e-7);
    }
  }
}

TEST_CASE("kinematics: centre of mass, momenta and energy by their definitions") {
  std::mt19937 random(7);
  const Model model = build(random_tree_scene({.bodies = 10, .floating = true, .seed = 4})).model;
  const State state = random_state(model, random);
  Kinematics<double> k(model);
  update_poses(model, state.q.data(), k);
  update_velocities(model, state.v.data(), k);
  const Totals sum = totals(model, k);

  double mass = 0, kinetic = 0, height = 0;
  Vec3 moment, momentum, angular;
  for (int i = 0; i < model.body_count(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Pose X = body_pose(model, k, {i});
    const Vec3 c = X * (link.p_BM + link.p_MC), v = point_velocity(k, {i}, c);
    const Vec3 w = k.bodies[static_cast<std::size_t>(i)].w;
    const Vec3 w_B = transpose_times(X.R, w);
    mass += link.mass;
    moment += c * link.mass;
    momentum += v * link.mass;
    angular += cross(c, v * link.mass) + X.R * (link.I_BC * w_B);
    kinetic += 0.5 * link.mass * dot(v, v) + 0.5 * dot(w_B, link.I_BC * w_B);
    height -= link.mass * dot(model.gravity, c);
  }
  CHECK(sum.mass == doctest::Approx(mass));
  CHECK(max_abs(sum.com - moment / mass) < 1e-13);
  CHECK(max_abs(sum.momentum - momentum) < 1e-11);
  CHECK(max_abs(sum.angular_momentum - angular) < 1e-11);
  CHECK(sum.kinetic == doctest::Approx(kinetic).epsilon(1e-13));
  CHECK(sum.gravity_potential == doctest::Approx(height).epsilon(1e-13));
}
