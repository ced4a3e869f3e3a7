// Heights and normals of placed terrains.
#include "molejo/motion/ground.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace molejo;
using namespace molejo::motion;

TEST_CASE("ground: a placed and scaled formula has the exact height and normal") {
  Ground ground;
  ground.add(formula_relief(-5, 5, -5, 5, [](double x, double y) { return std::sin(x) + 0.5 * y; }),
             {10, 20, 3}, {2, 4, 0.5});
  const double x = 11.3, y = 18.4, u = (x - 10) / 2, v = (y - 20) / 4;
  const auto p = ground.at(x, y);
  REQUIRE(p);
  CHECK(std::fabs(p->height - (3 + 0.5 * (std::sin(u) + 0.5 * v))) < 1e-14);
  const Vec3 n = normalized(Vec3{-0.5 / 2 * std::cos(u), -0.5 / 4 * 0.5, 1});
  CHECK(norm(p->normal - n) < 1e-9);
}

TEST_CASE("ground: the highest of several terrains counts, and outside of all there is none") {
  Ground ground;
  ground.add(formula_relief(0, 10, 0, 10, [](double, double) { return 1.0; }));
  ground.add(formula_relief(5, 15, 0, 10, [](double x, double) { return 0.1 * x; }), {0, 0, 0.25});
  CHECK(ground.at(2, 5)->terrain == 0);
  CHECK(ground.at(6, 5)->terrain == 0);
  CHECK(ground.at(8, 5)->terrain == 1);
  CHECK(std::fabs(ground.at(8, 5)->height - 1.05) < 1e-14);
  CHECK(ground.at(14, 5)->terrain == 1);
  CHECK(!ground.at(16, 5));
  CHECK(!ground.at(2, -0.1));
}

TEST_CASE("ground: steps jump where they begin and ramps climb evenly") {
  const Relief stairs =
      piecewise_relief(0, -1, 1, {{2}, {1, 0.2}, {1, 0.2}, {2, 0, 0.5}, {1, -0.4}});
  Ground ground;
  ground.add(stairs);
  const auto z = [&](double x) { return ground.at(x, 0)->height; };
  CHECK(z(1.999) == 0);
  CHECK(std::fabs(z(2) - 0.2) < 1e-14);
  CHECK(std::fabs(z(3.5) - 0.4) < 1e-14);
  CHECK(std::fabs(z(5) - 0.65) < 1e-14);
  CHECK(std::fabs(z(6.5) - 0.5) < 1e-14);
  CHECK(norm(ground.at(4.5, 0)->normal - normalized(Vec3{-0.25, 0, 1})) < 1e-14);
  CHECK(!ground.at(7.1, 0));
}

TEST_CASE(
    "ground: a grid is its triangles: exact at points, plane within, along the diagonal of cells") {
  HeightField field{.columns = 3, .rows = 2, .dx = 2, .dy = 1, .heights = {0, 1, 4, 2, 3, 8}};
  Ground ground;
  ground.add(grid_relief(field));
  CHECK(ground.at(-2, -0.5)->height == 0);
  CHECK(ground.at(2, 0.5)->height == 8);
  CHECK(ground.at(0, -0.5)->height == 1);
  // the middle of the second cell lies on its diagonal from (0, -0.5) to (2, 0.5)
  CHECK(std::fabs(ground.at(1, 0)->height - (1 + 8) / 2.0) < 1e-14);
  // slopes of the triangle at the corner of larger x: 3 over 2, and 4 over 1
  CHECK(norm(ground.at(1.5, -0.4)->normal - normalized(Vec3{-1.5, -4, 1})) < 1e-14);
}
