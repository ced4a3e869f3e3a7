// Support functions of the cores, inline for the inner loops of the distance queries.
//
//   s(d) = a point x of the core with the largest d . x
//
// Small meshes are scanned; in large ones the search climbs from vertex to neighbour, which on a
// convex polyhedron ends at the farthest vertex.
#pragma once

#include "molejo/collision/convex.h"

namespace molejo {

struct Extreme {
  Vec3 p;
  int vertex = 0;  // of the mesh, the triangle or the segment; else 0
};

inline const Vec3& mesh_vertex(const ConvexMesh& mesh, int i) {
  return mesh.vertices[static_cast<std::size_t>(i)];
}

inline constexpr std::size_t scanned_vertices = 32;  // up to here a scan is the faster way

inline int scan_farthest(const ConvexMesh& mesh, const Vec3& d) {
  int best = 0;
  double farthest = dot(d, mesh.vertices[0]);
  const int n = static_cast<int>(mesh.vertices.size());
  for (int i = 1; i < n; ++i) {
    const double x = dot(d, mesh_vertex(mesh, i));
    if (x > farthest) farthest = x, best = i;
  }
  return best;
}

inline int climb_farthest(const ConvexMesh& mesh, const Vec3& d, int start) {
  int here = start;
  double farthest = dot(d, mesh_vertex(mesh, here));
  for (;;) {
    int next = here;
    const auto i = static_cast<std::size_t>(here);
    const int* neighbour = mesh.neighbours.data();
    for (int k = mesh.neighbour_start[i]; k < mesh.neighbour_start[i + 1]; ++k) {
      const double x = dot(d, mesh_vertex(mesh, neighbour[k]));
      if (x > farthest) farthest = x, next = neighbour[k];
    }
    if (next == here) return here;
    here = next;
  }
}

inline Extreme extreme_of_cylinder(const Vec3& half, const Vec3& d) {
  // along the axis all of the cap is farthest: its middle is as good as any
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  const double f = across > 0 ? half.x / across : 0;
  return {{d.x * f, d.y * f, d.z < 0 ? -half.z : half.z}, 0};
}

// `start`: a vertex near the answer, for speed.
inline Extreme extreme(const Convex& a, const Vec3& d, int start) {
  switch (a.core) {
    case Core::point:
      return {};
    case Core::segment:
      return d.z < 0 ? Extreme{{0, 0, -a.half.z}, 0} : Extreme{{0, 0, a.half.z}, 1};
    case Core::triangle: {
      const double x0 = dot(d, a.corner[0]), x1 = dot(d, a.corner[1]), x2 = dot(d, a.corner[2]);
      const int i = x1 > x0 ? (x2 > x1 ? 2 : 1) : (x2 > x0 ? 2 : 0);
      return {a.corner[i], i};
    }
    case Core::box:
      return {{d.x < 0 ? -a.half.x : a.half.x, d.y < 0 ? -a.half.y : a.half.y,
               d.z < 0 ? -a.half.z : a.half.z},
              (d.x < 0 ? 0 : 1) | (d.y < 0 ? 0 : 2) | (d.z < 0 ? 0 : 4)};
    case Core::cylinder:
      return extreme_of_cylinder(a.half, d);
    case Core::polyhedron:
      break;
  }
  const int i = a.mesh->vertices.size() <= scanned_vertices ? scan_farthest(*a.mesh, d)
                                                            : climb_farthest(*a.mesh, d, start);
  return {mesh_vertex(*a.mesh, i), i};
}

}  // namespace molejo
