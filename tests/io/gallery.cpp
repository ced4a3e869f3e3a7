// The page is taken apart again: its data must be the recording, and a browser must draw it.
#include "molejo/io/gallery.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "molejo/io/coil.h"
#include "molejo/io/file.h"
#include "recorded.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
using Json = nlohmann::json;

namespace {

Json player_data(const std::string& card) {
  const std::string open = "<script type=\"application/json\">";
  const std::size_t from = card.find(open) + open.size();
  return Json::parse(card.substr(from, card.find("</script>", from) - from));
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++n;
  return n;
}

PointSpring hanging_spring() {
  PointSpring s;
  s.name = "spring", s.body_2 = {0};
  s.p_1 = {0, 0.5, 1.5}, s.p_2 = {1, 0, 0};
  s.rest_length = 0.8;
  return s;
}

}  // namespace

TEST_CASE("gallery: a card links its files and tells its figures") {
  Recorded r = recorded();
  r.recording.summary.steps = 1234567;
  r.recording.summary.energy_drift = 1.25e-9;
  const std::string card = gallery_card(r.scene, r.model, r.recording, "a b/crank");
  CHECK(card.find("<h2>crank &amp; ball</h2>") != std::string::npos);
  for (const char* ending : {"glb", "csv", "svg"}) {
    CHECK(card.find("href=\"a%20b/crank." + std::string(ending) + "\"") != std::string::npos);
  }
  CHECK(card.find("<img src=\"a%20b/crank.svg\"") != std::string::npos);
  CHECK(card.find("1\u202F234\u202F567") != std::string::npos);
  CHECK(card.find("10<sup>\u22129</sup>") != std::string::npos);
  CHECK(card.find("0123456789abcdef") != std::string::npos);
  CHECK(card.find("stopped early") == std::string::npos);
  r.recording.summary.failure = "at 0.5 s: <ball>";
  CHECK(gallery_card(r.scene, r.model, r.recording, "x").find("at 0.5 s: &lt;ball&gt;") !=
        std::string::npos);
}

TEST_CASE("gallery: the player gets the recorded poses of what moves") {
  const Recorded r = recorded();
  const Json data = player_data(gallery_card(r.scene, r.model, r.recording, "crank"));
  REQUIRE(data["frames"].size() == r.recording.frames.size());
  // crank and ball move, the post rests
  CHECK(data["actors"][0].is_null());
  CHECK(data["actors"][1].is_null());
  CHECK(data["actors"][2]["rest"] == Json({0, 0, 0, 1, 0, 0, 0}));
  CHECK(data["parts"].size() == 7);
  CHECK_FALSE(data["parts"][5].contains("mesh"));  // the plane
  for (std::size_t i = 0; i < r.recording.frames.size(); ++i) {
    const auto row = data["frames"][i].get<std::vector<double>>();
    REQUIRE(row.size() == 1 + 2 * 8);
    const Frame& f = r.recording.frames[i];
    CHECK(row[0] == doctest::Approx(f.state.t).epsilon(1e-4));
    CHECK(row[1 + 8 + 2] == doctest::Approx(f.X_WB[1].p.z).epsilon(1e-4));
    const Mat3 R = matrix(normalized(Quat{row[12], row[13], row[14], row[15]}));
    CHECK(max_abs(R.r0 - f.X_WB[1].R.r0) < 1e-4);
  }
}

TEST_CASE("gallery: long recordings are thinned, odd numbers stay out") {
  Recorded r = recorded(5000);
  r.recording.frames[0].X_WB[0].p.x = NAN;
  r.scene.camera.fov_deg = 1e9;
  const std::string card = gallery_card(r.scene, r.model, r.recording, "crank");
  const Json data = player_data(card);
  CHECK(data["frames"].size() <= 360);
  CHECK(data["frames"].size() > 300);
  CHECK(data["frames"][0][1] == 0.0);
  CHECK(data["camera"]["fov_deg"] == 120.0);
  CHECK(player_data(gallery_card({}, {}, {}, "none"))["frames"].empty());
}

TEST_CASE("gallery: names cannot break out of the page") {
  Recorded r = recorded(2);
  r.scene.name = "</script><script>alert(1)</script>";
  r.scene.description = "\"><img onerror=alert(1)>";
  const std::string base = "\"><b>";
  const std::string page =
      gallery_page(std::vector{gallery_card(r.scene, r.model, r.recording, base)});
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script>") == 2);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(count(page, "<img") == 1);
}

TEST_CASE("gallery: the page asks for nothing from a network") {
  const Recorded r = recorded(2);
  const std::string page =
      gallery_page(std::vector{gallery_card(r.scene, r.model, r.recording, "crank")});
  CHECK(page.find("http") == std::string::npos);
  CHECK(page.find("import") == std::string::npos);
  CHECK(page.find("fetch") == std::string::npos);
  CHECK(page.find("1 simulated scene.") != std::string::npos);
}

TEST_CASE("gallery: a browser draws the bodies without an error") {
  if (std::system("command -v chromium > /dev/null 2>&1") != 0) {
    MESSAGE("skipped 'a browser draws the bodies': needs chromium");
    return;
  }
  Recorded r = recorded();
  r.model.springs = {hanging_spring()};
  const auto drawn_pixels = [&](const std::string& name) {
    const std::string path = binary_dir() + "/" + name + ".html";
    write_file(path, gallery_page(std::vector{gallery_card(r.scene, r.model, r.recording, name)}));
    const std::string command =
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--user-data-dir='" +
        path + ".profile' --window-size=1300,900 --virtual-time-budget=2000 --dump-dom 'file://" +
        path + "' > '" + path + ".dom' 2>/dev/null";
    const std::string mark = "data-drawn=\"";
    // a busy machine may take the page down before its first picture
    std::string dom;
    std::size_t at = std::string::npos;
    for (int attempt = 0; attempt < 3 && at == std::string::npos; ++attempt) {
      REQUIRE(std::system(command.c_str()) == 0);
      dom = read_file(path + ".dom");
      at = dom.find(mark);
    }
    CHECK(dom.find("data-error") == std::string::npos);
    REQUIRE(at != std::string::npos);
    return std::atoi(dom.c_str() + at + mark.size());
  };
  CHECK(drawn_pixels("gallery") > 5000);

  // a ball of radius 1 seen from 10 m at 90 degrees: a disc of radius 350 / sqrt(99) pixels
  r.model.springs.clear();
  for (Body& body : r.model.bodies) body.shapes.clear();
  r.model.bodies[2].shapes = {{Sphere{1}, {}, {}}};
  r.scene.camera = {{0, -10, 0}, {0, 0, 0}, 90};
  const double disc = 3.14159265 * 350 * 350 / 99;
  CHECK(drawn_pixels("disc") == doctest::Approx(disc).epsilon(0.03));
}

TEST_CASE("coil: runs from one point of the spring to the other, closed and outward") {
  Recorded r = recorded();
  const PointSpring spring = hanging_spring();
  std::vector<const Frame*> frames;
  for (const Frame& f : r.recording.frames) frames.push_back(&f);
  const Coil c = coil(spring, frames);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Vec3 end = c.X_WS[i] * Vec3{0, 0, 0.8 * c.stretch[i]};
    CHECK(max_abs(c.X_WS[i].p - spring.p_1) < 1e-14);
    CHECK(max_abs(end - frames[i]->X_WB[0] * spring.p_2) < 1e-12);
    CHECK(determinant(c.X_WS[i].R) == doctest::Approx(1));
    // no spinning about its own axis
    if (i > 0) CHECK(dot(c.X_WS[i].R.column(0), c.X_WS[i - 1].R.column(0)) > 0.95);
  }
  double volume = 0;
  for (const auto& t : c.mesh.triangles) {
    const auto p = [&](std::size_t k) { return c.mesh.positions[static_cast<std::size_t>(t[k])]; };
    const Vec3 n = c.mesh.normals[static_cast<std::size_t>(t[0])];
    volume += dot(p(0), cross(p(1), p(2))) / 6;
    const bool cap = t[0] == 0 || t[0] == static_cast<int>(c.mesh.positions.size()) - 6;
    if (!cap) CHECK(dot(n, cross(p(1) - p(0), p(2) - p(0))) > 0);
  }
  CHECK(volume > 0);
}
