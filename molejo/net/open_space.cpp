#include "molejo/net/open_space.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <unordered_map>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/schedule.h"
#include "molejo/net/token_rules.h"
#include "molejo/net/wait_zone.h"

namespace molejo {

namespace {

Net with_deadline(Net net, const std::optional<Fraction>& deadline) {
  if (deadline) net.places.push_back({.name = "deadline", .delay = *deadline, .tokens = 1});
  return net;
}

// A class: in `state` those whose wait goes on are marked as running, `waits` lists them.
struct OpenState {
  TokenState state;
  std::vector<int> waits;
  WaitZone zone;
};

// What leads from a class to others: waits that end, or a word; then one instant.
struct OpenStep {
  bool sure = true;
  std::vector<int> over;      // waits that end
  std::vector<int> finished;  // awaited actions that the world calls over
  Instant instant;
  bool too_many = false;  // more choices than are looked at
};

}  // namespace

struct OpenSpace::Store {
  Store(const Net& the_net, const OpenSettings& the_settings);

  const Net& given;
  const Net net;  // with the deadline
  OpenSettings settings;
  TokenRules rules;
  InstantTally sure_tally, tally;

  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<const std::string*> codes;
  std::vector<std::uint32_t> parent;
  std::vector<std::vector<Edge>> edges;
  std::uint32_t start_count = 0, sure_count = 0;
  std::uint64_t memory = 0;
  bool endless = false, cut = false;
  TimedEnd end = TimedEnd::complete;

  std::string encode(const OpenState& open) const;
  OpenState decode(const std::string& code) const;
  OpenState next(const OpenState& from, const WaitZone& zone, const std::string& settled) const;
  void take(const OpenStep& step, const OpenState& from, const WaitZone& zone, std::uint32_t number,
            bool ends_waits);
  std::uint32_t add(std::string code, std::uint32_t from);
  // f(step, zone, ends_waits) for everything that may come next by itself or by words.
  template <class F>
  void steps(const OpenState& from, InstantTally& count, F&& f) const;
  // The same for what events that are held add; `all`: and what they do as raised ones would.
  template <class F>
  void held_steps(const OpenState& from, bool all, InstantTally& count, F&& f) const;
  template <class F>
  void ends_of_waits(const OpenState& from, WaitZone zone, std::size_t wait, std::vector<int>& over,
                     InstantTally& count, F& f) const;
  template <class F>
  void end_waits(const OpenState& from, const WaitZone& zone, const std::vector<int>& over,
                 InstantTally& count, F& f) const;
  bool all_go_on(WaitZone& zone) const;
  MarkingView view(const OpenState& open, std::vector<std::int64_t>& all) const;
  bool is_reached(const OpenState& open) const;
  bool enables_events(const TokenState& state) const;
  void explore(bool held);
  bool late(const OpenState& open) const {
    return settings.deadline && open.state.marking.back() > 0;
  }
  bool is_final(const OpenState& open) const;
  OpenStep find_step(const OpenState& from, const std::string& to, std::string& settled) const;
};

OpenSpace::Store::Store(const Net& the_net, const OpenSettings& the_settings)
    : given(the_net),
      net(with_deadline(the_net, the_settings.deadline)),
      settings(the_settings),
      rules(net, *TokenRules::common_ticks(net), the_settings.most_at_once),
      sure_tally(net),
      tally(net) {
  OpenStep step;
  step.instant = rules.settle(rules.start(), {}, sure_tally);
  const OpenState nothing{rules.decode(step.instant.codes.front()), {}, {}};
  take(step, nothing, {}, no_parent, true);
  start_count = static_cast<std::uint32_t>(codes.size());
  explore(false);
  sure_count = static_cast<std::uint32_t>(codes.size());
  tally = sure_tally;
  const bool several = std::any_of(rules.events().begin(), rules.events().end(),
                                   [](const std::vector<int>& e) { return e.size() > 1; });
  if (settings.holds && (several || settings.until) && end == TimedEnd::complete) explore(true);
  if (end == TimedEnd::complete && endless) end = TimedEnd::endless;
}

std::string OpenSpace::Store::encode(const OpenState& open) const {
  std::string code = rules.encode(open.state);
  open.zone.append_to(code);
  return code;
}

OpenState OpenSpace::Store::decode(const std::string& code) const {
  OpenState open{rules.decode(code), {}, {}};
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    if (open.state.left[p] == TokenState::running) open.waits.push_back(static_cast<int>(p));
  }
  open.zone = WaitZone::read(code.data() + rules.code_size(code), open.waits.size());
  return open;
}

// The class of a settled state: waits that were there go on, others begin, then time passes.
OpenState OpenSpace::Store::next(const OpenState& from, const WaitZone& zone,
                                 const std::string& settled) const {
  OpenState open{rules.decode(settled), {}, zone};
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < from.waits.size(); ++i) {
    if (open.state.left[at(from.waits[i])] == TokenState::running) kept.push_back(i);
  }
  open.zone.keep(kept);
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    std::int64_t& left = open.state.left[p];
    if (left == 0 || left == TokenState::overdue) continue;
    if (left > 0) open.zone.insert(open.waits.size(), left);
    left = TokenState::running;
    open.waits.push_back(static_cast<int>(p));
  }
  open.zone.let_time_pass();
  return open;
}

std::uint32_t OpenSpace::Store::add(std::string code, std::uint32_t from) {
  constexpr std::uint64_t overhead = 160;  // of the table and the lists, about
  const std::size_t size = code.size();
  const auto [found, fresh] =
      numbers.emplace(std::move(code), static_cast<std::uint32_t>(codes.size()));
  if (fresh) {
    codes.push_back(&found->first);
    parent.push_back(from);
    edges.emplace_back();
    memory += size + overhead;
  }
  return found->second;
}

void OpenSpace::Store::take(const OpenStep& step, const OpenState& from, const WaitZone& zone,
                            std::uint32_t number, bool ends_waits) {
  endless = endless || step.instant.endless;
  if (step.instant.cut) cut = true, end = TimedEnd::endless;
  if (step.too_many) end = TimedEnd::max_states;
  for (const std::uint32_t i : step.instant.settled) {
    const std::uint32_t to = add(encode(next(from, zone, step.instant.codes[i])), number);
    if (number == no_parent) continue;
    std::vector<Edge>& list = edges[number];
    const auto same = [&](const Edge& e) { return e.to == to && e.ends_waits == ends_waits; };
    // those that are sure come first
    if (std::any_of(list.begin(), list.end(), same)) continue;
    list.push_back({to, step.sure, ends_waits});
    memory += sizeof(Edge);
  }
}

template <class F>
void OpenSpace::Store::steps(const OpenState& from, InstantTally& count, F&& f) const {
  std::vector<int> over;
  ends_of_waits(from, from.zone, 0, over, count, f);
  WaitZone zone = from.zone;
  if (!all_go_on(zone)) return;
  std::vector<int> first;
  for (const std::vector<int>& event : rules.events()) {
    rules.first_of(from.state, event, first);
    if (first.empty()) continue;
    OpenStep step;
    step.instant = rules.settle(from.state, {event, false}, count);
    f(step, zone, false);
  }
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    if (from.state.waiting[p] == 0 || from.state.left[p] != TokenState::overdue) continue;
    OpenStep step;
    step.finished.push_back(static_cast<int>(p));
    TokenState state = from.state;
    rules.ripen(state, static_cast<int>(p));
    step.instant = rules.settle(state, {}, count);
    f(step, zone, false);
  }
}

template <class F>
void OpenSpace::Store::held_steps(const OpenState& from, bool all, InstantTally& count,
                                  F&& f) const {
  WaitZone zone = from.zone;
  if (!all_go_on(zone)) return;
  OpenStep step;
  step.sure = false;
  std::vector<int> first;
  for (const std::vector<int>& event : rules.events()) {
    rules.first_of(from.state, event, first);
    if (first.empty() || (!all && event.size() == 1)) continue;
    if (event.size() > 1) {
      step.instant = rules.settle(from.state, {event, true}, count);
      f(step, zone, false);
    }
    for (const int t : first) {
      TokenState state = from.state;
      rules.fire(state, t);
      step.instant = rules.settle(state, {}, count);
      f(step, zone, false);
    }
  }
}

bool OpenSpace::Store::all_go_on(WaitZone& zone) const {
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (!zone.only_going_on(i)) return false;
  }
  return true;
}

// Each wait ends now or goes on, as far as the zone allows.
template <class F>
void OpenSpace::Store::ends_of_waits(const OpenState& from, WaitZone zone, std::size_t wait,
                                     std::vector<int>& over, InstantTally& count, F& f) const {
  if (wait == from.waits.size()) {
    if (!over.empty()) end_waits(from, zone, over, count, f);
    return;
  }
  WaitZone ending = zone;
  if (ending.only_over(wait)) {
    over.push_back(from.waits[wait]);
    ends_of_waits(from, std::move(ending), wait + 1, over, count, f);
    over.pop_back();
  }
  if (zone.only_going_on(wait)) {
    ends_of_waits(from, std::move(zone), wait + 1, over, count, f);
  }
}

// Of the awaited ones any may have been called over before.
template <class F>
void OpenSpace::Store::end_waits(const OpenState& from, const WaitZone& zone,
                                 const std::vector<int>& over, InstantTally& count, F& f) const {
  std::vector<int> awaited;
  for (const int p : over) {
    if (net.places[at(p)].awaited) awaited.push_back(p);
  }
  constexpr std::size_t most = 16;  // that end together
  if (awaited.size() > most) {
    OpenStep step;
    step.too_many = true;
    return f(step, zone, true);
  }
  for (std::uint32_t told = 0; told < 1U << awaited.size(); ++told) {
    check_interrupt();
    OpenStep step;
    step.over = over;
    TokenState state = from.state;
    for (const int p : over) {
      const auto i = std::find(awaited.begin(), awaited.end(), p) - awaited.begin();
      if (net.places[at(p)].awaited && (told >> i & 1) == 0) {
        state.left[at(p)] = TokenState::overdue;
        continue;
      }
      rules.ripen(state, p);
      if (net.places[at(p)].awaited) step.finished.push_back(p);
    }
    step.instant = rules.settle(state, {}, count);
    f(step, zone, true);
  }
}

bool OpenSpace::Store::enables_events(const TokenState& state) const {
  for (const std::vector<int>& event : rules.events()) {
    for (const int t : event) {
      if (rules.allows(state, t)) return true;
    }
  }
  return false;
}

// Nothing waits, not even for a word, and no event would fire anything.
bool OpenSpace::Store::is_final(const OpenState& open) const {
  const std::vector<std::int64_t>& waiting = open.state.waiting;
  return std::all_of(waiting.begin(), waiting.end(), [](std::int64_t n) { return n == 0; }) &&
         !enables_events(open.state);
}

MarkingView OpenSpace::Store::view(const OpenState& open, std::vector<std::int64_t>& all) const {
  all.resize(net.places.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p] = open.state.marking[p] + open.state.waiting[p];
  }
  return {.tokens = all,
          .waiting = open.state.waiting,
          .deadlock = is_final(open),
          .is_enabled = [this, &open](int t) { return rules.allows(open.state, t); }};
}

bool OpenSpace::Store::is_reached(const OpenState& open) const {
  std::vector<std::int64_t> all;
  return settings.until && settings.until->holds(view(open, all));
}

// `held`: what events that are held do besides; the classes that were found before are there.
void OpenSpace::Store::explore(bool held) {
  InstantTally& count = held ? tally : sure_tally;
  for (std::uint32_t i = 0; i < codes.size() && end == TimedEnd::complete; ++i) {
    check_interrupt();
    if (settings.cancelled && *settings.cancelled) throw NetError("cancelled");
    const OpenState open = decode(*codes[i]);
    if (late(open)) continue;
    const auto take_step = [&](const OpenStep& step, const WaitZone& zone, bool ends_waits) {
      take(step, open, zone, i, ends_waits);
    };
    const bool reached = is_reached(open);
    if (!reached && (!held || i >= sure_count)) steps(open, count, take_step);
    if (held) held_steps(open, reached, count, take_step);
    if (codes.size() > settings.max_states && end == TimedEnd::complete) {
      end = TimedEnd::max_states;
    } else if (memory > settings.max_memory) {
      end = TimedEnd::max_memory;
    }
  }
}

// A step of raised events from a class that leads to another; `settled`: the state in which its
// instant ends.
OpenStep OpenSpace::Store::find_step(const OpenState& from, const std::string& to,
                                     std::string& settled) const {
  OpenStep found;
  bool has = false;
  InstantTally unused(net);
  steps(from, unused, [&](const OpenStep& step, const WaitZone& zone, bool) {
    for (const std::uint32_t i : step.instant.settled) {
      if (has || encode(next(from, zone, step.instant.codes[i])) != to) continue;
      has = true;
      found = step;
      found.instant.settled.assign(1, i);
      settled = step.instant.codes[i];
    }
  });
  assert(has);
  return found;
}

bool OpenSpace::explores(const Net& net, Fraction deadline) {
  return TokenRules::common_ticks(net, deadline).has_value();
}

OpenSpace::OpenSpace(const Net& net, const OpenSettings& settings)
    : store_(std::make_unique<Store>(net, settings)) {}
OpenSpace::~OpenSpace() = default;
OpenSpace::OpenSpace(OpenSpace&&) noexcept = default;

const Net& OpenSpace::net() const { return store_->given; }
std::uint64_t OpenSpace::bytes() const { return store_->memory; }
TimedEnd OpenSpace::end() const { return store_->end; }
bool OpenSpace::finds_all() const {
  return store_->end == TimedEnd::complete || (store_->end == TimedEnd::endless && !store_->cut);
}
std::uint32_t OpenSpace::size() const { return static_cast<std::uint32_t>(store_->codes.size()); }
std::uint32_t OpenSpace::sure() const { return store_->sure_count; }
std::uint32_t OpenSpace::starts() const { return store_->start_count; }
std::uint64_t OpenSpace::fired(TransitionId t, bool sure) const {
  return (sure ? store_->sure_tally : store_->tally).fired[at(t.index)];
}
std::span<const OpenSpace::Edge> OpenSpace::edges(std::uint32_t state) const {
  return store_->edges[state];
}
bool OpenSpace::interleaves() const { return store_->rules.interleaves(); }
const std::vector<std::int64_t>& OpenSpace::bounds() const { return store_->tally.most; }

void OpenSpace::tokens(std::uint32_t state, std::span<std::int64_t> all,
                       std::span<std::int64_t> waiting) const {
  const TokenState s = store_->rules.decode(*store_->codes[state]);
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = s.marking[p] + s.waiting[p];
  std::copy_n(s.waiting.begin(), waiting.size(), waiting.begin());
}

bool OpenSpace::is_enabled(std::uint32_t state, int transition) const {
  return store_->rules.allows(store_->rules.decode(*store_->codes[state]), transition);
}
bool OpenSpace::is_final(std::uint32_t state) const {
  return store_->is_final(store_->decode(*store_->codes[state]));
}
bool OpenSpace::may_stay(std::uint32_t state) const {
  return store_->decode(*store_->codes[state]).waits.empty();
}
bool OpenSpace::is_late(std::uint32_t state) const {
  return store_->late(store_->decode(*store_->codes[state]));
}

bool OpenSpace::may_be_left(std::uint32_t state) const {
  return store_->settings.holds &&
         store_->enables_events(store_->decode(*store_->codes[state]).state);
}

std::vector<int> OpenSpace::waits_through(std::uint32_t from, std::uint32_t to) const {
  const Store& s = *store_;
  const OpenState open = s.decode(*s.codes[from]);
  std::vector<int> kept = open.waits;
  InstantTally unused(s.net);
  const auto look = [&](const OpenStep& step, const WaitZone& zone, bool) {
    for (const std::uint32_t i : step.instant.settled) {
      const std::string& settled = step.instant.codes[i];
      if (s.encode(s.next(open, zone, settled)) != *s.codes[to]) continue;
      const TokenState after = s.rules.decode(settled);
      std::erase_if(kept, [&](int p) { return after.left[at(p)] != TokenState::running; });
    }
  };
  s.steps(open, unused, look);
  if (s.settings.holds) s.held_steps(open, true, unused, look);
  return kept;
}

std::vector<std::uint32_t> OpenSpace::path_to(std::uint32_t state) const {
  std::vector<std::uint32_t> path;
  for (; state != no_parent; state = store_->parent[state]) path.push_back(state);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<TimedFiring> OpenSpace::trace(std::span<const std::uint32_t> path,
                                          Fraction* end) const {
  const Store& s = *store_;
  Schedule schedule;
  std::vector<std::size_t> began(s.net.places.size(), 0);  // at which instant each wait began
  std::vector<std::vector<TimedFiring>> said;              // and done at each instant
  InstantTally unused(s.net);
  for (std::size_t k = 0; k < path.size(); ++k) {
    OpenStep step;
    std::string settled;
    if (k == 0) {
      step.instant = s.rules.settle(s.rules.start(), {}, unused);
      const OpenState nothing{s.rules.start(), {}, {}};
      for (const std::uint32_t i : step.instant.settled) {
        const std::string& code = step.instant.codes[i];
        if (s.encode(s.next(nothing, {}, code)) != *s.codes[path[0]]) continue;
        settled = code;
        step.instant.settled.assign(1, i);
        break;
      }
    } else {
      const OpenState from = s.decode(*s.codes[path[k - 1]]);
      step = s.find_step(from, *s.codes[path[k]], settled);
      schedule.add_instant();
      for (const int p : from.waits) {
        const bool over = std::find(step.over.begin(), step.over.end(), p) != step.over.end();
        const std::int64_t delay = s.rules.delay(p);
        over ? schedule.exactly_after(began[at(p)], delay)
             : schedule.less_than_after(began[at(p)], delay);
      }
    }
    std::vector<TimedFiring>& now = said.emplace_back();
    for (const int p : step.finished) now.push_back({{}, {}, {p}});
    for (const int t : TokenRules::firings_to(step.instant, step.instant.settled[0])) {
      now.push_back({{}, {t}, {}});
    }
    const TokenState after = s.rules.decode(settled);
    for (std::size_t p = 0; p < began.size(); ++p) {
      if (after.left[p] > 0) began[p] = k;
    }
  }
  const std::vector<Fraction> times = schedule.earliest(s.rules.ticks_per_second());
  std::vector<TimedFiring> trace;
  for (std::size_t k = 0; k < said.size(); ++k) {
    for (TimedFiring& f : said[k]) {
      f.time = times[k];
      trace.push_back(f);
    }
  }
  if (end) *end = times.back();
  return trace;
}

}  // namespace molejo
