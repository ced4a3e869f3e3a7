// Bacin (1999), Algorithm 7.1: of the features near a closest pair, two whose plane separates the
// solids. Why there always is one: the directions along which both solids are farthest at the
// closest features form a cone that holds the shortest line between them. Its rays are normals of
// faces or cross products of edges, and the plane of at least one of them separates.
#include <algorithm>
#include <cassert>

#include "molejo/collision/distance.h"
#include "molejo/collision/support.h"

namespace molejo {

namespace {

// A polyhedron with its features in world coordinates.
class SolidInWorld {
 public:
  SolidInWorld(const Convex& solid, const Pose& X_WS) : solid_(solid), X_WS_(X_WS) {}

  const ConvexMesh& mesh() const { return *solid_.mesh; }
  const ConvexMesh::Face& face(int i) const { return mesh().faces[static_cast<std::size_t>(i)]; }
  const ConvexMesh::Edge& edge(int i) const { return mesh().edges[static_cast<std::size_t>(i)]; }
  Vec3 vertex(int i) const { return X_WS_ * mesh_vertex(mesh(), i); }
  Vec3 edge_start(int i) const { return vertex(edge(i).vertex[0]); }
  Vec3 edge_vector(int i) const { return vertex(edge(i).vertex[1]) - edge_start(i); }
  Vec3 normal(int face_index) const { return X_WS_.R * face(face_index).normal; }
  Vec3 corner(const ConvexMesh::Face& f, int i) const {
    return vertex(mesh().face_vertices[static_cast<std::size_t>(f.first + i % f.count)]);
  }
  // The largest n . x.
  double extent(const Vec3& n) const {
    return dot(n, X_WS_ * support(solid_, transpose_times(X_WS_.R, n)));
  }

  std::vector<int> vertices_of(const Feature& f) const {
    if (f.kind == FeatureKind::vertex) return {f.index};
    if (f.kind == FeatureKind::edge) return {edge(f.index).vertex[0], edge(f.index).vertex[1]};
    const auto first = mesh().face_vertices.begin() + face(f.index).first;
    return {first, first + face(f.index).count};
  }

  // The feature and those of the two other kinds that hold it or that it holds; with `touching`
  // all that share a vertex with it.
  std::vector<Feature> neighbourhood(const Feature& f, bool touching) const {
    std::vector<Feature> features{f};
    const std::vector<int> own = vertices_of(f);
    const auto add = [&](FeatureKind kind, int index) {
      const Feature g{kind, index};
      const std::vector<int> others = vertices_of(g);
      const auto within = [](const std::vector<int>& a, const std::vector<int>& b) {
        return std::all_of(a.begin(), a.end(),
                           [&](int v) { return std::find(b.begin(), b.end(), v) != b.end(); });
      };
      const bool near = touching || within(own, others) || within(others, own);
      if (near && std::find(features.begin(), features.end(), g) == features.end()) {
        features.push_back(g);
      }
    };
    for (const int v : own) {
      add(FeatureKind::vertex, v);
      const auto i = static_cast<std::size_t>(v);
      for (int k = mesh().vertex_start[i]; k < mesh().vertex_start[i + 1]; ++k) {
        add(FeatureKind::edge, mesh().vertex_edges[static_cast<std::size_t>(k)]);
        add(FeatureKind::face, mesh().vertex_faces[static_cast<std::size_t>(k)]);
      }
    }
    return features;
  }

 private:
  const Convex& solid_;
  const Pose& X_WS_;
};

Vec3 nearest_on_segment(const Vec3& p, const Vec3& start, const Vec3& e) {
  const double length2 = dot(e, e);
  return start + e * (length2 > 0 ? std::clamp(dot(p - start, e) / length2, 0.0, 1.0) : 0);
}

Vec3 nearest_on_face(const Vec3& p, const SolidInWorld& solid, int index) {
  const ConvexMesh::Face& f = solid.face(index);
  const Vec3 n = solid.normal(index);
  Vec3 nearest = p - n * dot(n, p - solid.corner(f, 0));
  bool over = true;
  Vec3 on_rim;
  double least = INFINITY;
  for (int i = 0; i < f.count; ++i) {
    const Vec3 start = solid.corner(f, i), e = solid.corner(f, i + 1) - start;
    over = over && dot(cross(e, p - start), n) >= 0;
    const Vec3 q = nearest_on_segment(p, start, e);
    if (norm(q - p) < least) least = norm(q - p), on_rim = q;
  }
  return over ? nearest : on_rim;
}

struct SegmentPoints {
  Vec3 p, q;
};
// The nearest points of the segments a + s e and b + t f that are not parallel, n = e x f.
SegmentPoints nearest_on_segments(const Vec3& a, const Vec3& e, const Vec3& b, const Vec3& f,
                                  const Vec3& n) {
  const Vec3 r = b - a;
  const double n2 = dot(n, n), s = dot(cross(r, f), n) / n2, t = dot(cross(r, e), n) / n2;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return {a + e * s, b + f * t};
  // else one of them is an end
  SegmentPoints best{a, nearest_on_segment(a, b, f)};
  const auto consider = [&](const SegmentPoints& c) {
    if (norm(c.p - c.q) < norm(best.p - best.q)) best = c;
  };
  consider({a + e, nearest_on_segment(a + e, b, f)});
  consider({nearest_on_segment(b, a, e), b});
  consider({nearest_on_segment(b + f, a, e), b + f});
  return best;
}

constexpr double parallel_sine = 1e-8;

// The nearest points of a pair whose dimensions add up to two, and its normal, from b to a; zero
// when it has none.
FeaturePair pair_of(const SolidInWorld& a, const Feature& f, const SolidInWorld& b,
                    const Feature& g) {
  FeaturePair pair;
  pair.a = f, pair.b = g;
  if (f.kind == FeatureKind::vertex && g.kind == FeatureKind::face) {
    pair.p_a = a.vertex(f.index), pair.p_b = nearest_on_face(pair.p_a, b, g.index);
    pair.normal = b.normal(g.index);
  } else if (f.kind == FeatureKind::face && g.kind == FeatureKind::vertex) {
    pair.p_b = b.vertex(g.index), pair.p_a = nearest_on_face(pair.p_b, a, f.index);
    pair.normal = -a.normal(f.index);
  } else if (f.kind == FeatureKind::edge && g.kind == FeatureKind::edge) {
    const Vec3 e = a.edge_vector(f.index), h = b.edge_vector(g.index), n = cross(e, h);
    if (norm(n) <= parallel_sine * norm(e) * norm(h)) return pair;
    const auto [p, q] = nearest_on_segments(a.edge_start(f.index), e, b.edge_start(g.index), h, n);
    pair.p_a = p, pair.p_b = q;
    pair.normal = normalized(n);
    const double above = -a.extent(-pair.normal) - b.extent(pair.normal);
    const double below = -a.extent(pair.normal) - b.extent(-pair.normal);
    if (below > above) pair.normal = -pair.normal;
  }
  return pair;
}

}  // namespace

FeaturePair normalized_pair(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                            const Separation& separation, double tolerance) {
  assert(a.mesh != nullptr && b.mesh != nullptr);
  const SolidInWorld placed_a(a, X_WA), placed_b(b, X_WB);
  // solids that overlap by more than the tolerance may have no such pair
  const Vec3 middle = (separation.p_a + separation.p_b) * 0.5;
  FeaturePair best{separation.a,   separation.b,      separation.p_a,
                   separation.p_b, separation.normal, dot(separation.normal, middle)};
  double widest = -INFINITY;
  for (const bool touching : {false, true}) {
    const std::vector<Feature> near_b = placed_b.neighbourhood(separation.b, touching);
    for (const Feature& f : placed_a.neighbourhood(separation.a, touching)) {
      for (const Feature& g : near_b) {
        if (static_cast<int>(f.kind) + static_cast<int>(g.kind) != 2) continue;
        FeaturePair pair = pair_of(placed_a, f, placed_b, g);
        if (pair.normal == Vec3{}) continue;
        if (norm(pair.p_a - pair.p_b) > std::fabs(separation.distance) + tolerance) continue;
        const double least_a = -placed_a.extent(-pair.normal);
        const double most_b = placed_b.extent(pair.normal);
        if (least_a - most_b <= widest + 1e-12 * (a.reach + b.reach)) continue;
        widest = least_a - most_b;
        pair.offset = 0.5 * (least_a + most_b);
        best = pair;
      }
    }
    if (widest >= -tolerance) break;
  }
  return best;
}

}  // namespace molejo
