// What to do now, found by looking ahead: every window a few are gone through. Where the policy
// alone would stray, or fall, many ways to go on are tried, and the first offset of the best is
// done.
#pragma once

#include <functional>

#include "molejo/tracking/search.h"

namespace molejo::tracking {

struct BeamSettings {
  int depth = 4;          // windows that it looks ahead
  SearchSettings search;  // of what else may be done
  double calm = 4;        // unlikeness that the policy may end with, and nothing else is tried
};
// What was found to answer pushes best.
BeamSettings usual_beam();

class Beam {
 public:
  // Both must outlive it.
  Beam(const TrackedBody& body, const Reference& reference, const BeamSettings& settings);
  ~Beam();

  using PolicyAt = std::function<const Policy*(long window)>;
  // At the start of a window, of a body that stands.
  void decide(long window, const State& state, const Anchor& anchor, const PolicyAt& policy);

  const Action& offset() const;  // of this window
  double unlikeness() const;     // with which the policy alone would end
  int tried() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace molejo::tracking
