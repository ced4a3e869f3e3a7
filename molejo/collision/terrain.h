// The triangles, edges and points of a height field, in its own frame (private to this module).
//
// An edge can be touched from above only if its two triangles fold downwards, and then only along
// normals between theirs. The same holds for points. All else would be a bump that is not there.
#pragma once

#include <cstdint>

#include "molejo/model/shapes.h"

namespace molejo {

struct CellRange {
  int i0 = 0, i1 = -1, j0 = 0, j1 = -1;  // cells, both ends included
};

struct TerrainFace {
  Vec3 origin, normal;
  double slope_x = 0, slope_y = 0;
  bool lower = false;  // of the two triangles of a cell: the one at its corner of larger x
  int i = 0, j = 0;    // cell
  std::uint32_t index = 0;
};

struct TerrainEdge {
  Vec3 from, to;
  Vec3 normal[2];  // of the triangles beside it; equal at the border of the field
  Vec3 inward[2];  // unit, in these triangles, away from the edge; zero where there is none
  std::uint32_t index = 0;
};

class TerrainSurface {
 public:
  explicit TerrainSurface(const HeightField& field);

  // Cells that a box of these coordinates stands over.
  CellRange cells(double x0, double x1, double y0, double y1) const;
  double highest(const CellRange& range) const;
  double dx() const { return dx_; }
  double dy() const { return dy_; }

  Vec3 point(int i, int j) const { return {x_[0] + i * dx_, y_[0] + j * dy_, height(i, j)}; }
  TerrainFace face(int i, int j, bool lower) const;
  bool contains(const TerrainFace& face, double x, double y, double slack) const;
  // The triangle below or above (x, y); false outside the grid.
  bool face_under(double x, double y, TerrainFace& face) const;

  // Calls take(edge) for all edges of these cells that fold downwards or end the field, and rise
  // above z.
  template <class Take>
  void for_sharp_edges(const CellRange& r, double z, const Take& take) const {
    for (int j = r.j0; j <= r.j1 + 1; ++j) {
      for (int i = r.i0; i <= r.i1 + 1; ++i) {
        for (int kind = 0; kind < 3; ++kind) {
          // along x, along y, diagonal
          if ((kind != 1 && i > r.i1) || (kind != 0 && j > r.j1)) continue;
          if (height(i, j) < z && height(i + (kind != 1), j + (kind != 0)) < z) continue;
          if (is_sharp(i, j, kind)) take(sharp_edge(i, j, kind));
        }
      }
    }
  }
  // Calls take(point, i, j) for all points of these cells above z where some edge is sharp.
  template <class Take>
  void for_sharp_points(const CellRange& r, double z, const Take& take) const {
    for (int j = r.j0; j <= r.j1 + 1; ++j) {
      for (int i = r.i0; i <= r.i1 + 1; ++i) {
        if (height(i, j) >= z && is_sharp_point(i, j)) take(point(i, j), i, j);
      }
    }
  }
  std::uint32_t point_index(int i, int j) const {
    return static_cast<std::uint32_t>(j) * static_cast<std::uint32_t>(columns_) +
           static_cast<std::uint32_t>(i);
  }

  // Does the surface around the point nowhere rise above the plane across n, by more than
  // `slack` times the distance?
  bool is_summit(int i, int j, const Vec3& n, double slack) const;
  // The direction closest to n across which the point is a summit, at least of one edge.
  Vec3 nearest_summit_normal(int i, int j, const Vec3& n) const;

 private:
  double height(int i, int j) const {
    return heights_[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(i)];
  }
  bool is_sharp(int i, int j, int kind) const;
  bool is_sharp_point(int i, int j) const;
  TerrainEdge sharp_edge(int i, int j, int kind) const;

  const double* heights_;
  int columns_, rows_;
  double dx_, dy_, x_[2], y_[2];  // spacing and extent
};

// The normal n of an edge, brought between the normals of its two triangles.
Vec3 between_normals(const TerrainEdge& edge, const Vec3& n);
// Is it there already, up to `slack`?
inline bool is_between_normals(const TerrainEdge& edge, const Vec3& n, double slack) {
  return n.z > 0 && dot(n, edge.inward[0]) <= slack && dot(n, edge.inward[1]) <= slack;
}

}  // namespace molejo
