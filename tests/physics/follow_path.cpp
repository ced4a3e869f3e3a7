// Bodies that follow a path: they go exactly there, and push all that they meet.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

SceneBody& add_follower(Scene& scene, const std::string& name, const Geometry& geometry,
                        std::vector<MotionKey> keys, const Surface& surface = {}) {
  SceneBody& body = add_solid(scene, name, geometry, 1, {}, surface);
  body.follows = MotionPath(std::move(keys));
  return body;
}

}  // namespace

TEST_CASE("follow: a body is on its path in every frame, whatever it meets") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 1.2, 70));
    add_follower(scene, "paddle", Box{{0.4, 0.2, 0.1}},
                 {key(0, {-1, 0, 0.15}), key(0.4, {0, 0, 0.2}, {0, 0.1, 0}),
                  key(1, {1, 0, 0.2}, {0.1, 0.1, 0.4})});
    add_solid(scene, "ball", Sphere{0.1}, 5, {Mat3::identity(), {0.4, 0, 0.3}});
    const MotionPath path = *scene.bodies[1].follows;
    const Shown shown(scene);
    CHECK(shown.recording.summary.failure == "");
    for (std::size_t i = 0; i < shown.frames().size(); ++i) {
      const MotionPath::Motion m = path.at(shown.seconds(i));
      const Mat3 R = matrix(m.orientation);
      CHECK(norm(shown.pose("paddle", i).p - m.p) < 1e-14);
      CHECK(max_abs(shown.pose("paddle", i).R.r1 - R.r1) < 1e-14);
      CHECK(norm(shown.velocity("paddle", i).linear - m.v) < 1e-13);
      CHECK(norm(shown.velocity("paddle", i).angular - R * m.w) < 1e-13);
    }
    // the ball was hit
    CHECK(shown.velocity("ball", 40).linear.x > 0.3);
  }
}

TEST_CASE("follow: a wall that comes with 2 m/s throws back at twice its speed") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    for (const double restitution : {0.0, 0.5, 1.0}) {
      CAPTURE(restitution);
      Scene scene;
      scene.settings = contact_settings(way, 0.6);
      if (restitution > 0) scene.settings.formulation = Formulation::maximal;
      scene.settings.gravity = {};
      add_follower(scene, "wall", Box{{0.1, 1, 1}}, {key(0, {-1, 0, 0}), key(1, {1, 0, 0})},
                   {0, restitution});
      SceneBody& ball = add_solid(scene, "ball", Sphere{0.1}, 3, {}, {0, restitution});
      ball.velocity = {{-1, 0, 0}, {}};
      const Shown shown(scene);
      // u = -3 before, 3 e after, against the wall
      CHECK(std::fabs(shown.velocity("ball").linear.x - (2 + 3 * restitution)) < 1e-6);
      CHECK(std::fabs(shown.velocity("ball").linear.y) < 1e-9);
    }
  }
}

TEST_CASE("follow: what stands on a belt is carried along, and never sleeps there") {
  for (const Integrator way : {Integrator::midpoint, Integrator::rkf45}) {
    CAPTURE(to_string(way));
    Scene scene;
    scene.settings = contact_settings(way, 3);
    // at rest for 1.5 s, then off with 0.5 m/s
    add_follower(scene, "belt", Box{{3, 1, 0.1}},
                 {key(0, {}), key(1.4, {}), key(1.5, {}), key(1.6, {0.025, 0, 0}),
                  key(1.7, {0.075, 0, 0}), key(4.7, {1.575, 0, 0})},
                 {0.8, 0});
    add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.2}}, {0.8, 0});
    const Shown shown(scene);
    CHECK(shown.recording.summary.failure == "");
    CHECK(shown.frames()[140].asleep == 0);
    CHECK(std::fabs(shown.velocity("box").linear.x - 0.5) < 1e-3);
    const double slip = (shown.pose("belt").p - shown.pose("box").p).x;
    CHECK(std::fabs(slip) < 5e-3);
    CHECK(std::fabs(shown.pose("box").p.z - 0.2) < 1e-3);
  }
}

TEST_CASE("follow: who sleeps is woken by a body that comes along its path") {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 3), {0.5, 0});
  add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.1}});
  add_follower(scene, "ram", Box{{0.2, 0.05, 0.05}},
               {key(0, {-1.5, 0, 0.1}), key(1.5, {-1.2, 0, 0.1}), key(3, {0.3, 0, 0.1})});
  const Shown shown(scene);
  CHECK(shown.frames()[140].asleep >= 1);
  CHECK(std::fabs(shown.pose("box", 140).p.x) < 1e-6);
  // at last it is pushed ahead of the ram
  CHECK(std::fabs(shown.pose("box").p.x - 0.6) < 5e-3);
}

TEST_CASE("follow: a spring to a body on its path draws, and lets nobody sleep") {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 3), {0.1, 0});
  add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.1}}, {0.1, 0});
  add_follower(
      scene, "hand", Sphere{0.02},
      {key(0, {1, 0, 0.1}), key(1.3, {1, 0, 0.1}), key(1.5, {1, 0, 0.1}), key(2, {2, 0, 0.1})});
  SceneSpring spring;
  spring.name = "band";
  spring.a.body = "box", spring.b.body = "hand";
  spring.stiffness = 20, spring.rest_length = 1;
  scene.springs.push_back(spring);
  const Shown shown(scene);
  // nothing moves so far, and without the band it sleeps
  CHECK(norm(shown.velocity("box", 130).linear) < 1e-3);
  CHECK(shown.frames()[130].asleep == 0);
  Scene loose = scene;
  loose.springs.clear();
  CHECK(Shown(loose).frames()[130].asleep == 1);
  // it swings about the place where the band is loose again, x = 1
  double farthest = 0;
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    farthest = std::max(farthest, shown.pose("box", i).p.x);
  }
  CHECK(farthest > 1);
  CHECK(farthest < 2);
}

TEST_CASE("follow: springs of a penalty and fast bodies see it move") {
  Scene scene;
  scene.settings = contact_settings(Integrator::rk4, 1);
  scene.settings.gravity = {};
  scene.settings.time_step = 1e-4;
  add_follower(scene, "wall", Box{{0.1, 1, 1}}, {key(0, {-0.5, 0, 0}), key(1, {0.5, 0, 0})});
  add_solid(scene, "ball", Sphere{0.1}, 1, {});
  SceneContactPair pair;
  pair.response = Response::penalty;
  pair.stiffness = 1000, pair.reach = 0.05;
  scene.contact_pairs.push_back(pair);
  const Shown shown(scene);
  CHECK(std::fabs(shown.velocity("ball").linear.x - 2) < 1e-6);

  Scene bullet;
  bullet.settings = contact_settings(Integrator::midpoint, 0.1);
  bullet.settings.gravity = {};
  add_solid(bullet, "plate", Box{{0.005, 1, 1}}, 1, {});
  add_follower(bullet, "bullet", Sphere{0.01}, {key(0, {-1, 0, 0}), key(0.1, {29, 0, 0})});
  const Shown shot(bullet);
  CHECK(shot.velocity("plate").linear.x == doctest::Approx(300).epsilon(1e-3));
}

TEST_CASE("follow: it takes part in no energy and cannot be joined") {
  Scene scene;
  scene.settings = contact_settings(Integrator::midpoint, 0.1);
  add_follower(scene, "cart", Box{{0.1, 0.1, 0.1}}, {key(0, {}), key(1, {1, 0, 0})});
  add_solid(scene, "ball", Sphere{0.1}, 1, {Mat3::identity(), {0, 0, 5}});
  const Shown shown(scene);
  CHECK(shown.recording.summary.energy_drift < 1e-12);
  SceneJoint pin;
  pin.name = "pin", pin.type = JointType::revolute, pin.parent = "cart", pin.child = "ball";
  scene.joints = {pin};
  CHECK(error_text([&] { build(scene); }).find("'cart' follows a path and cannot be joined") !=
        std::string::npos);
  scene.joints.clear();
  scene.bodies[0].immobile = true;
  CHECK(error_text([&] { build(scene); }).find("immobile") != std::string::npos);
}
