// Nets that wait for the world: what is never, what is certain, and when the words must come.
#include "molejo/net/open_space.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/io/net_file.h"
#include "molejo/net/analysis.h"
#include "molejo/net/trace.h"
#include "tests/net/thesis_nets.h"

using namespace molejo;
using namespace molejo::test;

namespace {

Net net_of(const char* text) { return parse_net_json(text, "net.json"); }

// Somebody may walk in while the lift moves off.
Net lift() {
  return net_of(R"({
    "places": [{"name": "shut", "tokens": 1}, {"name": "opening", "delay": 2}, {"name": "open"},
               {"name": "outside", "tokens": 1}, {"name": "entering", "delay": 1}, {"name": "inside"},
               {"name": "moving"}],
    "transitions": [{"name": "call", "in": "shut", "event": "button", "out": "opening"},
                    {"name": "opened", "in": "opening", "out": "open"},
                    {"name": "go", "in": "outside", "event": "walk", "out": "entering"},
                    {"name": "entered", "in": "entering", "out": "inside"},
                    {"name": "start", "in": "open", "event": "up", "out": "moving"}]
  })");
}

PropertyResult verdict(const Net& net, const std::string& text, OpenSettings open = {}) {
  AnalysisSettings settings;
  settings.properties = {text};
  settings.open = open;
  return analyse(net, settings).properties.back();
}
Verdict decided(const Net& net, const std::string& text) { return verdict(net, text).verdict; }

std::vector<std::string> never_fire(const Net& net) {
  const Analysis found = analyse(net, {});
  std::vector<std::string> names;
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    if (found.claims.fires[t] == Claims::Fires::never) names.push_back(net.transitions[t].name);
  }
  return names;
}

}  // namespace

TEST_CASE("open nets: a violation is found with the times at which the events must come") {
  const Net net = lift();
  const PropertyResult r = verdict(net, "never: entering & moving");
  REQUIRE(r.verdict == Verdict::fails);
  CHECK(r.by_world);
  CHECK(r.timed);
  std::vector<TraceStep> steps = steps_of(r.trace, r.until);
  const Net held = held_back(net);
  NetRun run(held, {});
  TracePlayer player(steps);
  while (!player.is_over() && player.failure().empty()) {
    player.play(run, net);
    run.advance();
  }
  CHECK(player.failure() == "");
  const NetNames names(net);
  CHECK(run.tokens(names.place("entering")) + run.marking(names.place("inside")) == 1);
  CHECK(run.tokens(names.place("moving")) == 1);
  // nobody can be in the moving lift before its door has opened
  CHECK(decided(net, "never: moving & opening") == Verdict::holds);
  CHECK(decided(net, "never: deadlock & !inside") == Verdict::holds);
  CHECK(decided(net, "eventually: moving") == Verdict::fails);  // nobody need press
}

TEST_CASE("open nets: times exclude what all orders of firing allow") {
  // the gate shuts 2 s after it opened, the walk through it takes 1 s: the walker is always faster
  const Net net = net_of(R"({
    "places": [{"name": "waits", "tokens": 1}, {"name": "gate", "delay": 2}, {"name": "walk", "delay": 1},
               {"name": "through"}, {"name": "shut"}],
    "transitions": [{"name": "go", "in": "waits", "event": "bell", "out": ["gate", "walk"]},
                    {"name": "arrive", "in": "walk", "out": "through"},
                    {"name": "close", "in": "gate", "out": "shut"}]
  })");
  CHECK(decided(net, "never: shut & walk") == Verdict::holds);
  CHECK(decided(net, "possible: through & gate") == Verdict::holds);
  CHECK(decided(net, "eventually within 2: shut") == Verdict::fails);  // the bell need not ring
  Net rung = net;
  rung.transitions[0].event = "";
  rung.transitions.push_back({.name = "again", .event = "bell"});
  rung.arcs.push_back({ArcKind::input, {0}, {3}, 1});
  CHECK(decided(rung, "eventually within 2: shut") == Verdict::holds);
  CHECK(decided(rung, "eventually within 3/2: shut") == Verdict::fails);
}

TEST_CASE("open nets: what a state machine does on events can happen while a state still lasts") {
  const Net net = net_of(R"({
    "states": [{"name": "idle", "action": "idle"}, {"name": "attack", "action": "attack", "duration": 0.8},
               {"name": "hit", "duration": 0.5}, {"name": "dead"}],
    "transitions": [{"from": "idle", "to": "attack", "trigger": "fire"},
                    {"from": "attack", "to": "idle", "exit_time": 0.9},
                    {"from": "any", "to": "hit", "trigger": "hurt", "priority": 5},
                    {"from": "hit", "to": "idle", "exit_time": 1},
                    {"from": "any", "to": "dead", "condition": "health <= 0", "priority": 9}]
  })");
  CHECK(never_fire(net).empty());
  const Analysis found = analyse(net, {});
  CHECK(std::count(found.claims.fires.begin(), found.claims.fires.end(), Claims::Fires::can) ==
        static_cast<long>(net.transitions.size()));
  CHECK(found.is_safe());
  // it fires, as the analysis says
  NetRun run(net, {});
  run.raise("fire");
  run.advance();
  CHECK(run.raise("hurt") == 1);
}

TEST_CASE("open nets: of one event the higher priority goes first, and the lower one never") {
  const Net net = net_of(R"({
    "places": [{"name": "a", "tokens": 1}, {"name": "b"}, {"name": "c"}],
    "transitions": [{"name": "strong", "priority": 2, "event": "e", "in": "a", "out": "b"},
                    {"name": "weak", "event": "e", "in": "a", "out": "c"}]
  })");
  CHECK(never_fire(net) == std::vector<std::string>{"weak"});
  CHECK(decided(net, "never: c") == Verdict::holds);
  // in one raising both fire, though the first is enabled again
  const Net loop = net_of(R"({
    "places": [{"name": "a", "tokens": 1}, {"name": "b", "tokens": 1}, {"name": "c"}],
    "transitions": [{"name": "strong", "priority": 2, "event": "e", "in": "a", "out": "a"},
                    {"name": "weak", "event": "e", "in": "b", "out": "c"}]
  })");
  CHECK(never_fire(loop).empty());
  CHECK(decided(loop, "possible: c") == Verdict::holds);
}

TEST_CASE("open nets: events that are held leave no rest, which is certain of raised ones only") {
  const Net net = net_of(R"({
    "places": [{"name": "wait", "delay": 1, "tokens": 1}, {"name": "done"}],
    "transitions": [{"name": "t", "event": "e", "in": "wait", "out": "done"}]
  })");
  CHECK(decided(net, "eventually: ready(wait)") == Verdict::unknown);
  CHECK(verdict(net, "eventually: ready(wait)", {{}, false}).verdict == Verdict::holds);
  CHECK(decided(net, "eventually: ready(wait) | done") == Verdict::holds);
  CHECK(decided(net, "never: wait & done") == Verdict::holds);
}

TEST_CASE("open nets: awaited actions end at any time from their delay on, or never") {
  const Net net = net_of(R"({
    "places": [{"name": "go", "delay": 1, "tokens": 1, "await": true}, {"name": "clock", "delay": 3, "tokens": 1},
               {"name": "there"}, {"name": "late"}],
    "transitions": [{"name": "arrive", "in": "go", "out": "there"}, {"name": "ring", "in": "clock", "out": "late"}]
  })");
  CHECK(decided(net, "possible: there & clock") == Verdict::holds);
  CHECK(decided(net, "possible: go & late") == Verdict::holds);
  CHECK(decided(net, "eventually: there") == Verdict::fails);
  CHECK(decided(net, "eventually within 3: late") == Verdict::holds);
  const PropertyResult r = verdict(net, "never: there & late");
  REQUIRE(r.verdict == Verdict::fails);
  CHECK(std::any_of(r.trace.begin(), r.trace.end(),
                    [](const TimedFiring& f) { return f.finished.index == 0; }));
}

TEST_CASE("open nets: a world that acts without end cannot stop time") {
  // the bell may ring as often as it likes while the egg boils
  const Net net = net_of(R"({
    "places": [{"name": "boils", "delay": 3, "tokens": 1}, {"name": "done"}, {"name": "bell", "tokens": 1}],
    "transitions": [{"name": "ready", "in": "boils", "out": "done"}, {"name": "ring", "event": "ring", "in": "bell", "out": "bell"}]
  })");
  const OpenSettings raised{{}, false};
  CHECK(verdict(net, "eventually: done", raised).verdict == Verdict::holds);
  CHECK(verdict(net, "eventually within 3: done", raised).verdict == Verdict::holds);
  // but it may begin the wait anew again and again
  const Net again = net_of(R"({
    "places": [{"name": "boils", "delay": 3, "tokens": 1}, {"name": "done"}],
    "transitions": [{"name": "ready", "in": "boils", "out": "done"},
                    {"name": "restart", "event": "restart", "interrupt": "boils", "out": "boils"}]
  })");
  CHECK(verdict(again, "eventually: done", raised).verdict != Verdict::holds);
}

TEST_CASE("timed nets: what an interruption leaves depends on what came before it") {
  // both fire at 1 s: `cut` then `put` begins the wait in p anew, `put` then `cut` does not
  const Net net = net_of(R"({
    "places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "b", "delay": 1, "tokens": 1},
               {"name": "p", "delay": 2, "tokens": 1}, {"name": "out"}],
    "transitions": [{"name": "put", "in": "a", "out": "p"}, {"name": "cut", "in": "b", "interrupt": "p"},
                    {"name": "end", "in": "p", "out": "out"}]
  })");
  CHECK(decided(net, "eventually within 2: out") == Verdict::fails);
  CHECK(decided(net, "eventually within 3: out") == Verdict::holds);
  int early = 0, late = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    NetRun run(net, {.frame_rate = 1, .seed = seed});
    run.advance();
    run.advance();
    ++(run.marking({3}) == 1 ? early : late);
  }
  CHECK(early > 0);
  CHECK(late > 0);
}

TEST_CASE("timed nets: firings that may never end at one instant make nothing certain") {
  // one of two equals leads into a loop without time
  const Net net = net_of(R"({
    "places": [{"name": "a", "delay": 1, "tokens": 1}, {"name": "loop"}, {"name": "good", "delay": 1}, {"name": "end"}],
    "transitions": [{"name": "wrong", "in": "a", "out": "loop"}, {"name": "right", "in": "a", "out": "good"},
                    {"name": "turn", "in": "loop", "out": "loop"}, {"name": "close", "in": "good", "out": "end"}]
  })");
  CHECK(decided(net, "eventually: end") == Verdict::unknown);
  CHECK(decided(net, "never: a & end") == Verdict::holds);
}

TEST_CASE("analysis: the memory it may use is shared by all that it does") {
  const Net net = shipped_net("fms_5.pnml");
  AnalysisSettings settings;
  settings.space.max_memory = 40 << 20;
  const Analysis small = analyse(net, settings);
  CHECK(small.space->end() == SpaceEnd::max_memory);
  CHECK(small.bytes() < settings.space.max_memory);
  CHECK_FALSE(small.behaviour);
}
