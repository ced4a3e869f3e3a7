// Curves of what was recorded, for those who come later; what a walk has to plot; where a formula
// is wrong.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Stands still after so many frames from the start.
void record(Visitor& visitor, int frames) {
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": )" + std::to_string(frames) + "}");
}

// The columns of a CSV that was exported, by name.
std::map<std::string, std::vector<double>> exported_table(LoopbackStudio& studio, Visitor& visitor,
                                                          const std::string& more = "") {
  visitor.must(R"({"do": "export", "what": "csv")" + more + "}");
  std::istringstream text(body_of(http(studio, "GET", visitor.event("done").find("asset")->text)));
  std::map<std::string, std::vector<double>> table;
  std::vector<std::string> names;
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    std::size_t i = 0;
    for (std::string field; std::getline(fields, field, ','); ++i) {
      if (names.size() <= i && table[field].empty()) {
        names.push_back(field);
      } else {
        table[names[i]].push_back(std::stod(field));
      }
    }
  }
  return table;
}

std::vector<double> numbers(const JsonValue& list) {
  std::vector<double> all;
  for (const JsonValue& x : list.items) all.push_back(x.number);
  return all;
}

// The curves of all that was recorded are those of the table.
void check_series(LoopbackStudio& studio, const std::vector<std::string>& columns) {
  Visitor visitor(studio);
  record(visitor, 90);
  std::string words;
  for (const std::string& name : columns) words += (words.empty() ? "" : ", ") + json_quoted(name);
  const JsonValue answer = visitor.must(R"({"do": "series", "plots": [)" + words + "]}");
  auto table = exported_table(studio, visitor);
  const std::vector<double> t = numbers(*answer.find("t"));
  REQUIRE(t.size() == table["t"].size());
  CHECK(t.size() > 60);  // a show may be over
  for (std::size_t k = 0; k < t.size(); ++k) CHECK(t[k] == doctest::Approx(table["t"][k]));
  REQUIRE(answer.find("columns")->items.size() == columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CAPTURE(columns[i]);
    CHECK(answer.find("columns")->items[i].text == columns[i]);
    const std::vector<double> values = numbers(answer.find("values")->items[i]);
    REQUIRE(values.size() == t.size());
    for (std::size_t k = 0; k < t.size(); ++k) {
      CHECK(values[k] == doctest::Approx(table[columns[i]][k]).epsilon(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("studio: the curve of the past is there at once, for every kind") {
  LoopbackStudio scene("scenes/double_pendulum.json");
  check_series(scene, {"kinetic", "total"});
  LoopbackStudio gait("scenes/gaits/basic_run_closed.gait.json");
  check_series(gait, {"kinetic", "pz"});
  LoopbackStudio show("scenes/shows/walk.show.json");
  check_series(show, {"gravity"});
  LoopbackStudio walk("scenes/walks/stick_a.walk.json");
  check_series(walk, {"stick.speed", "stick.hips", "stick.left.slip"});
}

TEST_CASE("studio: a series is as long as asked for, its ends among it") {
  LoopbackStudio studio("scenes/double_pendulum.json");
  Visitor visitor(studio);
  record(visitor, 100);
  const double end = number(visitor.must(R"({"do": "status"})"), "end");
  const auto times = [&](const std::string& more) {
    return numbers(
        *visitor.must(R"({"do": "series", "plots": ["kinetic"])" + more + "}").find("t"));
  };
  const std::vector<double> ten = times(R"(, "points": 10)");
  REQUIRE(ten.size() == 10);
  CHECK(ten.front() == 0);
  CHECK(ten.back() == doctest::Approx(end));
  CHECK(std::is_sorted(ten.begin(), ten.end()));
  const std::vector<double> part = times(R"(, "from": 0.5, "to": 1)");
  CHECK(part.front() >= 0.5 - 1e-6);
  CHECK(part.back() <= 1 + 1e-6);
  CHECK(part.size() > 10);
  CHECK(times(R"(, "from": 7, "to": 8)").empty());
  CHECK(times(R"(, "from": 1, "to": 0)").empty());
  CHECK(visitor.error(R"({"do": "series", "plots": ["kinetik"]})").find("did you mean 'kinetic'") !=
        std::string::npos);
  CHECK(visitor.error(R"({"do": "series"})") == "'plots': expected names of columns");
  CHECK(visitor.error(R"({"do": "series", "plots": ["kinetic"], "points": 1000000})") ==
        "'points': 1e+06: expected 1 to 5000");
  LoopbackStudio net("scenes/nets/jump.net.json");
  Visitor other(net);
  CHECK(other.error(R"({"do": "series", "plots": ["kinetic"]})") ==
        "'plots': there is nothing to plot here");
}

TEST_CASE("studio: the table of a walk tells places, heights and slip") {
  LoopbackStudio studio("scenes/walks/stick_a.walk.json");
  Visitor visitor(studio);
  record(visitor, 240);
  auto table = exported_table(studio, visitor, R"(, "from": 1, "to": 3)");
  const std::vector<double>& t = table["t"];
  REQUIRE(t.size() == 121);
  CHECK(t.front() == doctest::Approx(1));
  CHECK(t.back() == doctest::Approx(3));
  double way = 0, walked = 0;
  int stood = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    // on its way over the ground, hips above it, one foot down at least
    CHECK(table["stick.hips"][k] > 0.5);
    CHECK(table["stick.hips"][k] < 1.3);
    const double left = table["stick.left.down"][k], right = table["stick.right.down"][k];
    CHECK(left + right >= 1);
    for (const char* leg : {"stick.left", "stick.right"}) {
      const std::string name(leg);
      CHECK(std::fabs(table[name + ".x"][k] - table["stick.x"][k]) < 1);
      if (table[name + ".down"][k] == 0) continue;
      ++stood;
      CHECK(table[name + ".height"][k] < 0.02);
      CHECK(table[name + ".slip"][k] < 0.01);
    }
    if (k == 0) continue;
    way += std::hypot(table["stick.x"][k] - table["stick.x"][k - 1],
                      table["stick.y"][k] - table["stick.y"][k - 1]);
    walked += table["stick.speed"][k] / 60;
  }
  CHECK(stood > 120);
  CHECK(way > 1);
  CHECK(walked == doctest::Approx(way));

  // what is shown is what was recorded
  visitor.must(R"({"do": "subscribe", "binary": true, "plots": ["stick.speed", "stick.left"]})");
  visitor.must(R"({"do": "seek", "t": 2})");
  std::string frame = visitor.frame(3);
  while (std::fabs(read_at<double>(frame, 8) - 2) > 1e-6) frame = visitor.frame(3);
  const float values[] = {read_at<float>(frame, 16), read_at<float>(frame, 20)};
  CHECK(values[0] == doctest::Approx(table["stick.speed"][60]).epsilon(1e-5));
  CHECK(values[1] == doctest::Approx(table["stick.left.x"][60]).epsilon(1e-5));
}

TEST_CASE("studio: an error tells the column of the formula that is wrong") {
  LoopbackStudio scene("scenes/mobile_in_wind.json");
  Visitor visitor(scene);
  const std::string force =
      visitor.must(R"({"do": "describe"})").find("forces")->items[0].find("name")->text;
  const auto replaced = [&](const std::string& text) {
    return visitor.ask(R"({"do": "replace", "what": "force", "name": ")" + force +
                       R"(", "part": "force", "text": ")" + text + "\"}");
  };
  JsonValue answer = replaced("[0, 0, 3*winnd]");
  CHECK(answer.find("error")->text.find("winnd") != std::string::npos);
  CHECK(number(answer, "column") == 10);
  answer = replaced("[0, 0, 1/(t-t)]");  // no finite number
  CHECK(number(answer, "column") == 9);
  answer = visitor.ask(R"({"do": "replace", "what": "force", "name": "nobody", "text": "1"})");
  CHECK(answer.find("error"));
  CHECK_FALSE(answer.find("column"));

  LoopbackStudio walk("scenes/walks/stick_a.walk.json");
  Visitor walker(walk);
  answer = walker.ask(R"({"do": "terrain", "elevation": "0.2*sinn(x) + 0"})");
  CHECK(answer.find("error")->text.find("sinn") != std::string::npos);
  CHECK(number(answer, "column") == 5);
}
