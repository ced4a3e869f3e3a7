// What is held stays held: a small capsule pinched by two fingers; chains with heavy ends.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double radius = 0.004;

// Something of 45 g between two fingers that slide along x and press with a force each; round
// things have their axis along y.
Scene pinch(Integrator way, const Geometry& geometry, double force, double friction,
            double duration) {
  constexpr double thick = 0.01;
  Scene scene;
  scene.settings = contact_settings(way, duration, 10);
  add_solid(scene, "held", geometry, 0.045, {frame_from_z({0, 1, 0}), {}}, {friction, 0});
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    add_solid(scene, name, Box{{thick, 0.02, 0.02}}, 0.1,
              {Mat3::identity(), {side * (radius + thick), 0, 0}}, {friction, 0});
    SceneJoint& joint = add_joint(scene, JointType::prismatic, "", name, frame_at({}, {1, 0, 0}));
    Drive drive;
    drive.force = -side * force;
    joint.drives = {drive};
  }
  return scene;
}

}  // namespace

TEST_CASE("hold: a pinched capsule does not creep") {
  for (const Integrator way :
       {Integrator::midpoint, Integrator::semi_implicit_euler, Integrator::rkf45}) {
    for (const double force : {12.0, 60.0}) {
      CAPTURE(to_string(way));
      CAPTURE(force);
      const Shown shown(pinch(way, Capsule{radius, 0.05}, force, 0.7, 5));
      CHECK(shown.recording.summary.failure == "");
      const Vec3 fell = shown.pose("held").p - shown.pose("held", 5).p;
      CHECK(norm(fell) / 4.5 < 1e-6);
      CHECK(norm(shown.pose("held").p) < 1e-4);
    }
  }
}

TEST_CASE("hold: a ball slips exactly where friction cannot carry it") {
  // two fingers carry 2 friction force: 0.441 N need a force of 0.315 N at friction 0.7
  const double needed = 0.045 * g / (2 * 0.7);
  for (const Integrator way : {Integrator::midpoint, Integrator::rkf45}) {
    CAPTURE(to_string(way));
    const Shown held(pinch(way, Sphere{radius}, 1.01 * needed, 0.7, 1));
    CHECK(norm(held.pose("held").p) < 1e-5);
    const Shown slips(pinch(way, Sphere{radius}, 0.9 * needed, 0.7, 0.05));
    CHECK(slips.pose("held").p.z == doctest::Approx(-0.5 * 0.1 * g * 0.0025).epsilon(0.02));
  }
}

TEST_CASE("hold: a light box carries one three hundred times as heavy") {
  for (const Integrator way : time_stepping) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 3, 10));
    scene.settings.contact.sleep = false;
    add_solid(scene, "light", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.1}});
    add_solid(scene, "heavy", Box{{0.1, 0.1, 0.1}}, 300, {Mat3::identity(), {0, 0, 0.3}});
    const Shown shown(scene);
    CHECK(std::fabs(shown.pose("heavy").p.z - 0.3) < 5e-4);
    CHECK(std::fabs(shown.pose("light").p.z - 0.1) < 5e-4);
  }
}

TEST_CASE("hold: ten links and a heavy ball that strikes a wall: the joints do not stretch") {
  // joint coordinates cannot stretch; maximal ones are closed to the tolerance
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    CAPTURE(to_string(formulation));
    Scene scene;
    scene.settings = contact_settings(Integrator::midpoint, 2, 100);
    scene.settings.formulation = formulation;
    const double angle = 0.5235987755982988;
    const Vec3 along{std::sin(angle), 0, -std::cos(angle)};
    for (int i = 0; i < 10; ++i) {
      const std::string name = "link" + std::to_string(i);
      SceneBody& body = add_solid(scene, name, Capsule{0.02, 0.08}, 1,
                                  {frame_from_z(along), along * (0.1 + 0.2 * i)}, {0.5, 0});
      body.shapes[0].collides = false;
      add_joint(scene, JointType::revolute, i == 0 ? "" : "link" + std::to_string(i - 1), name,
                frame_at(along * (0.2 * i), {0, 1, 0}));
    }
    add_solid(scene, "ball", Sphere{0.15}, 100, {Mat3::identity(), along * 2.0}, {0.5, 0.2});
    add_joint(scene, JointType::fixed, "link9", "ball", frame_at(along * 2.0));
    add_wall(scene, "wall", Box{{0.1, 1, 1}}, {Mat3::identity(), {-0.45, 0, -2}}, {0.5, 0.2});
    const Shown shown(scene);
    CHECK(shown.recording.summary.failure == "");
    double longest = 0, farthest = 1;
    for (std::size_t i = 0; i < shown.frames().size(); ++i) {
      longest = std::max(longest, norm(shown.pose("ball", i).p));
      farthest = std::min(farthest, shown.pose("ball", i).p.x);
    }
    CHECK(longest < 2 + 1e-7);
    CHECK(farthest < -0.19);  // it did strike
    CHECK(farthest > -0.2 - 2e-3);
    CHECK(shown.recording.summary.constraint_error < 1e-6);
  }
}
