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

namespace {

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

}  // namespace

double brute_force_separation(const PlacedMesh& a, const PlacedMesh& b) {
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
