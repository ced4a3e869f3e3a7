// Nothing passes through anything, however fast and thin; and what passes by is not stopped.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double radius = 0.005, speed = 300;

// A wall across x = 0 of the given thickness, its upper edge at z = 1; a bullet on its way.
Scene bullet(Integrator way, double thickness, double start, double height, double e,
             const Vec3& direction = {1, 0, 0}) {
  Scene scene;
  scene.settings = contact_settings(way, 0.02, 2000);
  scene.settings.gravity = {};
  add_wall(scene, "wall", Box{{thickness / 2, 1, 1}}, {}, {0, e});
  SceneBody& body = add_solid(scene, "bullet", Sphere{radius}, 0.004,
                              {Mat3::identity(), Vec3{0, 0.1, height} - direction * start}, {0, e});
  body.velocity = SceneBody::Velocity{direction * speed, {}};
  return scene;
}

double farthest(const Shown& shown) {
  double x = -1e9;
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    x = std::max(x, shown.pose("bullet", i).p.x);
  }
  return x;
}

}  // namespace

TEST_CASE("tunnelling: a bullet is stopped or thrown back by a thin wall, wherever a step begins") {
  for (const Integrator way : all_ways) {
    for (const double thickness : {0.02, 0.001}) {
      for (const double e : {0.0, 0.5, 1.0}) {
        for (int phase = 0; phase < 10; ++phase) {
          CAPTURE(to_string(way));
          CAPTURE(thickness);
          CAPTURE(e);
          CAPTURE(phase);
          const Shown shown(bullet(way, thickness, 2 + 0.03 * phase, 0.2, e));
          CHECK(shown.recording.summary.failure == "");
          const double surface = -thickness / 2 - radius;
          CHECK(farthest(shown) < surface + 1e-3);
          CHECK(shown.velocity("bullet").linear.x == doctest::Approx(-e * speed).epsilon(1e-9));
          if (e == 0) CHECK(std::fabs(shown.pose("bullet").p.x - surface) < 1e-3);
          // thrown back in time: a time step early or late at most
          if (e > 0) {
            const double hit = (2 + 0.03 * phase + surface) / speed;
            const double back = surface - e * speed * (0.02 - hit);
            const double step = is_event_driven(way) ? 1e-8 : 1e-3;
            CHECK(std::fabs(shown.pose("bullet").p.x - back) < 1.1 * speed * (1 + e) * step + 1e-6);
          }
        }
      }
    }
  }
}

TEST_CASE("tunnelling: oblique, and with gravity, both bodies free") {
  for (const Integrator way : all_ways) {
    for (int phase = 0; phase < 5; ++phase) {
      CAPTURE(to_string(way));
      CAPTURE(phase);
      const Vec3 direction = normalized(Vec3{1, 0.3, -0.2});
      Scene oblique = bullet(way, 0.02, 2 + 0.05 * phase, 0.2, 1, direction);
      oblique.settings.gravity = {0, 0, -g};
      const Shown shown(oblique);
      CHECK(farthest(shown) < -0.015 + 1e-3);
      CHECK(shown.velocity("bullet").linear.x ==
            doctest::Approx(-speed * direction.x).epsilon(1e-3));
      CHECK(shown.velocity("bullet").linear.y ==
            doctest::Approx(speed * direction.y).epsilon(1e-3));

      // a plate that can move: momentum is shared
      Scene plate = bullet(way, 0.02, 2 + 0.05 * phase, 0, 0);
      plate.bodies[0] = SceneBody{};
      Scene free;
      free.settings = plate.settings;
      add_solid(free, "wall", Box{{0.01, 1, 1}}, 1, {}, {0, 0});
      free.bodies.push_back(plate.bodies[1]);
      free.bodies[1].X_WB.p.y = 0;
      const Shown hit(free);
      CHECK(hit.recording.summary.momentum_drift < 1e-9);
      const double together = 0.004 * speed / 1.004;
      CHECK(hit.velocity("wall").linear.x == doctest::Approx(together).epsilon(1e-6));
      CHECK(hit.velocity("bullet").linear.x == doctest::Approx(together).epsilon(1e-6));
    }
  }
}

TEST_CASE("tunnelling: solids of other shapes, thrown turning") {
  const struct {
    const char* name;
    Geometry geometry;
  } projectiles[] = {{"capsule", Capsule{0.02, 0.1}},
                     {"box", Box{{0.1, 0.03, 0.2}}},
                     {"cylinder", Cylinder{0.2, 0.02}}};
  for (const Integrator way : all_ways) {
    for (const auto& projectile : projectiles) {
      for (int phase = 0; phase < 6; ++phase) {
        CAPTURE(to_string(way));
        CAPTURE(projectile.name);
        CAPTURE(phase);
        Scene scene = bullet(way, 0.004, 1 + 0.013 * phase, 0.2, 0);
        scene.settings.duration = 0.06;
        const Pose X{axis_rotation(normalized(Vec3{1, 2, 3}), 0.7 + phase),
                     scene.bodies.back().X_WB.p};
        scene.bodies.pop_back();
        add_solid(scene, "bullet", projectile.geometry, 1, X, {0.3, 0}).velocity =
            SceneBody::Velocity{{30, 0, 0}, {3, 2, 4}};
        const Shown shown(scene);
        CHECK(shown.recording.summary.failure == "");
        CHECK(farthest(shown) < 0);
      }
    }
  }
}

TEST_CASE("tunnelling: a blade that only turns hits a small ball") {
  for (const Integrator way : all_ways) {
    for (int phase = 0; phase < 6; ++phase) {
      CAPTURE(to_string(way));
      CAPTURE(phase);
      Scene scene;
      scene.settings = contact_settings(way, 0.03, 2000);
      scene.settings.gravity = {};
      const double turned = -1.2 - 0.02 * phase;
      add_solid(scene, "blade", Box{{0.5, 0.005, 0.02}}, 1, {axis_rotation({0, 0, 1}, turned), {}},
                {0, 0});
      add_joint(scene, JointType::revolute, "", "blade", frame_at({}));
      scene.joints.back().velocity = {100};
      add_solid(scene, "ball", Sphere{0.005}, 0.001, {Mat3::identity(), {0.4, 0, 0}}, {0, 0});
      const Shown shown(scene);
      CHECK(shown.recording.summary.failure == "");
      // 40 m/s at its place, and on with the blade
      CHECK(norm(shown.velocity("ball").linear) > 38);
    }
  }
}

TEST_CASE("tunnelling: what passes beside an edge is not stopped") {
  for (const Integrator way : all_ways) {
    for (const double thickness : {0.02, 0.001}) {
      for (int phase = 0; phase < 10; ++phase) {
        CAPTURE(to_string(way));
        CAPTURE(thickness);
        CAPTURE(phase);
        // a tenth of a millimetre above the upper edge
        const Shown past(bullet(way, thickness, 2 + 0.03 * phase, 1 + radius + 1e-4, 0.5));
        CHECK(past.velocity("bullet").linear == Vec3{speed, 0, 0});
        CHECK(past.pose("bullet").p.x > 3);
        // and one just below it is
        const Shown hit(bullet(way, thickness, 2 + 0.03 * phase, 1 - 1e-3, 0.5));
        CHECK(hit.velocity("bullet").linear.x < 0);
      }
    }
  }
}

TEST_CASE("tunnelling: slower bodies that pass near an edge keep their way") {
  // half of its size in a step: such contacts are looked for ahead of the motion
  for (const Integrator way : all_ways) {
    for (const double v : {1.0, 5.0, 10.0, 40.0}) {
      for (int phase = 0; phase < 5; ++phase) {
        CAPTURE(to_string(way));
        CAPTURE(v);
        CAPTURE(phase);
        Scene scene;
        scene.settings = contact_settings(way, 2 / v, 10 * v);
        scene.settings.gravity = {};
        add_wall(scene, "wall", Box{{0.01, 1, 1}}, {}, {0.5, 0.5});
        SceneBody& ball =
            add_solid(scene, "bullet", Sphere{0.1}, 1,
                      {Mat3::identity(), {-1 - 0.2e-3 * v * phase, 0, 1.1 + 1e-3}}, {0.5, 0.5});
        ball.velocity = SceneBody::Velocity{{v, 0, 0}, {}};
        const Shown shown(scene);
        CHECK(norm(shown.velocity("bullet").linear - Vec3{v, 0, 0}) < 1e-9 * v);
      }
    }
  }
}
