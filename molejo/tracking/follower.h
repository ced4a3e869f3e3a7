// A body that follows a walker by the torques of its joints, live:
//
//   every window (0.1 s)   does the policy do? If it would stray, what else may be done is tried
//   every tick             the policy is asked what to do about what is sensed
//   every step             targets of the motors
//
// A body that is pushed away does not run back: what it follows is seen from where it got to. Once
// its centre of mass is too low it has fallen; its joints then only give way slowly.
#pragma once

#include "molejo/physics/command.h"
#include "molejo/tracking/beam.h"
#include "molejo/tracking/walk_reference.h"

namespace molejo::tracking {

struct FollowerSettings {
  BeamSettings beam = usual_beam();
  Slack slack;
};

class Follower {
 public:
  // All must outlive it. Policies: of the walk, and of standing; none is zero.
  Follower(const TrackedBody& body, WalkReference& reference, const Policy* walk,
           const Policy* stand, const FollowerSettings& settings);
  ~Follower();

  // The state in which it begins: that of the walker.
  void begin(State& state);
  void steer(const navigation::Steering& steering);
  // Before the step from state.t on, of any length up to a tick.
  void command(const State& state, Command<double>& told);

  bool has_fallen() const;
  // Of the last window: how unlike the walker it was, and what else was tried.
  double unlikeness() const;
  int tried() const;
  const Anchor& anchor() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace molejo::tracking
