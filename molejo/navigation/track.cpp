#include "molejo/navigation/track.h"

#include <cassert>

#include "molejo/math/interrupt.h"
#include "molejo/motion/edit.h"

namespace molejo::navigation {

std::size_t record_numbers(const Stage& stage, int frames) {
  std::size_t numbers = 0;
  for (int i = 0; i < stage.size(); ++i) {
    const Rig& rig = stage.walker(i).rig();
    const auto joints = static_cast<std::size_t>(rig.skeleton.size());
    // two poses of ten rows, two placements, and what feet do
    numbers += 2 * 10 * (joints + 3) + 24 + 13 * rig.legs.size();
  }
  return numbers * (static_cast<std::size_t>(frames) + 1);
}

TrackFrame frame_of(const Stage& stage, int character) {
  const Walker& walker = stage.walker(character);
  TrackFrame frame;
  frame.pose = walker.pose(), frame.placement = walker.placement();
  frame.unadapted = walker.unadapted(), frame.unadapted_placement = walker.unadapted_placement();
  frame.feet.assign(walker.feet().begin(), walker.feet().end());
  frame.position = walker.position(), frame.heading = walker.heading();
  frame.walking = stage.steering(character).walk, frame.blocked = walker.blocked();
  return frame;
}

void add_frame(const Stage& stage, WalkRecord& record) {
  for (int i = 0; i < stage.size(); ++i) {
    const Walker& walker = stage.walker(i);
    if (static_cast<int>(record.characters.size()) <= i) {
      record.characters.push_back({stage.name(i), walker.rig(), walker.scale(), {}});
    }
    record.characters[static_cast<std::size_t>(i)].frames.push_back(frame_of(stage, i));
  }
}

WalkRecord run(Stage& stage, const RunSettings& settings) {
  assert(settings.fps > 0 && settings.frames >= 0);
  WalkRecord record;
  record.fps = settings.fps;
  add_frame(stage, record);
  for (int frame = 1; frame <= settings.frames; ++frame) {
    check_interrupt();
    stage.advance(1 / settings.fps, settings.threads);
    add_frame(stage, record);
    if (settings.tell) settings.tell(frame);
  }
  return record;
}

Clip adapted_clip(const CharacterTrack& track, double fps, const std::string& name) {
  const Skeleton& skeleton = track.rig.skeleton;
  const Affine X_MW = inverse(placement(track.rig.bearing(), {}, 0, track.scale));
  std::vector<double> times;
  std::vector<SkeletonPose> poses;
  for (std::size_t k = 0; k < track.frames.size(); ++k) {
    const TrackFrame& frame = track.frames[k];
    const Affine moved = X_MW * frame.placement;
    SkeletonPose pose = frame.pose;
    for (int j = 0; j < skeleton.size(); ++j) {
      if (skeleton[j].parent < 0) pose.set(j, decomposed(moved * affine(pose[j])));
    }
    times.push_back(static_cast<double>(k) / fps);
    poses.push_back(std::move(pose));
  }
  return clip_from_poses(skeleton, name, times, poses);
}

}  // namespace molejo::navigation
