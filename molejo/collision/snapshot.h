// The memory of a pair of shapes in a snapshot (math/snapshot.h).
#pragma once

#include "molejo/collision/manifold.h"
#include "molejo/collision/support.h"
#include "molejo/math/snapshot.h"

namespace molejo {

// Corners that a cache may name; 0: there are none, or the solid is curved.
inline int corner_count(const Convex& a) {
  switch (a.core) {
    case Core::point:
      return 1;
    case Core::segment:
      return 2;
    case Core::triangle:
      return 3;
    case Core::cylinder:
      return 0;
    case Core::box:
    case Core::polyhedron:
      break;
  }
  return static_cast<int>(a.mesh->vertices.size());
}

// Where extreme() has that corner.
inline Vec3 corner_at(const Convex& a, int i) {
  switch (a.core) {
    case Core::segment:
      return {0, 0, i == 0 ? -a.half.z : a.half.z};
    case Core::triangle:
      return a.corner[i];
    case Core::box:
      return {(i & 1) == 0 ? -a.half.x : a.half.x, (i & 2) == 0 ? -a.half.y : a.half.y,
              (i & 4) == 0 ? -a.half.z : a.half.z};
    case Core::polyhedron:
      return mesh_vertex(*a.mesh, i);
    default:
      return {};
  }
}

// Of two convex solids; others have none. Points are those of the solids: only their numbers are
// kept. Curved solids start from the normal alone.
template <class Archive>
void visit_cache(Archive& a, const Convex& solid_a, const Convex& solid_b,
                 Seen<Archive, ManifoldCache>& cache) {
  constexpr int box_axes = 15;
  a.within(cache.axis, -1, box_axes - 1, "axis");
  auto& s = cache.separation;
  a.within(s.count, 0, 4, "corners");
  if (s.count == 0) return;
  a(s.normal);
  const int corners_a = corner_count(solid_a), corners_b = corner_count(solid_b);
  if (corners_a == 0 || corners_b == 0) return;
  for (int i = 0; i < s.count; ++i) {
    a.within(s.vertex_a[i], 0, corners_a - 1, "corner");
    a.within(s.vertex_b[i], 0, corners_b - 1, "corner");
    if constexpr (Archive::reads) {
      s.a[i] = corner_at(solid_a, s.vertex_a[i]);
      s.b[i] = corner_at(solid_b, s.vertex_b[i]);
    }
  }
}

}  // namespace molejo
