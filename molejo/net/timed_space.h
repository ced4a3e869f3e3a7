// Everything that a timed net can do, in exact time: proof before the run.
//
//   state   tokens that may enable, tokens that wait, time left of each wait
//   step    the next wait ends, then the net settles; branches only where equals compete
//
// Delays are constants, so between two instants nothing is open: the states at which time passes
// are finite in number whenever the tokens are bounded. Nets with events or awaited places are open
// to the outside at any time: they have a space of their own (net/open_space.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "molejo/net/net.h"

namespace molejo {

struct TimedSettings {
  std::uint64_t max_states = 200'000;
  std::uint64_t most_at_once = 100'000;  // states of one instant
  std::uint64_t max_memory = std::uint64_t{1} << 30;
  const std::atomic<bool>* cancelled = nullptr;  // as of a StateSpace
};

enum class TimedEnd {
  complete,
  max_states,
  max_memory,
  endless  // at some instant the firings may never end
};

// A step of a trace: a firing, the word that the awaited action of a place is over, or a token that
// is put from outside.
struct TimedFiring {
  Fraction time;  // s
  TransitionId transition = {};
  PlaceId finished = {}, put = {};
};

class TimedSpace {
 public:
  // No events, no awaited places, and a common tick of the delays.
  static bool explores(const Net& net);
  // The net must outlive the space.
  TimedSpace(const Net& net, const TimedSettings& settings);
  ~TimedSpace();
  TimedSpace(TimedSpace&&) noexcept;

  const Net& net() const;
  std::uint64_t bytes() const;  // held now, about
  TimedEnd end() const;
  // Every state at which time passes was found, though at some instants firings may never end.
  bool finds_all() const;
  std::uint32_t size() const;    // settled states, numbered in the order of their distance
  std::uint32_t starts() const;  // the first so many are those at time 0
  // Of each place; `all` includes those that wait.
  void tokens(std::uint32_t state, std::span<std::int64_t> all,
              std::span<std::int64_t> waiting = {}) const;
  bool is_enabled(std::uint32_t state, int transition) const;
  bool is_final(std::uint32_t state) const;  // nothing waits: time passes, nothing happens
  std::span<const std::uint32_t> successors(std::uint32_t state) const;
  std::int64_t ticks_to_next(std::uint32_t state) const;
  std::int64_t ticks_per_second() const;
  std::uint64_t fired(TransitionId transition) const;  // how often in the exploration, 0: never
  // Every order of the firings of an instant was looked at.
  bool interleaves() const;
  // Most tokens of each place, at any time; of every order only where all were looked at.
  const std::vector<std::int64_t>& bounds() const;
  bool deterministic() const;  // every state has at most one successor: all runs are the same

  // Firings along a sequence of states, each a successor of the one before; the first is a start.
  // `end`: when the last state begins, which may be later than the last firing.
  std::vector<TimedFiring> trace(std::span<const std::uint32_t> path,
                                 Fraction* end = nullptr) const;
  // States from a start to this one, with the fewest instants.
  std::vector<std::uint32_t> path_to(std::uint32_t state) const;

  struct Cycle {
    Fraction from, period;  // s: the state at `from` comes again every `period`
  };
  // Of a deterministic net that never ends.
  std::optional<Cycle> cycle() const;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

}  // namespace molejo
