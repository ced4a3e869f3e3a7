// The page is taken apart again: its films must be the recordings, and a browser must draw them.
#include "molejo/io/gallery.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "molejo/io/coil.h"
#include "molejo/io/file.h"
#include "molejo/io/gallery_film.h"
#include "tests/io/recorded.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
using Json = nlohmann::json;

namespace {

// Base64 of 16-bit integers, least byte first.
std::vector<int> integers(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  std::vector<int> values;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<std::uint8_t>(bytes[i]);
    values.push_back(static_cast<std::int8_t>(bytes[i + 1]) * 256 + low);
  }
  return values;
}

// Position and quaternion of an actor in a frame, as the player reads them.
std::vector<double> shown_pose(const Json& actor, std::size_t frame) {
  const std::vector<int> all = integers(actor["frames"]);
  const std::size_t width = actor.contains("stretch") ? 8 : 7;
  std::vector<double> pose;
  for (std::size_t i = 0; i < width; ++i) {
    const double part = all.at(frame * width + i) / 32767.0;
    pose.push_back(i < 3   ? actor["middle"][i].get<double>() + actor["size"].get<double>() * part
                   : i < 7 ? part
                           : actor["stretch"].get<double>() * part);
  }
  return pose;
}

Json film_data(const Recorded& r) {
  return Json::parse(film_json(film_of(r.scene, r.model, r.recording)));
}

GalleryCard card_of(const Recorded& r, const std::string& base) {
  GalleryCard card;
  card.id = base, card.topic = "bodies", card.kind = "scene";
  card.title = r.scene.name, card.description = r.scene.description;
  card.failure = r.recording.summary.failure;
  card.film = film_json(film_of(r.scene, r.model, r.recording));
  card.facts = summary_facts(r.recording.summary);
  for (const char* ending : {".glb", ".csv", ".svg"})
    card.files.emplace_back(base + ending, "file");
  card.pictures = {
      gallery_picture("<svg width=\"420\" height=\"560\"><g/></svg>", base + ".svg", "plot")};
  return card;
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
  const std::string card = gallery_card(card_of(r, "a b/crank"));
  CHECK(card.find("<h3>crank &amp; ball<span>scene</span></h3>") != std::string::npos);
  for (const char* ending : {"glb", "csv", "svg"}) {
    CHECK(card.find("href=\"a%20b/crank." + std::string(ending) + "\"") != std::string::npos);
  }
  CHECK(card.find("<img src=\"a%20b/crank.svg\" alt=\"plot\" width=\"420\" height=\"560\"") !=
        std::string::npos);
  CHECK(card.find("1\u202F234\u202F567") != std::string::npos);
  CHECK(card.find("10\u207B\u2079") != std::string::npos);
  CHECK(card.find("0123456789abcdef") != std::string::npos);
  CHECK(card.find("stopped early") == std::string::npos);
  r.recording.summary.failure = "at 0.5 s: <ball>";
  CHECK(gallery_card(card_of(r, "x")).find("at 0.5 s: &lt;ball&gt;") != std::string::npos);
}

TEST_CASE("gallery: the player gets the recorded poses of what moves") {
  const Recorded r = recorded();
  const Json data = film_data(r);
  REQUIRE(data["times"].size() == r.recording.frames.size());
  // crank and ball move, the post rests
  REQUIRE(data["actors"].size() == 3);
  CHECK(data["actors"][2]["rest"] == Json({0, 0, 0, 1, 0, 0, 0}));
  CHECK(data["parts"].size() == 7);
  CHECK_FALSE(data["parts"][5].contains("mesh"));  // the plane
  for (std::size_t i = 0; i < r.recording.frames.size(); ++i) {
    const Frame& f = r.recording.frames[i];
    CHECK(data["times"][i].get<double>() == doctest::Approx(f.state.t).epsilon(1e-4));
    const std::vector<double> ball = shown_pose(data["actors"][1], i);
    CHECK(ball[2] == doctest::Approx(f.X_WB[1].p.z).epsilon(1e-3));
    const Mat3 R = matrix(normalized(Quat{ball[3], ball[4], ball[5], ball[6]}));
    CHECK(max_abs(R.r0 - f.X_WB[1].R.r0) < 2e-4);
  }
}

TEST_CASE("gallery: equal meshes are held once, and their points are where they were") {
  const Recorded r = recorded(2);
  const GalleryFilm film = film_of(r.scene, r.model, r.recording);
  const Json data = film_data(r);
  // two equal spheres among six meshes
  CHECK(film.meshes.size() == 6);
  REQUIRE(data["meshes"].size() == 5);
  CHECK(data["parts"][3]["mesh"] == data["parts"][4]["mesh"]);
  const Json& box = data["meshes"][0];
  const std::vector<int> points = integers(box["points"]);
  REQUIRE(points.size() == 3 * film.meshes[0].positions.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x =
        box["middle"][i % 3].get<double>() + box["size"].get<double>() * points[i] / 32767;
    CHECK(std::fabs(x - film.meshes[0].positions[i / 3][static_cast<int>(i % 3)]) < 1e-4);
  }
}

TEST_CASE("gallery: a spring is stretched as it was") {
  Recorded r = recorded(10);
  r.model.springs = {hanging_spring()};
  const GalleryFilm film = film_of(r.scene, r.model, r.recording);
  const Json data = film_data(r);
  REQUIRE(film.actors.size() == 4);
  for (std::size_t i = 0; i < 10; ++i) {
    const std::vector<double> shown = shown_pose(data["actors"][3], i);
    CHECK(shown[7] == doctest::Approx(film.actors[3].stretch[i]).epsilon(1e-3));
  }
}

TEST_CASE("gallery: long recordings are thinned, odd numbers stay out") {
  Recorded r = recorded(5000);
  r.recording.frames[0].X_WB[0].p.x = NAN;
  r.scene.camera.fov_deg = 1e9;
  const Json data = film_data(r);
  CHECK(data["times"].size() <= 360);
  CHECK(data["times"].size() > 300);
  CHECK(data["times"].back().get<double>() ==
        doctest::Approx(r.recording.frames.back().state.t).epsilon(1e-4));
  CHECK(std::isfinite(shown_pose(data["actors"][0], 0)[0]));
  CHECK(data["camera"]["fov_deg"] == 120.0);
  CHECK(Json::parse(film_json(film_of(Scene{}, Model{}, Recording{})))["times"].empty());
  // many actors get fewer frames
  CHECK(film_frames(5000, 1000).size() == 60);
  CHECK(film_frames(5, 1000) == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("gallery: names cannot break out of the page") {
  Recorded r = recorded(2);
  r.scene.name = "</script><script>alert(1)</script>";
  r.scene.description = "\"><img onerror=alert(1)>";
  GalleryCard card = card_of(r, "\"><b>");
  card.table = {{"<b>"}}, card.sentences = {{"<b>", "<b>"}}, card.source = "<b>";
  card.kind = card.topic = "\"><b>";
  const std::string page = gallery_page(std::vector{card});
  CHECK(count(page, "<script") == 3);  // theme, film, player
  CHECK(count(page, "</script>") == 3);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(count(page, "<img") == 1);
}

TEST_CASE("gallery: the page asks for nothing from a network") {
  const std::string page = gallery_page(std::vector{card_of(recorded(2), "crank")});
  CHECK(page.find("http") == std::string::npos);
  for (const char* word : {"import ", "import(", "@import", "url("}) {
    CHECK(page.find(word) == std::string::npos);
  }
  CHECK(page.find("fetch") == std::string::npos);
}

TEST_CASE("gallery: topics stand in their order, and an index names every card") {
  const auto card = [](const char* id, const char* topic, const char* title, const char* kind) {
    GalleryCard c;
    c.id = id, c.topic = topic, c.title = title, c.kind = kind;
    c.source = std::string("folder/") + id + ".json";
    return c;
  };
  const std::string page = gallery_page(
      std::vector{card("run", "locomotion", "Run", "gait"),
                  card("run-2", "locomotion", "Run", "sketch"), card("a", "nets", "Jump", "net"),
                  card("b", "nets", "Jump", "net"), card("c", "nets", "Wave", "show")});
  CHECK(page.find("<section class=\"topic\" id=\"locomotion\">") <
        page.find("<section class=\"topic\" id=\"nets\">"));
  // what is called alike is told apart: by kinds, or by files
  CHECK(page.find("Run: <a href=\"#run\" title=\"folder/run.json\">gait</a>, <a href=\"#run-2\" "
                  "title=\"folder/run-2.json\">sketch</a>") != std::string::npos);
  CHECK(page.find("title=\"folder/b.json\">b.json</a>") != std::string::npos);
  CHECK(page.find("title=\"folder/c.json\">Wave</a>") != std::string::npos);
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
    write_file(path, gallery_page(std::vector{card_of(r, name)}));
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
