#include "molejo/net/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/enabled_set.h"
#include "molejo/net/snapshot.h"

namespace molejo {

namespace {

constexpr std::int64_t largest_tick = 4'000'000'000'000'000'000;
constexpr std::int64_t most_ticks_per_second = 1'000'000'000'000'000;
constexpr std::int64_t most_for_times = 10'000'000'000'000;  // days can be counted in such ticks
constexpr std::int64_t most_tokens = 4'000'000'000'000'000'000;
constexpr std::size_t most_calls = 20'000'000, most_dues = 20'000'000;  // of a snapshot

std::uint64_t mixed(std::uint64_t x) {  // the finalizer of splitmix64 (Steele et al. 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

std::int64_t usual_firings_at_once(const Net& net) {
  return 10'000 + 20 * static_cast<std::int64_t>(net.transitions.size());
}

// The end of a wait that has begun; out of date when the place counts another service.
struct Due {
  int place;
  std::uint32_t service;
};

// Waits by the tick at which they end, in the order in which they began.
class Calendar {
 public:
  void add(std::int64_t tick, Due due) {
    if (last_ == days_.end() || last_->first != tick) {
      last_ = days_.find(tick);
      if (last_ == days_.end()) last_ = add_day(tick);
    }
    last_->second.push_back(due);
  }
  void clear() {
    days_.clear();
    last_ = days_.end();
  }
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [tick, dues] : days_) {
      for (const Due& due : dues) f(tick, due);
    }
  }
  bool empty() const { return days_.empty(); }
  std::int64_t first_tick() const { return days_.begin()->first; }
  const std::vector<Due>& first_dues() const { return days_.begin()->second; }
  // The dues of the first tick replace `dues`, whose memory serves a later one.
  void take_first(std::vector<Due>& dues) {
    if (last_ == days_.begin()) last_ = days_.end();
    auto node = days_.extract(days_.begin());
    dues.swap(node.mapped());
    if (spare_.size() < 64) spare_.push_back(std::move(node));
  }

 private:
  using Days = std::map<std::int64_t, std::vector<Due>>;
  Days::iterator add_day(std::int64_t tick) {
    if (spare_.empty()) return days_.emplace(tick, std::vector<Due>()).first;
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = tick;
    node.mapped().clear();
    return days_.insert(std::move(node)).position;
  }

  Days days_;
  Days::iterator last_ = days_.end();  // where the last wait was put: often again
  std::vector<Days::node_type> spare_;
};

// A place while it runs: what a firing touches lies together.
struct PlaceNow {
  enum Flag : std::uint8_t { serving = 1, called = 2, awaits = 4, told = 8, overdue = 16 };

  std::int64_t marking = 0, waiting = 0;
  std::int64_t start = 0, delay = 0;  // ticks; start of the service
  std::uint32_t service = 0;          // counts the services
  int active_position = -1;           // in the list of places that serve a token
  int call = -1;                      // index into the calls of the frame, or -1
  std::uint8_t flags = 0;
  bool takers_only = true;  // no transition interrupts it or is inhibited by it

  bool has(Flag flag) const { return (flags & flag) != 0; }
  void set(Flag flag) { flags = static_cast<std::uint8_t>(flags | flag); }
};

struct TransitionNow {
  int missing = 0;  // conditions that it still lacks
  bool by_itself = true;
  bool held = false;   // its event is held
  bool alone = false;  // nobody else wants its tokens
};

struct NetRun::State {
  State(const Net& the_net, const RunSettings& the_settings);

  const Net& net;
  RunSettings settings;
  std::optional<std::uint64_t> of;             // its fingerprint, once somebody asked for it
  std::int64_t per_second = 1, per_frame = 1;  // ticks

  // the fixed part
  Topology topology;
  Neighbours takers, interrupters;      // transitions of a place
  Neighbours taken_inputs, cut_inputs;  // places of a transition
  std::map<std::string, std::vector<int>, std::less<>> events_of;

  // where everything is
  std::int64_t tick = 0, frame = 0;
  std::vector<PlaceNow> places;
  std::vector<TransitionNow> transitions;
  std::vector<int> active;  // places that serve a token
  Calendar dues;
  std::vector<Due> ended;      // those of the instant
  std::vector<int> unawaited;  // awaited places whose word comes as soon as all is at rest
  EnabledSet by_themselves, on_events;
  std::uint64_t random;
  RunStop stop = RunStop::none;
  std::int64_t firings_now = 0;

  // what the last frame brought
  std::vector<NetEvent> events;
  std::vector<ActionCall> calls;
  bool frame_open = false;
  std::int64_t frame_end = 0;  // services that start before it are called in this frame

  PlaceNow& place(int p) { return places[at(p)]; }
  TransitionNow& transition(int t) { return transitions[at(t)]; }
  void choose_ticks();
  bool is_alone(int transition) const;
  void log(NetEventKind kind, int node, std::int64_t count = 1) {
    events.push_back({tick, kind, node, count});
  }
  void condition(int transition, bool before, bool now);
  void set_tokens(int p, std::int64_t marking, std::int64_t waiting) {
    PlaceNow& at_p = place(p);
    const std::int64_t before = at_p.marking, all_before = before + at_p.waiting;
    at_p.marking = marking;
    at_p.waiting = waiting;
    if (marking != before) tell_takers(p, before, marking);
    if (!at_p.takers_only) tell_others(p, before, all_before);
  }
  void tell_takers(int place, std::int64_t before, std::int64_t now);
  void tell_others(int place, std::int64_t before, std::int64_t all_before);
  void put(int place, std::int64_t count);
  void begin_service(int place);
  void end_service(int place, bool interrupted);
  void ripen(int place);
  void cut(int place, std::int64_t count);
  void fire(int transition);
  int pick(std::span<const int> candidates);
  void settle();
  void come_to_rest();
  bool end_first_waits();
  void drop_old_dues();
  void open_frame();
  void play_until(std::int64_t target);

  template <class Archive>
  static void visit(Archive& a, Seen<Archive, State>& s);
  template <class Archive>
  static void visit_places(Archive& a, Seen<Archive, State>& s);
  template <class Archive>
  static void visit_dues(Archive& a, Seen<Archive, State>& s);
  template <class Archive>
  static void visit_enabled(Archive& a, Seen<Archive, EnabledSet>& set, std::size_t transitions);
  void count_missing();
  void check_enabled(const SnapshotReader& a) const;
};

NetRun::State::State(const Net& the_net, const RunSettings& the_settings)
    : net(the_net),
      settings(the_settings),
      topology(the_net),
      takers(the_net, inputs_only, false),
      interrupters(the_net, interrupters_only, false),
      taken_inputs(the_net, inputs_only, true),
      cut_inputs(the_net, interrupters_only, true),
      places(the_net.places.size()),
      transitions(the_net.transitions.size()),
      by_themselves(the_net),
      on_events(the_net),
      random(the_settings.seed) {
  choose_ticks();
  for (int t = 0; t < static_cast<int>(transitions.size()); ++t) {
    const std::string& event = net.transitions[at(t)].event;
    transition(t) = {.missing = static_cast<int>(topology.inputs[t].size()),
                     .by_itself = event.empty(),
                     .alone = is_alone(t)};
    if (!event.empty()) {
      events_of[event].push_back(t);
    } else if (transition(t).missing == 0) {
      by_themselves.insert(t);  // its inhibitors are empty so far
    }
  }
  for (int p = 0; p < static_cast<int>(places.size()); ++p) {
    place(p).takers_only = interrupters[p].empty() && topology.inhibited[p].empty();
    if (net.places[at(p)].awaited) place(p).set(PlaceNow::awaits);
  }
  for (int p = 0; p < static_cast<int>(places.size()); ++p) {
    if (net.places[at(p)].tokens > 0) put(p, net.places[at(p)].tokens);
  }
  come_to_rest();
}

bool NetRun::State::is_alone(int t) const {
  bool alone = topology.inhibitors[t].empty();
  for (const auto& [p, w] : topology.inputs[t]) {
    alone = alone && topology.consumers[p].size() == 1 && topology.inhibited[p].empty() &&
            interrupters[p].empty();
  }
  // what an interruption leaves depends on what came before it
  for (const auto& [p, w] : topology.outputs[t]) {
    alone = alone && topology.inhibited[p].empty() && interrupters[p].empty();
  }
  return alone;
}

void NetRun::State::choose_ticks() {
  const Fraction& rate = settings.frame_rate;
  if (rate.numerator <= 0) throw NetError("the frame rate must be greater than zero");
  std::int64_t L = rate.numerator;
  const auto take = [&](std::int64_t denominator, std::int64_t most) {
    const auto multiple = common_multiple(L, denominator, most);
    if (multiple) L = *multiple;
    return multiple.has_value();
  };
  const auto refuse = [] {
    throw NetError("the delays and the frame rate have no common tick that can be counted");
  };
  const Fraction one_frame(rate.denominator, rate.numerator);
  Fraction longest = std::max(one_frame, Fraction(1));
  for (const Place& p : net.places) {
    if (!take(p.delay.denominator, most_ticks_per_second)) refuse();
    longest = std::max(longest, p.delay);
  }
  // finer ticks leave what lasts long to be counted
  const std::int64_t most =
      std::min(most_for_times, largest_tick / 4 / ceil_product(longest, 1).value_or(largest_tick));
  for (const Fraction& time : settings.times) take(time.denominator, most);
  constexpr std::int64_t microsecond = 1'000'000;
  take(microsecond, most);
  per_second = L;
  const auto in_ticks = [&](const Fraction& seconds) {
    const __int128 ticks = static_cast<__int128>(L / seconds.denominator) * seconds.numerator;
    if (ticks > largest_tick / 4) refuse();
    return static_cast<std::int64_t>(ticks);
  };
  per_frame = in_ticks(one_frame);
  for (std::size_t p = 0; p < places.size(); ++p) places[p].delay = in_ticks(net.places[p].delay);
}

// One condition of a transition changed.
void NetRun::State::condition(int t, bool before, bool now) {
  if (before == now) return;
  TransitionNow& now_t = transition(t);
  const bool was_enabled = now_t.missing == 0;
  now_t.missing += now ? -1 : 1;
  const bool is_enabled = now_t.missing == 0;
  if (was_enabled == is_enabled) return;
  if (!now_t.by_itself && !now_t.held) return;
  EnabledSet& set = now_t.by_itself ? by_themselves : on_events;
  if (is_enabled) {
    set.insert(t);
  } else {
    set.remove(t);
  }
}

void NetRun::State::tell_takers(int p, std::int64_t before, std::int64_t now) {
  for (const auto& [t, w] : takers[p]) condition(t, before >= w, now >= w);
}

void NetRun::State::tell_others(int p, std::int64_t before, std::int64_t all_before) {
  const std::int64_t now = place(p).marking, all = now + place(p).waiting;
  for (const auto& [t, w] : interrupters[p]) condition(t, all_before >= w, all >= w);
  for (const auto& [t, w] : topology.inhibited[p]) condition(t, before < w, now < w);
}

void NetRun::State::put(int p, std::int64_t count) {
  const PlaceNow& at_p = place(p);
  if (at_p.marking + at_p.waiting > most_tokens - count) {
    stop = RunStop::overflow;
    return;
  }
  log(NetEventKind::arrive, p, count);
  if (at_p.delay == 0 && !at_p.has(PlaceNow::awaits)) {
    set_tokens(p, at_p.marking + count, at_p.waiting);
    return;
  }
  set_tokens(p, at_p.marking, at_p.waiting + count);
  if (!at_p.has(PlaceNow::serving)) begin_service(p);
}

void NetRun::State::begin_service(int p) {
  PlaceNow& at_p = place(p);
  if (tick > largest_tick - at_p.delay) {
    stop = RunStop::overflow;
    return;
  }
  const std::int64_t due = tick + at_p.delay;
  at_p.start = tick;
  at_p.flags = static_cast<std::uint8_t>((at_p.flags & PlaceNow::awaits) | PlaceNow::serving);
  ++at_p.service;
  if (at_p.delay > 0) {
    dues.add(due, {p, at_p.service});
    if (!settings.await) at_p.set(PlaceNow::told);
  } else {
    at_p.set(PlaceNow::overdue);
    if (!settings.await) unawaited.push_back(p);
  }
  at_p.active_position = static_cast<int>(active.size());
  active.push_back(p);
  log(NetEventKind::start, p);
  at_p.call = -1;
  if (tick < frame_end) {
    at_p.set(PlaceNow::called);
    at_p.call = static_cast<int>(calls.size());
    calls.push_back({.place = {p}, .stage = Stage::arrival, .start = tick, .due = due});
  }
}

void NetRun::State::end_service(int p, bool interrupted) {
  log(interrupted ? NetEventKind::interrupt : NetEventKind::finish, p);
  PlaceNow& at_p = place(p);
  if (at_p.call >= 0) {
    calls[at(at_p.call)].end = tick;
    calls[at(at_p.call)].interrupted = interrupted;
  }
  at_p.flags = static_cast<std::uint8_t>(at_p.flags & PlaceNow::awaits);
  ++at_p.service;
  const int last = active.back();
  active[at(at_p.active_position)] = last;
  place(last).active_position = at_p.active_position;
  at_p.active_position = -1;
  active.pop_back();
}

// The wait of the serving token is over.
void NetRun::State::ripen(int p) {
  end_service(p, false);
  const PlaceNow& at_p = place(p);
  set_tokens(p, at_p.marking + 1, at_p.waiting - 1);
  if (at_p.waiting > 0) begin_service(p);
}

// Takes tokens, ripe ones first, then such that wait behind, the serving one last.
void NetRun::State::cut(int p, std::int64_t count) {
  const PlaceNow& at_p = place(p);
  const std::int64_t ripe = std::min(count, at_p.marking);
  log(NetEventKind::leave, p, count);
  set_tokens(p, at_p.marking - ripe, at_p.waiting - (count - ripe));
  if (at_p.waiting == 0 && at_p.has(PlaceNow::serving)) end_service(p, true);
}

void NetRun::State::fire(int t) {
  log(NetEventKind::fire, t);
  for (const auto& [p, w] : taken_inputs[t]) {
    log(NetEventKind::leave, p, w);
    set_tokens(p, place(p).marking - w, place(p).waiting);
  }
  for (const auto& [p, w] : cut_inputs[t]) cut(p, w);
  for (const auto& [p, w] : topology.outputs[t]) put(p, w);
  if (++firings_now > settings.most_firings_at_once) stop = RunStop::endless;
}

int NetRun::State::pick(std::span<const int> candidates) {
  // who competes with nobody need not be drawn
  if (candidates.size() == 1 || transition(candidates.back()).alone) return candidates.back();
  random += 0x9e3779b97f4a7c15u;
  const auto i = static_cast<std::size_t>(
      static_cast<unsigned __int128>(mixed(random)) * candidates.size() >> 64);
  return candidates[i];
}

void NetRun::State::settle() {
  while (stop == RunStop::none) {
    check_interrupt();
    if (!by_themselves.empty()) {
      fire(pick(by_themselves.highest()));
    } else if (!on_events.empty()) {
      fire(pick(on_events.highest()));
    } else {
      return;
    }
  }
}

// Settles, and where nobody gives the word that an action is over, gives it: one after the other.
void NetRun::State::come_to_rest() {
  for (settle(); !unawaited.empty() && stop == RunStop::none; settle()) {
    const int p = unawaited.front();
    unawaited.erase(unawaited.begin());
    if (!place(p).has(PlaceNow::overdue)) continue;
    log(NetEventKind::outside, 0);
    ripen(p);
  }
}

// Forgets ticks at which no wait ends any more.
void NetRun::State::drop_old_dues() {
  const auto is_old = [&](const Due& d) { return place(d.place).service != d.service; };
  while (!dues.empty() && std::all_of(dues.first_dues().begin(), dues.first_dues().end(), is_old)) {
    dues.take_first(ended);
  }
}

// True when a token became ripe.
bool NetRun::State::end_first_waits() {
  bool ripe = false;
  dues.take_first(ended);
  for (const Due& due : ended) {
    PlaceNow& at_p = place(due.place);
    if (at_p.service != due.service) continue;
    if (at_p.has(PlaceNow::awaits) && !at_p.has(PlaceNow::told)) {
      at_p.set(PlaceNow::overdue);
      continue;
    }
    ripen(due.place);
    ripe = true;
  }
  return ripe;
}

// The next frame begins: what goes on is called in it.
void NetRun::State::open_frame() {
  if (frame_open) return;
  frame_open = true;
  frame_end = (frame + 1) * per_frame;
  events.clear();
  calls.clear();
  for (const int p : active) {
    PlaceNow& at_p = place(p);
    const Stage stage = at_p.has(PlaceNow::called) ? Stage::wait : Stage::arrival;
    at_p.set(PlaceNow::called);
    at_p.call = static_cast<int>(calls.size());
    calls.push_back({{p}, stage, at_p.start, at_p.start + at_p.delay});
  }
}

void NetRun::State::play_until(std::int64_t target) {
  for (drop_old_dues(); !dues.empty() && dues.first_tick() <= target; drop_old_dues()) {
    check_interrupt();
    if (dues.first_tick() > tick) firings_now = 0;
    tick = dues.first_tick();
    if (end_first_waits()) come_to_rest();
    if (stop != RunStop::none) return;
  }
  if (target > tick) firings_now = 0;
  tick = target;
}

NetRun::NetRun(const Net& net, const RunSettings& settings)
    : state_(std::make_unique<State>(net, settings)) {}
NetRun::~NetRun() = default;
NetRun::NetRun(NetRun&&) noexcept = default;
NetRun& NetRun::operator=(NetRun&&) noexcept = default;

bool NetRun::advance() {
  check_interrupt();
  State& s = *state_;
  if (s.stop != RunStop::none) return false;
  if (s.frame >= largest_tick / 2 / s.per_frame) {
    s.stop = RunStop::overflow;
    return false;
  }
  s.open_frame();
  s.play_until(s.frame_end);
  if (s.stop != RunStop::none) return false;
  ++s.frame;
  s.frame_open = false;
  return true;
}

void NetRun::advance_to(std::int64_t tick) {
  State& s = *state_;
  if (s.stop != RunStop::none || tick <= s.tick) return;
  s.open_frame();
  s.play_until(std::min(tick, s.frame_end));
}

int NetRun::raise(std::string_view event) {
  State& s = *state_;
  const auto found = s.events_of.find(event);
  if (found == s.events_of.end()) return 0;
  s.open_frame();
  std::vector<int> left = found->second, best;
  int fired = 0;
  while (s.stop == RunStop::none) {
    best.clear();
    for (const int t : left) {
      if (s.transition(t).missing != 0) continue;
      const auto priority = [&](int u) { return s.net.transitions[at(u)].priority; };
      if (!best.empty() && priority(t) > priority(best.front())) best.clear();
      if (best.empty() || priority(t) == priority(best.front())) best.push_back(t);
    }
    if (best.empty()) break;
    if (fired == 0) s.log(NetEventKind::outside, 0);
    const int t = s.pick(best);
    left.erase(std::find(left.begin(), left.end(), t));
    s.fire(t);
    s.settle();
    ++fired;
  }
  s.come_to_rest();
  return fired;
}

void NetRun::hold(std::string_view event, bool held) {
  State& s = *state_;
  const auto found = s.events_of.find(event);
  if (found == s.events_of.end()) return;
  s.open_frame();
  for (const int t : found->second) {
    TransitionNow& now = s.transition(t);
    if (now.held == held) continue;
    now.held = held;
    if (now.missing != 0) continue;
    if (held) {
      s.on_events.insert(t);
    } else {
      s.on_events.remove(t);
    }
  }
  if (s.on_events.empty()) return;
  s.log(NetEventKind::outside, 0);
  s.come_to_rest();
}

void NetRun::put(PlaceId place, std::int64_t tokens) {
  state_->open_frame();
  state_->log(NetEventKind::outside, 0);
  state_->put(place.index, tokens);
  state_->come_to_rest();
}

bool NetRun::fire(TransitionId transition) {
  if (!is_enabled(transition) || state_->stop != RunStop::none) return false;
  state_->open_frame();
  state_->log(NetEventKind::outside, 0);
  state_->fire(transition.index);
  state_->come_to_rest();
  return true;
}

void NetRun::finish(PlaceId place) {
  State& s = *state_;
  PlaceNow& now = s.place(place.index);
  if (!now.has(PlaceNow::serving)) return;
  s.open_frame();
  now.set(PlaceNow::told);
  if (!now.has(PlaceNow::overdue)) return;
  s.log(NetEventKind::outside, 0);
  s.ripen(place.index);
  s.come_to_rest();
}

std::span<const NetEvent> NetRun::events() const { return state_->events; }
bool NetRun::is_within_frame() const { return state_->frame_open; }
std::span<const ActionCall> NetRun::calls() const { return state_->calls; }
std::int64_t NetRun::frame() const { return state_->frame; }
std::int64_t NetRun::tick() const { return state_->tick; }
std::int64_t NetRun::ticks_per_second() const { return state_->per_second; }
std::int64_t NetRun::ticks_per_frame() const { return state_->per_frame; }
std::int64_t NetRun::frame_of(std::int64_t tick) const {
  return (tick + state_->per_frame - 1) / state_->per_frame;
}
std::int64_t NetRun::tick_of(const Fraction& seconds) const {
  return ceil_product(seconds, state_->per_second).value_or(largest_tick);
}
std::int64_t NetRun::marking(PlaceId place) const { return state_->place(place.index).marking; }
std::int64_t NetRun::waiting(PlaceId place) const { return state_->place(place.index).waiting; }
Stage NetRun::stage(PlaceId place) const {
  const PlaceNow& now = state_->place(place.index);
  if (!now.has(PlaceNow::serving)) return Stage::nothing;
  return now.has(PlaceNow::called) ? Stage::wait : Stage::arrival;
}
int NetRun::running() const { return static_cast<int>(state_->active.size()); }
std::optional<std::int64_t> NetRun::due(PlaceId place) const {
  const PlaceNow& now = state_->place(place.index);
  return now.has(PlaceNow::serving) ? std::optional(now.start + now.delay) : std::nullopt;
}
std::optional<std::int64_t> NetRun::next_end() const {
  std::optional<std::int64_t> next;
  for (const int p : state_->active) {
    const PlaceNow& now = state_->place(p);
    if (now.has(PlaceNow::overdue)) continue;
    const std::int64_t end = now.start + now.delay;
    if (!next || end < *next) next = end;
  }
  return next;
}
bool NetRun::is_enabled(TransitionId transition) const {
  return state_->transition(transition.index).missing == 0;
}
bool NetRun::is_quiet() const {
  return state_->active.empty() && state_->by_themselves.empty() && state_->on_events.empty();
}
RunStop NetRun::stopped() const { return state_->stop; }

std::uint64_t NetRun::future_hash() const {
  const State& s = *state_;
  std::uint64_t h = 0x243f6a8885a308d3u;
  const auto add = [&](std::uint64_t x) { h = mixed(h ^ x) + 0x9e3779b97f4a7c15u; };
  for (const PlaceNow& p : s.places) {
    add(static_cast<std::uint64_t>(p.marking));
    if (p.delay == 0 && p.waiting == 0) continue;
    add(static_cast<std::uint64_t>(p.waiting));
    const bool serves = p.has(PlaceNow::serving);
    add(serves ? static_cast<std::uint64_t>(p.start + p.delay - s.tick) : 0);
    add(p.flags & (PlaceNow::awaits | PlaceNow::told | PlaceNow::overdue));
  }
  for (const TransitionNow& t : s.transitions) add(t.held ? 1 : 0);
  return h;
}

template <class Archive>
void NetRun::State::visit_places(Archive& a, Seen<Archive, State>& s) {
  a.part("places");
  visit_list(a, s.calls, most_calls, [&](auto& c) {
    visit_place(a, s.net, c.place);
    visit_enum(a, c.stage, Stage::wait, "stage");
    a(c.start, c.due, c.end, c.interrupted);
  });
  for (auto& p : s.places) {
    const bool awaits = p.has(PlaceNow::awaits);
    a(p.marking, p.waiting, p.start, p.service, p.flags);
    // of one that serves; what others had is of an older frame
    int call = p.has(PlaceNow::serving) ? p.call : -1;
    a.within(call, -1, static_cast<int>(s.calls.size()) - 1, "call");
    if constexpr (Archive::reads) p.call = call;
    a.require(p.marking >= 0 && p.waiting >= 0 && p.marking <= most_tokens - p.waiting,
              "tokens that can be counted");
    a.require(p.has(PlaceNow::awaits) == awaits && p.flags < 32, "the flags of the place");
    a.require(!p.has(PlaceNow::serving) || p.waiting > 0, "a token that is served");
    a.require(p.start >= 0 && p.start <= largest_tick - p.delay, "a time that can be counted");
    if constexpr (Archive::reads) p.active_position = -1;
  }
  visit_list(a, s.active, s.places.size(), [&](auto& i) {
    a.index(i, s.places.size(), "place");
    if constexpr (Archive::reads) {
      PlaceNow& p = s.place(i);
      a.require(p.has(PlaceNow::serving) && p.active_position < 0, "places that serve, once each");
      p.active_position = static_cast<int>(s.active.size()) - 1;
    }
  });
  for (const PlaceNow& p : s.places) {
    a.require(p.has(PlaceNow::serving) == (p.active_position >= 0), "all places that serve");
  }
  visit_list(a, s.unawaited, s.places.size(),
             [&](auto& i) { a.index(i, s.places.size(), "place"); });
}

template <class Archive>
void NetRun::State::visit_dues(Archive& a, Seen<Archive, State>& s) {
  a.part("waits");
  std::size_t count = 0;
  s.dues.for_each([&](std::int64_t, const Due&) { ++count; });
  a.within(count, std::size_t{0}, most_dues, "waits");
  if constexpr (Archive::reads) {
    s.dues.clear();
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t tick = 0;
      Due due{};
      a(tick, due.service);
      a.index(due.place, s.places.size(), "place");
      a.require(tick >= s.tick && tick <= largest_tick, "a time to come");
      s.dues.add(tick, due);
    }
  } else {
    s.dues.for_each(
        [&](std::int64_t due_tick, const Due& due) { a(due_tick, due.service, due.place); });
  }
}

template <class Archive>
void NetRun::State::visit_enabled(Archive& a, Seen<Archive, EnabledSet>& set,
                                  std::size_t transitions) {
  std::size_t count = 0;
  set.for_each([&](int) { ++count; });
  a.within(count, std::size_t{0}, transitions, "transitions");
  if constexpr (Archive::reads) {
    set.clear();
    for (std::size_t i = 0; i < count; ++i) {
      int t = 0;
      a.index(t, transitions, "transition");
      a.require(!set.contains(t), "each transition once");
      set.insert(t);
    }
  } else {
    set.for_each([&](int t) { a(t); });
  }
}

// Conditions that transitions lack, from the tokens.
void NetRun::State::count_missing() {
  for (TransitionNow& t : transitions) t.missing = 0;
  for (int p = 0; p < static_cast<int>(places.size()); ++p) {
    const std::int64_t ripe = place(p).marking, all = ripe + place(p).waiting;
    for (const auto& [t, w] : takers[p]) transition(t).missing += ripe >= w ? 0 : 1;
    for (const auto& [t, w] : interrupters[p]) transition(t).missing += all >= w ? 0 : 1;
    for (const auto& [t, w] : topology.inhibited[p]) transition(t).missing += ripe < w ? 0 : 1;
  }
}

void NetRun::State::check_enabled(const SnapshotReader& a) const {
  for (std::size_t t = 0; t < transitions.size(); ++t) {
    const TransitionNow& now = transitions[t];
    const int i = static_cast<int>(t);
    const bool enabled = now.missing == 0;
    a.require(by_themselves.contains(i) == (enabled && now.by_itself) &&
                  on_events.contains(i) == (enabled && !now.by_itself && now.held),
              "the transitions that are enabled");
  }
}

template <class Archive>
void NetRun::State::visit(Archive& a, Seen<Archive, State>& s) {
  a.part("net");
  a(s.tick, s.frame, s.random, s.firings_now, s.frame_open, s.frame_end);
  visit_enum(a, s.stop, RunStop::overflow, "stop");
  a.require(s.tick >= 0 && s.tick <= largest_tick && s.frame >= 0 &&
                s.frame <= largest_tick / 2 / s.per_frame && s.firings_now >= 0,
            "times that can be counted");
  visit_places(a, s);
  visit_dues(a, s);
  a.part("transitions");
  for (auto& t : s.transitions) a(t.held);
  visit_enabled(a, s.by_themselves, s.transitions.size());
  visit_enabled(a, s.on_events, s.transitions.size());
  if constexpr (Archive::reads) {
    s.count_missing();
    s.check_enabled(a);
  }
  a.part("events");
  visit_list(a, s.events, max_trace_events, [&](auto& e) { visit_event(a, s.net, e); });
}

std::uint64_t NetRun::fingerprint() const {
  const RunSettings& s = state_->settings;
  if (!state_->of) {
    state_->of = molejo::fingerprint(
        {molejo::fingerprint(state_->net), static_cast<std::uint64_t>(s.frame_rate.numerator),
         static_cast<std::uint64_t>(s.frame_rate.denominator),
         static_cast<std::uint64_t>(state_->per_second), s.await ? 1u : 0u});
  }
  return *state_->of;
}
void NetRun::save(SnapshotWriter& a) const { State::visit(a, std::as_const(*state_)); }
void NetRun::restore(SnapshotReader& a) { State::visit(a, *state_); }

std::uint64_t fingerprint(const Net& net) {
  Snapshot text;
  SnapshotWriter a(SnapshotKind::net, 0, text);
  for (const Place& p : net.places) {
    a.text(p.name, 0);
    a(p.delay.numerator, p.delay.denominator, p.awaited);
  }
  for (const Transition& t : net.transitions) {
    a.text(t.name, 0), a.text(t.event, 0);
    a(t.priority);
  }
  for (const Arc& arc : net.arcs) a(arc.kind, arc.place.index, arc.transition.index, arc.weight);
  return fingerprint(text.bytes);
}

}  // namespace molejo
