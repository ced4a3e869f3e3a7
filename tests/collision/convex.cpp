#include "molejo/collision/convex.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <set>

#include "molejo/model/error.h"
#include "tests/collision/brute_force.h"
#include "tests/collision/random_solids.h"

using namespace molejo;

namespace {

int int_size(const auto& container) { return static_cast<int>(container.size()); }
const auto& at(const auto& container, int i) { return container[static_cast<std::size_t>(i)]; }

// All that must hold of a closed convex surface whose faces are polygons.
void check_mesh(const ConvexMesh& mesh, double flatness) {
  CHECK(mesh.vertices.size() + mesh.faces.size() == mesh.edges.size() + 2);
  double highest = -INFINITY, lowest_corner = INFINITY;
  for (int f = 0; f < int_size(mesh.faces); ++f) {
    const ConvexMesh::Face& face = at(mesh.faces, f);
    CHECK(norm(face.normal) == doctest::Approx(1).epsilon(1e-14));
    for (const Vec3& v : mesh.vertices) {
      highest = std::max(highest, dot(face.normal, v) - face.offset);
    }
    for (int i = 0; i < face.count; ++i) {
      const int from = at(mesh.face_vertices, face.first + i);
      const int to = at(mesh.face_vertices, face.first + (i + 1) % face.count);
      const int e = at(mesh.face_edges, face.first + i);
      const ConvexMesh::Edge& edge = at(mesh.edges, e);
      lowest_corner =
          std::min(lowest_corner, dot(face.normal, at(mesh.vertices, from)) - face.offset);
      // the face is on the left of its edges
      const int side = edge.vertex[0] == from ? 0 : 1;
      CHECK(edge.vertex[side] == from);
      CHECK(edge.vertex[1 - side] == to);
      CHECK(edge.face[side] == f);
      const auto around = [&](int v, const std::vector<int>& list, int wanted) {
        const auto begin = list.begin() + at(mesh.vertex_start, v);
        const auto end = list.begin() + at(mesh.vertex_start, v + 1);
        return std::count(begin, end, wanted) == 1;
      };
      CHECK(around(from, mesh.vertex_faces, f));
      CHECK(around(from, mesh.vertex_edges, e));
      CHECK(around(to, mesh.vertex_edges, e));
      const auto begin = mesh.neighbours.begin() + at(mesh.neighbour_start, from);
      const auto end = mesh.neighbours.begin() + at(mesh.neighbour_start, from + 1);
      CHECK(std::count(begin, end, to) == 1);
    }
  }
  CHECK(highest <= flatness);
  CHECK(lowest_corner >= -flatness);
  CHECK(2 * mesh.edges.size() == mesh.face_edges.size());
  CHECK(2 * mesh.edges.size() == mesh.vertex_edges.size());
}

std::vector<Vec3> turned(const std::vector<Vec3>& points, const Mat3& R) {
  std::vector<Vec3> result;
  for (const Vec3& p : points) result.push_back(R * p);
  return result;
}

std::vector<Vec3> lattice(int n) {
  std::vector<Vec3> points;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      for (int k = 0; k <= n; ++k) points.push_back(Vec3{1.0 * i, 1.0 * j, 1.0 * k});
    }
  }
  return points;
}

Polyhedron as_polyhedron(const std::vector<Vec3>& points) { return convex_hull(points); }

}  // namespace

TEST_CASE("convex: a cube of triangles has six square faces, in any position and with any points") {
  Random random{3};
  for (int i = 0; i < 50; ++i) {
    const std::vector<Vec3> points = turned(lattice(1 + i % 4), random.rotation());
    // the corners alone, or also the points inside of faces and edges
    const ConvexMesh mesh =
        i % 2 == 0 ? convex_mesh(as_polyhedron(points)) : convex_mesh(Polyhedron{points, {}});
    CHECK(mesh.vertices.size() == 8);
    CHECK(mesh.faces.size() == 6);
    CHECK(mesh.edges.size() == 12);
    for (const auto& f : mesh.faces) CHECK(f.count == 4);
    check_mesh(mesh, 1e-9);
  }
}

TEST_CASE("convex: faces are merged that single precision has made uneven") {
  Random random{4};
  for (int i = 0; i < 50; ++i) {
    std::vector<Vec3> points = turned(lattice(1), random.rotation());
    for (Vec3& p : points) {
      for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(static_cast<float>(p[k]));
    }
    const ConvexMesh mesh = convex_mesh(as_polyhedron(points));
    CHECK(mesh.faces.size() == 6);
    check_mesh(mesh, 1e-6);
  }
}

TEST_CASE("convex: prisms keep their polygons") {
  for (const int sides : {3, 5, 24, 100}) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      for (const double z : {-1.0, 1.0}) points.push_back({std::cos(angle), std::sin(angle), z});
    }
    const ConvexMesh mesh = convex_mesh(as_polyhedron(points));
    check_mesh(mesh, 1e-9);
    CHECK(int_size(mesh.faces) == sides + 2);
    CHECK(int_size(mesh.edges) == 3 * sides);
    std::multiset<int> counts;
    for (const auto& f : mesh.faces) counts.insert(f.count);
    CHECK(int(counts.count(sides)) == (sides == 4 ? 6 : 2));
  }
}

TEST_CASE("convex: random hulls and thin sheets are closed surfaces") {
  Random random{5};
  for (int i = 0; i < 100; ++i) {
    std::vector<Vec3> points;
    const double thickness = i % 2 == 0 ? 1 : random.magnitude(-8, 0);
    for (int k = 0; k < 4 + i; ++k) {
      const Vec3 p = random.in_cube();
      points.push_back({p.x, p.y, p.z * thickness});
    }
    CAPTURE(thickness);
    CAPTURE(i);
    check_mesh(convex_mesh(as_polyhedron(points)), 1e-6);
  }
  CHECK_THROWS_AS(convex_mesh(Polyhedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {}}),
                  InputError);
}

TEST_CASE("convex: the mesh of a box has its numbers from the signs of its corners") {
  const Vec3 half{1, 2, 0.003};
  const ConvexMesh mesh = box_mesh(half);
  check_mesh(mesh, 1e-15);
  for (int i = 0; i < 8; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(at(mesh.vertices, i)[axis] == ((i >> axis & 1) != 0 ? half[axis] : -half[axis]));
    }
  }
  for (int f = 0; f < 6; ++f) {
    Vec3 normal;
    normal[f / 2] = f % 2 == 0 ? -1 : 1;
    CHECK(at(mesh.faces, f).normal == normal);
    CHECK(at(mesh.faces, f).offset == half[f / 2]);
  }
  CHECK(mesh.neighbours.size() == 24);
}

TEST_CASE("convex: no point of the core is farther than the support") {
  const Solids solids(6);
  Random random{7};
  std::deque<ConvexMesh> meshes;
  std::vector<Convex> all = {convex_triangle({1, 0, 0}, {0, 1, 0.5}, {-1, -1, 2})};
  for (int kind = 0; kind < Solids::kinds; ++kind) {
    all.insert(all.end(), solids.kind(kind).begin(), solids.kind(kind).end());
  }
  // large enough to be climbed instead of scanned
  for (const int n : {60, 300, 1000}) {
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i) points.push_back(random.on_sphere());
    all.push_back(hull_of(points, meshes));
    all.push_back(hull_of(turned(lattice(3), random.rotation()), meshes));
  }
  double worst = 0;
  for (const Convex& c : all) {
    for (int i = 0; i < 200; ++i) {
      Vec3 d = random.on_sphere() * random.magnitude(-6, 6);
      if (i % 7 == 0) d = Vec3{1.0 * (random.below(3) - 1), 1.0 * (random.below(3) - 1), 0};
      const double found = dot(d, support(c, d));
      double expected = -INFINITY;
      if (c.core == Core::triangle) {
        for (const Vec3& v : c.corner) expected = std::max(expected, dot(d, v));
      } else {
        expected = dot(d, farthest(c, d));
      }
      worst = std::max(worst, (expected - found) / (norm(d) * c.reach + 1e-300));
      CHECK(norm(support(c, d)) + c.radius <= c.reach * (1 + 1e-14));
    }
  }
  CHECK(worst < 1e-14);
}

TEST_CASE("convex: solids are made from shapes") {
  std::deque<ConvexMesh> meshes;
  const Convex sphere = make_convex(Sphere{2}, meshes);
  CHECK(sphere.core == Core::point);
  CHECK(sphere.radius == 2);
  CHECK(sphere.reach == 2);
  const Convex capsule = make_convex(Capsule{0.5, 2}, meshes);
  CHECK(capsule.core == Core::segment);
  CHECK(capsule.half == Vec3{0, 0, 2});
  CHECK(capsule.reach == 2.5);
  CHECK(meshes.empty());
  const Convex box = make_convex(Box{{1, 2, 2}}, meshes);
  CHECK(box.core == Core::box);
  CHECK(box.mesh == &meshes[0]);
  CHECK(box.reach == 3);
  const Convex cylinder = make_convex(Cylinder{3, 4}, meshes);
  CHECK(cylinder.core == Core::cylinder);
  CHECK(cylinder.half == Vec3{3, 3, 4});
  CHECK(cylinder.reach == 5);
  const Convex hull = make_convex(as_polyhedron(lattice(1)), meshes);
  CHECK(hull.core == Core::polyhedron);
  CHECK(hull.mesh == &meshes[1]);
  CHECK(hull.reach == std::sqrt(3.0));
}
