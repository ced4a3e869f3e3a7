#include <doctest/doctest.h>

#include <numbers>
#include <set>

#include "molejo/collision/manifold.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

TouchShape solid(Core core, const Vec3& half, double radius = 0) {
  TouchShape s;
  s.convex.core = core, s.convex.half = half, s.convex.radius = radius;
  s.convex.reach = norm(half) + radius;
  return s;
}

TouchShape ground() {
  TouchShape s;
  s.kind = TouchShape::Kind::plane;
  return s;
}

std::vector<ContactPoint> on_plane(const TouchShape& a, const Pose& X_WA, double margin,
                                   const Pose& X_WP = {}) {
  std::vector<ContactPoint> points;
  ManifoldCache cache;
  touch(a, X_WA, ground(), X_WP, margin, cache, points);
  return points;
}

std::vector<std::uint32_t> features(const std::vector<ContactPoint>& points) {
  std::vector<std::uint32_t> f;
  for (const ContactPoint& p : points) f.push_back(p.feature);
  return f;
}

double deepest(const std::vector<ContactPoint>& points) {
  double gap = 1e300;
  for (const ContactPoint& p : points) gap = std::min(gap, p.gap);
  return gap;
}

using Features = std::vector<std::uint32_t>;
constexpr double pi = std::numbers::pi;

}  // namespace

TEST_CASE("manifold: a sphere on a slope touches with its lowest point, halfway between") {
  const Pose X_WP{axis_rotation({0, 1, 0}, 0.3), {1, 2, 3}};
  const Vec3 n = X_WP.R.column(2);
  const Pose X_WA{axis_rotation({1, 0, 0}, 1.0), X_WP * Vec3{0.4, -0.2, 0.503}};
  const auto points = on_plane(solid(Core::point, {}, 0.5), X_WA, 0.01, X_WP);
  REQUIRE(points.size() == 1);
  CHECK(max_abs(points[0].normal - n) < 1e-15);
  CHECK(points[0].gap == doctest::Approx(0.003).epsilon(1e-12));
  CHECK(max_abs(points[0].p - X_WP * Vec3{0.4, -0.2, 0.0015}) < 1e-15);
  CHECK(points[0].feature == 0);
  CHECK(on_plane(solid(Core::point, {}, 0.5), X_WA, 0.003 - 1e-12, X_WP).empty());

  // seen from the plane the normal is the opposite
  std::vector<ContactPoint> turned;
  ManifoldCache cache;
  touch(ground(), X_WP, solid(Core::point, {}, 0.5), X_WA, 0.01, cache, turned);
  REQUIRE(turned.size() == 1);
  CHECK(max_abs(turned[0].normal + n) < 1e-15);
  CHECK(turned[0].p == points[0].p);
}

TEST_CASE("manifold: a capsule rests on its two ends") {
  const TouchShape capsule = solid(Core::segment, {0, 0, 0.5}, 0.1);
  const Pose lying{axis_rotation({0, 1, 0}, pi / 2), {0, 0, 0.09}};
  const auto points = on_plane(capsule, lying, 0.01);
  REQUIRE(features(points) == Features{0, 1});
  CHECK(max_abs(points[0].p - Vec3{-0.5, 0, -0.005}) < 1e-15);
  CHECK(max_abs(points[1].p - Vec3{0.5, 0, -0.005}) < 1e-15);
  CHECK(points[0].gap == doctest::Approx(-0.01));
  CHECK(features(on_plane(capsule, {Mat3::identity(), {0, 0, 0.6}}, 0.01)) == Features{0});
  CHECK(features(on_plane(capsule, {axis_rotation({1, 0, 0}, pi), {0, 0, 0.6}}, 0.01)) ==
        Features{1});
}

TEST_CASE("manifold: the corners of a box are named by the signs of their coordinates") {
  const TouchShape box = solid(Core::box, {0.3, 0.2, 0.1});
  const auto flat = on_plane(box, {Mat3::identity(), {0, 0, 0.103}}, 0.01);
  REQUIRE(features(flat) == Features{0, 1, 2, 3});
  CHECK(max_abs(flat[1].p - Vec3{0.3, -0.2, 0.0015}) < 1e-15);
  for (const ContactPoint& p : flat) CHECK(p.gap == doctest::Approx(0.003).epsilon(1e-12));
  // on its side x = +0.3: the corners with bit 0
  CHECK(features(on_plane(box, {axis_rotation({0, 1, 0}, pi / 2), {0, 0, 0.3}}, 0.01)) ==
        Features{1, 3, 5, 7});
  // on an edge, and on a corner
  CHECK(features(on_plane(box, {axis_rotation({1, 0, 0}, 0.5), {0, 0, 0.18}}, 0.01)) ==
        Features{0, 1});
  CHECK(on_plane(box, {axis_rotation(normalized(Vec3{1, 1, 0}), 0.7), {0, 0, 0.3}}, 0.01).size() ==
        1);
}

TEST_CASE("manifold: a box below a plane keeps four corners, its deepest among them") {
  std::mt19937 random(3);
  const Vec3 half{0.3, 0.2, 0.1};
  for (int n = 0; n < 2000; ++n) {
    const Pose X{matrix(exp_quat(random_vector(random) * 3.0)), random_vector(random) * 0.5};
    const auto points = on_plane(solid(Core::box, half), X, 0.05);
    double lowest = X.p.z;
    for (int i = 0; i < 3; ++i) lowest -= std::fabs(X.R.r2[i]) * half[i];
    if (lowest >= 0.05) {
      REQUIRE(points.empty());
      continue;
    }
    REQUIRE(points.size() <= 4);
    REQUIRE(std::fabs(deepest(points) - lowest) < 1e-15);
    for (const ContactPoint& p : points) {
      const std::uint32_t i = p.feature;
      const Vec3 corner =
          X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
      REQUIRE(std::fabs(p.gap - corner.z) < 1e-15);
      REQUIRE(max_abs(p.p - Vec3{corner.x, corner.y, corner.z / 2}) < 1e-15);
    }
  }
}

TEST_CASE("manifold: a thin plate lies on the corners of its lower face only") {
  CHECK(features(on_plane(solid(Core::box, {1, 1, 0.001}), {Mat3::identity(), {0, 0, 0.001}},
                          0.02)) == Features{0, 1, 2, 3});
  CHECK(features(on_plane(solid(Core::box, {1, 1, 0.001}),
                          {axis_rotation({1, 0, 0}, pi), {0, 0, 0.001}}, 0.02)) ==
        Features{4, 5, 6, 7});
}

TEST_CASE("manifold: a cylinder stands on four points of its rim, and lies on two") {
  const double r = 0.2, h = 0.5;
  const TouchShape cylinder = solid(Core::cylinder, {r, r, h});
  const auto standing = on_plane(cylinder, {Mat3::identity(), {0, 0, h}}, 0.01);
  REQUIRE(features(standing) == Features{0, 1, 2, 3});
  Vec3 sum;
  for (const ContactPoint& p : standing) {
    CHECK(std::fabs(std::hypot(p.p.x, p.p.y) - r) < 1e-15);
    sum += p.p;
  }
  CHECK(max_abs(sum) < 1e-15);

  const Pose lying{axis_rotation({0, 1, 0}, pi / 2), {0, 0, r}};
  const auto ends = on_plane(cylinder, lying, 0.01);
  REQUIRE(ends.size() == 2);
  CHECK(std::fabs(ends[0].p.x + h) < 1e-15);
  CHECK(std::fabs(ends[1].p.x - h) < 1e-15);
  // rolled about its axis the ends keep their names
  CHECK(features(on_plane(cylinder, {lying.R * axis_rotation({0, 0, 1}, 2), {0, 0, r}}, 0.01)) ==
        features(ends));
}

TEST_CASE("manifold: a tilted coin touches with the lowest point of its rim, under one name") {
  const double r = 0.1, h = 0.004, tilt = 0.6;
  std::set<std::uint32_t> names;
  for (double roll = 0; roll < 2 * pi; roll += 0.01) {
    const Mat3 R = axis_rotation({1, 0, 0}, tilt) * axis_rotation({0, 0, 1}, roll);
    const Vec3 p{0, 0, r * std::sin(tilt) + h * std::cos(tilt)};
    const auto points = on_plane(solid(Core::cylinder, {r, r, h}), {R, p}, 1e-3);
    REQUIRE(points.size() == 1);
    CHECK(std::fabs(points[0].gap) < 1e-15);
    CHECK(max_abs(points[0].p - Vec3{0, h * std::sin(tilt) - r * std::cos(tilt), 0}) < 1e-15);
    names.insert(points[0].feature);
  }
  CHECK(names.size() == 1);
}

TEST_CASE("manifold: nearly upright cylinders surround their middle and keep their names") {
  std::mt19937 random(4);
  const double r = 0.1;
  for (int n = 0; n < 1000; ++n) {
    const Vec3 d = random_vector(random) * 1e-4;
    const Mat3 R = matrix(exp_quat(Vec3{d.x, d.y, 2}));
    const auto points = on_plane(solid(Core::cylinder, {r, r, 0.1}), {R, {0, 0, 0.1}}, 0.01);
    REQUIRE(features(points) == Features{0, 1, 2, 3});
    // exactly the deepest point of the disc
    const double tilt = std::hypot(R.r2.x, R.r2.y);
    REQUIRE(std::fabs(deepest(points) - (0.1 - 0.1 * R.r2.z - r * tilt)) < 1e-15);
    // the middle lies on the inner side of each side of the quadrilateral
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 a = points[i].p, b = points[(i + 1) % 4].p;
      REQUIRE(cross(a, b).z > 0.3 * r * r);
    }
  }
}

TEST_CASE("manifold: boxes that hold a shape are tight") {
  std::mt19937 random(5);
  ConvexMesh tetrahedron;
  tetrahedron.vertices = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.7, 0}, {0, 0, 0.3}};
  TouchShape polyhedron = solid(Core::polyhedron, {});
  polyhedron.convex.mesh = &tetrahedron;
  for (int n = 0; n < 100; ++n) {
    const Pose X{matrix(exp_quat(random_vector(random) * 3.0)), random_vector(random)};
    const Vec3 u = X.R.column(2);
    const Aabb capsule = bounds(solid(Core::segment, {0, 0, 0.5}, 0.1), X);
    const Aabb box = bounds(solid(Core::box, {0.3, 0.2, 0.1}), X);
    const Aabb cylinder = bounds(solid(Core::cylinder, {0.2, 0.2, 0.5}), X);
    const Aabb hull = bounds(polyhedron, X);
    for (int i = 0; i < 3; ++i) {
      CHECK(capsule.upper[i] == doctest::Approx(X.p[i] + 0.5 * std::fabs(u[i]) + 0.1));
      CHECK(capsule.lower[i] == doctest::Approx(X.p[i] - 0.5 * std::fabs(u[i]) - 0.1));
      double least = 1e9, most = -1e9;
      for (int k = 0; k < 8; ++k) {
        const Vec3 c = X * Vec3{k & 1 ? 0.3 : -0.3, k & 2 ? 0.2 : -0.2, k & 4 ? 0.1 : -0.1};
        least = std::min(least, c[i]), most = std::max(most, c[i]);
      }
      CHECK(box.lower[i] == doctest::Approx(least));
      CHECK(box.upper[i] == doctest::Approx(most));
      const double reach = 0.5 * std::fabs(u[i]) + 0.2 * std::sqrt(1 - u[i] * u[i]);
      CHECK(cylinder.upper[i] == doctest::Approx(X.p[i] + reach));
      CHECK(cylinder.lower[i] == doctest::Approx(X.p[i] - reach));
      least = 1e9, most = -1e9;
      for (const Vec3& v : tetrahedron.vertices) {
        least = std::min(least, (X * v)[i]), most = std::max(most, (X * v)[i]);
      }
      CHECK(hull.lower[i] == least);
      CHECK(hull.upper[i] == most);
    }
  }
  const Aabb floor = bounds(ground(), {Mat3::identity(), {1, 2, 3}});
  CHECK(floor.upper == Vec3{1e30, 1e30, 3});
  CHECK(floor.lower == Vec3{-1e30, -1e30, -1e30});
  const Aabb wall = bounds(ground(), {axis_rotation({0, 1, 0}, 0.1), {}});
  CHECK(wall.upper.x == 1e30);
  CHECK(wall.upper.z == 1e30);
}

TEST_CASE("manifold: two spheres touch on the line of their centres, coinciding ones as well") {
  const auto meet = [](const Vec3& a, const Vec3& b) {
    std::vector<ContactPoint> points;
    ManifoldCache cache;
    touch(solid(Core::point, {}, 0.5), {Mat3::identity(), a}, solid(Core::point, {}, 0.3),
          {Mat3::identity(), b}, 0.01, cache, points);
    return points;
  };
  const auto points = meet({0.6, 0.5, 0}, {0.6, 1.295, 0});
  REQUIRE(points.size() == 1);
  CHECK(points[0].gap == doctest::Approx(-0.005).epsilon(1e-12));
  CHECK(max_abs(points[0].normal - Vec3{0, -1, 0}) < 1e-15);
  CHECK(max_abs(points[0].p - Vec3{0.6, 0.9975, 0}) < 1e-15);
  CHECK(meet({}, {0, 0, 0.81}).empty());
  REQUIRE(meet({}, {}).size() == 1);
  CHECK(meet({}, {})[0].gap == doctest::Approx(-0.8));
  CHECK(norm(meet({}, {})[0].normal) == 1);
}
