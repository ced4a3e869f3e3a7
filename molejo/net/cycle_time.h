// How long a turn of a marked graph takes, from its circuits:
//
//   period = max over circuits of (sum of delays / sum of tokens)
//
// Ramchandani (1974); for timed places Sifakis (1977). A place serves one token at a time, so no
// period is shorter than a delay. The largest ratio by raising it to that of a circuit that exceeds
// it until none does (Lawler 1976), in whole numbers.
#pragma once

#include <optional>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

struct CycleTime {
  Fraction period;               // s, between two firings of the same transition
  std::vector<PlaceId> circuit;  // whose ratio it is; one place alone may be the slowest
};

// Nothing when the net is no strongly connected marked graph with equal priorities and without
// inhibitor arcs and events, when a circuit has no token (it never fires), or for large numbers.
std::optional<CycleTime> cycle_time(const Net& net);

}  // namespace molejo
