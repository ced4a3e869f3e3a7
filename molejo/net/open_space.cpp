#include "molejo/net/open_space.h"

#include <algorithm>
#include <cassert>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/rest_store.h"
#include "molejo/net/schedule.h"
#include "molejo/net/wait_zone.h"

namespace molejo {

namespace {

// Null: without a deadline it is the net itself.
std::unique_ptr<const Net> with_deadline(const Net& net, const std::optional<Fraction>& deadline) {
  if (!deadline) return nullptr;
  auto more = std::make_unique<Net>(net);
  more->places.push_back({.name = "deadline", .delay = *deadline, .tokens = 1});
  return more;
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

struct OpenSpace::Open final : RestStore {
  Open(const Net& the_net, const OpenSettings& the_settings);

  const Net& net;  // with the deadline
  const OpenSettings settings;
  InstantTally sure_tally;

  std::vector<std::vector<Edge>> edges;
  std::uint32_t sure_count = 0;

  std::string encode(const OpenState& open) const;
  OpenState decode(const std::string& code) const;
  OpenState next(const OpenState& from, const WaitZone& zone, const std::string& settled) const;
  void take(const OpenStep& step, const OpenState& from, const WaitZone& zone, std::uint32_t number,
            bool ends_waits);
  std::uint32_t add_class(std::string code, std::uint32_t from);
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

OpenSpace::Open::Open(const Net& the_net, const OpenSettings& the_settings)
    : RestStore(the_net, with_deadline(the_net, the_settings.deadline), the_settings),
      net(rules.net()),
      settings(the_settings),
      sure_tally(net) {
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

std::string OpenSpace::Open::encode(const OpenState& open) const {
  std::string code = rules.encode(open.state);
  open.zone.append_to(code);
  return code;
}

OpenState OpenSpace::Open::decode(const std::string& code) const {
  OpenState open{rules.decode(code), {}, {}};
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    if (open.state.left[p] == TokenState::running) open.waits.push_back(static_cast<int>(p));
  }
  open.zone = WaitZone::read(code.data() + rules.code_size(code), open.waits.size());
  return open;
}

// The class of a settled state: waits that were there go on, others begin, then time passes.
OpenState OpenSpace::Open::next(const OpenState& from, const WaitZone& zone,
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
    check_interrupt();
    if (left > 0) open.zone.insert(open.waits.size(), left);
    left = TokenState::running;
    open.waits.push_back(static_cast<int>(p));
  }
  open.zone.let_time_pass();
  return open;
}

std::uint32_t OpenSpace::Open::add_class(std::string code, std::uint32_t from) {
  const auto [number, fresh] = add(std::move(code), from);
  if (fresh) {
    edges.emplace_back();
    memory += sizeof edges.back();
  }
  return number;
}

void OpenSpace::Open::take(const OpenStep& step, const OpenState& from, const WaitZone& zone,
                           std::uint32_t number, bool ends_waits) {
  endless = endless || step.instant.endless;
  if (step.instant.cut) cut = true, end = TimedEnd::endless;
  if (step.too_many) end = TimedEnd::max_states;
  for (const std::uint32_t i : step.instant.settled) {
    const std::uint32_t to = add_class(encode(next(from, zone, step.instant.codes[i])), number);
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
void OpenSpace::Open::steps(const OpenState& from, InstantTally& count, F&& f) const {
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
void OpenSpace::Open::held_steps(const OpenState& from, bool all, InstantTally& count,
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

bool OpenSpace::Open::all_go_on(WaitZone& zone) const {
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (!zone.only_going_on(i)) return false;
  }
  return true;
}

// Each wait ends now or goes on, as far as the zone allows.
template <class F>
void OpenSpace::Open::ends_of_waits(const OpenState& from, WaitZone zone, std::size_t wait,
                                    std::vector<int>& over, InstantTally& count, F& f) const {
  check_interrupt();
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
void OpenSpace::Open::end_waits(const OpenState& from, const WaitZone& zone,
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

bool OpenSpace::Open::enables_events(const TokenState& state) const {
  for (const std::vector<int>& event : rules.events()) {
    for (const int t : event) {
      if (rules.allows(state, t)) return true;
    }
  }
  return false;
}

// Nothing waits, not even for a word, and no event would fire anything.
bool OpenSpace::Open::is_final(const OpenState& open) const {
  const std::vector<std::int64_t>& waiting = open.state.waiting;
  return std::all_of(waiting.begin(), waiting.end(), [](std::int64_t n) { return n == 0; }) &&
         !enables_events(open.state);
}

MarkingView OpenSpace::Open::view(const OpenState& open, std::vector<std::int64_t>& all) const {
  all.resize(net.places.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p] = open.state.marking[p] + open.state.waiting[p];
  }
  return {.tokens = all,
          .waiting = open.state.waiting,
          .deadlock = is_final(open),
          .is_enabled = [this, &open](int t) { return rules.allows(open.state, t); }};
}

bool OpenSpace::Open::is_reached(const OpenState& open) const {
  std::vector<std::int64_t> all;
  return settings.until && settings.until->holds(view(open, all));
}

// `held`: what events that are held do besides; the classes that were found before are there.
void OpenSpace::Open::explore(bool held) {
  InstantTally& count = held ? tally : sure_tally;
  for (std::uint32_t i = 0; i < codes.size() && end == TimedEnd::complete; ++i) {
    check_interrupt();
    const OpenState open = decode(*codes[i]);
    if (late(open)) continue;
    const auto take_step = [&](const OpenStep& step, const WaitZone& zone, bool ends_waits) {
      take(step, open, zone, i, ends_waits);
    };
    const bool reached = is_reached(open);
    if (!reached && (!held || i >= sure_count)) steps(open, count, take_step);
    if (held) held_steps(open, reached, count, take_step);
    keep_limits();
  }
}

// A step of raised events from a class that leads to another; `settled`: the state in which its
// instant ends.
OpenStep OpenSpace::Open::find_step(const OpenState& from, const std::string& to,
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
    : RestSpace(std::make_unique<Open>(net, settings)) {}
OpenSpace::~OpenSpace() = default;
OpenSpace::OpenSpace(OpenSpace&&) noexcept = default;

const OpenSpace::Open& OpenSpace::open() const { return static_cast<const Open&>(*store_); }
std::uint32_t OpenSpace::sure() const { return open().sure_count; }
std::uint64_t OpenSpace::fired(TransitionId t, bool sure) const {
  return (sure ? open().sure_tally : store_->tally).fired[at(t.index)];
}
std::span<const OpenSpace::Edge> OpenSpace::edges(std::uint32_t state) const {
  return open().edges[state];
}

bool OpenSpace::is_final(std::uint32_t state) const {
  return open().is_final(open().decode(*store_->codes[state]));
}
bool OpenSpace::may_stay(std::uint32_t state) const {
  return open().decode(*store_->codes[state]).waits.empty();
}
bool OpenSpace::is_late(std::uint32_t state) const {
  return open().late(open().decode(*store_->codes[state]));
}

bool OpenSpace::may_be_left(std::uint32_t state) const {
  return open().settings.holds && open().enables_events(store_->state(state));
}

std::vector<int> OpenSpace::waits_through(std::uint32_t from, std::uint32_t to) const {
  const Open& s = open();
  const OpenState before = s.decode(*s.codes[from]);
  std::vector<int> kept = before.waits;
  InstantTally unused(s.net);
  const auto look = [&](const OpenStep& step, const WaitZone& zone, bool) {
    for (const std::uint32_t i : step.instant.settled) {
      const std::string& settled = step.instant.codes[i];
      if (s.encode(s.next(before, zone, settled)) != *s.codes[to]) continue;
      const TokenState after = s.rules.decode(settled);
      std::erase_if(kept, [&](int p) { return after.left[at(p)] != TokenState::running; });
    }
  };
  s.steps(before, unused, look);
  if (s.settings.holds) s.held_steps(before, true, unused, look);
  return kept;
}

std::vector<TimedFiring> OpenSpace::trace(std::span<const std::uint32_t> path,
                                          Fraction* end) const {
  const Open& s = open();
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
