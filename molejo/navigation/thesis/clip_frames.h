// A clip as frames: every joint has a rotation at every frame, as an angle about an axis.
//
//   R = R(axis, angle)        axis and angle go on from frame to frame without a jump of sign
//
// Source: Matthey (2022), 4.10.2 ("decompression"). Translations and scales are those of the first
// frame; he uses no other. A loop ends in its first pose: they are one frame.
#pragma once

#include "molejo/motion/clip.h"
#include "molejo/navigation/rig.h"

namespace molejo::navigation::thesis {

// All rotation tracks on one list of times: the union of theirs, where missing by slerp. Times
// within 2e-4 s are one; splines get keys every 1/60 s, clips of fewer than five keys every 1/30 s.
// Other tracks stay as they are.
Clip decompressed(const Skeleton& skeleton, const Clip& clip);

struct AxisAngle {
  Vec3 axis{1, 0, 0};
  double angle = 0;
};
Quat quaternion(const AxisAngle& turn);
// The axis and angle of q that go on from `last`: the axis on the same side, the angle within half
// a turn. Without an axis of its own (an angle below 1e-6) q has that of `last`.
AxisAngle continued(const Quat& q, const AxisAngle& last);
// The angle of `from` as one about the axis of `to`: axes of opposite sides are the same, and of
// all whole turns it is the nearest. Around a loop an axis may come back with the other sign.
double angle_beside(const AxisAngle& from, const AxisAngle& to);

class ClipFrames {
 public:
  // Throws InputError for fewer than 4 frames or more than 4096.
  ClipFrames(const Rig& rig, const Clip& clip);

  int frames() const { return static_cast<int>(times_.size()); }
  double duration() const { return duration_; }
  double time(int frame) const { return times_[static_cast<std::size_t>(frame)]; }
  double mean_step() const { return duration_ / frames(); }
  // Any frame: before the first and after the last the loop repeats.
  double extended_time(long frame) const;
  int wrapped(long frame) const;
  // The frame that t, within the loop, is in.
  int frame_at(double t) const;

  // Joints on the ways to the feet, parents first, and the place of each joint among them, or -1.
  const std::vector<int>& path() const { return path_; }
  int slot(int joint) const { return slots_[static_cast<std::size_t>(joint)]; }
  // One per joint of the path.
  std::span<const AxisAngle> rotations(int frame) const;
  // First translations and scales of all joints.
  const SkeletonPose& fixed() const { return fixed_; }

 private:
  std::vector<double> times_;
  double duration_ = 0;
  std::vector<int> path_, slots_;
  std::vector<AxisAngle> rotations_;
  SkeletonPose fixed_;
};

}  // namespace molejo::navigation::thesis
