// What a clip and a rig must be for Matthey's navigation (2022, 4.10.1 and 4.9.1):
//
//   1  translations and scales stay as they are, for every joint but the hips
//   2  nothing above the hips moves
//   3  the clip is a loop
//   4  the axes of the leg's joints are across the plane of motion: mean |axis . left| >= 0.5
//   5  human proportions; a foot that supports (base_motion.h)
//
// His code refuses at 0.35 with a warning, and an idle is not tested for its axes there: nor here.
#pragma once

#include "molejo/navigation/thesis/clip_frames.h"

namespace molejo::navigation::thesis {

enum class ClipKind { walking, idle };

struct ClipRules {
  double drift = 1e-3;    // rule 1: of a translation in the model, in rig heights
  double stretch = 0.01;  // rule 1: of a scale
  double turn = 0.01;     // rule 2: of a component of a quaternion
  double gap = 0.1;       // rule 3: rad, last pose against the first
  double axis = 0.5;      // rule 4
};

// Mean |axis . left| of a joint over the clip, by axes in the model; signs do not matter.
double mean_axis(const Rig& rig, const ClipFrames& frames, int joint);

// Throw InputError with one reason, naming joint and frame.
void check_clip(const Rig& rig, const Clip& clip, ClipKind kind, const ClipRules& rules = {});
// Two legs, left and right, of bones that are human: thigh and shin, and both legs, at most twice
// as long as the other; feet below the hips; a scale above zero.
void check_rig(const Rig& rig, double scale);

}  // namespace molejo::navigation::thesis
