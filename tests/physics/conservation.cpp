// What a closed system keeps: momentum to rounding where the method gives it, elsewhere with the
// measured order of the integrator.
#include <doctest/doctest.h>

#include "molejo/model/scene.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr Integrator all_methods[] = {Integrator::semi_implicit_euler, Integrator::midpoint,
                                      Integrator::rk4, Integrator::rkf45};

Totals totals_of(const Model& model, const State& s) { return totals(model, kinematics(model, s)); }

// A tree of every joint type in vivid motion, in which nothing dissipates. With `drives`, springs
// in all joints.
Built lively_tree(const RandomTree& tree, const Vec3& gravity) {
  Scene scene = random_tree_scene(tree);
  scene.settings.gravity = gravity;
  for (SceneJoint& joint : scene.joints) {
    for (Drive& d : joint.drives) {
      d.damping = d.kd = 0;
      d.lower.reset(), d.upper.reset();
    }
  }
  Built built = build(scene);
  std::mt19937 random(tree.seed);
  built.initial = random_state(built.model, random);
  return built;
}

// In no field.
Built floating_tree(unsigned seed, bool drives) {
  return lively_tree({.bodies = 10, .floating = true, .drives = drives, .seed = seed}, {});
}

struct Drift {
  double momentum, angular, energy;
};
Drift drift(const Built& built, Integrator method, int steps, double t) {
  const State end = run(built, method, t / steps, t);
  const Totals a = totals_of(built.model, built.initial), b = totals_of(built.model, end);
  return {norm(b.momentum - a.momentum), norm(b.angular_momentum - a.angular_momentum),
          std::fabs(energy(built.model, end).total() - energy(built.model, built.initial).total())};
}

// Measured order of one of the drifts.
template <class Pick>
double slope(const Built& built, Integrator method, int steps, double t, Pick pick) {
  return order(pick(drift(built, method, steps, t)), pick(drift(built, method, 2 * steps, t)));
}

}  // namespace

TEST_CASE("conservation: a free body keeps its linear momentum to rounding, whatever the method") {
  Scene scene = free_body_scene(3, {1, 2, 2.5}, {2, -1, 3});
  scene.bodies[0].velocity->linear = {1, -2, 0.5};
  const Built built = build(scene);
  for (const Integrator method : all_methods) {
    const State end = run(built, method, 1e-2, 10);
    CAPTURE(to_string(method));
    CHECK(norm(totals_of(built.model, end).momentum - Vec3{3, -6, 1.5}) < 1e-14);
  }
}

TEST_CASE("conservation: a free body keeps its angular momentum within the adaptive tolerance") {
  const Built built = build(free_body_scene(3, {1, 2, 2.5}, {2, -1, 3}));
  const Vec3 L{2, -2, 7.5};
  Scratch scratch(built.model);
  State s = built.initial;
  double h = 1e-3;
  while (s.t < 5) {
    h = adaptive_step(built.model, h, {1e-13, 1e-6, 0.1}, s, scratch).next;
  }
  CHECK(norm(totals_of(built.model, s).angular_momentum - L) < 1e-10);
}

TEST_CASE("conservation: two bodies on a spring, and a ball-jointed pair, keep both momenta") {
  // internal forces cancel exactly in every stage, so only rounding is left of the linear one
  Scene scene = free_body_scene(3, {1, 2, 2.5}, {0.2, -0.1, 0.3});
  scene.bodies[0].velocity->linear = {1, 0, 0};
  SceneBody other = scene.bodies[0];
  other.name = "other";
  other.X_WB.p = {1, 0.5, 0};
  other.velocity = SceneBody::Velocity{{0, -1, 0}, {0.5, 0.5, 0}};
  scene.bodies.push_back(other);
  scene.springs.push_back({"s", {"body", {0.2, 0, 0}}, {"other", {0, 0.3, 0}}, 40, 0.5, 2});
  const Built built = build(scene);
  for (const Integrator method : all_methods) {
    const Totals end = totals_of(built.model, run(built, method, 5e-3, 5));
    CHECK(norm(end.momentum - Vec3{3, -3, 0}) < 1e-12);
  }
  const Totals start = totals_of(built.model, built.initial);
  const Totals end = totals_of(built.model, run(built, Integrator::rkf45, 1e-3, 5));
  CHECK(norm(end.angular_momentum - start.angular_momentum) < 1e-10);
}

TEST_CASE("conservation: in maximal coordinates joints keep the linear momentum to rounding") {
  Scene scene = ragdoll_scene();
  scene.settings.gravity = {};
  scene.settings.formulation = Formulation::maximal;
  const Built built = build(scene);
  const Vec3 before = totals_of(built.model, built.initial).momentum;
  for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    const State end = run(built, method, 5e-3, 0.5);
    CAPTURE(to_string(method));
    CHECK(norm(totals_of(built.model, end).momentum - before) < 1e-11 * norm(before));
  }
}

TEST_CASE("conservation: the momenta of a floating tree drift with the order of the method") {
  const struct {
    Integrator method;
    int steps;
    double order;
  } cases[] = {{Integrator::semi_implicit_euler, 2000, 1},
               {Integrator::midpoint, 400, 2},
               {Integrator::rk4, 100, 4},
               {Integrator::rkf45, 50, 5}};
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const Built built = floating_tree(seed, seed == 2);
    for (const auto& c : cases) {
      CAPTURE(seed);
      CAPTURE(to_string(c.method));
      const auto linear = [](const Drift& d) { return d.momentum; };
      const auto angular = [](const Drift& d) { return d.angular; };
      CHECK(std::fabs(slope(built, c.method, c.steps, 0.5, linear) - c.order) < 0.15);
      CHECK(std::fabs(slope(built, c.method, c.steps, 0.5, angular) - c.order) < 0.15);
    }
  }
}

TEST_CASE(
    "conservation: rkf45 at small steps keeps the momenta and the energy of a floating tree") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Built built = floating_tree(seed, true);
    const Drift d = drift(built, Integrator::rkf45, 1000, 0.5);
    CAPTURE(seed);
    CHECK(d.momentum < 1e-10);
    CHECK(d.angular < 1e-10);
    CHECK(d.energy < 1e-9);
  }
}

TEST_CASE("conservation: the energy of conservative trees drifts with h^4 under rk4") {
  // joints of every type with springs, under gravity, with and without a floating root
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Built built = lively_tree(
        {.bodies = 10, .floating = seed == 2, .drives = true, .seed = seed}, Settings{}.gravity);
    CAPTURE(seed);
    const auto lost = [](const Drift& d) { return d.energy; };
    CHECK(std::fabs(slope(built, Integrator::rk4, 400, 0.5, lost) - 4) < 0.15);
    CHECK(drift(built, Integrator::rk4, 800, 0.5).energy < 1e-6);
  }
}

TEST_CASE("conservation: gravity alone changes the momentum by weight times time") {
  Scene scene = random_tree_scene({.bodies = 8, .floating = true, .drives = true, .seed = 5});
  scene.settings.gravity = {1, -2, -9};
  Built built = build(scene);
  std::mt19937 random(3);
  built.initial = random_state(built.model, random);
  const double t = 0.4;
  const Totals a = totals_of(built.model, built.initial);
  const Totals b = totals_of(built.model, run(built, Integrator::rkf45, 5e-4, t));
  CHECK(norm(b.momentum - a.momentum - Vec3{1, -2, -9} * (a.mass * t)) < 1e-8 * a.mass);
  CHECK(norm(b.com - a.com - a.com_velocity * t - Vec3{1, -2, -9} * (t * t / 2)) < 1e-8);
}
