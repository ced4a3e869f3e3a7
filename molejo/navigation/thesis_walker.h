// Matthey's IK Navigation System (2022), as a walker: the baseline of the default one.
//
//   times -> heading -> active clips -> curves -> place -> angles -> sampling     in each frame
//
// The parts are in thesis/. It walks on two legs and begins in its idle. Where the thesis is silent
// or wrong, docs/theory/matthey.md says what is done.
#pragma once

#include <functional>

#include "molejo/navigation/thesis/adapted_clip.h"
#include "molejo/navigation/walk_clips.h"
#include "molejo/navigation/walker.h"

namespace molejo::navigation {

struct ThesisOptions {
  bool inverse_kinematics = true;
  bool stride_correction = true;
  bool stride_validation = false;
  double fade = 0.5;            // s
  double support_factor = 1.0;  // supportFrameDistanceFactor
  // Beyond the thesis.
  bool left_foot_decides = false;  // on support frames, as in his code; else the slower foot
  bool weighted_hips = false;      // while fading: by the weights of the clips, not their middle
  bool correction_by_descent = false;           // as he did; else the exact solution of the same
  bool newton = false;                          // damped Gauss-Newton on the same cost
  bool growth_limit = false;                    // the tenfold limit of gradients that his code has
  double keep_original = 2, keep_previous = 4;  // b and c of the cost (thesis/leg_solver.h)
  double step_limit = 0.65;                     // of the leg's length, for stride_validation
};

// Target and real curves of ankles and hips, in the world, times as the clip is reproduced.
struct DebugCurves {
  std::array<thesis::LinearCurve, 2> ankle_target, ankle_real;
  thesis::LinearCurve hip_target, hip_real;
};

// What advance does, in this order.
enum class ThesisStage { times, heading, activation, curves, place, angles, sampling };
const char* to_string(ThesisStage stage);

class ThesisWalker : public Walker {
 public:
  // EnableIK, EnableStrideCorrection, EnableStrideValidation: at any time. Support factor and
  // weights are those of the start.
  virtual void set_options(const ThesisOptions& options) = 0;
  virtual DebugCurves debug_curves() const = 0;
  // Of the walk, and of the idle.
  virtual const thesis::AdaptedClip& walk() const = 0;
  virtual const thesis::AdaptedClip& idle() const = 0;
  // The part of the idle in what is shown, 0 to 1.
  virtual double idle_weight() const = 0;
  virtual void watch(std::function<void(ThesisStage)> observer) = 0;
};

// `ground` must outlive the walker. Throws InputError where a clip breaks a rule of the thesis
// (thesis/clip_rules.h), or a number is none.
std::unique_ptr<ThesisWalker> make_thesis_walker(std::shared_ptr<const WalkClips> clips,
                                                 const Ground& ground, const WalkerStart& start,
                                                 const ThesisOptions& options = {});

}  // namespace molejo::navigation
