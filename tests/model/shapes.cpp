// Hulls and meshes are judged by what must hold of any convex surface, and by closed forms.
#include "molejo/model/shapes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>

#include "tests/support/error_text.h"

using namespace molejo;

namespace {

constexpr double pi = std::numbers::pi;

// splitmix64: the same numbers on every machine
struct Random {
  std::uint64_t state;
  double unit() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * unit(); }
  Vec3 in_cube() { return {between(-1, 1), between(-1, 1), between(-1, 1)}; }
  Vec3 on_sphere() {
    Vec3 p = in_cube();
    while (norm(p) > 1 || norm(p) < 0.1) p = in_cube();
    return normalized(p);
  }
  Mat3 rotation() { return matrix(exp_quat(on_sphere() * between(0, 3))); }
};

const Vec3& at(const std::vector<Vec3>& v, int i) { return v[static_cast<std::size_t>(i)]; }

double enclosed_volume(const std::vector<Vec3>& v,
                       const std::vector<std::array<int, 3>>& triangles) {
  double volume = 0;
  for (const auto& [i, j, k] : triangles) volume += dot(at(v, i), cross(at(v, j), at(v, k))) / 6;
  return volume;
}
double enclosed_volume(const Polyhedron& p) { return enclosed_volume(p.vertices, p.triangles); }
double enclosed_volume(const Mesh& m) { return enclosed_volume(m.positions, m.triangles); }

std::size_t edge_count(const std::vector<std::array<int, 3>>& triangles) {
  std::set<std::pair<int, int>> edges;
  for (const auto& t : triangles) {
    for (std::size_t e = 0; e < 3; ++e) edges.insert(std::minmax(t[e], t[(e + 1) % 3]));
  }
  return edges.size();
}

// How far the points rise above the planes of the faces, relative to the extent.
double highest_above(const Polyhedron& hull, const std::vector<Vec3>& points) {
  double highest = -1e300, extent = 0;
  for (const Vec3& p : points) extent = std::max(extent, max_abs(p - points.front()));
  for (const auto& [i, j, k] : hull.triangles) {
    const Vec3 a = at(hull.vertices, i);
    const Vec3 n = normalized(cross(at(hull.vertices, j) - a, at(hull.vertices, k) - a));
    for (const Vec3& p : points) highest = std::max(highest, dot(n, p - a));
  }
  return highest / extent;
}

void check_hull(const Polyhedron& hull, const std::vector<Vec3>& points) {
  CHECK(highest_above(hull, points) < 1e-10);
  CHECK(hull.vertices.size() + hull.triangles.size() == edge_count(hull.triangles) + 2);
  for (const Vec3& v : hull.vertices) {
    CHECK(std::find(points.begin(), points.end(), v) != points.end());
  }
}

std::vector<Vec3> cube_lattice(int n) {
  std::vector<Vec3> points;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      for (int k = 0; k <= n; ++k) {
        points.push_back({2.0 * i / n - 1, 2.0 * j / n - 1, 2.0 * k / n - 1});
      }
    }
  }
  return points;
}

const std::vector<std::array<int, 3>> cube_faces{{0, 1, 3}, {0, 3, 2}, {4, 5, 7}, {4, 7, 6},
                                                 {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                                 {0, 2, 6}, {0, 6, 4}, {1, 3, 7}, {1, 7, 5}};

}  // namespace

TEST_CASE("hull: of random points contains them all, is closed and uses only them") {
  Random random{1};
  for (const int n : {4, 5, 8, 20, 100, 1000}) {
    CAPTURE(n);
    std::vector<Vec3> ball, sphere;
    for (int i = 0; i < n; ++i) {
      ball.push_back(random.in_cube());
      sphere.push_back(random.on_sphere());
    }
    check_hull(convex_hull(ball), ball);
    const Polyhedron round = convex_hull(sphere);
    check_hull(round, sphere);
    CHECK(round.vertices.size() == static_cast<std::size_t>(n));
    CHECK(round.triangles.size() == static_cast<std::size_t>(2 * n - 4));
  }
}

TEST_CASE("hull: a lattice in a cube leaves the eight corners, also turned and sheared") {
  Random random{2};
  for (const int n : {1, 2, 3, 7}) {
    for (int trial = 0; trial < 40; ++trial) {
      CAPTURE(n);
      CAPTURE(trial);
      // the first keep the exact lattice, where very many points share planes and lines
      Mat3 A = Mat3::identity();
      Vec3 shift;
      if (trial >= 2) A = random.rotation(), shift = random.in_cube() * 10.0;
      if (trial >= 20) A = A * Mat3{random.in_cube(), random.in_cube(), random.in_cube()};
      if (std::fabs(determinant(A)) < 1e-2) continue;
      std::vector<Vec3> points = cube_lattice(n);
      for (Vec3& p : points) p = shift + A * p;
      const Polyhedron hull = convex_hull(points);
      check_hull(hull, points);
      CHECK(hull.vertices.size() == 8);
      CHECK(hull.triangles.size() == 12);
      const double expected = 8 * std::fabs(determinant(A));
      CHECK(enclosed_volume(hull) == doctest::Approx(expected).epsilon(1e-11));
    }
  }
}

// On a small lattice most points share planes and lines with others, in every combination.
TEST_CASE("hull: of lattice points keeps exactly the extreme ones, without flat triangles") {
  Random random{8};
  const auto coordinate = [&] { return std::floor(random.between(0, 4)); };
  int solids = 0;
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    std::vector<Vec3> points(static_cast<std::size_t>(random.between(5, 40)));
    for (Vec3& p : points) p = {coordinate(), coordinate(), coordinate()};
    Polyhedron hull;
    try {
      hull = convex_hull(points);
    } catch (const InputError&) {
      continue;
    }
    ++solids;
    check_hull(hull, points);
    for (const auto& [i, j, k] : hull.triangles) {
      const Vec3 a = at(hull.vertices, i);
      CHECK(norm(cross(at(hull.vertices, j) - a, at(hull.vertices, k) - a)) >= 1);
    }
    // without any one vertex the solid is smaller, by a sixth of a cell at least
    for (std::size_t v = 0; v < hull.vertices.size() && hull.vertices.size() > 4; ++v) {
      std::vector<Vec3> others = hull.vertices;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(v));
      double volume = 0;
      try {
        volume = enclosed_volume(convex_hull(others));
      } catch (const InputError&) {
      }
      CHECK(volume <= enclosed_volume(hull) - 1.0 / 6 + 1e-9);
    }
  }
  CHECK(solids > 350);
}

TEST_CASE("hull: of a tetrahedron and inner points has its volume, at any scale") {
  Random random{3};
  for (const double scale : {1e-90, 1e-6, 1.0, 1e9, 1e90}) {
    CAPTURE(scale);
    std::vector<Vec3> points;
    for (int i = 0; i < 4; ++i) points.push_back(random.in_cube() * scale);
    const Vec3 a = points[1] - points[0], b = points[2] - points[0], c = points[3] - points[0];
    for (int i = 0; i < 50; ++i) {
      double u = random.unit(), v = random.unit(), w = random.unit();
      const double sum = 1 + u + v + w;
      points.push_back(points[0] + a * (u / sum) + b * (v / sum) + c * (w / sum));
    }
    const Polyhedron hull = convex_hull(points);
    CHECK(hull.triangles.size() == 4);
    CHECK(enclosed_volume(hull) / scale / scale / scale ==
          doctest::Approx(std::fabs(dot(a / scale, cross(b / scale, c / scale))) / 6));
  }
}

TEST_CASE("hull: copies of points and points on edges and faces change nothing") {
  std::vector<Vec3> points = cube_lattice(1);
  const std::vector<Vec3> corners = points;
  for (int i = 0; i < 3; ++i) points.insert(points.end(), corners.begin(), corners.end());
  points.push_back({1, 1, 0}), points.push_back({0, 0, 1}), points.push_back({0.3, -1, 0.2});
  const Polyhedron hull = convex_hull(points);
  CHECK(hull.vertices == corners);
  CHECK(enclosed_volume(hull) == 8.0);
}

TEST_CASE("hull: a thin wafer and a needle keep their volume") {
  Random random{4};
  for (const Vec3 size : {Vec3{1, 1, 1e-6}, Vec3{1, 1e-6, 1e-6}}) {
    const Mat3 R = random.rotation();
    std::vector<Vec3> points;
    for (const Vec3& p : cube_lattice(2)) {
      points.push_back(R * Vec3{p.x * size.x, p.y * size.y, p.z * size.z});
    }
    const Polyhedron hull = convex_hull(points);
    CHECK(hull.vertices.size() == 8);
    CHECK(enclosed_volume(hull) == doctest::Approx(8 * size.x * size.y * size.z).epsilon(1e-6));
  }
}

TEST_CASE("hull: points that span no solid are refused") {
  Random random{5};
  const auto hull_of = [](std::vector<Vec3> points) {
    return test::error_text([&] { convex_hull(points); });
  };
  CHECK(hull_of({}) == "convex hull: 0 points, expected 4 to 4194304");
  CHECK(hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).starts_with("convex hull: 3 points"));
  CHECK(hull_of(std::vector<Vec3>(5, Vec3{1, 2, 3})) ==
        "convex hull: all points coincide, expected a solid");
  CHECK(hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}) ==
        "convex hull: point 3 is not finite");
  CHECK(hull_of({{0, 0, 0}, {1e308, 0, 0}, {-1e308, 1, 0}, {0, 0, 1}}).find("out of range") !=
        std::string::npos);

  const Mat3 R = random.rotation();
  std::vector<Vec3> line, plane;
  for (int i = 0; i < 30; ++i) {
    line.push_back(R * Vec3{random.unit(), 0, 0});
    plane.push_back(R * Vec3{random.unit(), random.unit(), 0});
  }
  CHECK(hull_of(line) == "convex hull: the 30 points lie in one plane, expected a solid");
  CHECK(hull_of(plane) == "convex hull: the 30 points lie in one plane, expected a solid");
}

TEST_CASE("polyhedron: faces in any orientation come back outward") {
  Random random{6};
  const std::vector<Vec3> corners = cube_lattice(1);
  for (int trial = 0; trial < 20; ++trial) {
    auto faces = cube_faces;
    for (auto& f : faces) {
      if (random.unit() < 0.5) std::swap(f[0], f[1]);
    }
    const Polyhedron p = convex_polyhedron(corners, faces);
    CHECK(p.vertices == corners);
    CHECK(enclosed_volume(p) == 8.0);
  }
}

TEST_CASE("polyhedron: vertices printed with six digits still make convex faces") {
  Random random{7};
  const Mat3 R = random.rotation();
  std::vector<Vec3> corners = cube_lattice(1);
  for (Vec3& p : corners) {
    p = R * p;
    for (int k = 0; k < 3; ++k) p[k] = std::round(p[k] * 1e6) / 1e6;
  }
  CHECK(enclosed_volume(convex_polyhedron(corners, cube_faces)) ==
        doctest::Approx(8).epsilon(1e-5));
}

TEST_CASE("polyhedron: what does not bound a convex body is refused by face") {
  const std::vector<Vec3> corners = cube_lattice(1);
  const auto refused = [&](std::vector<Vec3> vertices, std::vector<std::array<int, 3>> faces) {
    return test::error_text([&] { convex_polyhedron(vertices, faces); });
  };
  auto faces = cube_faces;
  faces.pop_back();
  CHECK(refused(corners, faces) ==
        "face 2 (4, 7, 5): no other face shares its edge 7-5, expected a closed surface");
  faces = cube_faces, faces[2] = {4, 5, 8};
  CHECK(refused(corners, faces) == "face 2 (4, 5, 8): vertex 8 does not exist, expected 0 to 7");
  faces = cube_faces, faces[2] = {4, 4, 7};
  CHECK(refused(corners, faces) == "face 2 (4, 4, 7): has no area");
  faces = cube_faces, faces.push_back(faces[3]);
  CHECK(refused(corners, faces) ==
        "face 12 (4, 6, 7): is not on the convex hull: it overlaps or folds onto face 3");
  CHECK(refused(corners, {}) == "polyhedron: 0 faces, expected at least 4");

  // a corner pushed inwards makes its edges reflex
  std::vector<Vec3> dented = corners;
  dented[7] = {0.2, 0.2, 0.2};
  CHECK(refused(dented, cube_faces).find("is not on the convex hull: vertex") != std::string::npos);

  // two cubes, one within the other: closed, but the inner one is not on the hull
  std::vector<Vec3> nested = corners;
  for (const Vec3& p : corners) nested.push_back(p * 0.5);
  faces = cube_faces;
  for (const auto& f : cube_faces) faces.push_back({f[0] + 8, f[1] + 8, f[2] + 8});
  CHECK(refused(nested, faces) ==
        "polyhedron: its faces enclose 9.000000 m^3, their convex hull 8.000000");
}

TEST_CASE("mesh: the volume converges to the closed form with second order") {
  struct Case {
    Geometry geometry;
    double volume;
  };
  const Case cases[] = {{Sphere{0.7}, 4.0 / 3 * pi * 0.343},
                        {Cylinder{0.3, 0.8}, pi * 0.09 * 1.6},
                        {Capsule{0.3, 0.8}, pi * 0.09 * 1.6 + 4.0 / 3 * pi * 0.027}};
  for (const Case& c : cases) {
    CAPTURE(c.geometry.index());
    const double coarse = c.volume - enclosed_volume(tessellate(c.geometry, 32));
    const double fine = c.volume - enclosed_volume(tessellate(c.geometry, 64));
    CHECK(fine > 0);
    CHECK(fine < 0.01 * c.volume);
    CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.01));
  }
  CHECK(enclosed_volume(tessellate(Box{{1, 2, 3}})) == doctest::Approx(48).epsilon(1e-15));
  const Polyhedron hull = convex_hull(cube_lattice(2));
  CHECK(enclosed_volume(tessellate(hull)) == doctest::Approx(8).epsilon(1e-15));
}

TEST_CASE("mesh: normals are unit, outward and agree with the triangles") {
  const Geometry geometries[] = {Sphere{0.7},     Cylinder{0.3, 0.8}, Capsule{0.3, 0.8},
                                 Capsule{0.3, 0}, Box{{1, 2, 3}},     convex_hull(cube_lattice(1)),
                                 Plane{}};
  for (const Geometry& g : geometries) {
    for (const int segments : {3, 7, 32}) {
      CAPTURE(g.index());
      CAPTURE(segments);
      const Mesh m = tessellate(g, segments);
      REQUIRE(m.positions.size() == m.normals.size());
      for (const Vec3& n : m.normals) CHECK(norm(n) == doctest::Approx(1).epsilon(1e-14));
      for (const auto& t : m.triangles) {
        const Vec3 a = at(m.positions, t[0]);
        const Vec3 area = cross(at(m.positions, t[1]) - a, at(m.positions, t[2]) - a);
        CHECK(norm(area) > 0);
        for (const int v : t) CHECK(dot(at(m.normals, v), area) > 0);
      }
    }
  }
}

TEST_CASE("mesh: every surface but the plane is closed") {
  for (const Geometry& g : {Geometry{Sphere{0.7}}, Geometry{Cylinder{0.3, 0.8}},
                            Geometry{Capsule{0.3, 0.8}}, Geometry{Box{{1, 2, 3}}}}) {
    CAPTURE(g.index());
    const Mesh m = tessellate(g, 12);
    // by position, each directed edge has its reverse
    std::map<std::array<double, 6>, int> edges;
    for (const auto& t : m.triangles) {
      for (std::size_t e = 0; e < 3; ++e) {
        const Vec3 a = at(m.positions, t[e]), b = at(m.positions, t[(e + 1) % 3]);
        ++edges[{a.x, a.y, a.z, b.x, b.y, b.z}];
        --edges[{b.x, b.y, b.z, a.x, a.y, a.z}];
      }
    }
    for (const auto& [edge, count] : edges) CHECK(count == 0);
  }
}
