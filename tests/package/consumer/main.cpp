// A project that knows only an installed Molejo: a pendulum of 1 m, let go at 90 degrees.
//
// By energy the bob passes the lowest point with v^2 = 2 g l; a rod of a point mass has no other.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/physics/world.h"

int main() {
  using namespace molejo;
  Scene scene;
  SceneBody bob{.name = "bob"};
  bob.X_WB.p = {0, 0, -1};
  bob.given = MassProperties{1, {}, Sym3::diagonal(1e-9, 1e-9, 1e-9)};
  SceneJoint hinge{.name = "hinge", .type = JointType::revolute, .child = "bob"};
  hinge.X_PF.R = axis_rotation({1, 0, 0}, -std::numbers::pi / 2);  // z of the joint along world y
  hinge.X_BM = {hinge.X_PF.R, {0, 0, 1}};
  hinge.position = {std::numbers::pi / 2};
  scene.bodies = {bob};
  scene.joints = {hinge};
  scene.settings.duration = 2;
  scene.settings.fps = 200;

  const Recording recording = simulate(build(scene), scene.settings);
  double fastest = 0;
  for (const Frame& frame : recording.frames) {
    fastest = std::fmax(fastest, std::fabs(frame.state.v[0]));
  }
  const double expected = std::sqrt(2 * 9.81);
  std::printf("fastest %.4f rad/s, expected %.4f\n", fastest, expected);
  if (std::fabs(fastest - expected) > 1e-3) return 1;
  std::puts("the pendulum swings");
  return 0;
}
