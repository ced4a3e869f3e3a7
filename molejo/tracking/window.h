// A window of the reference as all that go through it need it.
//
//   steps   each has targets for the motors
//   ticks   several steps each; at the start of one the policy is asked anew
#pragma once

#include "molejo/tracking/anchor.h"
#include "molejo/tracking/policy.h"
#include "molejo/tracking/reference.h"

namespace molejo::tracking {

struct Window {
  const Policy* policy = nullptr;  // none: zero
  std::array<long, ticks_per_window> ticks{};
  std::vector<VecX> phi, rate;   // of each freedom, at the end of each step
  std::vector<Features> wanted;  // at the start of each tick, and at the end of the last
};

// Steps per window must be whole ticks. `window` keeps its memory.
void look_at(const TrackedBody& body, const Reference& reference, long number, const Policy* policy,
             const Anchor& anchor, FeatureReader& reader, Window& window);

}  // namespace molejo::tracking
