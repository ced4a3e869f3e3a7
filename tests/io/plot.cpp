// The drawing is measured: pixels are turned back into numbers with the labels of the axis.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <pugixml.hpp>
#include <sstream>

#include "molejo/io/export.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"
#include "tests/io/recorded.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Curve {
  std::string color;
  std::vector<double> x, y;
  int pieces = 0;
};

struct Drawing {
  pugi::xml_document document;
  std::vector<Curve> curves;

  explicit Drawing(const std::string& text) {
    REQUIRE(document.load_string(text.c_str()));
    for (const pugi::xpath_node& n : document.select_nodes("//path[@stroke-linejoin]")) {
      Curve curve{n.node().attribute("stroke").value(), {}, {}};
      std::string d = n.node().attribute("d").value();
      for (char& c : d) {
        curve.pieces += c == 'M';
        if (c == 'M' || c == 'L') c = ' ';
      }
      std::istringstream in(d);
      for (double x, y; in >> x >> y;) curve.x.push_back(x), curve.y.push_back(y);
      curves.push_back(curve);
    }
  }
  // of the energies, which are in the first panel and so drawn before the coordinates
  const Curve& curve(const std::string& color) const {
    const auto is_it = [&](const Curve& c) { return c.color == color; };
    const auto found = std::find_if(curves.begin(), curves.end(), is_it);
    REQUIRE(found != curves.end());
    return *found;
  }
  bool has_text(const std::string& text) const {
    for (const pugi::xpath_node& n : document.select_nodes("//text")) {
      if (n.node().child_value() == text) return true;
    }
    return false;
  }
  // Two labels of the vertical axis of the first panel, highest first: pixel and value.
  struct Tick {
    double pixel, value;
  };
  std::vector<Tick> ticks() const {
    std::vector<Tick> found;
    for (const pugi::xpath_node& n : document.select_nodes("//text[@text-anchor='end']")) {
      std::string label = n.node().child_value();
      if (label.starts_with("\xE2\x88\x92")) label.replace(0, 3, 1, '-');
      found.push_back({n.node().attribute("y").as_double() - 5.2, std::atof(label.c_str())});
    }
    return found;
  }
};

}  // namespace

TEST_CASE("plot: the curves pass through the recorded energies") {
  const Recorded r = recorded();
  const Drawing drawing(svg(r.scene, r.model, r.recording));
  // total, elastic, gravity, kinetic, hinge, ball.z
  REQUIRE(drawing.curves.size() == 6);
  const auto ticks = drawing.ticks();
  REQUIRE(ticks.size() > 2);
  const double slope = (ticks[1].value - ticks[0].value) / (ticks[1].pixel - ticks[0].pixel);
  const auto value = [&](double y) { return ticks[0].value + (y - ticks[0].pixel) * slope; };
  const double rounding = std::fabs(slope) * 0.11;
  for (std::size_t i = 0; i < r.recording.frames.size(); ++i) {
    const Energy& e = r.recording.frames[i].energy;
    CHECK(std::fabs(value(drawing.curve("#d55e00").y[i]) - e.kinetic) < rounding);
    CHECK(std::fabs(value(drawing.curve("#0072b2").y[i]) - e.gravity) < rounding);
    CHECK(std::fabs(value(drawing.curve("#009e73").y[i]) - e.elastic) < rounding);
    CHECK(std::fabs(value(drawing.curve("#24292f").y[i]) - 7) < rounding);
  }
  for (const char* text :
       {"kinetic", "gravity", "elastic", "total", "hinge", "ball.z", "energy (J)", "angle (rad)",
        "position (m)", "time (s)", "crank & ball"}) {
    CAPTURE(text);
    CHECK(drawing.has_text(text));
  }
}

TEST_CASE("plot: no elastic curve where there is no spring") {
  Recorded r = recorded();
  for (Frame& f : r.recording.frames) f.energy.elastic = 0;
  const Drawing drawing(svg(r.scene, r.model, r.recording));
  CHECK(drawing.curves.size() == 5);
  CHECK_FALSE(drawing.has_text("elastic"));
}

TEST_CASE("plot: large and small numbers share a power of ten in the title of the axis") {
  Recorded r = recorded();
  for (Frame& f : r.recording.frames) f.energy = {2.5e7, 0, 0};
  CHECK(Drawing(svg(r.scene, r.model, r.recording)).has_text("energy (10⁶ J)"));
  for (Frame& f : r.recording.frames) f.energy = {2e-9, 0, 0};
  CHECK(Drawing(svg(r.scene, r.model, r.recording)).has_text("energy (10⁻⁹ J)"));
}

TEST_CASE("plot: a long run is thinned but keeps its spikes") {
  Recorded r = recorded(100000);
  r.scene.plot.clear();
  for (Frame& f : r.recording.frames) f.energy = {1, 0, 0};
  r.recording.frames[54321].energy.kinetic = 5;
  const std::string text = svg(r.scene, r.model, r.recording);
  const Drawing drawing(text);
  CHECK(text.size() < 100000);
  const std::vector<double>& y = drawing.curve("#d55e00").y;
  const double base = y.front(), peak = *std::min_element(y.begin(), y.end());
  CHECK(base - peak > 150);
  CHECK(std::count_if(y.begin(), y.end(), [&](double v) { return v < base - 1; }) == 1);
}

TEST_CASE("plot: numbers that are not finite leave a gap") {
  Recorded r = recorded();
  r.recording.frames[20].energy.kinetic = NAN;
  r.recording.frames[40].energy.kinetic = INFINITY;
  const std::string text = svg(r.scene, r.model, r.recording);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf") == std::string::npos);
  const Drawing drawing(text);
  CHECK(drawing.curve("#d55e00").pieces == 3);
  CHECK(drawing.curve("#d55e00").x.size() == 59);
  CHECK(drawing.curve("#0072b2").pieces == 1);
}

TEST_CASE("plot: any recording and any names give a well-formed picture") {
  Recorded r = recorded();
  r.scene.name = "<b> & \"quotes\" \xff";
  r.model.bodies[0].joint = "<hinge & a very long name of a joint>";
  r.scene.plot = {r.model.bodies[0].joint};
  Drawing odd(svg(r.scene, r.model, r.recording));
  CHECK(odd.has_text("<b> & \"quotes\" \xEF\xBF\xBD"));
  CHECK(odd.has_text("<hinge & a v…"));
  for (const int frames : {0, 1, 2}) {
    const Recorded few = recorded(frames);
    const std::string text = svg(few.scene, few.model, few.recording);
    Drawing drawing(text);
    CHECK(text.find("nan") == std::string::npos);
  }
  for (const double e : {0.0, 1e-300, 1e299, -1e299}) {
    for (Frame& f : r.recording.frames) f.energy = {e, 0, 0};
    CHECK(svg(r.scene, r.model, r.recording).find("nan") == std::string::npos);
  }
  r.scene.plot = {"nothing"};
  CHECK_THROWS_AS(svg(r.scene, r.model, r.recording), InputError);
}

TEST_CASE("plot: no text is smaller than 13 pixels") {
  const Recorded r = recorded();
  const Drawing drawing(svg(r.scene, r.model, r.recording));
  for (const pugi::xpath_node& n : drawing.document.select_nodes("//*[@font-size]")) {
    CHECK(n.node().attribute("font-size").as_double() >= 13);
  }
  CHECK(drawing.document.child("svg").attribute("font-size").as_double() == 15);
}
