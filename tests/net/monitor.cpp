// Properties that are watched while a net runs.
#include "molejo/net/monitor.h"

#include <doctest/doctest.h>

#include "molejo/io/net_file.h"
#include "molejo/io/net_trace.h"
#include "molejo/io/net_watch.h"
#include "molejo/net/trace.h"

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
        "violated: it never comes, nothing can happen any more");
  CHECK_FALSE(monitor.watched()[1].is_violated());
}
