// How well a body that follows a loop takes pushes: on the upper trunk, for a fifth of a second,
// from all sides, at several moments of the loop. Four at a time.
#pragma once

#include "molejo/tracking/beam.h"

namespace molejo::tracking {

struct PushTest {
  int directions = 16, moments = 5;
  double impulse = 1;  // N s/kg
  double lasts = 0.2;  // s
  double after = 5;    // s that it must stand then
  Slack slack;
  std::optional<BeamSettings> beam;  // none: the policy alone
};

struct PushOutcome {
  double direction = 0;  // rad, to where it is pushed, from its heading to the left
  long window = 0;       // of the loop
  bool stood = false;
  double seconds = 0;  // until it fell, or the end
  long tried = 0;      // by the beam
};

// Each push begins when the unpushed body comes to that moment of its second loop. A body that
// falls before that moment counts as fallen at once.
std::vector<PushOutcome> push_test(const TrackedBody& body, const Reference& reference,
                                   const Policy& policy, const PushTest& test);

}  // namespace molejo::tracking
