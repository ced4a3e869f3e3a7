#include "molejo/motion/player.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo::motion {

void Playback::advance(double dt) {
  if (!clip) return;
  const double d = clip->duration();
  time += rate * dt;
  if (!looping || !(d > 0)) {
    time = std::clamp(time, 0.0, d);
    return;
  }
  if (time >= 0 && time < d) return;
  const double turns = std::floor(time / d);
  time = std::clamp(time - turns * d, 0.0, d);
  if (time >= d) time = 0;
  loops += static_cast<long>(turns);
}

bool Playback::ended() const {
  return clip && !looping && (rate >= 0 ? time >= clip->duration() : time <= 0);
}

void Player::play(const ClipSampler& clip, const PlayOptions& options) {
  assert(clip.joints() == old_pose_.joints());
  const double phase =
      new_.clip && new_.clip->duration() > 0 ? new_.time / new_.clip->duration() : 0;
  const double start = options.in_step ? phase * clip.duration() : options.start;
  new_ = {&clip, std::clamp(start, 0.0, clip.duration()), options.rate, options.looping, 0};
  new_cursor_ = clip.cursor();
  old_.clip = nullptr;
  fade_ = elapsed_ = 0;
}

void Player::cross_fade(const ClipSampler& clip, double seconds, const PlayOptions& options) {
  if (!new_.clip || !(seconds > 0)) return play(clip, options);
  frozen_ = weight() < 1;
  if (frozen_) {
    SkeletonPose reached(old_pose_.joints());
    pose(reached);
    old_pose_ = reached;
  }
  const Playback left = new_;
  const ClipCursor left_cursor = new_cursor_;
  play(clip, options);
  old_ = left, old_cursor_ = left_cursor;
  fade_ = seconds;
}

void Player::advance(double dt) {
  new_.advance(dt);
  if (!old_.clip) return;
  old_.advance(dt);
  elapsed_ += dt;
  if (elapsed_ >= fade_) old_.clip = nullptr, fade_ = 0;
}

double Player::weight() const {
  if (!old_.clip) return 1;
  const double u = std::clamp(elapsed_ / fade_, 0.0, 1.0);
  return u * u * (3 - 2 * u);
}

void Player::pose(SkeletonPose& out) {
  assert(new_.clip);
  new_.clip->sample(new_.clip->start() + new_.time, new_cursor_, out);
  if (!old_.clip) return;
  if (!frozen_) old_.clip->sample(old_.clip->start() + old_.time, old_cursor_, old_pose_);
  blend(old_pose_, out, weight(), out);
}

}  // namespace molejo::motion
