// Nets that are written and read again are the same nets, whatever their nodes are called.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "molejo/io/file.h"
#include "molejo/io/json_document.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/io/net_trace.h"
#include "molejo/net/property.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::string folder() { return source_dir() + "/scenes/nets/"; }

void check_same(const Net& a, const Net& b) {
  REQUIRE(a.places.size() == b.places.size());
  REQUIRE(a.transitions.size() == b.transitions.size());
  REQUIRE(a.arcs.size() == b.arcs.size());
  CHECK(a.name == b.name);
  CHECK(a.properties == b.properties);
  for (std::size_t i = 0; i < a.places.size(); ++i) {
    CHECK(a.places[i].name == b.places[i].name);
    CHECK(a.places[i].tokens == b.places[i].tokens);
    CHECK(a.places[i].action == b.places[i].action);
  }
  for (std::size_t i = 0; i < a.transitions.size(); ++i) {
    CHECK(a.transitions[i].name == b.transitions[i].name);
    CHECK(a.transitions[i].event == b.transitions[i].event);
  }
  const auto key = [](const Arc& x) {
    return std::tuple(x.kind, x.place.index, x.transition.index, x.weight);
  };
  std::set<std::tuple<ArcKind, int, int, std::int64_t>> left, right;
  for (const Arc& x : a.arcs) left.insert(key(x));
  for (const Arc& x : b.arcs) right.insert(key(x));
  CHECK(left == right);
}

// Names that look like ids, blanks, marks, letters of many scripts.
std::string odd_name(std::mt19937& random) {
  const std::vector<std::string> words{"p0", "p1", "p2",  "p3",  "t1", "t2",   "a1", "net", "page",
                                       " ",  "  ", " p1", "x ",  "é",  "日本", "<",  "&",   "\"'",
                                       "{",  "}",  "p 1", "]]>", "𝄞",  "p1_",  "P",  "-",   "\\"};
  std::string name;
  for (unsigned n = 1 + random() % 2; n > 0; --n) name += words[random() % words.size()];
  return name;
}

Net odd_net(std::uint32_t seed) {
  std::mt19937 random(seed);
  Net net;
  NetBuilder builder(net);
  const auto add = [&](auto node) {
    for (;;) {
      node.name = odd_name(random);
      try {
        builder.add(node);
        return;
      } catch (const NetError&) {  // the name is taken
      }
    }
  };
  for (int i = 0; i < 5; ++i) {
    Place p;
    p.tokens = static_cast<std::int64_t>(random() % 3);
    add(p);
  }
  for (int i = 0; i < 4; ++i) {
    Transition t;
    if (random() % 2 == 0) t.event = odd_name(random);
    add(t);
    for (int k = 0; k < 3; ++k) {
      builder.join(k == 0 ? ArcKind::input : ArcKind::output, {static_cast<int>(random() % 5)}, {i},
                   1);
    }
  }
  return net;
}

const std::string head =
    "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n<net id=\"n\" "
    "type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">\n";

// Ids and names of the nodes in a file, in their order.
std::vector<std::pair<std::string, std::string>> nodes_of(const Net& net) {
  std::vector<std::pair<std::string, std::string>> nodes;
  const auto take = [&](const auto& node) {
    nodes.emplace_back(node.origin.id, node.origin.label.value_or(node.name));
  };
  for (const Place& p : net.places) take(p);
  for (const Transition& t : net.transitions) take(t);
  return nodes;
}

}  // namespace

TEST_CASE("net round trip: names that look like the ids of others stay where they are") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Net net = odd_net(seed);
    const Net pnml = parse_pnml(pnml_text(net), "a.pnml");
    check_same(pnml, net);
    check_same(parse_pnml(pnml_text(pnml), "b.pnml"), net);
    check_same(parse_net_json(net_json(pnml), "c.json"), net);
  }
  // what a property says is said of the same place again
  Net net;
  NetBuilder builder(net);
  for (const char* name : {"p2", "p1"}) builder.add(Place{.name = name});
  net.places[0].tokens = 1;
  net.properties = {"never: p1"};
  const Net again = parse_pnml(pnml_text(net), "a.pnml");
  CHECK(again.places[0].name == "p2");
  CHECK(again.places[0].tokens == 1);
}

TEST_CASE("net round trip: ids and names of a file are written as they were read") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    // ids in any order; names empty, given twice, or like the ids of others
    std::vector<std::string> ids{"p1", "p2", "p3", "x", "t1"};
    std::shuffle(ids.begin(), ids.end(), random);
    const std::vector<std::string> names{"", "p1", "p2", "p3", "x", "y", "y", "t1", "a b"};
    std::string text = head;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const char* kind = k < 3 ? "place" : "transition";
      const std::string& name = names[random() % names.size()];
      text += "<" + std::string(kind) + " id=\"" + ids[k] + "\">" +
              (name.empty() ? "" : "<name><text>" + name + "</text></name>") + "</" + kind + ">\n";
    }
    text += "<arc id=\"a\" source=\"" + ids[0] + "\" target=\"" + ids[3] + "\"/>";
    const Net net = parse_pnml(text + "</page></net></pnml>", "a.pnml");
    const Net again = parse_pnml(pnml_text(net), "b.pnml");
    check_same(again, net);
    CHECK(nodes_of(again) == nodes_of(net));
    CHECK(pnml_text(again) == pnml_text(net));
  }
}

TEST_CASE("net round trip: refined places stay refined in JSON and PNML") {
  const Net game = load_net(SourceFile::given(folder() + "ball_game.net.json"));
  CHECK(game.refined.size() == 16);
  const auto nested = nested_net_json(game);
  REQUIRE(nested);
  CHECK(nested->size() < 2 * read_file(folder() + "ball_game.net.json").size());
  const Net again = parse_net_json(*nested, "a.json");
  check_same(again, game);
  CHECK(again.refined.size() == game.refined.size());
  const Net pnml = parse_pnml(pnml_text(game), "a.pnml");
  check_same(pnml, game);
  REQUIRE(nested_net_json(pnml));
  CHECK(*nested_net_json(pnml) == *nested);
  CHECK(lost_in_file("a.json", game).empty());
  CHECK(lost_in_file("a.pnml", game).empty());
  const std::vector<std::string> lost = lost_in_file("a.pn", game);
  REQUIRE_FALSE(lost.empty());
  CHECK(lost[0] ==
        "a.pn: written flat, without the refinement of 'P1', 'P2', 'P3', 'P4' and 12 more");
}

TEST_CASE("net round trip: nets within nets stay so, and what was changed is written flat") {
  const Net net = parse_net_json(R"({
    "nets": {
      "leaf": {"places": [{"name": "a", "delay": 1}, {"name": "b"}], "transitions": [{"name": "t", "in": "a", "out": "b"}],
               "start": ["a"], "end": ["b"]},
      "twice": {"places": [{"name": "x", "refine": "leaf"}, {"name": "y", "refine": "leaf"}],
                "transitions": [{"name": "u", "in": "x", "out": "y"}], "start": ["x_a"], "end": ["y_b"]}
    },
    "places": [{"name": "one", "refine": "twice", "tokens": 2}, {"name": "two", "refine": "leaf"}],
    "transitions": [{"name": "v", "in": {"one": 2}, "out": {"two": 3}}]
  })",
                                 "a.json");
  const auto nested = nested_net_json(net);
  REQUIRE(nested);
  check_same(parse_net_json(*nested, "b.json"), net);
  CHECK(*nested_net_json(parse_net_json(*nested, "b.json")) == *nested);
  CHECK(*nested_net_json(parse_pnml(pnml_text(net), "b.pnml")) == *nested);
  Net changed = net;
  changed.arcs.pop_back();  // one of the arcs to the starts
  const Net flat = parse_net_json(net_json(changed), "c.json");
  CHECK((nested_net_json(changed) || flat.refined.empty()));
  check_same(flat, changed);
  Net renamed = net;
  renamed.places[0].name = "other";
  CHECK_FALSE(nested_net_json(renamed));
  check_same(parse_net_json(net_json(renamed), "c.json"), renamed);
  REQUIRE(lost_in_file("a.json", renamed).size() == 1);
}

TEST_CASE("net reports: the class of a net is told, the narrowest one of each kind") {
  const auto told = [](const char* text) {
    const Net net = parse_net_json(text, "net.json");
    return analysis_text(net, analyse(net, {}));
  };
  const auto has = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  // what may choose t needs p alone, what may choose u needs p and q
  const std::string nested =
      told(R"({"places": [{"name": "p", "tokens": 1}, {"name": "q"}, {"name": "r"}],
 "transitions": [{"name": "t", "in": "p", "out": "r"}, {"name": "u", "in": ["p", "q"], "out": "r"}]})");
  CAPTURE(nested);
  CHECK(has(nested, "asymmetric choice"));
  CHECK_FALSE(has(nested, "free choice"));
  const std::string free = told(R"({"places": [{"name": "p", "tokens": 1}, {"name": "r"}],
 "transitions": [{"name": "t", "in": "p", "out": "r"}, {"name": "u", "in": "p", "out": "r"}]})");
  CAPTURE(free);
  CHECK(has(free, "free choice"));
  CHECK_FALSE(has(free, "asymmetric choice"));
}

TEST_CASE("json: what fits into 99 columns behind its key stays on its line") {
  // at the indent of 2, behind "k":  and before a comma that may follow
  for (const std::size_t extra : {0, 1}) {
    const std::string long_text(99 - 2 - 5 - 2 - 2 + extra, 'x');
    const std::string text =
        R"({"a": ")" + std::string(90, 'y') + R"(", "k": [")" + long_text + R"("]})";
    const std::string pretty = pretty_text(parse_json(text, "a.json").root);
    CAPTURE(pretty);
    CHECK((pretty.find(R"("k": [")") != std::string::npos) == (extra == 0));
  }
}

TEST_CASE("net traces: every kind of step is written and read again, exactly") {
  const Net net = load_net(SourceFile::given(folder() + "ball_top.net.json"));
  const std::vector<TraceStep> steps{{.transition = {0}},
                                     {.transition = {1}, .time = Fraction(7, 3)},
                                     {.time = Fraction(5, 2), .finished = {3}},
                                     {.time = Fraction(3), .put = {4}},
                                     {.time = Fraction(10, 3)},
                                     {.finished = {3}},
                                     {.put = {4}}};
  const auto read = parse_trace(pretty_text(steps_json(net, steps)), "t.json", net);
  REQUIRE(read.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(read[i].time == steps[i].time);
    CHECK(read[i].transition == steps[i].transition);
    CHECK(read[i].finished == steps[i].finished);
    CHECK(read[i].put == steps[i].put);
  }
  const auto error = [&](const char* text) {
    return error_text([&] { parse_trace(text, "t.json", net); });
  };
  CHECK(error(R"([{"fire": "T1", "put": "P1"}])").find("exclude each other") != std::string::npos);
  CHECK(error(R"([{"finish": "P99"}])").find("unknown place 'P99'") != std::string::npos);
  CHECK(error(R"([{"time": "x", "fire": "T1"}])").find("expected seconds") != std::string::npos);
  CHECK(error(R"([{}])").find("expected fire, finish, put or a time") != std::string::npos);
}
