// What the studio finds out about nets before they run.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "molejo/director/director.h"
#include "molejo/io/net_file.h"
#include "molejo/io/show.h"
#include "molejo/studio/net_analyst.h"
#include "molejo/studio/net_line.h"
#include "tests/studio/net_client.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("studio net: a deadlock is found, and its trace is played") {
  const NetFile file("dining.net.json", dining);
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const JsonValue found = analysis(visitor);
  CHECK(at(found, "complete").boolean);
  CHECK(at(found, "markings").number == 4);
  const JsonValue* stuck = sentence(found, "deadlock after 2 firings");
  REQUIRE(stuck);
  CHECK(at(*stuck, "sign").text == "bad");
  const JsonValue* wrong = sentence(found, "never: a_one & b_one");
  REQUIRE(wrong);
  CHECK(at(*wrong, "sign").text == "bad");
  const JsonValue* right = sentence(found, "always: a + a_one == 1");
  REQUIRE(right);
  CHECK(at(*right, "sign").text == "good");
  CHECK(sentence(found, "never more than one token in a place"));
  CHECK(sentence(found, "every transition can fire"));
  CHECK(sentence(found, "b + b_one = 1, always"));

  visitor.must(R"({"do": "speed", "value": 0})");
  const JsonValue status =
      visitor.must(R"({"do": "play_trace", "which": )" +
                   std::to_string(static_cast<int>(at(*stuck, "trace").number)) + "}");
  CHECK(at(status, "mode").text == "trace");
  CHECK(at(status, "playing").boolean);
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  while (at(visitor.must(R"({"do": "status"})"), "playing").boolean) {
  }
  const JsonValue now = at(visitor.must(R"({"do": "net"})"), "now");
  CHECK(marking(described, now) == Tokens{{"a_one", 1}, {"b_one", 1}});
  CHECK(at(now, "allowed").items.empty());
  CHECK(visitor.error(R"({"do": "play_trace", "which": 99})").find("'which'") == 0);
}

TEST_CASE("studio show: a counterexample moves the figure") {
  // it claims never to leap: the analysis shows the leap
  LoopbackStudio studio("scenes/shows/jump.show.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "edit", "edits": [{"op": "property", "text": "never: P4a"}]})");
  const JsonValue found = analysis(visitor);
  const JsonValue* leap = sentence(found, "never: P4a");
  REQUIRE(leap);
  CHECK(at(*leap, "sign").text == "bad");
  const JsonValue* ends = sentence(found, "it ends after ");
  REQUIRE(ends);
  CHECK(at(*ends, "sign").text == "remark");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  visitor.must(R"({"do": "speed", "value": 0})");
  visitor.must(R"({"do": "play_trace", "which": )" +
               std::to_string(static_cast<int>(at(*leap, "trace").number)) + "}");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  while (at(visitor.must(R"({"do": "status"})"), "playing").boolean) {
  }
  CHECK(at(described, "trace").number == at(*leap, "trace").number);
  // it stands, crouches, leaps by 0.35 m: height of the root
  const double end = at(visitor.must(R"({"do": "status"})"), "end").number;
  CHECK(end > 2);
  std::vector<float> heights;
  for (double t = 0; t < end; t += 0.1) {
    visitor.must(R"({"do": "seek", "t": )" + std::to_string(t) + "}");
    std::string frame;
    do frame = visitor.frame(1);
    while (std::fabs(read_at<double>(frame, 8) - t) > 0.05);
    heights.push_back(read_at<float>(frame, 16 + 8));
  }
  const auto [lowest, highest] = std::minmax_element(heights.begin(), heights.end());
  CHECK(*highest > heights[0] + 0.3F);
  CHECK(*lowest < heights[0] - 0.2F);
  CHECK(lowest < highest);
}

TEST_CASE("studio show: tokens that causes put from outside count in the analysis") {
  // touches of the ball put tokens into `touches`: `drop` fires as soon as there are three
  LoopbackStudio studio("scenes/shows/starter.show.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const JsonValue found = analysis(visitor);
  CHECK_FALSE(sentence(found, "drop can never fire"));
  CHECK_FALSE(sentence(found, "touches + 3 dropped"));
  CHECK_FALSE(sentence(found, "never more than one token"));
  CHECK_FALSE(sentence(found, "at most "));
  const JsonValue* grows = sentence(found, "dropped may hold any number of tokens");
  REQUIRE(grows);
  CHECK_FALSE(grows->find("trace"));  // the outside cannot be played
  CHECK(sentence(found, "ready + running + arrived = 1, always"));
}

TEST_CASE("studio net: findings are grouped, with the nodes that they are about") {
  LoopbackStudio studio("scenes/nets/walk.net.json");
  Visitor visitor(studio);
  const JsonValue found = analysis(visitor);
  const JsonValue* dead = sentence(found, "4 transitions can never fire: T4, T6, T7, T9");
  REQUIRE(dead);
  CHECK(at(*dead, "group").text == "firing");
  CHECK(at(*dead, "transitions").items.size() == 4);
  const JsonValue* bound = sentence(found, "at most 3 tokens in P3");
  REQUIRE(bound);
  CHECK(at(*bound, "group").text == "tokens");
  CHECK(at(*bound, "places").items[0].text == "P3");
  LoopbackStudio other("scenes/nets/ball_top.net.json");
  Visitor guest(other);
  const JsonValue of_ball = analysis(guest);
  CHECK(sentence(of_ball, "never a deadlock"));
  CHECK(sentence(of_ball, "it repeats every 13 s"));
  CHECK(sentence(of_ball, "the slowest circuit takes 13 s"));
  CHECK(sentence(of_ball, "P1 + P2 + P3 + P4 + P5 + P6 + P7 + P8 = 1, always"));
  const JsonValue* siphons = nullptr;
  for (const JsonValue& s : at(of_ball, "sentences").items) {
    if (at(s, "text").text.ends_with("siphons: none can ever run empty")) siphons = &s;
  }
  REQUIRE(siphons);  // a live marked graph: each circuit holds a token
  CHECK(at(*siphons, "sign").text == "good");
}

TEST_CASE("studio net: what waits for the world can be overtaken, whatever the priorities say") {
  // in the logic alone "arrive" always goes first, but who walks is on the way for a while
  const NetFile file("overtaken.net.json", R"({
    "places": [{"name": "walking", "tokens": 1, "delay": 2}, {"name": "there"},
               {"name": "sack", "tokens": 1}, {"name": "lying"}, {"name": "nowhere"}],
    "transitions": [{"name": "arrive", "priority": 9, "in": "walking", "out": "there"},
                    {"name": "hit", "priority": 1, "event": "touch", "in": "sack",
                     "interrupt": "walking", "out": "lying"},
                    {"name": "vanish", "in": ["nowhere", "there"]}]
  })");
  const Net net = load_net(SourceFile::given(file.path));
  std::string dead;
  for (const Finding& f : find_out(net, quick_markings, -1).sentences) {
    if (f.text.find("can never fire") != std::string::npos) dead = f.text;
    CHECK(f.text != "every transition can fire");
  }
  CHECK(dead == "vanish can never fire");
}

TEST_CASE("studio net: an analysis that nobody waits for ends") {
  const Net net = load_net(SourceFile::given(source_dir() + "/scenes/nets/mapk_8.pnml"));
  Interrupt interrupt;
  interrupt.cancel();
  {
    const InterruptScope scope(interrupt);
    CHECK_THROWS_AS(find_out(net, most_markings), Interrupted);
  }
  // the findings are those of what was asked last
  std::atomic<int> woken = 0;
  NetAnalyst analyst([&] { ++woken; });
  analyst.ask(net, most_markings, static_cast<int>(net.transitions.size()));
  const Net walk = load_net(SourceFile::given(source_dir() + "/scenes/nets/walk.net.json"));
  analyst.ask(walk, quick_markings, static_cast<int>(walk.transitions.size()));
  while (woken == 0) std::this_thread::yield();
  const std::optional<NetFindings> found = analyst.take();
  REQUIRE(found);
  CHECK(found->markings == 8);
  CHECK_FALSE(analyst.take());
}

TEST_CASE("studio net: an analysis that stops early says so, and can be told to go on") {
  LoopbackStudio studio("scenes/nets/fms_5.pnml");
  Visitor visitor(studio);
  visitor.must(R"({"do": "analyse", "markings": 1000})");
  while (at(visitor.event("analysis"), "busy").boolean) {
  }
  const JsonValue found = analysis(visitor);
  CHECK_FALSE(at(found, "complete").boolean);
  CHECK(sentence(found, "up to "));
  CHECK_FALSE(sentence(found, "at most "));
  CHECK(visitor.error(R"({"do": "analyse", "markings": 1e12})").find("'markings'") == 0);
}

TEST_CASE("studio net: a property that is violated while it runs is told, and can be played") {
  const NetFile file("watched.net.json", R"({
    "places": [{"name": "off", "tokens": 1}, {"name": "on", "delay": 0.5}, {"name": "hot"}],
    "transitions": [{"name": "press", "event": "switch", "in": "off", "out": "on"},
                    {"name": "glow", "in": "on", "out": "hot"}],
    "properties": ["never: hot"]
  })");
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const JsonValue before = analysis(visitor);
  const JsonValue* foreseen = sentence(before, "never: hot: not after 2 firings");
  REQUIRE(foreseen);
  CHECK(at(*foreseen, "text").text.ends_with("if events come so"));
  CHECK_FALSE(sentence(before, "never: hot: violated"));
  visitor.must(R"({"do": "fire", "transition": "press"})");
  visitor.must(R"({"do": "speed", "value": 0})");
  visitor.must(R"({"do": "play"})");
  JsonValue told;
  do told = visitor.event("analysis");
  while (!sentence(at(told, "analysis"), "never: hot: violated"));
  const JsonValue* violated = sentence(at(told, "analysis"), "never: hot: violated");
  CHECK(at(*violated, "sign").text == "bad");
  const JsonValue status =
      visitor.must(R"({"do": "play_trace", "which": )" +
                   std::to_string(static_cast<int>(at(*violated, "trace").number)) + "}");
  CHECK(at(status, "mode").text == "trace");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  while (at(visitor.must(R"({"do": "status"})"), "playing").boolean) {
  }
  const JsonValue now = at(visitor.must(R"({"do": "net"})"), "now");
  CHECK(marking(described, now) == Tokens{{"hot", 1}});
}
