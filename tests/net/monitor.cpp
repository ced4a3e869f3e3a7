// Properties that are watched while a net runs.
#include "molejo/net/monitor.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/io/net_trace.h"
#include "molejo/io/net_watch.h"
#include "molejo/net/trace.h"
#include "tests/net/random_nets.h"

using namespace molejo;

namespace {

Net watched_net() {
  return parse_net_json(R"({
    "places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "b", "delay": 0.5}, {"name": "c"}, {"name": "d"}],
    "transitions": [{"name": "t", "in": "a", "out": "b"}, {"name": "u", "in": "b", "out": "c"},
                    {"name": "v", "in": "c", "event": "e", "out": "d"}],
    "properties": ["never: b", "always: a + b + c + d == 1", "eventually: c", "eventually within 1: c",
                   "possible: d", "eventually: d", "never: c & b"]
  })",
                        "net.json");
}

struct Observed {
  NetTrace trace;
  std::vector<Watched> watched;
  std::string text(std::size_t i) const { return watched_text(trace, watched[i]); }
};

Observed seen(const Net& net, std::int64_t frames, const std::vector<TraceStep>* steps = nullptr) {
  const Net held = held_back(net);
  const Net& played = steps ? held : net;
  NetRun run(played, {.frame_rate = 10});
  Observed s;
  TraceRecorder recorder(played, run, 10, s.trace);
  Monitor monitor(net, steps != nullptr);
  TracePlayer player(steps ? *steps : std::vector<TraceStep>());
  recorder.note(run);
  monitor.note(run);
  while (run.frame() < frames) {
    player.play(run, net);
    REQUIRE(player.failure() == "");
    if (!steps && run.frame() == 18) run.raise("e");
    run.advance();
    recorder.note(run);
    monitor.note(run);
  }
  if (steps && player.is_over()) monitor.close_trace(run);
  monitor.close(run, false);
  close_trace(played, run, s.trace);
  s.watched.assign(monitor.watched().begin(), monitor.watched().end());
  return s;
}

}  // namespace

TEST_CASE("monitor: violations are told with their times and frames, what was seen too") {
  const Net net = watched_net();
  const Observed s = seen(net, 30);
  CHECK(s.text(0) == "violated from 1 s (frame 10) to 1.5 s (frame 14)");
  CHECK(s.text(1) == "kept");
  CHECK(s.text(2) == "seen at 1.5 s (frame 15)");
  CHECK(s.text(3) == "violated from 1 s (frame 10) to 1.5 s (frame 14)");
  CHECK(s.text(4) == "seen at 1.8 s (frame 18)");
  CHECK(s.text(5) == "seen at 1.8 s (frame 18)");
  CHECK(s.text(6) == "kept");
  const Observed early = seen(net, 5);
  CHECK(early.text(0) == "kept");
  CHECK(early.text(2) == "not seen yet");
  CHECK(early.text(4) == "not seen in this run");
}

TEST_CASE("monitor: a violation plays, and is violated at the same time again") {
  const Net net = watched_net();
  const Observed s = seen(net, 30);
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    const std::vector<TraceStep> steps = steps_to_violation(net, s.trace, s.watched[i]);
    // through a file
    const std::string file = pretty_text(watched_json(net, s.trace, {s.watched[i]}));
    const std::vector<TraceStep> read =
        parse_trace("{\"watched\": " + file + "}", "trace.json", net);
    REQUIRE(read.size() == steps.size());
    const Observed again = seen(net, 12, &read);
    CHECK(again.watched[i].violated_from * s.trace.ticks_per_second ==
          s.watched[i].violated_from * again.trace.ticks_per_second);
  }
}

TEST_CASE("monitor: what fires at once is not seen between, in a net without time it is") {
  const char* text = R"({"places": [{"name": "a", "tokens": 1}, {"name": "b"}, {"name": "c"}DELAY],
    "transitions": [{"name": "t", "in": "a", "out": "b"}, {"name": "u", "in": "b", "out": "c"}],
    "properties": ["never: b"]})";
  const auto violated = [&](const char* more) {
    std::string s = text;
    s.replace(s.find("DELAY"), 5, more);
    const Net net = parse_net_json(s, "net.json");
    Monitor monitor(net);
    play(net, {}, 10, &monitor);
    return monitor.is_violated();
  };
  CHECK(violated(""));
  CHECK_FALSE(violated(R"(, {"name": "clock", "delay": 1})"));
}

TEST_CASE("monitor: what was to come eventually is violated once nothing can happen any more") {
  const Net net =
      parse_net_json(R"({"places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "b"}],
    "transitions": [{"name": "t", "in": "a"}], "properties": ["eventually: b", "eventually: deadlock"]})",
                     "net.json");
  Monitor monitor(net);
  const NetTrace trace = play(net, {}, 100, &monitor);
  CHECK(watched_text(trace, monitor.watched()[0]) ==
        "violated from 1 s (frame 24) on: it never comes, nothing happens any more");
  CHECK_FALSE(monitor.watched()[1].is_violated());
}

namespace {

// A violation that is written, read and played again.
PlayedTrace played_again(const Net& net, const NetTrace& trace, const Watched& w, Fraction rate) {
  const std::string file = pretty_text(watched_json(net, trace, {w}).items[0]);
  // waits for words that do not come would go on for ever
  const std::vector<TraceStep> steps = parse_trace(file, "why.json", net);
  const std::int64_t frames = *ceil_product(end_of(steps), rate) + 1;
  return play_trace(net, {.frame_rate = rate}, frames, steps);
}

Fraction violated_at(const NetTrace& trace, const Watched& w) {
  return {w.violated_from, trace.ticks_per_second};
}

}  // namespace

TEST_CASE("monitor: a violation that is played again is told again, at the same frame") {
  const Net net = parse_net_json(R"({
    "places": [{"name": "a", "delay": 0.7, "tokens": 1}, {"name": "b", "delay": 0.5}, {"name": "c"}, {"name": "d"}],
    "transitions": [{"name": "t", "in": "a", "out": "b"}, {"name": "u", "in": "b", "out": "c"}],
    "properties": ["eventually: d", "eventually within 0.7: d", "eventually within 0.7: b",
                   "eventually within 1: c", "eventually within 9: d", "eventually within 1/7: c",
                   "never: a", "always: a", "never: c", "always: waiting(b) == 0"]
  })",
                                 "net.json");
  for (const Fraction& rate : {Fraction(24), Fraction(25), Fraction(10), Fraction(30000, 1001)}) {
    Monitor monitor(net);
    const NetTrace trace =
        play(net, {.frame_rate = rate, .times = times_of(net)}, 1'000'000, &monitor);
    int violated = 0;
    for (std::size_t i = 0; i < monitor.watched().size(); ++i) {
      const Watched& w = monitor.watched()[i];
      CAPTURE(w.property.text);
      CHECK(w.is_violated() == (i != 2));
      if (!w.is_violated()) continue;
      ++violated;
      const PlayedTrace again = played_again(net, trace, w, rate);
      CHECK(again.failure == "");
      const Watched& told = again.watched[i];
      REQUIRE(told.is_violated());
      CHECK(violated_at(again.trace, told) == violated_at(trace, w));
      CHECK(again.trace.frame_of(told.violated_from) == trace.frame_of(w.violated_from));
      if (!w.property.within) CHECK(told.never_comes == w.never_comes);
    }
    CHECK(violated == 9);
    CHECK(watched_text(trace, monitor.watched()[6]).starts_with("violated from 0 s (frame 0) to"));
  }
}

TEST_CASE("monitor: a trace of an event that fires several transitions rests behind the last") {
  const Net net = parse_net_json(R"({
    "places": [{"name": "a", "tokens": 2}, {"name": "b"}, {"name": "c"}],
    "transitions": [{"name": "t", "event": "e", "in": "a", "out": "b", "priority": 2},
                    {"name": "u", "event": "e", "in": "b", "out": "c"}, {"name": "v", "event": "f", "in": "b", "out": "c"}],
    "properties": ["never: b", "never: c"]})",
                                 "net.json");
  const auto violated = [&](const char* trace) {
    const PlayedTrace played = play_trace(net, {}, 100, parse_trace(trace, "trace.json", net));
    CHECK(played.failure == "");
    CHECK(played.watched[1].is_violated());
    return played.watched[0].is_violated();
  };
  CHECK_FALSE(violated(R"([{"time": 1, "fire": "t"}, {"time": 1, "fire": "u"}])"));
  CHECK_FALSE(violated(R"(["t", "u", "t", "u"])"));
  CHECK(violated(R"(["t", "v"])"));
  CHECK(violated(R"([{"time": 1, "fire": "t"}, {"time": 2, "fire": "u"}])"));
  CHECK(violated(R"(["t", "t", "u"])"));
}

TEST_CASE("monitor: a trace without steps shows the start") {
  const Net net = parse_net_json(
      R"({"places": [{"name": "a", "tokens": 1}, {"name": "b"}],
          "transitions": [{"name": "t", "in": {"a": 2}, "out": "b"}, {"name": "u", "event": "e", "in": "b"}],
          "properties": ["never: a", "never: a > 1", "eventually: b"]})",
      "net.json");
  const std::vector<TraceStep> none, until_now{TraceStep{.time = Fraction(0)}};
  for (const std::vector<TraceStep>& steps : {none, until_now}) {
    const PlayedTrace played = play_trace(net, {}, 10, steps);
    CHECK(played.failure == "");
    CHECK(played.watched[0].is_violated());
    CHECK_FALSE(played.watched[1].is_violated());
    CHECK(played.watched[2].never_comes);
  }
}

TEST_CASE("monitor: a violation that no frame shows is told with the frame behind it") {
  const Net net = parse_net_json(R"({
    "places": [{"name": "a", "tokens": 1}, {"name": "b"}, {"name": "c", "delay": 1}],
    "transitions": [{"name": "t", "in": "a", "event": "e", "out": "b"}],
    "properties": ["never: a"]})",
                                 "net.json");
  NetRun run(net, {.frame_rate = 10});
  NetTrace trace;
  TraceRecorder recorder(net, run, 10, trace);
  Monitor monitor(net);
  recorder.note(run);
  monitor.note(run);
  run.raise("e");  // at 0 s
  run.advance();
  recorder.note(run);
  monitor.note(run);
  monitor.close(run, false);
  close_trace(net, run, trace);
  const Watched& w = monitor.watched()[0];
  CHECK(watched_text(trace, w) == "violated from 0 s (frame 0) to 0 s (frame 0)");
  const JsonValue json = watched_json(net, trace, {w}).items[0];
  CHECK(json.find("frame")->number == 0);
  CHECK(json.find("last_frame")->number == 0);
}

TEST_CASE("monitor: every violation of a random net in a random world plays again") {
  int violated = 0, never = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    const Net net = test::random_net(seed, test::random_kind(seed));
    const Fraction rates[] = {6, 24, Fraction(30000, 1001)};
    const Fraction rate = rates[seed % 3];
    test::Dice dice(seed);
    NetRun run(net, {.frame_rate = rate, .most_firings_at_once = 300});
    NetTrace trace;
    TraceRecorder recorder(net, run, rate, trace);
    Monitor monitor(net);
    recorder.note(run);
    monitor.note(run);
    while (run.frame() < 40 && run.stopped() == RunStop::none) {
      const std::int64_t tick = run.tick() + dice.draw(static_cast<int>(run.ticks_per_frame()));
      if (dice.chance(30)) run.advance_to(tick);
      if (dice.chance(30)) run.raise("e" + std::to_string(dice.draw(3)));
      if (dice.chance(5)) run.hold("e" + std::to_string(dice.draw(3)), dice.chance(30));
      const PlaceId place{dice.draw(static_cast<int>(net.places.size()))};
      if (dice.chance(30) && net.places[static_cast<std::size_t>(place.index)].awaited) {
        run.finish(place);
      }
      if (!run.advance()) break;
      recorder.note(run);
      monitor.note(run);
    }
    if (run.stopped() != RunStop::none) continue;
    monitor.close(run, false);
    close_trace(net, run, trace);
    for (std::size_t i = 0; i < monitor.watched().size(); ++i) {
      const Watched& w = monitor.watched()[i];
      if (!w.is_violated()) continue;
      CAPTURE(w.property.text);
      ++violated;
      never += w.never_comes ? 1 : 0;
      const PlayedTrace again = played_again(net, trace, w, rate);
      CHECK(again.failure == "");
      REQUIRE(again.watched[i].is_violated());
      CHECK(violated_at(again.trace, again.watched[i]) == violated_at(trace, w));
      if (!w.property.within) CHECK(again.watched[i].never_comes == w.never_comes);
    }
  }
  CHECK(violated > 1000);
  CHECK(never > 50);
}

namespace {

// The counterexample of the only property, through a file, with what its play told.
struct Counterexample {
  std::vector<TraceStep> steps;
  PlayedTrace played;
};

Counterexample counterexample(const char* text, Fraction rate) {
  const Net net = parse_net_json(text, "net.json");
  const Analysis analysis = analyse(net, {});
  REQUIRE(analysis.properties[0].verdict == Verdict::fails);
  const std::string file = pretty_text(analysis_json(net, analysis));
  Counterexample found;
  found.steps = parse_trace(file, "why.json", net);
  found.played = play_trace(net, {.frame_rate = rate}, 10'000, found.steps);
  CHECK(found.played.failure == "");
  return found;
}

}  // namespace

TEST_CASE("monitor: a counterexample of what comes too late plays on to the deadline") {
  const auto round = [](const char* property) {
    return fmt::format(
        R"({{"places": [{{"name": "p0", "tokens": 1, "delay": 0.5}}, {{"name": "p1"}}],
      "transitions": [{{"name": "t", "in": "p0", "out": "p0"}}, {{"name": "x", "in": "p1", "out": "p1"}}],
      "properties": ["{}"]}})",
        property);
  };
  // a round in time, one without time, an end, what comes later, what the world need not do
  const std::string nets[] = {
      round("eventually within 2: p1"), round("eventually within 7/3: p1"),
      round("eventually within 0: p1"),
      R"({"places": [{"name": "a", "tokens": 1}, {"name": "b"}], "transitions": [{"name": "t", "in": "a", "out": "a"}],
          "properties": ["eventually within 0.5: b"]})",
      R"({"places": [{"name": "a", "tokens": 1}, {"name": "b"}], "transitions": [{"name": "t", "in": "a"}],
          "properties": ["eventually within 0.5: b"]})",
      R"({"places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "b"}],
          "transitions": [{"name": "t", "in": "a"}], "properties": ["eventually within 3: b"]})",
      R"({"places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "b"}],
          "transitions": [{"name": "t", "in": "a", "out": "b"}], "properties": ["eventually within 0.75: b"]})",
      R"({"places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "b"}],
          "transitions": [{"name": "t", "in": "a", "out": "b", "event": "e"}], "properties": ["eventually within 2: b"]})",
      // the action is over as its wait is: it is not seen to go on then
      R"net({"places": [{"name": "p", "delay": "1/3", "tokens": 2}, {"name": "q", "delay": 1, "tokens": 1, "await": true}],
          "transitions": [{"name": "t", "event": "e", "in": "p", "out": "p"},
                          {"name": "u", "event": "f", "in": {"p": 2}, "inhibit": "q"}],
          "properties": ["eventually within 2: enabled(u)"]})net"};
  for (const std::string& net : nets) {
    for (const Fraction& rate : {Fraction(24), Fraction(30000, 1001)}) {
      CAPTURE(net);
      const auto [steps, played] = counterexample(net.c_str(), rate);
      const Watched& told = played.watched[0];
      const Fraction& within = *told.property.within;
      REQUIRE(!steps.empty());
      CHECK(steps.back().transition.index < 0);
      CHECK(steps.back().finished.index < 0);
      CHECK_FALSE(*steps.back().time < within);
      REQUIRE(told.is_violated());
      CHECK(violated_at(played.trace, told) == within);
      CHECK(played.trace.frames >= played.trace.frame_of(told.violated_from));
    }
  }
  // without a deadline a round has no end
  const auto [steps, played] = counterexample(round("eventually: p1").c_str(), 24);
  CHECK(watched_text(played.trace, played.watched[0]) == "not seen yet");
}

TEST_CASE("monitor: an action that is over as its wait is does not go on at that instant") {
  const Net net = parse_net_json(R"net({
    "places": [{"name": "a", "delay": 1, "tokens": 1, "await": true}, {"name": "b", "delay": 1, "tokens": 1, "await": true},
               {"name": "c", "delay": 0.5, "tokens": 1, "await": true}],
    "transitions": [{"name": "t", "in": ["a", "b"], "event": "e"}],
    "properties": ["never: waiting(a) & ready(b)", "never: waiting(b) & ready(a)", "never: waiting(c) & ready(a)"]})net",
                                 "net.json");
  const auto steps = parse_trace(
      R"([{"time": 1, "finish": "a"}, {"time": 1, "finish": "b"}, {"time": 1, "finish": "c"}, {"time": 1, "fire": "t"}])",
      "trace.json", net);
  const PlayedTrace played = play_trace(net, {}, 100, steps);
  CHECK(played.failure == "");
  CHECK_FALSE(played.watched[0].is_violated());
  CHECK_FALSE(played.watched[1].is_violated());
  CHECK(played.watched[2].is_violated());  // it has waited for its word since 0.5 s
  const auto early = parse_trace(R"([{"time": 0.5, "finish": "a"}])", "trace.json", net);
  CHECK(play_trace(net, {}, 100, early).failure ==
        "the trace cannot be played: 'a' (step 1) is not awaited");
}
