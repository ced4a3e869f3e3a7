// A hundred thousand pairs of solids, judged by brute force, by libccd, by closed forms and by what
// the contract says. Largest errors are collected and checked at the end, in sizes of the pair.
#include "molejo/collision/distance.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>

#include "tests/collision/brute_force.h"
#include "tests/collision/ccd_oracle.h"

using namespace molejo;

namespace {

constexpr int pair_count = 100'000;

// The largest of many numbers, and which pair it came from.
struct Largest {
  double value = -INFINITY;
  int pair = -1;
  int count = 0;
  void add(double x, int i) {
    ++count;
    if (!(x <= value)) value = x, pair = i;  // a NaN stays
  }
};

double size_of(const PlacedPair& p) { return p.a.reach + p.b.reach; }
bool is_cylinder(const Convex& c) { return c.core == Core::cylinder; }
bool has_cylinder(const PlacedPair& p) { return is_cylinder(p.a) || is_cylinder(p.b); }

PlacedPair pair_number(const Solids& solids, int i, Random& random) {
  const int a = i % Solids::kinds, b = i / Solids::kinds % Solids::kinds;
  const int placement = i / (Solids::kinds * Solids::kinds) % placements;
  return place(solids, a, b, static_cast<Placement>(placement), random);
}

template <class Judge>
void for_all_pairs(const Judge& judge) {
  const Solids solids(2024);
  Random random{1};
  for (int i = 0; i < pair_count; ++i) {
    const PlacedPair pair = pair_number(solids, i, random);
    judge(i, pair, separation(pair.a, pair.X_WA, pair.b, pair.X_WB));
  }
}

double gap_along(const PlacedPair& p, const Vec3& n) {
  return ::gap_along(p.a, p.X_WA, p.b, p.X_WB, n);
}

// A prism around a cylinder, or inside of it.
Convex prism(const Convex& cylinder, int sides, bool around, std::deque<ConvexMesh>& meshes) {
  const double pi = std::numbers::pi;
  const double radius = cylinder.half.x / (around ? std::cos(pi / sides) : 1);
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * pi * i / sides;
    for (const double z : {-cylinder.half.z, cylinder.half.z}) {
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return hull_of(points, meshes);
}

double brute_force(const PlacedPair& p) {
  return brute_force_separation(PlacedMesh(p.a, p.X_WA), PlacedMesh(p.b, p.X_WB)) - p.a.radius -
         p.b.radius;
}

}  // namespace

TEST_CASE("distance: cores without curves are as far apart as brute force says") {
  Largest apart, overlapping;
  for_all_pairs([&](int i, const PlacedPair& p, const Separation& s) {
    if (has_cylinder(p)) return;
    const double expected = brute_force(p);
    (expected > 0 ? apart : overlapping).add(std::fabs(s.distance - expected) / size_of(p), i);
  });
  MESSAGE("apart: ", apart.count, " pairs, largest error ", apart.value);
  MESSAGE("overlapping: ", overlapping.count, " pairs, largest error ", overlapping.value);
  CAPTURE(apart.pair);
  CAPTURE(overlapping.pair);
  CHECK(apart.count > pair_count / 8);
  CHECK(overlapping.count > pair_count / 8);
  CHECK(apart.value < 1e-11);
  CHECK(overlapping.value < 1e-11);
}

TEST_CASE("distance: the points are on the surfaces and the normal parts the solids") {
  // with cylinders points slide along the surface as the normal's last digits change
  Largest on_surface[2], between_points, gap[2], normal_length;
  for_all_pairs([&](int i, const PlacedPair& p, const Separation& s) {
    const double size = size_of(p);
    const int curved = has_cylinder(p) ? 1 : 0;
    normal_length.add(std::fabs(norm(s.normal) - 1), i);
    between_points.add(norm(s.p_a - s.p_b - s.normal * s.distance) / size, i);
    on_surface[curved].add(std::fabs(signed_distance(p.a, inverse(p.X_WA) * s.p_a)) / size, i);
    on_surface[curved].add(std::fabs(signed_distance(p.b, inverse(p.X_WB) * s.p_b)) / size, i);
    // apart: both points are theirs and no plane is wider, so that this distance is the least one;
    // overlapping: the translation -distance along the normal parts them
    gap[curved].add(std::fabs(gap_along(p, s.normal) - s.distance) / size, i);
  });
  CHECK(normal_length.value < 1e-14);
  CHECK(between_points.value < 1e-14);
  CAPTURE(on_surface[0].pair);
  CAPTURE(on_surface[1].pair);
  CAPTURE(gap[0].pair);
  CAPTURE(gap[1].pair);
  MESSAGE("largest gap errors ", gap[0].value, ", with cylinders ", gap[1].value);
  MESSAGE("largest errors of points ", on_surface[0].value, ", with cylinders ",
          on_surface[1].value);
  CHECK(on_surface[0].value < 1e-11);
  CHECK(gap[0].value < 1e-10);
  CHECK(on_surface[1].value < 1e-5);
  CHECK(gap[1].value < 1e-8);
}

TEST_CASE("distance: no direction parts overlapping solids by less") {
  Largest better;
  Random random{5};
  for_all_pairs([&](int i, const PlacedPair& p, const Separation& s) {
    if (s.distance >= 0) return;
    for (int k = 0; k < 200; ++k) {
      // anywhere, or near the normal found
      const double away = k % 2 == 0 ? 1e3 : random.magnitude(-6, 0);
      const Vec3 n = normalized(s.normal + random.on_sphere() * away);
      better.add((gap_along(p, n) - s.distance) / size_of(p), i);
    }
  });
  CAPTURE(better.pair);
  MESSAGE((better.count / 200), " overlapping pairs; the best of other directions is better by ",
          better.value);
  CHECK(better.count > pair_count / 3 * 200);
  CHECK(better.value < 1e-9);
}

TEST_CASE("distance: of spheres to solids in closed form") {
  Largest error;
  for_all_pairs([&](int i, const PlacedPair& p, const Separation& s) {
    if (p.b.core != Core::point) return;
    const Vec3 centre = inverse(p.X_WA) * p.X_WB.p;
    // outside of polyhedra this is not the distance
    const double from_surface = signed_distance(p.a, centre);
    if (p.a.mesh != nullptr && from_surface > 0) return;
    error.add(std::fabs(s.distance - (from_surface - p.b.radius)) / size_of(p), i);
  });
  CAPTURE(error.pair);
  CHECK(error.count > pair_count / 8);
  CHECK(error.value < 1e-9);
}

TEST_CASE("distance: the depth of cylinders is between those of prisms inside and around") {
  std::deque<ConvexMesh> meshes;
  Largest below, above, width;
  for_all_pairs([&](int i, const PlacedPair& p, const Separation& s) {
    if (!has_cylinder(p) || s.distance >= 0 || i / 25 % 16 > 7 || i % 16 != 0) return;
    double depth[2];
    for (const bool around : {false, true}) {
      PlacedPair q = p;
      if (is_cylinder(p.a)) q.a = prism(p.a, 12, around, meshes);
      if (is_cylinder(p.b)) q.b = prism(p.b, 12, around, meshes);
      depth[around] = -brute_force(q);
      meshes.clear();
    }
    below.add((depth[0] + s.distance) / size_of(p), i);
    above.add((-s.distance - depth[1]) / size_of(p), i);
    width.add((depth[1] - depth[0]) / size_of(p), i);
  });
  CAPTURE(below.pair);
  CAPTURE(above.pair);
  CHECK(width.count > 300);
  CHECK(width.value < 0.05);
  CHECK(below.value < 1e-9);
  CHECK(above.value < 1e-9);
}

// libccd's GJK now and then misses that polyhedra overlap by 1e-3 of their size. Its EPA stops
// early with a depth that does not part the solids: always below ours, and then its own translation
// is checked to fail. Its MPR gives some translation that parts, hence never less than ours.
TEST_CASE("distance: libccd does not contradict") {
  constexpr double tolerance = 1e-3;
  int judged = 0, wrong_meetings = 0, overlapping = 0, no_depth = 0, early_stops = 0;
  Largest depth_above, mpr_below, early_stop_gap;
  for_all_pairs([&](int i, const PlacedPair& p, const Separation& s) {
    const double size = size_of(p);
    // a little closer they meet, a little farther they do not
    for (const double by : {-tolerance, tolerance}) {
      PlacedPair moved = p;
      moved.X_WA.p += s.normal * (by * size - s.distance);
      ++judged;
      if (ccd_intersect(moved) != (by < 0)) ++wrong_meetings;
    }
    if (s.distance > -tolerance * size) return;
    ++overlapping;
    const auto mpr = ccd_mpr_depth(p);
    if (!mpr) ++no_depth;
    mpr_below.add((-s.distance - mpr.value_or(0)) / size, i);
    // its EPA takes a millisecond on round solids
    const bool polyhedra = p.a.mesh != nullptr && p.b.mesh != nullptr;
    if (!polyhedra && i % 97 != 0) return;
    const auto epa = ccd_penetration(p);
    if (!epa) {
      ++no_depth;
      return;
    }
    depth_above.add((epa->depth + s.distance) / size, i);
    if (epa->depth > -s.distance - tolerance * size) return;
    ++early_stops;
    early_stop_gap.add((gap_along(p, epa->normal) + epa->depth) / size, i);
  });
  MESSAGE(overlapping, " overlapping; libccd wrong about ", wrong_meetings, " of ", judged,
          " meetings and in ", early_stops, " of ", depth_above.count, " depths");
  CHECK(wrong_meetings < judged / 1000);
  CHECK(no_depth == 0);
  CHECK(overlapping > pair_count / 3);
  CHECK(depth_above.count > pair_count / 20);
  CHECK(depth_above.value < 1e-9);
  CHECK(mpr_below.value < tolerance);
  CHECK(early_stop_gap.value < 0);
}
