#include "molejo/motion/ground.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo::motion {

Relief formula_relief(double x0, double x1, double y0, double y1,
                      std::function<double(double, double)> height, double step) {
  return {x0, x1, y0, y1, [h = std::move(height), step](double x, double y) {
            return Elevation{h(x, y), (h(x + step, y) - h(x - step, y)) / (2 * step),
                             (h(x, y + step) - h(x, y - step)) / (2 * step)};
          }};
}

Relief grid_relief(const HeightField& field) {
  assert(field.columns >= 2 && field.rows >= 2);
  const double half_x = 0.5 * field.dx * (field.columns - 1);
  const double half_y = 0.5 * field.dy * (field.rows - 1);
  return {
      -half_x, half_x, -half_y, half_y, [field, half_x, half_y](double x, double y) {
        const double u = (x + half_x) / field.dx, v = (y + half_y) / field.dy;
        const int i = std::clamp(static_cast<int>(u), 0, field.columns - 2);
        const int j = std::clamp(static_cast<int>(v), 0, field.rows - 2);
        const auto z = [&](int a, int b) {
          return field
              .heights[static_cast<std::size_t>(j + b) * static_cast<std::size_t>(field.columns) +
                       static_cast<std::size_t>(i + a)];
        };
        // cells are parted from their corner of least x and y to the one across
        const double s = u - i, t = v - j;
        const bool lower = s > t;
        const double along = lower ? z(1, 0) - z(0, 0) : z(1, 1) - z(0, 1);
        const double across = lower ? z(1, 1) - z(1, 0) : z(0, 1) - z(0, 0);
        return Elevation{z(0, 0) + along * s + across * t, along / field.dx, across / field.dy};
      }};
}

Relief piecewise_relief(double x0, double y0, double y1, const std::vector<Piece>& pieces,
                        double height) {
  struct Start {
    double x, z, slope;
  };
  std::vector<Start> starts;
  double x = x0, z = height;
  for (const Piece& piece : pieces) {
    assert(piece.length > 0);
    z += piece.rise;
    starts.push_back({x, z, piece.climb / piece.length});
    x += piece.length, z += piece.climb;
  }
  assert(!starts.empty());
  return {x0, x, y0, y1, [starts](double at, double) {
            const auto next = std::upper_bound(starts.begin(), starts.end(), at,
                                               [](double a, const Start& s) { return a < s.x; });
            const Start& s = next == starts.begin() ? *next : next[-1];
            return Elevation{s.z + s.slope * (at - s.x), s.slope, 0};
          }};
}

void Ground::add(const Relief& relief, const Vec3& offset, const Vec3& scale) {
  assert(scale.x > 0 && scale.y > 0 && scale.z > 0 && relief.at);
  terrains_.push_back({std::make_shared<const Relief>(relief), offset, scale});
}

std::optional<GroundPoint> Ground::at(double x, double y) const {
  std::optional<GroundPoint> best;
  for (std::size_t i = 0; i < terrains_.size(); ++i) {
    const Placed& t = terrains_[i];
    const double u = (x - t.offset.x) / t.scale.x, v = (y - t.offset.y) / t.scale.y;
    if (!(u >= t.relief->x0 && u <= t.relief->x1 && v >= t.relief->y0 && v <= t.relief->y1))
      continue;
    const Elevation e = t.relief->at(u, v);
    const double height = t.offset.z + t.scale.z * e.height;
    if (best && best->height >= height) continue;
    const Vec3 normal{-e.slope_x * t.scale.z / t.scale.x, -e.slope_y * t.scale.z / t.scale.y, 1};
    best = GroundPoint{height, normalized(normal), static_cast<int>(i)};
  }
  return best;
}

}  // namespace molejo::motion
