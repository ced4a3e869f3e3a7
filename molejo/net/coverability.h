// Which places can hold arbitrarily many tokens: the coverability graph.
//
//   M -> M' where M' > an ancestor A of it: the places that gained get omega, "as many as one
//   likes"
//
// Karp and Miller, Parallel program schemata (1969). Decides boundedness of nets without inhibitor
// arcs and priorities. With them boundedness is undecidable in general (Hack 1976): then a loop
// counts only if it can be repeated (net/pumping.h), the places named are truly unbounded, and
// nothing is said of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "molejo/net/net.h"
#include "molejo/net/pumping.h"

namespace molejo {

struct Coverability {
  std::vector<PlaceId> unbounded;
  std::vector<TransitionId> dead;  // never enabled in the graph; never fire where it decides
  std::uint64_t nodes = 0;
  bool complete = true;  // false: max_nodes was reached; more places may be unbounded
  bool decides = true;   // no inhibitor arcs, and no priorities unless they are ignored
};

Coverability coverability(const Net& net, Choice choice, std::uint64_t max_nodes = 20'000);

}  // namespace molejo
