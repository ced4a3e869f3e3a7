// Terrains of walkers: heights and slopes against formulas, meshes, what is refused.
#include "molejo/io/terrain.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "molejo/io/file.h"
#include "molejo/math/parallel.h"
#include "molejo/math/random.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using test::error_text;

namespace {

Terrain one(const std::string& text) {
  const std::vector<Terrain> all = parse_terrains(text, "t.terrain.json");
  REQUIRE(all.size() == 1);
  return all[0];
}

std::string refused(const std::string& text) {
  return error_text([&] { parse_terrains(text, "t.terrain.json"); });
}

std::string shipped(const char* name) {
  return test::source_dir() + "/scenes/terrains/" + name + ".terrain.json";
}

// Largest difference of slopes and central differences at random places.
double slope_error(const Terrain& t) {
  Random random(5);
  double most = 0;
  const double h = 1e-6;
  for (int i = 0; i < 500; ++i) {
    const double x = t.relief.x0 + (t.relief.x1 - t.relief.x0) * random.uniform();
    const double y = t.relief.y0 + (t.relief.y1 - t.relief.y0) * random.uniform();
    const motion::Elevation e = t.relief.at(x, y);
    const double dx = (t.relief.at(x + h, y).height - t.relief.at(x - h, y).height) / (2 * h);
    const double dy = (t.relief.at(x, y + h).height - t.relief.at(x, y - h).height) / (2 * h);
    most = std::max({most, std::fabs(e.slope_x - dx), std::fabs(e.slope_y - dy)});
  }
  return most;
}

}  // namespace

TEST_CASE("terrain: a formula is evaluated exactly, with its slopes") {
  const Terrain t =
      one(R"j({"elevation": "0.2*sin(x)*cos(2*y)", "from": [-3, -4], "to": [5, 6]})j");
  CHECK(t.relief.x0 == -3);
  CHECK(t.relief.y1 == 6);
  const motion::Elevation e = t.relief.at(0.7, 1.1);
  CHECK(e.height == doctest::Approx(0.2 * std::sin(0.7) * std::cos(2.2)).epsilon(1e-14));
  CHECK(e.slope_x == doctest::Approx(0.2 * std::cos(0.7) * std::cos(2.2)).epsilon(1e-14));
  CHECK(e.slope_y == doctest::Approx(-0.4 * std::sin(0.7) * std::sin(2.2)).epsilon(1e-14));
  CHECK(one(R"({"elevation": "3", "from": [0, 0], "to": [1, 1]})").relief.at(0, 0).height == 3);
}

TEST_CASE("terrain: many threads read one formula") {
  const Terrain t = one(R"j({"elevation": "sin(3*x)+x*y", "from": [0, 0], "to": [9, 9]})j");
  std::vector<double> alone(2000), together(2000);
  const auto height = [&](int i) { return t.relief.at(0.004 * i, 9 - 0.004 * i).height; };
  for (int i = 0; i < 2000; ++i) alone[static_cast<std::size_t>(i)] = height(i);
  parallel_for(2000, 4, [&](int i) { together[static_cast<std::size_t>(i)] = height(i); });
  CHECK(alone == together);
}

TEST_CASE("terrain: many formulas in one thread keep apart") {
  std::vector<Terrain> all;
  for (int i = 0; i < 80; ++i) {
    all.push_back(formula_terrain("x*0 + " + std::to_string(i), 5, "--terrain"));
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 80; ++i) {
      CHECK(all[static_cast<std::size_t>(i)].relief.at(1, 1).height == i);
    }
  }
}

TEST_CASE("terrain: slopes of noise and bumps are their derivatives") {
  const Terrain noise = one(
      R"({"noise": {"amplitude": 0.3, "feature": 1.5, "octaves": 3, "seed": 9}, "from": [0, 0], "to": [20, 20]})");
  CHECK(slope_error(noise) < 1e-7);
  const Terrain bumps = one(
      R"({"bumps": {"count": 50, "height": [-15, 80], "width": [3, 15], "seed": 130}, "from": [-100, -100], "to": [100, 100]})");
  CHECK(slope_error(bumps) < 1e-6);
}

TEST_CASE("terrain: one bump is a Gaussian of the given strength and width") {
  const Terrain t = one(
      R"({"bumps": {"count": 1, "height": [20, 20], "width": [4, 4], "seed": 1}, "from": [0, 0], "to": [1e-6, 1e-6]})");
  const double top = 20 / (4 * std::sqrt(2 * 3.141592653589793));
  CHECK(t.relief.at(0, 0).height == doctest::Approx(top).epsilon(1e-9));
  CHECK(t.relief.at(4, 0).height == doctest::Approx(top * std::exp(-0.5)).epsilon(1e-6));
}

TEST_CASE("terrain: a bump is a Gaussian to some units in the last place") {
  const Terrain t = one(
      R"({"bumps": {"count": 1, "height": [1, 1], "width": [1, 1], "seed": 1}, "from": [0, 0], "to": [1e-6, 1e-6]})");
  const auto height = [&](double x) { return t.relief.at(x, 0).height; };
  const double middle = 0.5 * std::log(height(1) / height(-1));
  CHECK(middle > 0);
  CHECK(middle < 1e-6);
  double worst = 0;
  for (int i = 1; i <= 1200; ++i) {
    const double x = 0.001 * i, from_middle = x - middle;
    const double expected =
        height(0) * std::exp(0.5 * (middle * middle - from_middle * from_middle));
    worst = std::max(worst, std::fabs(height(x) / expected - 1));
  }
  CHECK(worst < 1e-15);
}

TEST_CASE("terrain: bumps lie in their rectangle, as high and wide as they shall be") {
  const Terrain t = one(
      R"({"bumps": {"count": 200, "height": [20, 30], "width": [1, 2], "seed": 2}, "from": [-4, 6], "to": [6, 16]})");
  // 200 of a volume of s sigma sqrt(2 pi), two thirds or so of it within 10 m by 10 m
  double sum = 0, least = 1e9;
  int n = 0;
  for (double x = -3.9; x < 6; x += 0.2) {
    for (double y = 6.1; y < 16; y += 0.2) {
      const double h = t.relief.at(x, y).height;
      sum += h, least = std::min(least, h), ++n;
    }
  }
  const double mean = 200 * 25 * 1.5 * 2.5066 / 100;
  CHECK(sum / n > 0.6 * mean);
  CHECK(sum / n < 1.1 * mean);
  CHECK(least > 0);
}

TEST_CASE("terrain: seeds give other ground, the same seed the same") {
  const auto height = [](int seed) {
    return one(R"({"noise": {"amplitude": 1, "feature": 2, "seed": )" + std::to_string(seed) +
               R"(}, "from": [0, 0], "to": [9, 9]})")
        .relief.at(3.3, 4.4)
        .height;
  };
  CHECK(height(1) == height(1));
  CHECK(height(1) != height(2));
}

TEST_CASE("terrain: steps and ramps") {
  const Terrain t = one(R"({"steps": [{"length": 1}, {"count": 2, "length": 0.5, "rise": 0.15},
                                      {"length": 2, "slope_deg": 45}], "repeat": 2,
                            "from": [10, -1], "width": 4})");
  CHECK(t.relief.x0 == 10);
  CHECK(t.relief.x1 == doctest::Approx(18));
  CHECK(t.relief.y0 == -1);
  CHECK(t.relief.y1 == 3);
  CHECK(t.relief.at(10.9, 0).height == 0);
  CHECK(t.relief.at(11.1, 0).height == doctest::Approx(0.15));
  CHECK(t.relief.at(11.6, 0).height == doctest::Approx(0.3));
  CHECK(t.relief.at(13, 0).height == doctest::Approx(1.3));
  CHECK(t.relief.at(13, 0).slope_x == doctest::Approx(1));
  CHECK(t.relief.at(14.5, 0).height == doctest::Approx(2.3));
}

TEST_CASE("terrain: a grid is a map, with its first row at +y") {
  const Terrain t = one(R"({"grid": [[0, 1], [2, 3]], "size": [4, 2], "offset": [0, 0, 1]})");
  CHECK(t.relief.x0 == -2);
  CHECK(t.relief.at(-2, 1).height == 0);
  CHECK(t.relief.at(2, 1).height == 1);
  CHECK(t.relief.at(-2, -1).height == 2);
  CHECK(t.relief.at(2, -1).height == 3);
  const motion::Ground ground = ground_of({t});
  CHECK(ground.at(-2, 1)->height == 1);
}

TEST_CASE("terrain: an image, scaled and moved") {
  const std::vector<Terrain> all =
      parse_terrains(R"([{"image": "hills.png", "size": 10, "height": [1, 3], "scale": [2, 2, 3],
                          "offset": [5, 0, 0.5]}])",
                     SourceFile::given(test::source_dir() + "/scenes/x.terrain.json"));
  const motion::Ground ground = ground_of(all);
  CHECK(ground.at(-5, 10).has_value());
  CHECK_FALSE(ground.at(-5.01, 0).has_value());
  for (double x = -5; x <= 15; x += 0.7) {
    const double z = ground.at(x, 1)->height;
    CHECK(z >= 0.5 + 3 * 1);
    CHECK(z <= 0.5 + 3 * 3);
  }
}

TEST_CASE("terrain: the mesh lies on h, faces up, and stands upright at steps") {
  for (const char* name : {"flat", "hills", "steps", "ramp", "rough"}) {
    CAPTURE(name);
    const std::vector<Terrain> all = load_terrains(SourceFile::given(shipped(name)));
    const motion::Ground ground = ground_of(all);
    const TerrainMesh mesh = terrain_mesh(all[0]);
    REQUIRE(mesh.points.size() == mesh.normals.size());
    CHECK(mesh.points.size() < 100'000);
    double off = 0;
    for (const Vec3& p : mesh.points) {
      // before and behind a jump
      double nearest = 1e9;
      for (const double x : {p.x, p.x - 1e-6, p.x + 1e-6}) {
        if (const auto g = ground.at(x, p.y))
          nearest = std::min(nearest, std::fabs(g->height - p.z));
      }
      off = std::max(off, nearest);
    }
    CHECK(off < 1e-6);
    int walls = 0;
    for (const auto& t : mesh.triangles) {
      const Vec3 n =
          cross(mesh.points[t[1]] - mesh.points[t[0]], mesh.points[t[2]] - mesh.points[t[0]]);
      REQUIRE(norm(n) > 0);
      const double along = dot(normalized(n), mesh.normals[t[0]]);
      REQUIRE(along > (std::string(name) == "steps" ? 0.999999 : 0.5));
      walls += std::fabs(n.z) < 1e-12;
    }
    CHECK((walls > 0) == (std::string(name) == "steps"));
  }
}

TEST_CASE("terrain: what is shipped is as high and as steep as it says") {
  const auto extremes = [](const char* name) {
    const motion::Ground ground = ground_of(load_terrains(SourceFile::given(shipped(name))));
    std::array<double, 4> e{1e9, -1e9, 0, 0};  // lowest, highest, steepest, mean square
    int n = 0;
    for (double x = 0; x <= 40; x += 0.093) {
      for (double y = -5; y <= 5; y += 0.093, ++n) {
        const auto g = ground.at(x, y);
        REQUIRE(g.has_value());
        e[0] = std::min(e[0], g->height), e[1] = std::max(e[1], g->height);
        e[2] = std::max(e[2], std::hypot(g->normal.x, g->normal.y) / g->normal.z);
        e[3] += g->height * g->height;
      }
    }
    e[3] = std::sqrt(e[3] / n);
    return e;
  };
  const auto hills = extremes("hills");
  CHECK(hills[0] == doctest::Approx(-0.25).epsilon(0.01));
  CHECK(hills[1] == doctest::Approx(0.25).epsilon(0.01));
  CHECK(hills[2] == doctest::Approx(0.25 * 2 * 3.14159265 / 6).epsilon(0.01));
  const auto steps = extremes("steps");
  CHECK(steps[0] == doctest::Approx(0).scale(1));
  CHECK(steps[1] == doctest::Approx(0.9));
  const auto ramp = extremes("ramp");
  CHECK(ramp[1] == doctest::Approx(4 * std::tan(20 * 3.141592653589793 / 180)).epsilon(1e-3));
  CHECK(ramp[2] == doctest::Approx(std::tan(20 * 3.141592653589793 / 180)));
  const auto rough = extremes("rough");
  MESSAGE("rough: " << rough[0] << " .. " << rough[1] << " m, slope " << rough[2] << ", rms "
                    << rough[3]);
  CHECK(rough[1] > 0.07);
  CHECK(rough[1] < 0.10);
  CHECK(rough[0] < -0.07);
  CHECK(rough[0] > -0.10);
}

TEST_CASE("terrain: what is wrong is told with its place") {
  CHECK(refused("{}") ==
        "t.terrain.json:1: /: {}: expected elevation, noise, bumps, steps, grid or image");
  CHECK(refused(R"({"elevation": "z", "from": [0, 0], "to": [1, 1]})").find("/elevation") !=
        std::string::npos);
  CHECK(refused(R"({"elevation": "1/x", "from": [0, 0], "to": [1, 1]})").find("no finite value") !=
        std::string::npos);
  CHECK(refused(R"({"elevation": "x", "from": [0, 0], "to": [0, 1]})").find("/to") !=
        std::string::npos);
  CHECK(refused(R"({"elevation": "x", "from": [0, 0], "to": [1, 1], "heading_deg": 20})")
            .find("/heading_deg: 20: terrains are not turned") != std::string::npos);
  CHECK(refused(R"({"elevation": "x", "from": [0, 0], "to": [1, 1], "scale": 0})").find("/scale") !=
        std::string::npos);
  CHECK(refused(R"({"elevation": "x", "from": [0, 0], "to": [1, 1], "size": 3})")
            .find("/size: 3: does not belong to 'elevation'") != std::string::npos);
  CHECK(refused(R"({"steps": [{"length": 1, "count": 20000}], "from": [0, 0], "width": 1})")
            .find("/steps/0/count") != std::string::npos);
  CHECK(refused(
            R"({"steps": [{"length": 1, "count": 9000}], "repeat": 3, "from": [0, 0], "width": 1})")
            .find("more than 10000 pieces") != std::string::npos);
  CHECK(refused(R"({"steps": [{"length": 9e4, "count": 9}], "from": [0, 0], "width": 1})")
            .find("goes farther") != std::string::npos);
  CHECK(refused(R"({"grid": [[0, 1], [2]], "size": 1})").find("/grid/1") != std::string::npos);
  CHECK(
      refused(
          R"({"bumps": {"count": 1, "height": [2, 1], "width": [1, 2]}, "from": [0, 0], "to": [1, 1]})")
          .find("/bumps/height/1") != std::string::npos);
  CHECK(refused(R"({"elevatoin": "x"})").find("did you mean 'elevation'") != std::string::npos);
  CHECK(refused("[]").find("expected one terrain or more") != std::string::npos);
}

TEST_CASE("terrain: a file that names itself is refused") {
  const std::string path = test::binary_dir() + "/self.terrain.json";
  write_file(path, R"(["self.terrain.json"])");
  CHECK(error_text([&] { load_terrains(SourceFile::given(path)); }).find("too deeply") !=
        std::string::npos);
}
