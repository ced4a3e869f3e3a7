// Hierarchy: a place stands for a whole net.
//
//   refine(P, sub, start, end):  Q of sub -> P_Q,  t -> P feeds every P_s (s in start),
//                                P -> t takes from every P_e (e in end)
//
// Flattening with name prefixes: Bicho (2001), sections 4.4 and 4.5; the walk has start {P1} and
// end {P5, P9}, so that "enough steps" is cleared and the walk can be entered again.
#pragma once

#include <span>
#include <string>

#include "molejo/net/net.h"

namespace molejo {

struct Refinement {
  std::string place;               // of the outer net
  const Net* net = nullptr;        // what it stands for
  std::vector<std::string> start;  // places of `net` that tokens enter by, not empty
  std::vector<std::string> end;    // places of `net` that tokens leave by, not empty
  std::string called = {};         // `net`, for files that keep the hierarchy
};

// The net with all these places replaced, each at most once. New places stand where the refined
// one stood, new transitions before the first one that takes from it. Tokens of the refined place
// enter by `start`, where the inner net's own are dropped; its delay and action are dropped too.
// What stands where is kept in Net::refined. Throws NetError for unknown names, for an inhibitor
// arc at a place with several ends, and for a start or end given twice.
Net refine(const Net& net, std::span<const Refinement> refinements);

}  // namespace molejo
