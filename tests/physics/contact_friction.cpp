// Coulomb's law: a block on a slope stays where tan a <= friction, else it slides with
// g (sin a - friction cos a); one pushed along the flat stops after v^2 / (2 friction g).
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const double pi = std::acos(-1.0);

// A block at rest on the slope, x downhill.
Scene block_on_slope(Integrator way, double angle, double friction, double duration) {
  Scene scene = on_ground(contact_settings(way, duration, 20), {friction, 0}, slope(angle));
  scene.settings.contact.sleep = false;
  add_solid(scene, "block", Box{{0.2, 0.15, 0.1}}, 3,
            slope(angle) * Pose{Mat3::identity(), {0, 0, 0.1}}, {friction, 0});
  return scene;
}

// In the frame of the slope: how far the block has come.
Vec3 travel(const Shown& shown, const Pose& X_WG, std::size_t frame) {
  return transpose_times(X_WG.R, shown.pose("block", frame).p - shown.pose("block", 0).p);
}

Scene thrown_block(Integrator way, double speed, double direction, double yaw, double friction) {
  Scene scene = on_ground(contact_settings(way, 1.4 * speed / (friction * g), 100), {friction, 0});
  scene.settings.contact.sleep = false;
  SceneBody& block = add_solid(scene, "block", Box{{0.25, 0.25, 0.25}}, 1,
                               {axis_rotation({0, 0, 1}, yaw), {0, 0, 0.25}}, {friction, 0});
  block.velocity =
      SceneBody::Velocity{{speed * std::cos(direction), speed * std::sin(direction), 0}, {}};
  return scene;
}

}  // namespace

TEST_CASE("friction: a block slides down a slope as it must") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    for (const double degrees : {10.0, 20.0, 35.0, 60.0}) {
      for (const double part : {0.0, 0.3, 0.8}) {
        const double angle = degrees * pi / 180, friction = part * std::tan(angle);
        const double a = g * (std::sin(angle) - friction * std::cos(angle));
        const Shown shown(block_on_slope(way, angle, friction, 1));
        CAPTURE(degrees);
        CAPTURE(friction);
        // Euler moves with the velocity of the end of each step: half a step ahead
        const double ahead = way == Integrator::semi_implicit_euler ? 0.5e-3 : 0;
        // the solver stops at 1e-4 m/s by time-stepping, at 1e-8 m/s by events
        const double off = is_event_driven(way) ? 1e-9 : 1e-5;
        for (std::size_t i = 0; i < shown.frames().size(); ++i) {
          const double t = shown.seconds(i);
          const Vec3 way_down = travel(shown, slope(angle), i);
          CHECK(std::fabs(way_down.x - 0.5 * a * t * (t + 2 * ahead)) < off);
          CHECK(std::fabs(way_down.y) < 0.2 * off);
          CHECK(std::fabs(way_down.z) < 0.1 * off);
        }
        CHECK(std::fabs(shown.velocity("block").linear.x / std::cos(angle) - a) < off);
      }
    }
  }
}

TEST_CASE("friction: a block stays on a slope that is not too steep") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    for (const double degrees : {0.0, 10.0, 20.0, 35.0, 45.0}) {
      CAPTURE(degrees);
      const double angle = degrees * pi / 180, friction = 1.05 * std::tan(angle) + 0.01;
      const Shown shown(block_on_slope(way, angle, friction, 2));
      const std::size_t last = shown.frames().size() - 1;
      CHECK(norm(travel(shown, slope(angle), last)) < (is_event_driven(way) ? 1e-10 : 1e-6));
      // and does not creep
      CHECK(norm(travel(shown, slope(angle), last) - travel(shown, slope(angle), 5)) < 1e-12);
    }
  }
}

TEST_CASE("friction: the angle at which a block begins to slide is that of Coulomb") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    const double angle = 25 * pi / 180, critical = std::tan(angle);
    const double off = is_event_driven(way) ? 1e-5 : 1e-3;
    const Shown rough(block_on_slope(way, angle, critical * (1 + off), 2));
    CHECK(norm(travel(rough, slope(angle), rough.frames().size() - 1)) < 20 * off * off + 1e-6);
    const Shown smooth(block_on_slope(way, angle, critical * (1 - off), 2));
    const double a = off * g * std::sin(angle);
    const double way_down = travel(smooth, slope(angle), smooth.frames().size() - 1).x;
    CHECK(way_down == doctest::Approx(0.5 * a * 4).epsilon(2e-3));
  }
}

TEST_CASE("friction: the sliding block of the reference values") {
  const double distance = 25 / (2 * 0.5 * g);  // 2.54842 m
  const struct {
    Integrator way;
    double distance, degrees;  // errors: relative, and of the direction
  } cases[] = {{Integrator::midpoint, 1e-6, 1e-6},
               {Integrator::semi_implicit_euler, 2e-3, 1e-6},
               {Integrator::rkf45, 1e-6, 1e-6},
               {Integrator::rk4, 1e-6, 1e-6}};
  for (const auto& c : cases) {
    const auto& [way, off, degrees] = c;
    CAPTURE(to_string(c.way));
    const Shown shown(thrown_block(way, 5, pi / 6, 0, 0.5));
    const Vec3 end = shown.pose("block").p;
    CHECK(std::fabs(std::hypot(end.x, end.y) - distance) < off * distance);
    CHECK(std::fabs(std::atan2(end.y, end.x) * 180 / pi - 30) < degrees);
    CHECK(norm(shown.velocity("block").linear) < 1e-9);
    CHECK(std::fabs(end.z - 0.25) < 1e-6);
  }
}

TEST_CASE("friction: no direction in the plane is better than another") {
  for (const Integrator way : {Integrator::midpoint, Integrator::rkf45}) {
    const double distance = 4 / (2 * 0.4 * g);
    for (int n = 0; n < 12; ++n) {
      const double direction = n * pi / 6 + 0.1;
      const Shown shown(thrown_block(way, 2, direction, 0.37 * n, 0.4));
      const Vec3 end = shown.pose("block").p;
      CAPTURE(to_string(way));
      CAPTURE(n);
      CHECK(std::fabs(std::hypot(end.x, end.y) / distance - 1) < 1e-5);
      const double off = std::atan2(end.y, end.x) - direction;
      CHECK(std::fabs(std::remainder(off, 2 * pi)) < 1e-6);
    }
  }
}

TEST_CASE("friction: a force below the limit moves nothing, one above it does") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    for (const double part : {0.99, 1.01}) {
      Scene scene = on_ground(contact_settings(way, 1), {0.6, 0});
      scene.settings.contact.sleep = false;
      add_solid(scene, "block", Box{{0.3, 0.3, 0.1}}, 2, {Mat3::identity(), {0, 0, 0.1}}, {0.6, 0});
      SceneForce pull;
      pull.name = "pull";
      pull.at = {"block", {0, 0, -0.1}};
      pull.samples = {{0, {part * 0.6 * 2 * g * 0.6, part * 0.6 * 2 * g * 0.8, 0}, {}}};
      scene.forces.push_back(pull);
      const Shown shown(scene);
      const Vec3 way_gone = shown.pose("block").p - Vec3{0, 0, 0.1};
      if (part < 1) {
        CHECK(norm(way_gone) < 1e-6);
      } else {
        const double a = 0.01 * 0.6 * g;
        CHECK(std::hypot(way_gone.x, way_gone.y) == doctest::Approx(0.5 * a).epsilon(2e-3));
        CHECK(way_gone.y / way_gone.x == doctest::Approx(4.0 / 3).epsilon(1e-5));
      }
    }
  }
}
