// The ground under walkers: heights and normals of several terrains, each placed and scaled.
//
//   height(x, y) = max over terrains of  s_z h((x - o_x) / s_x, (y - o_y) / s_y) + o_z
//
// z is up, as in scenes. h is a formula, a plane, a grid, or a row of steps and ramps; it is
// evaluated exactly, not on triangles. Where there is no terrain there is no ground. No allocation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "molejo/model/shapes.h"

namespace molejo::motion {

// Height over the plane of a terrain and its slopes dh/dx, dh/dy, all in its own scale.
struct Elevation {
  double height = 0, slope_x = 0, slope_y = 0;
};

// A height for every (x, y) of a rectangle.
struct Relief {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  std::function<Elevation(double x, double y)> at;
};

// A formula without slopes: they are found by central differences over `step`.
Relief formula_relief(double x0, double x1, double y0, double y1,
                      std::function<double(double, double)> height, double step = 1e-5);
// The two triangles of each cell, as simulation has them; the field is copied.
Relief grid_relief(const HeightField& field);

// Level and sloping pieces along x, one after the other, as wide as the relief.
struct Piece {
  double length = 1;
  double rise = 0;   // at the start of the piece, at once: a step up or down
  double climb = 0;  // over its length: a ramp
};
Relief piecewise_relief(double x0, double y0, double y1, const std::vector<Piece>& pieces,
                        double height = 0);

struct GroundPoint {
  double height = 0;
  Vec3 normal{0, 0, 1};
  int terrain = -1;  // whose it is
};

class Ground {
 public:
  // Scales must be positive. The relief is shared, not copied.
  void add(const Relief& relief, const Vec3& offset = {}, const Vec3& scale = {1, 1, 1});
  int size() const { return static_cast<int>(terrains_.size()); }
  // The highest of the terrains at (x, y), or nothing outside of all.
  std::optional<GroundPoint> at(double x, double y) const;

 private:
  struct Placed {
    std::shared_ptr<const Relief> relief;
    Vec3 offset, scale;
  };
  std::vector<Placed> terrains_;
};

}  // namespace molejo::motion
