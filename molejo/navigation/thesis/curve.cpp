#include "molejo/navigation/thesis/curve.h"

#include <algorithm>
#include <stdexcept>

namespace molejo::navigation::thesis {

namespace {

constexpr double eps = LinearCurve::epsilon;

[[noreturn]] void out_of_range(const char* what) { throw std::out_of_range(what); }

// Appends unless the last point is as late already.
void append_later(LinearCurve& out, double t, const Vec3& p) {
  if (out.empty() || t > out.last_time() + 2 * eps) out.append(t, p);
}

Vec3 lerp(const Vec3& a, const Vec3& b, double u) { return a + (b - a) * u; }

}  // namespace

LinearCurve::LinearCurve(std::span<const double> times, std::span<const Vec3> points) {
  if (times.size() != points.size()) throw std::invalid_argument("as many times as points");
  reserve(times.size());
  for (std::size_t k = 0; k < times.size(); ++k) append(times[k], points[k]);
}

void LinearCurve::reserve(std::size_t points) {
  times_.reserve(points);
  points_.reserve(points);
}

void LinearCurve::append(double t, const Vec3& p) {
  if (!std::isfinite(t) || (!empty() && !(t > last_time() + 2 * eps))) {
    throw std::invalid_argument("times of a curve must grow");
  }
  times_.push_back(t);
  points_.push_back(p);
}

bool LinearCurve::covers(double t) const {
  return !empty() && t >= first_time() - eps && t <= last_time() + eps;
}

int LinearCurve::segment(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return std::clamp(static_cast<int>(after - times_.begin()) - 1, 0, std::max(0, size() - 2));
}

Vec3 LinearCurve::at(double t) const {
  if (!covers(t)) out_of_range("the curve has no such time");
  return held(t);
}

Vec3 LinearCurve::held(double t) const {
  if (t <= first_time() + eps) return points_.front();
  if (t >= last_time() - eps) return points_.back();
  const int k = segment(t);
  if (t - time(k) <= eps) return point(k);
  if (time(k + 1) - t <= eps) return point(k + 1);
  return lerp(point(k), point(k + 1), (t - time(k)) / (time(k + 1) - time(k)));
}

Vec3 LinearCurve::left_velocity(int k) const {
  if (k < 1 || k >= size()) out_of_range("no segment before this point");
  return (point(k) - point(k - 1)) / (time(k) - time(k - 1));
}

Vec3 LinearCurve::right_velocity(int k) const {
  if (k < 0 || k + 1 >= size()) out_of_range("no segment after this point");
  return (point(k + 1) - point(k)) / (time(k + 1) - time(k));
}

void LinearCurve::scale(double factor) {
  for (Vec3& p : points_) p = p * factor;
}
void LinearCurve::turn(const Mat3& R) {
  for (Vec3& p : points_) p = R * p;
}
void LinearCurve::translate(const Vec3& d) {
  for (Vec3& p : points_) p += d;
}
void LinearCurve::shift_time(double d) {
  for (double& t : times_) t += d;
}

bool LinearCurve::insert(double t, const Vec3& p) {
  const auto after = std::lower_bound(times_.begin(), times_.end(), t);
  if (after != times_.end() && *after - t <= 2 * eps) return false;
  if (after != times_.begin() && t - *(after - 1) <= 2 * eps) return false;
  points_.insert(points_.begin() + (after - times_.begin()), p);
  times_.insert(after, t);
  return true;
}

void LinearCurve::record(double t, const Vec3& p) {
  if (insert(t, p)) return;
  const auto after = std::lower_bound(times_.begin(), times_.end(), t);
  auto nearest = after == times_.end() ? after - 1 : after;
  if (nearest != times_.begin() && t - *(nearest - 1) < std::fabs(*nearest - t)) --nearest;
  points_[static_cast<std::size_t>(nearest - times_.begin())] = p;
}

void LinearCurve::forget_before(double t) {
  if (size() < 2 || t <= first_time()) return;
  const int k = std::min(segment(t), size() - 1);
  times_.erase(times_.begin(), times_.begin() + k);
  points_.erase(points_.begin(), points_.begin() + k);
}

void LinearCurve::sample(double t0, double t1, LinearCurve& out) const {
  if (!covers(t0) || !covers(t1) || !(t1 > t0 + 2 * eps))
    out_of_range("the curve has no such part");
  out.clear();
  out.append(t0, held(t0));
  for (int k = 0; k < size(); ++k) {
    if (time(k) < t1 - 2 * eps) append_later(out, time(k), point(k));
  }
  out.append(t1, held(t1));
}

void LinearCurve::fit_ends(const Vec3& v0, const Vec3& v1) {
  if (empty()) return;
  const Vec3 start = points_.front(), along = points_.back() - start, wanted = v1 - v0;
  double way = 0;
  for (int k = 1; k < size(); ++k) way += norm(point(k) - point(k - 1));
  const double length = norm(along);
  if (size() < 2 || length <= 0.05 * way || !(length > 0) || !(norm(wanted) > 0)) {
    const double duration = last_time() - first_time();
    for (int k = 0; k < size(); ++k) {
      const double u = duration > 0 ? (time(k) - first_time()) / duration : 0;
      points_[index(k)] = v0 + (point(k) - start) + (wanted - along) * u;
    }
    return;
  }
  const Mat3 R = turn_between(along, wanted) * (norm(wanted) / length);
  for (Vec3& p : points_) p = v0 + R * (p - start);
  points_.front() = v0;  // exact
  points_.back() = v1;
}

void connect(const LinearCurve& a, const LinearCurve& b, LinearCurve& out) {
  out.clear();
  for (int k = 0; k < a.size(); ++k) out.append(a.time(k), a.point(k));
  if (a.empty() || b.empty()) {
    for (int k = 0; k < b.size(); ++k) out.append(b.time(k), b.point(k));
    return;
  }
  const Vec3 move = a.points().back() - b.points().front();
  const double later = std::max(0.0, a.last_time() - b.first_time());
  for (int k = 0; k < b.size(); ++k) append_later(out, b.time(k) + later, b.point(k) + move);
}

void join(const LinearCurve& a, const LinearCurve& b, LinearCurve& out) {
  out.clear();
  for (int k = 0; k < a.size(); ++k) out.append(a.time(k), a.point(k));
  for (int k = 0; k < b.size(); ++k) append_later(out, b.time(k), b.point(k));
}

void transition(const LinearCurve& a, const LinearCurve& b, double t, LinearCurve& out) {
  if (!a.covers(t) || !b.covers(t)) out_of_range("both curves must cover the transition");
  out.clear();
  for (int k = 0; k < a.size() && a.time(k) < t - 2 * eps; ++k) out.append(a.time(k), a.point(k));
  out.append(t, lerp(a.held(t), b.held(t), 0.5));
  for (int k = 0; k < b.size(); ++k) append_later(out, b.time(k), b.point(k));
}

void soft_transition(const LinearCurve& a, const LinearCurve& b, double t1, double t2,
                     LinearCurve& out) {
  const bool covered = a.covers(t1) && a.covers(t2) && b.covers(t1) && b.covers(t2);
  if (!covered || !(t2 > t1 + 4 * eps)) out_of_range("both curves must cover the transition");
  out.clear();
  for (int k = 0; k < a.size() && a.time(k) < t1 - 2 * eps; ++k) out.append(a.time(k), a.point(k));
  out.append(t1, a.held(t1));
  const auto blend_at = [&](double t) {
    if (t < t2 - 2 * eps) {
      append_later(out, t, lerp(a.held(t), b.held(t), (t - t1) / (t2 - t1)));
    }
  };
  // the times of both, in order
  int i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool of_a = j >= b.size() || (i < a.size() && a.time(i) <= b.time(j));
    blend_at(of_a ? a.time(i++) : b.time(j++));
  }
  out.append(t2, b.held(t2));
  for (int k = 0; k < b.size(); ++k) append_later(out, b.time(k), b.point(k));
}

Mat3 turn_between(const Vec3& a, const Vec3& b) {
  const double ha = horizontal(a), hb = horizontal(b), la = norm(a), lb = norm(b);
  // directions on the ground; a vertical vector takes that of the other one
  Vec3 da{1, 0, 0}, db{1, 0, 0};
  if (ha > 1e-9 * la) da = Vec3{a.x, a.y, 0} / ha;
  if (hb > 1e-9 * lb) db = Vec3{b.x, b.y, 0} / hb;
  if (!(ha > 1e-9 * la)) da = db;
  if (!(hb > 1e-9 * lb)) db = da;
  // columns: forwards, to the left, upwards, as each of the two sees them
  const auto frame = [](const Vec3& d, double h, double z, double length) {
    const Vec3 left{-d.y, d.x, 0};
    const Vec3 forwards = Vec3{d.x * h, d.y * h, z} / length;
    return from_columns(forwards, left, cross(forwards, left));
  };
  return frame(db, hb, b.z, lb) * transpose(frame(da, ha, a.z, la));
}

}  // namespace molejo::navigation::thesis
