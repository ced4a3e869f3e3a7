// Whether a loop of firings that gains tokens can be fired again and again.
//
// M -> M' >= M repeats for ever in a net without inhibitors and priorities (Karp and Miller 1969).
// With them it does if no firing of the loop is inhibited by a place that gains, and no transition
// of higher priority than a firing lacks only what the gain provides. This is enough, not needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "molejo/net/net.h"
#include "molejo/net/packed_net.h"

namespace molejo {

inline constexpr std::int64_t unlimited = INT64_MAX;  // as many tokens as one likes

struct LoopStep {
  std::span<const std::int64_t> before;  // marking, may hold unlimited
  int transition = 0;
};

// `gains[p]`: the place has more tokens after the loop than before.
bool can_repeat(const Net& net, const Topology& topology, Choice choice,
                std::span<const LoopStep> loop, const std::vector<std::uint8_t>& gains);

}  // namespace molejo
