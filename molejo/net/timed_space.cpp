#include "molejo/net/timed_space.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <unordered_map>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/token_rules.h"

namespace molejo {

struct TimedSpace::Store {
  Store(const Net& net, const TimedSettings& the_settings);

  TimedSettings settings;
  TokenRules rules;
  mutable InstantTally tally;  // settling a known state again adds nothing new

  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<const std::string*> codes;
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> first_successor, all_successors;
  std::uint32_t start_count = 0;
  std::uint64_t memory = 0;
  bool endless = false, cut = false;
  TimedEnd end = TimedEnd::complete;

  TokenState state(std::uint32_t number) const { return rules.decode(*codes[number]); }
  std::int64_t next_end(const TokenState& s) const;
  void pass_time(TokenState& s) const;
  std::uint32_t add(const std::string& code, std::uint32_t from);
  void take(const Instant& instant, std::uint32_t from);
  void explore();
};

TimedSpace::Store::Store(const Net& net, const TimedSettings& the_settings)
    : settings(the_settings),
      rules(net, *TokenRules::common_ticks(net), the_settings.most_at_once),
      tally(net) {
  explore();
}

// Ticks until the next wait ends, -1: nothing waits.
std::int64_t TimedSpace::Store::next_end(const TokenState& s) const {
  std::int64_t next = -1;
  for (std::size_t p = 0; p < s.left.size(); ++p) {
    if (s.waiting[p] > 0 && (next < 0 || s.left[p] < next)) next = s.left[p];
  }
  return next;
}

void TimedSpace::Store::pass_time(TokenState& s) const {
  const std::int64_t ticks = next_end(s);
  for (std::size_t p = 0; p < s.left.size(); ++p) {
    if (s.waiting[p] == 0) continue;
    s.left[p] -= ticks;
    if (s.left[p] == 0) rules.ripen(s, static_cast<int>(p));
  }
}

std::uint32_t TimedSpace::Store::add(const std::string& code, std::uint32_t from) {
  const auto [found, fresh] = numbers.emplace(code, static_cast<std::uint32_t>(codes.size()));
  if (fresh) {
    codes.push_back(&found->first);
    parent.push_back(from);
    constexpr std::uint64_t overhead = 120;  // of the table and the lists, about
    memory += code.size() + overhead;
  }
  return found->second;
}

void TimedSpace::Store::take(const Instant& instant, std::uint32_t from) {
  for (const std::uint32_t i : instant.settled) {
    const std::uint32_t number = add(instant.codes[i], from);
    if (from == no_parent) continue;
    all_successors.push_back(number);
    memory += sizeof number;
  }
  endless = endless || instant.endless;
  cut = cut || instant.cut;
}

void TimedSpace::Store::explore() {
  take(rules.settle(rules.start(), {}, tally), no_parent);
  start_count = static_cast<std::uint32_t>(codes.size());
  first_successor.push_back(0);
  for (std::uint32_t i = 0; i < codes.size() && end == TimedEnd::complete && !cut; ++i) {
    if (settings.cancelled && *settings.cancelled) throw NetError("cancelled");
    check_interrupt();
    TokenState now = state(i);
    if (next_end(now) >= 0) {
      pass_time(now);
      take(rules.settle(now, {}, tally), i);
    }
    first_successor.push_back(static_cast<std::uint32_t>(all_successors.size()));
    if (codes.size() > settings.max_states) {
      end = TimedEnd::max_states;
    } else if (memory > settings.max_memory) {
      end = TimedEnd::max_memory;
    }
  }
  first_successor.resize(codes.size() + 1, static_cast<std::uint32_t>(all_successors.size()));
  if (end == TimedEnd::complete && endless) end = TimedEnd::endless;
}

bool TimedSpace::explores(const Net& net) {
  const bool awaited =
      std::any_of(net.places.begin(), net.places.end(), [](const Place& p) { return p.awaited; });
  return !awaited && !net.has_events() && TokenRules::common_ticks(net).has_value();
}

TimedSpace::TimedSpace(const Net& net, const TimedSettings& settings) {
  assert(explores(net));
  store_ = std::make_unique<Store>(net, settings);
}
TimedSpace::~TimedSpace() = default;
TimedSpace::TimedSpace(TimedSpace&&) noexcept = default;

const Net& TimedSpace::net() const { return store_->rules.net(); }
std::uint64_t TimedSpace::bytes() const { return store_->memory; }
TimedEnd TimedSpace::end() const { return store_->end; }
bool TimedSpace::finds_all() const {
  return store_->end == TimedEnd::complete || (store_->end == TimedEnd::endless && !store_->cut);
}
std::uint32_t TimedSpace::size() const { return static_cast<std::uint32_t>(store_->codes.size()); }
std::uint32_t TimedSpace::starts() const { return store_->start_count; }
std::int64_t TimedSpace::ticks_per_second() const { return store_->rules.ticks_per_second(); }
std::uint64_t TimedSpace::fired(TransitionId transition) const {
  return store_->tally.fired[at(transition.index)];
}
bool TimedSpace::interleaves() const { return store_->rules.interleaves(); }
const std::vector<std::int64_t>& TimedSpace::bounds() const { return store_->tally.most; }

void TimedSpace::tokens(std::uint32_t state, std::span<std::int64_t> all,
                        std::span<std::int64_t> waiting) const {
  const TokenState s = store_->state(state);
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = s.marking[p] + s.waiting[p];
  std::copy_n(s.waiting.begin(), waiting.size(), waiting.begin());
}

bool TimedSpace::is_enabled(std::uint32_t state, int transition) const {
  return store_->rules.allows(store_->state(state), transition);
}

bool TimedSpace::is_final(std::uint32_t state) const {
  return store_->next_end(store_->state(state)) < 0;
}

std::int64_t TimedSpace::ticks_to_next(std::uint32_t state) const {
  return std::max<std::int64_t>(0, store_->next_end(store_->state(state)));
}

std::span<const std::uint32_t> TimedSpace::successors(std::uint32_t state) const {
  const auto& first = store_->first_successor;
  return {store_->all_successors.data() + first[state],
          store_->all_successors.data() + first[state + 1]};
}

bool TimedSpace::deterministic() const {
  if (starts() > 1) return false;
  for (std::uint32_t s = 0; s < size(); ++s) {
    if (successors(s).size() > 1) return false;
  }
  return end() == TimedEnd::complete;
}

std::vector<std::uint32_t> TimedSpace::path_to(std::uint32_t state) const {
  std::vector<std::uint32_t> path;
  for (; state != no_parent; state = store_->parent[state]) path.push_back(state);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<TimedFiring> TimedSpace::trace(std::span<const std::uint32_t> path,
                                           Fraction* end) const {
  const Store& s = *store_;
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
