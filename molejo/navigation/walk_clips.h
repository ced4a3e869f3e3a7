// What many walkers share: the rig, and its clips made ready: from time zero on, in place, closed,
// with their footfalls known.
#pragma once

#include <memory>

#include "molejo/motion/sampler.h"
#include "molejo/navigation/foot_tracks.h"
#include "molejo/navigation/footfalls.h"
#include "molejo/navigation/leg_reach.h"
#include "molejo/navigation/rig.h"

namespace molejo::navigation {

struct ReadyClip {
  ReadyClip(const Rig& rig, Clip ready, const FootfallOptions& options);
  Clip clip;
  ClipSampler sampler;
  Footfalls footfalls;
  FootTracks feet;
};

struct WalkClips {
  Rig rig;  // its soles and speeds fitted to the walk
  ReadyClip walk;
  ReadyClip idle;                 // if none was given, a pose of the walk
  std::vector<LegHinges> hinges;  // of each leg, from the walk
};

// `walk` and `idle` are clips of the character's skeleton as they came from the file. Throws
// InputError: a clip without duration, that moves nothing, or in which no foot ever stands.
std::shared_ptr<const WalkClips> make_walk_clips(const Character& character, Rig rig,
                                                 const Clip& walk, const Clip* idle,
                                                 const FootfallOptions& options = {});

// Where a walker begins.
struct WalkerStart {
  double x = 0, y = 0;  // of its hips, on the ground
  double heading = 0;   // rad
  double scale = 1;     // metres per unit of the model
};

}  // namespace molejo::navigation
