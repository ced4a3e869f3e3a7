// Walkers with a gait that is known in advance, real ones, and grounds to send them over.
#pragma once

#include <memory>
#include <optional>

#include "molejo/motion/ground.h"
#include "molejo/navigation/walk_clips.h"

namespace molejo::test {

// The gait of `gait_character`: each foot stands for half of the loop, does not move there, and
// swings two strides over the ground in the other half.
struct KnownGait {
  static constexpr int frames = 30;  // and the first again
  static constexpr double duration = 1, stride = 0.4, speed = 2 * stride / duration;
  static constexpr double ankle = 0.07;  // standing height, over the soles of the model
  // Does the foot stand on the way to this frame? The left one on those to frames 1 .. 15.
  static bool stands(int leg, int frame);
};

// The stick character with this gait as its clip "gait", legs about lateral axes, feet level, and
// an idle. `scale` multiplies all its lengths.
motion::Character gait_character(double scale = 1);

// The clips of a character made ready: "gait" or "walk", and its idle if it has one.
std::shared_ptr<const navigation::WalkClips> ready_clips(const motion::Character& character,
                                                         const std::string& walk,
                                                         bool with_idle = true);
// Of an installed walk and idle ("viverse", "dcl"), or nothing.
std::shared_ptr<const navigation::WalkClips> installed_walk(const std::string& family);

motion::Ground level_ground(double height = 0, double half = 200);
// Sine hills of this height and length, both ways.
motion::Ground hills(double height, double length, double half = 200);
// Level up to x, then a wall.
motion::Ground wall_at(double x, double height);
// A slope along x, from x = 2 on.
motion::Ground ramp(double slope);

}  // namespace molejo::test
