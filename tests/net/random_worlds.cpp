#include "tests/net/random_worlds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/net/trace.h"
#include "tests/net/random_nets.h"

namespace molejo::test {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// What was seen of a marking in which time passed.
struct Observed {
  std::vector<std::int64_t> all, waiting;
  std::int64_t from = 0, to = 0;  // ticks
};

// Follows a run by its events: every marking in which time passes, and every number of tokens.
class Follower {
 public:
  explicit Follower(const Net& net)
      : net_(net), now_{std::vector<std::int64_t>(net.places.size(), 0), {}, 0, 0} {
    now_.waiting = most = now_.all;
    fired.assign(net.transitions.size(), 0);
    every_marking_ = !only_rests_count(net);
  }

  void note(const NetEvent& e) {
    // between two firings of a net without time; where time has passed or a word came at rest
    if (e.tick > now_.to || e.kind == NetEventKind::outside ||
        (every_marking_ && e.kind == NetEventKind::fire)) {
      pass(e.tick);
    }
    if (e.kind == NetEventKind::outside) return;
    const bool waits =
        e.kind != NetEventKind::fire &&
        (net_.places[at(e.node)].awaited || net_.places[at(e.node)].delay.numerator > 0);
    switch (e.kind) {
      case NetEventKind::fire:
        ++fired[at(e.node)];
        break;
      case NetEventKind::arrive:
        now_.all[at(e.node)] += e.count;
        if (waits) now_.waiting[at(e.node)] += e.count;
        most[at(e.node)] = std::max(most[at(e.node)], now_.all[at(e.node)]);
        break;
      case NetEventKind::finish:
        --now_.waiting[at(e.node)];
        break;
      case NetEventKind::leave: {
        const std::int64_t ripe = now_.all[at(e.node)] - now_.waiting[at(e.node)];
        now_.all[at(e.node)] -= e.count;
        now_.waiting[at(e.node)] -= std::max<std::int64_t>(0, e.count - ripe);
        break;
      }
      default:
        break;
    }
  }
  void pass(std::int64_t tick) {
    now_.from = now_.to;
    now_.to = tick;
    seen.push_back(now_);
  }

  std::vector<Observed> seen;
  std::vector<std::int64_t> most;
  std::vector<std::uint64_t> fired;

 private:
  const Net& net_;
  Observed now_;
  bool every_marking_ = false;
};

// By the definitions, on a marking that was seen.
class Judge {
 public:
  explicit Judge(const Net& net) : net_(net) {}

  bool is_enabled(const Observed& m, int t) const {
    for (const Arc& a : net_.arcs) {
      if (a.transition.index != t) continue;
      const std::int64_t all = m.all[at(a.place.index)], ripe = all - m.waiting[at(a.place.index)];
      if (a.kind == ArcKind::input && ripe < a.weight) return false;
      if (a.kind == ArcKind::interrupter && all < a.weight) return false;
      if (a.kind == ArcKind::inhibitor && ripe >= a.weight) return false;
    }
    return true;
  }
  bool is_deadlock(const Observed& m) const {
    if (std::any_of(m.waiting.begin(), m.waiting.end(), [](auto n) { return n > 0; })) return false;
    for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
      if (is_enabled(m, t)) return false;
    }
    return true;
  }
  bool holds(const Property& property, const Observed& m) const {
    return property.formula.holds({.tokens = m.all,
                                   .waiting = m.waiting,
                                   .deadlock = is_deadlock(m),
                                   .is_enabled = [&](int t) { return is_enabled(m, t); }});
  }

 private:
  const Net& net_;
};

std::vector<std::string> events_of(const Net& net) {
  std::set<std::string> events;
  for (const Transition& t : net.transitions) {
    if (!t.event.empty()) events.insert(t.event);
  }
  return {events.begin(), events.end()};
}

// A run to which the world says things at random; silent towards the end.
class Play {
 public:
  Play(const Net& net, std::uint32_t seed)
      : net_(net),
        dice_(seed),
        run_(net, {.frame_rate = dice_.chance(50) ? Fraction(6) : Fraction(7, 3),
                   .seed = seed,
                   .most_firings_at_once = 3000,
                   .await = dice_.chance(85)}),
        follower(net),
        events_(events_of(net)) {
    drain();
  }

  void play() {
    const int talk = dice_.draw(60), moves = talk + 40;
    for (int i = 0; i < moves && run_.stopped() == RunStop::none; ++i) {
      if (i < talk && dice_.chance(65)) {
        go_somewhere();
        speak();
      } else {
        forward();
      }
      if (i == talk) {
        for (const std::string& e : events_) hold(e, false);
      }
    }
    if (run_.stopped() == RunStop::none) follower.pass(run_.tick());
  }

  // Since the world is silent nothing is to come, or the same state has come again.
  bool goes_on_as_before() {
    if (run_.stopped() != RunStop::none) return false;
    std::set<std::uint64_t> seen;
    silent_from = follower.seen.size();
    for (int i = 0; i < 300; ++i) {
      if (run_.running() == 0 || only_overdue()) {
        follower.pass(run_.tick() + 1);
        return true;
      }
      if (!forward()) return false;
      if (!seen.insert(run_.future_hash()).second) return true;
    }
    return false;
  }

  const NetRun& run() const { return run_; }
  std::size_t silent_from = 0;

 private:
  bool only_overdue() const {
    // all that wait are awaited, and have waited long
    for (std::size_t p = 0; p < net_.places.size(); ++p) {
      const PlaceId id{static_cast<int>(p)};
      if (run_.waiting(id) > 0 && !(net_.places[p].awaited && net_.places[p].delay == Fraction())) {
        return false;
      }
    }
    return true;
  }

  void go_somewhere() {
    const std::int64_t frame = run_.ticks_per_frame(), sixth = run_.ticks_per_second() / 6;
    const std::int64_t end = (run_.frame() + 1) * frame;
    std::int64_t tick = run_.tick() + (dice_.chance(30) ? 0 : dice_.draw(static_cast<int>(frame)));
    // often at, just before or just after a round time
    if (dice_.chance(60)) tick = (tick / sixth + dice_.draw(2)) * sixth + dice_.draw(3) - 1;
    tick = std::clamp(tick, run_.tick(), end);
    if (tick > run_.tick()) say([&] { run_.advance_to(tick); });
  }

  void speak() {
    const int word = dice_.draw(10);
    if (word < 8 && !events_.empty()) {
      const std::string& event = events_[at(dice_.draw(static_cast<int>(events_.size())))];
      if (word < 6) {
        say([&] { run_.raise(event); });
      } else {
        hold(event, dice_.chance(40));
      }
    } else {
      const PlaceId place{dice_.draw(static_cast<int>(net_.places.size()))};
      if (run_.stage(place) != Stage::nothing) say([&] { run_.finish(place); });
    }
  }

  void hold(const std::string& event, bool held) {
    say([&] { run_.hold(event, held); });
  }

  bool forward() {
    say([&] { run_.advance(); });
    closed_ = true;
    return run_.stopped() == RunStop::none;
  }

  // The events of a frame are forgotten with the first word after it.
  template <class F>
  void say(F&& f) {
    if (run_.stopped() != RunStop::none) return;
    if (closed_) drained_ = 0;
    closed_ = false;
    f();
    drain();
  }
  void drain() {
    for (; drained_ < run_.events().size(); ++drained_) follower.note(run_.events()[drained_]);
  }

  const Net& net_;
  Dice dice_;
  NetRun run_;

 public:
  Follower follower;

 private:
  std::vector<std::string> events_;
  std::size_t drained_ = 0;
  bool closed_ = true;
};

// Plays a trace step by step; each must be what the rules allow then. Empty: it is a run.
class TracePlay {
 public:
  TracePlay(const Net& net, const PropertyResult& r)
      : net_(net),
        result_(r),
        held_(held_back(net)),
        run_(held_, {.frame_rate = Fraction(1, 1000000), .times = times_of(net, steps_of(r))}),
        judge_(net) {}

  std::string problem() {
    Observed now = look();
    for (std::size_t i = 0; i < result_.trace.size(); ++i) {
      const TimedFiring& f = result_.trace[i];
      const std::int64_t tick = run_.tick_of(f.time);
      if (!run_.is_tick(f.time)) return "its time is no whole tick";
      if (result_.timed && tick > run_.tick()) {
        if (const int t = by_itself(now); t >= 0)
          return fmt::format("'{}' must fire first", name(t));
        run_.advance_to(tick);
        if (run_.tick() != tick) return "it lasts too long";
      }
      now = look();
      if (f.finished.index >= 0) {
        run_.finish(f.finished);
      } else {
        const int first = by_itself(now);
        const Transition& t = net_.transitions[at(f.transition.index)];
        if (!t.event.empty() && first >= 0) return fmt::format("'{}' must fire first", name(first));
        if (t.event.empty() && first >= 0 && net_.transitions[at(first)].priority > t.priority) {
          return fmt::format("'{}' goes before '{}'", name(first), t.name);
        }
        if (!run_.fire(f.transition)) {
          return fmt::format("'{}' (step {}) is not enabled", t.name, i + 1);
        }
      }
      now = look();
    }
    if (result_.timed && run_.tick_of(result_.until) > run_.tick()) {
      run_.advance_to(run_.tick_of(result_.until));
      now = look();
    }
    if (only_rests_count(net_)) {
      if (const int t = by_itself(now); t >= 0)
        return fmt::format("'{}' has still to fire", name(t));
    }
    const PropertyKind kind = result_.property.kind;
    const bool holds = judge_.holds(result_.property, now);
    const bool right =
        kind == PropertyKind::never || kind == PropertyKind::possible ? holds : !holds;
    return right ? "" : "it does not show what it should";
  }

 private:
  const std::string& name(int t) const { return net_.transitions[at(t)].name; }
  Observed look() const {
    Observed m;
    for (int p = 0; p < static_cast<int>(net_.places.size()); ++p) {
      m.all.push_back(run_.tokens({p}));
      m.waiting.push_back(run_.waiting({p}));
    }
    return m;
  }
  // The highest that must fire now, -1: none.
  int by_itself(const Observed& m) const {
    int best = -1;
    for (int t = 0; t < static_cast<int>(net_.transitions.size()); ++t) {
      const Transition& transition = net_.transitions[at(t)];
      if (!transition.event.empty() || !judge_.is_enabled(m, t)) continue;
      if (best < 0 || transition.priority > net_.transitions[at(best)].priority) best = t;
    }
    return best;
  }
  const Net& net_;
  const PropertyResult& result_;
  Net held_;
  NetRun run_;
  Judge judge_;
};

// A counterexample that is played tells its violation; a round that is gone for ever has no end.
std::string replay_problem(const Net& net, const PropertyResult& r) {
  const auto& properties = net.properties;
  const auto at = std::find(properties.begin(), properties.end(), r.property.text);
  const bool claimed = r.verdict == Verdict::fails && r.property.kind != PropertyKind::possible;
  if (!claimed || r.for_ever || at == properties.end()) return {};
  if (!r.has_trace) return "there is none";
  const std::vector<TraceStep> steps = steps_of(r);
  const Fraction rate = 24;
  const std::int64_t frames = *ceil_product(end_of(steps), rate) + 1;
  const PlayedTrace played = play_trace(net, {.frame_rate = rate}, frames, steps);
  if (!played.failure.empty()) return played.failure;
  const Watched& told = played.watched[static_cast<std::size_t>(at - properties.begin())];
  if (!told.is_violated()) return "the violation is not told";
  if (r.property.within &&
      Fraction(told.violated_from, played.trace.ticks_per_second) != *r.property.within) {
    return "the violation is not told at the deadline";
  }
  return {};
}

AnalysisSettings small_settings() {
  AnalysisSettings settings;
  settings.space.max_states = 20'000;
  settings.timed.max_states = 2'000;
  settings.open.max_states = 2'000;
  settings.timed.most_at_once = settings.open.most_at_once = 2'000;
  return settings;
}

// What a play shows against one property.
std::string against(const Net& net, const PropertyResult& r, Play& play, bool went_on) {
  const Judge judge(net);
  const PropertyKind kind = r.property.kind;
  const bool forbids = (r.verdict == Verdict::holds &&
                        (kind == PropertyKind::never || kind == PropertyKind::always)) ||
                       (r.verdict == Verdict::fails && kind == PropertyKind::possible);
  const bool promises = r.verdict == Verdict::holds && kind == PropertyKind::eventually;
  if (!forbids && !promises) return {};
  const bool wanted = kind != PropertyKind::always;
  const double within = r.property.within ? r.property.within->value() : 0;
  for (const Observed& m : play.follower.seen) {
    if (judge.holds(r.property, m) == wanted) {
      return forbids ? fmt::format("'{}' {}, but is otherwise from {:g} s on", r.property.text,
                                   r.verdict == Verdict::holds ? "holds" : "fails",
                                   play.run().seconds(m.from))
                     : "";
    }
    if (promises && r.property.within && play.run().seconds(m.to) > within + 1e-5) {
      return fmt::format("'{}' holds, but is not so at {:g} s", r.property.text,
                         play.run().seconds(m.to));
    }
  }
  if (promises && !r.property.within && went_on) {
    return fmt::format("'{}' holds, but never comes", r.property.text);
  }
  return {};
}

// Tokens of every place, all and waiting, of all states that were found; nothing: there may be
// more.
using Markings = std::set<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>;
std::optional<Markings> all_markings(const Net& net, const Analysis& found) {
  Markings markings;
  std::vector<std::int64_t> all(net.places.size()), waiting(net.places.size());
  const auto take = [&](const auto& space) {
    for (std::uint32_t s = 0; s < space.size(); ++s) {
      space.tokens(s, all, waiting);
      markings.emplace(all, waiting);
    }
    return space.finds_all();
  };
  bool complete = false;
  if (found.timed) {
    complete = take(*found.timed);
  } else if (found.open) {
    complete = take(*found.open);
  } else if (found.space->end() == SpaceEnd::complete) {
    complete = true;
    for (std::uint32_t s = 0; s < found.space->size(); ++s) {
      found.space->marking(s, all);
      markings.emplace(all, waiting);
    }
  }
  return complete ? std::optional(markings) : std::nullopt;
}

}  // namespace

std::optional<std::string> contradiction(const Net& net, std::uint32_t seed, int plays,
                                         WorldPlays& count) {
  const Analysis found = analyse(net, small_settings());
  std::vector<PropertyResult> results = found.properties;
  results.push_back(found.claims.no_deadlock);
  for (const PropertyResult& r : results) {
    const bool open = found.open != nullptr;
    ++count.properties;
    count.decided += r.verdict != Verdict::unknown ? 1 : 0;
    count.open += open ? 1 : 0;
    count.open_decided += open && r.verdict != Verdict::unknown ? 1 : 0;
    count.traces += r.has_trace ? 1 : 0;
    count.late += r.verdict == Verdict::fails && r.property.within ? 1 : 0;
    std::string problem = r.has_trace ? TracePlay(net, r).problem() : "";
    if (problem.empty()) problem = replay_problem(net, r);
    if (!problem.empty()) {
      return fmt::format("the trace of '{}' cannot be played: {}", r.property.text, problem);
    }
  }
  const std::optional<Markings> known = all_markings(net, found);
  for (int i = 0; i < plays; ++i) {
    Play play(net, seed * 1000 + static_cast<std::uint32_t>(i));
    play.play();
    const bool went_on = play.goes_on_as_before();
    ++count.plays;
    count.markings += play.follower.seen.size();
    for (const Observed& m : play.follower.seen) {
      if (!known || known->contains({m.all, m.waiting})) continue;
      return fmt::format("play {}: the tokens from {:g} s on are not among those of all states", i,
                         play.run().seconds(m.from));
    }
    for (std::size_t t = 0; t < net.transitions.size(); ++t) {
      count.firings += play.follower.fired[t];
      if (play.follower.fired[t] > 0 && found.claims.fires[t] == Claims::Fires::never) {
        return fmt::format("'{}' never fires, but does", net.transitions[t].name);
      }
    }
    for (std::size_t p = 0; p < net.places.size(); ++p) {
      const std::int64_t bound = found.claims.bounds[p];
      if (bound >= 0 && play.follower.most[p] > bound) {
        return fmt::format("'{}' holds at most {} tokens, but {}", net.places[p].name, bound,
                           play.follower.most[p]);
      }
    }
    for (const PropertyResult& r : results) {
      const std::string text = against(net, r, play, went_on);
      if (!text.empty()) return fmt::format("play {}: {}", i, text);
    }
  }
  return std::nullopt;
}

namespace {

// Without a place or a transition, and all that belongs to it; nothing where a property needs it.
std::optional<Net> without(const Net& net, bool of_place, int node) {
  Net less = net;
  std::erase_if(less.arcs, [&](const Arc& a) {
    return (of_place ? a.place.index : a.transition.index) == node;
  });
  for (Arc& a : less.arcs) {
    int& end = of_place ? a.place.index : a.transition.index;
    if (end > node) --end;
  }
  if (of_place) {
    less.places.erase(less.places.begin() + node);
  } else {
    less.transitions.erase(less.transitions.begin() + node);
  }
  std::erase_if(less.properties, [&](const std::string& text) {
    try {
      parse_property(text, less);
      return false;
    } catch (const NetError&) {
      return true;
    }
  });
  if (less.places.empty() || less.transitions.empty()) return std::nullopt;
  return less;
}

// Nets with one thing less, the largest things first.
std::vector<Net> smaller(const Net& net) {
  std::vector<Net> all;
  for (int t = 0; t < static_cast<int>(net.transitions.size()); ++t) {
    if (auto less = without(net, false, t)) all.push_back(std::move(*less));
  }
  for (int p = 0; p < static_cast<int>(net.places.size()); ++p) {
    if (auto less = without(net, true, p)) all.push_back(std::move(*less));
  }
  const auto changed = [&](auto&& change) {
    Net other = net;
    change(other);
    all.push_back(std::move(other));
  };
  for (std::size_t i = 0; i < net.properties.size(); ++i) {
    changed([&](Net& n) { n.properties.erase(n.properties.begin() + static_cast<long>(i)); });
  }
  for (std::size_t i = 0; i < net.arcs.size(); ++i) {
    changed([&](Net& n) { n.arcs.erase(n.arcs.begin() + static_cast<long>(i)); });
    if (net.arcs[i].weight > 1) changed([&](Net& n) { n.arcs[i].weight = 1; });
  }
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    if (net.places[p].tokens > 0) changed([&](Net& n) { --n.places[p].tokens; });
    if (net.places[p].awaited) changed([&](Net& n) { n.places[p].awaited = false; });
    if (net.places[p].delay != Fraction()) changed([&](Net& n) { n.places[p].delay = 0; });
    if (Fraction(1) < net.places[p].delay) changed([&](Net& n) { n.places[p].delay = 1; });
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    if (!net.transitions[t].event.empty()) changed([&](Net& n) { n.transitions[t].event = ""; });
    if (net.transitions[t].priority != 1) changed([&](Net& n) { n.transitions[t].priority = 1; });
  }
  return all;
}

}  // namespace

std::string smallest_contradiction(const Net& net, std::uint32_t seed, int plays) {
  Net best = net;
  WorldPlays unused;
  std::string why = contradiction(net, seed, plays, unused).value_or("none");
  for (bool changed = true; changed;) {
    changed = false;
    for (Net& less : smaller(best)) {
      const auto again = contradiction(less, seed, plays, unused);
      if (!again) continue;
      best = std::move(less);
      why = *again;
      changed = true;
      break;
    }
  }
  return fmt::format("{}\n{}", why, net_json(best));
}

}  // namespace molejo::test
