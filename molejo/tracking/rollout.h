// Four worlds go through a window of the reference. An action moves the targets of the sampled
// freedoms:
//
//   action = policy(what is sensed, asked at each tick) + offset (one for the window)
//
// Contact starts anew at each window, so that a state of coordinates and velocities is all that the
// next one depends on.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "molejo/tracking/policy.h"
#include "molejo/tracking/window.h"

namespace molejo::tracking {

// What was sensed and done at each tick.
struct Deeds {
  std::array<Senses, ticks_per_window> senses;
  std::array<Action, ticks_per_window> actions;
};

struct Lane {
  const Window* window = nullptr;
  const State* start = nullptr;
  const Action* offset = nullptr;
  State* end = nullptr;
  Deeds* deeds = nullptr;
  Features* features = nullptr;  // at the end
  Vec3 push{};                   // N, on the centre of the upper trunk, all the while
  bool lost = false;             // told: numbers have run away
};

class Rollout {
 public:
  // `body` must outlive it.
  Rollout(const TrackedBody& body, double step);
  ~Rollout();

  // Windows have as many steps.
  void run(std::span<Lane, 4> lanes);

  // What the first world does: told after each step.
  struct Watcher {
    virtual ~Watcher() = default;
    virtual void see(const State& state, const VecX& torques) = 0;
  };
  void watch(Watcher* watcher) { watcher_ = watcher; }

 private:
  struct Memory;
  void ask(int tick, std::span<Lane, 4> lanes);
  void push(std::span<Lane, 4> lanes);

  const TrackedBody& body_;
  double step_;
  std::unique_ptr<Memory> memory_;
  Watcher* watcher_ = nullptr;
};

}  // namespace molejo::tracking
