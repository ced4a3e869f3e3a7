// Expanding polytope (van den Bergen, "Proximity queries and penetration depth computation on 3D
// game objects", 2001): a polytope inside of the difference grows where it is nearest to the origin
// until it reaches the surface there. Then
//
//   distance of its nearest face <= depth <= support of the difference along the face's normal
//
// are the same. On curved solids that takes long: there it stops early, and the caller refines
// the face's direction. Memory is fixed; when it is full, the least support found so far is the
// answer: a translation that parts the cores, though perhaps not the least one.
#include <algorithm>
#include <initializer_list>

#include "molejo/collision/difference.h"

namespace molejo {

namespace {

constexpr int most_points = 256, most_faces = 2 * most_points;
constexpr double thinnest = 1e-11;  // of the size: a difference without a body

struct Face {
  Vec3 normal;
  int corner[3];
  int across[3];  // the face behind the edge from corner i to corner i + 1
};

class Polytope {
 public:
  Polytope(const Difference& difference, double tolerance)
      : difference_(difference), tolerance_(tolerance) {}

  // The four points must not lie in one plane.
  void start(const Simplex& tetrahedron) {
    for (int i = 0; i < 4; ++i) point_[i] = tetrahedron.point[i];
    points_ = 4;
    const Vec3 o = point_[0].p;
    const bool above = dot(cross(point_[1].p - o, point_[2].p - o), point_[3].p - o) > 0;
    if (above) std::swap(point_[1], point_[2]);
    add_face(0, 1, 2), add_face(0, 3, 1), add_face(1, 3, 2), add_face(2, 3, 0);
    constexpr int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; ++f) std::copy_n(across[f], 3, face_[f].across);
  }

  // Grows until the nearest face is on the surface.
  void grow() {
    for (;;) {
      const int nearest =
          static_cast<int>(std::min_element(distance_, distance_ + faces_) - distance_);
      const Face& f = face_[nearest];
      const DifferencePoint w =
          difference_.support(f.normal, point_[f.corner[0]].a.vertex, point_[f.corner[0]].b.vertex);
      const double height = dot(f.normal, w.p);
      // among equals the face that is nearer to the surface
      if (height < depth_ || (height <= depth_ + tolerance_ && distance_[nearest] > level_)) {
        depth_ = height, level_ = distance_[nearest], normal_ = f.normal;
        std::copy_n(f.corner, 3, corner_);
      }
      if (height - distance_[nearest] <= tolerance_) return;
      if (points_ == most_points || !add_point(w, nearest)) return;
    }
  }

  Penetration result() const {
    Penetration r;
    r.normal = normal_, r.depth = depth_;
    Simplex triangle = triangle_of(corner_);
    r.foot = triangle;
    const Vec3 expected = normal_ * level_;
    double error = norm(reduce(r.foot) - expected);
    // the foot of the origin may be in another triangle of the same plane
    for (int f = 0; f < faces_ && error > tolerance_; ++f) {
      if (distance_[f] == INFINITY) continue;
      const Simplex other = triangle_of(face_[f].corner);
      Simplex foot = other;
      const double its_error = norm(reduce(foot) - expected);
      if (its_error < error) error = its_error, triangle = other, r.foot = foot;
    }
    // the face and the point farthest below it
    int lowest = 0;
    for (int i = 1; i < points_; ++i) {
      if (dot(normal_, point_[i].p) < dot(normal_, point_[lowest].p)) lowest = i;
    }
    r.seed = triangle;
    r.seed.point[r.seed.count++] = point_[lowest];
    return r;
  }

 private:
  struct HorizonEdge {
    int from, to, behind;
  };

  Simplex triangle_of(const int* corner) const {
    Simplex s;
    s.count = 3;
    for (int i = 0; i < 3; ++i) s.point[i] = point_[corner[i]];
    return s;
  }

  int add_face(int i, int j, int k) {
    const int f = free_ > 0 ? free_face_[--free_] : faces_++;
    Face& face = face_[f];
    face.corner[0] = i, face.corner[1] = j, face.corner[2] = k;
    const Vec3 o = point_[i].p;
    const Vec3 n = cross(point_[j].p - o, point_[k].p - o);
    const double length = norm(n);
    face.normal = length > 0 ? n / length : Vec3{};
    distance_[f] = length > 0 ? dot(face.normal, o) : INFINITY;
    return f;
  }

  // Replaces all faces that w is above of, or level with, by faces that meet in w. False when
  // rounding has spoilt the surface or the memory is full.
  bool add_point(const DifferencePoint& w, int seen) {
    int visible[most_faces];
    HorizonEdge horizon[most_faces];
    const int seen_count = remove_visible(w.p, seen, visible);
    const int edges = horizon_of(visible, seen_count, horizon);
    if (edges < 3 || faces_ - free_ + edges > most_faces) return false;

    const int p = points_++;
    point_[p] = w;
    for (int i = 0; i < seen_count; ++i) free_face_[free_++] = visible[i];
    int added[most_faces];
    for (int e = 0; e < edges; ++e) {
      const HorizonEdge& edge = horizon[e];
      const int f = added[e] = add_face(edge.from, edge.to, p);
      face_from_[edge.from] = f;
      face_[f].across[0] = edge.behind;
      Face& behind = face_[edge.behind];
      for (int i = 0; i < 3; ++i) {
        if (behind.corner[i] == edge.to) behind.across[i] = f;
      }
    }
    for (int e = 0; e < edges; ++e) {
      const int next = face_from_[face_[added[e]].corner[1]];
      face_[added[e]].across[1] = next;
      face_[next].across[2] = added[e];
    }
    return true;
  }

  int remove_visible(const Vec3& w, int seen, int* visible) {
    const double level = -0.1 * tolerance_;
    int count = 0;
    visible[count++] = seen;
    distance_[seen] = INFINITY;
    for (int k = 0; k < count; ++k) {
      for (const int behind : face_[visible[k]].across) {
        if (distance_[behind] == INFINITY) continue;
        if (dot(face_[behind].normal, w) - distance_[behind] < level) continue;
        distance_[behind] = INFINITY;
        visible[count++] = behind;
      }
    }
    return count;
  }

  // The rim of the visible faces; 0 when it is not one loop without a vertex that comes twice.
  int horizon_of(const int* visible, int count, HorizonEdge* horizon) {
    int edges = 0;
    for (int p = 0; p < points_; ++p) face_from_[p] = -1;
    for (int k = 0; k < count; ++k) {
      const Face& f = face_[visible[k]];
      for (int i = 0; i < 3; ++i) {
        if (distance_[f.across[i]] == INFINITY) continue;
        if (face_from_[f.corner[i]] >= 0) return 0;
        face_from_[f.corner[i]] = edges;
        horizon[edges++] = {f.corner[i], f.corner[(i + 1) % 3], f.across[i]};
      }
    }
    if (edges == 0) return 0;
    int length = 0;
    for (int e = 0; length <= edges;) {
      ++length;
      e = face_from_[horizon[e].to];
      if (e < 0) return 0;
      if (e == 0) break;
    }
    return length == edges ? edges : 0;
  }

  const Difference& difference_;
  double tolerance_;
  int points_ = 0, faces_ = 0, free_ = 0;
  double depth_ = INFINITY, level_ = 0;  // of the best face: its normal's support, its distance
  Vec3 normal_;
  int corner_[3] = {0, 0, 0};
  Unfilled<DifferencePoint, most_points> point_;
  Unfilled<Face, most_faces> face_;
  double distance_[most_faces];  // of the faces' planes from the origin; infinite: no longer there
  int free_face_[most_faces];
  int face_from_[most_points];
};

Vec3 unit_axis(int i) { return {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0}; }

// A unit vector across a unit vector.
Vec3 unit_across(const Vec3& e) {
  const Vec3 n{std::fabs(e.x), std::fabs(e.y), std::fabs(e.z)};
  const int least = n.x <= n.y ? (n.x <= n.z ? 0 : 2) : (n.y <= n.z ? 1 : 2);
  return normalized(cross(e, unit_axis(least)));
}

// Adds the support along one of the directions +-d that is farthest from the planes d . x = d . o,
// o the first point of the simplex. False when none is farther than `thin`.
bool add_farthest(const Difference& difference, std::initializer_list<Vec3> directions, double thin,
                  Simplex& s) {
  double farthest = thin;
  DifferencePoint far;
  for (const Vec3& d : directions) {
    for (const Vec3& n : {d, -d}) {
      const DifferencePoint w = difference.support(n);
      const double height = dot(n, w.p - s.point[0].p);
      if (height > farthest) farthest = height, far = w;
    }
  }
  if (farthest > thin) s.point[s.count++] = far;
  return farthest > thin;
}

// Adds points until the simplex is a tetrahedron. When the difference has no body, returns the
// direction in which it is flat: there the cores part at once.
bool complete(const Difference& difference, Simplex& s, Vec3& flat_along) {
  const double thin = thinnest * difference.size;
  if (s.count == 1) {
    flat_along = unit_axis(2);
    if (!add_farthest(difference, {unit_axis(0), unit_axis(1), unit_axis(2)}, thin, s))
      return false;
  }
  if (s.count == 2) {
    const Vec3 e = normalized(s.point[1].p - s.point[0].p);
    flat_along = unit_across(e);
    if (!add_farthest(difference, {flat_along, cross(e, flat_along)}, thin, s)) return false;
  }
  const Vec3 o = s.point[0].p;
  flat_along = normalized(cross(s.point[1].p - o, s.point[2].p - o));
  return add_farthest(difference, {flat_along}, thin, s);
}

// A tetrahedron to begin with: the simplex that holds the origin if it has a shape to speak of.
bool first_tetrahedron(const Difference& difference, Simplex& s, Vec3& flat_along) {
  if (s.count == 4) {
    const Vec3 u = s.point[1].p - s.point[0].p, v = s.point[2].p - s.point[0].p;
    const Vec3 w = s.point[3].p - s.point[0].p;
    const double size = std::sqrt(std::max(dot(u, u), std::max(dot(v, v), dot(w, w))));
    if (std::fabs(dot(cross(u, v), w)) > 1e-6 * size * size * size) return true;
  }
  // on curved solids the points crowd at the place of touch; the polytope will find it again
  if (difference.is_curved()) s.count = 1;
  if (s.count == 4) reduce_to_faces(s);
  return complete(difference, s, flat_along);
}

}  // namespace

Penetration penetration(const Difference& difference, const Simplex& simplex) {
  Penetration flat;
  flat.foot = simplex;
  Simplex tetrahedron = simplex;
  if (!first_tetrahedron(difference, tetrahedron, flat.normal)) {
    if (flat.foot.count == 4) reduce_to_faces(flat.foot);
    flat.seed = flat.foot;
    return flat;
  }
  Polytope polytope(difference, (difference.is_curved() ? 1e-10 : 1e-12) * difference.size);
  polytope.start(tetrahedron);
  polytope.grow();
  return polytope.result();
}

}  // namespace molejo
