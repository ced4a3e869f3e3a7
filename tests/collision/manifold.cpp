// Manifolds whose points are known: faces, edges and corners that meet, degenerate ones included.
#include "molejo/collision/manifold.h"

#include <doctest/doctest.h>

#include <numbers>
#include <set>

#include "tests/collision/touch_solids.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Points = std::vector<ContactPoint>;
constexpr double pi = std::numbers::pi;

Pose at(const Vec3& p) { return {Mat3::identity(), p}; }

Points meet(const TouchShape& a, const Pose& X_WA, const TouchShape& b, const Pose& X_WB,
            double margin = 0.01) {
  Points points;
  ManifoldCache cache;
  touch(a, X_WA, b, X_WB, margin, cache, points);
  return points;
}

// Area of the convex hull of points in a horizontal plane.
double covered_area(Points points) {
  Vec3 middle;
  for (const ContactPoint& p : points) middle += p.p / static_cast<double>(points.size());
  std::sort(points.begin(), points.end(), [&](const ContactPoint& p, const ContactPoint& q) {
    return std::atan2(p.p.y - middle.y, p.p.x - middle.x) <
           std::atan2(q.p.y - middle.y, q.p.x - middle.x);
  });
  double area = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    area += 0.5 * cross(points[i].p, points[(i + 1) % points.size()].p).z;
  }
  return area;
}

void check_all(const Points& points, const Vec3& normal, double gap) {
  for (const ContactPoint& p : points) {
    CHECK(max_abs(p.normal - normal) < 1e-14);
    CHECK(std::fabs(p.gap - gap) < 1e-14);
  }
}

std::vector<std::uint32_t> features(const Points& points) {
  std::vector<std::uint32_t> f;
  for (const ContactPoint& p : points) f.push_back(p.feature);
  return f;
}

}  // namespace

TEST_CASE("manifold: faces three millimetres apart give four points with that gap") {
  TouchSolids solid;
  const TouchShape small = solid(Box{{0.1, 0.2, 0.3}}), large = solid(Box{{1, 1, 0.5}});
  const Points over = meet(small, at({0.3, 0.4, 0.803}), large, at({}));
  REQUIRE(over.size() == 4);
  check_all(over, {0, 0, 1}, 0.003);
  CHECK(covered_area(over) == doctest::Approx(0.2 * 0.4));
  for (const ContactPoint& p : over) CHECK(std::fabs(p.p.z - 0.5015) < 1e-14);
  const Points under = meet(large, at({0, 0, 0.797}), small, at({}));
  REQUIRE(under.size() == 4);
  check_all(under, {0, 0, 1}, -0.003);
  // only a part of the faces overlaps: 0.05 x 0.3
  const Points part = meet(small, at({1.05, 0.9, 0.79}), large, at({}));
  REQUIRE(part.size() == 4);
  CHECK(covered_area(part) == doctest::Approx(0.05 * 0.3));
  CHECK(meet(small, at({0.3, 0.4, 0.811}), large, at({})).empty());
}

TEST_CASE("manifold: of the eight points of turned faces four with a large area stay") {
  TouchSolids solid;
  const TouchShape box = solid(Box{{0.5, 0.5, 0.5}});
  for (double angle = 0.02; angle < pi / 2; angle += 0.02) {
    const Points points = meet(box, {axis_rotation({0, 0, 1}, angle), {0, 0, 0.999}}, box, at({}));
    REQUIRE(points.size() == 4);
    check_all(points, {0, 0, 1}, -0.001);
    // four corners of a regular octagon span 0.586; one of them is given, the deepest
    CHECK(covered_area(points) > 0.52);
  }
}

TEST_CASE("manifold: crossed edges touch at their crossing, along both normals' product") {
  TouchSolids solid;
  const TouchShape box = solid(Box{{0.5, 0.5, 0.5}});
  const double h = 0.5 * std::sqrt(2.0);
  // a lies on its edge along x, b stands on its edge along y, seen from each other
  const Mat3 on_x = axis_rotation({1, 0, 0}, pi / 4), on_y = axis_rotation({0, 1, 0}, pi / 4);
  for (const double gap : {-0.01, 0.0, 0.004}) {
    const Points points = meet(box, {on_x, {0.1, -0.2, 2 * h + gap}}, box, {on_y, {}}, gap + 1e-4);
    REQUIRE(points.size() == 1);
    CHECK(max_abs(points[0].normal - Vec3{0, 0, 1}) < 1e-14);
    CHECK(std::fabs(points[0].gap - gap) < 1e-14);
    CHECK(max_abs(points[0].p - Vec3{0, -0.2, h + gap / 2}) < 1e-14);
  }
}

TEST_CASE("manifold: a vertex on a face, and an edge lying in a face") {
  TouchSolids solid;
  const TouchShape box = solid(Box{{0.5, 0.5, 0.5}}), plate = solid(Box{{2, 2, 0.5}});
  const Mat3 on_corner = axis_rotation(normalized(Vec3{1, -1, 0}), std::acos(std::sqrt(1.0 / 3)));
  const Points corner =
      meet(box, {on_corner, {0.2, 0.3, 0.5 + 0.5 * std::sqrt(3.0)}}, plate, at({}), 1e-6);
  REQUIRE(corner.size() == 1);
  CHECK(max_abs(corner[0].p - Vec3{0.2, 0.3, 0.5}) < 1e-14);
  CHECK(std::fabs(corner[0].gap) < 1e-14);

  const Mat3 on_edge = axis_rotation({1, 0, 0}, pi / 4);
  const Points edge =
      meet(box, {on_edge, {0.2, 0.3, 0.5 + 0.5 * std::sqrt(2.0)}}, plate, at({}), 1e-6);
  REQUIRE(edge.size() == 2);
  check_all(edge, {0, 0, 1}, 0);
  CHECK(std::fabs(std::fabs(edge[0].p.x - edge[1].p.x) - 1) < 1e-14);
  // an edge that reaches over the border of the face is held where it passes the border
  const Points over =
      meet(box, {on_edge, {1.8, 0.3, 0.5 + 0.5 * std::sqrt(2.0)}}, plate, at({}), 1e-6);
  REQUIRE(over.size() == 2);
  CHECK(std::fabs(std::max(over[0].p.x, over[1].p.x) - 2) < 1e-14);
}

TEST_CASE("manifold: vertex on vertex, edge along edge, vertex on edge") {
  TouchSolids solid;
  const TouchShape box = solid(Box{{0.5, 0.5, 0.5}});
  const Vec3 d = normalized(Vec3{1, 1, 1});
  for (const double gap : {1e-3, 1e-6}) {
    const Points vertices = meet(box, at(Vec3{1, 1, 1} + d * gap), box, at({}));
    REQUIRE(!vertices.empty());
    double least = 1;
    for (const ContactPoint& p : vertices) {
      least = std::min(least, p.gap);
      CHECK(max_abs(p.p - Vec3{0.5, 0.5, 0.5}) < 0.01);
    }
    CHECK(std::fabs(least - gap) < 1e-9);
    const Points edges =
        meet(box, at(Vec3{0.2, 1, 1} + normalized(Vec3{0, 1, 1}) * gap), box, at({}));
    double low = 1, high = -1;
    for (const ContactPoint& p : edges) low = std::min(low, p.p.x), high = std::max(high, p.p.x);
    CHECK(low == doctest::Approx(-0.3));
    CHECK(high == doctest::Approx(0.5));
  }
  // touching exactly
  for (const Vec3& p : {Vec3{1, 1, 1}, Vec3{1, 1, 0.3}, Vec3{1, 0.2, 0.3}, Vec3{1, 0, 0}}) {
    const Points points = meet(box, at(p), box, at({}));
    REQUIRE(!points.empty());
    for (const ContactPoint& c : points) {
      CHECK(std::fabs(c.gap) < 1e-9);
      CHECK(std::fabs(norm(c.normal) - 1) < 1e-14);
    }
  }
}

TEST_CASE("manifold: solids that coincide are parted by their least extent") {
  TouchSolids solid;
  const std::vector<std::pair<TouchShape, double>> all = {
      {solid(Sphere{0.3}), 0.6},
      {solid(Box{{0.3, 0.2, 0.4}}), 0.4},
      {solid(Capsule{0.1, 0.4}), 0.2},
      {solid(Cylinder{0.3, 0.1}), 0.2},
      {solid(convex_hull(std::vector<Vec3>{
           {0.4, 0, 0}, {-0.4, 0, 0}, {0, 0.4, 0}, {0, -0.4, 0}, {0, 0, 0.4}, {0, 0, -0.4}})),
       0.8 / std::sqrt(3.0)}};
  std::mt19937 random(31);
  for (const auto& [shape, extent] : all) {
    const Pose X{random_rotation(random), random_vector(random)};
    const Points points = meet(shape, X, shape, X);
    REQUIRE(!points.empty());
    double least = 1;
    for (const ContactPoint& p : points) {
      least = std::min(least, p.gap);
      CHECK(std::fabs(norm(p.normal) - 1) < 1e-12);
      CHECK(max_abs(p.p) < 10);
    }
    CHECK(std::fabs(least + extent) < 1e-8);
  }
}

TEST_CASE(
    "manifold: a sphere meets a face, an edge and a corner of a box, and leaves it if inside") {
  TouchSolids solid;
  const TouchShape sphere = solid(Sphere{0.1}), box = solid(Box{{0.3, 0.4, 0.5}});
  const Mat3 R = axis_rotation(normalized(Vec3{1, 2, 3}), 0.7);
  struct Case {
    Vec3 centre, normal;
    double gap;
  };
  const double f = std::sqrt(0.5), g = std::sqrt(1.0 / 3);
  for (const Case& c :
       {Case{{0.1, 0.2, 0.605}, {0, 0, 1}, 0.005},
        Case{{-0.3 - 0.1 * f, 0.4 + 0.1 * f, 0.1}, {-f, f, 0}, 0},
        Case{Vec3{0.3, -0.4, 0.5} + Vec3{g, -g, g} * 0.09, {g, -g, g}, -0.01},
        Case{{-0.25, 0, 0.4}, {-1, 0, 0}, -0.15}, Case{{0.1, -0.38, 0.4}, {0, -1, 0}, -0.12},
        Case{{0.1, 0.1, 0.45}, {0, 0, 1}, -0.15}}) {
    const Points points = meet(sphere, {Mat3::identity(), R * c.centre}, box, {R, {}});
    REQUIRE(points.size() == 1);
    CHECK(max_abs(points[0].normal - R * c.normal) < 1e-14);
    CHECK(std::fabs(points[0].gap - c.gap) < 1e-14);
    CHECK(max_abs(points[0].p - R * (c.centre - c.normal * (0.1 + 0.5 * c.gap))) < 1e-14);
  }
}

TEST_CASE("manifold: capsules side by side touch at both ends of what they share") {
  TouchSolids solid;
  const TouchShape a = solid(Capsule{0.1, 0.5}), b = solid(Capsule{0.2, 0.3});
  const Points side = meet(a, at({0.299, 0, 0.4}), b, at({}));
  REQUIRE(side.size() == 2);
  check_all(side, {1, 0, 0}, -0.001);
  // from a's lower end at -0.1 to b's upper end at 0.3
  CHECK(std::fabs(std::min(side[0].p.z, side[1].p.z) + 0.1) < 1e-14);
  CHECK(std::fabs(std::max(side[0].p.z, side[1].p.z) - 0.3) < 1e-14);
  // crossed: one point; end to end: one point
  CHECK(meet(a, {axis_rotation({1, 0, 0}, pi / 2), {0.299, 0, 0.1}}, b, at({})).size() == 1);
  CHECK(meet(a, at({0, 0, 1.099}), b, at({})).size() == 1);
}

TEST_CASE("manifold: capsules, cylinders and prisms lie and stand on a box") {
  TouchSolids solid;
  const TouchShape plate = solid(Box{{1, 1, 0.5}});
  const Mat3 lying = axis_rotation({0, 1, 0}, pi / 2);
  const auto span = [](const Points& points) {
    double low = 1e9, high = -1e9;
    for (const ContactPoint& p : points) low = std::min(low, p.p.x), high = std::max(high, p.p.x);
    return high - low;
  };
  for (const double gap : {-0.002, 0.003}) {
    const Points capsule =
        meet(solid(Capsule{0.1, 0.4}), {lying, {0, 0, 0.6 + gap}}, plate, at({}));
    REQUIRE(capsule.size() == 2);
    check_all(capsule, {0, 0, 1}, gap);
    CHECK(span(capsule) == doctest::Approx(0.8));
    const Points over = meet(solid(Capsule{0.1, 0.4}), {lying, {0.8, 0, 0.6 + gap}}, plate, at({}));
    REQUIRE(over.size() == 2);
    CHECK(span(over) == doctest::Approx(0.6));

    const TouchShape cylinder = solid(Cylinder{0.2, 0.3});
    const Points on_side = meet(cylinder, {lying, {0, 0, 0.7 + gap}}, plate, at({}));
    REQUIRE(on_side.size() == 2);
    CHECK(span(on_side) == doctest::Approx(0.6));
    for (const ContactPoint& p : on_side) CHECK(std::fabs(p.gap - gap) < 1e-9);
    const Points standing = meet(cylinder, at({0, 0, 0.8 + gap}), plate, at({}));
    REQUIRE(standing.size() == 4);
    CHECK(covered_area(standing) > 1.7 * 0.2 * 0.2);
    for (const ContactPoint& p : standing) CHECK(std::fabs(p.gap - gap) < 1e-9);
    // two that stand on each other
    const Points stack = meet(cylinder, at({0, 0, 0.6 + gap}), cylinder, at({}));
    REQUIRE(stack.size() == 4);
    CHECK(covered_area(stack) > 1.5 * 0.2 * 0.2);
  }
  std::vector<Vec3> prism;
  for (int k = 0; k < 7; ++k) {
    const double angle = 2 * pi * k / 7;
    for (const double z : {-0.2, 0.2})
      prism.push_back({0.3 * std::cos(angle), 0.3 * std::sin(angle), z});
  }
  const Points points = meet(solid(convex_hull(prism)), at({0.1, 0.1, 0.699}), plate, at({}));
  REQUIRE(points.size() == 4);
  check_all(points, {0, 0, 1}, -0.001);
  CHECK(covered_area(points) > 1.7 * 0.3 * 0.3);
}

TEST_CASE("manifold: a small motion moves the points little and keeps their names") {
  TouchSolids solid;
  std::mt19937 random(32);
  const TouchShape box = solid(Box{{0.5, 0.4, 0.3}});
  int same = 0, pairs = 0;
  for (int n = 0; n < 2000; ++n) {
    // stacked with any turn, tilted up to 0.01, overlapping by 1 mm
    const Mat3 tilt = matrix(exp_quat(random_vector(random) * 0.01));
    const Pose X_WB = at({});
    Pose X_WA{tilt * axis_rotation({0, 0, 1}, 3 * random_vector(random).x),
              {0.3 * random_vector(random).x, 0.3 * random_vector(random).y, 0.599}};
    const Points before = meet(box, X_WA, box, X_WB, 0.05);
    X_WA.R = matrix(exp_quat(random_vector(random) * 1e-7)) * X_WA.R;
    X_WA.p += random_vector(random) * 1e-7;
    const Points after = meet(box, X_WA, box, X_WB, 0.05);
    ++pairs;
    if (features(before) != features(after)) continue;
    ++same;
    for (std::size_t i = 0; i < before.size(); ++i) {
      REQUIRE(max_abs(before[i].p - after[i].p) < 1e-4);
      REQUIRE(std::fabs(before[i].gap - after[i].gap) < 1e-6);
    }
  }
  CHECK(same > 0.995 * pairs);
}

TEST_CASE("manifold: an aligned stack keeps its names while it trembles") {
  TouchSolids solid;
  std::mt19937 random(33);
  const TouchShape box = solid(Box{{0.5, 0.5, 0.5}});
  std::set<std::vector<std::uint32_t>> names;
  for (int n = 0; n < 2000; ++n) {
    const auto tremble = [&](const Vec3& p) {
      return Pose{matrix(exp_quat(random_vector(random) * 1e-4)), p + random_vector(random) * 1e-4};
    };
    const Points points = meet(box, tremble({0, 0, 0.999}), box, tremble({}));
    REQUIRE(points.size() == 4);
    CHECK(covered_area(points) > 0.99);
    names.insert(features(points));
  }
  CHECK(names.size() == 1);
}

TEST_CASE("manifold: what a pair remembers does not change what it finds") {
  TouchSolids solid;
  std::mt19937 random(34);
  const std::vector<TouchShape> shapes = {solid(Box{{0.3, 0.2, 0.4}}), solid(Box{{0.1, 0.5, 0.3}}),
                                          solid(Capsule{0.1, 0.4}), solid(Cylinder{0.3, 0.2})};
  for (const TouchShape& a : shapes) {
    for (const TouchShape& b : shapes) {
      ManifoldCache cache;
      Pose X = at({0.5, 0, 0});
      for (int n = 0; n < 500; ++n) {
        X.R = matrix(exp_quat(random_vector(random) * 0.05)) * X.R;
        X.p += random_vector(random) * 0.02;
        if (norm(X.p) > 1) X.p = X.p * 0.5;
        Points with;
        touch(a, X, b, at({}), 0.02, cache, with);
        const Points without = meet(a, X, b, at({}), 0.02);
        REQUIRE(with.empty() == without.empty());
        double gap = 1, fresh = 1;
        for (const ContactPoint& p : with) gap = std::min(gap, p.gap);
        for (const ContactPoint& p : without) fresh = std::min(fresh, p.gap);
        REQUIRE(std::fabs(gap - fresh) < 1e-8);
      }
    }
  }
}

TEST_CASE("manifold: very unequal, very flat and very distant solids give finite points") {
  TouchSolids solid;
  std::mt19937 random(35);
  const std::vector<TouchShape> shapes = {
      solid(Box{{1e3, 1e3, 1e-3}}), solid(Box{{1e-3, 1e-3, 1e-3}}), solid(Box{{1e-4, 1e-4, 10}}),
      solid(Sphere{1e-3}),          solid(Capsule{1e-3, 10}),       solid(Cylinder{10, 1e-3}),
      solid(Capsule{0.1, 1e-9})};
  for (int n = 0; n < 5000; ++n) {
    const TouchShape& a = shapes[random() % shapes.size()];
    const TouchShape& b = shapes[random() % shapes.size()];
    const Vec3 far = n % 2 ? Vec3{1e4, -1e4, 1e4} : Vec3{};
    const Pose X_WA{random_rotation(random), far + random_vector(random) * 1e-3};
    const Pose X_WB{n % 3 ? random_rotation(random) : X_WA.R, far + random_vector(random) * 1e-3};
    for (const ContactPoint& p : meet(a, X_WA, b, X_WB)) {
      REQUIRE(std::isfinite(p.gap));
      REQUIRE(std::fabs(norm(p.normal) - 1) < 1e-9);
      REQUIRE(max_abs(p.p - far) < 3e3);
    }
  }
}
