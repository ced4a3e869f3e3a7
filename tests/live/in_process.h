// What a live run is compared with: the same scene, simulated at once.
#pragma once

#include <fmt/format.h>

#include "molejo/model/scene.h"
#include "molejo/physics/world.h"

namespace molejo::test {

// The state of each frame, as the status of a live run tells it. One more is simulated: a run that
// ends within a step shortens it, a live run has no end.
inline std::vector<std::string> hashes_in_process(const Scene& scene, int frames) {
  Settings settings = scene.settings;
  settings.duration = (frames + 1) / settings.fps;
  std::vector<std::string> hashes;
  for (const Frame& frame : simulate(build(scene), settings).frames) {
    hashes.push_back(fmt::format("{:016x}", hash(frame.state)));
  }
  hashes.pop_back();
  return hashes;
}

}  // namespace molejo::test
