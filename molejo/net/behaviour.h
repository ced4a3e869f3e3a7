// What a net can still do from everywhere: read off the strongly connected components.
//
//   t is live       iff  t fires inside every final component
//   home markings   the final component, where there is only one
//   reversible      iff  the start is a home marking
//
// A component is final when no firing leaves it. Components by Tarjan (1972), without recursion;
// firings are computed one by one rather than kept: at most 20 bytes a marking.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "molejo/net/state_space.h"

namespace molejo {

struct Behaviour {
  std::uint64_t components = 0, final_components = 0;
  std::uint64_t home_markings = 0;  // 0: there are none
  bool reversible = false;
  std::vector<std::uint8_t> live;   // of a transition: from everywhere it can fire again
  std::vector<std::uint8_t> alive;  // of a transition: it can fire from the start
  bool is_live() const;
};

// Of a complete space. Nothing when it would take more memory (bytes).
std::optional<Behaviour> behaviour(const StateSpace& space, std::uint64_t max_memory);
Behaviour behaviour(const StateSpace& space);

}  // namespace molejo
