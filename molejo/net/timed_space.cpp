#include "molejo/net/timed_space.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <unordered_map>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

constexpr std::uint32_t none = UINT32_MAX;
constexpr std::size_t most_at_once = 100'000;  // states of one instant
constexpr std::int64_t most_ticks = 1'000'000'000'000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::optional<std::int64_t> common_ticks(const Net& net) {
  std::int64_t L = 1;
  for (const Place& p : net.places) {
    const auto multiple = common_multiple(L, p.delay.denominator, most_ticks);
    if (!multiple) return std::nullopt;
    L = *multiple;
    if (static_cast<__int128>(p.delay.numerator) * (L / p.delay.denominator) > INT64_MAX / 4) {
      return std::nullopt;
    }
  }
  return L;
}

struct State {
  std::vector<std::int64_t> marking, waiting, left;  // left: ticks of the current wait
};

void append_number(std::string& out, std::uint64_t x) {
  for (; x >= 128; x >>= 7) out += static_cast<char>(x | 128);
  out += static_cast<char>(x);
}
std::int64_t take_number(const char*& at) {
  std::uint64_t x = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    x |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return static_cast<std::int64_t>(x);
  }
}

}  // namespace

struct TimedSpace::Store {
  Store(const Net& the_net, const TimedSettings& the_settings);

  const Net& net;
  TimedSettings settings;
  Topology topology;
  Neighbours taken, cut;
  std::int64_t per_second = 1;
  std::vector<std::int64_t> delay;  // ticks
  bool equal_priorities = false;
  std::vector<std::uint8_t> alone;  // of a transition: competes with nobody

  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<const std::string*> codes;
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> first_successor, all_successors;
  std::vector<std::uint64_t> fired;
  std::uint32_t start_count = 0;
  std::uint64_t memory = 0;
  TimedEnd end = TimedEnd::complete;

  std::string encode(const State& state) const;
  State decode(const std::string& code) const;
  bool allows(const State& s, int t) const;
  void may_fire(const State& s, std::vector<int>& result) const;
  void fire(State& s, int t) const;
  void put(State& s, int p, std::int64_t count) const;
  std::int64_t next_end(const State& s) const;
  void pass_time(State& s) const;

  // The states of one instant, from which each came and by which firing.
  struct Instant {
    std::vector<std::string> codes;
    std::vector<std::uint32_t> parent;
    std::vector<int> by;
    std::vector<std::uint32_t> settled;  // indices of those at which time passes
    bool endless = false;
  };
  Instant settle(const State& from);
  void find_free_transitions();
  std::uint32_t add(const std::string& code, std::uint32_t from);
  void explore();
};

TimedSpace::Store::Store(const Net& the_net, const TimedSettings& the_settings)
    : net(the_net),
      settings(the_settings),
      topology(the_net),
      taken(the_net, inputs_only, true),
      cut(the_net, interrupters_only, true),
      fired(the_net.transitions.size(), 0) {
  per_second = *common_ticks(net);
  for (const Place& p : net.places) {
    delay.push_back(p.delay.numerator * (per_second / p.delay.denominator));
  }
  equal_priorities = !net.has_priorities();
  find_free_transitions();
  explore();
}

// Nobody else takes from its inputs, and nobody is inhibited by what it touches, nor is it.
void TimedSpace::Store::find_free_transitions() {
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    const int t = static_cast<int>(i);
    bool is_free = equal_priorities && topology.inhibitors[t].empty();
    for (const auto& [p, w] : topology.inputs[t]) {
      is_free &= topology.consumers[p].size() == 1 && topology.inhibited[p].empty();
    }
    for (const auto& [p, w] : topology.outputs[t]) is_free &= topology.inhibited[p].empty();
    alone.push_back(is_free ? 1 : 0);
  }
}

std::string TimedSpace::Store::encode(const State& s) const {
  std::string code;
  for (std::size_t p = 0; p < delay.size(); ++p) {
    append_number(code, static_cast<std::uint64_t>(s.marking[p]));
    if (delay[p] == 0) continue;
    append_number(code, static_cast<std::uint64_t>(s.waiting[p]));
    if (s.waiting[p] > 0) append_number(code, static_cast<std::uint64_t>(s.left[p]));
  }
  return code;
}

State TimedSpace::Store::decode(const std::string& code) const {
  State s{std::vector<std::int64_t>(delay.size(), 0), std::vector<std::int64_t>(delay.size(), 0),
          std::vector<std::int64_t>(delay.size(), 0)};
  const char* at = code.data();
  for (std::size_t p = 0; p < delay.size(); ++p) {
    s.marking[p] = take_number(at);
    if (delay[p] == 0) continue;
    s.waiting[p] = take_number(at);
    if (s.waiting[p] > 0) s.left[p] = take_number(at);
  }
  return s;
}

bool TimedSpace::Store::allows(const State& s, int t) const {
  for (const auto& [p, w] : taken[t]) {
    if (s.marking[at(p)] < w) return false;
  }
  for (const auto& [p, w] : cut[t]) {
    if (s.marking[at(p)] + s.waiting[at(p)] < w) return false;
  }
  for (const auto& [p, w] : topology.inhibitors[t]) {
    if (s.marking[at(p)] >= w) return false;
  }
  return true;
}

void TimedSpace::Store::may_fire(const State& s, std::vector<int>& result) const {
  result.clear();
  int highest = INT32_MIN;
  for (int t = 0; t < static_cast<int>(net.transitions.size()); ++t) {
    const int priority = net.transitions[at(t)].priority;
    if (priority < highest || !allows(s, t)) continue;
    if (alone[at(t)] != 0) {
      result.assign(1, t);
      return;
    }
    if (priority > highest) result.clear();
    highest = priority;
    result.push_back(t);
  }
}

void TimedSpace::Store::put(State& s, int p, std::int64_t count) const {
  if (delay[at(p)] == 0) {
    s.marking[at(p)] += count;
    return;
  }
  if (s.waiting[at(p)] == 0) s.left[at(p)] = delay[at(p)];
  s.waiting[at(p)] += count;
}

void TimedSpace::Store::fire(State& s, int t) const {
  for (const auto& [p, w] : taken[t]) s.marking[at(p)] -= w;
  for (const auto& [p, w] : cut[t]) {
    const std::int64_t ripe = std::min(w, s.marking[at(p)]);
    s.marking[at(p)] -= ripe;
    s.waiting[at(p)] -= w - ripe;
    if (s.waiting[at(p)] == 0) s.left[at(p)] = 0;
  }
  for (const auto& [p, w] : topology.outputs[t]) put(s, p, w);
}

// Ticks until the next wait ends, -1: nothing waits.
std::int64_t TimedSpace::Store::next_end(const State& s) const {
  std::int64_t next = -1;
  for (std::size_t p = 0; p < delay.size(); ++p) {
    if (s.waiting[p] > 0 && (next < 0 || s.left[p] < next)) next = s.left[p];
  }
  return next;
}

void TimedSpace::Store::pass_time(State& s) const {
  const std::int64_t ticks = next_end(s);
  for (std::size_t p = 0; p < delay.size(); ++p) {
    if (s.waiting[p] == 0) continue;
    s.left[p] -= ticks;
    if (s.left[p] > 0) continue;
    --s.waiting[p];
    ++s.marking[p];
    s.left[p] = s.waiting[p] > 0 ? delay[p] : 0;
  }
}

TimedSpace::Store::Instant TimedSpace::Store::settle(const State& from) {
  Instant instant;
  std::unordered_map<std::string, std::uint32_t> seen;
  instant.codes.push_back(encode(from));
  instant.parent.push_back(none);
  instant.by.push_back(-1);
  seen.emplace(instant.codes.front(), 0);
  std::vector<int> enabled;
  for (std::uint32_t i = 0; i < instant.codes.size(); ++i) {
    const State state = decode(instant.codes[i]);
    may_fire(state, enabled);
    if (enabled.empty()) instant.settled.push_back(i);
    for (const int t : enabled) {
      State next = state;
      fire(next, t);
      ++fired[at(t)];
      std::string code = encode(next);
      if (!seen.emplace(code, instant.codes.size()).second) continue;
      instant.codes.push_back(std::move(code));
      instant.parent.push_back(i);
      instant.by.push_back(t);
    }
    if (instant.codes.size() > most_at_once) {
      instant.endless = true;
      break;
    }
  }
  // a loop of firings that takes no time and is never left
  if (instant.settled.empty()) instant.endless = true;
  return instant;
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

void TimedSpace::Store::explore() {
  State start{std::vector<std::int64_t>(delay.size(), 0),
              std::vector<std::int64_t>(delay.size(), 0),
              std::vector<std::int64_t>(delay.size(), 0)};
  for (std::size_t p = 0; p < delay.size(); ++p) {
    if (net.places[p].tokens > 0) put(start, static_cast<int>(p), net.places[p].tokens);
  }
  const auto take = [&](const Instant& instant, std::uint32_t from) {
    for (const std::uint32_t i : instant.settled) {
      const std::uint32_t number = add(instant.codes[i], from);
      if (from != none) all_successors.push_back(number);
    }
    if (instant.endless) end = TimedEnd::endless;
  };
  take(settle(start), none);
  start_count = static_cast<std::uint32_t>(codes.size());
  first_successor.push_back(0);
  for (std::uint32_t i = 0; i < codes.size() && end == TimedEnd::complete; ++i) {
    if (settings.cancelled && *settings.cancelled) throw NetError("cancelled");
    check_interrupt();
    State state = decode(*codes[i]);
    if (next_end(state) >= 0) {
      pass_time(state);
      take(settle(state), i);
    }
    first_successor.push_back(static_cast<std::uint32_t>(all_successors.size()));
    if (codes.size() > settings.max_states) {
      end = TimedEnd::max_states;
    } else if (memory > settings.max_memory) {
      end = TimedEnd::max_memory;
    }
  }
  first_successor.resize(codes.size() + 1, static_cast<std::uint32_t>(all_successors.size()));
}

bool TimedSpace::explores(const Net& net) {
  const bool awaited =
      std::any_of(net.places.begin(), net.places.end(), [](const Place& p) { return p.awaited; });
  return !awaited && !net.has_events() && common_ticks(net).has_value();
}

TimedSpace::TimedSpace(const Net& net, const TimedSettings& settings) {
  assert(explores(net));
  store_ = std::make_unique<Store>(net, settings);
}
TimedSpace::~TimedSpace() = default;
TimedSpace::TimedSpace(TimedSpace&&) noexcept = default;

const Net& TimedSpace::net() const { return store_->net; }
TimedEnd TimedSpace::end() const { return store_->end; }
std::uint32_t TimedSpace::size() const { return static_cast<std::uint32_t>(store_->codes.size()); }
std::uint32_t TimedSpace::starts() const { return store_->start_count; }
std::int64_t TimedSpace::ticks_per_second() const { return store_->per_second; }
std::uint64_t TimedSpace::fired(TransitionId transition) const {
  return store_->fired[at(transition.index)];
}

void TimedSpace::tokens(std::uint32_t state, std::span<std::int64_t> all,
                        std::span<std::int64_t> waiting) const {
  const State s = store_->decode(*store_->codes[state]);
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = s.marking[p] + s.waiting[p];
  std::copy_n(s.waiting.begin(), waiting.size(), waiting.begin());
}

bool TimedSpace::is_enabled(std::uint32_t state, int transition) const {
  return store_->allows(store_->decode(*store_->codes[state]), transition);
}

bool TimedSpace::is_final(std::uint32_t state) const {
  return store_->next_end(store_->decode(*store_->codes[state])) < 0;
}

std::int64_t TimedSpace::ticks_to_next(std::uint32_t state) const {
  return std::max<std::int64_t>(0, store_->next_end(store_->decode(*store_->codes[state])));
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
  for (; state != none; state = store_->parent[state]) path.push_back(state);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<TimedFiring> TimedSpace::trace(std::span<const std::uint32_t> path) const {
  Store& s = *store_;
  std::vector<TimedFiring> firings;
  std::int64_t tick = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    State from{std::vector<std::int64_t>(s.delay.size(), 0),
               std::vector<std::int64_t>(s.delay.size(), 0),
               std::vector<std::int64_t>(s.delay.size(), 0)};
    if (i == 0) {
      for (std::size_t p = 0; p < s.delay.size(); ++p) {
        if (s.net.places[p].tokens > 0) s.put(from, static_cast<int>(p), s.net.places[p].tokens);
      }
    } else {
      from = s.decode(*s.codes[path[i - 1]]);
      tick += s.next_end(from);
      s.pass_time(from);
    }
    // the way through the instant that ends at the wanted state
    const Store::Instant instant = s.settle(from);
    std::vector<TimedFiring> now;
    for (const std::uint32_t end : instant.settled) {
      if (instant.codes[end] != *s.codes[path[i]]) continue;
      for (std::uint32_t j = end; instant.parent[j] != none; j = instant.parent[j]) {
        now.push_back({Fraction(tick, s.per_second), {instant.by[j]}});
      }
    }
    firings.insert(firings.end(), now.rbegin(), now.rend());
  }
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
