// What a run says of itself when it does not keep what it should.
#include "molejo/physics/audit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/physics/world.h"
#include "tests/support/assemble.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/linkages.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// A ball on a rod of 1 m, let go from horizontal, about a pivot at some height.
Scene swing(double height = 0) {
  Scene scene;
  scene.settings.contact.enabled = false;
  scene.settings.duration = 2;
  add_body(scene, "ball", 1, {0.01, 0.01, 0.01}, frame_at({1, 0, height}));
  add_joint(scene, JointType::revolute, "", "ball", frame_at({0, 0, height}, {0, 1, 0}));
  return scene;
}

Scene box_on_ground(const Vec3& at) {
  constexpr Surface surface{0.5, 0};
  Scene scene;
  scene.settings.duration = 1;
  add_ground(scene, surface, frame_at(at));
  add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1, frame_at(at + Vec3{0, 0, 0.1}), surface);
  return scene;
}

std::vector<std::string> warnings_of(const Scene& scene) {
  const Recording recording = simulate(build(scene), scene.settings);
  CHECK(recording.summary.failure == "");
  return recording.summary.warnings;
}

// Coarse enough to be wrong by some percent.
Scene coarse(Scene scene) {
  scene.settings.integrator = Integrator::semi_implicit_euler;
  scene.settings.time_step = 0.02;
  return scene;
}

bool speaks_of(const std::vector<std::string>& lines, const std::string& what) {
  return lines.size() == 1 && lines[0].find(what) != std::string::npos;
}

Drive& drive_of(Scene& scene) { return scene.joints[0].drives.emplace_back(); }

}  // namespace

TEST_CASE("audit: energy that changes by itself is told, wherever the origin is") {
  for (const double height : {-1e4, 0.0, 1e4}) {
    CAPTURE(height);
    CHECK(warnings_of(swing(height)).empty());
    CHECK(speaks_of(warnings_of(coarse(swing(height))), "the energy changes by 0.0"));
  }
}

TEST_CASE("audit: nothing is said of what stands still, wherever the origin is") {
  for (const double far : {0.0, 1e3, 1e5}) {
    CAPTURE(far);
    Scene scene = moved(swing(), frame_at({far, 0, 0}));
    scene.settings.gravity = {9.81, 0, 0};
    CHECK(warnings_of(coarse(scene)).empty());
    CHECK(simulate(build(scene), scene.settings).summary.energy_drift < 1e-5);
    // it trembles so little that far away only the last digits of its energy change
    scene.joints[0].velocity = {1e-4};
    CHECK(warnings_of(scene).empty());
    CHECK(simulate(build(scene), scene.settings).summary.energy_drift < 1e-5);
    // a box that rests on the ground; what lifts it by a hair of its size is no fault
    Scene still = box_on_ground({0, 0, far});
    CHECK(warnings_of(still).empty());
    CHECK(simulate(build(still), still.settings).summary.energy_drift < 1e-3);
  }
}

TEST_CASE("audit: the drift of energy is a part of what is exchanged") {
  // from horizontal down: the kinetic energy is what gravity gives, 9.81 J
  for (const double height : {-1e4, 0.0, 1e4}) {
    CAPTURE(height);
    const Scene scene = coarse(swing(height));
    const Recording recording = simulate(build(scene), scene.settings);
    double drift = 0, exchanged = 0;
    for (const Frame& f : recording.frames) {
      const Frame& first = recording.frames.front();
      drift = std::max(drift, std::fabs(f.energy.total() - first.energy.total()));
      exchanged = std::max(
          {exchanged, f.energy.kinetic, std::fabs(f.energy.gravity - first.energy.gravity)});
    }
    CHECK(exchanged == doctest::Approx(9.81).epsilon(0.05));
    CHECK(recording.summary.energy_drift == doctest::Approx(drift / exchanged));
    CHECK(recording.summary.energy_drift > 1e-3);
  }
}

TEST_CASE("audit: a damper may take energy, but none may come") {
  Scene damped = swing();
  drive_of(damped).damping = 0.5;
  CHECK(warnings_of(damped).empty());
  // an explicit spring that the step does not resolve, with a damper for show
  Scene stiff = swing();
  stiff.settings.duration = 0.2;
  stiff.settings.integrator = Integrator::rk4;
  stiff.settings.time_step = 0.01;
  stiff.springs.push_back({"stiff", {"", {1, 0, 1}}, {"ball", {}}, 9e4, 1, 1e-6});
  CHECK(speaks_of(warnings_of(stiff), "the energy grows by "));
}

TEST_CASE("audit: motors, given forces and hands may do what they like") {
  Scene driven = coarse(swing());
  drive_of(driven).force = 1;
  CHECK(warnings_of(driven).empty());
  Scene pushed = coarse(swing());
  pushed.forces.push_back({"push", {"ball", {}}, {{0, {1, 0, 0}, {}}}});
  CHECK(warnings_of(pushed).empty());

  const Scene scene = coarse(swing());
  const Built built = build(scene);
  Run run(built.model, built.initial, scene.settings);
  run.add_push({built.model.body("ball"), {}, {0, 0, 1}, 0.1});
  Frame frame;
  std::vector<ContactEvent> events;
  while (run.next_frame(frame, events)) continue;
  CHECK(run.summary().warnings.empty());
}

TEST_CASE("audit: the work of formula forces is taken into account") {
  const auto blown = [](Scene scene) {
    SceneForce wind;
    wind.name = "wind";
    wind.at.body = "ball";
    wind.force_formulas = {{"3*sin(5*t)", "", "here"}, {"0", "", "here"}, {"2 - t", "", "here"}};
    scene.forces.push_back(wind);
    return scene;
  };
  CHECK(warnings_of(blown(swing())).empty());
  CHECK(speaks_of(warnings_of(blown(coarse(swing()))), "the energy changes"));
}

TEST_CASE("audit: a ball may lose energy where it bounces") {
  Scene scene;
  add_ground(scene, {0.5, 0.5});
  add_body(scene, "ball", 1, {0.01, 0.01, 0.01}, frame_at({0, 0, 1}));
  Shape shape;
  shape.geometry = Sphere{0.1};
  scene.bodies.back().shapes.push_back(shape);
  scene.settings.duration = 2;
  for (const Integrator method : {Integrator::midpoint, Integrator::rkf45}) {
    scene.settings.integrator = method;
    CHECK(warnings_of(scene).empty());
  }
}

TEST_CASE("audit: a closure that comes open is told, and by how much is borne") {
  Scene scene = gripper_scene(0.3);
  scene.settings.duration = 0.3;
  scene.settings.time_step = 2e-3;
  CHECK(warnings_of(scene).empty());
  scene.settings.project = false;
  scene.settings.integrator = Integrator::semi_implicit_euler;
  const std::vector<std::string> lines = warnings_of(scene);
  REQUIRE(lines.size() >= 1);
  CHECK(lines[0].find("joint '") != std::string::npos);
  CHECK(lines[0].find("is open by ") != std::string::npos);
  CHECK(lines[0].find("more than 1e-06") != std::string::npos);
  // who asks for less gets less
  scene.settings.constraint_tolerance = 1e-2;
  CHECK(closure_bound(scene.settings) == doctest::Approx(0.1));
}
