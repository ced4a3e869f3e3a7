// Two segments, or a segment and a point, or two points: spheres and capsules without their radii.
//
//   a + s e,  b + t f,  n = e x f:   s = (r x f) . n / n.n,  t = (r x e) . n / n.n,  r = b - a
//
// where both feet of the common perpendicular are on the segments; else an end is nearest to one of
// them (Ericson, Real-Time Collision Detection, 2005, 5.1.9). By cross products, which keep half of
// the digits even when the segments are parallel to the last one.
#include <algorithm>

#include "molejo/collision/difference.h"

namespace molejo {

namespace {

double along(const Vec3& from, const Vec3& e, const Vec3& p) {
  const double length2 = dot(e, e);
  return length2 > 0 ? std::clamp(dot(p - from, e) / length2, 0.0, 1.0) : 0;
}

// The mixture of a's ends by s and of b's ends by t, as one of differences of ends.
Simplex mixture(const Difference& difference, double s, double t) {
  const double h_a = difference.a.half.z, h_b = difference.b.half.z;
  const Extreme a[2] = {{{0, 0, -h_a}, 0}, {{0, 0, h_a}, 1}};
  const Extreme b[2] = {{{0, 0, -h_b}, 0}, {{0, 0, h_b}, 1}};
  Simplex r;
  const auto add = [&](int i, int j, double weight) {
    if (!(weight > 0)) return;
    r.point[r.count] = difference.of(a[i], b[j]);
    r.weight[r.count++] = weight;
  };
  add(0, 0, 1 - std::max(s, t));
  add(s > t ? 1 : 0, s > t ? 0 : 1, std::fabs(s - t));
  add(1, 1, std::min(s, t));
  return r;
}

Vec3 across(const Vec3& e) {
  const bool steep = std::fabs(e.z) > 0.5 * norm(e);
  const Vec3 c = cross(e, steep ? Vec3{1, 0, 0} : Vec3{0, 0, 1});
  return dot(c, c) > 0 ? normalized(c) : Vec3{0, 0, 1};
}

}  // namespace

CoreSeparation segment_separation(const Difference& difference) {
  const Vec3 e{0, 0, 2 * difference.a.half.z}, a{0, 0, -difference.a.half.z};
  const Vec3 half_f = difference.R_AB.column(2) * difference.b.half.z;
  const Vec3 f = half_f * 2.0, b = difference.p_AB - half_f, r = b - a;
  const Vec3 n = cross(e, f);
  const double n2 = dot(n, n);

  double s = 0, t = 0, least = INFINITY;
  bool crossing = false;
  if (n2 > 0) {
    s = dot(cross(r, f), n) / n2, t = dot(cross(r, e), n) / n2;
    crossing = s >= 0 && s <= 1 && t >= 0 && t <= 1;
  }
  if (!crossing) {
    const auto consider = [&](double at_s, double at_t) {
      const double distance = norm(a + e * at_s - b - f * at_t);
      if (distance < least) least = distance, s = at_s, t = at_t;
    };
    for (const double end : {0.0, 1.0}) consider(end, along(b, f, a + e * end));
    for (const double end : {0.0, 1.0}) consider(along(a, e, b + f * end), end);
  }
  CoreSeparation core;
  core.foot = mixture(difference, s, t);
  const Vec3 v = a + e * s - b - f * t;
  if (crossing) {
    const double side = dot(r, n) > 0 ? -1 : 1;
    core.normal = normalized(n) * side;
    core.distance = std::fabs(dot(r, n)) / std::sqrt(n2);
  } else if (norm(v) > 1e-14 * difference.size) {
    core.distance = norm(v), core.normal = v / core.distance;
  } else {
    core.normal = n2 > 0 ? normalized(n) : across(dot(e, e) > 0 ? e : f);
  }
  return core;
}

}  // namespace molejo
