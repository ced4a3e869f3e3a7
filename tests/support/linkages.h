// Planar mechanisms with loops, of any size and mass, in the x-y plane with gravity along -y; and
// scenes moved as a whole.
#pragma once

#include "molejo/model/scene.h"

namespace molejo::test {

struct LinkageSize {
  double length = 1, mass = 1;
};

// N square windows side by side: rods of length 1 and mass 1 stand on the ground, others join their
// tips. All stand at `angle` from upright and turn at `rate`. Known as A02 of the IFToMM library.
// Rod i hangs on joint "rod<i>"; closures are "rod<i+1>_top<i>". Twice in a turn it lies flat,
// where each window has a freedom more.
Scene windows_scene(int windows, double rate, double angle = 0, const LinkageSize& size = {});

// The angle and its rate that all rods have after a time, by their common pendulum.
struct PendulumState {
  double angle = 0, rate = 0;
};
PendulumState windows_motion(int windows, double rate, double angle, double duration,
                             const LinkageSize& size = {});

// One such window at rest, its upper rod longer than the others by a little.
Scene unequal_window_scene(double angle, double longer);

// Crank and rod of one length, and a slider on a line through the crank's pivot. Where both stand
// across the line, it may also stay there while both turn.
Scene equal_slider_crank_scene(double angle, double rate);
PendulumState equal_slider_crank_motion(double angle, double rate, double duration);

// Two fingers of parallel bars, opened and closed by a slider between them: nine freedoms of the
// tree, four closures, one freedom in all. `slide` is the slider's velocity.
Scene gripper_scene(double slide, const LinkageSize& size = {});

// The scene with everything in it, gravity and given forces included, moved by X.
Scene moved(Scene scene, const Pose& X);
// The scene with everything but gravity moved.
Scene moved_under_gravity(Scene scene, const Pose& X);
// Its likeness in other sizes of length and mass, gravity, springs, motors and given forces too, so
// that it moves alike in the same time. Shapes stay as they are: nothing may touch.
Scene scaled(Scene scene, const LinkageSize& size);

}  // namespace molejo::test
