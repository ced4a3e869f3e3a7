// Nets in files: the three listings of the thesis, round trips, refinement, bad files.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "molejo/io/file.h"
#include "molejo/io/net_file.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::string folder() { return source_dir() + "/scenes/nets/"; }

std::string text_error(const std::string& text) {
  return error_text([&] { parse_net_text(text, "a.pn"); });
}
std::string json_error(const std::string& text) {
  return error_text([&] { parse_net_json(text, "a.json"); });
}

// Everything about a net but the order of its arcs.
std::string described(const Net& net) {
  std::string text;
  for (const Place& p : net.places) {
    text += p.name + " " + to_string(p.delay) + " " + std::to_string(p.tokens) + " " + p.action +
            (p.awaited ? " awaited\n" : "\n");
  }
  for (const Transition& t : net.transitions) {
    text += t.name + " " + std::to_string(t.priority) + " " + t.event + "\n";
  }
  std::set<std::string> arcs;
  for (const Arc& a : net.arcs) {
    arcs.insert(std::to_string(static_cast<int>(a.kind)) + " " + std::to_string(a.place.index) +
                " " + std::to_string(a.transition.index) + " " + std::to_string(a.weight));
  }
  for (const std::string& a : arcs) text += a + "\n";
  for (const std::string& p : net.properties) text += p + "\n";
  return net.name + "\n" + text;
}

std::string without_actions(Net net) {
  for (Place& p : net.places) p.action.clear();
  net.name.clear();
  net.properties.clear();
  return described(net);
}

long count_of(const Net& net, ArcKind kind) {
  return std::count_if(net.arcs.begin(), net.arcs.end(),
                       [&](const Arc& a) { return a.kind == kind; });
}

}  // namespace

TEST_CASE("net formats: the example of section 3.5.1.1") {
  const Net net = parse_net_text(
      "4 2\nP P1 0 1\nP P2 0 1\nP P3 0 1\nP P4 0 0\nT t1 1\nT t2 1\n"
      "I P1 t1 2\nI P2 t2 1\nI P3 t2 1\nO P4 t1 1\nO P4 t2 1\n",
      "example.pn");
  const std::vector<std::vector<std::int64_t>> C{{-2, 0}, {0, -1}, {0, -1}, {1, 1}};
  CHECK(incidence_matrix(net) == C);
}

TEST_CASE("net formats: the listings have the counts of the thesis and are what refine gives") {
  struct Listing {
    const char *text, *json;
    std::size_t places, transitions;
    long inputs, outputs, inhibitors;
  };
  for (const Listing& l : {Listing{"walk.pn", "walk.net.json", 24, 11, 35, 35, 3},
                           Listing{"jump.pn", "jump.net.json", 24, 7, 24, 20, 0},
                           Listing{"ball_game.pn", "ball_game.net.json", 136, 70, 172, 176, 12}}) {
    CAPTURE(l.text);
    const Net text = load_net(SourceFile::given(folder() + l.text));
    CHECK(text.places.size() == l.places);
    CHECK(text.transitions.size() == l.transitions);
    CHECK(count_of(text, ArcKind::input) == l.inputs);
    CHECK(count_of(text, ArcKind::output) == l.outputs);
    CHECK(count_of(text, ArcKind::inhibitor) == l.inhibitors);
    // names, order, delays, tokens, arcs
    CHECK(without_actions(load_net(SourceFile::given(folder() + l.json))) == described(text));
  }
}

TEST_CASE("net formats: what is written reads back the same") {
  for (const char* file : {"walk.net.json", "walk_coarse.net.json", "jump.net.json",
                           "ball_game.net.json", "ball_top.net.json"}) {
    CAPTURE(file);
    const Net net = load_net(SourceFile::given(folder() + file));
    CHECK(described(parse_net_json(net_json(net), "b.json")) == described(net));
    CHECK(described(parse_pnml(pnml_text(net), "b.pnml")) == described(net));
    CHECK(described(parse_net_text(net_text(net), "b.pn")) == without_actions(net));
    CHECK(net_text(parse_net_text(net_text(net), "b.pn")) == net_text(net));
  }
}

TEST_CASE("net formats: every word of the model survives JSON and PNML") {
  Net net;
  net.name = "all <of> \"it\"";
  net.properties = {"never: a & b < 3"};
  NetBuilder builder(net);
  const PlaceId a = builder.add(
      Place{.name = "a {b}", .delay = Fraction(1, 3), .tokens = 7, .action = "go & {run}"});
  const PlaceId b = builder.add(Place{.name = "b", .action = "wait", .awaited = true});
  const TransitionId t =
      builder.add(Transition{.name = "t<1>", .priority = -4, .event = "contact {x}"});
  builder.connect(ArcKind::interrupter, a, t, 2);
  builder.connect(ArcKind::inhibitor, b, t, 3);
  builder.connect(ArcKind::output, b, t, 1'000'000'000);
  CHECK(described(parse_net_json(net_json(net), "b.json")) == described(net));
  CHECK(described(parse_pnml(pnml_text(net), "b.pnml")) == described(net));
  CHECK(error_text([&] { net_text(net); }).find("no names like 'a {b}'") != std::string::npos);
}

TEST_CASE("net formats: the text language is read as loosely as the listings are written") {
  const Net net = parse_net_text(
      "\n# a comment\n 2 1\r\n\nP a_1 .5 0 # half\nP b 3. 2\n\nT t 255\nIB a_1 t\nO a_1 t 2\n\n",
      "a.pn");
  CHECK(net.places[0].delay == Fraction(1, 2));
  CHECK(net.places[1].delay == Fraction(3));
  CHECK(net.transitions[0].priority == 255);
}

TEST_CASE("net formats: bad text files are told by line") {
  CHECK(text_error("") == "a.pn:0: the file is empty; expected '<places> <transitions>'");
  CHECK(text_error("2\n") == "a.pn:1: '2' has 1 word; expected '<places> <transitions>'");
  CHECK(text_error("2 1\nP a 0 0\nT t 1\n") ==
        "a.pn:3: 1 places of the 2 announced in the first line; expected 'P ...', not 'T'");
  CHECK(text_error("1 1\nP a 0 0\nP b 0 0\nT t 1\n") ==
        "a.pn:3: 0 transitions of the 1 announced in the first line; expected 'T ...', not 'P'");
  CHECK(text_error("1 1\nP a 0 0\nT t 1\nT u 1\n") ==
        "a.pn:4: a transition after the 1 announced in the first line");
  CHECK(text_error("1 1\nP a 0 0\nT t 1\nI a u 1\n") ==
        "a.pn:4: unknown transition 'u'; did you mean 't'?");
  CHECK(text_error("1 1\nP a 0 0\nT t 1\nI a_t 1\n") ==
        "a.pn:4: 'I' has 3 words; expected 'I place transition weight'");
  CHECK(text_error("1 1\nP a 0 0\nT t 1\nI a t 0\n") ==
        "a.pn:4: weight '0': expected a whole number from 1 to 1000000000");
  CHECK(text_error("1 1\nP a 0 0\nT t 1\nI a t 1\nI a t 1\n") ==
        "a.pn:5: the input arc between 'a' and 't' is given twice");
  CHECK(text_error("2 0\nP a 0 0\nP a 0 0\n") == "a.pn:3: place 'a' is given twice");
  CHECK(text_error("1 0\nP a -1 0\n").starts_with("a.pn:2: delay '-1': expected seconds"));
  CHECK(text_error("1 0\nP a nan 0\n").starts_with("a.pn:2: delay 'nan': expected seconds"));
  CHECK(text_error("1 0\nP 1a 0 0\n").starts_with("a.pn:2: name '1a': expected a letter"));
  CHECK(text_error("99999999999999999999 1\n").starts_with("a.pn:1: number of places"));
  CHECK(text_error("4000000 4000000\n").starts_with("a.pn:1: 0 places of the 4000000"));
}

TEST_CASE("net formats: parameters, instances and refinement in JSON") {
  const Net ring = parse_net_json(R"({
    "parameters": {"actors": 3},
    "nets": {
      "work": {"parameters": {"time": 1},
               "places": [{"name": "a", "delay": "=time"}, {"name": "b", "delay": 2}],
               "transitions": [{"name": "t", "in": "a", "out": "b"}],
               "start": ["a"], "end": ["b"]},
      "actor": {"parameters": {"next": null, "tokens": 0},
                "places": [{"name": "busy", "refine": "work", "parameters": {"time": "=i + 1"}, "tokens": "=tokens"}],
                "transitions": [{"name": "pass", "in": "busy", "out": {"{next}_busy": 1}}]}
    },
    "instances": [{"net": "actor", "name": "actor{i}", "count": "=actors",
                   "parameters": {"next": "actor{(i+1)%count}"}, "first": {"tokens": 1}}]
  })",
                                  "ring.json");
  CHECK(ring.places.size() == 6);
  CHECK(ring.places[0].name == "actor0_busy_a");
  CHECK(ring.places[0].tokens == 1);
  CHECK(ring.places[2].tokens == 0);
  CHECK(ring.places[4].delay == Fraction(3));
  CHECK(ring.transitions[1].name == "actor0_pass");
  CHECK(net_text(ring).find("O actor0_busy_a actor2_pass 1") != std::string::npos);
}

TEST_CASE("net formats: bad JSON nets are told by line and pointer") {
  CHECK(json_error(R"({"places": [{"name": "p", "delai": 1}]})") ==
        "a.json:1: /places/0/delai: 1: unknown key 'delai'; did you mean 'delay'?");
  CHECK(json_error(R"({"places": [{"name": "p"}], "transitions": [{"name": "t", "in": "q"}]})") ==
        "a.json:1: /transitions/0/in: \"q\": unknown place 'q'; did you mean 'p'?");
  CHECK(
      json_error(
          R"({"nets": {"a": {"places": [{"name": "p", "refine": "b"}], "start": ["p"], "end": ["p"]},
                                "b": {"places": [{"name": "q", "refine": "a"}], "start": ["q"], "end": ["q"]}},
                       "places": [{"name": "x", "refine": "a"}]})")
          .find("the net contains itself: a > b > a") != std::string::npos);
  CHECK(json_error(R"({"nets": {"a": {"instances": [{"net": "a"}]}}, "instances": [{"net": "a"}]})")
            .find("the net contains itself: a > a") != std::string::npos);
  CHECK(json_error(R"({"places": [{"name": "p", "action": "run"}]})")
            .find("an action needs a delay") != std::string::npos);
  CHECK(json_error(R"({"places": [{"name": "p", "delay": 1e-12}]})").find("at most 9 decimals") !=
        std::string::npos);
  CHECK(json_error(R"({"places": []})").find("at least one place or transition") !=
        std::string::npos);
  CHECK(json_error(R"({"nets": {"a": {"places": [{"name": "p"}], "start": [], "end": ["p"]}},
                       "places": [{"name": "x", "refine": "a"}]})")
            .find("no start place is named") != std::string::npos);
  CHECK(
      json_error(
          R"({"nets": {"a": {"places": [{"name": "p"}, {"name": "q"}], "start": ["p"], "end": ["p", "q"]}},
                       "places": [{"name": "x", "refine": "a"}],
                       "transitions": [{"name": "t", "inhibit": "x"}]})")
          .find("cannot be refined by a net with 2 end places") != std::string::npos);
}

TEST_CASE("net formats: a state machine becomes a net") {
  const Net net = parse_net_json(R"({
    "name": "Player",
    "states": [{"name": "idle", "action": "idle"}, {"name": "attack", "action": "attack", "duration": 2},
               {"name": "fall"}],
    "transitions": [
      {"from": "idle", "to": "attack", "trigger": "hit"},
      {"from": "attack", "to": "idle", "exit_time": 0.75},
      {"from": "attack", "to": "attack", "trigger": "hit", "exit_time": 0.25},
      {"from": "any", "to": "fall", "condition": "height > 1", "priority": 5}
    ]})",
                                 "machine.json");
  const NetNames names(net);
  CHECK(net.places.size() == 4);  // a timer for the later of two exit times
  CHECK(net.places[1].delay == Fraction(1, 2));
  CHECK(net.places[2].name == "attack_exit2");
  CHECK(net.places[2].delay == Fraction(3, 2));
  CHECK(net.places[0].tokens == 1);
  CHECK(net.places[0].awaited);
  CHECK(net.transitions[3].name == "idle_to_fall");
  CHECK(net.transitions[3].event == "when height > 1");
  CHECK(net.transitions[4].name == "attack_to_fall");
  CHECK(net.transitions[4].priority == 5);
  const Net one_layer = parse_net_json(R"({"layers": [{"name": "arms", "states": ["rest"]}]})", "");
  REQUIRE(one_layer.places.size() == 1);
  CHECK(one_layer.places[0].name == "arms_rest");
  CHECK(json_error(R"({"layers": []})").find("at least one layer") != std::string::npos);
  CHECK(json_error(R"({"states": ["a"], "transitions": [{"from": "a", "to": "a"}]})")
            .find("expected a trigger, a condition, an exit_time") != std::string::npos);
  CHECK(json_error(R"({"states": ["a"], "start": "b"})").find("did you mean 'a'") !=
        std::string::npos);
}

TEST_CASE("net formats: the examples of the reference page are nets") {
  const std::string page = read_file(source_dir() + "/docs/net.md");
  int examples = 0;
  for (std::size_t at = page.find("```json\n"); at != std::string::npos;
       at = page.find("```json\n", at + 1)) {
    const std::size_t start = at + 8;
    const Net net = parse_net_json(page.substr(start, page.find("```", start) - start), "net.md");
    CHECK(net.places.size() > 1);
    ++examples;
  }
  CHECK(examples == 2);
}
