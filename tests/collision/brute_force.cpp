#include "tests/collision/brute_force.h"

#include <algorithm>

using namespace molejo;

PlacedMesh::PlacedMesh(const ConvexMesh& mesh, const Pose& X_WS) {
  for (const Vec3& v : mesh.vertices) vertices.push_back(X_WS * v);
  const auto at = [&](int i) { return vertices[static_cast<std::size_t>(i)]; };
  for (const ConvexMesh::Face& f : mesh.faces) {
    normals.push_back(X_WS.R * f.normal);
    faces.emplace_back();
    for (int i = 0; i < f.count; ++i) {
      faces.back().push_back(at(mesh.face_vertices[static_cast<std::size_t>(f.first + i)]));
    }
  }
  for (const ConvexMesh::Edge& e : mesh.edges) {
    edges.emplace_back(at(e.vertex[0]), at(e.vertex[1]));
    edge_directions.push_back(normalized(edges.back().second - edges.back().first));
  }
}

PlacedMesh::PlacedMesh(const Convex& solid, const Pose& X_WS) {
  if (solid.mesh != nullptr) {
    *this = PlacedMesh(*solid.mesh, X_WS);
    return;
  }
  vertices = {X_WS * Vec3{0, 0, -solid.half.z}, X_WS * Vec3{0, 0, solid.half.z}};
  edges.emplace_back(vertices[0], vertices[1]);
  edge_directions.push_back(X_WS.R * Vec3{0, 0, solid.half.z > 0 ? 1.0 : 0.0});
}

double point_segment_distance(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 e = b - a;
  const double length2 = dot(e, e);
  const double t = length2 > 0 ? std::clamp(dot(p - a, e) / length2, 0.0, 1.0) : 0;
  return norm(a + e * t - p);
}

double segment_segment_distance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  double best =
      std::min(std::min(point_segment_distance(a, c, d), point_segment_distance(b, c, d)),
               std::min(point_segment_distance(c, a, b), point_segment_distance(d, a, b)));
  // feet of the common perpendicular: a + s e, c + t f
  const Vec3 e = b - a, f = d - c, r = c - a, n = cross(e, f);
  const double n2 = dot(n, n);
  if (!(n2 > 0)) return best;
  const double s = dot(cross(r, f), n) / n2, t = dot(cross(r, e), n) / n2;
  if (s < 0 || s > 1 || t < 0 || t > 1) return best;
  return std::min(best, std::fabs(dot(r, n)) / std::sqrt(n2));
}

double point_polygon_distance(const Vec3& p, const std::vector<Vec3>& polygon, const Vec3& normal) {
  bool over = true;
  double best = INFINITY;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    best = std::min(best, point_segment_distance(p, a, b));
    over = over && dot(cross(b - a, p - a), normal) >= 0;
  }
  return over ? std::min(best, std::fabs(dot(p - polygon[0], normal))) : best;
}

double gap_along(const PlacedMesh& a, const PlacedMesh& b, const Vec3& n) {
  double least = INFINITY, most = -INFINITY;
  for (const Vec3& v : a.vertices) least = std::min(least, dot(n, v));
  for (const Vec3& v : b.vertices) most = std::max(most, dot(n, v));
  return least - most;
}

Vec3 farthest(const Convex& core, const Vec3& d) {
  switch (core.core) {
    case Core::point:
      return {};
    case Core::segment:
      return {0, 0, std::copysign(core.half.z, d.z)};
    case Core::cylinder: {
      const double across = std::sqrt(d.x * d.x + d.y * d.y);
      const Vec3 rim = across > 0 ? Vec3{d.x / across, d.y / across, 0} * core.half.x : Vec3{};
      return rim + Vec3{0, 0, std::copysign(core.half.z, d.z)};
    }
    default: {
      Vec3 best = core.mesh->vertices[0];
      double most = dot(best, d);
      for (const Vec3& v : core.mesh->vertices) {
        if (dot(v, d) > most) most = dot(v, d), best = v;
      }
      return best;
    }
  }
}

double gap_along(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                 const Vec3& n) {
  const Vec3 p = X_WA.R * farthest(a, transpose_times(X_WA.R, -n));
  const Vec3 q = X_WB.R * farthest(b, transpose_times(X_WB.R, n));
  return dot(n, p - q + (X_WA.p - X_WB.p)) - a.radius - b.radius;
}

double signed_distance(const Convex& solid, const Vec3& p) {
  switch (solid.core) {
    case Core::point:
      return norm(p) - solid.radius;
    case Core::segment:
      return norm(p - Vec3{0, 0, std::clamp(p.z, -solid.half.z, solid.half.z)}) - solid.radius;
    case Core::cylinder: {
      const double side = std::hypot(p.x, p.y) - solid.half.x, cap = std::fabs(p.z) - solid.half.z;
      return std::min(std::max(side, cap), 0.0) +
             std::hypot(std::max(side, 0.0), std::max(cap, 0.0));
    }
    default: {
      double highest = -INFINITY;
      for (const auto& f : solid.mesh->faces) {
        highest = std::max(highest, dot(f.normal, p) - f.offset);
      }
      return highest;
    }
  }
}

double smallest_distance(const PlacedMesh& a, const PlacedMesh& b) {
  double best = INFINITY;
  for (std::size_t f = 0; f < b.faces.size(); ++f) {
    for (const Vec3& v : a.vertices) {
      best = std::min(best, point_polygon_distance(v, b.faces[f], b.normals[f]));
    }
  }
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    for (const Vec3& v : b.vertices) {
      best = std::min(best, point_polygon_distance(v, a.faces[f], a.normals[f]));
    }
  }
  for (const auto& [p, q] : a.edges) {
    for (const auto& [r, s] : b.edges) best = std::min(best, segment_segment_distance(p, q, r, s));
  }
  return best;
}

double brute_force_separation(const PlacedMesh& a, const PlacedMesh& b) {
  if (a.faces.empty() && b.faces.empty()) return smallest_distance(a, b);
  double widest = -INFINITY;
  const auto consider = [&](const Vec3& n) { widest = std::max(widest, gap_along(a, b, n)); };
  for (const Vec3& n : a.normals) consider(-n);
  for (const Vec3& n : b.normals) consider(n);
  for (const Vec3& e : a.edge_directions) {
    for (const Vec3& f : b.edge_directions) {
      const Vec3 n = cross(e, f);
      const double length = norm(n);
      if (length < 1e-9) continue;  // the normals of faces serve parallel edges
      consider(n / length);
      consider(n / -length);
      if (widest > 0) return smallest_distance(a, b);
    }
  }
  return widest > 0 ? smallest_distance(a, b) : widest;
}
