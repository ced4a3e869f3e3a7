#include "molejo/net/trace.h"

#include <algorithm>

namespace molejo {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

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

NetTrace play(const Net& net, const RunSettings& settings, std::int64_t frames) {
  NetRun run(net, settings);
  NetTrace trace;
  TraceRecorder recorder(net, run, settings.frame_rate, trace);
  recorder.note(run);
  while (run.frame() < frames && !run.is_quiet() && !trace.cut && run.stopped() == RunStop::none) {
    run.advance();
    recorder.note(run);
  }
  close_trace(net, run, trace);
  return trace;
}

}  // namespace molejo
