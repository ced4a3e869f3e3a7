// The engines of this run: Molejo itself, and the peers that the build found.
#pragma once

#include <string>
#include <vector>

#include "bench/peer.h"

namespace bench {

struct Engines {
  std::vector<const Engine*> all;    // Molejo first
  const Engine* four_worlds;         // Molejo again, four worlds a step
  std::vector<std::string> skipped;  // "Bullet (libbullet-dev not installed; ...)"
};

// Opens every module; one that cannot be opened is skipped with the linker's reason.
Engines load_engines();

// Implemented in peers/molejo.cpp.
const Engine* molejo_engine();
const Engine* molejo_four_worlds_engine();

}  // namespace bench
