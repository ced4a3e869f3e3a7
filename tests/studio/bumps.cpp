// What is sculpted onto a ground: its height and slopes.
#include "molejo/studio/bumps.h"

#include <doctest/doctest.h>

#include "molejo/math/random.h"

using namespace molejo;

TEST_CASE("bumps: slopes are those of the heights") {
  Bumps bumps;
  bumps.add({.x = 0, .y = 0, .radius = 2, .height = 0.5});
  bumps.add({.x = 1.5, .y = -0.5, .radius = 1, .height = -0.3});
  CHECK(bumps.at(0, 0).height == doctest::Approx(0.5));
  Random random(3);
  constexpr double h = 1e-6;
  int on_both = 0;
  for (int i = 0; i < 200; ++i) {
    const double x = 6 * random.uniform() - 3, y = 6 * random.uniform() - 3;
    const motion::Elevation here = bumps.at(x, y);
    const double along_x = (bumps.at(x + h, y).height - bumps.at(x - h, y).height) / (2 * h);
    const double along_y = (bumps.at(x, y + h).height - bumps.at(x, y - h).height) / (2 * h);
    CHECK(here.slope_x == doctest::Approx(along_x).epsilon(1e-6).scale(1));
    CHECK(here.slope_y == doctest::Approx(along_y).epsilon(1e-6).scale(1));
    on_both += here.slope_x != 0 && here.slope_y != 0 ? 1 : 0;
  }
  CHECK(on_both > 40);
}
