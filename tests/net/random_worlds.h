// Random nets with everything that a net may have, worlds that act on them at random, and what an
// analysis said of them held against what they did.
#pragma once

#include <optional>
#include <string>

#include "molejo/net/analysis.h"

namespace molejo::test {

// Places with delays and awaited actions, weights, inhibitors, interrupting arcs, priorities,
// events with one transition or several; properties of every kind.
Net random_open_net(std::uint32_t seed);

struct WorldPlays {
  std::uint64_t plays = 0, firings = 0, markings = 0;   // that were judged
  std::uint64_t properties = 0, decided = 0, open = 0;  // open: of nets that wait for the world
  std::uint64_t open_decided = 0, traces = 0;           // traces that were played
};

// Plays the net `plays` times: nothing where all agrees with the analysis, else what does not.
std::optional<std::string> contradiction(const Net& net, std::uint32_t seed, int plays,
                                         WorldPlays& count);

// The net with as little as possible that still contradicts its analysis, as a file.
std::string smallest_contradiction(const Net& net, std::uint32_t seed, int plays);

}  // namespace molejo::test
