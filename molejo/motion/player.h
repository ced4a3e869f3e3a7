// A clip that plays, and the change to another one:
//
//   t_a += rate dt, wrapped to [0, d]       pose = blend(old, new, smooth(elapsed / fade))
//
// Time counts from the start of the clip, d is its duration. The same t_a, rate and loops that
// navigation needs (clip time, reproduction time = d loops + t_a) are told.
#pragma once

#include "molejo/motion/blend.h"
#include "molejo/motion/sampler.h"

namespace molejo::motion {

struct Playback {
  const ClipSampler* clip = nullptr;  // must outlive the playback
  double time = 0;                    // s, in [0, duration]
  double rate = 1;                    // negative: backwards
  bool looping = true;                // otherwise it stays at its end
  long loops = 0;                     // ends passed, less starts passed backwards

  void advance(double dt);
  bool ended() const;
};

struct PlayOptions {
  double rate = 1, start = 0;
  bool looping = true;
  // Start the new clip where the old one is, as a part of its duration: feet stay in step.
  bool in_step = false;
};

// One character's clip and cross-fade. Allocates when a clip begins, never while it plays.
class Player {
 public:
  explicit Player(int joints) : old_pose_(joints) {}

  // At once, without a fade.
  void play(const ClipSampler& clip, const PlayOptions& options = {});
  // Over `seconds`. A fade that is under way goes on from the pose it has reached.
  void cross_fade(const ClipSampler& clip, double seconds, const PlayOptions& options = {});
  void advance(double dt);
  // The pose now; a clip must have been played.
  void pose(SkeletonPose& out);

  Playback& current() { return new_; }
  const Playback& current() const { return new_; }
  // Of the clip that is left; nothing plays there once the fade has ended.
  const Playback& fading() const { return old_; }
  // Share of the current clip in the pose: 1 when no fade is under way.
  double weight() const;

 private:
  Playback old_, new_;
  ClipCursor old_cursor_, new_cursor_;
  SkeletonPose old_pose_;
  bool frozen_ = false;  // the old pose is one that an earlier fade had reached
  double fade_ = 0, elapsed_ = 0;
};

}  // namespace molejo::motion
