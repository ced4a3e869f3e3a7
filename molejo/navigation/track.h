// The record of a walk: what everybody did in every frame, and what the clips alone would have
// shown. Exporters and the quality report read nothing else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "molejo/navigation/stage.h"

namespace molejo::navigation {

struct TrackFrame {
  SkeletonPose pose, unadapted;
  Affine placement, unadapted_placement;  // X_WM of both
  std::vector<FootState> feet;            // one per leg
  Vec3 position;
  double heading = 0;
  bool walking = false;  // it was told to
  bool blocked = false;
};

struct CharacterTrack {
  std::string name;
  Rig rig;
  double scale = 1;
  std::vector<TrackFrame> frames;  // the first is where it stood at the start
};

struct WalkRecord {
  double fps = 30;
  std::vector<CharacterTrack> characters;
  int frames() const {
    return characters.empty() ? 0 : static_cast<int>(characters.front().frames.size());
  }
  double time(int frame) const { return frame / fps; }
};

// Numbers that a record of so many frames holds; files may ask for more than there is memory.
std::size_t record_numbers(const Stage& stage, int frames);
inline constexpr std::size_t max_record_numbers = std::size_t{32} << 20;

struct RunSettings {
  double fps = 30;
  int frames = 0;                         // besides the first
  int threads = 1;                        // 0: as many as the machine has
  std::function<void(int frame)> tell{};  // after each frame
};
WalkRecord run(Stage& stage, const RunSettings& settings);

// One character as it is now, and one more frame of everybody.
TrackFrame frame_of(const Stage& stage, int character);
void add_frame(const Stage& stage, WalkRecord& record);

// One character's frames as a clip of its own skeleton, in axes and units of its model: roots carry
// the way over the ground. At the start of the world the model looks along x of the world.
Clip adapted_clip(const CharacterTrack& track, double fps, const std::string& name);

}  // namespace molejo::navigation
