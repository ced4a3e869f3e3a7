// The scene of the live tests.
#pragma once

#include "tests/support/contact_scenes.h"

namespace molejo::test {

// 2 kg, pushed by a formula: f (1 N) along x, at first.
inline Scene pushed_ball() {
  Scene scene;
  scene.name = "ball";
  scene.settings.gravity = {};
  scene.settings.fps = 100;
  add_solid(scene, "ball", Sphere{0.1}, 2, {});
  SceneDefinition f;
  f.name = "f";
  f.value = 1;
  f.lower = 0, f.upper = 10;
  scene.definitions.push_back(f);
  SceneForce force;
  force.name = "wind";
  force.at.body = "ball";
  force.force_formulas = {{"f", "", "wind"}, {"0", "", "wind"}, {"0", "", "wind"}};
  scene.forces.push_back(force);
  return scene;
}

}  // namespace molejo::test
