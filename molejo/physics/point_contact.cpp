#include "molejo/physics/point_contact.h"

#include "molejo/physics/point_contact_kernel.h"

namespace molejo {

template struct PointContact<double>;
template void forget(PointContact<double>&);
template void meet_ground(const Model&, const double&, double*, Dynamics<double>&,
                          PointContact<double>&);

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not find it by itself

// Points of a shape in its own frame, with radii.
struct RoundPoint {
  Vec3 p;
  double radius = 0;
};

std::vector<RoundPoint> round_points(const Geometry& geometry) {
  std::vector<RoundPoint> points;
  const auto add_corners = [&](const Vec3& half) {
    for (int n = 0; n < 8; ++n) {
      const auto side = [&](int bit) { return (n >> bit) & 1 ? 1.0 : -1.0; };
      points.push_back({{side(0) * half.x, side(1) * half.y, side(2) * half.z}});
    }
  };
  std::visit(Overloaded{[&](const Sphere& s) {
                          points.push_back({{}, s.radius});
                        },
                        [&](const Capsule& c) {
                          points.push_back({{0, 0, c.half_length}, c.radius});
                          points.push_back({{0, 0, -c.half_length}, c.radius});
                        },
                        [&](const Box& b) { add_corners(b.half); },
                        [&](const Cylinder& c) {
                          constexpr int sides = 8;
                          for (int n = 0; n < sides; ++n) {
                            const SinCos<double> sc = sincos(2 * 3.141592653589793 * n / sides);
                            for (const double z : {-c.half_length, c.half_length}) {
                              points.push_back({{c.radius * sc.cos, c.radius * sc.sin, z}});
                            }
                          }
                        },
                        [&](const Polyhedron& p) {
                          for (const Vec3& v : p.vertices) points.push_back({v});
                        },
                        [](const Plane&) {}, [](const HeightField&) {}},
             geometry);
  return points;
}

}  // namespace

std::vector<GroundPoint> ground_points(const Model& model) {
  std::vector<GroundPoint> points;
  for (int i = 0; i < model.body_count(); ++i) {
    if (!can_be_pushed(model, i)) continue;
    const auto n = static_cast<std::size_t>(i);
    for (const Shape& shape : model.bodies[n].shapes) {
      if (!shape.collides) continue;
      for (const RoundPoint& point : round_points(shape.geometry)) {
        points.push_back({i, shape.X_BS * point.p - model.links[n].p_BM, point.radius});
      }
    }
  }
  return points;
}

}  // namespace molejo
