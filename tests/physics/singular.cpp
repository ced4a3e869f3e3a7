// Mechanisms that pass configurations in which their closures lose rank.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "molejo/physics/world.h"
#include "tests/support/linkages.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double half_turn = std::numbers::pi;

struct Way {
  Integrator method;
  double size;  // of a step, or the tolerance
};

Settings& go(Scene& scene, const Way& way, double duration) {
  Settings& s = scene.settings;
  s.integrator = way.method;
  s.duration = duration;
  s.fps = 1 / duration;
  way.method == Integrator::rkf45 ? s.tolerance = way.size : s.time_step = way.size;
  return s;
}

// How far the rods are, at the end, from where their pendulum is: place and velocity of the tip of
// any of them, in lengths and lengths per second.
double error_of(const Built& built, const State& end, const PendulumState& known) {
  double worst = 0;
  for (std::size_t i = 0; i < built.model.bodies.size(); ++i) {
    if (!built.model.bodies[i].name.starts_with("rod")) continue;
    const Link& link = built.model.links[i];
    const double angle = end.q[link.q], rate = end.v[link.v];
    const auto differ = [&](double x, double y) { worst = std::max(worst, std::fabs(x - y)); };
    differ(std::sin(angle), std::sin(known.angle));
    differ(std::cos(angle), std::cos(known.angle));
    differ(std::cos(angle) * rate, std::cos(known.angle) * known.rate);
    differ(std::sin(angle) * rate, std::sin(known.angle) * known.rate);
  }
  return worst;
}

struct Passage {
  double error = 0;
  Summary summary;
};

// From upright, in reduced coordinates.
Passage pass(int windows, const Way& way, double duration, const Pose& X = {},
             const LinkageSize& size = {}) {
  Scene scene = moved(windows_scene(windows, -1, 0, size), X);
  go(scene, way, duration);
  const Built built = build(scene);
  const Recording recording = simulate(built, scene.settings);
  const PendulumState known = windows_motion(windows, -1, 0, duration, size);
  return {error_of(built, recording.frames.back().state, known), recording.summary};
}

void check_passage(int windows, const Way& way, double duration, double bound, const Pose& X = {},
                   const LinkageSize& size = {}) {
  CAPTURE(windows);
  CAPTURE(to_string(way.method));
  CAPTURE(way.size);
  const Passage p = pass(windows, way, duration, X, size);
  CHECK(p.summary.failure == "");
  CHECK(p.error < bound);
  CHECK(p.summary.constraint_error < 1e-6);
}

}  // namespace

TEST_CASE("singular: two windows pass flat some fifteen times by every integrator at every step") {
  for (const double h : {1e-4, 2e-4, 5e-4, 1e-3, 2e-3}) {
    check_passage(2, {Integrator::midpoint, h}, 10, 1e-3);
    check_passage(2, {Integrator::rk4, h}, 10, 1e-3);
    // of first order
    check_passage(2, {Integrator::semi_implicit_euler, h}, 10, 2.5 * h);
  }
  for (const double tolerance : {1e-5, 1e-6, 1e-8, 1e-10}) {
    check_passage(2, {Integrator::rkf45, tolerance}, 10, 1e-3);
  }
}

TEST_CASE("singular: forty windows pass flat by every integrator") {
  check_passage(40, {Integrator::midpoint, 2e-3}, 10, 1e-3);
  check_passage(40, {Integrator::midpoint, 1e-3}, 10, 1e-3);
  check_passage(40, {Integrator::rk4, 2e-3}, 10, 1e-3);
  check_passage(40, {Integrator::semi_implicit_euler, 2e-3}, 10, 5e-3);
  check_passage(40, {Integrator::rkf45, 1e-6}, 10, 1e-3);
  check_passage(40, {Integrator::rkf45, 1e-8}, 10, 1e-3);
  // the small steps through the first two passages
  check_passage(40, {Integrator::midpoint, 1e-4}, 1.5, 1e-3);
  check_passage(40, {Integrator::rk4, 5e-4}, 1.5, 1e-3);
}

TEST_CASE("singular: neither axes nor places nor units change how windows pass") {
  std::mt19937 random(5);
  for (int n = 0; n < 20; ++n) {
    CAPTURE(n);
    const Pose X{random_rotation(random), random_vector(random) * 10};
    const double length = std::pow(10, 3 * symmetric_unit(random));
    const double mass = std::pow(10, 3 * symmetric_unit(random));
    CAPTURE(length);
    CAPTURE(mass);
    // the same motion in other units of time
    const double unit = std::sqrt(length);
    Scene scene = moved(windows_scene(2, -1 / unit, 0, {length, mass}), X);
    const Way way{n % 2 == 0 ? Integrator::midpoint : Integrator::rk4, 1e-3 * unit};
    go(scene, way, 5 * unit);
    scene.settings.constraint_tolerance = 1e-9 * std::min(1.0, length);
    const Built built = build(scene);
    CHECK(redundant_rows(built.model, built.initial) == 6);
    const Recording recording = simulate(built, scene.settings);
    CHECK(recording.summary.failure == "");
    const PendulumState known = windows_motion(2, -1 / unit, 0, 5 * unit, {length, mass});
    State end = recording.frames.back().state;
    end.v *= unit;
    CHECK(error_of(built, end, {known.angle, known.rate * unit}) < 1e-3);
  }
}

TEST_CASE("singular: in maximal coordinates as well") {
  for (const Way& way :
       {Way{Integrator::midpoint, 1e-3}, {Integrator::rk4, 1e-3}, {Integrator::rkf45, 1e-7}}) {
    CAPTURE(to_string(way.method));
    Scene scene = windows_scene(2, -1);
    go(scene, way, 10).formulation = Formulation::maximal;
    const Built built = build(scene);
    const Frame end = simulate(built, scene.settings).frames.back();
    const PendulumState known = windows_motion(2, -1, 0, 10);
    const Vec3 tip{-std::sin(known.angle), std::cos(known.angle), 0};
    for (int i = 0; i < 3; ++i) {
      const BodyId rod = built.model.body("rod" + std::to_string(i));
      const Vec3 middle = end.X_WB[static_cast<std::size_t>(rod.index)].p;
      CHECK(norm(middle - (Vec3{1.0 * i, 0, 0} + tip * 0.5)) < 1e-3);
    }
  }
}

TEST_CASE("singular: a slider-crank of equal bars goes straight on where it could stay") {
  for (const double rate : {3.0, 2.0}) {
    const double angle = 0.5;
    const PendulumState known = equal_slider_crank_motion(angle, rate, 5);
    for (const Way& way : {Way{Integrator::midpoint, 1e-3},
                           {Integrator::midpoint, 2e-4},
                           {Integrator::rk4, 1e-3},
                           {Integrator::rk4, 1e-4},
                           {Integrator::rkf45, 1e-6},
                           {Integrator::rkf45, 1e-9}}) {
      CAPTURE(rate);
      CAPTURE(to_string(way.method));
      CAPTURE(way.size);
      Scene scene = equal_slider_crank_scene(angle, rate);
      go(scene, way, 5);
      const Built built = build(scene);
      const Recording recording = simulate(built, scene.settings);
      CHECK(recording.summary.failure == "");
      const State& end = recording.frames.back().state;
      const int q = built.model.links[static_cast<std::size_t>(built.model.body("crank").index)].q;
      CHECK(std::fabs(angle + end.q[q] - known.angle) < 1e-3);
      CHECK(std::fabs(end.v[q] - known.rate) < 1e-3);
    }
  }
}

TEST_CASE("singular: a slow passage is right, or the run stops and names the joint") {
  int right = 0, stopped = 0;
  // let go from rest just above flat, where it passes at 1.5 rad/s down to 0.05 rad/s
  for (const double above : {5.0, 1.0, 0.3, 0.1, 0.03, 0.01}) {
    for (const Way& way : {Way{Integrator::midpoint, 1e-3},
                           {Integrator::midpoint, 1e-4},
                           {Integrator::rk4, 1e-3},
                           {Integrator::rk4, 1e-4},
                           {Integrator::rkf45, 1e-6},
                           {Integrator::rkf45, 1e-10}}) {
      CAPTURE(above);
      CAPTURE(to_string(way.method));
      CAPTURE(way.size);
      const double angle = half_turn / 2 - above * half_turn / 180;
      Scene scene = windows_scene(2, 0, angle);
      go(scene, way, 1.5);
      const Built built = build(scene);
      const Recording recording = simulate(built, scene.settings);
      PendulumState known = windows_motion(2, 0, angle, 1.5);
      known.angle -= angle;
      if (recording.summary.failure.empty()) {
        CHECK(error_of(built, recording.frames.back().state, known) < 1e-3);
        ++right;
      } else {
        CHECK(recording.summary.failure.find("_top") != std::string::npos);
        CHECK(recording.summary.failure.find("singular") != std::string::npos);
        CHECK(recording.summary.failure.find(" s;") != std::string::npos);
        ++stopped;
      }
    }
  }
  CHECK(right >= 24);
  MESSAGE("stopped: ", stopped);
}

TEST_CASE("singular: a truss that cannot move says so when it is pushed") {
  // two bars in one line between two pivots: at first order the middle can move
  Scene scene = equal_slider_crank_scene(0, 0);
  scene.joints.resize(2);
  SceneJoint end;
  end.name = "end", end.child = "rod", end.loop = true;
  end.type = JointType::revolute;
  end.X_PF = {Mat3::identity(), {2, 0, 0}};
  end.X_BM = {Mat3::identity(), {0.5, 0, 0}};
  scene.joints.push_back(end);
  scene.bodies.pop_back();
  for (const Way& way : {Way{Integrator::midpoint, 1e-3},
                         {Integrator::midpoint, 1e-2},
                         {Integrator::rk4, 1e-3},
                         {Integrator::semi_implicit_euler, 1e-3},
                         {Integrator::rkf45, 1e-6}}) {
    CAPTURE(to_string(way.method));
    CAPTURE(way.size);
    go(scene, way, 1);
    const Built built = build(scene);
    const Recording recording = simulate(built, scene.settings);
    CHECK(recording.summary.failure.find("'end'") != std::string::npos);
    CHECK(recording.summary.failure.find("singular") != std::string::npos);
  }
}

TEST_CASE("singular: a window of bars that are not quite equal goes where its lengths tell") {
  for (const double longer : {1e-6, -1e-6, 1e-7, -1e-7, 1e-8}) {
    CAPTURE(longer);
    const auto angles = [&](const Way& way) {
      Scene scene = unequal_window_scene(0.4, longer);
      go(scene, way, 1.2);
      const Built built = build(scene);
      const Recording recording = simulate(built, scene.settings);
      CHECK(recording.summary.failure == "");
      CHECK(recording.summary.warnings.empty());
      const State& end = recording.frames.back().state;
      const auto angle = [&](const char* rod) {
        return end.q[built.model.links[static_cast<std::size_t>(built.model.body(rod).index)].q];
      };
      return std::pair{angle("rod0"), angle("rod1")};
    };
    const auto known = angles({Integrator::rkf45, 1e-11});
    // it is no longer a parallelogram
    CHECK(std::fabs(known.first - known.second) > 0.5);
    for (const Way& way : {Way{Integrator::midpoint, 1e-3},
                           {Integrator::midpoint, 1e-4},
                           {Integrator::rk4, 1e-3},
                           {Integrator::rk4, 1e-4},
                           {Integrator::rkf45, 1e-6}}) {
      CAPTURE(to_string(way.method));
      CAPTURE(way.size);
      const auto found = angles(way);
      CHECK(std::fabs(found.first - known.first) < 1e-3);
      CHECK(std::fabs(found.second - known.second) < 1e-3);
    }
  }
}
