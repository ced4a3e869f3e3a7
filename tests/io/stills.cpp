#include "molejo/io/stills.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/model/scene.h"
#include "molejo/physics/world.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// A ball that falls past a fixed one.
Scene two_balls() {
  Scene scene;
  for (const char* name : {"fixed", "falling"}) {
    SceneBody body;
    body.name = name;
    body.immobile = body.name == "fixed";
    body.X_WB.p = {body.immobile ? 0.0 : 1.0, 0, 1};
    body.shapes.push_back({Sphere{0.1}, {}, {1, 0, 0, 1}});
    scene.bodies.push_back(body);
  }
  scene.camera = {{0.5, -5, 0}, {0.5, 0, 0}, 40};
  scene.settings.duration = 0.5;
  return scene;
}

}  // namespace

TEST_CASE("stills: what moves is drawn in every still, what stands once, all inside the frame") {
  const Scene scene = two_balls();
  const Built built = build(scene);
  const Recording recording = simulate(built, scene.settings);
  const std::string svg = stills(scene, built.model, recording,
                                 {.x = 10, .y = 20, .width = 300, .height = 200, .stills = 5});
  CHECK(count(svg, "<polygon") == 1 + 5);
  CHECK(count(svg, "opacity=\"1.00\"") == 2);  // the fixed ball and the last still
  CHECK(count(svg, "opacity=\"0.12\"") == 1);

  // coordinates stay within the margins
  for (std::size_t at = svg.find("points=\""); at != std::string::npos;
       at = svg.find("points=\"", at + 1)) {
    double x = 0, y = 0;
    REQUIRE(std::sscanf(svg.c_str() + at + 8, "%lf,%lf", &x, &y) == 2);
    CHECK((x >= 10 && x <= 310 && y >= 20 && y <= 220));
  }
}

TEST_CASE("stills: nothing to draw is no group") {
  CHECK(stills(two_balls(), build(two_balls()).model, {}, {}).empty());
  Scene scene = two_balls();
  for (SceneBody& body : scene.bodies) {
    body.given = MassProperties{1, {}, Sym3::diagonal(1, 1, 1)};
    body.shapes.clear();
  }
  const Built built = build(scene);
  CHECK(stills(scene, built.model, simulate(built, scene.settings), {}).empty());
}

TEST_CASE("stills: of a plane seen from above, the part below all that is drawn") {
  Scene scene = two_balls();
  const auto picture = [&] {
    const Built built = build(scene);
    return stills(scene, built.model, simulate(built, scene.settings),
                  {.x = 10, .y = 20, .width = 300, .height = 200, .stills = 5});
  };
  const std::size_t balls = count(picture(), "<polygon");
  SceneBody floor;
  floor.name = "floor";
  floor.immobile = true;
  floor.X_WB.p = {0, 0, -1};  // below what falls: nothing touches it
  floor.shapes.push_back({Plane{}, {}, {0.25, 0.5, 0.75, 1}});
  scene.bodies.push_back(floor);

  // one polygon, the first one, inside the frame
  scene.camera = {{0, -30, 30}, {0, 0, 0}};
  const std::string above = picture();
  CHECK(count(above, "<polygon") == balls + 1);
  const std::size_t at = above.find("<polygon points=\"");
  REQUIRE(at != std::string::npos);
  double x[4], y[4];
  REQUIRE(std::sscanf(above.c_str() + at + 17, "%lf,%lf %lf,%lf %lf,%lf %lf,%lf\"", &x[0], &y[0],
                      &x[1], &y[1], &x[2], &y[2], &x[3], &y[3]) == 8);
  for (int i = 0; i < 4; ++i) CHECK((x[i] >= 10 && x[i] <= 310 && y[i] >= 20 && y[i] <= 220));
  CHECK(above.find("\" fill", at) < above.find("<polygon", at + 1));
  // as wide as what moves and a tenth around it: the balls stay over it
  CHECK(x[1] - x[0] > 20);

  // from the side it has some thickness: a band as wide, below the balls
  scene.camera = {{0, -30, 0}, {0, 0, 0}};
  const std::string beside = picture();
  CHECK(count(beside, "<polygon") == balls + 1);
  const std::size_t band = beside.find("<polygon points=\"");
  REQUIRE(std::sscanf(beside.c_str() + band + 17, "%lf,%lf %lf,%lf %lf,%lf %lf,%lf\"", &x[0], &y[0],
                      &x[1], &y[1], &x[2], &y[2], &x[3], &y[3]) == 8);
  CHECK(*std::max_element(x, x + 4) - *std::min_element(x, x + 4) > 20);
  const double thickness = *std::max_element(y, y + 4) - *std::min_element(y, y + 4);
  CHECK(thickness > 1);
  CHECK(thickness < 10);

  // from below or without a color there is nothing to see
  scene.camera = {{0, -30, -90}, {0, 0, 0}};
  CHECK(count(picture(), "<polygon") == balls);
  scene.camera = {{0, -30, 30}, {0, 0, 0}};
  scene.bodies.back().shapes[0].color.a = 0;
  CHECK(count(picture(), "<polygon") == balls);
}
