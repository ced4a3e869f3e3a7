// Manifolds of random pairs against the signed distance, which is found another way.
#include <doctest/doctest.h>

#include <set>

#include "tests/collision/touch_solids.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Solids {
  TouchSolids solid;
  std::vector<TouchShape> shapes;

  void add(const Geometry& geometry) { shapes.push_back(solid(geometry)); }
};

Polyhedron random_hull(std::mt19937& random, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(normalized(random_vector(random)) * 0.4);
  return convex_hull(points);
}

Solids every_kind() {
  std::mt19937 random(11);
  Solids s;
  s.add(Sphere{0.3});
  s.add(Capsule{0.15, 0.4});
  s.add(Box{{0.4, 0.3, 0.2}});
  s.add(Box{{0.5, 0.5, 0.02}});
  s.add(Cylinder{0.25, 0.35});
  s.add(random_hull(random, 12));
  s.add(random_hull(random, 40));
  return s;
}

std::vector<ContactPoint> meet(const TouchShape& a, const Pose& X_WA, const TouchShape& b,
                               const Pose& X_WB, double margin) {
  std::vector<ContactPoint> points;
  ManifoldCache cache;
  touch(a, X_WA, b, X_WB, margin, cache, points);
  return points;
}

double least_gap(const std::vector<ContactPoint>& points) {
  double gap = 1e300;
  for (const ContactPoint& p : points) gap = std::min(gap, p.gap);
  return gap;
}

// How far p is outside a solid, negative inside.
double outside(const TouchShape& s, const Pose& X, const Vec3& p) {
  return separation(Convex{}, {Mat3::identity(), p}, s.convex, X).distance;
}

// Random poses at about the given signed distance.
struct Placed {
  Pose a, b;
};
Placed placed(const TouchShape& a, const TouchShape& b, double distance, std::mt19937& random) {
  Placed x{{random_rotation(random), random_vector(random) * 0.1},
           {random_rotation(random), random_vector(random) * 0.1}};
  for (int i = 0; i < 8; ++i) {
    const Separation s = separation(a.convex, x.a, b.convex, x.b);
    x.a.p += s.normal * (distance - s.distance);
  }
  return x;
}

}  // namespace

TEST_CASE("manifold: the least gap of random pairs is their signed distance") {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Solids s = every_kind();
  constexpr double margin = 0.05;
  int touching = 0, several = 0;
  for (int n = 0; n < 20000; ++n) {
    const TouchShape& a = s.shapes[random() % s.shapes.size()];
    const TouchShape& b = s.shapes[random() % s.shapes.size()];
    const Placed x = placed(a, b, 0.06 * uniform(random), random);
    const Separation exact = separation(a.convex, x.a, b.convex, x.b);
    const auto points = meet(a, x.a, b, x.b, margin);
    CAPTURE(n);
    CAPTURE(static_cast<int>(a.convex.core));
    CAPTURE(static_cast<int>(b.convex.core));
    CAPTURE(exact.distance);
    if (exact.distance > margin + 1e-9) {
      REQUIRE(points.empty());
      continue;
    }
    if (exact.distance > margin - 1e-9) continue;
    ++touching, several += points.size() > 1;
    REQUIRE(points.size() >= 1);
    REQUIRE(points.size() <= 4);
    REQUIRE(std::fabs(least_gap(points) - exact.distance) < 2e-9);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ContactPoint& p = points[i];
      REQUIRE(std::fabs(norm(p.normal) - 1) < 1e-14);
      REQUIRE(p.gap < margin);
      if (i > 0) REQUIRE(points[i - 1].feature < p.feature);
      // both ends of the gap lie on or in the two solids
      // (a point of a curved surface is known less well than its distance)
      const bool curved = a.convex.core == Core::cylinder || b.convex.core == Core::cylinder;
      const double slack = curved ? 2e-6 : 2e-9;
      REQUIRE(outside(a, x.a, p.p + p.normal * (0.5 * p.gap)) < slack);
      REQUIRE(outside(b, x.b, p.p - p.normal * (0.5 * p.gap)) < slack);
    }
    // the deepest point parts them
    for (const ContactPoint& p : points) {
      if (p.gap > least_gap(points)) continue;
      Pose moved = x.a;
      moved.p -= p.normal * p.gap;
      REQUIRE(std::fabs(separation(a.convex, moved, b.convex, x.b).distance) < 5e-9);
    }
  }
  CHECK(touching > 15000);
  CHECK(several > 2000);
}

TEST_CASE("manifold: seen from the other solid, gaps and points are the same, normals opposite") {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Solids s = every_kind();
  for (int n = 0; n < 5000; ++n) {
    const TouchShape& a = s.shapes[random() % s.shapes.size()];
    const TouchShape& b = s.shapes[random() % s.shapes.size()];
    const Placed x = placed(a, b, 0.03 * uniform(random), random);
    const auto ab = meet(a, x.a, b, x.b, 0.05), ba = meet(b, x.b, a, x.a, 0.05);
    CAPTURE(n);
    CAPTURE(static_cast<int>(a.convex.core));
    CAPTURE(static_cast<int>(b.convex.core));
    REQUIRE(std::fabs(least_gap(ab) - least_gap(ba)) < 2e-9);
    REQUIRE(ab.size() == ba.size());
    if (ab.size() == 4) {
      // of more than four, others may have been kept
      REQUIRE(max_abs(ab[0].normal + ba[0].normal) < 1e-5);
      continue;
    }
    for (const ContactPoint& p : ab) {
      double nearest = 1e300;
      for (const ContactPoint& q : ba) {
        nearest = std::min(nearest, std::max(max_abs(p.p - q.p), max_abs(p.normal + q.normal)));
      }
      REQUIRE(nearest < 1e-5);
    }
  }
}
