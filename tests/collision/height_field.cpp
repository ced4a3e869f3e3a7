// Solids on height fields: against planes where the field is flat, closed forms where it is not.
#include <doctest/doctest.h>

#include <functional>
#include <numbers>

#include "tests/collision/touch_solids.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Points = std::vector<ContactPoint>;
using Height = std::function<double(double, double)>;
constexpr double pi = std::numbers::pi;

HeightField field_of(int columns, int rows, double dx, double dy, const Height& height) {
  HeightField f{columns, rows, dx, dy, {}};
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      f.heights.push_back(height((i - 0.5 * (columns - 1)) * dx, (j - 0.5 * (rows - 1)) * dy));
    }
  }
  return f;
}

// z of the surface, by the diagonal of each cell.
double surface(const HeightField& f, double x, double y) {
  const double u = x / f.dx + 0.5 * (f.columns - 1), v = y / f.dy + 0.5 * (f.rows - 1);
  const int i = std::min(static_cast<int>(u), f.columns - 2);
  const int j = std::min(static_cast<int>(v), f.rows - 2);
  const auto h = [&](int a, int b) {
    return f.heights[static_cast<std::size_t>(b * f.columns + a)];
  };
  const double s = u - i, t = v - j;
  return s >= t ? h(i, j) + s * (h(i + 1, j) - h(i, j)) + t * (h(i + 1, j + 1) - h(i + 1, j))
                : h(i, j) + t * (h(i, j + 1) - h(i, j)) + s * (h(i + 1, j + 1) - h(i, j + 1));
}

struct Ground {
  HeightField field;
  TouchShape shape;
  explicit Ground(HeightField f) : field(std::move(f)) {
    shape.kind = TouchShape::Kind::height_field;
    shape.field = &field;
  }
  Ground(const Ground&) = delete;
};

Points meet(const TouchShape& a, const Pose& X_WA, const TouchShape& b, double margin,
            const Pose& X_WB = {}) {
  Points points;
  ManifoldCache cache;
  touch(a, X_WA, b, X_WB, margin, cache, points);
  return points;
}

Pose upright(const Vec3& p) { return {Mat3::identity(), p}; }

double least_gap(const Points& points) {
  double gap = 1e300;
  for (const ContactPoint& p : points) gap = std::min(gap, p.gap);
  return gap;
}

}  // namespace

TEST_CASE("height field: a sphere that slides over flat cells feels one upright normal") {
  TouchSolids solid;
  const Ground flat(field_of(41, 31, 0.1, 0.15, [](double, double) { return 0.7; }));
  const TouchShape sphere = solid(Sphere{0.3});
  for (int n = 0; n <= 2000; ++n) {
    // along a line that passes through points, edges and diagonals
    const Vec3 p{-1.5 + 0.0015 * n, -1.5 + 0.0015 * n * 0.75, 0.7 + 0.299};
    const Points points = meet(sphere, upright(p), flat.shape, 0.01);
    REQUIRE(points.size() == 1);
    REQUIRE(points[0].normal == Vec3{0, 0, 1});
    REQUIRE(std::fabs(points[0].gap + 0.001) < 1e-15);
    REQUIRE(points[0].feature == 0);
    REQUIRE(max_abs(points[0].p - Vec3{p.x, p.y, 0.6995}) < 1e-15);
  }
}

TEST_CASE("height field: on a flat field all solids touch as on a plane") {
  TouchSolids solid;
  const Ground flat(field_of(64, 64, 0.13, 0.11, [](double, double) { return 0.0; }));
  TouchShape plane;
  plane.kind = TouchShape::Kind::plane;
  std::mt19937 random(21);
  const std::vector<TouchShape> shapes = {
      solid(Sphere{0.3}), solid(Capsule{0.1, 0.4}), solid(Box{{0.4, 0.3, 0.2}}),
      solid(Cylinder{0.3, 0.2}),
      solid(convex_hull(std::vector<Vec3>{
          {0.4, 0, 0}, {-0.3, 0.3, 0}, {-0.3, -0.3, 0}, {0, 0, 0.5}, {0, 0, -0.2}}))};
  const Pose X_WG{random_rotation(random), {1, 2, 3}};
  int contacts = 0;
  for (int n = 0; n < 5000; ++n) {
    const TouchShape& a = shapes[static_cast<std::size_t>(n) % shapes.size()];
    Pose X{random_rotation(random), random_vector(random)};
    X.p.z *= 0.4;
    const Points on_plane = meet(a, X_WG * X, plane, 0.02, X_WG);
    const Points on_field = meet(a, X_WG * X, flat.shape, 0.02, X_WG);
    CAPTURE(n);
    REQUIRE(on_plane.empty() == on_field.empty());
    if (on_plane.empty()) continue;
    ++contacts;
    REQUIRE(std::fabs(least_gap(on_plane) - least_gap(on_field)) < 1e-14);
    // of a polyhedron in the ground the plane keeps other vertices
    if (a.convex.core == Core::polyhedron && least_gap(on_plane) < -0.05) continue;
    for (const ContactPoint& p : on_plane) {
      double nearest = 1e300;
      bool named = false;
      for (const ContactPoint& q : on_field) {
        nearest = std::min(nearest, max_abs(p.p - q.p));
        named = named || (q.feature == p.feature && max_abs(p.p - q.p) < 1e-14);
        REQUIRE(max_abs(q.normal - X_WG.R.column(2)) < 1e-14);
      }
      REQUIRE(nearest < 1e-14);
      REQUIRE(named);
    }
  }
  CHECK(contacts > 2000);
}

TEST_CASE("height field: a sphere in a valley touches both sides") {
  TouchSolids solid;
  const double slope = std::tan(pi / 6);
  const Ground valley(
      field_of(11, 5, 0.4, 0.5, [&](double x, double) { return slope * std::fabs(x); }));
  // the centre is r / cos(30 deg) above the bottom
  const double r = 0.3;
  for (const double sunk : {-0.004, 0.0, 0.004}) {
    const Points points = meet(solid(Sphere{r}), upright({0, 0.07, (r - sunk) / std::cos(pi / 6)}),
                               valley.shape, 0.01);
    REQUIRE(points.size() == 2);
    for (const ContactPoint& p : points) {
      CHECK(p.gap == doctest::Approx(-sunk).epsilon(1e-12));
      CHECK(std::fabs(std::fabs(p.normal.x) - 0.5) < 1e-14);
      CHECK(std::fabs(p.normal.y) < 1e-15);
      CHECK(std::fabs(p.normal.z - std::cos(pi / 6)) < 1e-14);
    }
    CHECK(points[0].normal.x * points[1].normal.x < 0);
    CHECK(points[0].feature != points[1].feature);
  }
}

TEST_CASE("height field: the normal of a sphere on a ridge stays between those of its sides") {
  TouchSolids solid;
  const Ground ridge(field_of(9, 9, 0.5, 0.5, [](double x, double) { return -std::fabs(x); }));
  const double r = 0.2;
  for (double angle = -1.5; angle <= 1.5; angle += 0.05) {
    // around the ridge line at distance r + 1 mm
    const Vec3 d{std::sin(angle), 0, std::cos(angle)};
    const Points points =
        meet(solid(Sphere{r}), upright(d * (r + 0.001) + Vec3{0, 0.1, 0}), ridge.shape, 0.05);
    if (std::fabs(angle) < pi / 4) {
      REQUIRE(points.size() == 1);
      CHECK(max_abs(points[0].normal - d) < 1e-14);
      CHECK(points[0].gap == doctest::Approx(0.001).epsilon(1e-10));
    } else {
      for (const ContactPoint& p : points)
        CHECK(std::fabs(p.normal.x) == doctest::Approx(std::sqrt(0.5)));
    }
  }
}

TEST_CASE(
    "height field: a box rests on a peak, and on a ridge, that meets the middle of its face") {
  TouchSolids solid;
  const TouchShape box = solid(Box{{0.4, 0.4, 0.1}});
  const Ground peak(
      field_of(5, 5, 1, 1, [](double x, double y) { return x == 0 && y == 0 ? 0.5 : 0.0; }));
  for (const double gap : {-0.01, 0.003}) {
    const Points on_peak = meet(box, upright({0.1, -0.2, 0.6 + gap}), peak.shape, 0.01);
    REQUIRE(on_peak.size() == 1);
    CHECK(on_peak[0].gap == doctest::Approx(gap).epsilon(1e-10));
    CHECK(max_abs(on_peak[0].normal - Vec3{0, 0, 1}) < 1e-15);
    CHECK(max_abs(on_peak[0].p - Vec3{0, 0, 0.5 + gap / 2}) < 1e-14);
  }
  // tilted, the face of the box gives the normal
  const Mat3 R = axis_rotation({1, 0, 0}, 0.2);
  const Points tilted = meet(box, {R, Vec3{0, 0, 0.5} + R.column(2) * 0.095}, peak.shape, 0.01);
  REQUIRE(tilted.size() == 1);
  CHECK(max_abs(tilted[0].normal - R.column(2)) < 1e-15);
  CHECK(tilted[0].gap == doctest::Approx(-0.005));

  const Ground ridge(field_of(5, 5, 1, 1, [](double x, double) { return x == 0 ? 0.5 : 0.0; }));
  const Points on_ridge = meet(box, upright({0.1, 0.5, 0.599}), ridge.shape, 0.01);
  double least = 1e9, most = -1e9;
  for (const ContactPoint& p : on_ridge) {
    CHECK(p.gap == doctest::Approx(-0.001));
    CHECK(max_abs(p.normal - Vec3{0, 0, 1}) < 1e-14);
    CHECK(std::fabs(p.p.x) < 1e-15);
    least = std::min(least, p.p.y), most = std::max(most, p.p.y);
  }
  CHECK(least == doctest::Approx(0.1));
  CHECK(most == doctest::Approx(0.9));
}

TEST_CASE("height field: a capsule and a cylinder across a ridge touch it") {
  TouchSolids solid;
  const Ground ridge(field_of(9, 9, 0.5, 0.5, [](double x, double) { return -std::fabs(x); }));
  const Mat3 along_x = axis_rotation({0, 1, 0}, pi / 2);
  for (const double gap : {-0.06, -0.005, 0.003}) {
    // -0.06: the core of the capsule is below the ridge
    const Points capsule =
        meet(solid(Capsule{0.05, 0.3}), {along_x, {0.05, 0.1, 0.05 + gap}}, ridge.shape, 0.01);
    CAPTURE(gap);
    REQUIRE(capsule.size() == 1);
    CHECK(capsule[0].gap == doctest::Approx(gap).epsilon(1e-10));
    CHECK(max_abs(capsule[0].normal - Vec3{0, 0, 1}) < 1e-14);
    CHECK(max_abs(capsule[0].p - Vec3{0, 0.1, gap / 2}) < 1e-14);
  }
  const Points lying =
      meet(solid(Cylinder{0.05, 0.3}), {along_x, {0.05, 0.1, 0.045}}, ridge.shape, 0.01);
  REQUIRE(lying.size() == 1);
  CHECK(lying[0].gap == doctest::Approx(-0.005));
  CHECK(max_abs(lying[0].normal - Vec3{0, 0, 1}) < 1e-6);
  // standing on the ridge with its cap: a line of contact
  const Points standing =
      meet(solid(Cylinder{0.1, 0.3}), upright({0, 0.1, 0.299}), ridge.shape, 0.01);
  REQUIRE(standing.size() >= 2);
  double least = 1e9, most = -1e9;
  for (const ContactPoint& p : standing) {
    CHECK(p.gap == doctest::Approx(-0.001));
    CHECK(max_abs(p.normal - Vec3{0, 0, 1}) < 1e-9);
    least = std::min(least, p.p.y), most = std::max(most, p.p.y);
  }
  CHECK(most - least > 0.19);
}

TEST_CASE("height field: what is below the ground is pushed up, however deep") {
  TouchSolids solid;
  const Ground hills(field_of(41, 41, 0.25, 0.25, [](double x, double y) {
    return 0.3 * std::sin(2 * x) * std::cos(1.5 * y);
  }));
  std::mt19937 random(22);
  for (int n = 0; n < 2000; ++n) {
    Vec3 p = random_vector(random) * 2.0;
    const double depth = std::pow(10.0, -4 + 5 * std::fabs(random_vector(random).x));
    p.z = surface(hills.field, p.x, p.y) - depth;
    const Points points = meet(solid(Sphere{0.1}), upright(p), hills.shape, 0.01);
    REQUIRE(!points.empty());
    double down = 0;
    for (const ContactPoint& c : points) {
      REQUIRE(c.normal.z > 0.5);
      down = std::min(down, c.gap);
    }
    REQUIRE(down <= -0.1 - 0.5 * depth);
    REQUIRE(down >= -0.1 - depth - 1e-12);
  }
}

TEST_CASE("height field: the gap of spheres on hills is the distance to the nearest triangle") {
  TouchSolids solid;
  const Ground hills(field_of(25, 25, 0.25, 0.25, [](double x, double y) {
    return 0.4 * std::sin(3 * x) * std::cos(2 * y);
  }));
  std::mt19937 random(23);
  const HeightField& f = hills.field;
  const auto vertex = [&](int i, int j) {
    return Vec3{(i - 12) * 0.25, (j - 12) * 0.25, f.heights[static_cast<std::size_t>(j * 25 + i)]};
  };
  for (int n = 0; n < 3000; ++n) {
    Vec3 p = random_vector(random) * 2.0;
    p.z = surface(f, p.x, p.y) + 0.3 * std::fabs(random_vector(random).z);
    double exact = 1e300;
    for (int j = 0; j < 24; ++j) {
      for (int i = 0; i < 24; ++i) {
        if (norm(vertex(i, j) - p) > 1.5) continue;
        for (const Vec3& side : {vertex(i + 1, j), vertex(i, j + 1)}) {
          const Convex t = convex_triangle(vertex(i, j), side, vertex(i + 1, j + 1));
          exact = std::min(exact, separation(Convex{}, upright(p), t, {}).distance);
        }
      }
    }
    const Points points = meet(solid(Sphere{0.15}), upright(p), hills.shape, 0.05);
    CAPTURE(n);
    if (exact - 0.15 >= 0.05) {
      REQUIRE(points.empty());
    } else {
      REQUIRE(!points.empty());
      REQUIRE(std::fabs(least_gap(points) - (exact - 0.15)) < 1e-12);
      REQUIRE(points.size() <= 8);
    }
  }
}

TEST_CASE("height field: the gap of solids above hills is the distance to the nearest triangle") {
  TouchSolids solid;
  const Ground hills(field_of(17, 17, 0.25, 0.25, [](double x, double y) {
    return 0.4 * std::sin(3 * x) * std::cos(2 * y);
  }));
  std::mt19937 random(24);
  const HeightField& f = hills.field;
  const auto vertex = [&](int i, int j) {
    return Vec3{(i - 8) * 0.25, (j - 8) * 0.25, f.heights[static_cast<std::size_t>(j * 17 + i)]};
  };
  const std::vector<TouchShape> shapes = {
      solid(Box{{0.3, 0.2, 0.1}}), solid(Capsule{0.1, 0.3}), solid(Cylinder{0.15, 0.2}),
      solid(convex_hull(std::vector<Vec3>{
          {0.3, 0, 0}, {-0.2, 0.3, 0}, {-0.2, -0.3, 0.1}, {0, 0, 0.3}, {0.1, 0, -0.2}}))};
  int contacts = 0;
  for (int n = 0; n < 1500; ++n) {
    const TouchShape& a = shapes[static_cast<std::size_t>(n) % shapes.size()];
    Pose X{random_rotation(random), random_vector(random)};
    const auto exact_distance = [&] {
      double exact = 1e300;
      for (int j = 0; j < 16; ++j) {
        for (int i = 0; i < 16; ++i) {
          if (norm(vertex(i, j) - X.p) > 1.2) continue;
          for (const Vec3& side : {vertex(i + 1, j), vertex(i, j + 1)}) {
            const Convex t = convex_triangle(vertex(i, j), side, vertex(i + 1, j + 1));
            exact = std::min(exact, separation(a.convex, X, t, {}).distance);
          }
        }
      }
      return exact;
    };
    X.p.z = 1.2;
    // down to 5 mm above the ground
    for (int k = 0; k < 60; ++k) {
      const double d = exact_distance();
      if (d < 0.0051) break;
      X.p.z -= d - 0.005;
    }
    const double exact = exact_distance();
    if (exact > 0.01 || exact < 0.002) continue;
    const Points points = meet(a, X, hills.shape, 0.02);
    CAPTURE(n);
    ++contacts;
    REQUIRE(!points.empty());
    REQUIRE(points.size() <= 8);
    REQUIRE(std::fabs(least_gap(points) - exact) < 1e-8);
  }
  CHECK(contacts > 1000);
}

TEST_CASE("height field: a box that slides over flat cells keeps its corners and normals") {
  TouchSolids solid;
  const Ground flat(field_of(41, 41, 0.1, 0.1, [](double, double) { return 0.0; }));
  const TouchShape box = solid(Box{{0.25, 0.15, 0.1}});
  const Mat3 R = axis_rotation({0, 0, 1}, 0.3);
  for (int n = 0; n <= 1000; ++n) {
    const Points points = meet(box, {R, {-1 + 0.002 * n, -1 + 0.002 * n, 0.099}}, flat.shape, 0.01);
    REQUIRE(points.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) {
      REQUIRE(points[k].feature == k);
      REQUIRE(points[k].normal == Vec3{0, 0, 1});
      REQUIRE(std::fabs(points[k].gap + 0.001) < 1e-15);
    }
  }
}

TEST_CASE("height field: there is no ground outside the grid, and its border holds a box") {
  TouchSolids solid;
  const Ground flat(field_of(11, 11, 0.2, 0.2, [](double, double) { return 0.0; }));
  const TouchShape sphere = solid(Sphere{0.1}), box = solid(Box{{0.3, 0.3, 0.1}});
  CHECK(meet(sphere, upright({1.2, 0, 0.09}), flat.shape, 0.01).empty());
  CHECK(meet(sphere, upright({0, -5, -3}), flat.shape, 0.01).empty());
  CHECK(meet(sphere, upright({1.0, 0, 0.09}), flat.shape, 0.01).size() == 1);
  // half of the box hangs over: its inner corners, and where its sides pass the border
  const Points over = meet(box, upright({1.0, 0.03, 0.099}), flat.shape, 0.01);
  double least = 1e9, most = -1e9;
  for (const ContactPoint& p : over) {
    CHECK(p.normal == Vec3{0, 0, 1});
    CHECK(p.gap == doctest::Approx(-0.001));
    least = std::min(least, p.p.x), most = std::max(most, p.p.x);
  }
  CHECK(least == doctest::Approx(0.7));
  CHECK(most == doctest::Approx(1.0));
}

TEST_CASE("height field: a corner in a valley is held by both of its sides") {
  TouchSolids solid;
  const Ground valley(
      field_of(11, 5, 0.4, 0.5, [](double x, double) { return 0.3 * std::fabs(x); }));
  // a cube on its corner, which is a little below the bottom, and a little beside it
  const Vec3 diagonal = normalized(Vec3{1, 1, 1});
  const Mat3 R = axis_rotation(normalized(cross(diagonal, Vec3{0, 0, 1})), std::acos(diagonal.z));
  for (const double x : {-0.0004, 0.0, 0.0003}) {
    const Pose X{R, {x, 0.03, 0.1 * std::sqrt(3.0) - 0.001}};
    REQUIRE(max_abs(X * Vec3{-0.1, -0.1, -0.1} - Vec3{x, 0.03, -0.001}) < 1e-15);
    const Points points = meet(solid(Box{{0.1, 0.1, 0.1}}), X, valley.shape, 0.005);
    REQUIRE(points.size() == 2);
    for (const ContactPoint& p : points) {
      const double side = p.normal.x > 0 ? -1 : 1;  // of the valley
      CHECK(max_abs(p.normal - normalized(Vec3{-0.3 * side, 0, 1})) < 1e-15);
      CHECK(p.gap == doctest::Approx((-0.001 - 0.3 * side * x) / std::sqrt(1.09)));
    }
    CHECK(points[0].normal.x * points[1].normal.x < 0);
  }
}
