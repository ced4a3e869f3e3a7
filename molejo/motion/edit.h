// Clips made from clips: other keys, another start, one end joined to the other.
#pragma once

#include <functional>
#include <span>

#include "molejo/motion/clip.h"

namespace molejo::motion {

// Times that catch what the clip does: all its keys, moments before its steps, and every
// `spacing` seconds within splines.
std::vector<double> key_times(const Clip& clip, double spacing = 1.0 / 60);

// `start`, then every 1/fps, and `end` itself.
std::vector<double> uniform_times(double start, double end, double fps);

// A clip with LINEAR keys at these times, one or more, from the pose at each. What stays at rest
// gets no track; what stays elsewhere one key.
Clip clip_from_poses(const Skeleton& skeleton, const std::string& name,
                     const std::vector<double>& times, std::span<const SkeletonPose> poses);
// The same from the poses of `clip`, each handed to `change` with its time.
Clip rebuilt(
    const Skeleton& skeleton, const Clip& clip, const std::vector<double>& times,
    const Skeleton& target,
    const std::function<void(double t, const SkeletonPose& from, SkeletonPose& to)>& change);

// Keys at every 1/fps.
Clip resampled(const Skeleton& skeleton, const Clip& clip, double fps);

// The same motion from t = 0 on.
Clip starting_at_zero(Clip clip);

// Last pose against the first: how far a loop is from closing. The joints `but` (where root motion
// is) do not count for translation.
struct LoopGap {
  double turn = 0;      // rad, largest of a joint
  double distance = 0;  // largest of a joint's own translation
  int joint = -1;       // that turns most
};
LoopGap loop_gap(const Skeleton& skeleton, const Clip& clip, int but = -1);
// Spreads that gap over the last `seconds` so that the end is the start. The translation of `but`
// keeps its gap.
Clip loop_closed(const Skeleton& skeleton, const Clip& clip, double seconds, int but = -1);

}  // namespace molejo::motion
