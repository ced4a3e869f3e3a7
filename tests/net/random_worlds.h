// Worlds that act on a net at random: what its analysis said is held against what the net did.
#pragma once

#include <optional>
#include <string>

#include "molejo/net/analysis.h"

namespace molejo::test {

struct WorldPlays {
  std::uint64_t plays = 0, firings = 0, markings = 0;   // that were judged
  std::uint64_t properties = 0, decided = 0, open = 0;  // open: of nets that wait for the world
  std::uint64_t open_decided = 0, traces = 0;           // traces that were played
  std::uint64_t late = 0;                               // of them with a deadline that is over
};

// Plays the net `plays` times: nothing where all agrees with the analysis, else what does not.
std::optional<std::string> contradiction(const Net& net, std::uint32_t seed, int plays,
                                         WorldPlays& count);

// The net with as little as possible that still contradicts its analysis, as a file.
std::string smallest_contradiction(const Net& net, std::uint32_t seed, int plays);

}  // namespace molejo::test
