// Makes a reference physical: a search finds what works, a policy learns it, and the next search
// starts from what the policy does.
//
//   rounds of   search along the reference   ->   remember its way   ->   fit the policy
//
// Liu, van de Panne, Yin, "Guided learning of control graphs for physics-based characters" (2016).
// The spread of samples falls from round to round, but never so far that all look the same.
#pragma once

#include "molejo/tracking/search.h"

namespace molejo::tracking {

struct TrackSettings {
  SearchSettings search;
  double seconds = 60;         // of each round; what does not loop is repeated as often
  double least_spread = 0.09;  // rad
  int remembered = 3;          // rounds
  // Once the policy alone stands for `steady` seconds, windows begin with kicks.
  double steady = 20, kicks = 0.2;
  Slack slack;     // of kicked ones
  int later = 10;  // windows after which what was done is judged
  double ridge = 10;
};

class Tracking {
 public:
  // All must outlive it.
  Tracking(const TrackedBody& body, const Reference& reference, const TrackSettings& settings);

  // Seconds that its longest search stood.
  double round();
  int rounds() const { return rounds_; }
  bool steady() const { return steady_; }
  const Policy& policy() const { return policy_; }
  // The way of the longest search of the last round, from the start of the reference.
  const std::vector<Action>& way() const { return way_; }
  const Policy& policy_before() const { return before_; }

 private:
  const TrackedBody& body_;
  const Reference& reference_;
  TrackSettings settings_;
  Policy policy_, before_;
  std::vector<Action> way_;  // offsets
  int rounds_ = 0;
  bool steady_ = false;
};

// What a body does that follows; figures of its way.
struct Replay {
  bool fell = false;
  double seconds = 0;               // until it fell, or the end
  double error = 0;                 // rad, mean over joints and time
  std::vector<double> errors;       // of each joint
  double root = 0;                  // m, mean distance of the centres of mass
  std::vector<double> peak_torque;  // N m, of each part: 0 of the root
  double peak_force = 0;            // largest vertical force of the ground, in weights
  std::vector<State> states;        // every step, with the first
};

// By the policy (none: zero) and offsets for windows (fewer: zero).
Replay replay(const TrackedBody& body, const Reference& reference, const Policy* policy,
              long windows, std::span<const Action> offsets = {});

}  // namespace molejo::tracking
