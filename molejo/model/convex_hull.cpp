// Quickhull (Barber, Dobkin and Huhdanpaa, 1996) in exact integer arithmetic.
//
// The points are rounded to a grid of 2^40 cells across their extent. There the side of a plane on
// which a point lies is a determinant below 2^123, so 128-bit integers decide it exactly, and a
// facet counts as visible from a point when the point is above *or on* its plane. The visible
// facets are then those seen from slightly further out, hence always one disk with a simple
// horizon, and no new facet is degenerate: its point is strictly below the facet kept behind it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/model/shapes.h"

namespace molejo {

namespace {

__extension__ typedef __int128 Int128;

constexpr double grid_cells = 1099511627776.0;  // 2^40 across the extent
constexpr double flat_cells = 1024;             // cells: a thinner set of points is plane
constexpr double noise_cells = 64;              // cells: points this little outside are dropped

struct GridPoint {
  std::int64_t x, y, z;
};

GridPoint operator-(const GridPoint& a, const GridPoint& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec3 as_vec3(const GridPoint& a) {
  return {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
}

struct Facet {
  std::array<int, 3> v{};          // counter-clockwise seen from outside
  std::array<int, 3> across{};     // the facet behind edge v[i] v[i + 1]
  std::array<Int128, 3> normal{};  // exact, not normalised
  double normal_length = 0;
  std::vector<int> outside;  // points above this facet, the farthest last
  double farthest = 0;
  bool alive = true;
};

class Quickhull {
 public:
  explicit Quickhull(const std::vector<GridPoint>& points)
      : points_(points), facet_from_(points.size(), -1) {}

  // False when the points lie in one plane.
  bool run() {
    if (!start()) return false;
    while (!pending_.empty()) {
      check_interrupt();
      const int f = pending_.back();
      pending_.pop_back();
      if (facet(f).alive && !facet(f).outside.empty()) add_farthest_point(f);
    }
    return true;
  }

  std::vector<std::array<int, 3>> triangles() const {
    std::vector<std::array<int, 3>> result;
    for (const Facet& f : facets_) {
      if (f.alive) result.push_back(f.v);
    }
    return result;
  }

  // Height over the highest of the facets' planes, in cells.
  double height_above_hull(const GridPoint& p) const {
    double highest = -grid_cells;
    for (const Facet& f : facets_) {
      if (f.alive) highest = std::max(highest, height(f, p));
    }
    return highest;
  }

 private:
  Facet& facet(int f) { return facets_[static_cast<std::size_t>(f)]; }
  const GridPoint& point(int i) const { return points_[static_cast<std::size_t>(i)]; }

  // Six times the volume of the facet and p, exact; positive above.
  Int128 side(const Facet& f, const GridPoint& p) const {
    const GridPoint d = p - point(f.v[0]);
    return f.normal[0] * d.x + f.normal[1] * d.y + f.normal[2] * d.z;
  }
  double height(const Facet& f, const GridPoint& p) const {
    return static_cast<double>(side(f, p)) / f.normal_length;
  }

  int new_facet(int a, int b, int c) {
    Facet f;
    f.v = {a, b, c};
    const GridPoint u = point(b) - point(a), w = point(c) - point(a);
    const auto minor = [](std::int64_t p, std::int64_t q, std::int64_t r, std::int64_t s) {
      return Int128{p} * s - Int128{q} * r;
    };
    f.normal = {minor(u.y, u.z, w.y, w.z), minor(u.z, u.x, w.z, w.x), minor(u.x, u.y, w.x, w.y)};
    f.normal_length = norm(Vec3{static_cast<double>(f.normal[0]), static_cast<double>(f.normal[1]),
                                static_cast<double>(f.normal[2])});
    facets_.push_back(std::move(f));
    return static_cast<int>(facets_.size()) - 1;
  }

  void assign(int p, int first_facet, int last_facet) {
    // to the facet it is highest above; inside all of them it needs no further thought
    int best = -1;
    double highest = noise_cells;
    for (int f = first_facet; f < last_facet; ++f) {
      const double h = height(facet(f), point(p));
      if (h > highest) highest = h, best = f;
    }
    if (best < 0) return;
    Facet& f = facet(best);
    f.outside.push_back(p);
    if (highest > f.farthest) {
      f.farthest = highest;
    } else {
      std::swap(f.outside.back(), f.outside[f.outside.size() - 2]);
    }
  }

  // A large tetrahedron: ends of the longest side of the bounding box, then the points farthest
  // from their line and from the plane of the three.
  bool start() {
    const int n = static_cast<int>(points_.size());
    int low = 0, high = 0;
    double longest = 0;
    for (const auto axis : {&GridPoint::x, &GridPoint::y, &GridPoint::z}) {
      const auto less = [axis](const GridPoint& a, const GridPoint& b) {
        return a.*axis < b.*axis;
      };
      const auto [a, b] = std::minmax_element(points_.begin(), points_.end(), less);
      const double length = static_cast<double>((*b).*axis - (*a).*axis);
      if (length <= longest) continue;
      longest = length;
      low = static_cast<int>(a - points_.begin()), high = static_cast<int>(b - points_.begin());
    }
    const Vec3 line = as_vec3(point(high) - point(low));
    int third = -1, fourth = -1;
    double widest = flat_cells * norm(line), tallest = flat_cells;
    for (int i = 0; i < n; ++i) {
      const double width = norm(cross(line, as_vec3(point(i) - point(low))));
      if (width > widest) widest = width, third = i;
    }
    if (third < 0) return false;

    const int base = new_facet(low, high, third);
    bool above = false;
    for (int i = 0; i < n; ++i) {
      const double h = height(facet(base), point(i));
      if (std::fabs(h) > tallest) tallest = std::fabs(h), fourth = i, above = h > 0;
    }
    facets_.clear();
    if (fourth < 0) return false;
    if (above) std::swap(low, high);
    make_tetrahedron(low, high, third, fourth);
    for (int i = 0; i < n; ++i) assign(i, 0, 4);
    return true;
  }

  // d is below the plane of the counter-clockwise a, b, c.
  void make_tetrahedron(int a, int b, int c, int d) {
    new_facet(a, b, c), new_facet(a, d, b), new_facet(b, d, c), new_facet(c, d, a);
    facet(0).across = {1, 2, 3};
    facet(1).across = {3, 2, 0};
    facet(2).across = {1, 3, 0};
    facet(3).across = {2, 1, 0};
    pending_ = {0, 1, 2, 3};
  }

  // Where visible facets meet the others; `behind` is the facet that stays.
  struct HorizonEdge {
    int from, to, behind;
  };

  void add_farthest_point(int seen) {
    const int p = facet(seen).outside.back();
    facet(seen).outside.pop_back();
    const std::vector<int> visible = remove_visible(seen, point(p));
    const int first = static_cast<int>(facets_.size());
    add_cone(horizon_of(visible), p);
    const int last = static_cast<int>(facets_.size());
    // points above the facets that vanished
    for (const int f : visible) {
      for (const int i : std::exchange(facet(f).outside, {})) assign(i, first, last);
    }
  }

  // The facets visible from p, found from one of them; they are no longer alive.
  std::vector<int> remove_visible(int seen, const GridPoint& p) {
    std::vector<int> visible{seen};
    facet(seen).alive = false;
    for (std::size_t k = 0; k < visible.size(); ++k) {
      for (const int behind : facet(visible[k]).across) {
        if (!facet(behind).alive || side(facet(behind), p) < 0) continue;
        facet(behind).alive = false;
        visible.push_back(behind);
      }
    }
    return visible;
  }

  std::vector<HorizonEdge> horizon_of(const std::vector<int>& visible) {
    std::vector<HorizonEdge> horizon;
    for (const int f : visible) {
      for (std::size_t e = 0; e < 3; ++e) {
        const int behind = facet(f).across[e];
        if (facet(behind).alive) {
          horizon.push_back({facet(f).v[e], facet(f).v[(e + 1) % 3], behind});
        }
      }
    }
    return horizon;
  }

  // New facets from the horizon to p, each linked to its three neighbours.
  void add_cone(const std::vector<HorizonEdge>& horizon, int p) {
    const int first = static_cast<int>(facets_.size());
    for (const HorizonEdge& edge : horizon) {
      const int f = new_facet(edge.from, edge.to, p);
      facet_from_[static_cast<std::size_t>(edge.from)] = f;
      facet(f).across[0] = edge.behind;
      Facet& behind = facet(edge.behind);
      for (std::size_t e = 0; e < 3; ++e) {
        if (behind.v[e] == edge.to && behind.v[(e + 1) % 3] == edge.from) behind.across[e] = f;
      }
      pending_.push_back(f);
    }
    for (int f = first; f < static_cast<int>(facets_.size()); ++f) {
      const int next = facet_from_[static_cast<std::size_t>(facet(f).v[1])];
      facet(f).across[1] = next;
      facet(next).across[2] = f;
    }
  }

  const std::vector<GridPoint>& points_;
  std::vector<Facet> facets_;
  std::vector<int> pending_;     // facets that may have points outside
  std::vector<int> facet_from_;  // by vertex: the new facet whose horizon edge starts there
};

std::vector<GridPoint> on_grid(std::span<const Vec3> points) {
  Vec3 low = points.front(), high = points.front();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    for (int k = 0; k < 3; ++k) {
      if (!std::isfinite(p[k])) {
        throw InputError("convex hull: point " + std::to_string(i) + " is not finite");
      }
      low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    }
  }
  const double extent = max_abs(high - low), scale = grid_cells / extent;
  if (!(extent > 0)) throw InputError("convex hull: all points coincide, expected a solid");
  if (!std::isfinite(extent) || !std::isfinite(scale)) {
    throw InputError("convex hull: extent " + std::to_string(extent) + " m is out of range");
  }
  std::vector<GridPoint> result;
  result.reserve(points.size());
  for (const Vec3& p : points) {
    const Vec3 g = (p - low) * scale;
    result.push_back({std::llround(g.x - grid_cells / 2), std::llround(g.y - grid_cells / 2),
                      std::llround(g.z - grid_cells / 2)});
  }
  return result;
}

// Vertices that could go without moving the surface by more than the noise, no two of them
// neighbours: those within the noise of the hull of their neighbours and an inner point.
std::vector<bool> redundant_vertices(const std::vector<GridPoint>& points,
                                     const std::vector<std::array<int, 3>>& triangles) {
  std::vector<std::vector<int>> ring(points.size());
  GridPoint inner{0, 0, 0};
  const auto count = static_cast<std::int64_t>(points.size());
  for (const GridPoint& p : points) inner.x += p.x, inner.y += p.y, inner.z += p.z;
  inner = {inner.x / count, inner.y / count, inner.z / count};
  for (const auto& t : triangles) {
    for (std::size_t e = 0; e < 3; ++e) {
      ring[static_cast<std::size_t>(t[e])].push_back(t[(e + 1) % 3]);
    }
  }
  std::vector<bool> redundant(points.size(), false);
  std::vector<GridPoint> around;
  for (std::size_t v = 0; v < points.size(); ++v) {
    bool beside_redundant = false;
    around.assign(1, inner);
    for (const int r : ring[v]) {
      beside_redundant |= redundant[static_cast<std::size_t>(r)];
      around.push_back(points[static_cast<std::size_t>(r)]);
    }
    if (beside_redundant) continue;
    Quickhull hull(around);
    redundant[v] = hull.run() && hull.height_above_hull(points[v]) <= noise_cells;
  }
  return redundant;
}

}  // namespace

Polyhedron convex_hull(std::span<const Vec3> points) {
  constexpr std::size_t most_points = std::size_t{1} << 22;
  if (points.size() < 4 || points.size() > most_points) {
    throw InputError("convex hull: " + std::to_string(points.size()) + " points, expected 4 to " +
                     std::to_string(most_points));
  }
  std::vector<GridPoint> grid = on_grid(points);
  Polyhedron hull{{points.begin(), points.end()}, {}};

  constexpr int most_rounds = 16;
  for (int round = 0; round < most_rounds; ++round) {
    Quickhull quickhull(grid);
    if (!quickhull.run()) {
      throw InputError("convex hull: the " + std::to_string(points.size()) +
                       " points lie in one plane, expected a solid");
    }
    hull.triangles = quickhull.triangles();

    // keep the vertices of the hull, in the order of the input
    std::vector<int> index(grid.size(), -1);
    for (const auto& t : hull.triangles) {
      for (const int v : t) index[static_cast<std::size_t>(v)] = 0;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (index[i] < 0) continue;
      index[i] = static_cast<int>(kept);
      grid[kept] = grid[i], hull.vertices[kept] = hull.vertices[i];
      ++kept;
    }
    grid.resize(kept), hull.vertices.resize(kept);
    for (auto& t : hull.triangles) {
      for (int& v : t) v = index[static_cast<std::size_t>(v)];
    }

    // points that only rounding made vertices: begin again without them
    const std::vector<bool> redundant = redundant_vertices(grid, hull.triangles);
    if (std::find(redundant.begin(), redundant.end(), true) == redundant.end()) break;
    if (round + 1 == most_rounds) break;
    kept = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (redundant[i]) continue;
      grid[kept] = grid[i], hull.vertices[kept] = hull.vertices[i];
      ++kept;
    }
    grid.resize(kept), hull.vertices.resize(kept);
  }
  return hull;
}

}  // namespace molejo
