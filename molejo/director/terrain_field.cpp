#include "molejo/director/terrain_field.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

struct Sampled {
  const motion::Relief& relief;
  Vec3 offset, scale;
  double x0, y0, width, depth;

  double operator()(double x, double y) const {
    const double u = std::clamp((x - offset.x) / scale.x, relief.x0, relief.x1);
    const double v = std::clamp((y - offset.y) / scale.y, relief.y0, relief.y1);
    return relief.at(u, v).height * scale.z + offset.z;
  }
};

TerrainField sample(const Sampled& h, int columns, int rows) {
  TerrainField terrain;
  HeightField& f = terrain.field;
  f.columns = columns, f.rows = rows;
  f.dx = h.width / (columns - 1), f.dy = h.depth / (rows - 1);
  terrain.middle = {h.x0 + 0.5 * h.width, h.y0 + 0.5 * h.depth, 0};
  f.heights.reserve(at(columns) * at(rows));
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      f.heights.push_back(h(h.x0 + i * f.dx, h.y0 + j * f.dy));
    }
  }
  return terrain;
}

// Largest distance from the triangles of one cell; nothing where there is a wall in it.
double cell_error(const Sampled& h, const HeightField& f, int i, int j) {
  constexpr int n = 3;
  constexpr double steepest = 4;  // of ground that is no wall
  const auto height = [&](int a, int b) { return f.heights[at(b) * at(f.columns) + at(a)]; };
  const double z00 = height(i, j), z10 = height(i + 1, j), z01 = height(i, j + 1),
               z11 = height(i + 1, j + 1);
  double worst = 0;
  double before[n] = {};  // heights of the row before
  for (int b = 0; b < n; ++b) {
    double left = 0;
    for (int a = 0; a < n; ++a) {
      const double u = (a + 0.5) / n, v = (b + 0.5) / n;
      const double plane =
          u > v ? z00 + (z10 - z00) * u + (z11 - z10) * v : z00 + (z01 - z00) * v + (z11 - z01) * u;
      const double z = h(h.x0 + (i + u) * f.dx, h.y0 + (j + v) * f.dy);
      if (a > 0 && std::fabs(z - left) > steepest * f.dx / n) return 0;
      if (b > 0 && std::fabs(z - before[a]) > steepest * f.dy / n) return 0;
      worst = std::max(worst, std::fabs(z - plane));
      left = before[a] = z;
    }
  }
  // a jump near the edge of the cell, between these points and its corners
  const bool wall =
      std::fabs(z10 - z00) > steepest * f.dx || std::fabs(z11 - z01) > steepest * f.dx ||
      std::fabs(z01 - z00) > steepest * f.dy || std::fabs(z11 - z10) > steepest * f.dy;
  return wall ? 0 : worst;
}

// Of some ten thousand cells at most, evenly among all.
double largest_error(const Sampled& h, const HeightField& f) {
  const int cells = (f.columns - 1) * (f.rows - 1), every = 1 + cells / 10'000;
  double worst = 0;
  for (int c = 0; c < cells; c += every) {
    worst = std::max(worst, cell_error(h, f, c % (f.columns - 1), c / (f.columns - 1)));
  }
  return worst;
}

}  // namespace

TerrainField terrain_field(const motion::Relief& relief, const Vec3& offset, const Vec3& scale,
                           const TerrainFieldOptions& options) {
  Sampled h{relief, offset, scale, 0, 0, 0, 0};
  h.x0 = offset.x + scale.x * relief.x0;
  h.y0 = offset.y + scale.y * relief.y0;
  h.width = std::max(1e-6, scale.x * (relief.x1 - relief.x0));
  h.depth = std::max(1e-6, scale.y * (relief.y1 - relief.y0));
  double cell = options.cell;
  TerrainField best;
  for (int round = 0; round < 20; ++round, cell *= 0.5) {
    double columns = std::ceil(h.width / cell - 1e-9) + 1,
           rows = std::ceil(h.depth / cell - 1e-9) + 1;
    const bool too_many = columns * rows > options.points;
    if (too_many && round > 0) break;
    if (too_many) {
      // as fine as may be, in the proportion of the ground
      const double side = std::sqrt(h.width * h.depth / options.points);
      columns = std::clamp(std::floor(h.width / side), 2.0, options.points / 2.0);
      rows = std::clamp(std::floor(options.points / columns), 2.0, options.points / 2.0);
    }
    best = sample(h, std::max(2, static_cast<int>(columns)), std::max(2, static_cast<int>(rows)));
    best.error = largest_error(h, best.field);
    if (best.error <= options.error || too_many) break;
  }
  return best;
}

SceneBody terrain_body(const std::string& name, const TerrainField& terrain, const Color& color,
                       double friction) {
  SceneBody body;
  body.name = name;
  body.immobile = true;
  body.X_WB.p = terrain.middle;
  Shape shape;
  shape.geometry = terrain.field;
  shape.color = color;
  shape.surface.friction = friction;
  body.shapes.push_back(std::move(shape));
  return body;
}

}  // namespace molejo
