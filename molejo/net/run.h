// The token game of a timed net, frame by frame, in exact time.
//
//   instant:  all waits that end now end;  settle:  while some t is enabled, fire one of the
//   highest
//             priority, chosen at random among equals
//   frame k:  all instants in ((k-1)/rate, k/rate]; frame 0 settles the start
//
// Algorithm: Bicho (2001), section 3.4, with instants between frames kept exact. From outside a
// run takes events (raise, hold), tokens (put) and the word that an action is over (finish).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/math/snapshot.h"
#include "molejo/net/net.h"

namespace molejo {

struct RunSettings {
  Fraction frame_rate = 24;                        // frames per second
  std::uint64_t seed = 1;                          // of the choice among equals
  std::int64_t most_firings_at_once = 10'000'000;  // at one instant, before it is called endless
  bool await = true;  // false: awaited actions are called over as soon as their delay is
  // Times that shall be whole ticks, s, in this order as far as ticks can be counted: of words from
  // outside, of deadlines. Whole microseconds are, where the others leave room for them.
  std::vector<Fraction> times = {};
};

// More than any net of this size should need: few enough to find out at once.
std::int64_t usual_firings_at_once(const Net& net);

enum class NetEventKind : std::uint8_t {
  fire,       // of a transition
  arrive,     // tokens were put into a place
  start,      // the next waiting token of a place is served: its action begins
  finish,     // its wait is over, it may enable
  interrupt,  // a transition took it while it waited
  leave,      // tokens were taken
  outside     // all was at rest; what comes next at this tick is by a word from outside
};

struct NetEvent {
  std::int64_t tick = 0;
  NetEventKind kind = NetEventKind::fire;
  int node = 0;  // index of the transition for `fire`, of the place for others, 0 for `outside`
  std::int64_t count = 1;
};

// What a place is told of its serving token in a frame (Bicho 2001, table 3.1).
enum class Stage : std::uint8_t { nothing = 0, arrival = 1, wait = 2 };

// One frame of one action: the part of its wait that lies in the frame.
struct ActionCall {
  PlaceId place;
  Stage stage = Stage::arrival;     // arrival: the first frame of this token
  std::int64_t start = 0, due = 0;  // ticks; due = start + delay
  std::int64_t end = -1;            // tick at which it finished or was interrupted, -1: goes on
  bool interrupted = false;
};

enum class RunStop : std::uint8_t {
  none,
  endless,  // more firings at one instant than allowed: time would never pass
  overflow  // more tokens or time than can be counted
};

class NetRun {
 public:
  static constexpr SnapshotKind snapshot_kind = SnapshotKind::net;
  // The net must outlive the run. Settles the start (frame 0). Throws NetError when the delays and
  // the frame rate have no common tick that can be counted.
  NetRun(const Net& net, const RunSettings& settings);
  ~NetRun();
  NetRun(NetRun&&) noexcept;
  NetRun& operator=(NetRun&&) noexcept;

  // Plays one frame, or the rest of it. False when the run has stopped.
  bool advance();
  // Plays up to this tick within the coming frame, so that a word from outside comes at its time.
  void advance_to(std::int64_t tick);

  // From outside, now. Events fire at rest only: transitions that fire by themselves go first.
  // Fires every enabled transition of the event once, highest priority first; number of firings.
  int raise(std::string_view event);
  // While it is held, the transitions of the event fire by themselves whenever the rest is done.
  void hold(std::string_view event, bool held);
  void put(PlaceId place, std::int64_t tokens = 1);
  // Fires one transition if it is enabled.
  bool fire(TransitionId transition);
  // The action of the serving token of an awaited place is over.
  void finish(PlaceId place);

  // Of the last frame, in order, with what was said from outside at its beginning; once something
  // is said after the frame, of the next one.
  std::span<const NetEvent> events() const;
  // Whether they are of the next one, which goes on.
  bool is_within_frame() const;
  // Each service of a token in that frame once.
  std::span<const ActionCall> calls() const;

  std::int64_t frame() const;
  std::int64_t tick() const;
  std::int64_t ticks_per_second() const;
  std::int64_t ticks_per_frame() const;
  // The first frame that shows what happened at the tick.
  std::int64_t frame_of(std::int64_t tick) const;
  // The first tick that is not before the time.
  std::int64_t tick_of(const Fraction& seconds) const;
  // Whether that is the very instant.
  bool is_tick(const Fraction& seconds) const { return exact_seconds(tick_of(seconds)) == seconds; }
  double seconds(std::int64_t tick) const { return exact_seconds(tick).value(); }
  Fraction exact_seconds(std::int64_t tick) const { return {tick, ticks_per_second()}; }

  std::int64_t marking(PlaceId place) const;  // tokens that may enable
  std::int64_t waiting(PlaceId place) const;
  std::int64_t tokens(PlaceId place) const { return marking(place) + waiting(place); }
  Stage stage(PlaceId place) const;  // of the coming call
  int running() const;               // places that serve a token now
  // The tick at which the wait of the serving token is over.
  std::optional<std::int64_t> due(PlaceId place) const;
  // The tick at which the next wait ends by itself, if any does.
  std::optional<std::int64_t> next_end() const;
  bool is_enabled(TransitionId transition) const;
  bool is_quiet() const;  // nothing is enabled, held or waiting
  RunStop stopped() const;
  // Hash of what decides the future: tokens, remaining waits, held events. Cost O(places).
  std::uint64_t future_hash() const;

  // save(run, snapshot) takes all that it goes on from, restore(snapshot, run) goes on from there
  // in a run of the same net (math/snapshot.h).
  std::uint64_t fingerprint() const;
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace molejo
