#include "molejo/math/noise.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace molejo {

namespace {

std::uint64_t mixed(std::uint64_t h) {
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9;
  h ^= h >> 27;
  h *= 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

constexpr std::uint64_t spread[3] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9};

double component(std::uint64_t h, int i) {
  constexpr std::uint64_t mask = (1u << 21) - 1;
  return static_cast<double>((h >> (21 * i)) & mask) * (1.0 / 1048576) - 1;
}

// A coordinate's place in its cell.
struct Place {
  std::uint64_t hash[2];  // parts of the hash at its two corners
  double offset[2];       // from the corners
  double weight[2], d_weight[2];
};

Place place(double x, int axis) {
  constexpr double whole_from = 4503599627370496.0;  // 2^52
  if (!(std::fabs(x) < whole_from)) x = 0;
  // not std::floor, which is a call where the processor may be any
  auto below = static_cast<std::int64_t>(x);
  if (static_cast<double>(below) > x) --below;
  const double t = x - static_cast<double>(below);
  const auto i = static_cast<std::uint64_t>(below);
  const double fade = t * t * t * (t * (t * 6 - 15) + 10);
  const double slope = 30 * (t * t) * ((t - 1) * (t - 1));
  return {
      {i * spread[axis], (i + 1) * spread[axis]}, {t, t - 1}, {1 - fade, fade}, {-slope, slope}};
}

template <int dimensions>
Noise noise(const double (&x)[dimensions], double scale) {
  Noise result{0, {0, 0, 0}};
  Place places[dimensions];
  for (int axis = 0; axis < dimensions; ++axis) {
    if (!std::isfinite(x[axis])) return {std::numeric_limits<double>::quiet_NaN(), {0, 0, 0}};
    places[axis] = place(x[axis], axis);
  }
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    std::uint64_t sum = 0;
    for (int axis = 0; axis < dimensions; ++axis) sum += places[axis].hash[(corner >> axis) & 1];
    const std::uint64_t h = mixed(sum);
    double weight = 1, dot = 0;
    for (int axis = 0; axis < dimensions; ++axis) {
      const int side = (corner >> axis) & 1;
      weight *= places[axis].weight[side];
      dot += component(h, axis) * places[axis].offset[side];
    }
    result.value += weight * dot;
    for (int by = 0; by < dimensions; ++by) {
      double slope = places[by].d_weight[(corner >> by) & 1];
      for (int axis = 0; axis < dimensions; ++axis) {
        if (axis != by) slope *= places[axis].weight[(corner >> axis) & 1];
      }
      result.slope[by] += slope * dot + weight * component(h, by);
    }
  }
  result.value *= scale;
  for (double& slope : result.slope) slope *= scale;
  return result;
}

}  // namespace

Noise noise1(double x) { return noise<1>({x}, 2); }
Noise noise2(double x, double y) { return noise<2>({x, y}, 1); }
Noise noise3(double x, double y, double z) { return noise<3>({x, y, z}, 2.0 / 3); }

}  // namespace molejo
