#include "molejo/net/schedule.h"

#include <cassert>
#include <utility>

#include "molejo/math/interrupt.h"

namespace molejo {

void Schedule::exactly_after(std::size_t earlier, std::int64_t ticks) {
  bounds_.push_back({earlier, instants_ - 1, ticks, false});
  bounds_.push_back({instants_ - 1, earlier, -ticks, false});
}

void Schedule::less_than_after(std::size_t earlier, std::int64_t ticks) {
  bounds_.push_back({instants_ - 1, earlier, -ticks, true});
}

std::vector<Fraction> Schedule::earliest(std::int64_t ticks_per_second) const {
  using Time = std::pair<std::int64_t, std::int64_t>;  // ticks, smallest parts of them
  std::vector<Time> t(instants_, Time{0, 0});
  const auto raise = [&](std::size_t k, const Time& least) {
    if (least <= t[k]) return false;
    t[k] = least;
    return true;
  };
  std::size_t rounds = 0;
  for (bool changed = true; changed;) {
    check_interrupt();
    changed = false;
    for (std::size_t k = 1; k < instants_; ++k) changed |= raise(k, t[k - 1]);
    for (const Bound& b : bounds_) {
      changed |= raise(b.to, {t[b.from].first + b.ticks, t[b.from].second + (b.strict ? 1 : 0)});
    }
    ++rounds;
    assert(rounds <= instants_ + 1);
  }
  // small enough for all that are strictly later, so that the times have few digits
  std::int64_t parts = 1;
  for (const Time& time : t) {
    while (parts <= time.second) parts *= 10;
  }
  while (parts > 1 && ticks_per_second > 100'000'000'000'000'000 / parts) parts /= 10;
  std::vector<Fraction> times;
  for (const auto& [ticks, part] : t) {
    const __int128 n = static_cast<__int128>(ticks) * parts + part;
    times.push_back(n <= INT64_MAX
                        ? Fraction(static_cast<std::int64_t>(n), ticks_per_second * parts)
                        : Fraction(ticks, ticks_per_second));
  }
  return times;
}

}  // namespace molejo
