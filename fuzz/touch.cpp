// Any two shapes in any place: the points of contact are finite, have unit normals and ascending
// features, and are no more than promised. Bytes choose shapes, sizes and poses from values that
// make parallel, touching and nested ones common.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/collision/manifold.h"
#include "molejo/math/rotation.h"

namespace {

using namespace molejo;

bool is_finite(const Vec3& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  int below(int n) { return next() % n; }
  // coarse steps meet each other often; now and then one that is a little off
  double length() {
    const double coarse = 0.05 * (1 + below(40));
    return coarse * scales[below(4)];
  }
  double place() {
    const double coarse = 0.05 * (below(161) - 80);
    return coarse + nudges[below(4)] * (next() - 128);
  }

 private:
  static constexpr double scales[] = {1, 1, 1e-3, 1e3};
  static constexpr double nudges[] = {0, 0, 1e-9, 1e-4};
  int next() { return at_ < size_ ? data_[at_++] : 0; }
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

Vec3 vector(Bytes& bytes) {
  const double x = bytes.place(), y = bytes.place(), z = bytes.place();
  return {x, y, z};
}

Pose pose(Bytes& bytes) {
  constexpr double quarter = 1.5707963267948966;
  Mat3 R = Mat3::identity();
  switch (bytes.below(4)) {
    case 0:
      break;
    case 1:
      R = axis_rotation({0, 0, 1}, quarter * bytes.below(4));
      break;
    case 2:
      R = axis_rotation({1, 0, 0}, 0.5 * quarter * bytes.below(8));
      break;
    default:
      R = matrix(exp_quat(vector(bytes)));
  }
  return {R, vector(bytes)};
}

Geometry solid(Bytes& bytes) {
  switch (bytes.below(5)) {
    case 0:
      return Sphere{bytes.length()};
    case 1:
      return Capsule{bytes.length(), bytes.length()};
    case 2:
      return Cylinder{bytes.length(), bytes.length()};
    case 3:
      return Box{{bytes.length(), bytes.length(), bytes.length()}};
    default: {
      // a pyramid: never flat
      const double a = bytes.length(), b = bytes.length();
      const Vec3 corners[] = {{a, a, 0}, {-a, a, 0}, {-a, -a, 0}, {a, -a, 0}, {0, 0, b}};
      return convex_hull(corners);
    }
  }
}

HeightField field(Bytes& bytes) {
  const int columns = 2 + bytes.below(4), rows = 2 + bytes.below(4);
  HeightField ground{columns, rows, bytes.length(), bytes.length(), {}};
  for (int i = 0; i < columns * rows; ++i) ground.heights.push_back(0.05 * bytes.below(16));
  return ground;
}

void check(const std::vector<ContactPoint>& points, double margin, std::size_t most) {
  if (points.size() > most) std::abort();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& p = points[i];
    if (!is_finite(p.p) || !std::isfinite(p.gap)) std::abort();
    if (!(std::fabs(norm(p.normal) - 1) < 1e-9) || !(p.gap < margin)) std::abort();
    if (i > 0 && points[i - 1].feature >= p.feature) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  std::deque<ConvexMesh> meshes;
  TouchShape a, b;
  a.convex = make_convex(solid(bytes), meshes);
  HeightField ground;
  std::size_t most = 4;
  switch (bytes.below(4)) {
    case 0:
      b.kind = TouchShape::Kind::plane;
      break;
    case 1:
      ground = field(bytes);
      b.kind = TouchShape::Kind::height_field, b.field = &ground;
      most = 8;
      break;
    default:
      b.convex = make_convex(solid(bytes), meshes);
  }
  const Pose X_WA = pose(bytes), X_WB = pose(bytes);
  const double margin = 0.01 * bytes.below(20);
  // alone, and again with what was remembered, either way round
  ManifoldCache cache;
  std::vector<ContactPoint> points;
  for (int time = 0; time < 2; ++time) {
    points.clear();
    touch(a, X_WA, b, X_WB, margin, cache, points);
    check(points, margin, most);
  }
  ManifoldCache turned;
  points.clear();
  touch(b, X_WB, a, X_WA, margin, turned, points);
  check(points, margin, most);
  return 0;
}
