#include "bench/penetration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace bench {

namespace {

// Half the shadow of a box on a direction.
double reach(const Vec3& half, const BodyState& body, const Vec3& direction) {
  return half.x * std::abs(dot(body.x_axis, direction)) +
         half.y * std::abs(dot(body.y_axis, direction)) +
         half.z * std::abs(dot(body.z_axis, direction));
}

double largest_part_depth(const Work& work, const std::vector<BodyState>& bodies) {
  // sweep along x over the spheres around the boxes
  std::vector<std::size_t> order(bodies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> radius(bodies.size());
  double largest_radius = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3& half = work.parts[i].shape.half;
    radius[i] = std::sqrt(dot(half, half));
    largest_radius = std::max(largest_radius, radius[i]);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return bodies[i].center.x < bodies[j].center.x; });

  double deepest = 0;
  for (std::size_t m = 0; m < order.size(); ++m) {
    const std::size_t i = order[m];
    for (std::size_t n = m + 1; n < order.size(); ++n) {
      const std::size_t j = order[n];
      const Vec3 apart = bodies[j].center - bodies[i].center;
      if (apart.x > radius[i] + largest_radius) break;
      const double touching = radius[i] + radius[j];
      if (dot(apart, apart) < touching * touching)
        deepest = std::max(deepest, box_depth(work.parts[i].shape.half, bodies[i],
                                              work.parts[j].shape.half, bodies[j]));
    }
  }
  return deepest;
}

}  // namespace

double lowest_point(const Shape& shape, const BodyState& body) {
  const Vec3 up{0, 0, 1};
  switch (shape.solid) {
    case Solid::sphere:
      return body.center.z - shape.radius;
    case Solid::capsule:
      return body.center.z - shape.radius -
             shape.half_length * std::abs(body.direction(shape.axis()).z);
    case Solid::box:
      return body.center.z - reach(shape.half, body, up);
    case Solid::none:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

double box_depth(const Vec3& half_a, const BodyState& a, const Vec3& half_b, const BodyState& b) {
  const Vec3 apart = b.center - a.center;
  double least = std::numeric_limits<double>::infinity();
  const auto overlap_along = [&](const Vec3& direction) {
    const double overlap =
        reach(half_a, a, direction) + reach(half_b, b, direction) - std::abs(dot(apart, direction));
    least = std::min(least, overlap);
    return overlap > 0;
  };
  const std::array axes_a{a.x_axis, a.y_axis, a.z_axis}, axes_b{b.x_axis, b.y_axis, b.z_axis};
  for (const Vec3& axis : axes_a)
    if (!overlap_along(axis)) return 0;
  for (const Vec3& axis : axes_b)
    if (!overlap_along(axis)) return 0;
  for (const Vec3& axis_a : axes_a) {
    for (const Vec3& axis_b : axes_b) {
      const Vec3 across = cross(axis_a, axis_b);
      const double length = std::sqrt(dot(across, across));
      // of parallel edges the face axes tell all
      if (length > 1e-6 && !overlap_along(across * (1 / length))) return 0;
    }
  }
  return least;
}

Penetration penetration(const Work& work, const std::vector<BodyState>& bodies) {
  Penetration deepest;
  if (work.ground)
    for (std::size_t i = 0; i < bodies.size(); ++i)
      deepest.ground = std::max(deepest.ground, -lowest_point(work.parts[i].shape, bodies[i]));
  const bool boxes = std::all_of(work.parts.begin(), work.parts.end(),
                                 [](const Part& part) { return part.shape.solid == Solid::box; });
  if (work.parts_touch && boxes) deepest.parts = largest_part_depth(work, bodies);
  return deepest;
}

double joint_error(const Work& work, const std::vector<BodyState>& bodies) {
  double largest = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Part& part = work.parts[i];
    if (part.joint == Joint::free) continue;
    const int n = static_cast<int>(i);
    const BodyState parent =
        part.parent < 0 ? BodyState{} : bodies[static_cast<std::size_t>(part.parent)];
    Vec3 gap = bodies[i].center - bodies[i].direction(work.anchor_to_center(n)) - parent.center -
               parent.direction(work.parent_to_anchor(n));
    if (part.joint == Joint::slide) {
      const Vec3 axis = parent.direction(part.axis);
      gap = gap - axis * dot(gap, axis);
    }
    largest = std::max(largest, std::sqrt(dot(gap, gap)));
  }
  return largest;
}

}  // namespace bench
