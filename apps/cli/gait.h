// A gait that can be replayed, from its file.
#pragma once

#include <string>

#include "molejo/io/motion.h"
#include "molejo/locomotion/replay.h"

namespace molejo::cli {

// Throws InputError when the file's numbers do not fit its motion.
struct PlayableGait {
  explicit PlayableGait(const std::string& path);
  PlayableGait(const PlayableGait&) = delete;
  PlayableGait& operator=(const PlayableGait&) = delete;

  GaitFile file;
  Character character;
  GaitProblem problem;
  BetweenCycles feedback;  // empty where the file has none
};

// Named after the motion, and seen from the right, the whole way.
Scene shown_scene(const Character& character, const Motion& motion, const Recording& recording);

}  // namespace molejo::cli
