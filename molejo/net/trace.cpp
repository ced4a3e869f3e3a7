#include "molejo/net/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"

namespace molejo {

std::vector<TraceStep> steps_of(std::span<const TimedFiring> trace, std::optional<Fraction> until) {
  std::vector<TraceStep> steps;
  for (const TimedFiring& f : trace) {
    steps.push_back({.transition = f.transition,
                     .time = until ? std::optional(f.time) : std::nullopt,
                     .finished = f.finished,
                     .put = f.put});
  }
  const Fraction last = trace.empty() ? Fraction(0) : trace.back().time;
  if (until && last < *until) steps.push_back({.time = until});
  return steps;
}

std::vector<TraceStep> steps_of(const Net& net, std::span<const NetEvent> events, std::size_t count,
                                std::int64_t until, std::int64_t ticks_per_second) {
  std::vector<TraceStep> steps;
  std::int64_t last = 0;
  bool begins = false;  // what a word from outside does
  for (const NetEvent& e : events.first(std::min(count, events.size()))) {
    const Fraction time(e.tick, ticks_per_second);
    const std::size_t before = steps.size();
    if (e.kind == NetEventKind::fire) {
      steps.push_back({.transition = {e.node}, .time = time});
    } else if (e.kind == NetEventKind::finish && net.places[at(e.node)].awaited) {
      steps.push_back({.time = time, .finished = {e.node}});
    } else if (e.kind == NetEventKind::arrive && begins) {
      const TraceStep put{.time = time, .put = {e.node}};
      steps.insert(steps.end(), static_cast<std::size_t>(e.count), put);
    }
    if (steps.size() > before) last = e.tick;
    begins = e.kind == NetEventKind::outside;
  }
  if (last < until) steps.push_back({.time = Fraction(until, ticks_per_second)});
  return steps;
}

Fraction end_of(std::span<const TraceStep> steps) {
  Fraction last = 0;
  for (const TraceStep& s : steps) last = std::max(last, s.time.value_or(0));
  return last;
}

std::vector<Fraction> times_of(const Net& net, std::span<const TraceStep> steps) {
  std::vector<Fraction> times;
  for (const TraceStep& s : steps) {
    if (s.time) times.push_back(*s.time);
  }
  for (const std::string& text : net.properties) {
    try {
      if (const auto within = parse_property(text, net).within) times.push_back(*within);
    } catch (const NetError&) {  // the analysis tells
    }
  }
  return times;
}

Net held_back(Net net) {
  for (Transition& t : net.transitions) t.event = "trace: " + t.name;
  return net;
}

std::string TracePlayer::rest_text() const {
  return fmt::format("the trace is not over: step {} of {} was not played", next_ + 1,
                     steps_.size());
}

bool TracePlayer::take(NetRun& run, const TraceStep& step) const {
  if (step.put.index >= 0) {
    run.put(step.put);
    return true;
  }
  if (step.finished.index >= 0) {
    const std::int64_t before = run.waiting(step.finished);
    run.finish(step.finished);
    return run.waiting(step.finished) < before;
  }
  return step.transition.index < 0 || run.fire(step.transition);
}

// Actions that are over at this later tick, just as their waits: said before, they are not still
// seen to go on then. How many of the coming steps these are.
std::size_t TracePlayer::end_in_time(NetRun& run, std::int64_t tick) const {
  std::size_t count = 0;
  for (; tick > run.tick() && next_ + count < steps_.size(); ++count) {
    const TraceStep& step = steps_[next_ + count];
    if (step.finished.index < 0 || step.time != steps_[next_].time) break;
    if (run.due(step.finished) != tick) break;
    run.finish(step.finished);
  }
  return count;
}

void TracePlayer::play(NetRun& run, const Net& net) {
  const std::int64_t end = (run.frame() + 1) * run.ticks_per_frame();
  ++since_;
  for (; !is_over(); ++next_, since_ = 0, waited_ = 0) {
    check_interrupt();
    const TraceStep& step = steps_[next_];
    if (!step.time && since_ < pace_) return;
    if (step.time && run.tick_of(*step.time) > end) return;
    if (step.time && !run.is_tick(*step.time)) {
      failure_ = fmt::format("the trace cannot be played: {} s (step {}) is no whole tick",
                             to_string(*step.time), next_ + 1);
      return;
    }
    if (step.time) {
      const std::int64_t tick = run.tick_of(*step.time);
      const std::size_t in_time = end_in_time(run, tick);
      run.advance_to(tick);
      if (in_time > 0) {
        next_ += in_time - 1;
        continue;
      }
    }
    if (take(run, step)) continue;
    // without a time it may still wait for tokens
    constexpr std::int64_t longest = 1'000'000;  // frames
    if (!step.time && run.running() > 0 && ++waited_ < longest) return;
    const bool fires = step.transition.index >= 0;
    failure_ = fmt::format("the trace cannot be played: '{}' (step {}) is not {}",
                           fires ? net.transitions[at(step.transition.index)].name
                                 : net.places[at(step.finished.index)].name,
                           next_ + 1, fires ? "enabled" : "awaited");
    return;
  }
}

TraceRecorder::TraceRecorder(const Net& net, const NetRun& run, Fraction frame_rate,
                             NetTrace& trace)
    : trace_(trace),
      open_service_(net.places.size(), -1),
      open_stay_(net.places.size(), -1),
      ripe_(net.places.size(), 0),
      delayed_(net.places.size(), 0) {
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    delayed_[p] = net.places[p].delay.numerator > 0 || net.places[p].awaited ? 1 : 0;
  }
  trace.frame_rate = frame_rate;
  trace.ticks_per_second = run.ticks_per_second();
  trace.ticks_per_frame = run.ticks_per_frame();
}

void TraceRecorder::note(const NetRun& run) {
  for (const NetEvent& e : run.events()) note(e);
  trace_.most_running = std::max(trace_.most_running, run.running());
  trace_.cut = trace_.events.size() > max_trace_events;
}

void TraceRecorder::note(const NetEvent& e) {
  trace_.events.push_back(e);
  if (e.kind == NetEventKind::fire) return;
  int& service = open_service_[at(e.node)];
  if (e.kind == NetEventKind::start) {
    service = static_cast<int>(trace_.services.size());
    trace_.services.push_back({{e.node}, e.tick, -1, false});
  }
  if (service >= 0 && (e.kind == NetEventKind::finish || e.kind == NetEventKind::interrupt)) {
    trace_.services[at(service)].end = e.tick;
    trace_.services[at(service)].interrupted = e.kind == NetEventKind::interrupt;
    service = -1;
  }
  // ripe tokens: what arrived without a wait, or has waited
  if (e.kind == NetEventKind::arrive && delayed_[at(e.node)] == 0) change(e, e.count);
  if (e.kind == NetEventKind::finish) change(e, 1);
  if (e.kind == NetEventKind::leave) change(e, -std::min(e.count, ripe_[at(e.node)]));
}

void TraceRecorder::change(const NetEvent& e, std::int64_t count) {
  std::int64_t& ripe = ripe_[at(e.node)];
  int& stay = open_stay_[at(e.node)];
  ripe += count;
  if (ripe > 0 && stay < 0) {
    stay = static_cast<int>(trace_.stays.size());
    trace_.stays.push_back({{e.node}, e.tick, -1});
  } else if (ripe == 0 && stay >= 0) {
    Stay& last = trace_.stays[at(stay)];
    last.end = e.tick;
    // taken at the instant it came: nothing to see
    if (last.start == last.end && at(stay) + 1 == trace_.stays.size()) trace_.stays.pop_back();
    stay = -1;
  }
}

void close_trace(const Net& net, const NetRun& run, NetTrace& trace) {
  std::erase_if(trace.stays, [](const Stay& s) { return s.start == s.end; });
  trace.frames = run.frame();
  trace.quiet = run.is_quiet();
  trace.stopped = run.stopped();
  for (int p = 0; p < static_cast<int>(net.places.size()); ++p) {
    trace.marking.push_back(run.marking({p}));
    trace.waiting.push_back(run.waiting({p}));
  }
}

NetTrace play(const Net& net, const RunSettings& settings, std::int64_t frames, Monitor* monitor) {
  NetRun run(net, settings);
  NetTrace trace;
  TraceRecorder recorder(net, run, settings.frame_rate, trace);
  const auto note = [&] {
    recorder.note(run);
    if (monitor) monitor->note(run);
  };
  note();
  while (run.frame() < frames && !run.is_quiet() && !trace.cut && run.stopped() == RunStop::none) {
    run.advance();
    note();
  }
  if (monitor) monitor->close(run, true);
  close_trace(net, run, trace);
  return trace;
}

PlayedTrace play_trace(const Net& net, RunSettings settings, std::int64_t frames,
                       std::vector<TraceStep> steps) {
  settings.await = true;
  settings.times = times_of(net, steps);
  const Net held = held_back(net);
  NetRun run(held, settings);
  PlayedTrace played;
  TraceRecorder recorder(held, run, settings.frame_rate, played.trace);
  Monitor monitor(net, true);
  TracePlayer player(std::move(steps));
  const auto note = [&] {
    recorder.note(run);
    monitor.note(run);
  };
  note();
  while (run.frame() < frames && !(player.is_over() && run.running() == 0)) {
    player.play(run, net);
    played.failure = player.failure();
    if (!played.failure.empty()) break;
    if (player.is_over()) monitor.close_trace(run);
    if (!run.advance()) break;
    note();
  }
  if (player.is_over()) monitor.close_trace(run);
  if (played.failure.empty() && !player.is_over()) played.failure = player.rest_text();
  monitor.close(run, false);
  close_trace(held, run, played.trace);
  played.watched.assign(monitor.watched().begin(), monitor.watched().end());
  return played;
}

}  // namespace molejo
