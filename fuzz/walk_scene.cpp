// Any text either is a navigation scene whose walk can be recorded, or ends in an InputError of one
// line.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/io/character_file.h"
#include "molejo/io/walk_scene.h"
#include "molejo/model/error.h"
#include "molejo/navigation/quality.h"

namespace {

using namespace molejo;

// Whoever is asked for: a figure of two legs that swing.
constexpr const char* figure = R"(HIERARCHY
ROOT Hips
{ OFFSET 0 0.9 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT LeftUpLeg { OFFSET 0.1 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftLeg { OFFSET 0 -0.45 0.01 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftFoot { OFFSET 0 -0.43 -0.01 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 -0.05 0.16 } } } }
 JOINT RightUpLeg { OFFSET -0.1 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT RightLeg { OFFSET 0 -0.45 0.01 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightFoot { OFFSET 0 -0.43 -0.01 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 -0.05 0.16 } } } } }
MOTION
Frames: 5
Frame Time: 0.25
0 0.90 0.0 0 0 0  0 -25 0  0 5 0  0 0 0  0 25 0  0 10 0  0 0 0
0 0.88 0.2 0 0 0  0 0 0    0 5 0  0 0 0  0 0 0   0 50 0  0 0 0
0 0.90 0.4 0 0 0  0 25 0   0 10 0 0 0 0  0 -25 0 0 5 0   0 0 0
0 0.88 0.6 0 0 0  0 0 0    0 50 0 0 0 0  0 0 0   0 5 0   0 0 0
0 0.90 0.8 0 0 0  0 -25 0  0 5 0  0 0 0  0 25 0  0 10 0  0 0 0
)";

void walk(WalkScene scene) {
  if (scene.actors.size() > 3) return;  // many are slow, not wrong
  scene.duration = std::fmin(scene.duration, 20 / scene.fps);
  navigation::Stage stage = make_stage(scene);
  const navigation::WalkRecord record =
      navigation::run(stage, {.fps = scene.fps, .frames = scene.frames()});
  for (const navigation::CharacterTrack& track : record.characters) {
    for (const navigation::TrackFrame& f : track.frames) {
      if (!std::isfinite(f.position.x + f.position.y + f.position.z + f.heading)) std::abort();
      for (int j = 0; j < f.pose.joints(); ++j) {
        if (!std::isfinite(f.pose.rotation(j).w)) std::abort();
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // other files are looked for in a folder that is not there
  try {
    walk(parse_walk_scene(text, "nowhere/fuzz.walk.json",
                          [](const std::string& path) { return parse_bvh(figure, path); }));
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  try {
    parse_terrains(text, "nowhere/fuzz.terrain.json");
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
