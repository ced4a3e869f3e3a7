// A clip: what some joints do over time, by key frames (glTF 2.0, section 3.11 and appendix C).
//
//   STEP         x(t) = x_k
//   LINEAR       x(t) = x_k + u (x_k+1 - x_k), rotations by slerp the short way
//   CUBICSPLINE  Hermite's cubic of values and tangents, rotations normalised afterwards
//
// for t_k <= t < t_k+1, u = (t - t_k) / (t_k+1 - t_k). Before the first key and after the last one
// their values hold. Seconds.
#pragma once

#include <string>
#include <vector>

#include "molejo/motion/skeleton.h"

namespace molejo::motion {

enum class Interpolation { step, linear, cubic_spline };
enum class Channel { translation, rotation, scale };
const char* to_string(Interpolation interpolation);
const char* to_string(Channel channel);

// Numbers of one value: 4 for a rotation (w, x, y, z), else 3.
inline int width(Channel channel) { return channel == Channel::rotation ? 4 : 3; }
// Row of a SkeletonPose where they begin.
inline int first_row(Channel channel) {
  return channel == Channel::translation ? SkeletonPose::tx
         : channel == Channel::rotation  ? SkeletonPose::qw
                                         : SkeletonPose::sx;
}

struct Track {
  int joint = 0;
  Channel channel = Channel::rotation;
  Interpolation interpolation = Interpolation::linear;
  int times = 0;  // index in Clip::times; tracks with the same keys share them
  // one value per key; for splines three: tangent in, value, tangent out
  std::vector<double> values = {};
};

struct Clip {
  std::string name;
  std::vector<std::vector<double>> times;  // each strictly increasing
  std::vector<Track> tracks;               // at most one per joint and channel

  // First and last key of all; zero without any.
  double start() const;
  double end() const;
  double duration() const { return end() - start(); }
  const std::vector<double>& times_of(const Track& track) const {
    return times[static_cast<std::size_t>(track.times)];
  }
};

// Value of a track at time t, in the order of Track::values. The plain reading of the equations
// above, for files and tests; a ClipSampler is faster.
void evaluate(const Clip& clip, const Track& track, double t, double out[4]);
// A whole pose: what the clip does not move stays at rest.
void evaluate(const Clip& clip, const Skeleton& skeleton, double t, SkeletonPose& pose);

// The nearest way from a to b, at constant angular speed. Both of unit length.
Quat slerp(const Quat& a, const Quat& b, double u);

}  // namespace molejo::motion
