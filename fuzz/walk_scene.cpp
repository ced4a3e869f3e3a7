// Any text either is a navigation scene whose walk can be recorded, or ends in an InputError of one
// line.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "fuzz/walker_figure.h"
#include "molejo/io/character_file.h"
#include "molejo/io/walk_scene.h"
#include "molejo/model/error.h"
#include "molejo/navigation/quality.h"

namespace {

using namespace molejo;

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
    walk(parse_walk_scene(text, "nowhere/fuzz.walk.json", [](const SourceFile& file) {
      return parse_bvh(walker_figure, file.name());
    }));
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
