// Impacts of many at once and one after another: Newton's cradle, boxes that land flat.
#include <doctest/doctest.h>

#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double radius = 0.08;

// Balls in a row along x on no ground at all; the first `moving` fly towards the others.
Scene row_of_balls(int count, int moving, double gap, Integrator way) {
  Scene scene;
  scene.settings = contact_settings(way, 0.4, 50);
  scene.settings.gravity = {};
  scene.settings.contact.sleep = false;
  for (int i = 0; i < count; ++i) {
    const double run_up = i < moving ? -0.1 : 0;
    SceneBody& ball =
        add_solid(scene, "ball" + std::to_string(i), Sphere{radius}, 1,
                  {Mat3::identity(), {i * (2 * radius + gap) + run_up, 0, 0}}, {0, 1});
    if (i < moving) ball.velocity = SceneBody::Velocity{{1, 0, 0}, {}};
  }
  return scene;
}

}  // namespace

TEST_CASE("cradle: as many balls leave as arrive") {
  for (const Integrator way : event_driven) {
    for (const double gap : {0.0, 1e-5, 1e-3}) {
      for (int moving = 1; moving <= 4; ++moving) {
        CAPTURE(to_string(way));
        CAPTURE(gap);
        CAPTURE(moving);
        const Shown shown(row_of_balls(5, moving, gap, way));
        CHECK(shown.recording.summary.failure == "");
        for (int i = 0; i < 5; ++i) {
          const double v = shown.velocity("ball" + std::to_string(i)).linear.x;
          CHECK(std::fabs(v - (i < 5 - moving ? 0 : 1)) < 1e-9);
        }
        CHECK(shown.recording.summary.momentum_drift < 1e-12);
        CHECK(shown.recording.summary.energy_drift < 1e-11);
      }
    }
  }
}

TEST_CASE("cradle: balls of unequal mass in a row share as one impact after the other says") {
  // a light ball hits a heavy one at rest: (m1 - m2)/(m1 + m2) and 2 m1/(m1 + m2)
  for (const double e : {0.0, 0.4, 1.0}) {
    Scene scene = row_of_balls(2, 1, 1e-3, Integrator::rkf45);
    scene.bodies[1].given->mass = 3;
    scene.bodies[1].given->I_BC = scene.bodies[1].given->I_BC * 3.0;
    for (SceneBody& body : scene.bodies) body.shapes[0].surface.restitution = e;
    const Shown shown(scene);
    CAPTURE(e);
    CHECK(shown.velocity("ball0").linear.x == doctest::Approx((1 - 3 * e) / 4).epsilon(1e-9));
    CHECK(shown.velocity("ball1").linear.x == doctest::Approx((1 + e) / 4).epsilon(1e-9));
  }
}

TEST_CASE("cradle: the shipped one swings as it says, and keeps its energy") {
  Scene scene = shipped_scene("newtons_cradle");
  scene.settings.duration = 4;
  const Shown shown(scene);
  CHECK(shown.recording.summary.failure == "");
  CHECK(shown.recording.summary.energy_drift < 1e-7);
  // all that moves is one ball at either end, but for what the gaps of 1e-5 m make
  const double start = shown.frames()[0].state.q[0];
  double left = 0, right = 0, inner = 0;
  for (const Frame& frame : shown.frames()) {
    const VecX& q = frame.state.q;
    left = std::max(left, std::fabs(q[0]));
    right = std::max(right, std::fabs(q[4]));
    if (frame.state.t < 1) inner = std::max({inner, std::fabs(q[1]), std::fabs(q[2])});
  }
  CHECK(left == doctest::Approx(start).epsilon(1e-9));
  CHECK(right == doctest::Approx(start).epsilon(2e-3));
  CHECK(inner < 1e-3);
}

TEST_CASE("simultaneous impacts: a box that lands flat stays level and bounces as a ball does") {
  for (const Integrator way : event_driven) {
    for (const double e : {0.0, 0.5, 1.0}) {
      for (const double friction : {0.0, 0.5}) {
        CAPTURE(to_string(way));
        CAPTURE(e);
        CAPTURE(friction);
        Scene scene = on_ground(contact_settings(way, 1.5, 100), {friction, e});
        scene.settings.contact.sleep = false;
        add_solid(scene, "box", Box{{0.3, 0.2, 0.1}}, 2,
                  {axis_rotation({0, 0, 1}, 0.3), {0, 0, 1.1}}, {friction, e});
        const Shown shown(scene);
        CHECK(shown.recording.summary.failure == "");
        for (std::size_t i = 0; i < shown.frames().size(); ++i) {
          const Pose& X = shown.pose("box", i);
          CHECK(X.R.r2.z > 1 - 1e-12);
          CHECK(std::hypot(X.p.x, X.p.y) < 1e-8);
          CHECK(X.p.z > 0.1 - 1e-9);
        }
        const double energy = shown.frames()[70].energy.total() - 2 * g * 0.1;
        CHECK(energy == doctest::Approx(2 * g * e * e).epsilon(1e-4).scale(1e-3));
      }
    }
  }
}

TEST_CASE("simultaneous impacts: by time-stepping too, a box that lands flat stays level") {
  for (const Integrator way : time_stepping) {
    for (const double e : {0.0, 0.5, 1.0}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      Scene scene = on_ground(contact_settings(way, 1.5, 100), {0.5, e});
      scene.settings.contact.sleep = false;
      add_solid(scene, "box", Box{{0.3, 0.2, 0.1}}, 2, {axis_rotation({0, 0, 1}, 0.3), {0, 0, 1.1}},
                {0.5, e});
      const Shown shown(scene);
      for (std::size_t i = 0; i < shown.frames().size(); ++i) {
        CHECK(shown.pose("box", i).R.r2.z > 1 - 1e-7);
      }
      const double energy = shown.frames()[70].energy.total() - 2 * g * 0.1;
      CHECK(energy == doctest::Approx(2 * g * e * e).epsilon(1e-2).scale(1e-1));
    }
  }
}
