// Nets and shows in the studio: played live, fired by hand, edited.
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
#include "molejo/io/net_report.h"
#include "molejo/io/show.h"
#include "molejo/studio/net_analyst.h"
#include "molejo/studio/net_line.h"
#include "tests/studio/net_client.h"

using namespace molejo;
using namespace molejo::test;

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
  const Show show = load_show(SourceFile::given(source_dir() + "/scenes/shows/jump.show.json"));
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
  const Show show =
      load_show(SourceFile::given(source_dir() + "/scenes/shows/ball_game.show.json"));
  const auto line = directed_line(show, {});
  while (line->advance()) {
  }
  CHECK(line->time() == doctest::Approx(14.5));
  CHECK(line->failure() == "");
  CHECK(line->advance());
  const Show jump = load_show(SourceFile::given(source_dir() + "/scenes/shows/jump.show.json"));
  const auto ends = directed_line(jump, {});
  while (ends->advance()) {
  }
  CHECK(ends->time() == doctest::Approx(7.5));
  CHECK_FALSE(ends->advance());
}

TEST_CASE("studio show: going on from an earlier frame gives the same frames again") {
  const Show show = load_show(SourceFile::given(source_dir() + "/scenes/shows/starter.show.json"));
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
  const Net net = load_net(SourceFile::given(source_dir() + "/scenes/nets/walk.net.json"));
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
  const Net net = load_net(SourceFile::given(file.path));
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

TEST_CASE("studio net: a run stops when its events fill its memory, and can begin anew") {
  const NetFile file("blinker.net.json", R"({
    "places": [{"name": "off", "delay": 0.1, "tokens": 1}, {"name": "on", "delay": 0.1}],
    "transitions": [{"name": "up", "in": "off", "out": "on"}, {"name": "down", "in": "on", "out": "off"}]})");
  const Net net = load_net(SourceFile::given(file.path));
  const auto seconds = [&](std::size_t bytes) {
    const auto line = token_game(net, {.history = {.bytes = bytes}});
    for (int i = 0; i < 5000 && line->advance(); ++i) continue;
    CHECK(line->failure().find("events are not kept; reset to begin anew") != std::string::npos);
    CHECK(line->trace().events.size() * sizeof(NetEvent) <= bytes);
    const double t = line->time();
    line->reset();
    CHECK(line->failure() == "");
    CHECK(line->advance());
    return t;
  };
  const double few = seconds(10'000);
  CHECK(few > 1);
  CHECK(seconds(40'000) == doctest::Approx(4 * few).epsilon(0.05));
}

TEST_CASE("studio net: a counterexample of what comes too late shows the deadline") {
  const NetFile file("late.net.json", R"({
    "places": [{"name": "p0", "tokens": 1, "delay": 0.5}, {"name": "p1"}],
    "transitions": [{"name": "t", "in": "p0", "out": "p0"}, {"name": "x", "in": "p1", "out": "p1"}],
    "properties": ["eventually within 2: p1"]})");
  const Net net = load_net(SourceFile::given(file.path));
  const Analysis analysis = analyse(net, {});
  const auto line = token_game(net, {NetMode::trace, steps_of(analysis.properties[0]), {}});
  while (line->advance()) {
  }
  const std::vector<Watched> watched = line->watched();
  REQUIRE(watched[0].is_violated());
  const NetTrace trace = line->trace();
  CHECK(trace.frame_of(watched[0].violated_from) == 2 * trace.frame_rate.numerator);
  CHECK(line->time() >= 2);
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

TEST_CASE("studio net: a place with a new name has it in properties, and no other place has") {
  const NetFile file("names.net.json", R"({
  "places": [{"name": "p", "tokens": 1}, {"name": "pp"}, {"name": "Àp"}, {"name": "pÀ"}, {"name": "p_1"}],
  "transitions": [{"name": "t", "in": "p", "out": ["pp", "Àp", "pÀ", "p_1"]}],
  "properties": ["never: p & pp", "never: p & Àp", "never: p & pÀ", "never: Àp & !pÀ", "never: 'p' & p_1"]
})");
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "edit", "edits": [{"op": "rename", "place": "p", "to": "first"}]})");
  const JsonValue found = analysis(visitor);
  for (const char* text : {"never: first & pp", "never: first & Àp", "never: first & pÀ",
                           "never: Àp & !pÀ", "never: 'first' & p_1"}) {
    CAPTURE(text);
    CHECK(sentence(found, text));
  }
}

TEST_CASE("studio net: while it is analysed anew nothing is told of what was found before") {
  const NetFile file("dining.net.json", dining);
  LoopbackStudio studio(file.path);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  REQUIRE(sentence(analysis(visitor), "deadlock after 2 firings"));
  visitor.events.clear();
  visitor.must(R"({"do": "analyse"})");
  const JsonValue begun = visitor.event("analysis");
  CHECK(at(begun, "busy").boolean);
  CHECK_FALSE(begun.find("analysis"));
  const JsonValue done = visitor.event("analysis");
  CHECK_FALSE(at(done, "busy").boolean);
  CHECK(sentence(at(done, "analysis"), "deadlock after 2 firings"));
  // a second fork for both: asked at once, it tells of the new net or nothing
  visitor.must(R"({"do": "edit", "edits": [{"op": "set", "place": "fork2", "tokens": 2}]})");
  const JsonValue found = analysis(visitor);
  CHECK(sentence(found, "never a deadlock"));
  CHECK_FALSE(sentence(found, "deadlock after"));
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

TEST_CASE("studio show: what hangs on a place goes with it when others are removed") {
  LoopbackStudio studio("scenes/shows/jump.show.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(
      R"({"do": "edit", "edits": [{"op": "remove", "place": "P1c"}, {"op": "rename", "place": "P1d", "to": "arm"}]})");
  const JsonValue net = at(visitor.must(R"({"do": "describe"})"), "net");
  const Show show = load_show(SourceFile::given(source_dir() + "/scenes/shows/jump.show.json"));
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
  const Net net = load_net(SourceFile::given(source_dir() + "/scenes/nets/walk.net.json"));
  const NetTrace trace = play(net, {.frame_rate = net_frame_rate, .await = false}, 300);
  std::size_t bars = 0;
  for (const JsonValue& row : at(at(answer, "chart"), "rows").items) {
    bars += at(row, "bars").items.size();
  }
  CHECK(bars == trace.services.size() + trace.stays.size());
}
