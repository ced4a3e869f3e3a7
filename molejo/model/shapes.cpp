#include "molejo/model/shapes.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <numbers>
#include <unordered_map>

#include "molejo/math/same_bits.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// Files give vertices with few digits, so that four of them are seldom quite in one plane.
constexpr double convexity_tolerance = 1e-5;  // of the extent

using Triangle = std::array<int, 3>;

const Vec3& at(const std::vector<Vec3>& v, int i) { return v[static_cast<std::size_t>(i)]; }

[[noreturn]] void refuse_face(std::size_t f, const Triangle& t, const std::string& why) {
  throw InputError("face " + std::to_string(f) + " (" + std::to_string(t[0]) + ", " +
                   std::to_string(t[1]) + ", " + std::to_string(t[2]) + "): " + why);
}

// Turns each face away from the middle of the vertices.
void orient_outward(const std::vector<Vec3>& vertices, std::vector<Triangle>& faces,
                    double extent) {
  Vec3 middle;
  for (const Vec3& v : vertices) middle += v / static_cast<double>(vertices.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    Triangle& t = faces[f];
    for (const int i : t) {
      if (i < 0 || static_cast<std::size_t>(i) >= vertices.size()) {
        refuse_face(f, t,
                    "vertex " + std::to_string(i) + " does not exist, expected 0 to " +
                        std::to_string(vertices.size() - 1));
      }
    }
    const Vec3 a = at(vertices, t[0]);
    const Vec3 n = cross(at(vertices, t[1]) - a, at(vertices, t[2]) - a);
    constexpr double smallest = 1e-14;  // of the square of the extent
    if (!(norm(n) > smallest * extent * extent)) refuse_face(f, t, "has no area");
    if (dot(n, middle - a) > 0) std::swap(t[1], t[2]);
  }
}

std::uint64_t edge_key(int from, int to) {
  return (std::uint64_t{static_cast<std::uint32_t>(from)} << 32) | static_cast<std::uint32_t>(to);
}

// The face on the left of each directed edge; all edges must have a face on either side.
std::unordered_map<std::uint64_t, std::size_t> faces_by_edge(const std::vector<Triangle>& faces) {
  std::unordered_map<std::uint64_t, std::size_t> left;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::size_t e = 0; e < 3; ++e) {
      const auto [twin, is_new] = left.emplace(edge_key(faces[f][e], faces[f][(e + 1) % 3]), f);
      if (!is_new) {
        refuse_face(f, faces[f],
                    "is not on the convex hull: it overlaps or folds onto face " +
                        std::to_string(twin->second));
      }
    }
  }
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::size_t e = 0; e < 3; ++e) {
      const int a = faces[f][e], b = faces[f][(e + 1) % 3];
      if (!left.contains(edge_key(b, a))) {
        refuse_face(f, faces[f],
                    "no other face shares its edge " + std::to_string(a) + "-" + std::to_string(b) +
                        ", expected a closed surface");
      }
    }
  }
  return left;
}

// Beyond no edge may the surface rise above the plane of the face.
void check_edges_convex(const Polyhedron& p, double slack) {
  const auto left = faces_by_edge(p.triangles);
  for (std::size_t f = 0; f < p.triangles.size(); ++f) {
    const Triangle& t = p.triangles[f];
    const Vec3 a = at(p.vertices, t[0]);
    const Vec3 n = normalized(cross(at(p.vertices, t[1]) - a, at(p.vertices, t[2]) - a));
    for (std::size_t e = 0; e < 3; ++e) {
      for (const int v : p.triangles[left.at(edge_key(t[(e + 1) % 3], t[e]))]) {
        if (dot(n, at(p.vertices, v) - a) > slack) {
          refuse_face(
              f, t,
              "is not on the convex hull: vertex " + std::to_string(v) + " lies outside its plane");
        }
      }
    }
  }
}

struct Measures {
  double volume = 0, area = 0;
};

Measures measure(const Polyhedron& p) {
  Measures s;
  const Vec3 o = p.vertices.front();
  for (const Triangle& t : p.triangles) {
    const Vec3 a = at(p.vertices, t[0]) - o, b = at(p.vertices, t[1]) - o;
    const Vec3 c = at(p.vertices, t[2]) - o;
    s.volume += dot(a, cross(b, c)) / 6;
    s.area += norm(cross(b - a, c - a)) / 2;
  }
  return s;
}

class MeshBuilder {
 public:
  int vertex(const Vec3& position, const Vec3& normal) {
    mesh.positions.push_back(position), mesh.normals.push_back(normal);
    return static_cast<int>(mesh.positions.size()) - 1;
  }

  // A convex polygon with one normal.
  void flat_face(std::initializer_list<Vec3> corners, const Vec3& normal) {
    const int first = static_cast<int>(mesh.positions.size());
    for (const Vec3& c : corners) vertex(c, normal);
    for (int i = 1; i + 1 < static_cast<int>(corners.size()); ++i) {
      mesh.triangles.push_back({first, first + i, first + i + 1});
    }
  }

  // A closed strip between two rings of `n` vertices, `upper` counter-clockwise seen from +z.
  void band(int lower, int upper, int n) {
    for (int i = 0; i < n; ++i) {
      const int j = (i + 1) % n;
      mesh.triangles.push_back({lower + i, lower + j, upper + j});
      mesh.triangles.push_back({lower + i, upper + j, upper + i});
    }
  }

  // A fan from a centre to a ring of `n` vertices.
  void fan(int centre, int ring, int n, bool upward) {
    for (int i = 0; i < n; ++i) {
      const int a = ring + i, b = ring + (i + 1) % n;
      if (upward) {
        mesh.triangles.push_back({centre, a, b});
      } else {
        mesh.triangles.push_back({centre, b, a});
      }
    }
  }

  Mesh mesh;
};

Vec3 on_circle(int i, int n) {
  const double angle = 2 * std::numbers::pi * i / n;
  const SinCos<double> sc = sincos(angle);
  return {sc.cos, sc.sin, 0};
}

// A ball cut at its equator, the halves moved apart by half_length each; a sphere needs no barrel.
Mesh rounded(double radius, double half_length, int segments) {
  MeshBuilder b;
  const int quarter = std::max(1, segments / 4);  // bands from the pole to the equator
  const int rings = half_length > 0 ? 2 * quarter : 2 * quarter - 1;
  const auto ring = [&](double latitude, double shift) {
    const int first = static_cast<int>(b.mesh.positions.size());
    const SinCos<double> sc = sincos(latitude);
    for (int i = 0; i < segments; ++i) {
      const Vec3 n = on_circle(i, segments) * sc.cos + Vec3{0, 0, sc.sin};
      b.vertex(n * radius + Vec3{0, 0, shift}, n);
    }
    return first;
  };
  int below = -1;
  for (int k = 0; k < rings; ++k) {
    // from south to north; with a barrel the equator comes twice
    const bool north = half_length > 0 ? k >= quarter : k + 1 >= quarter;
    const int step = half_length > 0 && north ? k - quarter : k + 1 - quarter;
    const double latitude = std::numbers::pi / 2 * step / quarter;
    const int here = ring(latitude, north ? half_length : -half_length);
    if (below >= 0) b.band(below, here, segments);
    below = here;
  }
  const int south = b.vertex({0, 0, -radius - half_length}, {0, 0, -1});
  const int top = b.vertex({0, 0, radius + half_length}, {0, 0, 1});
  b.fan(south, 0, segments, false);
  b.fan(top, below, segments, true);
  return b.mesh;
}

Mesh mesh_of(const Sphere& s, int segments) { return rounded(s.radius, 0, segments); }
Mesh mesh_of(const Capsule& c, int segments) { return rounded(c.radius, c.half_length, segments); }

Mesh mesh_of(const Box& box, int) {
  MeshBuilder b;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      // u, v, n right-handed, so that the corners turn counter-clockwise
      Vec3 n, u, v;
      n[axis] = sign * box.half[axis];
      u[(axis + 1) % 3] = sign * box.half[(axis + 1) % 3];
      v[(axis + 2) % 3] = box.half[(axis + 2) % 3];
      Vec3 normal;
      normal[axis] = sign;
      b.flat_face({n - u - v, n + u - v, n + u + v, n - u + v}, normal);
    }
  }
  return b.mesh;
}

Mesh mesh_of(const Cylinder& c, int segments) {
  MeshBuilder b;
  const auto ring = [&](double z, const Vec3& flat) {
    const int first = static_cast<int>(b.mesh.positions.size());
    for (int i = 0; i < segments; ++i) {
      const Vec3 side = on_circle(i, segments);
      b.vertex(side * c.radius + Vec3{0, 0, z}, flat.z == 0 ? side : flat);
    }
    return first;
  };
  const double h = c.half_length;
  const int bottom = ring(-h, {}), top = ring(h, {});
  b.band(bottom, top, segments);
  for (const double sign : {-1.0, 1.0}) {
    const Vec3 normal{0, 0, sign};
    const int rim = ring(sign * h, normal);
    b.fan(b.vertex(normal * h, normal), rim, segments, sign > 0);
  }
  return b.mesh;
}

Mesh mesh_of(const Polyhedron& p, int) {
  MeshBuilder b;
  for (const Triangle& t : p.triangles) {
    const Vec3 u = at(p.vertices, t[0]), v = at(p.vertices, t[1]), w = at(p.vertices, t[2]);
    const Vec3 n = cross(v - u, w - u);
    if (norm(n) > 0) b.flat_face({u, v, w}, normalized(n));
  }
  return b.mesh;
}

Mesh mesh_of(const Plane&, int) {
  MeshBuilder b;
  constexpr double e = drawn_plane_half;
  b.flat_face({{-e, -e, 0}, {e, -e, 0}, {e, e, 0}, {-e, e, 0}}, {0, 0, 1});
  return b.mesh;
}

// Smooth normals from central differences of the heights.
Mesh mesh_of(const HeightField& field, int) {
  MeshBuilder b;
  const auto height = [&](int i, int j) {
    const int c = std::clamp(i, 0, field.columns - 1), r = std::clamp(j, 0, field.rows - 1);
    return field.heights[static_cast<std::size_t>(r) * static_cast<std::size_t>(field.columns) +
                         static_cast<std::size_t>(c)];
  };
  // the ends of a row have a neighbour on one side only
  const auto slope = [](double before, double after, int n, int count, double spacing) {
    return (after - before) / (spacing * (n == 0 || n == count - 1 ? 1 : 2));
  };
  for (int j = 0; j < field.rows; ++j) {
    for (int i = 0; i < field.columns; ++i) {
      const Vec3 p{(i - 0.5 * (field.columns - 1)) * field.dx,
                   (j - 0.5 * (field.rows - 1)) * field.dy, height(i, j)};
      b.vertex(p, normalized(Vec3{
                      -slope(height(i - 1, j), height(i + 1, j), i, field.columns, field.dx),
                      -slope(height(i, j - 1), height(i, j + 1), j, field.rows, field.dy), 1}));
    }
  }
  for (int j = 0; j + 1 < field.rows; ++j) {
    for (int i = 0; i + 1 < field.columns; ++i) {
      const int a = j * field.columns + i, c = a + field.columns;
      b.mesh.triangles.push_back({a, a + 1, c + 1});
      b.mesh.triangles.push_back({a, c + 1, c});
    }
  }
  return b.mesh;
}

}  // namespace

Polyhedron convex_polyhedron(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> faces) {
  const Polyhedron hull = convex_hull(vertices);
  if (faces.size() < 4) {
    throw InputError("polyhedron: " + std::to_string(faces.size()) + " faces, expected at least 4");
  }
  double extent = 0;
  for (const Vec3& v : vertices) extent = std::max(extent, max_abs(v - vertices.front()));
  const double slack = convexity_tolerance * extent;

  Polyhedron p{std::move(vertices), std::move(faces)};
  orient_outward(p.vertices, p.triangles, extent);
  check_edges_convex(p, slack);

  // a closed surface without a reflex edge bounds its hull, unless it winds around it twice
  const Measures given = measure(p), expected = measure(hull);
  if (std::fabs(given.volume - expected.volume) > 2 * slack * expected.area) {
    throw InputError("polyhedron: its faces enclose " + std::to_string(given.volume) +
                     " m^3, their convex hull " + std::to_string(expected.volume));
  }
  return p;
}

Mesh tessellate(const Geometry& geometry, int segments) {
  const int n = std::clamp(segments, 3, 1024);
  return std::visit([n](const auto& g) { return mesh_of(g, n); }, geometry);
}

}  // namespace molejo
