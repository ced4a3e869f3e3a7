#include "molejo/collision/convex.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <optional>
#include <utility>

#include "molejo/collision/support.h"

namespace molejo {

namespace {

constexpr double coplanar = 3e-7;  // of the extent: what single precision keeps

using Outline = std::vector<int>;
using Triangle = std::array<int, 3>;

const Vec3& at(const std::vector<Vec3>& v, int i) { return v[static_cast<std::size_t>(i)]; }
int int_size(const auto& container) { return static_cast<int>(container.size()); }

// Sum of the cross products of a fan: twice the area, along the normal (Newell).
Vec3 double_area(const std::vector<Vec3>& vertices, const Outline& polygon) {
  Vec3 sum;
  const Vec3 o = at(vertices, polygon[0]);
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    sum += cross(at(vertices, polygon[i]) - o, at(vertices, polygon[i + 1]) - o);
  }
  return sum;
}

// Lists of numbers under a key 0 .. n-1, as one array with starts; sorted, each number once.
void flatten(std::vector<std::vector<int>>& lists, std::vector<int>& start,
             std::vector<int>& values) {
  start.assign(1, 0);
  values.clear();
  for (std::vector<int>& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    values.insert(values.end(), list.begin(), list.end());
    start.push_back(int_size(values));
  }
}

void add_faces(ConvexMesh& mesh, const std::vector<Outline>& polygons) {
  for (const Outline& polygon : polygons) {
    ConvexMesh::Face face;
    face.normal = normalized(double_area(mesh.vertices, polygon));
    face.offset = dot(face.normal, at(mesh.vertices, polygon[0]));
    for (const int v : polygon) {
      face.offset = std::max(face.offset, dot(face.normal, at(mesh.vertices, v)));
    }
    face.first = int_size(mesh.face_vertices);
    face.count = int_size(polygon);
    mesh.face_vertices.insert(mesh.face_vertices.end(), polygon.begin(), polygon.end());
    mesh.faces.push_back(face);
  }
}

// The edge of two faces belongs to the one that comes first, in its direction.
void add_edges(ConvexMesh& mesh) {
  std::map<std::pair<int, int>, int> known;
  for (int f = 0; f < int_size(mesh.faces); ++f) {
    const ConvexMesh::Face& face = mesh.faces[static_cast<std::size_t>(f)];
    for (int i = 0; i < face.count; ++i) {
      const int from = mesh.face_vertices[static_cast<std::size_t>(face.first + i)];
      const int to =
          mesh.face_vertices[static_cast<std::size_t>(face.first + (i + 1) % face.count)];
      const auto twin = known.find({to, from});
      if (twin == known.end()) {
        known[{from, to}] = int_size(mesh.edges);
        mesh.face_edges.push_back(int_size(mesh.edges));
        mesh.edges.push_back({{from, to}, {f, -1}});
      } else {
        mesh.face_edges.push_back(twin->second);
        mesh.edges[static_cast<std::size_t>(twin->second)].face[1] = f;
      }
    }
  }
}

// `diagonals`: triangles whose sides count as neighbours as well.
ConvexMesh mesh_of_polygons(std::vector<Vec3> vertices, const std::vector<Outline>& polygons,
                            const std::vector<Triangle>& diagonals) {
  ConvexMesh mesh;
  mesh.vertices = std::move(vertices);
  add_faces(mesh, polygons);
  add_edges(mesh);

  std::vector<std::vector<int>> neighbours(mesh.vertices.size());
  auto around_faces = neighbours, around_edges = neighbours;
  const auto connect = [&](int i, int j) {
    neighbours[static_cast<std::size_t>(i)].push_back(j);
    neighbours[static_cast<std::size_t>(j)].push_back(i);
  };
  for (int e = 0; e < int_size(mesh.edges); ++e) {
    const ConvexMesh::Edge& edge = mesh.edges[static_cast<std::size_t>(e)];
    connect(edge.vertex[0], edge.vertex[1]);
    for (const int v : edge.vertex) {
      around_edges[static_cast<std::size_t>(v)].push_back(e);
      for (const int f : edge.face) around_faces[static_cast<std::size_t>(v)].push_back(f);
    }
  }
  for (const Triangle& t : diagonals) connect(t[0], t[1]), connect(t[1], t[2]), connect(t[2], t[0]);
  flatten(neighbours, mesh.neighbour_start, mesh.neighbours);
  flatten(around_faces, mesh.vertex_start, mesh.vertex_faces);
  flatten(around_edges, mesh.vertex_start, mesh.vertex_edges);
  // as many edges as faces meet at a vertex of a closed surface
  assert(mesh.vertex_faces.size() == mesh.vertex_edges.size());
  return mesh;
}

std::map<std::pair<int, int>, int> left_triangles(const Polyhedron& hull) {
  std::map<std::pair<int, int>, int> left;
  for (int t = 0; t < int_size(hull.triangles); ++t) {
    const Triangle& corners = hull.triangles[static_cast<std::size_t>(t)];
    for (std::size_t i = 0; i < 3; ++i) left[{corners[i], corners[(i + 1) % 3]}] = t;
  }
  return left;
}

// The face that each triangle belongs to: faces grow from their largest triangle over neighbours
// that lie in its plane.
std::vector<int> coplanar_groups(const Polyhedron& hull, double tolerance) {
  const auto left = left_triangles(hull);
  std::vector<Vec3> area;
  std::vector<int> order;
  for (const Triangle& t : hull.triangles) {
    order.push_back(int_size(area));
    area.push_back(double_area(hull.vertices, {t[0], t[1], t[2]}));
  }
  const auto size = [&](int t) { return norm(at(area, t)); };
  std::stable_sort(order.begin(), order.end(), [&](int s, int t) { return size(s) > size(t); });

  std::vector<int> group(hull.triangles.size(), -1);
  const auto group_of = [&](int t) -> int& { return group[static_cast<std::size_t>(t)]; };
  int count = 0;
  for (const int seed : order) {
    if (group_of(seed) >= 0) continue;
    group_of(seed) = count;
    const Vec3 n = normalized(at(area, seed));
    const Vec3 o = at(hull.vertices, hull.triangles[static_cast<std::size_t>(seed)][0]);
    std::vector<int> pending{seed};
    while (!pending.empty()) {
      const Triangle t = hull.triangles[static_cast<std::size_t>(pending.back())];
      pending.pop_back();
      for (std::size_t i = 0; i < 3; ++i) {
        const int other = left.at({t[(i + 1) % 3], t[i]});
        const Triangle& u = hull.triangles[static_cast<std::size_t>(other)];
        const bool flat = std::all_of(u.begin(), u.end(), [&](int v) {
          return std::fabs(dot(n, at(hull.vertices, v) - o)) <= tolerance;
        });
        if (group_of(other) < 0 && flat && dot(n, at(area, other)) >= 0) {
          group_of(other) = count;
          pending.push_back(other);
        }
      }
    }
    ++count;
  }
  return group;
}

// The outline of each group, or nothing when one of them is not a single loop.
std::optional<std::vector<Outline>> outlines(const Polyhedron& hull,
                                             const std::vector<int>& group) {
  const auto left = left_triangles(hull);
  const auto group_of = [&](int t) { return group[static_cast<std::size_t>(t)]; };
  std::vector<std::map<int, int>> next(
      static_cast<std::size_t>(1 + *std::max_element(group.begin(), group.end())));
  for (const auto& [edge, t] : left) {
    const int g = group_of(t);
    if (group_of(left.at({edge.second, edge.first})) == g) continue;
    if (!next[static_cast<std::size_t>(g)].emplace(edge.first, edge.second).second) return {};
  }
  std::vector<Outline> polygons;
  for (const auto& loop : next) {
    if (loop.size() < 3) return {};
    Outline polygon{loop.begin()->first};
    for (int v = loop.begin()->second; v != polygon[0]; v = loop.at(v)) polygon.push_back(v);
    if (polygon.size() != loop.size()) return {};
    polygons.push_back(std::move(polygon));
  }
  return polygons;
}

// The vertices at which three or more faces meet.
std::vector<Vec3> corners_of(const Polyhedron& hull, const std::vector<int>& group) {
  std::vector<std::vector<int>> faces(hull.vertices.size());
  for (std::size_t t = 0; t < hull.triangles.size(); ++t) {
    for (const int v : hull.triangles[t]) faces[static_cast<std::size_t>(v)].push_back(group[t]);
  }
  std::vector<Vec3> corners;
  for (std::size_t v = 0; v < faces.size(); ++v) {
    std::sort(faces[v].begin(), faces[v].end());
    faces[v].erase(std::unique(faces[v].begin(), faces[v].end()), faces[v].end());
    if (faces[v].size() >= 3) corners.push_back(hull.vertices[v]);
  }
  return corners;
}

std::vector<int> each_its_own(const Polyhedron& hull) {
  std::vector<int> group(hull.triangles.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  return group;
}

double largest_norm(const std::vector<Vec3>& vertices) {
  double largest = 0;
  for (const Vec3& v : vertices) largest = std::max(largest, norm(v));
  return largest;
}

struct ConvexOf {
  std::deque<ConvexMesh>& meshes;

  Convex operator()(const Sphere& s) const {
    return {.core = Core::point, .radius = s.radius, .reach = s.radius};
  }
  Convex operator()(const Capsule& c) const {
    return {.core = Core::segment,
            .radius = c.radius,
            .half = {0, 0, c.half_length},
            .reach = c.radius + c.half_length};
  }
  Convex operator()(const Box& b) const {
    meshes.push_back(box_mesh(b.half));
    return {.core = Core::box, .half = b.half, .mesh = &meshes.back(), .reach = norm(b.half)};
  }
  Convex operator()(const Cylinder& c) const {
    return {.core = Core::cylinder,
            .half = {c.radius, c.radius, c.half_length},
            .reach = std::sqrt(c.radius * c.radius + c.half_length * c.half_length)};
  }
  Convex operator()(const Polyhedron& p) const {
    meshes.push_back(convex_mesh(p));
    return {.core = Core::polyhedron,
            .mesh = &meshes.back(),
            .reach = largest_norm(meshes.back().vertices)};
  }
  template <class Unbounded>
  Convex operator()(const Unbounded&) const {
    assert(false);  // a plane or a height field is no convex solid
    return {};
  }
};

}  // namespace

ConvexMesh convex_mesh(const Polyhedron& polyhedron) {
  const Polyhedron whole = convex_hull(polyhedron.vertices);
  double extent = 0;
  for (const Vec3& v : whole.vertices) extent = std::max(extent, max_abs(v - whole.vertices[0]));

  // leave out what is inside faces and edges, until nothing is
  Polyhedron hull = whole;
  for (;;) {
    const std::vector<int> group = coplanar_groups(hull, coplanar * extent);
    const std::vector<Vec3> corners = corners_of(hull, group);
    const auto polygons = outlines(hull, group);
    // a sheet so thin that its two sides seem to be one: every triangle stays a face
    if (corners.size() < 4 || !polygons || polygons->size() < 4) break;
    if (corners.size() == hull.vertices.size()) {
      return mesh_of_polygons(hull.vertices, *polygons, hull.triangles);
    }
    hull = convex_hull(corners);
  }
  return mesh_of_polygons(whole.vertices, *outlines(whole, each_its_own(whole)), {});
}

ConvexMesh box_mesh(const Vec3& half) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.push_back({(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                        (i & 4) != 0 ? half.z : -half.z});
  }
  const std::vector<Outline> polygons = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  ConvexMesh mesh = mesh_of_polygons(std::move(vertices), polygons, {});
  // exactly along the axes, however thin the box
  for (int f = 0; f < 6; ++f) {
    ConvexMesh::Face& face = mesh.faces[static_cast<std::size_t>(f)];
    face.normal = {};
    face.normal[f / 2] = f % 2 == 0 ? -1 : 1;
    face.offset = half[f / 2];
  }
  return mesh;
}

Convex make_convex(const Geometry& geometry, std::deque<ConvexMesh>& meshes) {
  return std::visit(ConvexOf{meshes}, geometry);
}

Convex convex_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  return {.core = Core::triangle,
          .corner = {a, b, c},
          .reach = std::max(norm(a), std::max(norm(b), norm(c)))};
}

Vec3 support(const Convex& a, const Vec3& direction) { return extreme(a, direction, 0).p; }

}  // namespace molejo
