// Large scenes have the same bits for any number of threads.
#include <doctest/doctest.h>

#include "molejo/model/build.h"
#include "molejo/physics/world.h"

using namespace molejo;

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
