// ANIMADO's scripts: what they say, and the numbers of their experiments (spec: 4 and 5).
#include "molejo/io/animado.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "molejo/io/file.h"
#include "molejo/io/load.h"
#include "molejo/io/staged_file.h"
#include "molejo/math/rotation.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Files = std::map<std::string, std::string>;

Scene parse(const Files& files) {
  return parse_animado(
      [&](const std::string& file) -> std::optional<std::string> {
        const auto at = files.find(file);
        if (at == files.end()) return std::nullopt;
        return at->second;
      },
      "main.dat");
}
Scene parse(const std::string& text) { return parse(Files{{"main.dat", text}}); }
std::string told(const Files& files) {
  return error_text([&] { build(parse(files)); });
}
std::string told(const std::string& text) { return told(Files{{"main.dat", text}}); }

constexpr const char* times = "time_end 1\ntime_step 0.01\n";
constexpr const char* unit = "m 1\nIxx 1\nIyy 1\nIzz 1\n";

std::string script_path(const std::string& name) {
  return source_dir() + "/scenes/animado/" + name;
}
Scene shipped_script(const std::string& name) {
  return load_scene(SourceFile::given(script_path(name)));
}

// A shipped script with other words in its main file.
Scene changed_script(const std::string& name, const std::string& words,
                     const std::string& instead) {
  return parse_animado(
      [&](const std::string& file) -> std::optional<std::string> {
        std::string text = read_file(file);
        const std::size_t at = text.find(words);
        if (at != std::string::npos) text.replace(at, words.size(), instead);
        return text;
      },
      script_path(name));
}

std::vector<std::vector<double>> rows_of(const std::string& table) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (double x = 0; words >> x;) rows.back().push_back(x);
  }
  return rows;
}

Vec3 place_at_end(const Shown& shown, const std::string& body) { return shown.pose(body).p; }

}  // namespace

TEST_CASE("animado script: names of an actor, then those for all, in any order") {
  const Scene scene = parse(Files{{"main.dat",
                                   "INCLUDE parts/a.act  # the actors come first\n"
                                   "INCLUDE parts/b.act\n"
                                   "k 3\nR 5\ntime_end 2*one\none 1\ntime_step 1/100\n"},
                                  {"parts/a.act", "ACTOR a\nINCLUDE same.act\nR 2\n"},
                                  {"parts/b.act", "ACTOR b\nINCLUDE same.act\n"},
                                  {"parts/same.act", std::string(unit) + "sx R\nsy k*R\n"}});
  REQUIRE(scene.bodies.size() == 2);
  CHECK(scene.bodies[0].X_WB.p == Vec3{2, 6, 0});
  CHECK(scene.bodies[1].X_WB.p == Vec3{5, 15, 0});
  CHECK(scene.settings.duration == 2);
  CHECK(scene.settings.time_step == 0.01);
  CHECK(scene.settings.fps == 100);
  CHECK(scene.settings.integrator == Integrator::rk4);
  CHECK(scene.settings.gravity == Vec3{});
}

TEST_CASE("animado script: state names are the start in initial values, live in forces") {
  // sx starts at 2, sy at what sx starts with; the force pulls to where b is now
  Scene scene = parse(std::string(times) + "ACTOR a\n" + unit +
                      "sx 2\nsy sx/2\nfiz sy*0.5\nvx -sx\nFx -9*(sx - b.sx)\nTz fiz*Fx*0\n"
                      "ACTOR b\nm 1e6\nIxx 1\nIyy 1\nIzz 1\nvx 0.5\n");
  CHECK(scene.bodies[0].X_WB.p == Vec3{2, 1, 0});
  CHECK(scene.bodies[0].velocity->linear == Vec3{-2, 0, 0});
  CHECK(std::fabs(angles_xyz(scene.bodies[0].X_WB.R).z - 0.5) < 1e-15);
  const Shown shown(scene);
  // about b: amplitude 2, and -2.5 m/s against it
  const double t = 1;
  const double x = 0.5 * t + 2 * std::cos(3 * t) - 2.5 / 3 * std::sin(3 * t);
  CHECK(std::fabs(shown.pose("a").p.x - x) < 1e-7);
}

TEST_CASE("animado script: an actor may start where another one does") {
  const Scene scene = parse(std::string(times) + "ACTOR a\n" + unit + "sx b.sx + 1\nsy b.reach\n" +
                            "ACTOR b\n" + unit + "sx reach/2\nreach 6\n");
  CHECK(scene.bodies[0].X_WB.p == Vec3{4, 6, 0});
  CHECK(scene.bodies[1].X_WB.p == Vec3{3, 0, 0});
}

TEST_CASE("animado script: t runs from time_start, in forces and in what starts with it") {
  const Scene scene = parse(std::string("time_start 2\ntime_end 3\ntime_step 0.01\nACTOR a\n") +
                            unit + "sx t\nFx t\n");
  CHECK(scene.bodies[0].X_WB.p.x == 2);
  const Shown shown(scene);
  CHECK(shown.seconds(0) == 2);
  CHECK(shown.frames().size() == 101);
  // v = t^2/2 - 2, x = 2 + t^3/6 - 2 t + 8/3
  CHECK(std::fabs(shown.velocity("a").linear.x - 2.5) < 1e-12);
  CHECK(std::fabs(shown.pose("a").p.x - (2 + 27.0 / 6 - 6 + 8.0 / 3)) < 1e-12);
}

TEST_CASE("animado script: inertia about an origin that is not the centre of mass") {
  const Scene scene = parse(std::string(times) +
                            "ACTOR a\nm 2\ncx 1\ncy 2\ncz -1\nIxx 20\nIyy 14\nIzz 21\n"
                            "Ixy 4.5\nIxz -2\nIyz -4\n");
  const MassProperties& m = *scene.bodies[0].given;
  CHECK(m.mass == 2);
  CHECK(m.p_BC == Vec3{1, 2, -1});
  // J - m (c.c - c c^T), products positive in the script: Ixy = 4.5 is 0.5 beside m cx cy
  CHECK(m.I_BC == Sym3{20 - 2 * 5, 14 - 2 * 2, 21 - 2 * 5, -0.5, 0, 0});
}

TEST_CASE("animado script: gravity pulls along -y where g is said") {
  const Shown shown(parse(std::string(times) + "g 9.8\nACTOR a\n" + unit + "sy 3\nvx 1\n"));
  CHECK(std::fabs(shown.pose("a").p.y - (3 - 4.9)) < 1e-12);
  CHECK(std::fabs(shown.pose("a").p.x - 1) < 1e-12);
}

TEST_CASE("animado script: plain numbers can be changed while it runs") {
  const Scene scene = parse(std::string(times) + "ACTOR a\n" + unit + "k -4e0\nq 2*k\nFx k*sx\n");
  const auto find = [&](const std::string& name) {
    return std::find_if(scene.definitions.begin(), scene.definitions.end(),
                        [&](const SceneDefinition& d) { return d.name == name; });
  };
  CHECK(find("k")->value == -4);
  CHECK(find("k")->formula.scope == "a");
  CHECK_FALSE(find("q")->value.has_value());
}

TEST_CASE("animado planets: the table at h = 1/24, and files of 601 lines") {
  const Scene scene = shipped_script("planetas.dat");
  REQUIRE(scene.bodies.size() == 9);
  const Shown shown(scene);
  const struct {
    const char* name;
    double x, y;
  } table[] = {{"Mercury", -16.805, 57.741},  {"Venus", -27.658, 110.222},
               {"Earth", 40.502, -149.600},   {"Mars", -200.938, 115.588},
               {"Jupiter", 710.363, 339.798}, {"Saturn", 1399.733, 248.793}};
  for (const auto& planet : table) {
    CAPTURE(planet.name);
    const Vec3 p = place_at_end(shown, planet.name);
    CHECK(std::fabs(p.x - planet.x) < 1e-3);
    CHECK(std::fabs(p.y - planet.y) < 1e-3);
    CHECK(p.z == 0);
  }
  // against x = R cos wt, y = vy/w sin wt
  const double w = std::sqrt(6.672e-3 * 1422.94 / (0.239 * 57.8565));
  const Vec3 exact{57.8565 * std::cos(25 * w), 50 / w * std::sin(25 * w), 0};
  const double error = norm(place_at_end(shown, "Mercury") - exact);
  CHECK(error > 1.2e-5);
  CHECK(error < 1.6e-5);

  const std::string folder = binary_dir() + "/planet_tables";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  FileSet tables;
  add_tables(scene, shown.built.model, shown.recording, folder, tables);
  tables.commit();
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    CHECK(rows_of(read_file(entry.path().string())).size() == 601);
  }
  CHECK(files == 9);
  const auto rows = rows_of(read_file(folder + "/mercury.out"));
  for (const std::vector<double>& row : rows) CHECK(row.size() == 13);
  CHECK(rows[0] == std::vector<double>{0, 57.8565, 0, 0, 0, 0, 0, 0, 50, 0, 0, 0, 0});
  // 17 digits: the very numbers of the run
  CHECK(rows.back()[0] == 25);
  CHECK(rows.back()[1] == place_at_end(shown, "Mercury").x);
  CHECK(std::fabs(rows.back()[6] - 312.5) < 1e-9);
  CHECK(std::fabs(rows.back()[12] - 25) < 1e-10);
}

TEST_CASE("animado planets: at h = 1 Mercury is where classical Runge-Kutta takes it") {
  const Scene scene = changed_script("planetas.dat", "time_step 1/24", "time_step 1");
  const Shown shown(scene);
  const Vec3 p = place_at_end(shown, "Mercury");
  CHECK(std::fabs(p.x + 12.651) < 1e-3);
  CHECK(std::fabs(p.y - 55.776) < 1e-3);
  const std::string table =
      body_table(shown.built.model, shown.recording, shown.built.model.body("Mercury"), true);
  CHECK(rows_of(table).size() == 26);
  CHECK(std::fabs(rows_of(table).back()[6] - 312.5) < 1e-10);
}

TEST_CASE("animado planets: accelerations frozen over a step would miss the table") {
  // the other reading of the thesis: a = -w^2 s at its beginning, then v and s
  const double w2 = 6.672e-3 * 1422.94 / (0.239 * 57.8565);
  const auto two_passes = [&](double h) {
    Vec3 s{57.8565, 0, 0}, v{0, 50, 0};
    for (int n = 0; n < std::lround(25 / h); ++n) {
      const Vec3 a = s * -w2;
      s += v * h + a * (h * h / 2);
      v += a * h;
    }
    return s;
  };
  CHECK(norm(two_passes(1.0 / 24) - Vec3{-20.479, 69.103, 0}) < 1e-3);
  CHECK(norm(two_passes(1)) > 1000);
}

TEST_CASE("animado planets: true gravitation gives Earth its ellipse") {
  const Scene scene = shipped_script("gravitacao.dat");
  const Shown shown(scene);
  double far = 0;
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    far = std::max(far, norm(shown.pose("Earth", i).p));
  }
  // it starts where it is nearest
  CHECK((far - 149.5) / (far + 149.5) == doctest::Approx(0.0807).epsilon(1e-3));
  // and crosses the x axis upwards after a period
  double period = 0;
  for (std::size_t i = 2; i < shown.frames().size(); ++i) {
    const double before = shown.pose("Earth", i - 1).p.y, after = shown.pose("Earth", i).p.y;
    if (before < 0 && after >= 0) period = shown.seconds(i) - after / (after - before) / 24;
  }
  // Kepler's, with the semi-axis from the energy
  const double GM = 1.3295e5, axis = 1 / (2 / 149.5 - 31 * 31 / GM);
  CHECK(std::fabs(period - 2 * 3.141592653589793 * std::sqrt(axis * axis * axis / GM)) < 1e-3);
  CHECK(std::fabs(period - 35.74) < 0.01);
}

TEST_CASE("animado collision 1: the tops of the sphere on springs, through the script") {
  Scene scene = shipped_script("colisao1.dat");
  CHECK(scene.settings.time_step == 1e-4);
  scene.settings.fps = 1000;
  const Shown shown(scene);
  std::vector<std::pair<double, double>> tops;
  double deepest = 9;
  for (std::size_t i = 1; i + 1 < shown.frames().size(); ++i) {
    const double y = shown.pose("sphere", i).p.y;
    deepest = std::min(deepest, y);
    if (y > shown.pose("sphere", i - 1).p.y && y >= shown.pose("sphere", i + 1).p.y) {
      tops.emplace_back(shown.seconds(i), y);
    }
  }
  const std::pair<double, double> reference[] = {{1.515, 2.9527}, {3.016, 2.9062}, {4.504, 2.8607}};
  REQUIRE(tops.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::fabs(tops[i].first - reference[i].first) < 1.5e-3);
    CHECK(std::fabs(tops[i].second - reference[i].second) < 1e-3);
  }
  CHECK(std::fabs(deepest - 0.2906) < 1e-3);
  CHECK(shown.pose("floor").p == Vec3{});
}

TEST_CASE("animado collision 2: head-on, for three restitutions, through the script") {
  const struct {
    const char* epsilon;
    double sphere, cube;
  } cases[] = {{"epsilon 0", -0.454545, -0.454545},
               {"epsilon 0.5", -0.431818, -0.681818},
               {"epsilon 1", -0.409091, -0.909091}};
  for (const auto& c : cases) {
    CAPTURE(c.epsilon);
    const Shown shown(changed_script("colisao2.dat", "epsilon 0.5", c.epsilon));
    REQUIRE(shown.frames().size() == 151);
    CHECK(std::fabs(shown.velocity("sphere", 59).linear.y + 0.5) < 1e-12);
    CHECK(std::fabs(shown.velocity("sphere", 75).linear.y - c.sphere) < 1e-6);
    CHECK(std::fabs(shown.velocity("cube", 75).linear.y - c.cube) < 1e-6);
    CHECK(shown.recording.summary.momentum_drift < 1e-12);
  }
}

TEST_CASE("animado collision 2: the spinning cube in all three frictions, through a script") {
  const struct {
    const char* friction;
    Vec3 P;
    double energy;
  } cases[] = {{"mi 0", {0, 0.270270, 0}, 50.047297},
               {"mi 1e9", {0.001626, 0.262861, 0.825633}, 47.988771},
               {"mi 0.3", {0.000159, 0.269545, 0.080863}, 49.663816}};
  for (const auto& c : cases) {
    CAPTURE(c.friction);
    // a top face that is level after 0.01 s, below the sphere at (0.2, -0.1)
    Scene scene = parse("time_end 0.02\ntime_step 0.001\nepsilon 0\n" + std::string(c.friction) +
                        "\nACTOR sphere\nm 2\nIxx 1\nIyy 1\nIzz 1\nradius 0.5\n"
                        "sx 0.2\nsy 1 + 0.5*0.01\nsz -0.1\nvy -0.5\n"
                        "ACTOR cube\nm 0.2\nIxx 1\nIyy 1\nIzz 1\nside 1\nfix -10*0.01\nwx 10\n");
    scene.settings.contact.distance = 1e-9;
    const Shown shown(scene);
    // the impulse on the sphere; afterwards the cube, which still turns, presses on
    const ContactEvent& impact = shown.recording.contacts.front();
    CHECK(impact.phase == ContactPhase::begin);
    CHECK(std::fabs(impact.t - 0.01) < 1e-8);
    const Vec3 P = impact.impulse;
    CHECK(norm(P - c.P) < 1e-6);
    const Vec3 v1 = Vec3{0, -0.5, 0} + P / 2.0, v2 = P / -0.2;
    const Vec3 w1 = cross(Vec3{0, -0.5, 0}, P);
    const Vec3 w2 = Vec3{10, 0, 0} - cross(Vec3{0.2, 0.5, -0.1}, P);
    const double energy = dot(v1, v1) + 0.1 * dot(v2, v2) + 0.5 * dot(w1, w1) + 0.5 * dot(w2, w2);
    CHECK(std::fabs(energy - c.energy) < 1e-6);
  }
}

TEST_CASE("animado script: an actor follows a file, to the digit, and others collide with it") {
  // a paddle that rises with 0.5 m/s under a ball at rest
  const std::string path = "0 0 0 0 0 0 0\n1 0 0.5 0 0 0 0\n2 0 1 0 0 0 0\n";
  Scene scene = parse(Files{{"main.dat",
                             "time_end 1.5\ntime_step 0.001\nfps 100\nepsilon 1\n"
                             "ACTOR ball\nm 0.3\nradius 0.1\nsy 0.7\n"
                             "ACTOR paddle\nFOLLOW paddle.path\nside 1\nFILE paddle.out\n"},
                            {"paddle.path", path}});
  const Shown shown(scene);
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    CHECK(std::fabs(shown.pose("paddle", i).p.y - 0.5 * shown.seconds(i)) < 1e-15);
    CHECK(shown.pose("paddle", i).R == Mat3::identity());
  }
  // they meet after 0.2 s: elastic, off an infinite mass
  CHECK(shown.velocity("ball", 19).linear.y == 0);
  CHECK(std::fabs(shown.velocity("ball", 21).linear.y - 1) < 1e-9);
  const auto rows = rows_of(
      body_table(shown.built.model, shown.recording, shown.built.model.body("paddle"), false));
  CHECK(rows[100][2] == doctest::Approx(0.5).epsilon(1e-15));
  CHECK(rows[50][8] == doctest::Approx(0.5).epsilon(1e-15));
}

TEST_CASE("animado script: a table that was written can be followed") {
  const Shown first(
      parse(std::string(times) + "ACTOR a\n" + unit + "wx 1\nwy -0.5\nvx 1\nvz 2\nFy 3*t\n"));
  const std::string table =
      body_table(first.built.model, first.recording, first.built.model.body("a"), false);
  const Scene again = parse(
      Files{{"main.dat", std::string(times) + "ACTOR a\nFOLLOW a.path\n"}, {"a.path", table}});
  const Shown second(again);
  for (std::size_t i = 0; i < first.frames().size(); ++i) {
    CHECK(norm(first.pose("a", i).p - second.pose("a", i).p) < 1e-14);
    CHECK(max_abs(first.pose("a", i).R.r0 - second.pose("a", i).R.r0) < 1e-14);
    CHECK(norm(first.velocity("a", i).angular - second.velocity("a", i).angular) < 1e-13);
  }
}

TEST_CASE(
    "animado script: an actor has springs when both their stiffness and their reach are told") {
  const auto springs = [](const std::string& words) {
    const Scene scene =
        parse(std::string(times) + "ACTOR a\nm 1\nradius 0.5\n" + words + "ACTOR f\nfloor 1\n");
    return std::count_if(scene.contact_pairs.begin(), scene.contact_pairs.end(),
                         [](const auto& pair) { return pair.response == Response::penalty; });
  };
  CHECK(springs("Kelastica 5\ndlim 1\n") == 1);
  CHECK(springs("Kelastica 5\n") == 0);
  CHECK(springs("dlim 1\n") == 0);
  CHECK(springs("Kelastica 0\ndlim 1\n") == 0);
}

TEST_CASE("animado script: mistakes are told with file, line and token") {
  const std::string actor = std::string("ACTOR a\n") + unit;
  const struct {
    Files files;
    const char* text;
  } cases[] = {
      {{{"main.dat", times + actor + "Fx -(F/R*sx\n"}}, "main.dat:8: '-(F/R*sx'"},
      {{{"main.dat", times + actor + "F 2\nFx -F*sxx\n"}}, "main.dat:9: '-F*sxx': column 4"},
      {{{"main.dat", times + actor + "sx 1 + q\n"}}, "main.dat:8: '1 + q': column 5"},
      {{{"main.dat", times + actor + "x 3\n"}}, "main.dat:8: 'x' is what sx is while it runs"},
      {{{"main.dat", times + actor + "sx\n"}}, "main.dat:8: 'sx': expected an expression"},
      {{{"main.dat", times + actor + "2x 3\n"}}, "main.dat:8: '2x': expected INCLUDE, ACTOR"},
      {{{"main.dat", times + actor + "sx 1/0\n"}}, "main.dat:8: '1/0'"},
      {{{"main.dat", times + actor + "sx sy\nsy 2*sx\n"}}, "main.dat:"},
      {{{"main.dat", times + actor + "m 2\n"}}, "main.dat:8: 'm' is there already, at main.dat:4"},
      {{{"main.dat", times + actor + actor}}, "main.dat:8: actor 'a' is there already"},
      {{{"main.dat", times + actor + "time_end 3\n"}}, "main.dat:8: 'time_end' is for all actors"},
      {{{"main.dat", times + actor + "FILE ../out\n"}}, "main.dat:8: FILE '../out'"},
      {{{"main.dat", times + actor + "FILE /out\n"}}, "main.dat:8: FILE '/out'"},
      {{{"main.dat", times + actor + "FILE ..\n"}}, "main.dat:8: FILE '..'"},
      {{{"main.dat", "FILE out\n"}}, "main.dat:1: FILE: expected after ACTOR"},
      {{{"main.dat", times + actor + "FILE o\nACTOR b\nm 1\nradius 1\nFILE o\n"}},
       "main.dat:12: FILE 'o' is that of actor 'a'"},
      {{{"main.dat", "ACTOR a.b\n"}}, "main.dat:1: ACTOR 'a.b'"},
      {{{"main.dat", times}}, "without an ACTOR"},
      {{{"main.dat", actor}}, "the script says no time_step"},
      {{{"main.dat", "time_step 0\ntime_end 1\n" + actor}}, "main.dat:1: time_step 0"},
      {{{"main.dat", "time_step 1\ntime_end -1\n" + actor}}, "main.dat:2: time_end -1"},
      {{{"main.dat", "angles euler\n" + (times + actor)}}, "main.dat:1: unknown kind of angles"},
      {{{"main.dat", times + std::string("ACTOR a\nm 1\n")}}, "needs Ixx, Iyy and Izz"},
      {{{"main.dat", times + std::string("ACTOR a\nradius 1\n")}}, "has no mass m"},
      {{{"main.dat", times + std::string("ACTOR a\nradius 1\nm 0\n")}}, "main.dat:5: m 0"},
      {{{"main.dat", times + actor + "epsilon 2\n"}}, "main.dat:8: epsilon 2: expected 0 to 1"},
      {{{"main.dat", times + actor + "Kelastica 5\ndlim 1\nradius 2\nACTOR f\nfloor 1\n"}},
       "main.dat:9: dlim 1"},
      {{{"main.dat", "INCLUDE b.act\n"}}, "main.dat:1: no such file 'b.act'"},
      {{{"main.dat", "INCLUDE /etc/passwd\n"}}, "main.dat:1: no such file '/etc/passwd'"},
      {{{"main.dat", "INCLUDE a/b.act\n"},
        {"a/b.act", "\nINCLUDE ../c.act\n"},
        {"c.act", "INCLUDE a/b.act\n"}},
       "c.act:1: files include each other: a/b.act -> c.act -> a/b.act"},
      {{{"main.dat", times + actor + "FOLLOW p\n"}}, "main.dat:8: no such file 'p'"},
      {{{"main.dat", times + actor + "FOLLOW p\n"}, {"p", "0 0 0 0 0 0 0\n\n1 2 x\n"}},
       "p:3: expected a number"},
      {{{"main.dat", times + actor + "FOLLOW p\n"}, {"p", "0 0 0 0\n"}}, "p:1: expected 7 numbers"},
      {{{"main.dat", times + actor + "FOLLOW p\n"}, {"p", "1 0 0 0 0 0 0\n1 0 0 0 0 0 0\n"}},
       "p: key 1 of the path: times must increase"},
      {{{"main.dat", times + actor + "FOLLOW p\n"}, {"p", "# nothing\n"}}, "p: a path of 0 keys"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string text = told(c.files);
    CAPTURE(text);
    CHECK(text.find(c.text) != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE("animado script: includes are bounded in depth and number") {
  Files deep;
  for (int i = 0; i < 40; ++i) {
    deep[i == 0 ? "main.dat" : "f" + std::to_string(i)] = "INCLUDE f" + std::to_string(i + 1);
  }
  CHECK(told(deep).find("nested deeper than 16") != std::string::npos);
  // each file includes the next one ten times
  Files wide;
  for (int i = 0; i < 10; ++i) {
    std::string& text = wide[i == 0 ? "main.dat" : "f" + std::to_string(i)];
    for (int k = 0; k < 10; ++k) text += "INCLUDE f" + std::to_string(i + 1) + "\n";
  }
  wide["f10"] = "# the end\n";
  CHECK(told(wide).find("more than 4096 files") != std::string::npos);
}

TEST_CASE("animado script: values that depend on values without end are refused in time") {
  std::string text = std::string(times) + "a0 1\n";
  for (int i = 1; i < 300; ++i) {
    text +=
        "a" + std::to_string(i) + " a" + std::to_string(i - 1) + std::string(3000, ' ') + "+1\n";
  }
  for (int i = 0; i < 50; ++i) {
    text += "ACTOR b" + std::to_string(i) + "\nm a299\nradius 1\nsx a299\n";
  }
  CHECK(told(text).find("depend on too many others") != std::string::npos);
}

TEST_CASE("animado script: the ending says what it is, and parts of one are told apart") {
  CHECK(load_scene(SourceFile::given(script_path("colisao2.dat"))).bodies.size() == 2);
  CHECK(error_text([] {
          load_scene(SourceFile::given(script_path("colisao/cube.act")));
        }).find("a part of a script") != std::string::npos);
  CHECK(error_text([] { load_scene(SourceFile::given("missing.ani")); }) ==
        "missing.ani: no such file");
}
