#include "molejo/collision/features.h"

namespace molejo {

namespace {

constexpr double on_feature = 1e-9;  // of the reach

double squared_distance_to_line(const Vec3& p, const Vec3& from, const Vec3& to) {
  const Vec3 e = to - from;
  const Vec3 c = cross(e, p - from);
  const double length2 = dot(e, e);
  return length2 > 0 ? dot(c, c) / length2 : dot(p - from, p - from);
}

Feature on_segment(const Convex& solid, const Vec3& p) {
  const double h = solid.half.z;
  if (h - std::fabs(p.z) > on_feature * solid.reach) return {FeatureKind::edge, 0};
  return {FeatureKind::vertex, p.z > 0 ? 1 : 0};
}

Feature on_triangle(const Convex& solid, const Vec3& p) {
  const double near = on_feature * solid.reach;
  for (int i = 0; i < 3; ++i) {
    const Vec3 d = p - solid.corner[i];
    if (dot(d, d) <= near * near) return {FeatureKind::vertex, i};
  }
  for (int i = 0; i < 3; ++i) {
    const Vec3 &from = solid.corner[i], &to = solid.corner[(i + 1) % 3];
    if (squared_distance_to_line(p, from, to) <= near * near) return {FeatureKind::edge, i};
  }
  return {FeatureKind::face, 0};
}

Feature on_cylinder(const Convex& solid, const Vec3& p) {
  const double near = on_feature * solid.reach;
  const int end = p.z > 0 ? 1 : 0;
  if (solid.half.z - std::fabs(p.z) > near) return {FeatureKind::surface, 0};
  const bool rim = solid.half.x - std::sqrt(p.x * p.x + p.y * p.y) <= near;
  return {rim ? FeatureKind::edge : FeatureKind::face, end};
}

int edge_between(const ConvexMesh& mesh, int i, int j) {
  const auto v = static_cast<std::size_t>(i);
  for (int k = mesh.vertex_start[v]; k < mesh.vertex_start[v + 1]; ++k) {
    const int e = mesh.vertex_edges[static_cast<std::size_t>(k)];
    const ConvexMesh::Edge& edge = mesh.edges[static_cast<std::size_t>(e)];
    if (edge.vertex[0] == j || edge.vertex[1] == j) return e;
  }
  return -1;
}

Feature on_box(const Convex& solid, const Vec3& p) {
  // the coordinates that are at their limits
  const double near = on_feature * solid.reach;
  int vertex = 0, inner = 0, inner_axis = 0, outer_axis = 0;
  double nearest = INFINITY;
  for (int i = 0; i < 3; ++i) {
    if (p[i] > 0) vertex |= 1 << i;
    const double room = solid.half[i] - std::fabs(p[i]);
    if (room > near) ++inner, inner_axis = i;
    if (room < nearest) nearest = room, outer_axis = i;
  }
  if (inner == 0) return {FeatureKind::vertex, vertex};
  if (inner == 1) {
    return {FeatureKind::edge, edge_between(*solid.mesh, vertex, vertex ^ (1 << inner_axis))};
  }
  return {FeatureKind::face, 2 * outer_axis + (vertex >> outer_axis & 1)};
}

// A point of the surface is a mixture of vertices of the smallest feature that holds it.
Feature on_polyhedron(const Convex& solid, const Vec3& p, const int* vertex, int count) {
  const ConvexMesh& mesh = *solid.mesh;
  const double near = on_feature * solid.reach;
  for (int i = 0; i < count; ++i) {
    const Vec3 d = p - mesh_vertex(mesh, vertex[i]);
    if (dot(d, d) <= near * near) return {FeatureKind::vertex, vertex[i]};
  }
  const auto around = [&](int v) {
    return std::pair(mesh.vertex_start[static_cast<std::size_t>(v)],
                     mesh.vertex_start[static_cast<std::size_t>(v) + 1]);
  };
  for (int i = 0; i < count; ++i) {
    const auto [begin, end] = around(vertex[i]);
    for (int k = begin; k < end; ++k) {
      const int e = mesh.vertex_edges[static_cast<std::size_t>(k)];
      const ConvexMesh::Edge& edge = mesh.edges[static_cast<std::size_t>(e)];
      if (squared_distance_to_line(p, mesh_vertex(mesh, edge.vertex[0]),
                                   mesh_vertex(mesh, edge.vertex[1])) <= near * near) {
        return {FeatureKind::edge, e};
      }
    }
  }
  int best = 0;
  double highest = -INFINITY;
  const auto [begin, end] = around(vertex[0]);
  for (int k = begin; k < end; ++k) {
    const int f = mesh.vertex_faces[static_cast<std::size_t>(k)];
    const ConvexMesh::Face& face = mesh.faces[static_cast<std::size_t>(f)];
    const double height = dot(face.normal, p) - face.offset;
    if (height > highest) highest = height, best = f;
  }
  return {FeatureKind::face, best};
}

}  // namespace

Feature feature_at(const Convex& solid, const Simplex& simplex, Extreme DifferencePoint::*side) {
  Vec3 p;
  int vertex[4], count = simplex.count;
  for (int i = 0; i < count; ++i) {
    const Extreme& corner = simplex.point[i].*side;
    p += corner.p * simplex.weight[i], vertex[i] = corner.vertex;
  }
  switch (solid.core) {
    case Core::point:
      return {};
    case Core::segment:
      return on_segment(solid, p);
    case Core::triangle:
      return on_triangle(solid, p);
    case Core::box:
      return on_box(solid, p);
    case Core::cylinder:
      return on_cylinder(solid, p);
    case Core::polyhedron:
      break;
  }
  return on_polyhedron(solid, p, vertex, count);
}

}  // namespace molejo
