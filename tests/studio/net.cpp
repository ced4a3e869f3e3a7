// Nets and shows in the studio: played live, fired by hand, analysed, edited.
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
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Two who each hold one of two forks and want the other: the textbook deadlock.
const char* const dining = R"({
  "name": "Two eat",
  "places": [{"name": "fork1", "tokens": 1}, {"name": "fork2", "tokens": 1},
             {"name": "a", "tokens": 1}, {"name": "a_one"}, {"name": "b", "tokens": 1}, {"name": "b_one"}],
  "transitions": [{"name": "a_left", "in": ["a", "fork1"], "out": "a_one"},
                  {"name": "a_right", "in": ["a_one", "fork2"], "out": ["a", "fork1", "fork2"]},
                  {"name": "b_left", "in": ["b", "fork2"], "out": "b_one"},
                  {"name": "b_right", "in": ["b_one", "fork1"], "out": ["b", "fork1", "fork2"]}],
  "properties": ["always: a + a_one == 1", "never: a_one & b_one"]
})";

// A light that a switch turns on for half a second.
const char* const light = R"({
  "places": [{"name": "off", "tokens": 1}, {"name": "on", "delay": 0.5}],
  "transitions": [{"name": "press", "event": "switch", "in": "off", "out": "on"},
                  {"name": "fade", "in": "on", "out": "off"}]
})";

struct NetFile {
  explicit NetFile(const std::string& name, const std::string& text)
      : path(binary_dir() + "/" + std::to_string(::getpid()) + "_" + name) {
    std::ofstream(path) << text;
  }
  ~NetFile() { std::remove(path.c_str()); }
  std::string path;
};

const JsonValue& at(const JsonValue& value, const char* key) {
  CAPTURE(key);
  REQUIRE(value.find(key));
  return *value.find(key);
}

using Tokens = std::map<std::string, double>;

// By the name of their place.
Tokens marking(const JsonValue& described, const JsonValue& now) {
  Tokens tokens;
  for (const JsonValue& count : at(now, "marking").items) {
    const auto place = static_cast<std::size_t>(count.items[0].number);
    tokens[at(at(at(described, "net"), "places").items[place], "name").text] =
        count.items[1].number;
  }
  return tokens;
}

JsonValue analysis(Visitor& visitor) {
  while (true) {
    const JsonValue described = visitor.must(R"({"do": "describe"})");
    if (described.find("analysis")) return *described.find("analysis");
    visitor.event("analysis");
  }
}

const JsonValue* sentence(const JsonValue& analysis, const std::string& start) {
  for (const JsonValue& s : at(analysis, "sentences").items) {
    if (at(s, "text").text.starts_with(start)) return &s;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("studio show: frames are those of the director") {
  LoopbackStudio studio("scenes/shows/jump.show.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  visitor.must(R"({"do": "step", "frames": 60})");
  std::string bytes;
  do bytes = visitor.frame(1);
  while (read_at<std::uint32_t>(bytes, 4) != 60);
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  CHECK(at(described, "kind").text == "show");
  CHECK(at(described, "frame").number == 60);
  const Show show = load_show(source_dir() + "/scenes/shows/jump.show.json");
  Director director(show);
  Frame frame;
  std::vector<ContactEvent> contacts;
  for (int i = 0; i <= 60; ++i) REQUIRE(director.next_frame(frame, contacts));
  REQUIRE(bytes.size() == 16 + 4 * static_cast<std::size_t>(frame.state.q.size()));
  for (Eigen::Index i = 0; i < frame.state.q.size(); ++i) {
    CHECK(read_at<float>(bytes, 16 + 4 * static_cast<std::size_t>(i)) ==
          static_cast<float>(frame.state.q[i]));
  }
  // tokens and running actions too
  const JsonValue& now = at(described, "now");
  for (const JsonValue& count : at(now, "marking").items) {
    CHECK(director.net().tokens({static_cast<int>(count.items[0].number)}) ==
          static_cast<std::int64_t>(count.items[1].number));
  }
  CHECK(at(now, "serving").items.size() == static_cast<std::size_t>(director.net().running()));
  CHECK(director.net().running() > 0);
}

TEST_CASE("studio show: it stops once at its duration, and where nothing can happen") {
  const Show show = load_show(source_dir() + "/scenes/shows/ball_game.show.json");
  const auto line = directed_line(show, {});
  while (line->advance()) {
  }
  CHECK(line->time() == doctest::Approx(14.5));
  CHECK(line->failure() == "");
  CHECK(line->advance());
  const Show jump = load_show(source_dir() + "/scenes/shows/jump.show.json");
  const auto ends = directed_line(jump, {});
  while (ends->advance()) {
  }
  CHECK(ends->time() == doctest::Approx(7.5));
  CHECK_FALSE(ends->advance());
}

TEST_CASE("studio show: going on from an earlier frame gives the same frames again") {
  const Show show = load_show(source_dir() + "/scenes/shows/starter.show.json");
  const auto line = directed_line(show, {});
  for (int i = 0; i < 60; ++i) REQUIRE(line->advance());
  const std::uint64_t before = hash(line->shown().frame.state);
  line->seek(1);
  const std::int64_t from = line->number();
  line->branch();
  CHECK(line->number() == from);
  CHECK(line->end() == line->time());
  while (line->number() < 60) REQUIRE(line->advance());
  CHECK(hash(line->shown().frame.state) == before);
}

TEST_CASE("studio show: by hand nothing moves until a transition is fired") {
  LoopbackStudio studio("scenes/shows/jump.show.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "mode", "value": "hand"})");
  JsonValue described = visitor.must(R"({"do": "describe"})");
  CHECK(at(described, "mode").text == "hand");
  // what stands in the marking at the start goes on; then it rests
  visitor.must(R"({"do": "step", "frames": 500})");
  described = visitor.must(R"({"do": "describe"})");
  const double rest = at(described, "frame").number;
  CHECK(rest == 36);
  CHECK(at(at(described, "now"), "serving").items.empty());
  REQUIRE(at(at(described, "now"), "allowed").items.size() == 1);
  const auto first = static_cast<std::size_t>(at(at(described, "now"), "allowed").items[0].number);
  const std::string name = at(at(at(described, "net"), "transitions").items[first], "name").text;
  visitor.must(R"({"do": "fire", "transition": ")" + name + "\"}");
  described = visitor.must(R"({"do": "describe"})");
  CHECK(at(described, "frame").number == rest + 1);
  CHECK(at(at(described, "now"), "serving").items.size() > 1);
  visitor.must(R"({"do": "step", "frames": 5})");
  CHECK(at(visitor.must(R"({"do": "status"})"), "frame").number == rest + 6);
}

TEST_CASE("studio net: an event is fired by hand, its light fades by itself") {
  const NetFile file("light.net.json", light);
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  JsonValue described = visitor.must(R"({"do": "describe"})");
  CHECK(at(described, "kind").text == "net");
  CHECK(visitor.error(R"({"do": "fire", "transition": "fade"})") ==
        "transition 'fade' is not enabled now");
  CHECK(visitor.error(R"({"do": "fire", "transition": "pres"})") ==
        "unknown transition 'pres'; did you mean 'press'?");
  visitor.must(R"({"do": "fire", "transition": "press"})");
  JsonValue now = at(visitor.must(R"({"do": "net"})"), "now");
  CHECK(marking(described, now) == Tokens{{"on", 1}});
  REQUIRE(at(now, "serving").items.size() == 1);
  CHECK(at(now, "serving").items[0].items[2].number == doctest::Approx(0.5));
  visitor.must(R"({"do": "step", "frames": 15})");
  now = at(visitor.must(R"({"do": "net"})"), "now");
  CHECK(marking(described, now) == Tokens{{"off", 1}});
  // the past is not changed; from there it goes on only after a branch
  visitor.must(R"({"do": "seek", "t": 0})");
  CHECK(visitor.error(R"({"do": "fire", "transition": "press"})").find("branch first") !=
        std::string::npos);
  visitor.must(R"({"do": "branch"})");
  visitor.must(R"({"do": "fire", "transition": "press"})");
  CHECK(at(visitor.must(R"({"do": "status"})"), "end").number == doctest::Approx(1.0 / 30));
}

TEST_CASE("studio net: firings of the net are told as they come") {
  LoopbackStudio studio("scenes/nets/walk.net.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "speed", "value": 20})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "play"})");
  const Net net = load_net(source_dir() + "/scenes/nets/walk.net.json");
  const NetTrace trace = play(net, {.frame_rate = net_frame_rate, .await = false}, 10'000);
  std::vector<std::pair<double, double>> expected, seen;
  for (const NetEvent& e : trace.events) {
    if (e.kind != NetEventKind::fire) continue;
    expected.emplace_back(
        e.node, static_cast<double>(e.tick) / static_cast<double>(trace.ticks_per_second));
  }
  REQUIRE(expected.size() > 5);
  bool begun = false;
  while (seen.size() < expected.size()) {
    const JsonValue event = visitor.event("net");
    // what was told before the reset does not count
    if (!at(event, "went_on").boolean) seen.clear(), begun = at(event, "t").number < 0.5;
    if (!begun) continue;
    for (const JsonValue& f : at(event, "fired").items) {
      seen.emplace_back(f.items[0].number, f.items[1].number);
    }
  }
  CHECK(seen == expected);
}

TEST_CASE("studio net: without delays it goes one firing at a time until it is stuck") {
  const NetFile file("dining.net.json", dining);
  const Net net = load_net(file.path);
  const auto line = token_game(net, {});
  std::size_t fired = 0;
  for (int i = 0; i < 3000 && line->advance(); ++i) {
    CHECK(line->shown().fired.size() <= 1);
    fired += line->shown().fired.size();
  }
  CHECK_FALSE(line->advance());
  CHECK(line->shown().allowed.empty());
  CHECK(fired >= 2);
  CHECK(line->time() >= 0.5 * static_cast<double>(fired));
}

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
  const JsonValue* grows = sentence(found, "touches, dropped");
  REQUIRE(grows);
  CHECK(at(*grows, "text").text.ends_with("may hold any number of tokens"));
  CHECK_FALSE(grows->find("trace"));  // the outside cannot be played
  CHECK(sentence(found, "ready + running + arrived = 1, always"));
}

TEST_CASE("studio net: edits change the net, its analysis follows, undo brings it back") {
  const NetFile file("dining.net.json", dining);
  LoopbackStudio studio(file.path);
  Visitor visitor(studio), other(studio);
  visitor.must(R"({"do": "pause"})");
  const std::string before = pretty_text(at(visitor.must(R"({"do": "describe"})"), "net"));
  // both take fork1 first: no deadlock
  visitor.must(R"({"do": "edit", "edits": [
    {"op": "arc", "kind": "input", "place": "fork2", "transition": "b_left", "weight": 0},
    {"op": "arc", "kind": "input", "place": "fork1", "transition": "b_left"},
    {"op": "arc", "kind": "input", "place": "fork1", "transition": "b_right", "weight": 0},
    {"op": "arc", "kind": "input", "place": "fork2", "transition": "b_right"},
    {"op": "rename", "place": "a_one", "to": "a waits"},
    {"op": "set", "place": "a waits", "delay": "1/3", "action": "wait"},
    {"op": "set", "transition": "a_left", "priority": 2}]})");
  const JsonValue changed = other.event("net_changed");
  CHECK(at(changed, "undo").boolean);
  const JsonValue found = analysis(visitor);
  CHECK(sentence(found, "never a deadlock"));
  CHECK_FALSE(sentence(found, "deadlock after"));
  const JsonValue* kept = sentence(found, "always: a + 'a waits' == 1");
  REQUIRE(kept);
  CHECK(at(*kept, "sign").text == "good");
  // saved, it is the same net
  visitor.must(R"({"do": "export", "what": "json"})");
  const JsonValue done = visitor.event("done");
  const Net saved = parse_net_json(body_of(http(studio, "GET", at(done, "asset").text)), "saved");
  CHECK(saved.places[3].name == "a waits");
  CHECK(saved.places[3].delay == Fraction(1, 3));
  CHECK(saved.transitions[0].priority == 2);
  CHECK(saved.arcs.size() == 16);

  visitor.must(R"({"do": "undo"})");
  CHECK(pretty_text(at(visitor.must(R"({"do": "describe"})"), "net")) == before);
  CHECK(sentence(analysis(visitor), "deadlock after 2 firings"));
  visitor.must(R"({"do": "redo"})");
  CHECK(sentence(analysis(visitor), "never a deadlock"));
  CHECK(visitor.error(R"({"do": "redo"})") == "there is nothing to redo");
}

TEST_CASE("studio net: bad edits are answers, and change nothing") {
  const NetFile file("dining.net.json", dining);
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const std::string before = pretty_text(at(visitor.must(R"({"do": "describe"})"), "net"));
  const auto edit = [&](const std::string& text) {
    return visitor.error(R"({"do": "edit", "edits": [)" + text + "]}");
  };
  CHECK(edit(R"({"op": "add", "place": "a"})") == "there is a place 'a' already");
  CHECK(edit(R"({"op": "add", "place": ""})") == "'place': expected 1 to 200 bytes");
  CHECK(edit(R"({"op": "ad", "place": "c"})") == "unknown edit 'ad'; did you mean 'add'?");
  CHECK(edit(R"({"op": "remove", "place": "fork3"})").find("unknown place 'fork3'") == 0);
  CHECK(edit(R"({"op": "set", "place": "a", "delay": -1})").find("'delay' -1: expected seconds") ==
        0);
  CHECK(edit(R"({"op": "set", "place": "a", "tokens": 1.5})").find("'tokens' 1.5: expected a") ==
        0);
  CHECK(edit(R"({"op": "set", "place": "a", "priority": 2})") ==
        "'priority': only a transition has one");
  CHECK(edit(R"({"op": "arc", "place": "a", "transition": "b_right", "weight": 0})") ==
        "there is no such arc");
  CHECK(edit(R"({"op": "arc", "place": "a", "transition": "b_right", "kind": "out"})")
            .find("unknown kind of arc 'out'") == 0);
  CHECK(edit(R"({"op": "property", "text": "never: a &"})").find("property 'never: a &'") == 0);
  CHECK(edit(R"({"op": "move", "place": "a", "x": 1e300, "y": 0})") ==
        "'x': expected a place on the page");
  // the good one before the bad one is not taken either
  CHECK(edit(R"({"op": "add", "place": "c"}, {"op": "remove", "place": "d"})").find("edit 1: ") ==
        0);
  // delays without a common tick cannot be played
  CHECK(edit(R"({"op": "set", "place": "a", "delay": "1/999999937"},
                {"op": "set", "place": "b", "delay": "1/999999929"},
                {"op": "set", "place": "a_one", "delay": "1/999999893"})") != "no error");
  CHECK(visitor.error(R"({"do": "edit"})").find("'edits'") == 0);
  CHECK(visitor.error(R"({"do": "undo"})") == "there is nothing to undo");
  CHECK(pretty_text(at(visitor.must(R"({"do": "describe"})"), "net")) == before);
  visitor.must(R"({"do": "step"})");
}

TEST_CASE("studio net: an edit after which time would never pass is refused") {
  // off -> on -> off: without the half second of `on` nothing holds it up
  const NetFile file("lamp.net.json", R"({
    "places": [{"name": "off", "tokens": 1}, {"name": "on", "delay": 0.5}, {"name": "other", "delay": 1}],
    "transitions": [{"name": "press", "in": "off", "out": "on"}, {"name": "fade", "in": "on", "out": "off"}]})");
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const std::string before = pretty_text(at(visitor.must(R"({"do": "describe"})"), "net"));
  const std::string problem =
      visitor.error(R"({"do": "edit", "edits": [{"op": "set", "place": "on", "delay": 0}]})");
  CHECK(problem.find("would fire for ever without time passing") != std::string::npos);
  CHECK(problem.find("'press'") != std::string::npos);
  CHECK(problem.find("'fade'") != std::string::npos);
  CHECK(pretty_text(at(visitor.must(R"({"do": "describe"})"), "net")) == before);
  visitor.must(R"({"do": "edit", "edits": [{"op": "set", "place": "on", "delay": 0.25}]})");
}

TEST_CASE("studio net: what was edited is the same net after it was saved and opened") {
  LoopbackStudio studio("scenes/nets/walk.net.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "edit", "edits": [
    {"op": "set", "place": "P2a", "delay": "1/3"}, {"op": "set", "transition": "T2", "priority": 7},
    {"op": "add", "place": "extra", "tokens": 2}, {"op": "add", "transition": "go", "event": "bell"},
    {"op": "arc", "kind": "inhibitor", "place": "extra", "transition": "go", "weight": 3}]})");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  const auto words = [](const JsonValue& list) {
    std::vector<std::string> texts;
    for (const JsonValue& item : list.items) texts.push_back(item.text);
    return texts;
  };
  CHECK(words(at(described, "exports")) ==
        std::vector<std::string>{"json", "pnml", "svg", "gantt", "events"});
  std::vector<std::string> saved;
  for (const char* what : {"json", "pnml"}) {
    CAPTURE(what);
    visitor.must(std::string(R"({"do": "export", "what": ")") + what + "\"}");
    const JsonValue done = visitor.event("done");
    const std::string text = body_of(http(studio, "GET", at(done, "asset").text));
    const Net net =
        what == std::string("json") ? parse_net_json(text, "saved") : parse_pnml(text, "saved");
    saved.push_back(net_json(net));
    CHECK(net.places.size() == 25);
    CHECK(net.places.back().tokens == 2);
    CHECK(net.transitions.back().event == "bell");
    CHECK(net.arcs.back().kind == ArcKind::inhibitor);
    CHECK(net.arcs.back().weight == 3);
  }
  CHECK(saved[0] == saved[1]);
}

TEST_CASE("studio net: moved nodes stay where they are put until they are arranged anew") {
  const NetFile file("dining.net.json", dining);
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const auto first = [&] {
    return at(at(visitor.must(R"({"do": "describe"})"), "net"), "places").items[0];
  };
  const double x = at(first(), "x").number;
  visitor.must(R"({"do": "edit", "edits": [{"op": "move", "place": "fork1", "x": 900, "y": 20}]})");
  visitor.must(R"({"do": "edit", "edits": [{"op": "add", "place": "c", "x": 1, "y": 2}]})");
  CHECK(at(first(), "x").number == 900);
  visitor.must(R"({"do": "edit", "edits": [{"op": "remove", "place": "c"}, {"op": "arrange"}]})");
  CHECK(at(first(), "x").number == x);
}

TEST_CASE("studio net: on to the next firing") {
  LoopbackStudio studio("scenes/nets/walk.net.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  // T1 at the start, T2 after half a second, T3 and T5 a second later
  CHECK(at(visitor.must(R"({"do": "next"})"), "t").number == doctest::Approx(0.5));
  CHECK(at(visitor.must(R"({"do": "next"})"), "t").number == doctest::Approx(1.5));
  CHECK_FALSE(at(visitor.must(R"({"do": "status"})"), "playing").boolean);
  visitor.must(R"({"do": "mode", "value": "hand"})");
  const JsonValue before = at(visitor.must(R"({"do": "net"})"), "now");
  REQUIRE(at(before, "allowed").items.size() == 1);
  visitor.must(R"({"do": "next"})");
  CHECK(at(at(visitor.must(R"({"do": "net"})"), "now"), "serving").items.size() == 4);
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

TEST_CASE(
    "studio net: of a net that is too large a part is drawn, and the rest is played as well") {
  // a ring of ten thousand places with one token, round which it goes in steps of a frame
  constexpr int count = 10'000;
  Net net;
  for (int i = 0; i < count; ++i) {
    net.places.push_back({"q" + std::to_string(i), Fraction(1, 30), i == 40 ? 1 : 0});
    net.transitions.push_back({"t" + std::to_string(i)});
    net.arcs.push_back({ArcKind::input, {i}, {i}, 1});
    net.arcs.push_back({ArcKind::output, {(i + 1) % count}, {i}, 1});
  }
  const NetFile file("ring.pnml", pnml_text(net));
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  const JsonValue& drawn = at(described, "net");
  CHECK_FALSE(at(drawn, "whole").boolean);
  CHECK(at(drawn, "size").items[0].number == count);
  CHECK(at(drawn, "places").items.size() + at(drawn, "transitions").items.size() == 120);
  CHECK(pretty_text(described).size() < 200'000);
  CHECK(marking(described, at(described, "now")) == Tokens{{"q40", 1}});
  visitor.must(R"({"do": "step", "frames": 400})");
  CHECK(marking(described, at(visitor.must(R"({"do": "net"})"), "now")).empty());  // gone on
  visitor.must(R"({"do": "look", "at": "q440"})");
  const JsonValue there = visitor.must(R"({"do": "describe"})");
  CHECK(marking(there, at(there, "now")) == Tokens{{"q440", 1}});
  CHECK(visitor.error(R"({"do": "look", "at": "q10001"})").find("unknown place 'q10001'") == 0);
  visitor.must(R"({"do": "edit", "edits": [{"op": "add", "place": "new", "x": 10, "y": 20},
                   {"op": "remove", "place": "q441"}, {"op": "rename", "place": "q440", "to": "here"}]})");
  const JsonValue edited = at(visitor.must(R"({"do": "describe"})"), "net");
  CHECK(at(edited, "places").items.size() == at(at(there, "net"), "places").items.size());
  CHECK(at(edited, "size").items[0].number == count);
  visitor.must(R"({"do": "undo"})");
  CHECK(pretty_text(at(visitor.must(R"({"do": "describe"})"), "net")) ==
        pretty_text(at(there, "net")));
  LoopbackStudio small("scenes/nets/walk.net.json");
  Visitor other(small);
  CHECK(other.error(R"({"do": "look", "at": "P1"})") == "the whole net is drawn");
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
  const Net net = load_net(file.path);
  std::string dead;
  for (const Finding& f : find_out(net, quick_markings, -1).sentences) {
    if (f.text.find("can never fire") != std::string::npos) dead = f.text;
    CHECK(f.text != "every transition can fire");
  }
  CHECK(dead == "vanish can never fire");
}

TEST_CASE("studio net: an analysis that nobody waits for ends") {
  const Net net = load_net(source_dir() + "/scenes/nets/mapk_8.pnml");
  const std::atomic<bool> cancelled = true;
  CHECK_FALSE(find_out(net, most_markings, -1, &cancelled).complete);
  // the findings are those of what was asked last
  std::atomic<int> woken = 0;
  NetAnalyst analyst([&] { ++woken; });
  analyst.ask(net, most_markings, static_cast<int>(net.transitions.size()));
  const Net walk = load_net(source_dir() + "/scenes/nets/walk.net.json");
  analyst.ask(walk, quick_markings, static_cast<int>(walk.transitions.size()));
  while (woken == 0) std::this_thread::yield();
  const std::optional<NetFindings> found = analyst.take();
  REQUIRE(found);
  CHECK(found->markings == 8);
  CHECK_FALSE(analyst.take());
}

TEST_CASE("studio show: what hangs on a place goes with it when others are removed") {
  LoopbackStudio studio("scenes/shows/jump.show.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(
      R"({"do": "edit", "edits": [{"op": "remove", "place": "P1c"}, {"op": "rename", "place": "P1d", "to": "arm"}]})");
  const JsonValue net = at(visitor.must(R"({"do": "describe"})"), "net");
  const Show show = load_show(source_dir() + "/scenes/shows/jump.show.json");
  std::size_t acting = 0, acted = 0;
  for (const JsonValue& p : at(net, "places").items) {
    const std::string name = at(p, "name").text;
    acting += p.find("acts") ? 1 : 0;
    if (name == "arm") CHECK(p.find("acts"));
    CHECK(name != "P1c");
  }
  for (const Binding& b : show.bindings) acted += b.when == Binding::When::place ? 1 : 0;
  CHECK(acting == acted - 1);
  visitor.must(R"({"do": "step", "frames": 40})");
}

TEST_CASE("studio net: the chart of the run to come is that of the run") {
  LoopbackStudio studio("scenes/nets/walk.net.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  const JsonValue answer = visitor.must(R"({"do": "gantt"})");
  CHECK(at(answer, "foreseen").boolean);
  const Net net = load_net(source_dir() + "/scenes/nets/walk.net.json");
  const NetTrace trace = play(net, {.frame_rate = net_frame_rate, .await = false}, 300);
  std::size_t bars = 0;
  for (const JsonValue& row : at(at(answer, "chart"), "rows").items) {
    bars += at(row, "bars").items.size();
  }
  CHECK(bars == trace.services.size() + trace.stays.size());
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
