#include "molejo/net/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "molejo/net/enabled_set.h"

namespace molejo {

namespace {

constexpr std::int64_t largest_tick = 4'000'000'000'000'000'000;
constexpr std::int64_t most_ticks_per_second = 1'000'000'000'000'000;
constexpr std::int64_t most_tokens = 4'000'000'000'000'000'000;

std::uint64_t mixed(std::uint64_t x) {  // the finalizer of splitmix64 (Steele et al. 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
  bool empty() const { return days_.empty(); }
  std::int64_t first_tick() const { return days_.begin()->first; }
  const std::vector<Due>& first_dues() const { return days_.begin()->second; }
  // The dues of the first tick.
  std::vector<Due> take_first() {
    if (last_ == days_.begin()) last_ = days_.end();
    auto node = days_.extract(days_.begin());
    std::vector<Due> dues = std::move(node.mapped());
    if (spare_.size() < 64) spare_.push_back(std::move(node));
    return dues;
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

constexpr std::array inputs_only{ArcKind::input};
constexpr std::array interrupters_only{ArcKind::interrupter};

}  // namespace

struct NetRun::State {
  State(const Net& the_net, const RunSettings& the_settings);

  const Net& net;
  RunSettings settings;
  std::int64_t per_second = 1, per_frame = 1;  // ticks

  // the fixed part
  Topology topology;
  Neighbours takers, interrupters;      // transitions of a place
  Neighbours taken_inputs, cut_inputs;  // places of a transition
  std::vector<std::int64_t> delay;      // ticks
  std::map<std::string, std::vector<int>, std::less<>> events_of;
  std::vector<std::uint8_t> alone;  // of a transition: nobody else wants its tokens

  // where everything is
  std::int64_t tick = 0, frame = 0;
  std::vector<std::int64_t> marking, waiting, start;
  std::vector<std::uint32_t> service;  // counts the services of a place
  enum Flag : std::uint8_t { serving = 1, called = 2, awaits = 4, told = 8, overdue = 16 };
  std::vector<std::uint8_t> flags;
  std::vector<int> active, active_position;  // places that serve a token
  Calendar dues;
  std::vector<int> missing;        // conditions that a transition still lacks
  std::vector<std::uint8_t> held;  // of a transition: its event is held
  EnabledSet by_themselves, on_events;
  std::uint64_t random;
  RunStop stop = RunStop::none;
  std::int64_t firings_now = 0;

  // what the last frame brought
  std::vector<NetEvent> events;
  std::vector<ActionCall> calls;
  std::vector<int> call_of;  // of an active place: index into calls, or -1
  bool frame_open = false;
  std::int64_t frame_end = 0;  // services that start before it are called in this frame

  void choose_ticks();
  void log(NetEventKind kind, int node, std::int64_t count = 1) {
    events.push_back({tick, kind, node, count});
  }
  void condition(int transition, bool before, bool now);
  void set_tokens(int place, std::int64_t new_marking, std::int64_t new_waiting);
  void put(int place, std::int64_t count);
  void begin_service(int place);
  void end_service(int place, bool interrupted);
  void ripen(int place);
  void cut(int place, std::int64_t count);
  void fire(int transition);
  int pick(std::span<const int> candidates);
  void settle();
  bool end_first_waits();
  void drop_old_dues();
  void open_frame();
  void play_until(std::int64_t target);
};

NetRun::State::State(const Net& the_net, const RunSettings& the_settings)
    : net(the_net),
      settings(the_settings),
      topology(the_net),
      takers(the_net, inputs_only, false),
      interrupters(the_net, interrupters_only, false),
      taken_inputs(the_net, inputs_only, true),
      cut_inputs(the_net, interrupters_only, true),
      by_themselves(the_net),
      on_events(the_net),
      random(the_settings.seed) {
  choose_ticks();
  const std::size_t places = net.places.size(), transitions = net.transitions.size();
  marking.resize(places);
  waiting.resize(places);
  start.resize(places);
  service.resize(places);
  flags.resize(places);
  active_position.assign(places, -1);
  call_of.assign(places, -1);
  missing.resize(transitions);
  held.resize(transitions);
  for (std::size_t t = 0; t < transitions; ++t) {
    const int id = static_cast<int>(t);
    missing[t] = static_cast<int>(topology.inputs[id].size());
    bool is_alone = topology.inhibitors[id].empty();
    for (const auto& [p, w] : topology.inputs[id]) {
      is_alone &= topology.consumers[p].size() == 1 && topology.inhibited[p].empty();
    }
    for (const auto& [p, w] : topology.outputs[id]) is_alone &= topology.inhibited[p].empty();
    alone.push_back(is_alone ? 1 : 0);
    const std::string& event = net.transitions[t].event;
    if (!event.empty()) {
      events_of[event].push_back(id);
    } else if (missing[t] == 0) {
      by_themselves.insert(id);  // its inhibitors are empty so far
    }
  }
  for (std::size_t p = 0; p < places; ++p) {
    if (net.places[p].awaited && settings.await) flags[p] = awaits;
    if (net.places[p].tokens > 0) put(static_cast<int>(p), net.places[p].tokens);
  }
  settle();
}

void NetRun::State::choose_ticks() {
  const Fraction& rate = settings.frame_rate;
  const auto refuse = [] {
    throw NetError("the delays and the frame rate have no common tick that can be counted");
  };
  if (rate.numerator <= 0) throw NetError("the frame rate must be greater than zero");
  std::int64_t L = rate.numerator;
  for (const Place& p : net.places) {
    const auto multiple = common_multiple(L, p.delay.denominator, most_ticks_per_second);
    if (!multiple) refuse();
    L = *multiple;
  }
  // words from outside may come at any time: told apart to a microsecond
  constexpr std::int64_t finest = 1'000'000;
  if (L < finest) L *= (finest + L - 1) / L;
  per_second = L;
  const auto in_ticks = [&](const Fraction& seconds) {
    const __int128 ticks = static_cast<__int128>(L / seconds.denominator) * seconds.numerator;
    if (ticks > largest_tick / 4) refuse();
    return static_cast<std::int64_t>(ticks);
  };
  per_frame = in_ticks(Fraction(rate.denominator, rate.numerator));
  for (const Place& p : net.places) delay.push_back(in_ticks(p.delay));
}

// One condition of a transition changed.
void NetRun::State::condition(int t, bool before, bool now) {
  if (before == now) return;
  const bool was_enabled = missing[at(t)] == 0;
  missing[at(t)] += now ? -1 : 1;
  const bool is_enabled = missing[at(t)] == 0;
  if (was_enabled == is_enabled) return;
  const bool by_itself = net.transitions[at(t)].event.empty();
  if (!by_itself && held[at(t)] == 0) return;
  EnabledSet& set = by_itself ? by_themselves : on_events;
  if (is_enabled) {
    set.insert(t);
  } else {
    set.remove(t);
  }
}

void NetRun::State::set_tokens(int p, std::int64_t new_marking, std::int64_t new_waiting) {
  const std::int64_t before = marking[at(p)], all_before = before + waiting[at(p)];
  const std::int64_t all = new_marking + new_waiting;
  marking[at(p)] = new_marking;
  waiting[at(p)] = new_waiting;
  for (const auto& [t, w] : takers[p]) condition(t, before >= w, new_marking >= w);
  for (const auto& [t, w] : interrupters[p]) condition(t, all_before >= w, all >= w);
  for (const auto& [t, w] : topology.inhibited[p]) condition(t, before < w, new_marking < w);
}

void NetRun::State::put(int p, std::int64_t count) {
  if (marking[at(p)] + waiting[at(p)] > most_tokens - count) {
    stop = RunStop::overflow;
    return;
  }
  log(NetEventKind::arrive, p, count);
  if (delay[at(p)] == 0 && (flags[at(p)] & awaits) == 0) {
    set_tokens(p, marking[at(p)] + count, waiting[at(p)]);
    return;
  }
  set_tokens(p, marking[at(p)], waiting[at(p)] + count);
  if ((flags[at(p)] & serving) == 0) begin_service(p);
}

void NetRun::State::begin_service(int p) {
  if (tick > largest_tick - delay[at(p)]) {
    stop = RunStop::overflow;
    return;
  }
  const std::int64_t due = tick + delay[at(p)];
  start[at(p)] = tick;
  flags[at(p)] = static_cast<std::uint8_t>((flags[at(p)] & awaits) | serving);
  ++service[at(p)];
  dues.add(due, {p, service[at(p)]});
  active_position[at(p)] = static_cast<int>(active.size());
  active.push_back(p);
  log(NetEventKind::start, p);
  call_of[at(p)] = -1;
  if (tick < frame_end) {
    flags[at(p)] |= called;
    call_of[at(p)] = static_cast<int>(calls.size());
    calls.push_back({.place = {p}, .stage = Stage::arrival, .start = tick, .due = due});
  }
}

void NetRun::State::end_service(int p, bool interrupted) {
  log(interrupted ? NetEventKind::interrupt : NetEventKind::finish, p);
  if (const int call = call_of[at(p)]; call >= 0) {
    calls[at(call)].end = tick;
    calls[at(call)].interrupted = interrupted;
  }
  flags[at(p)] = static_cast<std::uint8_t>(flags[at(p)] & awaits);
  ++service[at(p)];
  const int position = active_position[at(p)], last = active.back();
  active[at(position)] = last;
  active_position[at(last)] = position;
  active_position[at(p)] = -1;
  active.pop_back();
}

// The wait of the serving token is over.
void NetRun::State::ripen(int p) {
  end_service(p, false);
  set_tokens(p, marking[at(p)] + 1, waiting[at(p)] - 1);
  if (waiting[at(p)] > 0) begin_service(p);
}

// Takes tokens, ripe ones first, then such that wait behind, the serving one last.
void NetRun::State::cut(int p, std::int64_t count) {
  const std::int64_t ripe = std::min(count, marking[at(p)]);
  log(NetEventKind::leave, p, count);
  set_tokens(p, marking[at(p)] - ripe, waiting[at(p)] - (count - ripe));
  if (waiting[at(p)] == 0 && (flags[at(p)] & serving) != 0) end_service(p, true);
}

void NetRun::State::fire(int t) {
  log(NetEventKind::fire, t);
  for (const auto& [p, w] : taken_inputs[t]) {
    log(NetEventKind::leave, p, w);
    set_tokens(p, marking[at(p)] - w, waiting[at(p)]);
  }
  for (const auto& [p, w] : cut_inputs[t]) cut(p, w);
  for (const auto& [p, w] : topology.outputs[t]) put(p, w);
  if (++firings_now > settings.most_firings_at_once) stop = RunStop::endless;
}

int NetRun::State::pick(std::span<const int> candidates) {
  // who competes with nobody need not be drawn
  if (candidates.size() == 1 || alone[at(candidates.back())] != 0) return candidates.back();
  random += 0x9e3779b97f4a7c15u;
  const auto i = static_cast<std::size_t>(
      static_cast<unsigned __int128>(mixed(random)) * candidates.size() >> 64);
  return candidates[i];
}

void NetRun::State::settle() {
  while (stop == RunStop::none) {
    if (!by_themselves.empty()) {
      fire(pick(by_themselves.highest()));
    } else if (!on_events.empty()) {
      fire(pick(on_events.highest()));
    } else {
      return;
    }
  }
}

// Forgets ticks at which no wait ends any more.
void NetRun::State::drop_old_dues() {
  const auto is_old = [&](const Due& d) { return service[at(d.place)] != d.service; };
  while (!dues.empty() && std::all_of(dues.first_dues().begin(), dues.first_dues().end(), is_old)) {
    dues.take_first();
  }
}

// True when a token became ripe.
bool NetRun::State::end_first_waits() {
  bool ripe = false;
  for (const Due& due : dues.take_first()) {
    const int p = due.place;
    if (service[at(p)] != due.service) continue;
    if ((flags[at(p)] & awaits) != 0 && (flags[at(p)] & told) == 0) {
      flags[at(p)] |= overdue;
      continue;
    }
    ripen(p);
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
    const bool first = (flags[at(p)] & called) == 0;
    flags[at(p)] |= called;
    call_of[at(p)] = static_cast<int>(calls.size());
    const std::int64_t begun = start[at(p)];
    calls.push_back({{p}, first ? Stage::arrival : Stage::wait, begun, begun + delay[at(p)]});
  }
}

void NetRun::State::play_until(std::int64_t target) {
  for (drop_old_dues(); !dues.empty() && dues.first_tick() <= target; drop_old_dues()) {
    if (dues.first_tick() > tick) firings_now = 0;
    tick = dues.first_tick();
    if (end_first_waits()) settle();
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
      if (s.missing[at(t)] != 0) continue;
      const auto priority = [&](int u) { return s.net.transitions[at(u)].priority; };
      if (!best.empty() && priority(t) > priority(best.front())) best.clear();
      if (best.empty() || priority(t) == priority(best.front())) best.push_back(t);
    }
    if (best.empty()) break;
    const int t = s.pick(best);
    left.erase(std::find(left.begin(), left.end(), t));
    s.fire(t);
    s.settle();
    ++fired;
  }
  return fired;
}

void NetRun::hold(std::string_view event, bool held) {
  State& s = *state_;
  const auto found = s.events_of.find(event);
  if (found == s.events_of.end()) return;
  s.open_frame();
  for (const int t : found->second) {
    if ((s.held[at(t)] != 0) == held) continue;
    s.held[at(t)] = held ? 1 : 0;
    if (s.missing[at(t)] != 0) continue;
    if (held) {
      s.on_events.insert(t);
    } else {
      s.on_events.remove(t);
    }
  }
  s.settle();
}

void NetRun::put(PlaceId place, std::int64_t tokens) {
  state_->open_frame();
  state_->put(place.index, tokens);
  state_->settle();
}

bool NetRun::fire(TransitionId transition) {
  if (!is_enabled(transition) || state_->stop != RunStop::none) return false;
  state_->open_frame();
  state_->fire(transition.index);
  state_->settle();
  return true;
}

void NetRun::finish(PlaceId place) {
  State& s = *state_;
  std::uint8_t& flags = s.flags[at(place.index)];
  if ((flags & State::serving) == 0) return;
  s.open_frame();
  flags |= State::told;
  if ((flags & State::overdue) == 0) return;
  s.ripen(place.index);
  s.settle();
}

std::span<const NetEvent> NetRun::events() const { return state_->events; }
std::span<const ActionCall> NetRun::calls() const { return state_->calls; }
std::int64_t NetRun::frame() const { return state_->frame; }
std::int64_t NetRun::tick() const { return state_->tick; }
std::int64_t NetRun::ticks_per_second() const { return state_->per_second; }
std::int64_t NetRun::ticks_per_frame() const { return state_->per_frame; }
std::int64_t NetRun::frame_of(std::int64_t tick) const {
  return (tick + state_->per_frame - 1) / state_->per_frame;
}
double NetRun::seconds(std::int64_t tick) const {
  return static_cast<double>(tick) / static_cast<double>(state_->per_second);
}
Fraction NetRun::exact_seconds(std::int64_t tick) const { return {tick, state_->per_second}; }
std::int64_t NetRun::marking(PlaceId place) const { return state_->marking[at(place.index)]; }
std::int64_t NetRun::waiting(PlaceId place) const { return state_->waiting[at(place.index)]; }
Stage NetRun::stage(PlaceId place) const {
  const std::uint8_t flags = state_->flags[at(place.index)];
  if ((flags & State::serving) == 0) return Stage::nothing;
  return (flags & State::called) == 0 ? Stage::arrival : Stage::wait;
}
int NetRun::running() const { return static_cast<int>(state_->active.size()); }
bool NetRun::is_enabled(TransitionId transition) const {
  return state_->missing[at(transition.index)] == 0;
}
bool NetRun::is_quiet() const {
  return state_->active.empty() && state_->by_themselves.empty() && state_->on_events.empty();
}
RunStop NetRun::stopped() const { return state_->stop; }

std::uint64_t NetRun::future_hash() const {
  const State& s = *state_;
  std::uint64_t h = 0x243f6a8885a308d3u;
  const auto add = [&](std::uint64_t x) { h = mixed(h ^ x) + 0x9e3779b97f4a7c15u; };
  for (std::size_t p = 0; p < s.marking.size(); ++p) {
    add(static_cast<std::uint64_t>(s.marking[p]));
    if (s.delay[p] == 0 && s.waiting[p] == 0) continue;
    add(static_cast<std::uint64_t>(s.waiting[p]));
    const bool serves = (s.flags[p] & State::serving) != 0;
    add(serves ? static_cast<std::uint64_t>(s.start[p] + s.delay[p] - s.tick) : 0);
    add(s.flags[p] & (State::awaits | State::told | State::overdue));
  }
  for (const std::uint8_t held : s.held) add(held);
  return h;
}

}  // namespace molejo
