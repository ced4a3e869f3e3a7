// Matthey's IK Navigation System (2022), as a walker: the baseline of the default one.
#pragma once

#include "molejo/navigation/walk_clips.h"
#include "molejo/navigation/walker.h"

namespace molejo::navigation {

struct ThesisOptions {
  bool inverse_kinematics = true;
  bool stride_correction = true;
  bool stride_validation = false;
  double fade = 0.5;            // s
  double support_factor = 1.0;  // supportFrameDistanceFactor
};

// `ground` must outlive the walker. Throws InputError where a clip breaks a rule of the thesis.
std::unique_ptr<Walker> make_thesis_walker(std::shared_ptr<const WalkClips> clips,
                                           const Ground& ground, const WalkerStart& start,
                                           const ThesisOptions& options = {});

}  // namespace molejo::navigation
