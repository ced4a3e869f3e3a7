// Solids that are flat, have no extent, coincide, touch exactly or differ much in size.
#include <doctest/doctest.h>

#include <numbers>

#include "molejo/collision/distance.h"
#include "tests/collision/brute_force.h"
#include "tests/collision/random_solids.h"

using namespace molejo;

namespace {

Pose at(const Vec3& p) { return {Mat3::identity(), p}; }

bool is_sound(const Separation& s) {
  const double sum = s.distance + s.p_a.x + s.p_a.y + s.p_a.z + s.p_b.x + s.p_b.y + s.p_b.z;
  return std::isfinite(sum) && std::fabs(norm(s.normal) - 1) < 1e-12;
}

PlacedMesh placed_triangle(const Convex& t, const Pose& X) {
  PlacedMesh m(Convex{.core = Core::point}, X);
  const Vec3 p[3] = {X * t.corner[0], X * t.corner[1], X * t.corner[2]};
  const Vec3 n = normalized(cross(p[1] - p[0], p[2] - p[0]));
  m.vertices = {p[0], p[1], p[2]};
  m.faces = {{p[0], p[1], p[2]}, {p[0], p[2], p[1]}};
  m.normals = {n, -n};
  m.edges = {{p[0], p[1]}, {p[1], p[2]}, {p[2], p[0]}};
  m.edge_directions.clear();
  for (const auto& [from, to] : m.edges) m.edge_directions.push_back(normalized(to - from));
  return m;
}

}  // namespace

TEST_CASE("distance: spheres with one centre are parted along some normal") {
  std::deque<ConvexMesh> meshes;
  const Convex a = make_convex(Sphere{0.5}, meshes), b = make_convex(Sphere{0.25}, meshes);
  const Separation s = separation(a, at({1, 2, 3}), b, at({1, 2, 3}));
  CHECK(is_sound(s));
  CHECK(s.distance == -0.75);
  CHECK(norm(s.p_a - Vec3{1, 2, 3}) == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(norm(s.p_b - Vec3{1, 2, 3}) == doctest::Approx(0.25).epsilon(1e-14));
}

TEST_CASE("distance: capsules that cross, are parallel, in one line or without length") {
  std::deque<ConvexMesh> meshes;
  const Convex long_one = make_convex(Capsule{0.5, 2}, meshes);
  const Convex dot_one = make_convex(Capsule{0.5, 0}, meshes);
  const Convex sphere = make_convex(Sphere{0.5}, meshes);
  const Mat3 lying = axis_rotation({0, 1, 0}, std::numbers::pi / 2);

  const Separation crossing = separation(long_one, {}, long_one, {lying, {}});
  CHECK(crossing.distance == doctest::Approx(-1).epsilon(1e-14));
  CHECK(std::fabs(crossing.normal.y) == doctest::Approx(1).epsilon(1e-14));

  const Separation parallel = separation(long_one, {}, long_one, at({0.6, 0.8, 1}));
  CHECK(std::fabs(parallel.distance) < 1e-15);
  CHECK(norm(parallel.normal - Vec3{-0.6, -0.8, 0}) < 1e-15);

  const Separation in_line = separation(long_one, {}, long_one, at({0, 0, 3}));
  CHECK(in_line.distance == doctest::Approx(-1).epsilon(1e-14));
  CHECK(std::fabs(in_line.normal.z) < 1e-12);

  for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{0, 0, 1}, Vec3{0.1, 0, 2.2}, Vec3{3, 4, 5}}) {
    const Separation by_dot = separation(long_one, {}, dot_one, at(p));
    const Separation by_sphere = separation(long_one, {}, sphere, at(p));
    CHECK(by_dot.distance == doctest::Approx(by_sphere.distance).epsilon(1e-14));
  }
  CHECK(separation(dot_one, {}, dot_one, {}).distance == doctest::Approx(-1).epsilon(1e-14));
}

TEST_CASE("distance: nearly parallel capsules") {
  std::deque<ConvexMesh> meshes;
  const Convex c = make_convex(Capsule{0.1, 1}, meshes);
  Random random{11};
  double worst = 0;
  for (int i = 0; i < 5000; ++i) {
    const Mat3 R = random.rotation();
    const Mat3 tilt = matrix(exp_quat(random.on_sphere() * random.magnitude(-16, -1)));
    const Pose X_WA{R, random.in_cube()};
    const Pose X_WB{tilt * R, X_WA.p + random.on_sphere() * random.magnitude(-12, 1)};
    const double expected =
        brute_force_separation(PlacedMesh(c, X_WA), PlacedMesh(c, X_WB)) - 2 * c.radius;
    worst = std::max(worst, std::fabs(separation(c, X_WA, c, X_WB).distance - expected));
  }
  CHECK(worst < 1e-11);
}

TEST_CASE("distance: flat triangles against polyhedra, spheres and each other") {
  const Solids solids(12);
  Random random{13};
  double worst_solid = 0, worst_sphere = 0, worst_triangle = 0;
  int overlapping = 0;
  for (int i = 0; i < 4000; ++i) {
    const Convex t = convex_triangle(random.in_cube(), random.in_cube(), random.in_cube());
    const Pose X_WT{random.rotation(), random.in_cube()};
    const PlacedMesh placed = placed_triangle(t, X_WT);
    const auto pick = static_cast<std::size_t>(random.below(40));
    const Convex& solid = i % 2 == 0 ? solids.boxes[pick] : solids.hulls[pick];
    const Pose X_WS{random.rotation(), random.in_cube() * 2.0};
    const double expected = brute_force_separation(placed, PlacedMesh(*solid.mesh, X_WS));
    if (expected < 0) ++overlapping;
    worst_solid =
        std::max(worst_solid, std::fabs(separation(t, X_WT, solid, X_WS).distance - expected));

    const Convex& sphere = solids.spheres[pick];
    const double height = point_polygon_distance(X_WS.p, placed.faces[0], placed.normals[0]);
    worst_sphere = std::max(worst_sphere, std::fabs(separation(t, X_WT, sphere, X_WS).distance -
                                                    (height - sphere.radius)));

    // others in space or in the same plane
    Convex u = convex_triangle(random.in_cube(), random.in_cube(), random.in_cube());
    if (i % 2 == 0) {
      for (Vec3& c : u.corner) {
        c = t.corner[0] + (t.corner[1] - t.corner[0]) * random.between(-1, 2) +
            (t.corner[2] - t.corner[0]) * random.between(-1, 2);
      }
      u = convex_triangle(u.corner[0], u.corner[1], u.corner[2]);
    }
    // in one plane they part at once, across it
    const PlacedMesh other = placed_triangle(u, X_WT);
    const double between =
        i % 2 == 0 ? smallest_distance(placed, other) : brute_force_separation(placed, other);
    worst_triangle =
        std::max(worst_triangle, std::fabs(separation(t, X_WT, u, X_WT).distance - between));
  }
  CHECK(overlapping > 500);
  CHECK(worst_solid < 1e-11);
  CHECK(worst_sphere < 1e-11);
  CHECK(worst_triangle < 1e-11);
}

TEST_CASE("distance: aligned cubes touch exactly, by face, edge and corner") {
  std::deque<ConvexMesh> meshes;
  const Convex cube = make_convex(Box{{1, 1, 1}}, meshes);
  for (const Vec3& p : {Vec3{2, 0, 0}, Vec3{2, 0.5, 0.25}, Vec3{2, 2, 0}, Vec3{2, 2, 0.5},
                        Vec3{2, 2, 2}, Vec3{0, 0, -2}}) {
    const Separation s = separation(cube, at({}), cube, at(p));
    CHECK(is_sound(s));
    CHECK(std::fabs(s.distance) < 1e-15);
    CHECK(gap_along(cube, at({}), cube, at(p), s.normal) > -1e-15);
    CHECK(signed_distance(cube, s.p_a) == doctest::Approx(0));
    CHECK(norm(s.p_a - s.p_b) < 1e-15);
  }
}

TEST_CASE("distance: the normal of faces stays sharp down to any gap") {
  std::deque<ConvexMesh> meshes;
  const Convex cube = make_convex(Box{{1, 1, 1}}, meshes);
  const Convex hull = make_convex(convex_hull(meshes[0].vertices), meshes);
  Random random{14};
  double worst_normal = 0, worst_distance = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Mat3 R = random.rotation();
    const double gap = random.magnitude(-17, -2) * (random.below(2) == 0 ? 1 : -1);
    const Mat3 about_z = axis_rotation({0, 0, 1}, i % 3 == 0 ? 0 : random.between(0, 6));
    const Vec3 above{random.between(-0.9, 0.9), random.between(-0.9, 0.9), 2 + gap};
    const Pose X_WB{R, random.in_cube() * 5.0};
    const Pose X_WA = X_WB * Pose{about_z, i % 5 == 0 ? Vec3{0, 0, 2 + gap} : above};
    const Separation s = separation(i % 2 == 0 ? cube : hull, X_WA, cube, X_WB);
    worst_normal = std::max(worst_normal, norm(s.normal - R.column(2)));
    worst_distance = std::max(worst_distance, std::fabs(s.distance - gap));
  }
  CHECK(worst_normal < 1e-6);
  CHECK(worst_distance < 1e-11);
}

TEST_CASE("distance: a millimetre on a hundred metres, a kilometre away") {
  const Solids solids(15);
  Random random{16};
  std::deque<ConvexMesh> meshes;
  const Convex large = make_convex(Box{{100, 100, 50}}, meshes);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    Convex small = solids.hulls[static_cast<std::size_t>(random.below(40))];
    std::vector<Vec3> points;
    for (const Vec3& v : small.mesh->vertices) points.push_back(v * 1e-3);
    small = hull_of(points, meshes);
    const Pose X_WL{random.rotation(), random.in_cube() * 1000.0};
    const Vec3 p{random.between(-110, 110), random.between(-110, 110),
                 50 + random.magnitude(-5, 0) * (random.below(2) == 0 ? 1 : -1)};
    const Pose X_WS = X_WL * Pose{random.rotation(), p};
    const double expected =
        brute_force_separation(PlacedMesh(*small.mesh, X_WS), PlacedMesh(*large.mesh, X_WL));
    worst = std::max(worst, std::fabs(separation(small, X_WS, large, X_WL).distance - expected));
    meshes.pop_back();
  }
  CHECK(worst < 2e-9);
}

TEST_CASE("distance: no finite input gives anything that is not finite") {
  std::deque<ConvexMesh> meshes;
  const std::vector<Convex> odd = {
      make_convex(Sphere{0}, meshes),
      make_convex(Sphere{1e-12}, meshes),
      make_convex(Capsule{0, 0}, meshes),
      make_convex(Capsule{0, 1e3}, meshes),
      make_convex(Cylinder{1e-9, 1}, meshes),
      make_convex(Cylinder{1, 1e-9}, meshes),
      make_convex(Cylinder{1, 0}, meshes),
      make_convex(Box{{1, 1, 1e-9}}, meshes),
      make_convex(Box{{1, 1, 0}}, meshes),
      make_convex(Box{{1e-9, 1e-9, 1e3}}, meshes),
      make_convex(Box{{1e-12, 1e-12, 1e-12}}, meshes),
      convex_triangle({0, 0, 0}, {0, 0, 0}, {0, 0, 0}),
      convex_triangle({0, 0, 0}, {1, 0, 0}, {2, 0, 0}),
      convex_triangle({0, 0, 0}, {1, 0, 0}, {1, 1e-12, 0}),
      make_convex(Box{{1, 1, 1}}, meshes),
  };
  Random random{17};
  int unsound = 0;
  for (const Convex& a : odd) {
    for (const Convex& b : odd) {
      for (int i = 0; i < 60; ++i) {
        const Mat3 R = i % 3 == 0 ? Mat3::identity() : random.rotation();
        const Vec3 p = i % 4 == 0 ? Vec3{} : random.on_sphere() * random.magnitude(-13, 6);
        if (!is_sound(separation(a, {}, b, {R, p}))) ++unsound;
      }
    }
  }
  CHECK(unsound == 0);
}

TEST_CASE("distance: the same both ways and every time") {
  const Solids solids(18);
  Random random{19};
  double worst = 0;
  int differ = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto placement = static_cast<Placement>(i % placements);
    const PlacedPair p = place(solids, random.below(5), random.below(5), placement, random);
    const Separation s = separation(p.a, p.X_WA, p.b, p.X_WB);
    const Separation t = separation(p.b, p.X_WB, p.a, p.X_WA);
    const Separation again = separation(p.a, p.X_WA, p.b, p.X_WB);
    worst = std::max(worst, std::fabs(s.distance - t.distance) / (p.a.reach + p.b.reach));
    if (s.distance != again.distance || !(s.p_a == again.p_a) || !(s.normal == again.normal) ||
        !(s.a == again.a) || !(s.b == again.b)) {
      ++differ;
    }
  }
  CHECK(worst < 1e-8);
  CHECK(differ == 0);
}

// Lin and Canny (1991) need less than one move from feature to feature in a step of slow motion.
TEST_CASE("distance: what is remembered saves moves and changes nothing") {
  const Solids solids(20);
  Random random{21};
  double worst = 0, warm_moves = 0, cold_moves = 0;
  int steps = 0;
  for (int i = 0; i < 400; ++i) {
    const int kinds[2] = {2, 4};
    PlacedPair p = place(solids, kinds[random.below(2)], kinds[random.below(2)],
                         static_cast<Placement>(i % placements), random);
    const double size = p.a.reach + p.b.reach;
    const Vec3 spin = random.on_sphere() * 0.01, drift = random.on_sphere() * (0.002 * size);
    SeparationCache cache;
    for (int k = 0; k < 100; ++k) {
      p.X_WB.R = matrix(exp_quat(spin)) * p.X_WB.R;
      p.X_WB.p += drift;
      SeparationCache none;
      const Separation cold = separation(p.a, p.X_WA, p.b, p.X_WB, &none);
      const Separation warm = separation(p.a, p.X_WA, p.b, p.X_WB, &cache);
      worst = std::max(worst, std::fabs(cold.distance - warm.distance) / size);
      if (k == 0) continue;
      ++steps, warm_moves += cache.moves, cold_moves += none.moves;
    }
  }
  MESSAGE("moves in a step of slow motion: ", warm_moves / steps, ", without memory ",
          cold_moves / steps);
  CHECK(worst < 1e-11);
  CHECK(warm_moves / steps < 0.5);
  CHECK(cold_moves / steps > 2);
}
