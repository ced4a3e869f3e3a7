// Forces given over time, and what a force off the centre does to a body.
#include <doctest/doctest.h>

#include "tests/support/assemble.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Samples = std::vector<ForceSample>;

const Samples even = {{1.0, {1, -2, 3}, {0.5, 0, -1}},
                      {1.5, {9, 4, -6}, {2, -3, 0}},
                      {2.0, {-5, 0, 8}, {-1, 1, 4}},
                      {2.5, {2, 7, 0}, {0, 2, -2}}};
const Samples uneven = {{0.0, {0, 0, 1}, {}},
                        {0.1, {4, -1, 2}, {1, 0, 0}},
                        {0.9, {-3, 5, 0}, {0, 1, 0}},
                        {1.0, {2, 2, 6}, {0, 0, 1}},
                        {3.0, {1, 0, -2}, {}}};

}  // namespace

TEST_CASE("given force: first and last samples are attained exactly, outside there is nothing") {
  for (const Samples& samples : {even, uneven}) {
    for (const ForceSample& end : {samples.front(), samples.back()}) {
      const ForceSample f = force_at(samples, end.t);
      CHECK(f.force == end.force);
      CHECK(f.torque == end.torque);
    }
    for (const double t : {samples.front().t - 1e-12, samples.back().t + 1e-12, -50.0, 50.0}) {
      CHECK(force_at(samples, t).force == Vec3{});
      CHECK(force_at(samples, t).torque == Vec3{});
    }
    // continuous up to the ends
    CHECK(norm(force_at(samples, samples.front().t + 1e-9).force - samples.front().force) < 1e-6);
    CHECK(norm(force_at(samples, samples.back().t - 1e-9).force - samples.back().force) < 1e-6);
  }
}

TEST_CASE("given force: one sample is a constant") {
  const Samples one = {{3, {1, 2, 3}, {4, 5, 6}}};
  for (const double t : {-1.0, 3.0, 9.0}) {
    CHECK(force_at(one, t).force == Vec3{1, 2, 3});
    CHECK(force_at(one, t).torque == Vec3{4, 5, 6});
  }
}

TEST_CASE("given force: stays in the convex hull of its samples") {
  std::mt19937 random(7);
  for (const Samples& samples : {even, uneven}) {
    for (int n = 0; n < 200; ++n) {
      const double u = 0.5 + 0.5 * symmetric_unit(random);
      const double t = samples.front().t + u * (samples.back().t - samples.front().t);
      const ForceSample f = force_at(samples, t);
      // no plane separates the value from the control points
      const Vec3 across = random_vector(random);
      double reach = -1e300, torque_reach = -1e300;
      for (const ForceSample& s : samples) {
        reach = std::max(reach, dot(across, s.force));
        torque_reach = std::max(torque_reach, dot(across, s.torque));
      }
      CHECK(dot(across, f.force) <= reach + 1e-12);
      CHECK(dot(across, f.torque) <= torque_reach + 1e-12);
    }
  }
}

TEST_CASE("given force: is the Bezier curve, in Bernstein's form") {
  // even spacing: s = (t - t1) / (tN - t1)
  const double binomial[] = {1, 3, 3, 1};
  for (const double s : {0.1, 0.37, 0.5, 0.92}) {
    Vec3 expected;
    for (int i = 0; i < 4; ++i) {
      const double weight = binomial[i] * std::pow(s, i) * std::pow(1 - s, 3 - i);
      expected += even[static_cast<std::size_t>(i)].force * weight;
    }
    CHECK(norm(force_at(even, 1 + 1.5 * s).force - expected) < 1e-13);
  }
  // uneven: time itself runs along the curve
  const double quartic[] = {1, 4, 6, 4, 1};
  for (const double s : {0.2, 0.6}) {
    Vec3 expected;
    double t = 0;
    for (int i = 0; i < 5; ++i) {
      const double weight = quartic[i] * std::pow(s, i) * std::pow(1 - s, 4 - i);
      expected += uneven[static_cast<std::size_t>(i)].force * weight;
      t += uneven[static_cast<std::size_t>(i)].t * weight;
    }
    CHECK(norm(force_at(uneven, t).force - expected) < 1e-12);
  }
}

TEST_CASE("given force: evenly spaced, its impulse is the mean of the samples times the duration") {
  Vec3 force_mean, torque_mean;
  for (const ForceSample& s : even) {
    force_mean += s.force / 4;
    torque_mean += s.torque / 4;
  }
  const double duration = 1.5;

  // by quadrature
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = [&](double t) { return force_at(even, 1 + t).force[axis]; };
    CHECK(std::fabs(simpson(at, duration, 20) - force_mean[axis] * duration) < 1e-12);
  }
  // and by what a body gains, pushed at its centre while the force acts
  Scene scene = free_body_scene(4, {2, 2, 2}, {});
  scene.forces.push_back({"push", {"body", {}}, even});
  const Built built = build(scene);
  for (const Integrator method : {Integrator::midpoint, Integrator::rk4, Integrator::rkf45}) {
    State s = built.initial;
    s.t = even.front().t;
    s = run(built.model, s, method, 1e-2, even.back().t);
    const Totals sum = totals(built.model, kinematics(built.model, s));
    CAPTURE(to_string(method));
    const double tolerance = method == Integrator::midpoint ? 1e-3 : 1e-12;
    CHECK(norm(sum.momentum - force_mean * duration) < tolerance);
    const Vec3 spin = sum.angular_momentum - cross(sum.com, sum.momentum);
    CHECK(norm(spin - torque_mean * duration) < (method == Integrator::midpoint ? 1e-3 : 1e-8));
  }
}

TEST_CASE("given force: off the centre it accelerates as Newton and Euler say") {
  const double m = 3;
  const Vec3 moments{0.7, 1.1, 1.6}, w{1.2, -0.8, 2.1}, p{0.3, -0.2, 0.5};
  const Vec3 force{10, -4, 7}, torque{0.6, 2, -1.5}, gravity{0, 0, -9.81};
  const Mat3 R = matrix(exp_quat(Vec3{0.4, 1.3, -0.9}));
  Scene scene;
  // world axes: the spin w is given in body axes
  add_body(scene, "body", m, moments, {R, {1, 2, 3}}).velocity = SceneBody::Velocity{{}, R * w};
  scene.forces.push_back({"push", {"body", p}, {{0, force, torque}}});
  const Built built = build(scene);
  const VecX a = accelerations(built.model, built.initial);

  // in body axes: I alpha = p x f + tau - w x I w
  const Vec3 L{moments.x * w.x, moments.y * w.y, moments.z * w.z};
  const Vec3 total = cross(p, transpose_times(R, force)) + transpose_times(R, torque) - cross(w, L);
  const Vec3 alpha{total.x / moments.x, total.y / moments.y, total.z / moments.z};
  CHECK(norm(Vec3{a[0], a[1], a[2]} - (force / m + gravity)) < 1e-13);
  CHECK(norm(Vec3{a[3], a[4], a[5]} - alpha) < 1e-13);
}

TEST_CASE("given force: its power is the rate of the energy") {
  // on a body in the middle of a random tree, at a point of its own
  Scene scene = random_tree_scene({.bodies = 9, .floating = true, .drives = false, .seed = 4});
  const Vec3 p{0.1, -0.3, 0.2}, force{3, -7, 5}, torque{-1, 2, 4};
  scene.forces.push_back({"push", {"b5", p}, {{0, force, torque}}});
  const Built built = build(scene);
  const Model& model = built.model;
  std::mt19937 random(11);
  for (int n = 0; n < 10; ++n) {
    State s = random_state(model, random);
    const Kinematics<double> k = kinematics(model, s);
    const BodyId body = model.body("b5");
    const Vec3 at = body_pose(model, k, body) * p;
    const Vec3 w = k.bodies[static_cast<std::size_t>(body.index)].w;
    const double power = dot(force, point_velocity(k, body, at)) + dot(torque, w);

    const double h = 1e-4;
    const double ahead = energy(model, run(model, s, Integrator::rkf45, h, s.t + h)).total();
    const double back = energy(model, run(model, s, Integrator::rkf45, -h, s.t - h)).total();
    CHECK(std::fabs((ahead - back) / (2 * h) - power) < 1e-5 * (1 + std::fabs(power)));
  }
}
