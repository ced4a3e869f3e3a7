// Terrains as triangles: a grid over every part that is smooth, and a wall where heights jump.
#include <algorithm>
#include <cmath>

#include "molejo/io/terrain.h"

namespace molejo {

namespace {

constexpr double usual_cell = 0.15, level_cell = 1;  // m, in the world
constexpr double most_usual_cells = 300;
constexpr double beside = 1e-9;  // before a jump, as a part of the size

class MeshBuilder {
 public:
  explicit MeshBuilder(const Terrain& terrain) : t_(terrain), r_(terrain.relief) {
    constexpr int samples = 16;
    for (int i = 0; i <= samples * samples; ++i) {
      const double u = static_cast<double>(i) / (samples * samples);
      const double v = static_cast<double>(i * 7 % samples) / samples;
      const motion::Elevation e = r_.at(r_.x0 + u * (r_.x1 - r_.x0), r_.y0 + v * (r_.y1 - r_.y0));
      level_ = level_ && e.slope_x == 0 && e.slope_y == 0;
    }
    along_y_ = cells(r_.y1 - r_.y0, t_.scale.y, t_.cells[1]);
  }

  TerrainMesh build() {
    std::vector<double> ends{r_.x0};
    for (const double x : t_.breaks) {
      if (x > ends.back() && x < r_.x1) ends.push_back(x);
    }
    ends.push_back(r_.x1);
    const int along_x = cells(r_.x1 - r_.x0, t_.scale.x, t_.cells[0]);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const double share = (ends[i + 1] - ends[i]) / (r_.x1 - r_.x0);
      // steps are flat: their grids need no more than their share of the cells
      const int n = std::max(1, static_cast<int>(std::ceil(share * along_x - 1e-9)));
      add_part(ends[i], ends[i + 1], n, i + 2 < ends.size());
      if (i > 0) add_wall(ends[i]);
    }
    return std::move(mesh_);
  }

 private:
  int cells(double size, double scale, int given) const {
    if (given > 0) return given;
    const double wanted = std::ceil(size * scale / (level_ ? level_cell : usual_cell));
    return static_cast<int>(std::clamp(wanted, 1.0, most_usual_cells));
  }

  double y_at(int j) const { return r_.y0 + (r_.y1 - r_.y0) * j / along_y_; }

  // The point above (x, y) with the height found at (at_x, y).
  void add_point(double x, double at_x, double y, const Vec3* normal) {
    const motion::Elevation e = r_.at(at_x, y);
    const Vec3& s = t_.scale;
    mesh_.points.push_back(
        {t_.offset.x + s.x * x, t_.offset.y + s.y * y, t_.offset.z + s.z * e.height});
    mesh_.normals.push_back(
        normal ? *normal : normalized(Vec3{-e.slope_x * s.z / s.x, -e.slope_y * s.z / s.y, 1}));
  }

  // Rows of points along y, the next one farther along x.
  void join_rows(std::uint32_t first, std::uint32_t rows) {
    const auto row = static_cast<std::uint32_t>(along_y_ + 1);
    for (std::uint32_t i = 0; i + 1 < rows; ++i) {
      for (std::uint32_t j = 0; j + 1 < row; ++j) {
        const std::uint32_t a = first + i * row + j, b = a + row;
        // parted as grids of heights are: from the corner of least x and y to the one across
        mesh_.triangles.push_back({a, b, b + 1});
        mesh_.triangles.push_back({a, b + 1, a + 1});
      }
    }
  }

  void add_part(double x0, double x1, int n, bool jump_follows) {
    const auto first = static_cast<std::uint32_t>(mesh_.points.size());
    for (int i = 0; i <= n; ++i) {
      const double x = i == n ? x1 : x0 + (x1 - x0) * i / n;
      const double at_x = i == n && jump_follows ? x - beside * (r_.x1 - r_.x0) : x;
      for (int j = 0; j <= along_y_; ++j) add_point(x, at_x, y_at(j), nullptr);
    }
    join_rows(first, static_cast<std::uint32_t>(n + 1));
  }

  void add_wall(double x) {
    const double before = x - beside * (r_.x1 - r_.x0);
    const double rise = r_.at(x, r_.y0).height - r_.at(before, r_.y0).height;
    if (std::fabs(rise) < 1e-6) return;  // only the slope jumps
    const Vec3 normal{rise > 0 ? -1.0 : 1.0, 0, 0};
    const auto first = static_cast<std::uint32_t>(mesh_.points.size());
    for (const double at_x : {before, x}) {
      for (int j = 0; j <= along_y_; ++j) add_point(x, at_x, y_at(j), &normal);
    }
    join_rows(first, 2);
  }

  const Terrain& t_;
  const motion::Relief& r_;
  int along_y_ = 1;
  bool level_ = true;  // steps apart
  TerrainMesh mesh_;
};

}  // namespace

TerrainMesh terrain_mesh(const Terrain& terrain) { return MeshBuilder(terrain).build(); }

}  // namespace molejo
