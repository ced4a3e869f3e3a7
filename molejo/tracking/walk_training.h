// Policies for a walker that is steered: rounds of search along ways that chance draws, with
// starts, stops and turns, and what is learnt from them (track.h).
#pragma once

#include <functional>

#include "molejo/tracking/search.h"
#include "molejo/tracking/walk_reference.h"

namespace molejo::tracking {

// Of the loop of the walk, and of standing, which has one window.
struct WalkPolicies {
  Policy walk, stand;
};

struct WalkTrainingSettings {
  SearchSettings search;
  double seconds = 60;  // of each round
  double least_spread = 0.09;
  int remembered = 3;  // rounds
  double kicks = 0.2;  // chance of one in a window, once the policies stand alone
  double steady = 20;  // s that they then stand
  Slack slack;
  int later = 10;
  double ridge = 10;
  double most_turn = 1;  // rad/s
};

class WalkTraining {
 public:
  using MakeWalker = std::function<std::unique_ptr<navigation::Walker>()>;
  // All must outlive it. `loop`: s, of the walk; `lift`: see WalkReference.
  WalkTraining(const TrackedBody& body, const RagdollMap& map, MakeWalker make_walker, double loop,
               double lift, const WalkTrainingSettings& settings);

  // Seconds that its longest search stood.
  double round();
  int rounds() const { return rounds_; }
  bool steady() const { return steady_; }
  const WalkPolicies& policies() const { return policies_; }

 private:
  std::unique_ptr<WalkReference> reference() const;
  long search(int attempt, long most);
  double alone(double seconds) const;

  const TrackedBody& body_;
  const RagdollMap& map_;
  MakeWalker make_walker_;
  double lift_;
  WalkTrainingSettings settings_;
  long loop_;  // ticks
  WalkPolicies policies_;
  int rounds_ = 0;
  bool steady_ = false;
};

inline constexpr double walk_step = 1.0 / 240;  // s
inline constexpr int walk_steps = 24;           // a window

}  // namespace molejo::tracking
