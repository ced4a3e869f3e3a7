// CSV and JSON are read again and compared with the frames; the endings choose the form.
#include "molejo/io/export.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "molejo/io/columns.h"
#include "molejo/io/file.h"
#include "molejo/io/markup.h"
#include "molejo/model/scene.h"
#include "tests/io/recorded.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
using Json = nlohmann::json;

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace

TEST_CASE("csv: the header names every number of a frame") {
  const Recorded r = recorded(2);
  CHECK(split(csv(r.model, r.recording), '\n')[0] ==
        "t,kinetic,gravity,elastic,total,px,py,pz,lx,ly,lz,constraint_error,"
        "hinge,ball.joint.0,ball.joint.1,ball.joint.2,"
        "ball.joint.qw,ball.joint.qx,ball.joint.qy,ball.joint.qz,"
        "hinge.v,ball.joint.v0,ball.joint.v1,ball.joint.v2,ball.joint.v3,ball.joint.v4,"
        "ball.joint.v5,"
        "crank.x,crank.y,crank.z,crank.qw,crank.qx,crank.qy,crank.qz,"
        "ball.x,ball.y,ball.z,ball.qw,ball.qx,ball.qy,ball.qz,"
        "post.x,post.y,post.z,post.qw,post.qx,post.qy,post.qz");
}

TEST_CASE("csv: every number reads back as the same double, in its column") {
  const Recorded r = recorded(30);
  const std::vector<std::string> lines = split(csv(r.model, r.recording), '\n');
  REQUIRE(lines.size() == 31);
  const std::vector<std::string> header = split(lines[0], ',');
  for (std::size_t i = 0; i < 30; ++i) {
    const Frame& f = r.recording.frames[i];
    const std::vector<std::string> cells = split(lines[i + 1], ',');
    REQUIRE(cells.size() == header.size());
    const auto cell = [&](const std::string& name) {
      const auto at = std::find(header.begin(), header.end(), name) - header.begin();
      return std::strtod(cells.at(static_cast<std::size_t>(at)).c_str(), nullptr);
    };
    CHECK(cell("t") == f.state.t);
    CHECK(cell("total") == f.energy.total());
    CHECK(cell("py") == 2);
    CHECK(cell("lz") == 6);
    CHECK(cell("constraint_error") == 1e-12);
    CHECK(cell("hinge") == f.state.q[0]);
    CHECK(cell("ball.joint.2") == f.state.q[3]);
    CHECK(cell("ball.joint.qz") == f.state.q[7]);
    CHECK(cell("hinge.v") == 4);
    CHECK(cell("ball.joint.v2") == f.state.v[3]);
    CHECK(cell("ball.z") == f.X_WB[1].p.z);
    CHECK(cell("post.qw") == 1);
  }
}

TEST_CASE("csv: names with commas and quotes are quoted") {
  Recorded r = recorded(1);
  r.model.bodies[0].joint = "a,\"b\"";
  const std::string header = split(csv(r.model, r.recording), '\n')[0];
  CHECK(header.find(",\"a,\"\"b\"\"\",ball.joint.0") != std::string::npos);
  CHECK(header.find(",\"a,\"\"b\"\".v\",") != std::string::npos);
}

TEST_CASE("json: holds the summary and every frame, bit for bit") {
  Recorded r = recorded(20);
  r.recording.summary.energy_drift = 0.1 + 0.2;
  const Json root = Json::parse(json(r.scene, r.model, r.recording));
  CHECK(root["scene"] == "crank & ball");
  CHECK(root["summary"]["hash"] == "0123456789abcdef");
  CHECK(root["summary"]["energy_drift"] == 0.1 + 0.2);
  CHECK(root["summary"]["failure"].is_null());
  CHECK(root["columns"].size() == root["units"].size());
  CHECK(root["units"][12] == "rad");
  REQUIRE(root["frames"].size() == 20);
  std::vector<double> row;
  for (std::size_t i = 0; i < 20; ++i) {
    fill_row(r.model, r.recording.frames[i], row);
    CHECK(root["frames"][i].get<std::vector<double>>() == row);
  }
}

TEST_CASE("json: is valid whatever the numbers and names") {
  Recorded r = recorded(2);
  r.recording.frames[1].energy.kinetic = NAN;
  r.recording.frames[1].momentum = {INFINITY, -INFINITY, 1e308};
  r.recording.summary.energy_deviation = NAN;
  r.recording.summary.failure = "at 0.5 s: \"\xff\"";
  r.scene.name = "quote \" backslash \\ newline \n bad byte \xff";
  const Json root = Json::parse(json(r.scene, r.model, r.recording));
  CHECK(root["frames"][1][1].is_null());
  CHECK(root["frames"][1][5].is_null());
  CHECK(root["frames"][1][7] == 1e308);
  const Json summary = Json::parse(summary_json(r.recording));
  CHECK(summary["energy_deviation"].is_null());
  CHECK(summary["failure"] == "at 0.5 s: \"\xEF\xBF\xBD\"");
  CHECK(summary == root["summary"]);
  CHECK(Json::parse(json({}, {}, {}))["frames"].empty());
}

TEST_CASE("columns: quaternions of bodies keep their side over full turns") {
  const Recorded r = recorded(120);
  const std::size_t w = columns(r.model).size() - 7 - 4;  // of the ball, then the post follows
  REQUIRE(columns(r.model)[w].name == "ball.qw");
  std::vector<double> row, last;
  bool negative = false;
  for (const Frame& frame : r.recording.frames) {
    fill_row(r.model, frame, row);
    double cosine = 0;
    for (std::size_t k = w; k < w + 4 && !last.empty(); ++k) cosine += row[k] * last[k];
    CHECK((last.empty() || cosine > 0.99));
    negative |= row[w] < 0;
    last = row;
  }
  CHECK(negative);
}

TEST_CASE("columns: a joint may share the name of its body, and no name comes twice") {
  Recorded r = recorded(1);
  r.model.bodies[0].joint = "crank";
  r.model.bodies[1].joint = "";
  std::set<std::string> names;
  for (const Column& c : columns(r.model)) CHECK(names.insert(c.name).second);
  for (const char* name : {"crank", "crank.v", "crank.x", "ball.joint.qw", "ball.qw"}) {
    CAPTURE(name);
    CHECK(names.contains(name));
  }
  const std::vector<Column> all = columns(r.model);
  CHECK(all[find_columns(all, std::vector<std::string>{"crank"}).at(0)].unit == "rad");
}

TEST_CASE("columns: words name a column, a joint or a body") {
  const Recorded r = recorded(1);
  const std::vector<Column> all = columns(r.model);
  const auto names = [&](std::vector<std::string> words) {
    std::string out;
    for (const std::size_t i : find_columns(all, words)) out += all[i].name + " ";
    return out;
  };
  CHECK(names({}) == "");
  CHECK(names({"hinge.v", "hinge", "total"}) == "hinge.v hinge total ");
  CHECK(names({"ball"}) == "ball.x ball.y ball.z ");
  CHECK(names({"ball.joint"}) ==
        "ball.joint.0 ball.joint.1 ball.joint.2 ball.joint.qw ball.joint.qx ball.joint.qy "
        "ball.joint.qz ");
  CHECK(error_text([&] { names({"hing"}); }) ==
        "plot: unknown column 'hing'; did you mean 'hinge'?");
}

TEST_CASE("write_recording: the ending chooses the form") {
  const Recorded r = recorded(3);
  const std::string base = binary_dir() + "/written";
  const auto written = [&](const std::string& ending) {
    write_recording(base + ending, r.scene, r.model, r.recording);
    return read_file(base + ending);
  };
  CHECK(written(".csv") == csv(r.model, r.recording));
  CHECK(written(".JSON") == json(r.scene, r.model, r.recording));
  CHECK(written(".svg") == svg(r.scene, r.model, r.recording));
  CHECK(written(".glb") == glb(r.scene, r.model, r.recording));
  CHECK(error_text([&] { written(".gltf"); }) ==
        base + ".gltf: unknown ending '.gltf'; did you mean '.glb'?");
  CHECK(error_text([&] { written(""); }).find("expected one of .glb, .csv, .json, .svg") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(base + ".gltf"));
}

TEST_CASE("markup: nothing that XML forbids passes") {
  CHECK(escaped("a<b & \"c\" > 'd'") == "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  CHECK(escaped("Öl, 力, ｌ, 🙂\n") == "Öl, 力, ｌ, 🙂\n");
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(escaped(std::string("\0\x01\x7f", 3)) == bad + bad + bad);
  CHECK(escaped("\xff") == bad);
  CHECK(escaped("\xC3") == bad);
  CHECK(escaped("\xC0\xAF") == bad + bad);                      // overlong
  CHECK(escaped("\xED\xA0\x80") == bad + bad + bad);            // surrogate
  CHECK(escaped("\xEF\xBF\xBE") == bad + bad + bad);            // no character
  CHECK(escaped("\xEE\xBF\xBE") == "\xEE\xBF\xBE");             // one of private use
  CHECK(escaped("\xF4\x90\x80\x80").size() == 4 * bad.size());  // beyond U+10FFFF
}
