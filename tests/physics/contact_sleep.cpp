// Islands at rest sleep, cost nothing, and wake when something meets them.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/physics/integrate.h"
#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double half = 0.2;

void add_box(Scene& scene, const std::string& name, const Vec3& p, double e = 0) {
  add_solid(scene, name, Box{{half, half, half}}, 4, {Mat3::identity(), p}, {0.5, e});
}

Scene on_floor(Integrator way, double duration) {
  Scene scene = on_ground(contact_settings(way, duration, 100), {0.5, 0});
  return scene;
}

}  // namespace

TEST_CASE("sleep: a box at rest falls asleep after its time, not before") {
  for (const Integrator way : time_stepping) {
    CAPTURE(to_string(way));
    Scene scene = on_floor(way, 2);
    add_box(scene, "box", {0, 0, half});
    const Shown shown(scene);
    double since = -1;
    for (const Frame& frame : shown.frames()) {
      if (since < 0 && frame.asleep == 1) since = frame.state.t;
      if (since >= 0) {
        CHECK(frame.asleep == 1);
        CHECK(frame.energy.kinetic == 0);
        CHECK(frame.contacts.size() == 4);  // still told
      }
    }
    CHECK(since > scene.settings.contact.sleep_time - 1e-9);
    CHECK(since < scene.settings.contact.sleep_time + 0.03);
    // nothing of it has changed since
    CHECK(shown.pose("box", 100) == shown.pose("box", 200));
  }
}

TEST_CASE("sleep: what falls or swings does not sleep, however slow it is for a moment") {
  Scene scene = on_floor(Integrator::midpoint, 2);
  scene.settings.contact.sleep_time = 0.05;
  // at the top of its path it is slow; on a spring it turns round
  SceneBody& thrown = add_solid(scene, "thrown", Sphere{0.1}, 1, {Mat3::identity(), {0, 0, 2}});
  thrown.velocity = SceneBody::Velocity{{0, 0, 0.05}, {}};
  scene.settings.gravity = {0, 0, -0.05};
  const Shown shown(scene);
  for (const Frame& frame : shown.frames()) CHECK(frame.asleep == 0);
  CHECK(shown.pose("thrown").p.z == doctest::Approx(2 + 0.05 * 2 - 0.5 * 0.05 * 4).epsilon(1e-9));
}

TEST_CASE("sleep: a body that is hit wakes and takes its share of the momentum") {
  for (const Integrator way : time_stepping) {
    for (const double e : {0.0, 1.0}) {
      CAPTURE(to_string(way));
      CAPTURE(e);
      Scene scene = on_ground(contact_settings(way, 2, 100), {0, 0});
      add_solid(scene, "target", Box{{half, half, half}}, 4, {Mat3::identity(), {0, 0, half}},
                {0, e});
      SceneBody& ball = add_solid(scene, "ball", Sphere{half}, 1,
                                  {Mat3::identity(), {-4.4, 0, half + 1e-7}}, {0, e});
      ball.velocity = SceneBody::Velocity{{3, 0, 0}, {}};
      const Shown shown(scene);
      CHECK(shown.frames()[130].asleep == 1);
      CHECK(shown.velocity("target", 130).linear == Vec3{});
      const double v_ball = 3 * (1 - 4 * e) / 5, v_target = 3 * (1 + e) / 5;
      CHECK(shown.velocity("target", 145).linear.x == doctest::Approx(v_target).epsilon(1e-3));
      CHECK(shown.velocity("ball", 145).linear.x == doctest::Approx(v_ball).epsilon(1e-3).scale(1));
      CHECK(shown.frames()[145].asleep == 0);
    }
  }
}

TEST_CASE("sleep: islands sleep and wake by themselves") {
  Scene scene = on_floor(Integrator::midpoint, 2.5);
  for (int n = 0; n < 3; ++n) {
    add_box(scene, "a" + std::to_string(n), {0, 0, half + 2 * half * n});
    add_box(scene, "b" + std::to_string(n), {3, 0, half + 2 * half * n});
  }
  // falls on the second pile when both sleep
  SceneBody& ball =
      add_solid(scene, "ball", Sphere{0.1}, 1, {Mat3::identity(), {3, 0, 1.2 + 0.1 + 7.5}});
  ball.velocity = SceneBody::Velocity{};
  const Shown shown(scene);
  const double hit = std::sqrt(2 * 7.5 / g);  // 1.2366 s
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    const double t = shown.seconds(i);
    if (t > 1 && t < hit - 0.02) CHECK(shown.frames()[i].asleep == 6);
    if (t > hit + 0.02 && t < hit + 0.3) CHECK(shown.frames()[i].asleep == 3);
    // the first pile never notices
    if (t > 1) {
      for (int n = 0; n < 3; ++n) {
        const std::string name = "a" + std::to_string(n);
        CHECK(shown.pose(name, i) == shown.pose(name, 100));
      }
    }
  }
}

TEST_CASE("sleep: a pile wakes when the body that carries it is taken away") {
  // the lower box is pushed out: what sleeps on it must not float
  for (const Integrator way : time_stepping) {
    CAPTURE(to_string(way));
    Scene scene = on_floor(way, 3);
    scene.bodies[0].shapes[0].surface.friction = 0;
    for (const char* name : {"lower", "upper"}) {
      add_solid(scene, name, Box{{half, half, half}}, 4,
                {Mat3::identity(), {0, 0, name[0] == 'l' ? half : 3 * half}}, {0, 0});
    }
    SceneBody& ball = add_solid(scene, "ball", Sphere{half}, 40,
                                {Mat3::identity(), {-4.4, 0, half + 1e-7}}, {0, 0});
    ball.velocity = SceneBody::Velocity{{4, 0, 0}, {}};
    const Shown shown(scene);
    CHECK(shown.frames()[90].asleep == 2);
    CHECK(shown.pose("lower").p.x > 1);
    CHECK(std::fabs(shown.pose("upper").p.z - half) < 0.25);
    CHECK(shown.pose("upper").p.z > 0.9 * half);
  }
}

TEST_CASE("sleep: with and without it a scene ends the same way") {
  for (const Integrator way : time_stepping) {
    CAPTURE(to_string(way));
    std::vector<Vec3> ends[2];
    for (const bool sleep : {false, true}) {
      Scene scene = on_floor(way, 4);
      scene.settings.contact.sleep = sleep;
      for (int n = 0; n < 4; ++n) {
        add_box(scene, "box" + std::to_string(n), {0.02 * n, 0, half + (2 * half + 0.05) * n});
      }
      const Shown shown(scene);
      CHECK((shown.frames().back().asleep == 4) == sleep);
      for (int n = 0; n < 4; ++n) ends[sleep].push_back(shown.pose("box" + std::to_string(n)).p);
    }
    for (std::size_t n = 0; n < 4; ++n) CHECK(norm(ends[0][n] - ends[1][n]) < 2e-4);
  }
}

TEST_CASE("sleep: bodies with motors or given forces stay awake") {
  Scene scene = on_floor(Integrator::midpoint, 2);
  add_box(scene, "pushed", {0, 0, half});
  SceneForce push;
  push.name = "push";
  push.at = {"pushed", {}};
  // nothing for a second, then more than friction holds
  push.samples = {{1, {60, 0, 0}, {}}, {1.5, {60, 0, 0}, {}}, {2, {60, 0, 0}, {}}};
  scene.forces.push_back(push);
  const Shown shown(scene);
  CHECK(shown.frames()[95].asleep == 0);
  CHECK(shown.pose("pushed").p.x > 0.5);
}

TEST_CASE("sleep: a world that forgets moves as if for the first time") {
  Scene scene = on_floor(Integrator::midpoint, 1);
  for (int i = 0; i < 4; ++i) {
    add_box(scene, "box" + std::to_string(i), {0.01 * i, 0, half + 2 * half * i});
  }
  const Built built = build(scene);
  Scratch scratch(built.model);
  const auto end = [&] {
    State state = built.initial;
    for (int n = 0; n < 1000; ++n) step(built.model, Integrator::midpoint, 1e-3, state, scratch);
    return hash(state);
  };
  const std::uint64_t first = end();
  CHECK(scratch.contact->sleepers == 4);
  forget(built.model, scratch.tree.dynamics, *scratch.contact);
  CHECK(scratch.contact->sleepers == 0);
  CHECK(end() == first);
}
