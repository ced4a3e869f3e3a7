// The way of a walker over the ground, taken out of a clip:
//
//   X_MJ(t) = X_root(t) X'_MJ(t)       X_root: a shift along the ground and a turn about up
//
// X' is the clip in place: it steps, sways and bobs, but stays where it is.
#pragma once

#include "molejo/motion/clip.h"
#include "molejo/motion/roles.h"

namespace molejo::motion {

// Along the ground, and the turn about up to the left, rad.
struct GroundPose {
  Vec3 position;
  double heading = 0;
};

struct RootMotion {
  Vec3 up{0, 1, 0};
  std::vector<double> times;
  std::vector<GroundPose> poses;  // the first is zero

  // Held before the first time and after the last.
  GroundPose at(double t) const;
  // From one time of the clip to another with so many whole loops between: seen from where the
  // character stood, in its axes there.
  GroundPose over(double from, double to, long loops = 0) const;
  // m/s along the way, mean over the clip.
  double speed() const;
};
// a, then b as seen from there.
GroundPose joined(const GroundPose& a, const GroundPose& b, const Vec3& up);
GroundPose inverse(const GroundPose& a, const Vec3& up);

struct RootMotionOptions {
  bool turning = true;  // take the heading out too
};
struct InPlace {
  Clip clip;
  RootMotion motion;
};
// Of the hips. What lies above them gets the pose of the start; feet that hang from the root go
// along.
InPlace extract_root_motion(const Skeleton& skeleton, const Roles& roles, const Clip& clip,
                            const RootMotionOptions& options = {});
// The reverse: a clip that goes its way.
Clip apply_root_motion(const Skeleton& skeleton, const Roles& roles, const InPlace& in_place);

}  // namespace molejo::motion
