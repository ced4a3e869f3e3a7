// When the feet of a clip stand, and how fast it walks over flat ground.
//
//   contact   a point of the sole is near its lowest and does not move against the ground
//   speed     v(t) = -(velocity of the standing points in the model), so that they do not slip
//
// Phases are parts of the loop, from 0 to 1. Lengths as in the model.
#pragma once

#include "molejo/motion/sampler.h"
#include "molejo/navigation/rig.h"

namespace molejo::navigation {

// From touch-down to lift-off. Phases grow: `off` may be more than 1, `on` is less.
struct Stance {
  double heel_on = 0, heel_off = 0;  // the heel is down between them; equal: never
  double toe_on = 0, toe_off = 0;
  double on = 0, off = 0;  // the earlier of the two, the later of the two
};

struct Footfalls {
  double duration = 0;                       // of a loop, s
  std::vector<std::vector<Stance>> stances;  // of each leg, in the order of time
  // The way over the ground of the model's origin, per loop and at even phases (samples + 1, the
  // first is zero): x along front, y along left.
  std::vector<Vec3> way;
  double floor = 0;     // height of what stands, along up in the model
  bool stands = false;  // an idle: no foot ever leaves the ground

  Vec3 way_at(double phase) const;  // any phase: whole loops add up
  double speed() const;             // along front, mean, per second
  // The stance of a leg at a phase, or nullptr while it swings. `since`: phases since touch-down.
  const Stance* stance_at(int leg, double phase, double* since = nullptr) const;
};

struct FootfallOptions {
  double height = 0.009;  // a standing point is at most so far above the floor, in leg lengths
  double speed = 0.25;    // and at most so fast against the ground, in walking speeds
  int samples = 240;      // of a loop
};

// The clip must be closed and in place (motion/edit.h, root_motion.h). Throws InputError where no
// foot ever stands.
Footfalls find_footfalls(const Rig& rig, const Clip& clip, const FootfallOptions& options = {});

}  // namespace molejo::navigation
