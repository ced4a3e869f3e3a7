// What both spaces in time share: the states of a net at rest, when time passes, each with the one
// that it was found from (net/timed_space.h, net/open_space.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "molejo/net/property.h"

namespace molejo {

struct TimedSettings {
  std::uint64_t max_states = 200'000;
  std::uint64_t most_at_once = 100'000;  // states of one instant
  std::uint64_t max_memory = std::uint64_t{1} << 30;
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

struct RestStore;  // net/rest_store.h

class RestSpace {
 public:
  virtual ~RestSpace();

  const Net& net() const;
  std::uint64_t bytes() const;  // held now, about
  TimedEnd end() const;
  // Every state at which time passes was found, though at some instants firings may never end.
  bool finds_all() const;
  std::uint32_t size() const;    // states, numbered in the order in which they were found
  std::uint32_t starts() const;  // the first so many are those at time 0
  // Of each place; `all` includes those that wait.
  void tokens(std::uint32_t state, std::span<std::int64_t> all,
              std::span<std::int64_t> waiting = {}) const;
  bool is_enabled(std::uint32_t state, int transition) const;
  virtual bool is_final(std::uint32_t state) const = 0;  // nothing can happen any more
  std::uint64_t finals(std::uint32_t first) const;       // among the first so many states
  // What a formula sees; `all` and `waiting` are filled in and must outlive the view.
  MarkingView view(std::uint32_t state, std::vector<std::int64_t>& all,
                   std::vector<std::int64_t>& waiting, bool asks_for_deadlock = true) const;
  // Every order of the firings of an instant was looked at.
  bool interleaves() const;
  // Most tokens of each place, at any time; of every order only where all were looked at.
  const std::vector<std::int64_t>& bounds() const;

  // Words and firings along a sequence of states, each a successor of the one before; the first is
  // a start. `end`: when the last state begins, which may be later than the last firing.
  virtual std::vector<TimedFiring> trace(std::span<const std::uint32_t> path,
                                         Fraction* end = nullptr) const = 0;
  // States from a start to this one, in which it was found.
  std::vector<std::uint32_t> path_to(std::uint32_t state) const;

 protected:
  explicit RestSpace(std::unique_ptr<RestStore> store);
  RestSpace(RestSpace&&) noexcept;

  std::unique_ptr<RestStore> store_;
};

}  // namespace molejo
