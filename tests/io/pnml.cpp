// PNML: what is read, what is refused and how it is told.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>

#include "molejo/io/net_draw.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_layout.h"
#include "molejo/io/xml.h"
#include "molejo/net/trace.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const std::string head = "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n";
const std::string open_net =
    "<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">\n";

std::string error(const std::string& text) {
  return error_text([&] { parse_pnml(text, "a.pnml"); });
}
std::string net_error(const std::string& inside) {
  return error(head + open_net + inside + "</page></net></pnml>");
}
Net net_of(const std::string& inside) {
  return parse_pnml(head + open_net + inside + "</page></net></pnml>", "a.pnml");
}

}  // namespace

TEST_CASE("pnml: places, transitions and arcs over nested pages and references") {
  const Net net = net_of(R"(
    <place id="p1"><name><text> start </text><graphics><offset x="1" y="2"/></graphics></name>
      <graphics><position x="20" y="20"/></graphics><initialMarking><text>3</text></initialMarking></place>
    <page id="inner"><referencePlace id="r" ref="p1"/><transition id="t1"/>
      <arc id="a1" source="r" target="t1"><inscription><text>2</text></inscription></arc>
      <arc id="a2" source="r" target="t1"/></page>
    <place id="p2"><toolspecific tool="other" version="1"><anything/></toolspecific></place>
    <arc id="a3" source="t1" target="p2"/>
    <arc id="a4" source="p2" target="t1"><type value="inhibitor"/></arc>)");
  REQUIRE(net.places.size() == 2);
  CHECK(net.places[0].name == "start");
  CHECK(net.places[0].tokens == 3);
  CHECK(net.places[1].name == "p2");
  REQUIRE(net.arcs.size() == 3);
  CHECK(net.arcs[0].weight == 3);  // two arcs between the same nodes add up
  CHECK(net.arcs[2].kind == ArcKind::inhibitor);
}

TEST_CASE("pnml: names that do not tell nodes apart give way to ids") {
  const Net net = net_of(R"(<place id="a"><name><text>x</text></name></place>
    <place id="b"><name><text>x</text></name></place>
    <transition id="c"><name><text>a</text></name></transition>)");
  CHECK(net.places[0].name == "a");
  CHECK(net.places[1].name == "b");
  CHECK(net.transitions[0].name == "c");  // "a" is taken as an id
}

TEST_CASE("pnml: what is not a place/transition net is refused with its line") {
  CHECK(error("<net/>") == "a.pnml:1: <net>: expected <pnml>");
  CHECK(error("<pnml/>") == "a.pnml:1: <pnml>: expected the attribute 'xmlns'");
  CHECK(error("<pnml xmlns=\"http://example.org\"/>") ==
        "a.pnml:1: <pnml xmlns=\"http://example.org\">: expected "
        "xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"");
  CHECK(error("<p:pnml xmlns:p=\"x\"/>").find("a namespace prefix") != std::string::npos);
  CHECK(error(head + "</pnml>").find("expected a <net>") != std::string::npos);
  CHECK(
      error(head +
            "<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"/></pnml>")
          .find("a.pnml:2: <net type=") == 0);
  CHECK(error(head + open_net + "</page></net>" + open_net + "</page></net></pnml>")
            .find("a second net") != std::string::npos);
  CHECK(net_error("") == "a.pnml:2: <net>: a net has at least one place or transition");
  CHECK(net_error("<plase id=\"p\"/>").find("did you mean 'place'?") != std::string::npos);
}

TEST_CASE("pnml: broken references, ids and numbers are refused with their line") {
  CHECK(net_error("<place id=\"p\"/>\n<arc id=\"a\" source=\"p\" target=\"q\"/>") ==
        "a.pnml:4: <arc target=\"q\">: no node has this id");
  CHECK(net_error("<place id=\"p\"/><place id=\"p\"/>").find("the id is given twice") !=
        std::string::npos);
  CHECK(net_error("<place/>").find("expected the attribute 'id'") != std::string::npos);
  CHECK(net_error("<place id=\"p\"/><place id=\"q\"/><arc id=\"a\" source=\"p\" target=\"q\"/>")
            .find("from a place to a place") != std::string::npos);
  CHECK(net_error("<referencePlace id=\"r\" ref=\"r\"/><transition id=\"t\"/>"
                  "<arc id=\"a\" source=\"r\" target=\"t\"/>")
            .find("references that lead nowhere") != std::string::npos);
  CHECK(net_error("<transition id=\"t\"/><referencePlace id=\"r\" ref=\"t\"/>"
                  "<arc id=\"a\" source=\"r\" target=\"t\"/>")
            .find("a reference to a node of the other kind") != std::string::npos);
  // a byte that is no character would come back as three
  CHECK(net_error("<place id=\"p\"><name><text>a\xC5</text></name></place>")
            .find("its id or name is not UTF-8 text") != std::string::npos);
  const std::string huge(100'000, 'x');
  const std::string about_huge = net_error("<place id=\"" + huge + "\"/>");
  CHECK(about_huge.find("an id of 100000 bytes; at most 200 are allowed") != std::string::npos);
  CHECK(about_huge.size() < 300);
  for (const char* tokens : {"-1", "1.5", "", "99999999999", "1e3", "one"}) {
    CHECK(net_error("<place id=\"p\"><initialMarking><text>" + std::string(tokens) +
                    "</text></initialMarking></place>")
              .find("expected a whole number from 0") != std::string::npos);
  }
  CHECK(net_error("<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\">"
                  "<inscription><text>0</text></inscription></arc>")
            .find("expected a whole number from 1") != std::string::npos);
}

TEST_CASE("pnml: entity bombs are refused, not expanded") {
  const std::string bomb =
      "<!DOCTYPE pnml [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
      "\"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n";
  CHECK(error(bomb + head + "</pnml>").find("entities are not expanded") != std::string::npos);
  std::string deep = head + open_net;
  for (int i = 0; i < 500; ++i) deep += "<page id=\"x\">";
  CHECK(error(deep).find("a.pnml:") == 0);
  for (int i = 0; i < 500; ++i) deep += "</page>";
  CHECK(error(deep + "</page></net></pnml>").find("nested deeper") != std::string::npos);
}

TEST_CASE("pnml: the shipped nets are the published ones") {
  struct Shipped {
    const char* file;
    std::size_t places, transitions, arcs;
  };
  for (const Shipped& s :
       {Shipped{"kanban_5.pnml", 16, 16, 40}, Shipped{"fms_5.pnml", 22, 20, 50},
        Shipped{"mapk_8.pnml", 22, 30, 90}, Shipped{"philosophers_10.pnml", 50, 50, 160}}) {
    CAPTURE(s.file);
    const Net net = load_net(SourceFile::given(source_dir() + "/scenes/nets/" + s.file));
    CHECK(net.places.size() == s.places);
    CHECK(net.transitions.size() == s.transitions);
    CHECK(net.arcs.size() == s.arcs);
  }
}

TEST_CASE("net drawing: nodes of one layer keep their distance, arcs end where they belong") {
  for (const char* file : {"walk.net.json", "ball_game.net.json", "philosophers_10.pnml"}) {
    CAPTURE(file);
    const Net net = load_net(SourceFile::given(source_dir() + "/scenes/nets/" + file));
    const NetLayout at = layout(net);
    std::vector<DrawingPoint> all = at.places;
    all.insert(all.end(), at.transitions.begin(), at.transitions.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].x >= 0);
      CHECK(all[i].x <= at.width);
      CHECK(all[i].y >= 0);
      CHECK(all[i].y <= at.height);
      for (std::size_t j = 0; j < i; ++j) {
        if (all[i].x == all[j].x) CHECK(std::abs(all[i].y - all[j].y) >= 63);
      }
    }
    for (std::size_t a = 0; a < net.arcs.size(); ++a) {
      const DrawingPoint place = at.places[static_cast<std::size_t>(net.arcs[a].place.index)];
      const auto& bends = at.bends[a];
      const DrawingPoint end = net.arcs[a].kind == ArcKind::output ? bends.back() : bends.front();
      CHECK(end.x == place.x);
      CHECK(end.y == place.y);
      for (std::size_t k = 1; k < bends.size(); ++k) {  // one layer at a time
        CHECK(std::abs(bends[k].x - bends[k - 1].x) == 90);
      }
    }
    // well-formed, with a circle for each place
    const std::string svg = net_svg(net);
    CHECK(parse_xml(svg, "net.svg").name == "svg");
    std::size_t circles = 0;
    for (std::size_t i = svg.find("<circle class=\"p"); i != std::string::npos;
         i = svg.find("<circle class=\"p", i + 1)) {
      ++circles;
    }
    CHECK(circles == net.places.size());
  }
}

TEST_CASE("net drawing: an arc goes from the border of its first node towards the other") {
  Net net;
  NetBuilder builder(net);
  const PlaceId from = builder.add(Place{.name = "from"});
  const TransitionId t = builder.add(Transition{.name = "t"});
  const PlaceId one = builder.add(Place{.name = "one"}), two = builder.add(Place{.name = "two"});
  builder.connect(ArcKind::input, from, t);
  builder.connect(ArcKind::output, one, t);
  builder.connect(ArcKind::output, two, t);
  const NetLayout at = layout(net);
  const std::string svg = net_svg(net);
  std::size_t next = 0;
  bool rises = false;
  for (const Arc& arc : net.arcs) {
    const DrawingPoint p = at.places[static_cast<std::size_t>(arc.place.index)];
    const DrawingPoint q = at.transitions[static_cast<std::size_t>(arc.transition.index)];
    const bool out = arc.kind == ArcKind::output;
    DrawingPoint a, b;
    next = svg.find("\"a\" d=\"M", next + 1);
    REQUIRE(next != std::string::npos);
    REQUIRE(std::sscanf(svg.c_str() + next, "\"a\" d=\"M%lf %lfL%lf %lf", &a.x, &a.y, &b.x, &b.y) ==
            4);
    const DrawingPoint at_place = out ? b : a, at_bar = out ? a : b;
    // a circle of 16 and a bar of 7 by 34, each with a little room
    CHECK(std::hypot(at_place.x - p.x, at_place.y - p.y) == doctest::Approx(17).epsilon(0.1));
    CHECK(std::fabs(at_bar.x - q.x) == doctest::Approx(5.5).epsilon(0.1));
    CHECK(std::fabs(at_bar.y - q.y) < 17);
    // straight on
    const double across = (a.x - p.x) * (q.y - p.y) - (a.y - p.y) * (q.x - p.x);
    CHECK(std::fabs(across) / std::hypot(q.x - p.x, q.y - p.y) < 0.1);
    rises = rises || std::fabs(a.y - b.y) > 10;
  }
  CHECK(rises);
}

TEST_CASE("net drawing: a bar of the chart reaches from when its token comes to when it goes") {
  const Net net = parse_net_json(R"({
    "places": [{"name": "first", "delay": 1, "tokens": 1}, {"name": "second", "delay": 2},
               {"name": "end"}],
    "transitions": [{"name": "a", "in": "first", "out": "second"},
                    {"name": "b", "in": "second", "out": "end"}]})",
                                 "chart.net.json");
  const NetTrace trace = play(net, {.frame_rate = 10}, 40);
  const std::string chart = gantt_svg(net, trace);
  // where the axis has its seconds
  std::vector<double> second(4, -1);
  for (int s = 0; s < 4; ++s) {
    const std::size_t end = chart.find(">" + std::to_string(s) + " s<");
    REQUIRE(end != std::string::npos);
    const std::size_t begin = chart.rfind(" x=\"", end);
    second[static_cast<std::size_t>(s)] = std::strtod(chart.c_str() + begin + 4, nullptr);
  }
  std::vector<std::pair<double, double>> bars;
  const std::string head = "<rect class=\"s\" x=\"";
  for (std::size_t i = chart.find(head); i != std::string::npos; i = chart.find(head, i + 1)) {
    double x = 0, y = 0, width = 0;
    REQUIRE(std::sscanf(chart.c_str() + i + head.size(), "%lf\" y=\"%lf\" width=\"%lf\"", &x, &y,
                        &width) == 3);
    bars.emplace_back(x, x + width);
  }
  REQUIRE(bars.size() == 2);
  // to a pixel, so that bars one after the other can be told apart
  CHECK(std::fabs(bars[0].first - second[0]) <= 1);
  CHECK(std::fabs(bars[0].second - second[1]) <= 1);
  CHECK(std::fabs(bars[1].first - second[1]) <= 1);
  CHECK(std::fabs(bars[1].second - second[3]) <= 1);
}

TEST_CASE("net drawing: names cannot break out of the markup or of DOT") {
  Net net;
  NetBuilder builder(net);
  builder.add(Place{.name = "a<script>\"&'"});
  builder.add(Transition{.name = "t\"];x[\\", .event = "</svg>"});
  CHECK(net_svg(net).find("<script") == std::string::npos);
  CHECK(parse_xml(net_svg(net), "a.svg").name == "svg");
  CHECK(net_dot(net).find("xlabel=\"t\\\"];x[\\\\ [</svg>]\"") != std::string::npos);
}
