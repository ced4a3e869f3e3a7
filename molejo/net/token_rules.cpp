#include "molejo/net/token_rules.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

constexpr std::int64_t most_ticks = 1'000'000'000'000;

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

// No state of the instant is without a way to one that is settled.
bool all_settle(const Instant& instant, const std::vector<std::vector<std::uint32_t>>& before) {
  std::vector<std::uint8_t> good(instant.codes.size(), 0);
  std::vector<std::uint32_t> open = instant.settled;
  for (const std::uint32_t s : open) good[s] = 1;
  std::size_t count = open.size();
  while (!open.empty()) {
    const std::uint32_t s = open.back();
    open.pop_back();
    for (const std::uint32_t b : before[s]) {
      if (good[b] != 0) continue;
      good[b] = 1;
      ++count;
      open.push_back(b);
    }
  }
  return count == good.size();
}

}  // namespace

bool lets_tokens_wait(const Net& net) {
  return std::any_of(net.places.begin(), net.places.end(),
                     [](const Place& p) { return p.delay.numerator > 0 || p.awaited; });
}

bool orders_hold_all_runs(const Net& net) {
  return std::none_of(net.arcs.begin(), net.arcs.end(), [&](const Arc& a) {
    const Place& p = net.places[at(a.place.index)];
    return a.kind == ArcKind::inhibitor && (p.delay.numerator > 0 || p.awaited);
  });
}

std::optional<std::int64_t> TokenRules::common_ticks(const Net& net, Fraction also) {
  std::int64_t L = 1;
  const auto take = [&](const Fraction& time) {
    const auto multiple = common_multiple(L, time.denominator, most_ticks);
    if (!multiple) return false;
    L = *multiple;
    return static_cast<__int128>(time.numerator) * (L / time.denominator) <= INT64_MAX / 8;
  };
  if (!take(also)) return std::nullopt;
  for (const Place& p : net.places) {
    if (!take(p.delay)) return std::nullopt;
  }
  return L;
}

TokenRules::TokenRules(const Net& net, std::int64_t ticks_per_second, std::uint64_t most_at_once)
    : net_(net),
      topology_(net),
      taken_(net, inputs_only, true),
      cut_(net, interrupters_only, true),
      per_second_(ticks_per_second),
      most_at_once_(most_at_once) {
  for (const Place& p : net.places) {
    delay_.push_back(p.delay.numerator * (per_second_ / p.delay.denominator));
    waits_.push_back(delay_.back() > 0 || p.awaited ? 1 : 0);
  }
  std::map<std::string, std::vector<int>> by_name;
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    const std::string& event = net.transitions[t].event;
    if (!event.empty()) by_name[event].push_back(static_cast<int>(t));
  }
  for (auto& [name, transitions] : by_name) events_.push_back(std::move(transitions));
  find_free_transitions();
}

// Nobody else takes from its inputs, nobody is inhibited by what it touches, nor is it, and nobody
// interrupts there: what an interruption leaves depends on what came before it.
void TokenRules::find_free_transitions() {
  reduces_ = !net_.has_priorities() && orders_hold_all_runs(net_);
  const Neighbours interrupters(net_, interrupters_only, false);
  for (std::size_t i = 0; i < net_.transitions.size(); ++i) {
    const int t = static_cast<int>(i);
    bool is_free = reduces_ && topology_.inhibitors[t].empty();
    for (const auto& [p, w] : topology_.inputs[t]) {
      is_free = is_free && topology_.consumers[p].size() == 1 && topology_.inhibited[p].empty() &&
                interrupters[p].empty();
    }
    for (const auto& [p, w] : topology_.outputs[t]) {
      is_free = is_free && topology_.inhibited[p].empty() && interrupters[p].empty();
    }
    alone_.push_back(is_free ? 1 : 0);
  }
}

TokenState TokenRules::start() const {
  const std::vector<std::int64_t> zero(delay_.size(), 0);
  TokenState state{zero, zero, zero};
  for (std::size_t p = 0; p < delay_.size(); ++p) {
    if (net_.places[p].tokens > 0) put(state, static_cast<int>(p), net_.places[p].tokens);
  }
  return state;
}

std::string TokenRules::encode(const TokenState& s) const {
  std::string code;
  for (std::size_t p = 0; p < delay_.size(); ++p) {
    append_number(code, static_cast<std::uint64_t>(s.marking[p]));
    if (waits_[p] == 0) continue;
    append_number(code, static_cast<std::uint64_t>(s.waiting[p]));
    if (s.waiting[p] > 0) {
      append_number(code, static_cast<std::uint64_t>(s.left[p] - TokenState::running));
    }
  }
  return code;
}

TokenState TokenRules::decode(const std::string& code) const {
  const std::vector<std::int64_t> zero(delay_.size(), 0);
  TokenState s{zero, zero, zero};
  const char* at = code.data();
  for (std::size_t p = 0; p < delay_.size(); ++p) {
    s.marking[p] = take_number(at);
    if (waits_[p] == 0) continue;
    s.waiting[p] = take_number(at);
    if (s.waiting[p] > 0) s.left[p] = take_number(at) + TokenState::running;
  }
  return s;
}

std::size_t TokenRules::code_size(const std::string& code) const {
  const char* at = code.data();
  for (std::size_t p = 0; p < delay_.size(); ++p) {
    take_number(at);
    if (waits_[p] != 0 && take_number(at) > 0) take_number(at);
  }
  return static_cast<std::size_t>(at - code.data());
}

bool TokenRules::allows(const TokenState& s, int t) const {
  for (const auto& [p, w] : taken_[t]) {
    if (s.marking[at(p)] < w) return false;
  }
  for (const auto& [p, w] : cut_[t]) {
    if (s.marking[at(p)] + s.waiting[at(p)] < w) return false;
  }
  for (const auto& [p, w] : topology_.inhibitors[t]) {
    if (s.marking[at(p)] >= w) return false;
  }
  return true;
}

void TokenRules::begin_service(TokenState& s, int p) const {
  s.left[at(p)] = delay_[at(p)] > 0 ? delay_[at(p)] : TokenState::overdue;
}

void TokenRules::put(TokenState& s, int p, std::int64_t count) const {
  if (waits_[at(p)] == 0) {
    s.marking[at(p)] += count;
    return;
  }
  if (s.waiting[at(p)] == 0) begin_service(s, p);
  s.waiting[at(p)] += count;
}

void TokenRules::fire(TokenState& s, int t) const {
  for (const auto& [p, w] : taken_[t]) s.marking[at(p)] -= w;
  for (const auto& [p, w] : cut_[t]) {
    const std::int64_t ripe = std::min(w, s.marking[at(p)]);
    s.marking[at(p)] -= ripe;
    s.waiting[at(p)] -= w - ripe;
    if (s.waiting[at(p)] == 0) s.left[at(p)] = 0;
  }
  for (const auto& [p, w] : topology_.outputs[t]) put(s, p, w);
}

void TokenRules::ripen(TokenState& s, int p) const {
  --s.waiting[at(p)];
  ++s.marking[at(p)];
  s.left[at(p)] = 0;
  if (s.waiting[at(p)] > 0) begin_service(s, p);
}

void TokenRules::may_fire(const TokenState& s, std::vector<int>& result) const {
  result.clear();
  int highest = INT32_MIN;
  for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
    const Transition& transition = net_.transitions[at(t)];
    if (!transition.event.empty() || transition.priority < highest || !allows(s, t)) continue;
    if (alone_[at(t)] != 0) {
      result.assign(1, t);
      return;
    }
    if (transition.priority > highest) result.clear();
    highest = transition.priority;
    result.push_back(t);
  }
}

void TokenRules::first_of(const TokenState& s, const std::vector<int>& of_event,
                          std::vector<int>& result) const {
  result.clear();
  const auto priority = [&](int t) { return net_.transitions[at(t)].priority; };
  for (const int t : of_event) {
    if (!result.empty() && priority(t) < priority(result.front())) continue;
    if (!allows(s, t)) continue;
    if (!result.empty() && priority(t) > priority(result.front())) result.clear();
    result.push_back(t);
  }
}

Instant TokenRules::settle(const TokenState& from, const RaisedEvent& event,
                           InstantTally& tally) const {
  Instant instant;
  std::unordered_map<std::string, std::uint32_t> seen;  // with what is pending
  std::vector<std::vector<int>> pending{event.pending};
  std::vector<std::vector<std::uint32_t>> before(1);
  const auto key = [](std::string code, const std::vector<int>& rest) {
    for (const int t : rest) append_number(code, static_cast<std::uint64_t>(t));
    return code;
  };
  const auto add = [&](const TokenState& state, std::vector<int> rest, std::uint32_t parent,
                       int by) {
    std::string code = encode(state);
    const auto [found, fresh] =
        seen.emplace(key(code, rest), static_cast<std::uint32_t>(instant.codes.size()));
    if (!fresh) {
      before[found->second].push_back(parent);
      return;
    }
    instant.codes.push_back(std::move(code));
    instant.parent.push_back(parent);
    instant.by.push_back(by);
    pending.push_back(std::move(rest));
    before.push_back({parent});
  };
  instant.codes.push_back(encode(from));
  instant.parent.push_back(no_parent);
  instant.by.push_back(-1);
  seen.emplace(key(instant.codes.front(), event.pending), 0);

  std::vector<int> enabled, held;
  std::unordered_map<std::string, bool> rested;
  for (std::uint32_t i = 0; i < instant.codes.size(); ++i) {
    check_interrupt();
    const TokenState state = decode(instant.codes[i]);
    const std::vector<int> rest = pending[i];
    for (std::size_t p = 0; p < delay_.size(); ++p) {
      tally.most[p] = std::max(tally.most[p], state.marking[p] + state.waiting[p]);
    }
    const auto fire_one = [&](int t, std::vector<int> still) {
      TokenState next = state;
      fire(next, t);
      ++tally.fired[at(t)];
      add(next, std::move(still), i, t);
    };
    may_fire(state, enabled);
    for (const int t : enabled) fire_one(t, rest);
    if (enabled.empty()) {
      first_of(state, rest, enabled);
      for (const int t : enabled) {
        std::vector<int> still = rest;
        std::erase(still, t);
        fire_one(t, std::move(still));
      }
      if (enabled.empty()) instant.settled.push_back(i);
      for (std::size_t e = 0; event.held && !rest.empty() && e < events_.size(); ++e) {
        first_of(state, events_[e], held);
        for (const int t : held) fire_one(t, rest);
      }
    }
    if (instant.codes.size() > most_at_once_) {
      instant.cut = instant.endless = true;
      break;
    }
  }
  // a loop of firings that takes no time and is never left
  instant.endless = instant.endless || !all_settle(instant, before);
  std::erase_if(instant.settled,
                [&](std::uint32_t i) { return !rested.emplace(instant.codes[i], true).second; });
  return instant;
}

std::vector<int> TokenRules::firings_to(const Instant& instant, std::uint32_t state) {
  std::vector<int> firings;
  for (; instant.parent[state] != no_parent; state = instant.parent[state]) {
    firings.push_back(instant.by[state]);
  }
  std::reverse(firings.begin(), firings.end());
  return firings;
}

}  // namespace molejo
