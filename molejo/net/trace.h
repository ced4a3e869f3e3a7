// What a run of a net did: every event, and each service of a token as a bar of a Gantt chart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "molejo/net/monitor.h"
#include "molejo/net/run.h"
#include "molejo/net/timed_space.h"

namespace molejo {

// A step of a trace that is played: a transition fires, an awaited action is over, a token is put
// from outside; or none of them: until then time passes.
struct TraceStep {
  TransitionId transition = {};
  std::optional<Fraction> time = {};  // s; without as soon as it can be
  PlaceId finished = {}, put = {};
};

// Of a counterexample whose times count, until a time; without: as soon as each can be.
std::vector<TraceStep> steps_of(std::span<const TimedFiring> trace, std::optional<Fraction> until);
// What happened in a run up to a tick, in its first `count` events.
std::vector<TraceStep> steps_of(const Net& net, std::span<const NetEvent> events, std::size_t count,
                                std::int64_t until, std::int64_t ticks_per_second);

// When the last step with a time is due, s; 0: none has one.
Fraction end_of(std::span<const TraceStep> steps);

// The times of steps, then the deadlines of the properties of a net: for the settings of a run.
std::vector<Fraction> times_of(const Net& net, std::span<const TraceStep> steps = {});

// A net in which nothing fires by itself: traces of the original are played on it.
Net held_back(Net net);

// Plays the steps of a trace on a run of a net that is held back.
class TracePlayer {
 public:
  // Steps without a time are played `pace` frames apart.
  explicit TracePlayer(std::vector<TraceStep> steps, int pace = 0)
      : steps_(std::move(steps)), pace_(pace), since_(pace) {}

  // What is due in the coming frame, which is then to be advanced.
  void play(NetRun& run, const Net& net);
  bool is_over() const { return next_ == steps_.size(); }
  // Of a trace that is cut off: "the trace is not over: step 3 of 7 was not played".
  std::string rest_text() const;
  // Empty, or why it cannot go on: the step that is not possible.
  const std::string& failure() const { return failure_; }

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, TracePlayer>& p) {
    a.within(p.next_, std::size_t{0}, p.steps_.size(), "step");
    a(p.since_, p.waited_);
    a.text(p.failure_, most_line);
  }

 private:
  bool take(NetRun& run, const TraceStep& step) const;
  std::size_t end_in_time(NetRun& run, std::int64_t tick) const;

  std::vector<TraceStep> steps_;
  std::size_t next_ = 0;
  int pace_;
  int since_;                // frames since the last step
  std::int64_t waited_ = 0;  // frames for the next step
  std::string failure_;
};

struct Service {
  PlaceId place;
  std::int64_t start = 0, end = -1;  // ticks; -1: still goes on
  bool interrupted = false;
};

// Tokens that have ripened and were not yet taken: a condition that holds.
struct Stay {
  PlaceId place;
  std::int64_t start = 0, end = -1;
};

struct NetTrace {
  Fraction frame_rate = 24;
  std::int64_t ticks_per_second = 1, ticks_per_frame = 1;
  std::int64_t frames = 0;
  std::vector<NetEvent> events;
  std::vector<Service> services;
  std::vector<Stay> stays;
  std::vector<std::int64_t> marking, waiting;  // at the end, of each place
  int most_running = 0;                        // places that served a token at once
  bool quiet = false;                          // nothing more can happen
  bool cut = false;                            // more events than are kept
  RunStop stopped = RunStop::none;

  std::int64_t frame_of(std::int64_t tick) const {
    return (tick + ticks_per_frame - 1) / ticks_per_frame;
  }
  double seconds(std::int64_t tick) const { return Fraction(tick, ticks_per_second).value(); }
};

inline constexpr std::size_t max_trace_events = 20'000'000;

// Writes a trace while a net is run.
class TraceRecorder {
 public:
  // The net must outlive it; the trace is begun.
  TraceRecorder(const Net& net, const NetRun& run, Fraction frame_rate, NetTrace& trace);

  // What the last frame of the run brought; frames must not be left out.
  void note(const NetRun& run);

  // For snapshots (math/snapshot.h), after the trace.
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, TraceRecorder>& r) {
    const auto last = [](const auto& list) { return static_cast<int>(list.size()) - 1; };
    for (auto& i : r.open_service_) a.within(i, -1, last(r.trace_.services), "service");
    for (auto& i : r.open_stay_) a.within(i, -1, last(r.trace_.stays), "stay");
    a(r.ripe_);
  }

 private:
  void note(const NetEvent& e);
  void change(const NetEvent& e, std::int64_t count);

  NetTrace& trace_;
  std::vector<int> open_service_, open_stay_;
  std::vector<std::int64_t> ripe_;
  std::vector<std::uint8_t> delayed_;
};

// Where the run has ended: frames, tokens, why.
void close_trace(const Net& net, const NetRun& run, NetTrace& trace);

// What a trace did that was played, with the properties of its net watched.
struct PlayedTrace {
  NetTrace trace;
  std::vector<Watched> watched;
  std::string failure;  // why it could not be played to its end
};

// Plays the steps instead of what fires by itself, until they and their waits are over, at most so
// many frames. The times and words of the steps are exact whatever the settings say of them.
PlayedTrace play_trace(const Net& net, RunSettings settings, std::int64_t frames,
                       std::vector<TraceStep> steps);

// Plays until nothing can happen any more, at most so many frames. Throws NetError as NetRun does.
// `monitor`: watches the run, to its end.
NetTrace play(const Net& net, const RunSettings& settings, std::int64_t frames,
              Monitor* monitor = nullptr);

}  // namespace molejo
