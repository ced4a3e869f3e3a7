// Solids on a height field: each corner, edge and face of the solid against each triangle, edge and
// point of the field below it, along normals that the field can give there (terrain.h).
//
// Where the solid is above the ground, a contact is a local minimum of the distance. A corner, an
// end or a line below the ground is pushed out along the normal of what is above it, however deep:
// there the gap is the height above the ground times the upward part of the normal.
#include "molejo/collision/contact_parts.h"
#include "molejo/collision/terrain.h"

namespace molejo {

namespace {

constexpr double on_border = 1e-9;  // slack of what counts as on both sides of a border
constexpr std::uint32_t of_terrain = 1u << 31;
std::uint32_t face_name(std::uint32_t index, int corner) {
  return of_terrain | (((index << 4) + static_cast<std::uint32_t>(corner & 15)) & 0x1fffffff);
}
std::uint32_t edge_name(std::uint32_t index, int by) {
  return of_terrain | (1u << 29) |
         (((index << 6) + static_cast<std::uint32_t>(by & 63)) & 0x1fffffff);
}
std::uint32_t point_name(std::uint32_t index) {
  return of_terrain | (2u << 29) | (index & 0x1fffffff);
}

// All in the frame of the field.
class TerrainContact {
 public:
  TerrainContact(const Convex& convex, const Pose& X, const HeightField& field, double margin)
      : convex_(convex), X_(X), terrain_(field), margin_(margin) {}

  void find(const Aabb& box, ContactPoints& scratch);
  void append(const Pose& X_WF, ContactPoints& points);

 private:
  void add(const Vec3& on_ground, const Vec3& normal, double gap, std::uint32_t feature);
  void keep_eight();
  void ball(const Vec3& centre, double radius, int corner);
  void ball_on_faces(const Vec3& centre, double radius, int corner, const CellRange& range,
                     const TerrainFace* above);
  void mesh();
  void points_under_face(const ConvexMesh& mesh, const ConvexMesh::Face& face);
  void edges_under_edge(const Vec3& p, const Vec3& q, int name, const Vec3* inward);
  void capsule(const CellRange& range, ContactPoints& scratch);
  void cylinder(const CellRange& range, ContactPoints& scratch);
  template <class Touch>
  void sharp_edges(const CellRange& range, double slack, const Touch& touch,
                   ContactPoints& scratch);

  const Convex& convex_;
  const Pose& X_;
  const TerrainSurface terrain_;
  const double margin_;
  double lowest_ = 0;  // below the solid by the margin: what is lower does not matter
  static constexpr int room = 32;
  ContactPoint found_[room];
  int count_ = 0;
};

void TerrainContact::add(const Vec3& on_ground, const Vec3& n, double gap, std::uint32_t feature) {
  if (!(gap < margin_)) return;
  const ContactPoint c{on_ground + n * (0.5 * gap), n, gap, feature};
  // borders belong to both sides, and corners to several edges
  const double close = 1e-6 * convex_.reach;
  for (int i = 0; i < count_; ++i) {
    ContactPoint& other = found_[i];
    const bool same = other.feature == feature ||
                      (max_abs(other.p - c.p) < close && max_abs(other.normal - n) < 1e-6);
    if (!same) continue;
    if (other.feature == feature && gap < other.gap) other = c;
    return;
  }
  if (count_ == room) keep_eight();
  found_[count_++] = c;
}

// The deepest, then again and again the one least like those that are kept, in place and normal.
void TerrainContact::keep_eight() {
  constexpr int most = 8;
  if (count_ <= most) return;
  constexpr double better = 1.001;
  int deepest = 0;
  for (int i = 1; i < count_; ++i) {
    if (found_[i].gap < found_[deepest].gap) deepest = i;
  }
  std::swap(found_[0], found_[deepest]);
  double unlike[room];
  std::fill(unlike, unlike + count_, 1e300);
  const double scale = 1 / (convex_.reach * convex_.reach);
  for (int kept = 1; kept < most; ++kept) {
    int chosen = kept;
    for (int i = kept; i < count_; ++i) {
      const Vec3 d = found_[i].p - found_[kept - 1].p;
      const Vec3 m = found_[i].normal - found_[kept - 1].normal;
      unlike[i] = std::min(unlike[i], dot(d, d) * scale + dot(m, m));
      if (unlike[i] > unlike[chosen] * better) chosen = i;
    }
    std::swap(found_[kept], found_[chosen]);
    std::swap(unlike[kept], unlike[chosen]);
  }
  count_ = most;
}

// Triangles with the foot of the centre on them. Below the ground, the triangle above the centre
// and those that form a valley with it.
void TerrainContact::ball_on_faces(const Vec3& c, double radius, int corner, const CellRange& range,
                                   const TerrainFace* above) {
  const auto height = [&](const TerrainFace& f) {
    return f.origin.z + f.slope_x * (c.x - f.origin.x) + f.slope_y * (c.y - f.origin.y);
  };
  const double depth = above ? -dot(above->normal, c - above->origin) : 0;
  if (above) {
    add(c + above->normal * depth, above->normal, -depth - radius, face_name(above->index, corner));
  }
  for (int j = range.j0; j <= range.j1; ++j) {
    for (int i = range.i0; i <= range.i1; ++i) {
      if (!above && terrain_.highest({i, i, j, j}) <= c.z - radius - margin_) continue;
      for (const bool lower : {true, false}) {
        const TerrainFace f = terrain_.face(i, j, lower);
        const double s = dot(f.normal, c - f.origin);
        if (s - radius >= margin_ || (!above && s < 0)) continue;
        if (above &&
            (f.index == above->index || height(f) > height(*above) + on_border * terrain_.dx()))
          continue;
        const Vec3 foot = c - f.normal * s;
        const double slack = above ? depth / std::min(terrain_.dx(), terrain_.dy()) : 0;
        if (!terrain_.contains(f, foot.x, foot.y, slack + on_border)) continue;
        add(foot, f.normal, s - radius, face_name(f.index, corner));
      }
    }
  }
}

// A ball about a corner, an end or the middle of the solid.
void TerrainContact::ball(const Vec3& c, double radius, int corner) {
  const double reach = radius + margin_;
  const CellRange range = terrain_.cells(c.x - reach, c.x + reach, c.y - reach, c.y + reach);
  if (range.i1 < range.i0) return;
  const int first = count_;
  TerrainFace under;
  const bool inside = terrain_.face_under(c.x, c.y, under);
  const bool below = inside && dot(under.normal, c - under.origin) <= 0;
  if (!below && c.z - reach >= terrain_.highest(range)) return;
  ball_on_faces(c, radius, corner, range, below ? &under : nullptr);
  if (!below) {
    terrain_.for_sharp_edges(range, c.z - reach, [&](const TerrainEdge& e) {
      const Vec3 along = e.to - e.from;
      const double t = dot(c - e.from, along) / dot(along, along);
      if (!(t > 0 && t < 1)) return;
      const Vec3 q = e.from + along * t;
      const double distance = norm(c - q);
      if (!(distance > 0 && distance < reach)) return;
      const Vec3 n = (c - q) / distance;
      if (is_between_normals(e, n, on_border)) {
        add(q, n, distance - radius, edge_name(e.index, corner));
      }
    });
    terrain_.for_sharp_points(range, c.z - reach, [&](const Vec3& q, int i, int j) {
      const double distance = norm(c - q);
      if (!(distance > 0 && distance < reach)) return;
      const Vec3 n = (c - q) / distance;
      if (terrain_.is_summit(i, j, n, on_border)) {
        add(q, n, distance - radius, point_name(terrain_.point_index(i, j)));
      }
    });
  }
  // alone, it is named as on a plane
  if (count_ == first + 1) found_[first].feature = static_cast<std::uint32_t>(corner);
}

// Points of the field below a face that looks down.
void TerrainContact::points_under_face(const ConvexMesh& mesh, const ConvexMesh::Face& face) {
  const Vec3 up = -(X_.R * face.normal);
  if (!(up.z > 1e-9)) return;
  constexpr int room_of_face = 64;
  Vec3 corner[room_of_face];
  const int step = (face.count + room_of_face - 1) / room_of_face;
  int count = 0;
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
  for (int k = 0; k < face.count; k += step) {
    const int v = mesh.face_vertices[static_cast<std::size_t>(face.first + k)];
    const Vec3 p = X_ * mesh.vertices[static_cast<std::size_t>(v)];
    x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    corner[count++] = p;
  }
  const CellRange range = terrain_.cells(x0 - margin_, x1 + margin_, y0 - margin_, y1 + margin_);
  terrain_.for_sharp_points(range, lowest_, [&](const Vec3& v, int i, int j) {
    const double distance = dot(up, corner[0] - v);
    if (distance - convex_.radius >= margin_) return;
    // above the ground its foot on the face, below it the point itself must be under the face;
    // seen from above the corners turn clockwise
    const Vec3 foot = distance > 0 ? v + up * distance : v;
    for (int k = 0; k < count; ++k) {
      const Vec3 p = corner[k], e = corner[k + 1 == count ? 0 : k + 1] - p;
      const double out = e.x * (foot.y - p.y) - e.y * (foot.x - p.x);
      if (out > on_border * (std::fabs(e.x) + std::fabs(e.y)) * convex_.reach) return;
    }
    const double clearance = distance / up.z;
    // above the ground only summits are closest; below it each point must come out
    const bool summit = terrain_.is_summit(i, j, up, on_border);
    if (!summit && clearance > 0) return;
    const Vec3 n = summit ? up : terrain_.nearest_summit_normal(i, j, up);
    add(v, n, clearance * n.z - convex_.radius, point_name(terrain_.point_index(i, j)));
  });
}

// Where a line of the solid passes below an edge of the field, or, if it has faces to its sides
// (`inward`: unit, in them, away from it), comes close to one from above.
void TerrainContact::edges_under_edge(const Vec3& p, const Vec3& q, int name, const Vec3* inward) {
  const Vec3 u = q - p;
  const CellRange range =
      terrain_.cells(std::min(p.x, q.x) - margin_, std::max(p.x, q.x) + margin_,
                     std::min(p.y, q.y) - margin_, std::max(p.y, q.y) + margin_);
  const auto inside = [](double t) { return t >= -on_border && t <= 1 + on_border; };
  const double lowest = std::min(p.z, q.z) - convex_.radius - margin_;
  terrain_.for_sharp_edges(range, lowest, [&](const TerrainEdge& e) {
    const Vec3 v = e.to - e.from, r = e.from - p, across = cross(u, v);
    const double squared = dot(across, across);
    if (!(squared > 1e-24 * dot(u, u) * dot(v, v))) return;
    // crossing seen from above
    const double turn = across.z;
    const double s = (r.x * v.y - r.y * v.x) / turn, t = (r.x * u.y - r.y * u.x) / turn;
    const double clearance = p.z + u.z * s - e.from.z - v.z * t;
    if (turn != 0 && inside(s) && inside(t) && clearance <= 0) {
      const Vec3 up = across * ((turn > 0 ? 1 : -1) / std::sqrt(squared));
      const Vec3 n = between_normals(e, up);
      add(e.from + v * t, n, clearance * n.z - convex_.radius, edge_name(e.index, name));
      return;
    }
    if (!inward) return;
    // closest points of the two lines
    const double on_line = dot(cross(r, v), across) / squared;
    const double on_edge = dot(cross(r, u), across) / squared;
    if (!inside(on_line) || !inside(on_edge)) return;
    const Vec3 apart = u * on_line - r - v * on_edge;
    const double distance = norm(apart);
    if (!(distance > 0 && distance - convex_.radius < margin_)) return;
    const Vec3 n = apart / distance;
    if (!is_between_normals(e, n, on_border)) return;
    if (dot(n, inward[0]) < -on_border || dot(n, inward[1]) < -on_border) return;
    add(e.from + v * on_edge, n, distance - convex_.radius, edge_name(e.index, name));
  });
}

void TerrainContact::mesh() {
  const ConvexMesh& mesh = *convex_.mesh;
  const Vec3 down = -X_.R.r2;  // of the field, in the solid's axes
  const auto looks_down = [&](int face) {
    return dot(mesh.faces[static_cast<std::size_t>(face)].normal, down) > 1e-9;
  };
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    bool lower = false;
    const auto begin = static_cast<std::size_t>(mesh.vertex_start[v]);
    const auto end = static_cast<std::size_t>(mesh.vertex_start[v + 1]);
    for (std::size_t k = begin; k < end; ++k) lower = lower || looks_down(mesh.vertex_faces[k]);
    if (lower) ball(X_ * mesh.vertices[v], convex_.radius, static_cast<int>(v));
  }
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    const ConvexMesh::Edge& edge = mesh.edges[e];
    if (!looks_down(edge.face[0]) && !looks_down(edge.face[1])) continue;
    const Vec3 p = X_ * mesh.vertices[static_cast<std::size_t>(edge.vertex[0])];
    const Vec3 q = X_ * mesh.vertices[static_cast<std::size_t>(edge.vertex[1])];
    const Vec3 along = normalized(q - p);
    const auto normal = [&](int side) {
      return X_.R * mesh.faces[static_cast<std::size_t>(edge.face[side])].normal;
    };
    const Vec3 inward[2] = {cross(normal(0), along), cross(along, normal(1))};
    edges_under_edge(p, q, static_cast<int>(e), inward);
  }
  for (const ConvexMesh::Face& face : mesh.faces) points_under_face(mesh, face);
}

// Each sharp edge as a solid of its own; what it would push elsewhere than up its fold is left to
// the triangles and points beside it. `scratch` is used beyond its end.
template <class Touch>
void TerrainContact::sharp_edges(const CellRange& range, double slack, const Touch& touch,
                                 ContactPoints& scratch) {
  const std::size_t first = scratch.size();
  terrain_.for_sharp_edges(range, lowest_, [&](const TerrainEdge& e) {
    const Vec3 v = e.to - e.from;
    const double t = std::clamp(dot(X_.p - e.from, v) / dot(v, v), 0.0, 1.0);
    if (norm(X_.p - e.from - v * t) >= convex_.reach + margin_) return;
    const double length = norm(v);
    Convex line;
    line.core = Core::segment;
    line.half = {0, 0, 0.5 * length}, line.reach = 0.5 * length;
    const Vec3 along = v / length;
    const Pose X{frame_from_z(along), (e.from + e.to) * 0.5};
    touch(PlacedSolid{line, X});
    for (std::size_t k = first; k < scratch.size(); ++k) {
      const ContactPoint& c = scratch[k];
      if (std::fabs(dot(c.normal, along)) > slack || !is_between_normals(e, c.normal, slack))
        continue;
      add(c.p - c.normal * (0.5 * c.gap), c.normal, c.gap,
          edge_name(e.index, static_cast<int>(k - first)));
    }
    scratch.resize(first);
  });
}

void TerrainContact::capsule(const CellRange& range, ContactPoints& scratch) {
  const Vec3 half = X_.R.column(2) * convex_.half.z, p = X_.p - half, q = X_.p + half;
  ball(p, convex_.radius, 0);
  ball(q, convex_.radius, 1);
  const PlacedSolid solid{convex_, X_};
  sharp_edges(
      range, 1e-6, [&](const PlacedSolid& line) { touch_capsules(solid, line, margin_, scratch); },
      scratch);
  terrain_.for_sharp_points(range, lowest_, [&](const Vec3& v, int i, int j) {
    const double t = dot(v - p, half) / (2 * dot(half, half));
    if (!(t > 0 && t < 1)) return;
    const Vec3 d = p + half * (2 * t) - v;
    const double distance = norm(d);
    if (!(distance > 0 && distance < convex_.radius + margin_)) return;
    if (terrain_.is_summit(i, j, d / distance, on_border)) {
      add(v, d / distance, distance - convex_.radius, point_name(terrain_.point_index(i, j)));
    }
  });
  // a ridge above the core itself
  edges_under_edge(p, q, 32, nullptr);
}

void TerrainContact::cylinder(const CellRange& range, ContactPoints& scratch) {
  for (int j = range.j0; j <= range.j1; ++j) {
    for (int i = range.i0; i <= range.i1; ++i) {
      if (terrain_.highest({i, i, j, j}) <= lowest_) continue;
      for (const bool lower : {true, false}) {
        const TerrainFace f = terrain_.face(i, j, lower);
        RimPoint footing[4];
        const int count = cylinder_footing(convex_.half, -transpose_times(X_.R, f.normal), footing);
        for (int k = 0; k < count; ++k) {
          const Vec3 p = X_ * footing[k].p;
          const double s = dot(f.normal, p - f.origin);
          // above the ground its foot, below it the point itself must be of this triangle
          const Vec3 at = s > 0 ? p - f.normal * s : p;
          if (!terrain_.contains(f, at.x, at.y, on_border)) continue;
          add(p - f.normal * s, f.normal, s - convex_.radius, footing[k].feature);
        }
      }
    }
  }
  const PlacedSolid solid{convex_, X_};
  const std::size_t first = scratch.size();
  ManifoldCache none;
  constexpr double curved_normal = 1e-4;  // normals of curved solids are less exact than distances
  sharp_edges(
      range, curved_normal,
      [&](const PlacedSolid& line) {
        none = {};
        touch_by_separation(solid, line, margin_, none, scratch);
      },
      scratch);
  terrain_.for_sharp_points(range, lowest_, [&](const Vec3& v, int i, int j) {
    if (norm(v - X_.p) >= convex_.reach + margin_) return;
    none = {};
    const Convex point;
    touch_by_separation(solid, {point, Pose{Mat3::identity(), v}}, margin_, none, scratch);
    for (std::size_t k = first; k < scratch.size(); ++k) {
      const ContactPoint& c = scratch[k];
      if (terrain_.is_summit(i, j, c.normal, curved_normal)) {
        add(v, c.normal, c.gap, point_name(terrain_.point_index(i, j)));
      }
    }
    scratch.resize(first);
  });
}

void TerrainContact::find(const Aabb& box, ContactPoints& scratch) {
  const CellRange range = terrain_.cells(box.lower.x - margin_, box.upper.x + margin_,
                                         box.lower.y - margin_, box.upper.y + margin_);
  lowest_ = box.lower.z - margin_;
  if (range.i1 < range.i0 || lowest_ >= terrain_.highest(range)) return;
  switch (convex_.core) {
    case Core::point:
      return ball(X_.p, convex_.radius, 0);
    case Core::segment:
      return capsule(range, scratch);
    case Core::triangle:
      for (int i = 0; i < 3; ++i) ball(X_ * convex_.corner[i], convex_.radius, i);
      return;
    case Core::box:
    case Core::polyhedron:
      return mesh();
    case Core::cylinder:
      return cylinder(range, scratch);
  }
}

void TerrainContact::append(const Pose& X_WF, ContactPoints& points) {
  keep_eight();
  for (int i = 0; i < count_; ++i) {
    const ContactPoint& c = found_[i];
    points.push_back({X_WF * c.p, X_WF.R * c.normal, c.gap, c.feature});
  }
}

}  // namespace

void touch_terrain(const PlacedSolid& a, const HeightField& field, const Pose& X_WF, double margin,
                   ContactPoints& points) {
  const Pose X_FA = inverse(X_WF) * a.X;
  TerrainContact contact(a.convex, X_FA, field, margin);
  TouchShape shape;
  shape.convex = a.convex;
  contact.find(bounds(shape, X_FA), points);
  contact.append(X_WF, points);
}

}  // namespace molejo
