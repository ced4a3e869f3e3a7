#include <doctest/doctest.h>

#include <array>

#include "molejo/collision/distance.h"
#include "tests/collision/brute_force.h"
#include "tests/collision/random_solids.h"

using namespace molejo;

namespace {

struct Boxes {
  std::deque<ConvexMesh> meshes;
  Convex cube = make_convex(Box{{1, 1, 1}}, meshes);
  Convex bar = make_convex(Box{{3, 0.5, 0.5}}, meshes);
};

const Mat3 about_x_45 = axis_rotation({1, 0, 0}, 0.78539816339744831);
const Mat3 about_y_45 = axis_rotation({0, 1, 0}, 0.78539816339744831);
// a corner of a cube downwards
const Mat3 corner_down = axis_rotation({1, 0, 0}, std::atan(std::sqrt(0.5))) * about_y_45;

bool generic(const FeaturePair& p) {
  return static_cast<int>(p.a.kind) + static_cast<int>(p.b.kind) == 2;
}

// How far a point is from a feature of a placed polyhedron.
double distance_to(const Feature& f, const ConvexMesh& mesh, const Pose& X, const Vec3& p) {
  const PlacedMesh placed(mesh, X);
  const auto i = static_cast<std::size_t>(f.index);
  if (f.kind == FeatureKind::vertex) return norm(placed.vertices[i] - p);
  if (f.kind == FeatureKind::edge) {
    return point_segment_distance(p, placed.edges[i].first, placed.edges[i].second);
  }
  return point_polygon_distance(p, placed.faces[i], placed.normals[i]);
}

// How far vertices of a are below the plane and vertices of b above it.
double trespass(const FeaturePair& pair, const PlacedMesh& a, const PlacedMesh& b) {
  double most = -INFINITY;
  for (const Vec3& v : a.vertices) most = std::max(most, pair.offset - dot(pair.normal, v));
  for (const Vec3& v : b.vertices) most = std::max(most, dot(pair.normal, v) - pair.offset);
  return most;
}

void check_pair(const FeaturePair& pair, const Separation& s, const Convex& a, const Pose& X_WA,
                const Convex& b, const Pose& X_WB, double tolerance) {
  CHECK(generic(pair));
  CHECK(norm(pair.normal) == doctest::Approx(1).epsilon(1e-14));
  CHECK(trespass(pair, PlacedMesh(*a.mesh, X_WA), PlacedMesh(*b.mesh, X_WB)) <= tolerance);
  CHECK(norm(pair.p_a - pair.p_b) <= std::fabs(s.distance) + tolerance);
  CHECK(distance_to(pair.a, *a.mesh, X_WA, pair.p_a) <= 1e-12);
  CHECK(distance_to(pair.b, *b.mesh, X_WB, pair.p_b) <= 1e-12);
}

}  // namespace

TEST_CASE("features: corners, edges and faces that meet are told and become generic pairs") {
  const Boxes boxes;
  struct Case {
    const char* name;
    Mat3 R_WA;  // of the upper cube
    Vec3 p_WA;
    Mat3 R_WB;
    FeatureKind a, b;
    double distance;
  };
  const Mat3 I = Mat3::identity();
  const double root2 = std::sqrt(2.0), root3 = std::sqrt(3.0);
  using enum FeatureKind;
  const Case cases[] = {
      {"vertex over face", corner_down, {0.1, 0.2, 3}, I, vertex, face, 2 - root3},
      {"crossing edges", about_x_45, {0, 0, 3.5}, about_y_45, edge, edge, 3.5 - 2 * root2},
      {"vertex over edge", corner_down, {0, 0.3, 4}, about_y_45, vertex, edge, 4 - root3 - root2},
      {"vertex over vertex", corner_down, {0, 0, 4}, corner_down, vertex, vertex, 4 - 2 * root3},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pose X_WA{c.R_WA, c.p_WA}, X_WB{c.R_WB, {}};
    const Separation s = separation(boxes.cube, X_WA, boxes.cube, X_WB);
    CHECK(s.distance == doctest::Approx(c.distance).epsilon(1e-12));
    CHECK(s.a.kind == c.a);
    CHECK(s.b.kind == c.b);
    check_pair(normalized_pair(boxes.cube, X_WA, boxes.cube, X_WB, s, 1e-9), s, boxes.cube, X_WA,
               boxes.cube, X_WB, 1e-9);
  }
}

TEST_CASE("features: parallel edges and faces become generic pairs") {
  const Boxes boxes;
  struct Case {
    const char* name;
    const Convex *a, *b;
    Pose X_WA, X_WB;
    double distance;
  };
  const Mat3 I = Mat3::identity();
  const Mat3 quarter = axis_rotation({0, 0, 1}, 1.5707963267948966);
  const double root2 = std::sqrt(2.0);
  const Case cases[] = {
      {"face on face, one within the other",
       &boxes.cube,
       &boxes.cube,
       {I, {0.3, 0.2, 2.5}},
       {},
       0.5},
      {"face on the same face", &boxes.cube, &boxes.cube, {I, {0, 0, 2.5}}, {}, 0.5},
      {"faces that cross: no corner over the other",
       &boxes.bar,
       &boxes.bar,
       {quarter, {0, 0, 1.5}},
       {},
       0.5},
      {"edge parallel to a face",
       &boxes.cube,
       &boxes.cube,
       {about_x_45, {0.4, 0, 3}},
       {},
       2 - root2},
      {"ridge over ridge",
       &boxes.cube,
       &boxes.cube,
       {about_x_45, {0.7, 0, 3}},
       {about_x_45, {}},
       3 - 2 * root2},
      {"short ridge over a long one",
       &boxes.cube,
       &boxes.bar,
       {about_x_45, {0.7, 0, 3}},
       {about_x_45, {}},
       3 - 1.5 * root2},
      {"edge along a bar, touching",
       &boxes.cube,
       &boxes.bar,
       {about_x_45, {0.7, 0, root2 + 0.5}},
       {},
       0},
      {"face on face, touching", &boxes.cube, &boxes.bar, {I, {0.7, 0, 1.5}}, {}, 0},
      {"edge on edge of cubes side by side", &boxes.cube, &boxes.cube, {I, {2, 0.5, 2}}, {}, 0},
      {"corner on corner", &boxes.cube, &boxes.cube, {I, {2, 2, 2}}, {}, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Separation s = separation(*c.a, c.X_WA, *c.b, c.X_WB);
    CHECK(std::fabs(s.distance - c.distance) < 1e-12);
    check_pair(normalized_pair(*c.a, c.X_WA, *c.b, c.X_WB, s, 1e-9), s, *c.a, c.X_WA, *c.b, c.X_WB,
               1e-9);
  }
}

TEST_CASE("features: they hold the points, and a plane separates all random polyhedra") {
  const Solids solids(8);
  Random random{9};
  std::array<std::array<int, 3>, 3> met{};
  double worst_hold = 0, worst_trespass = -INFINITY, worst_distance = -INFINITY;
  int not_generic = 0, count = 0;
  for (int i = 0; i < 20'000; ++i) {
    const int kind_a = i % 2 == 0 ? 2 : 4, kind_b = i / 2 % 2 == 0 ? 2 : 4;
    constexpr Placement ways[4] = {Placement::apart, Placement::touching, Placement::parallel,
                                   Placement::grazing};
    const PlacedPair p = place(solids, kind_a, kind_b, ways[i / 4 % 4], random);
    const Separation s = separation(p.a, p.X_WA, p.b, p.X_WB);
    const double size = p.a.reach + p.b.reach, tolerance = 1e-9 * size;
    worst_hold = std::max(worst_hold, distance_to(s.a, *p.a.mesh, p.X_WA, s.p_a) / size);
    worst_hold = std::max(worst_hold, distance_to(s.b, *p.b.mesh, p.X_WB, s.p_b) / size);
    if (s.distance < -tolerance) continue;
    ++count;
    ++met[static_cast<std::size_t>(s.a.kind)][static_cast<std::size_t>(s.b.kind)];
    const FeaturePair pair = normalized_pair(p.a, p.X_WA, p.b, p.X_WB, s, tolerance);
    if (!generic(pair)) ++not_generic;
    const PlacedMesh a(*p.a.mesh, p.X_WA), b(*p.b.mesh, p.X_WB);
    worst_trespass = std::max(worst_trespass, trespass(pair, a, b) / size);
    worst_distance =
        std::max(worst_distance, (norm(pair.p_a - pair.p_b) - std::fabs(s.distance)) / size);
  }
  for (const auto& row : met) {
    for (const int n : row) CHECK(n > 10);
  }
  CHECK(count > 10'000);
  CHECK(not_generic == 0);
  CHECK(worst_hold < 2e-9);
  CHECK(worst_trespass < 1.1e-9);
  CHECK(worst_distance < 1.1e-9);
}

TEST_CASE("features: of cores without a mesh") {
  std::deque<ConvexMesh> meshes;
  const Convex sphere = make_convex(Sphere{0.1}, meshes);
  const auto feature = [&](const Convex& c, const Vec3& at) {
    return separation(c, {}, sphere, {Mat3::identity(), at}).a;
  };
  const Convex capsule = make_convex(Capsule{0.2, 1}, meshes);
  CHECK(feature(capsule, {1, 0, 0.5}) == Feature{FeatureKind::edge, 0});
  CHECK(feature(capsule, {1, 0, 2}) == Feature{FeatureKind::vertex, 1});
  CHECK(feature(capsule, {1, 0, -2}) == Feature{FeatureKind::vertex, 0});
  const Convex cylinder = make_convex(Cylinder{1, 1}, meshes);
  CHECK(feature(cylinder, {2, 1, 0.5}) == Feature{FeatureKind::surface, 0});
  CHECK(feature(cylinder, {0.2, 0.1, 2}) == Feature{FeatureKind::face, 1});
  CHECK(feature(cylinder, {0.2, 0.1, -2}) == Feature{FeatureKind::face, 0});
  CHECK(feature(cylinder, {2, 0, 2}) == Feature{FeatureKind::edge, 1});
  const Convex triangle = convex_triangle({0, 0, 0}, {2, 0, 0}, {0, 2, 0});
  CHECK(feature(triangle, {0.5, 0.5, 1}) == Feature{FeatureKind::face, 0});
  CHECK(feature(triangle, {0.5, 0.5, -1}) == Feature{FeatureKind::face, 0});
  CHECK(feature(triangle, {1, -1, 0}) == Feature{FeatureKind::edge, 0});
  CHECK(feature(triangle, {2, 2, 0}) == Feature{FeatureKind::edge, 1});
  CHECK(feature(triangle, {-1, 1, 0}) == Feature{FeatureKind::edge, 2});
  CHECK(feature(triangle, {3, -1, 0}) == Feature{FeatureKind::vertex, 1});
  CHECK(feature(sphere, {3, -1, 0}) == Feature{FeatureKind::vertex, 0});
}
