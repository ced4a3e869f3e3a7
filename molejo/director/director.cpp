#include "molejo/director/director.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "molejo/director/snapshot.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/net/snapshot.h"

namespace molejo {

namespace {

// What shall be exact: given times before deadlines.
std::vector<Fraction> exact_times(const Show& show, const DirectSettings& settings) {
  std::vector<Fraction> times;
  if (!settings.trace) {
    for (const Cause& c : show.causes) times.insert(times.end(), c.at.begin(), c.at.end());
  }
  const std::vector<Fraction> others =
      times_of(show.net, settings.trace ? *settings.trace : std::vector<TraceStep>());
  times.insert(times.end(), others.begin(), others.end());
  return times;
}

}  // namespace

struct Director::State {
  State(const Show& show, const DirectSettings& settings);

  const Show& show;
  Fraction fps;
  std::int64_t last_frame;
  std::optional<TracePlayer> trace_player;
  Net held;  // of a trace
  const Net& net;
  Net watched_net;  // with what may come from outside
  NetRun run;
  Ensemble ensemble;
  NetTrace trace;
  TraceRecorder recorder;
  Monitor monitor;
  std::string failure;
  std::int64_t frame = -1;  // the last one that was made
  bool asked = false;       // something was fired by the user since then
  bool silent = false;      // nobody says anything to the net

  // one for each binding: its action with what it remembers
  struct Running {
    Binding binding;
    bool runs = false, bodies = false;
    Moment moment{};
  };
  std::vector<Running> actions;
  std::vector<std::vector<std::size_t>> of_place, of_transition;
  // words of the net to actions that move bodies, kept until figures are posed
  struct Word {
    std::size_t action;
    Moment moment;
    bool begins;
  };
  std::vector<Word> words;
  std::vector<char> was_true;  // of each cause
  std::vector<std::size_t> next_time;

  double time(std::int64_t k) const {
    return static_cast<double>(k * fps.denominator) / static_cast<double>(fps.numerator);
  }
  bool is_over() const;
  void play_net();
  void play_times();
  void take_events();
  void say(std::size_t action, const Moment& moment, bool begins);
  void at_once(std::size_t action, double t);
  void tell(std::size_t action, const Moment& moment, bool begins);
  void advance_running(bool bodies, double t);
  void look_at_causes(const Frame& frame, std::span<const ContactEvent> contacts);
  bool is_true(const Cause& cause, const Frame& frame) const;
  void act(const Cause& cause);

  template <class Archive>
  static void visit(Archive& a, Seen<Archive, State>& s);
};

Director::State::State(const Show& the_show, const DirectSettings& settings)
    : show(the_show),
      fps(settings.fps.value_or(the_show.fps)),
      held(settings.trace ? held_back(the_show.net) : Net()),
      net(settings.trace ? held : the_show.net),
      watched_net(settings.by_hand ? with_outside(the_show.net, the_show.causes)
                                   : net_as_directed(the_show)),
      run(net, {.frame_rate = fps,
                .seed = settings.seed.value_or(the_show.seed),
                .most_firings_at_once = usual_firings_at_once(net),
                .times = exact_times(the_show, settings)}),
      ensemble(the_show.scene, *the_show.built, the_show.figures, fps.value(), the_show.walkers),
      recorder(net, run, fps, trace),
      monitor(watched_net, settings.trace.has_value()),
      of_place(net.places.size()),
      of_transition(net.transitions.size()),
      was_true(the_show.causes.size(), 0),
      next_time(the_show.causes.size(), 0) {
  if (settings.trace) trace_player.emplace(*settings.trace);
  silent = show.causes.empty() && !settings.by_hand && !settings.trace;
  Fraction seconds = settings.duration.value_or(the_show.duration);
  if (settings.trace && !settings.duration) seconds = std::max(seconds, end_of(*settings.trace));
  last_frame = ceil_product(seconds, fps).value_or(INT64_MAX);
  for (const Cause& c : show.causes) {
    for (const Fraction& t : c.at) {
      if (trace_player || run.is_tick(t)) continue;
      throw NetError(fmt::format(
          "the time {} s of a cause has no common tick with the delays, {} frames a second and "
          "the times before it",
          to_string(t), to_string(fps)));
    }
  }
  for (const Binding& b : show.bindings) {
    const std::size_t i = actions.size();
    actions.push_back({b, false, moves_bodies(b.action)});
    if (b.when == Binding::When::place) of_place[at(b.node)].push_back(i);
    if (b.when == Binding::When::transition) of_transition[at(b.node)].push_back(i);
  }
}

bool Director::State::is_over() const {
  if (!failure.empty() || frame >= last_frame) return true;
  if (frame < 0 || asked) return false;
  if (trace_player) return trace_player->is_over() && run.running() == 0;
  return show.causes.empty() && run.is_quiet();
}

// Tells an action of the net's word, or keeps it until figures are posed.
void Director::State::say(std::size_t action, const Moment& moment, bool begins) {
  if (actions[action].bodies) {
    words.push_back({action, moment, begins});
  } else {
    tell(action, moment, begins);
  }
}

void Director::State::at_once(std::size_t action, double t) {
  say(action, {t, t, t}, true);
  say(action, {t, t, t}, false);
}

void Director::State::tell(std::size_t i, const Moment& moment, bool begins) {
  Running& r = actions[i];
  r.moment = moment;
  r.runs = begins;
  std::visit(
      [&](auto& action) {
        if (begins) {
          action.begin(ensemble, moment);
        } else {
          action.advance(ensemble, moment);
          action.end(ensemble, moment);
        }
      },
      r.binding.action);
}

void Director::State::take_events() {
  std::int64_t ended = -1;  // the tick of the last end
  for (const NetEvent& e : run.events()) {
    const double t = run.seconds(e.tick);
    if (e.kind == NetEventKind::fire) {
      for (const std::size_t i : of_transition[at(e.node)]) at_once(i, t);
    }
    const bool starts = e.kind == NetEventKind::start;
    if (!starts && e.kind != NetEventKind::finish && e.kind != NetEventKind::interrupt) continue;
    // all come to this instant before one ends: a foot is set down under a body that has arrived
    if (!starts && e.tick != ended) advance_running(false, t);
    if (!starts) ended = e.tick;
    for (const std::size_t i : of_place[at(e.node)]) {
      Moment m = actions[i].moment;
      if (starts) m = {t, t + net.places[at(e.node)].delay.value(), t};
      m.now = t;
      if (starts) actions[i].moment = m;
      say(i, m, starts);
    }
  }
}

void Director::State::advance_running(bool bodies, double t) {
  for (Running& r : actions) {
    if (!r.runs || r.bodies != bodies || r.binding.when != Binding::When::place) continue;
    r.moment.now = t;
    std::visit([&](auto& action) { action.advance(ensemble, r.moment); }, r.binding.action);
  }
}

// What the script says comes at its own time.
void Director::State::play_times() {
  const std::int64_t end = (run.frame() + 1) * run.ticks_per_frame();
  while (true) {
    const Cause* first = nullptr;
    std::size_t index = 0;
    std::int64_t tick = end;
    for (std::size_t i = 0; i < show.causes.size(); ++i) {
      const Cause& c = show.causes[i];
      if (c.kind != Cause::Kind::times || next_time[i] >= c.at.size()) continue;
      const std::int64_t due = run.tick_of(c.at[next_time[i]]);
      if (due < tick || (due == tick && !first)) first = &c, index = i, tick = due;
    }
    if (!first) return;
    ++next_time[index];
    run.advance_to(tick);
    act(*first);
  }
}

void Director::State::play_net() {
  if (trace_player) {
    trace_player->play(run, net);
    failure = trace_player->failure();
    if (failure.empty() && trace_player->is_over()) monitor.close_trace(run);
  } else {
    play_times();
  }
  if (!run.advance() && run.stopped() != RunStop::none) {
    failure = fmt::format("the net stopped in frame {}: {}", run.frame() + 1,
                          run.stopped() == RunStop::endless ? "the firings of one instant never end"
                                                            : "more tokens than can be counted");
  }
}

bool Director::State::is_true(const Cause& c, const Frame& frame_now) const {
  if (c.kind == Cause::Kind::condition) return frame_now.probes[at(c.probe)] != 0;
  if (c.kind == Cause::Kind::walked) {
    const Running& r = actions[at(c.binding)];
    const auto& walkers = ensemble.walkers();
    return r.runs && walkers[at(std::get<Walk>(r.binding.action).walker)]->arrived();
  }
  const Vec3 way = ensemble.pose(c.a).p - ensemble.pose(c.target.body) * c.target.p;
  return norm(way) <= c.within;
}

void Director::State::act(const Cause& c) {
  switch (c.effect) {
    case Cause::Effect::raise:
      run.raise(c.event);
      break;
    case Cause::Effect::hold:
      run.hold(c.event, true);
      break;
    case Cause::Effect::put:
      run.put(c.place);
      break;
    case Cause::Effect::finish:
      run.finish(c.place);
      break;
  }
}

void Director::State::look_at_causes(const Frame& now, std::span<const ContactEvent> contacts) {
  if (trace_player) return;
  for (std::size_t i = 0; i < show.causes.size(); ++i) {
    const Cause& c = show.causes[i];
    if (c.kind == Cause::Kind::contact) {
      for (const ContactEvent& e : contacts) {
        const bool fits =
            (e.a == c.a && (c.any || e.b == c.b)) || (e.b == c.a && (c.any || e.a == c.b));
        const ContactPhase phase = c.parting ? ContactPhase::end : ContactPhase::begin;
        if (fits && e.phase == phase && norm(e.impulse) >= c.least_impulse) act(c);
      }
    } else if (c.kind != Cause::Kind::times) {
      const bool holds = is_true(c, now);
      if (holds != (was_true[i] != 0) && c.effect == Cause::Effect::hold) {
        run.hold(c.event, holds);
      } else if (holds && was_true[i] == 0) {
        act(c);
      }
      was_true[i] = holds ? 1 : 0;
    }
  }
}

template <class Archive>
void Director::State::visit(Archive& a, Seen<Archive, State>& s) {
  if constexpr (Archive::reads) {
    s.run.restore(a);
    s.ensemble.restore(a);
  } else {
    s.run.save(a);
    s.ensemble.save(a);
  }
  a.part("show");
  a(s.frame, s.asked, s.was_true);
  a.text(s.failure, most_line);
  a.require(s.frame >= -1, "a frame");
  for (std::size_t i = 0; i < s.next_time.size(); ++i) {
    a.within(s.next_time[i], std::size_t{0}, s.show.causes[i].at.size(), "time");
  }
  a.part("actions");
  for (auto& r : s.actions) {
    a(r.runs, r.moment.start, r.moment.due, r.moment.now);
    std::visit(ActionMemory<Archive>(a, s.ensemble), r.binding.action);
  }
  visit_trace(a, s.net, s.trace);
  TraceRecorder::visit(a, s.recorder);
  Monitor::visit(a, s.monitor);
  if (s.trace_player) TracePlayer::visit(a, *s.trace_player);
  if constexpr (Archive::reads) s.words.clear();
}

Director::Director(const Show& show, const DirectSettings& settings)
    : state_(std::make_unique<State>(show, settings)) {}
Director::~Director() = default;

bool Director::next_frame(Frame& frame, std::vector<ContactEvent>& contacts) {
  check_interrupt();
  State& s = *state_;
  if (s.is_over()) {
    const bool cut = s.failure.empty() && s.trace_player && !s.trace_player->is_over();
    if (cut) s.failure = s.trace_player->rest_text();
    return false;
  }
  if (s.frame >= 0) s.play_net();
  if (!s.failure.empty()) return false;
  ++s.frame;
  s.asked = false;
  s.recorder.note(s.run);
  s.monitor.note(s.run);
  s.ensemble.begin_frame();
  if (s.frame == 0) {
    for (std::size_t i = 0; i < s.actions.size(); ++i) {
      if (s.actions[i].binding.when == Binding::When::start) s.at_once(i, 0);
    }
  }
  s.take_events();
  s.advance_running(false, s.time(s.frame));
  s.ensemble.pose();
  for (const State::Word& word : s.words) {
    Moment m = word.moment;
    if (word.begins) m.now = s.time(s.frame);
    s.tell(word.action, m, word.begins);
  }
  s.words.clear();
  s.advance_running(true, s.time(s.frame));
  const std::size_t first = contacts.size();
  if (!s.ensemble.finish_frame(s.time(s.frame), frame, contacts)) {
    s.failure = s.ensemble.summary().failure;
    if (s.failure.empty()) s.failure = "the simulation stopped";
  }
  s.look_at_causes(frame, std::span(contacts).subspan(first));
  frame.probes.resize(std::min(frame.probes.size(), s.show.probes));
  return true;
}

bool Director::fire(TransitionId transition) {
  if (!state_->run.fire(transition)) return false;
  return state_->asked = true;
}

std::uint64_t Director::fingerprint() const {
  const State& s = *state_;
  return molejo::fingerprint({s.run.fingerprint(), s.show.built->model.fingerprint,
                              s.actions.size(), s.show.causes.size(), s.ensemble.walkers().size(),
                              s.trace_player ? 1u : 0u});
}
void Director::save(SnapshotWriter& a) const { State::visit(a, std::as_const(*state_)); }
void Director::restore(SnapshotReader& a) { State::visit(a, *state_); }

const NetRun& Director::net() const { return state_->run; }
const Ensemble& Director::ensemble() const { return state_->ensemble; }
const std::string& Director::failure() const { return state_->failure; }
const NetTrace& Director::recorded() const { return state_->trace; }
std::vector<Watched> Director::watched() const {
  const State& s = *state_;
  Monitor last = s.monitor;
  if (s.trace_player && s.trace_player->is_over()) last.close_trace(s.run);
  last.close(s.run, s.silent);
  return {last.watched().begin(), last.watched().end()};
}
NetTrace Director::trace() const {
  NetTrace trace = state_->trace;
  close_trace(state_->net, state_->run, trace);
  return trace;
}

Directed direct(const Show& show, const DirectSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  Director director(show, settings);
  Directed directed;
  Recording& r = directed.recording;
  Frame frame;
  if (settings.skeletons) directed.walkers.resize(show.walkers.size());
  while (director.next_frame(frame, r.contacts)) {
    r.frames.push_back(std::move(frame));
    for (std::size_t i = 0; i < directed.walkers.size(); ++i) {
      const WalkingActor& walker = *director.ensemble().walkers()[i];
      directed.walkers[i].poses.push_back(walker.pose());
      directed.walkers[i].placements.push_back(walker.placement());
    }
  }
  directed.trace = director.trace();
  directed.watched = director.watched();
  directed.report = director.ensemble().report();
  if (show.built->formulas) {
    r.probes = recorded_probes(*show.built->formulas);
    r.probes.resize(std::min(r.probes.size(), show.probes));
  }
  Summary& s = r.summary = director.ensemble().summary();
  s.failure = director.failure();
  s.frames = static_cast<std::int64_t>(r.frames.size());
  s.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (r.frames.empty()) return directed;
  s.duration = r.frames.back().state.t;
  s.energy_initial = r.frames.front().energy.total();
  s.energy_final = r.frames.back().energy.total();
  s.steps_per_second = s.wall_seconds > 0 ? static_cast<double>(s.steps) / s.wall_seconds : 0;
  s.hash = hash(r.frames.back().state);
  return directed;
}

}  // namespace molejo
