#include "molejo/navigation/foot_path.h"

#include <algorithm>
#include <cmath>

namespace molejo::navigation {

namespace {

constexpr double late_part = 0.2;  // of a swing, by which heights change before or behind the rest
constexpr double settle_time = 0.25;  // s
constexpr double lean_part = 0.35;    // of a swing, at either end, in which maps lean

Mat3 axes(const Vec3& x, const Vec3& up) {
  const Vec3 z = normalized(up - x * dot(up, x));
  const Vec3 y = cross(z, x);
  return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

Quat turn_about_up(double angle) { return exp_quat(Vec3{0, 0, angle}); }

double heading_between(const Vec3& a, const Vec3& b) {
  return std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
}

FootPose mapped(const GroundMap& map, const FootPose& clip, double lean, double scale) {
  const Vec3 v = (clip.p - map.from) * scale;
  const Vec3 straight = matrix(map.upright) * v, leaning = matrix(map.tilted) * v;
  return {map.tilted * clip.q, map.to + straight + (leaning - straight) * lean};
}

// The least concave curve above the needs, zero at both ends.
void least_concave(std::array<double, 11>& u) {
  std::array<int, 11> hull{};
  int count = 0;
  for (int k = 0; k < 11; ++k) {
    const auto y = [&](int i) { return u[static_cast<std::size_t>(i)]; };
    while (count >= 2) {
      const int a = hull[static_cast<std::size_t>(count - 2)],
                b = hull[static_cast<std::size_t>(count - 1)];
      // b lies on or under the line from a to k
      if ((y(b) - y(a)) * (k - a) > (y(k) - y(a)) * (b - a)) break;
      --count;
    }
    hull[static_cast<std::size_t>(count++)] = k;
  }
  for (int i = 0; i + 1 < count; ++i) {
    const int a = hull[static_cast<std::size_t>(i)], b = hull[static_cast<std::size_t>(i + 1)];
    const double ya = u[static_cast<std::size_t>(a)], yb = u[static_cast<std::size_t>(b)];
    for (int k = a + 1; k < b; ++k)
      u[static_cast<std::size_t>(k)] = ya + (yb - ya) * (k - a) / (b - a);
  }
}

}  // namespace

GroundMap map_onto(const Print& print, const Foothold& hold) {
  const Vec3 x = normalized(print.toe - print.heel), x_W = normalized(hold.toe - hold.heel);
  GroundMap map;
  map.tilted = quaternion(axes(x_W, hold.normal) * transpose(axes(x, {0, 0, 1})));
  map.upright = turn_about_up(heading_between(x, x_W));
  map.from = print.heel, map.to = hold.heel;
  map.height = hold.height();

  return map;
}

GroundMap map_onto(const FootPose& clip, const FootPose& world, double heading, double height) {
  return {normalized(world.q * conjugate(clip.q)), turn_about_up(heading), clip.p, world.p, height};
}

FootPose FootPath::sketch(const FootPose& clip, double part) const {
  const double w = smooth(part);
  const FootPose a = mapped(from, clip, smooth(1 - part / lean_part), scale);
  const FootPose b = mapped(to, clip, smooth(1 - (1 - part) / lean_part), scale);
  FootPose foot{slerp(a.q, b.q, w), a.p + (b.p - a.p) * w};
  // up first and then forward; forward first and then down
  const double early = to.height > from.height ? 0 : late_part;
  const double w_z = smooth((part - early) / (1 - late_part));
  foot.p.z = a.p.z + (b.p.z - a.p.z) * w_z;
  return foot;
}

FootPose FootPath::plain(const FootPose& clip) const {
  if (!swings) return mapped(to, clip, 1, scale);
  FootPose foot = sketch(clip, s);
  foot.p.z += lift();
  return foot;
}

FootPose FootPath::at(const FootPose& clip) const {
  FootPose foot = plain(clip);
  const double left = still_off();
  if (left == 0) return foot;
  foot.p = foot.p + p_off_ * left;
  foot.q = normalized(exp_quat(turn_off_ * left) * foot.q);
  return foot;
}

double FootPath::still_off() const {
  if (!swings) return smooth(1 - settled_);
  return s_off_ >= 1 ? 0 : smooth((1 - s) / (1 - s_off_));
}

double FootPath::plain_height() const {
  return swings ? from.height + (to.height - from.height) * smooth(s) : to.height;
}

double FootPath::height() const { return plain_height() + height_off_ * still_off(); }

// A cubic through the knots, with the slopes of their neighbours.
double FootPath::lift() const {
  const double x = std::clamp(s, 0.0, 1.0) * 10;
  const int k = std::min(static_cast<int>(x), 9);
  const auto y = [&](int i) { return lift_[static_cast<std::size_t>(std::clamp(i, 0, 10))]; };
  const auto slope = [&](int i) { return i <= 0 || i >= 10 ? 0.0 : 0.5 * (y(i + 1) - y(i - 1)); };
  const double u = x - k, v = 1 - u;
  return y(k) * (1 + 2 * u) * v * v + y(k + 1) * (1 + 2 * v) * u * u +
         (slope(k) * v - slope(k + 1) * u) * u * v;
}

void FootPath::stand(const GroundMap& map) {
  from = to = map;
  land();
}

void FootPath::settle_on(const GroundMap& map, const FootPose& shown, const FootPose& clip) {
  stand(map);
  keep(shown, map.height, clip);
  settled_ = 0;
}

void FootPath::pass(double dt) { settled_ = std::min(1.0, settled_ + dt / settle_time); }

void FootPath::begin(const Vec3& pivot) {
  // what has not settled goes with it
  const double left = still_off();
  p_off_ = p_off_ * left, turn_off_ = turn_off_ * left, height_off_ *= left;
  s_off_ = left > 0 ? 0 : 1;
  settled_ = 1;
  from = to;
  from.to = from.to + matrix(from.tilted) * ((pivot - from.from) * scale);
  from.from = pivot;
  swings = true;
  s = 0;
  lift_.fill(0);
}

void FootPath::keep(const FootPose& shown, double height, const FootPose& clip) {
  const FootPose now = plain(clip);
  p_off_ = shown.p - now.p;
  turn_off_ = log_quat(shown.q * conjugate(now.q));
  height_off_ = height - plain_height();
  s_off_ = s;
}

void FootPath::aim(const GroundMap& goal, const FootPose& clip) {
  const FootPose shown = at(clip);
  const double shown_height = height();
  to = goal;
  keep(shown, shown_height, clip);
}

void FootPath::clear(const std::array<double, knots>& needed, const FootPose& clip) {
  const FootPose shown = at(clip);
  const double shown_height = height();
  lift_.fill(0);
  for (std::size_t k = 0; k < needed.size(); ++k) lift_[k + 1] = std::max(0.0, needed[k]);
  least_concave(lift_);
  keep(shown, shown_height, clip);
}

void FootPath::land() {
  from = to;
  swings = false;
  s = 0;
  s_off_ = settled_ = 1;
  lift_.fill(0);
}

}  // namespace molejo::navigation
