#include "molejo/net/timed_space.h"

#include <algorithm>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/rest_store.h"

namespace molejo {

struct TimedSpace::Timed final : RestStore {
  Timed(const Net& net, const TimedSettings& settings) : RestStore(net, nullptr, settings) {
    explore();
  }

  std::vector<std::uint32_t> first_successor, all_successors;

  std::int64_t next_end(const TokenState& s) const;
  void pass_time(TokenState& s) const;
  void take(const Instant& instant, std::uint32_t from);
  void explore();
};

// Ticks until the next wait ends, -1: nothing waits.
std::int64_t TimedSpace::Timed::next_end(const TokenState& s) const {
  std::int64_t next = -1;
  for (std::size_t p = 0; p < s.left.size(); ++p) {
    if (s.waiting[p] > 0 && (next < 0 || s.left[p] < next)) next = s.left[p];
  }
  return next;
}

void TimedSpace::Timed::pass_time(TokenState& s) const {
  const std::int64_t ticks = next_end(s);
  for (std::size_t p = 0; p < s.left.size(); ++p) {
    if (s.waiting[p] == 0) continue;
    s.left[p] -= ticks;
    if (s.left[p] == 0) rules.ripen(s, static_cast<int>(p));
  }
}

void TimedSpace::Timed::take(const Instant& instant, std::uint32_t from) {
  for (const std::uint32_t i : instant.settled) {
    const std::uint32_t number = add(instant.codes[i], from).first;
    if (from == no_parent) continue;
    all_successors.push_back(number);
    memory += sizeof number;
  }
  endless = endless || instant.endless;
  cut = cut || instant.cut;
}

void TimedSpace::Timed::explore() {
  take(rules.settle(rules.start(), {}, tally), no_parent);
  start_count = static_cast<std::uint32_t>(codes.size());
  first_successor.push_back(0);
  for (std::uint32_t i = 0; i < codes.size() && end == TimedEnd::complete && !cut; ++i) {
    check_interrupt();
    TokenState now = state(i);
    if (next_end(now) >= 0) {
      pass_time(now);
      take(rules.settle(now, {}, tally), i);
    }
    first_successor.push_back(static_cast<std::uint32_t>(all_successors.size()));
    keep_limits();
  }
  first_successor.resize(codes.size() + 1, static_cast<std::uint32_t>(all_successors.size()));
  if (end == TimedEnd::complete && endless) end = TimedEnd::endless;
}

bool TimedSpace::explores(const Net& net) {
  const bool awaited =
      std::any_of(net.places.begin(), net.places.end(), [](const Place& p) { return p.awaited; });
  return !awaited && !net.has_events() && TokenRules::common_ticks(net).has_value();
}

TimedSpace::TimedSpace(const Net& net, const TimedSettings& settings)
    : RestSpace(std::make_unique<Timed>(net, settings)) {}
TimedSpace::~TimedSpace() = default;
TimedSpace::TimedSpace(TimedSpace&&) noexcept = default;

const TimedSpace::Timed& TimedSpace::timed() const { return static_cast<const Timed&>(*store_); }
std::int64_t TimedSpace::ticks_per_second() const { return store_->rules.ticks_per_second(); }
std::uint64_t TimedSpace::fired(TransitionId transition) const {
  return store_->tally.fired[at(transition.index)];
}

bool TimedSpace::is_final(std::uint32_t state) const {
  return timed().next_end(store_->state(state)) < 0;
}

std::int64_t TimedSpace::ticks_to_next(std::uint32_t state) const {
  return std::max<std::int64_t>(0, timed().next_end(store_->state(state)));
}

std::span<const std::uint32_t> TimedSpace::successors(std::uint32_t state) const {
  const Timed& s = timed();
  return {s.all_successors.data() + s.first_successor[state],
          s.all_successors.data() + s.first_successor[state + 1]};
}

bool TimedSpace::deterministic() const {
  if (starts() > 1) return false;
  for (std::uint32_t s = 0; s < size(); ++s) {
    check_interrupt();
    if (successors(s).size() > 1) return false;
  }
  return end() == TimedEnd::complete;
}

std::vector<TimedFiring> TimedSpace::trace(std::span<const std::uint32_t> path,
                                           Fraction* end) const {
  const Timed& s = timed();
  std::vector<TimedFiring> firings;
  std::int64_t tick = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    TokenState from = i == 0 ? s.rules.start() : s.state(path[i - 1]);
    if (i > 0) {
      tick += s.next_end(from);
      s.pass_time(from);
    }
    // the way through the instant that ends at the wanted state
    const Instant instant = s.rules.settle(from, {}, s.tally);
    for (const std::uint32_t last : instant.settled) {
      if (instant.codes[last] != *s.codes[path[i]]) continue;
      for (const int t : TokenRules::firings_to(instant, last)) {
        firings.push_back({Fraction(tick, s.rules.ticks_per_second()), {t}});
      }
    }
  }
  if (end) *end = Fraction(tick, s.rules.ticks_per_second());
  return firings;
}

std::optional<TimedSpace::Cycle> TimedSpace::cycle() const {
  if (!deterministic()) return std::nullopt;
  std::vector<std::int64_t> reached(size(), -1);
  std::int64_t tick = 0;
  for (std::uint32_t s = 0; !is_final(s); s = successors(s).front()) {
    check_interrupt();
    if (reached[s] >= 0) {
      return Cycle{Fraction(reached[s], ticks_per_second()),
                   Fraction(tick - reached[s], ticks_per_second())};
    }
    reached[s] = tick;
    tick += ticks_to_next(s);
  }
  return std::nullopt;
}

}  // namespace molejo
