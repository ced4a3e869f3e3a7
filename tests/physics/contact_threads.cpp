// The same bits for any number of threads, and of frames that are looked at.
#include <doctest/doctest.h>

#include "molejo/model/build.h"
#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Nine heaps of boxes and balls far apart: many islands, then few.
Scene heaps() {
  Scene scene;
  SceneBody floor;
  floor.name = "floor";
  floor.immobile = true;
  floor.shapes.push_back({Plane{}, {}, {}});
  scene.bodies.push_back(floor);
  for (int i = 0; i < 180; ++i) {
    const int heap = i % 9, level = i / 9;
    SceneBody body;
    body.name = "body" + std::to_string(i);
    Shape shape;
    if (i % 4 == 0) {
      shape.geometry = Sphere{0.1};
    } else {
      shape.geometry = Box{{0.1, 0.08, 0.12}};
    }
    shape.surface = {0.6, i % 7 == 0 ? 0.4 : 0.0};
    body.shapes.push_back(shape);
    body.X_WB = {axis_rotation({0, 0, 1}, 0.37 * i),
                 {2.0 * (heap % 3) + 0.03 * (level % 3), 2.0 * (heap / 3), 0.15 + 0.25 * level}};
    scene.bodies.push_back(body);
  }
  scene.settings.duration = 1.5;
  scene.settings.time_step = 0.002;
  return scene;
}

}  // namespace

TEST_CASE("contact threads: heaps have the same bits on one, two and four threads") {
  Scene scene = heaps();
  const Built built = build(scene);
  const Recording one = simulate(built, scene.settings);
  CHECK(one.summary.failure == "");
  CHECK(one.frames.back().contacts.size() > 100);
  for (const int threads : {2, 4}) {
    scene.settings.threads = threads;
    const Recording many = simulate(built, scene.settings);
    CAPTURE(threads);
    CHECK(many.summary.hash == one.summary.hash);
    CHECK(many.contacts.size() == one.contacts.size());
  }
}

TEST_CASE("contact threads: frames leave no trace in the motion, with rigid or soft contact") {
  for (const Integrator way : all_ways) {
    // rigid contact, soft contact with the table, soft contact alone
    for (const int softness : {0, 1, 2}) {
      CAPTURE(to_string(way));
      CAPTURE(softness);
      Scene scene;
      add_wall(scene, "table", Box{{2, 2, 0.1}}, {});
      const Mat3 R = axis_rotation(normalized(Vec3{1, 2, 3}), 0.8);
      add_solid(scene, "roll", Cylinder{0.1, 0.1}, 2, {R, {0, 0, 0.4}});
      if (softness < 2) add_solid(scene, "box", Box{{0.1, 0.15, 0.1}}, 2, {R, {-1, 0, 0.4}});
      if (softness > 0) {
        SceneContactPair pair;
        pair.b = "table";
        pair.response = Response::penalty;
        pair.stiffness = 2000, pair.damping = 5, pair.reach = 1e-3;
        scene.contact_pairs.push_back(pair);
      }
      const Built built = build(scene);
      const Recording few = simulate(built, contact_settings(way, 1, 1));
      const Recording many = simulate(built, contact_settings(way, 1, 170));
      CHECK(few.summary.failure == "");
      CHECK(many.summary.hash == few.summary.hash);
      CHECK(many.summary.steps == few.summary.steps);
      CHECK(many.contacts.size() > 10);
    }
  }
}
