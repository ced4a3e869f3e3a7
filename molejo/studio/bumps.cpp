#include "molejo/studio/bumps.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::size_t most_bumps = 5'000;
constexpr double least_bump = 0.05, widest_bump = 20, highest_bump = 20;  // m

int cell(double x) { return static_cast<int>(std::floor(x)); }

void check(const Bump& b) {
  const bool good = std::fabs(b.x) <= farthest_terrain && std::fabs(b.y) <= farthest_terrain &&
                    b.radius >= least_bump && b.radius <= widest_bump &&
                    std::fabs(b.height) <= highest_bump;
  if (good) return;
  throw InputError(fmt::format(
      "a bump of radius {:g} and height {:g} at {:g}, {:g}: expected {:g} to {:g} m, at most {:g} "
      "m, within {:g} m",
      b.radius, b.height, b.x, b.y, least_bump, widest_bump, highest_bump, farthest_terrain));
}

}  // namespace

void Bumps::add(const Bump& bump) {
  check(bump);
  if (!all_.empty()) {
    Bump& last = all_.back();
    const double moved = std::hypot(last.x - bump.x, last.y - bump.y);
    if (last.radius == bump.radius && moved < 1e-9) {
      last.height += bump.height;
      return;
    }
  }
  if (all_.size() >= most_bumps) {
    throw InputError(fmt::format("{} bumps: there can be no more", most_bumps));
  }
  for (int i = cell(bump.x - bump.radius); i <= cell(bump.x + bump.radius); ++i) {
    for (int j = cell(bump.y - bump.radius); j <= cell(bump.y + bump.radius); ++j) {
      cells_[key(i, j)].push_back(all_.size());
    }
  }
  all_.push_back(bump);
}

motion::Elevation Bumps::at(double x, double y) const {
  motion::Elevation sum;
  if (all_.empty()) return sum;
  const auto found = cells_.find(key(cell(x), cell(y)));
  if (found == cells_.end()) return sum;
  for (const std::size_t i : found->second) {
    const Bump& b = all_[i];
    const double dx = x - b.x, dy = y - b.y, R2 = b.radius * b.radius;
    const double u = 1 - (dx * dx + dy * dy) / R2;
    if (u <= 0) continue;
    sum.height += b.height * u * u;
    sum.slope_x -= b.height * 4 * u * dx / R2;
    sum.slope_y -= b.height * 4 * u * dy / R2;
  }
  return sum;
}

Terrain with_bumps(Terrain terrain, std::shared_ptr<const Bumps> bumps) {
  const auto bare = std::make_shared<const motion::Relief>(terrain.relief);
  const Vec3 o = terrain.offset, s = terrain.scale;
  terrain.relief.at = [bare, o, s, bumps = std::move(bumps)](double x, double y) {
    motion::Elevation e = bare->at(x, y);
    const motion::Elevation b = bumps->at(o.x + s.x * x, o.y + s.y * y);
    e.height += b.height / s.z;
    e.slope_x += b.slope_x * s.x / s.z;
    e.slope_y += b.slope_y * s.y / s.z;
    return e;
  };
  return terrain;
}

}  // namespace molejo
