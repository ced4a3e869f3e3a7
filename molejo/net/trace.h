// What a run of a net did: every event, and each service of a token as a bar of a Gantt chart.
#pragma once

#include <cstdint>
#include <vector>

#include "molejo/net/run.h"

namespace molejo {

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
};

inline constexpr std::size_t max_trace_events = 20'000'000;

// Writes a trace while a net is run.
class TraceRecorder {
 public:
  // The net must outlive it; the trace is begun.
  TraceRecorder(const Net& net, const NetRun& run, Fraction frame_rate, NetTrace& trace);

  // What the last frame of the run brought; frames must not be left out.
  void note(const NetRun& run);

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

// Plays until nothing can happen any more, at most so many frames. Throws NetError as NetRun does.
NetTrace play(const Net& net, const RunSettings& settings, std::int64_t frames);

}  // namespace molejo
