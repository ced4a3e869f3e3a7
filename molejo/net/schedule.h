// Times for a sequence of instants of which only the distances are bounded.
//
//   t_k >= t_(k-1),   t_k = t_i + d,   t_k < t_i + d
//
// The earliest ones: longest paths (Bellman and Ford) over numbers a + b e with an e as small as
// need be, for what must be strictly later.
#pragma once

#include <cstdint>
#include <vector>

#include "molejo/net/exact_time.h"

namespace molejo {

class Schedule {
 public:
  // Of one instant, at 0.
  Schedule() = default;

  void add_instant() { ++instants_; }
  // Of the last instant and an earlier one; ticks.
  void exactly_after(std::size_t earlier, std::int64_t ticks);
  void less_than_after(std::size_t earlier, std::int64_t ticks);

  // s. There must be such times.
  std::vector<Fraction> earliest(std::int64_t ticks_per_second) const;

 private:
  // t_to >= t_from + ticks, or strictly greater
  struct Bound {
    std::size_t from, to;
    std::int64_t ticks;
    bool strict;
  };

  std::size_t instants_ = 1;
  std::vector<Bound> bounds_;
};

}  // namespace molejo
