// Everything that a timed net can do, in exact time: proof before the run.
//
//   state   tokens that may enable, tokens that wait, time left of each wait
//   step    the next wait ends, then the net settles; branches only where equals compete
//
// Delays are constants, so between two instants nothing is open: the states at which time passes
// are finite in number whenever the tokens are bounded. Nets with events or awaited places are open
// to the outside at any time: they have a space of their own (net/open_space.h).
#pragma once

#include <optional>

#include "molejo/net/rest_space.h"

namespace molejo {

class TimedSpace final : public RestSpace {
 public:
  // No events, no awaited places, and a common tick of the delays.
  static bool explores(const Net& net);
  // The net must outlive the space.
  TimedSpace(const Net& net, const TimedSettings& settings);
  ~TimedSpace() override;
  TimedSpace(TimedSpace&&) noexcept;

  bool is_final(std::uint32_t state) const override;
  std::span<const std::uint32_t> successors(std::uint32_t state) const;
  std::int64_t ticks_to_next(std::uint32_t state) const;
  std::int64_t ticks_per_second() const;
  std::uint64_t fired(TransitionId transition) const;  // how often in the exploration, 0: never
  bool deterministic() const;  // every state has at most one successor: all runs are the same

  std::vector<TimedFiring> trace(std::span<const std::uint32_t> path,
                                 Fraction* end = nullptr) const override;

  struct Cycle {
    Fraction from, period;  // s: the state at `from` comes again every `period`
  };
  // Of a deterministic net that never ends.
  std::optional<Cycle> cycle() const;

 private:
  struct Timed;
  const Timed& timed() const;
};

}  // namespace molejo
