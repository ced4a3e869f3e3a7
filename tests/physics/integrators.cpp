// The order of every integrator is measured; adaptive steps, dense output, symmetry in time,
// stiffness, exact frame times and determinism.
#include <doctest/doctest.h>

#include <numbers>

#include "molejo/math/parallel.h"
#include "molejo/physics/world.h"
#include "tests/support/assemble.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double pi = std::numbers::pi;

// Everything smooth at once: a floating root, joints of every number of rotations, springs,
// dampers and motors in them, a spring between points, a force that changes with time.
Built smooth_problem() {
  Scene scene;
  const auto place = [](double x, double y, double z) {
    return Pose{matrix(exp_quat(Vec3{x, -y, z})), {x, y, z}};
  };
  add_body(scene, "root", 3, {0.2, 0.3, 0.4}, place(0, 0, 1)).velocity =
      SceneBody::Velocity{{0.5, 1, 0}, {1, 2, -1}};
  add_body(scene, "ball", 2, {0.1, 0.15, 0.2}, place(0.5, 0, 1));
  add_body(scene, "hinge", 1, {0.1, 0.1, 0.05}, place(0.5, 0.5, 1));
  add_body(scene, "cross", 1.5, {0.2, 0.1, 0.15}, place(0, -0.6, 1));
  add_body(scene, "slide", 1, {0.1, 0.1, 0.1}, place(0, -0.6, 0.5));
  Drive drive;
  drive.stiffness = 15, drive.rest = 0.2, drive.damping = 0.5, drive.kp = 5, drive.kd = 0.3;
  drive.target = -0.3, drive.target_velocity = 0.2, drive.armature = 0.02;
  const auto join = [&](JointType type, const char* parent, const char* child, const Pose& X) {
    SceneJoint& joint = add_joint(scene, type, parent, child, X);
    const auto n = static_cast<std::size_t>(freedoms(type).count());
    joint.drives.assign(n, drive);
    joint.velocity.assign(n, 0.7);
  };
  join(JointType::spherical, "root", "ball", frame_at({0.25, 0, 1}, {1, 0, 0}));
  join(JointType::revolute, "ball", "hinge", frame_at({0.5, 0.2, 1}, {0, 0, 1}));
  join(JointType::universal, "root", "cross", frame_at({0, -0.3, 1}, {0, 1, 0}));
  join(JointType::prismatic, "cross", "slide", frame_at({0, -0.6, 0.8}, {0, 0, 1}));
  scene.springs.push_back({"tether", {"", {1, 1, 1}}, {"hinge", {0.1, 0, 0}}, 20, 0.5, 0.4});
  scene.forces.push_back({"push",
                          {"slide", {0, 0.1, 0}},
                          {{-1, {3, 0, 1}, {}}, {0.5, {-9, 5, 0}, {0, 2, 0}}, {2, {1, 1, 1}, {}}}});
  return build(scene);
}

double error_of(const Built& built, Integrator method, int steps, double t, const State& exact) {
  return separation(built.model, run(built, method, t / steps, t), exact);
}

}  // namespace

TEST_CASE("integrators: measured orders are 1, 2, 4 and 5") {
  const Built built = smooth_problem();
  const double t = 0.4;
  const State exact = run(built, Integrator::rkf45, t / 1000, t);
  const struct {
    Integrator method;
    int steps;
    double order;
  } cases[] = {{Integrator::semi_implicit_euler, 800, 1},
               {Integrator::midpoint, 100, 2},
               {Integrator::rk4, 50, 4},
               {Integrator::rkf45, 24, 5}};
  for (const auto& c : cases) {
    CAPTURE(to_string(c.method));
    const double coarse = error_of(built, c.method, c.steps, t, exact);
    const double fine = error_of(built, c.method, 2 * c.steps, t, exact);
    CHECK(coarse < 0.05);
    CHECK(std::fabs(order(coarse, fine) - c.order) < 0.15);
  }
}

TEST_CASE("integrators: the orders hold for a ball joint that is damped and far from rest") {
  Scene scene;
  add_body(scene, "ball", 2, {0.1, 0.15, 0.2}, frame_at({0.3, 0, 0}));
  SceneJoint& joint = add_joint(scene, JointType::spherical, "", "ball", frame_at({}));
  Drive drive;
  drive.stiffness = 5, drive.damping = 2;
  joint.drives = {drive, drive, drive};
  const Quat q = exp_quat(Vec3{1.2, 1.5, -0.8});
  joint.position = {q.w, q.x, q.y, q.z};
  joint.velocity = {1, -2, 3};
  const Built built = build(scene);
  const double t = 0.4;
  const State exact = run(built, Integrator::rkf45, t / 1000, t);
  const auto measured = [&](Integrator method, int steps) {
    return order(error_of(built, method, steps, t, exact),
                 error_of(built, method, 2 * steps, t, exact));
  };
  CHECK(std::fabs(measured(Integrator::semi_implicit_euler, 800) - 1) < 0.15);
  CHECK(std::fabs(measured(Integrator::midpoint, 100) - 2) < 0.15);
  CHECK(std::fabs(measured(Integrator::rk4, 50) - 4) < 0.15);
  CHECK(std::fabs(measured(Integrator::rkf45, 200) - 5) < 0.15);
}

TEST_CASE("rkf45: every step keeps its error below the tolerance and its size within the bounds") {
  const Built built = smooth_problem();
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    const AdaptiveSettings settings{tolerance, 1e-6, 0.05};
    Scratch scratch(built.model);
    State s = built.initial;
    double h = 1e-3, longest = 0;
    while (s.t < 1) {
      const State before = s;
      const AdaptiveStep report = adaptive_step(built.model, h, settings, s, scratch);
      const State exact = run(built.model, before, Integrator::rkf45, report.taken / 8, s.t);
      CHECK(separation(built.model, s, exact) <= tolerance);
      CHECK(s.t == before.t + report.taken);
      CHECK(report.taken >= settings.min_step);
      CHECK(report.taken <= settings.max_step);
      CHECK(report.next >= settings.min_step);
      CHECK(report.next <= settings.max_step);
      longest = std::max(longest, report.taken);
      h = report.next;
    }
    // steps grow to what the tolerance allows, not far below it
    CHECK(longest > 0.3 * std::pow(tolerance, 0.2));
  }
}

TEST_CASE("rkf45: step bounds hold also where the error would ask for less or more") {
  const Built built = smooth_problem();
  Scratch scratch(built.model);
  State s = built.initial;
  // at the smallest step any error is accepted
  AdaptiveStep report = adaptive_step(built.model, 0.02, {1e-300, 1e-2, 0.05}, s, scratch);
  CHECK(report.taken == 1e-2);
  CHECK(report.next == 1e-2);
  CHECK(report.rejected == 1);
  // no step above the largest, and growth by four at most
  report = adaptive_step(built.model, 1.0, {1e300, 1e-6, 0.05}, s, scratch);
  CHECK(report.taken == 0.05);
  report = adaptive_step(built.model, 1e-3, {1e300, 1e-6, 0.05}, s, scratch);
  CHECK(report.next == 4e-3);
}

TEST_CASE("rkf45: an error that is no number shrinks the step and ends the run with its cause") {
  // the gyroscopic torque of this spin overflows
  Scene scene = free_body_scene(1, {1, 2, 2.5}, {1e160, 1e160, 1e160});
  scene.settings.integrator = Integrator::rkf45;
  scene.settings.duration = 1;
  const Recording recording = simulate(build(scene), scene.settings);
  CHECK(recording.summary.failure.find("no longer finite") != std::string::npos);
  CHECK(recording.summary.failure.find("'body'") != std::string::npos);
  CHECK(recording.frames.back().state.v.allFinite());
}

TEST_CASE("rkf45: rejected steps are counted") {
  // a pendulum against a hard stop
  Scene scene = chain_scene(2, 1.2);
  Drive stop;
  stop.lower = -0.1, stop.limit_stiffness = 2e4;
  scene.joints[0].drives = {stop};
  scene.settings.integrator = Integrator::rkf45;
  scene.settings.duration = 2;
  const Built built = build(scene);
  const Recording recording = simulate(built, scene.settings);

  const AdaptiveSettings settings{scene.settings.tolerance, scene.settings.min_step,
                                  scene.settings.max_step};
  Scratch scratch(built.model);
  State s = built.initial;
  double h = 1e-3;
  std::int64_t steps = 0, rejected = 0;
  while (s.t < 2) {
    const AdaptiveStep report =
        adaptive_step(built.model, std::min(h, 2 - s.t), settings, s, scratch);
    h = report.next;
    rejected += report.rejected;
    ++steps;
  }
  CHECK(rejected > 5);
  CHECK(recording.summary.rejected_steps == rejected);
  CHECK(recording.summary.steps == steps);
}

TEST_CASE("dense output: sixth order in place, fifth in velocity") {
  const Built built = smooth_problem();
  const Model& model = built.model;
  Scratch scratch(model);
  const auto errors = [&](double h) {
    const State end = run(built, Integrator::rkf45, h / 32, h);
    std::pair<double, double> largest;
    for (const double part : {0.25, 0.5, 0.75}) {
      const State exact = run(built, Integrator::rkf45, h / 32, part * h);
      const State s = between(model, built.initial, end, part * h, scratch);
      CHECK(s.t == part * h);
      largest.first =
          std::max(largest.first, difference(model, s.q, exact.q).lpNorm<Eigen::Infinity>());
      largest.second = std::max(largest.second, (s.v - exact.v).lpNorm<Eigen::Infinity>());
    }
    return largest;
  };
  const auto coarse = errors(0.04), fine = errors(0.02);
  CHECK(coarse.first < 1e-5);
  CHECK(std::fabs(order(coarse.first, fine.first) - 6) < 0.3);
  CHECK(std::fabs(order(coarse.second, fine.second) - 5) < 0.3);
  // the ends are the ends
  const State end = run(built, Integrator::rkf45, 1e-3, 0.04);
  CHECK(separation(model, between(model, built.initial, end, 0, scratch), built.initial) < 1e-14);
  CHECK(separation(model, between(model, built.initial, end, 0.04, scratch), end) < 1e-13);
}

TEST_CASE("midpoint: a step forth and a step back return to the start") {
  // no force depends on velocity: to rounding, at any step
  const Built pendulum = chain(1, 1.0);
  // velocity terms are iterated three times: what is left shrinks at least with the fourth power
  const Built tree = smooth_problem();
  const auto gap = [](const Built& built, double h) {
    Scratch scratch(built.model);
    State s = run(built, Integrator::rk4, 1e-2, 0.1);
    const State start = s;
    step(built.model, Integrator::midpoint, h, s, scratch);
    step(built.model, Integrator::midpoint, -h, s, scratch);
    CHECK(std::fabs(s.t - start.t) < 1e-15);
    return separation(built.model, s, start);
  };
  for (const double h : {1e-3, 1e-2, 0.1}) CHECK(gap(pendulum, h) < 1e-14);
  CHECK(gap(tree, 1e-4) < 1e-12);
  CHECK(order(gap(tree, 0.02), gap(tree, 0.01)) > 3.85);
}

TEST_CASE("stiff joint springs: implicit drives are stable at large steps, explicit ones are not") {
  // k h^2 / I is about 3e6 at the inner joint of a chain of four, damping as stiff
  Scene scene = chain_scene(4, 0.1);
  for (SceneJoint& joint : scene.joints) {
    Drive drive;
    drive.stiffness = 1e9, drive.damping = 1e4;
    joint.drives = {drive};
  }
  const Built built = build(scene);
  const double h = 0.02;
  for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint}) {
    Scratch scratch(built.model);
    State s = built.initial;
    const double E0 = energy(built.model, s).total();
    double largest = 0;
    for (int i = 0; i < 1000; ++i) {
      step(built.model, method, h, s, scratch);
      largest = std::max(largest, energy(built.model, s).total());
    }
    CAPTURE(to_string(method));
    CHECK(largest <= E0 * (1 + 1e-3));
    CHECK(s.q.allFinite());
    CHECK(s.q.norm() < 0.3);
  }
  Scratch scratch(built.model);
  State s = built.initial;
  for (int i = 0; i < 50 && s.q.allFinite() && s.v.norm() < 1e12; ++i) {
    step(built.model, Integrator::rk4, h, s, scratch);
  }
  CHECK_FALSE((s.q.allFinite() && s.v.norm() < 1e12));
}

TEST_CASE(
    "stiff joint springs: undamped, midpoint keeps the energy of a linear spring to rounding") {
  Scene scene;
  scene.settings.gravity = {};
  add_body(scene, "body", 2, {1, 1, 1});
  SceneJoint& joint = add_joint(scene, JointType::prismatic, "", "body", {});
  Drive drive;
  drive.stiffness = 1e8;
  joint.drives = {drive};
  joint.position = {0.1};
  const Built built = build(scene);
  const State s = run(built, Integrator::midpoint, 0.05, 50);
  CHECK(energy(built.model, s).total() == doctest::Approx(0.5e6).epsilon(1e-10));
}

TEST_CASE("frames: at exact times, all of them, up to the very end") {
  const Built built = chain(1, 1.0);
  const struct {
    double duration, fps, time_step;
  } cases[] = {{1, 30, 1e-3},       {0.7, 30, 1e-3},   {0.3, 10, 7e-3}, {2.35, 24, 1e-2},
               {1.1, 29.97, 0.013}, {0.1, 1000, 1e-3}, {1, 7, 0.3},     {0.05, 3, 1e-3}};
  for (const auto& c : cases) {
    for (const Integrator method : {Integrator::midpoint, Integrator::rk4, Integrator::rkf45}) {
      for (const double max_step : {1.0 / 30, 10.0}) {
        Settings settings;
        settings.integrator = method;
        settings.duration = c.duration, settings.fps = c.fps, settings.time_step = c.time_step;
        settings.max_step = max_step;
        const Recording recording = simulate(built, settings);
        CAPTURE(c.duration);
        CAPTURE(c.fps);
        CAPTURE(to_string(method));
        const auto frames = static_cast<std::size_t>(std::floor(c.duration * c.fps + 1e-9)) + 1;
        CHECK(recording.frames.size() == frames);
        CHECK(recording.summary.frames == static_cast<std::int64_t>(frames));
        for (std::size_t i = 0; i < recording.frames.size(); ++i) {
          const double time = static_cast<double>(i) / c.fps;
          CHECK(std::fabs(recording.frames[i].state.t - time) <= 1e-9);
        }
        CHECK(std::fabs(recording.summary.duration - c.duration) < 1e-15);
        if (method != Integrator::rkf45) {
          const auto steps = static_cast<std::int64_t>(std::ceil(c.duration / c.time_step - 1e-6));
          CHECK(recording.summary.steps == steps);
        }
      }
    }
  }
}

TEST_CASE("frames: a last short step ends where the duration ends, with the right state") {
  const Built built = chain(2, 1.0);
  Settings settings;
  settings.integrator = Integrator::rk4;
  settings.duration = 0.5037, settings.time_step = 1e-3, settings.fps = 1 / 0.5037;
  const Recording recording = simulate(built, settings);
  CHECK(recording.summary.steps == 504);
  const State exact = run(built, Integrator::rkf45, 2e-4, 0.5037);
  CHECK(separation(built.model, recording.frames.back().state, exact) < 1e-7);
}

TEST_CASE("frames: between the steps of rkf45 they are as good as the steps") {
  const Built built = chain(3, 1.5);
  Settings settings;
  settings.integrator = Integrator::rkf45;
  settings.tolerance = 1e-9, settings.max_step = 0.1, settings.duration = 0.5, settings.fps = 2000;
  const Recording recording = simulate(built, settings);
  CHECK(2 * recording.summary.steps < recording.summary.frames);
  for (std::size_t i = 50; i < recording.frames.size(); i += 97) {
    const State& s = recording.frames[i].state;
    CHECK(separation(built.model, s, run(built, Integrator::rkf45, 2e-4, s.t)) < 2e-6);
  }
}

TEST_CASE("determinism: the same hash in every run and on any thread") {
  const Built trees[] = {build(random_tree_scene({.bodies = 12, .floating = true, .drives = true})),
                         smooth_problem()};
  for (const Built& built : trees) {
    for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint,
                                    Integrator::rk4, Integrator::rkf45}) {
      Settings settings;
      settings.integrator = method;
      settings.duration = 0.3;
      const std::uint64_t first = simulate(built, settings).summary.hash;
      for (int threads : {1, 2, 4}) {
        std::uint64_t hashes[4] = {};
        parallel_for(4, threads,
                     [&](int i) { hashes[i] = simulate(built, settings).summary.hash; });
        for (std::uint64_t hash : hashes) CHECK(hash == first);
      }
      // and it does tell states apart
      settings.duration = 0.301;
      CHECK(simulate(built, settings).summary.hash != first);
    }
  }
}
