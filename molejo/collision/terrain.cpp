#include "molejo/collision/terrain.h"

#include <algorithm>

namespace molejo {

namespace {

constexpr int step_i[6] = {1, 1, 0, -1, -1, 0}, step_j[6] = {0, 1, 1, 0, -1, -1};

}  // namespace

TerrainSurface::TerrainSurface(const HeightField& field)
    : heights_(field.heights.data()),
      columns_(field.columns),
      rows_(field.rows),
      dx_(field.dx),
      dy_(field.dy) {
  x_[1] = 0.5 * (columns_ - 1) * dx_, x_[0] = -x_[1];
  y_[1] = 0.5 * (rows_ - 1) * dy_, y_[0] = -y_[1];
}

CellRange TerrainSurface::cells(double x0, double x1, double y0, double y1) const {
  if (!(x1 >= x_[0] && x0 <= x_[1] && y1 >= y_[0] && y0 <= y_[1])) return {};
  const auto cell = [](double at, double spacing, int count) {
    return static_cast<int>(std::clamp(std::floor(at / spacing), 0.0, count - 2.0));
  };
  return {cell(x0 - x_[0], dx_, columns_), cell(x1 - x_[0], dx_, columns_),
          cell(y0 - y_[0], dy_, rows_), cell(y1 - y_[0], dy_, rows_)};
}

double TerrainSurface::highest(const CellRange& r) const {
  double top = -1e300;
  for (int j = r.j0; j <= r.j1 + 1; ++j) {
    for (int i = r.i0; i <= r.i1 + 1; ++i) top = std::max(top, height(i, j));
  }
  return top;
}

TerrainFace TerrainSurface::face(int i, int j, bool lower) const {
  TerrainFace f;
  const double a = height(i, j), c = height(i + 1, j + 1);
  const double side = lower ? height(i + 1, j) : height(i, j + 1);
  f.slope_x = (lower ? side - a : c - side) / dx_;
  f.slope_y = (lower ? c - side : side - a) / dy_;
  f.origin = point(i, j);
  f.normal = normalized(Vec3{-f.slope_x, -f.slope_y, 1});
  f.lower = lower, f.i = i, f.j = j;
  f.index = 2 * point_index(i, j) + (lower ? 0 : 1);
  return f;
}

bool TerrainSurface::contains(const TerrainFace& f, double x, double y, double slack) const {
  const double u = (x - f.origin.x) / dx_, v = (y - f.origin.y) / dy_;
  return f.lower ? v >= -slack && u >= v - slack && u <= 1 + slack
                 : u >= -slack && v >= u - slack && v <= 1 + slack;
}

bool TerrainSurface::face_under(double x, double y, TerrainFace& f) const {
  if (!(x >= x_[0] && x <= x_[1] && y >= y_[0] && y <= y_[1])) return false;
  const CellRange r = cells(x, x, y, y);
  const double u = (x - x_[0]) / dx_ - r.i0, v = (y - y_[0]) / dy_ - r.j0;
  f = face(r.i0, r.j0, u >= v);
  return true;
}

// Compares the slopes across the edge on its two sides.
bool TerrainSurface::is_sharp(int i, int j, int kind) const {
  double fold;  // rise beyond minus rise before
  if (kind == 0) {
    if (j == 0 || j == rows_ - 1) return true;
    fold = height(i + 1, j + 1) - height(i + 1, j) - height(i, j) + height(i, j - 1);
  } else if (kind == 1) {
    if (i == 0 || i == columns_ - 1) return true;
    fold = height(i + 1, j + 1) - height(i, j + 1) - height(i, j) + height(i - 1, j);
  } else {
    fold = height(i + 1, j) + height(i, j + 1) - height(i, j) - height(i + 1, j + 1);
  }
  constexpr double noise = 1e-12;
  return fold < -noise * (dx_ + dy_ + std::fabs(height(i, j)));
}

bool TerrainSurface::is_sharp_point(int i, int j) const {
  if (i == 0 || j == 0 || i == columns_ - 1 || j == rows_ - 1) return true;
  return is_sharp(i, j, 0) || is_sharp(i - 1, j, 0) || is_sharp(i, j, 1) || is_sharp(i, j - 1, 1) ||
         is_sharp(i, j, 2) || is_sharp(i - 1, j - 1, 2);
}

TerrainEdge TerrainSurface::sharp_edge(int i, int j, int kind) const {
  TerrainEdge e;
  e.from = point(i, j);
  e.to = kind == 0 ? point(i + 1, j) : kind == 1 ? point(i, j + 1) : point(i + 1, j + 1);
  e.index = 3 * point_index(i, j) + static_cast<std::uint32_t>(kind);
  // on the left seen from above, then on the right
  bool there[2] = {true, true};
  TerrainFace beside[2];
  if (kind == 0) {
    there[0] = j<rows_ - 1, there[1] = j> 0;
    if (there[0]) beside[0] = face(i, j, true);
    if (there[1]) beside[1] = face(i, j - 1, false);
  } else if (kind == 1) {
    there[0] = i > 0, there[1] = i < columns_ - 1;
    if (there[0]) beside[0] = face(i - 1, j, true);
    if (there[1]) beside[1] = face(i, j, false);
  } else {
    beside[0] = face(i, j, false), beside[1] = face(i, j, true);
  }
  const Vec3 along = normalized(e.to - e.from);
  for (int k = 0; k < 2; ++k) {
    if (!there[k]) continue;
    e.normal[k] = beside[k].normal;
    e.inward[k] = cross(e.normal[k], along) * (k == 0 ? 1.0 : -1.0);
  }
  for (int k = 0; k < 2; ++k) {
    if (!there[k]) e.normal[k] = e.normal[1 - k];
  }
  return e;
}

bool TerrainSurface::is_summit(int i, int j, const Vec3& n, double slack) const {
  const Vec3 p = point(i, j);
  for (int k = 0; k < 6; ++k) {
    const int a = i + step_i[k], b = j + step_j[k];
    if (a < 0 || b < 0 || a >= columns_ || b >= rows_) continue;
    const Vec3 e = point(a, b) - p;
    if (dot(e, n) > slack * norm(e)) return false;
  }
  return n.z > 0;
}

Vec3 TerrainSurface::nearest_summit_normal(int i, int j, const Vec3& n) const {
  Vec3 best{0, 0, 1};
  double most = -2;
  const auto offer = [&](const Vec3& m) {
    if (dot(m, n) > most) most = dot(m, n), best = m;
  };
  // normals of the triangles around, and of the edges that leave the point
  for (int k = 0; k < 6; ++k) {
    // the triangle between step k and the next, by its cell
    static constexpr int cell_i[6] = {0, 0, -1, -1, -1, 0}, cell_j[6] = {0, 0, 0, -1, -1, -1};
    static constexpr bool lower[6] = {true, false, true, false, true, false};
    const int a = i + cell_i[k], b = j + cell_j[k];
    if (a >= 0 && b >= 0 && a < columns_ - 1 && b < rows_ - 1) offer(face(a, b, lower[k]).normal);
    const int ei = i + std::min(0, step_i[k]), ej = j + std::min(0, step_j[k]);
    const int kind = step_j[k] == 0 ? 0 : step_i[k] == 0 ? 1 : 2;
    if (ei < 0 || ej < 0 || ei + (kind != 1) >= columns_ || ej + (kind != 0) >= rows_) continue;
    if (!is_sharp(ei, ej, kind)) continue;
    const TerrainEdge edge = sharp_edge(ei, ej, kind);
    const Vec3 along = normalized(edge.to - edge.from);
    const Vec3 m = n - along * dot(n, along);
    const double length = norm(m);
    if (length > 1e-9 && is_between_normals(edge, m / length, 0)) offer(m / length);
  }
  return best;
}

Vec3 between_normals(const TerrainEdge& edge, const Vec3& n) {
  if (n.z > 0 && dot(n, edge.inward[0]) <= 0 && dot(n, edge.inward[1]) <= 0) return n;
  return dot(n, edge.normal[0]) >= dot(n, edge.normal[1]) ? edge.normal[0] : edge.normal[1];
}

}  // namespace molejo
