// The default walker. Feet stand where they touched down, swing feet go the way of the clip between
// two prints, hips follow, and legs are solved in closed form.
#pragma once

#include "molejo/navigation/walk_clips.h"
#include "molejo/navigation/walker.h"

namespace molejo::navigation {

struct AdaptiveOptions {
  bool inverse_kinematics = true;  // off: legs as in the clip, hips still follow the ground
  bool stride_correction = true;   // swing feet clear the ground
  bool stride_validation = true;   // brakes before ground that is too steep or missing
  bool orient_feet = true;
  double fade = 0.5;  // s, between idle and walk
};

// `ground` must outlive the walker.
std::unique_ptr<Walker> make_adaptive_walker(std::shared_ptr<const WalkClips> clips,
                                             const Ground& ground, const WalkerStart& start,
                                             const AdaptiveOptions& options = {});

}  // namespace molejo::navigation
