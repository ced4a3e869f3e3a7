#include "molejo/math/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace molejo {

namespace {

void check(const std::vector<CurveKey>& keys, bool repeats) {
  if (keys.empty()) throw CurveError("a curve needs a key");
  if (keys.size() > max_curve_keys) {
    throw CurveError("more than " + std::to_string(max_curve_keys) + " keys");
  }
  if (repeats && keys.size() < 2) throw CurveError("a curve of one key cannot be repeated");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const CurveKey& key = keys[i];
    const std::string name = "key " + std::to_string(i + 1) + ": ";
    for (const double number :
         {key.x, key.value, key.left.x, key.left.value, key.right.x, key.right.value}) {
      // differences of such numbers are finite too
      if (!(std::fabs(number) <= 1e150)) throw CurveError(name + "a number beyond 1e150");
    }
    if (i > 0 && !(key.x > keys[i - 1].x)) throw CurveError(name + "x must grow from key to key");
    if (key.left.x > 0) throw CurveError(name + "the left handle points to the right");
    if (key.right.x < 0) throw CurveError(name + "the right handle points to the left");
  }
}

double slope_between(const CurveKey& a, const CurveKey& b) {
  return (b.value - a.value) / (b.x - a.x);
}

// Fritsch-Butland: the weighted harmonic mean of the slopes beside a key, 0 at an extremum. It is
// the third of a wider mean when the segments are of unequal length.
double harmonic_slope(double h1, double d1, double h2, double d2) {
  if (!(d1 * d2 > 0)) return 0;
  const double w1 = 2 * h2 + h1, w2 = h2 + 2 * h1;
  return (w1 + w2) / (w1 / d1 + w2 / d2);
}

// the slope at an end key by the parabola through three keys, kept from overshooting
double end_slope(double h1, double d1, double h2, double d2) {
  const double slope = ((2 * h1 + h2) * d1 - h1 * d2) / (h1 + h2);
  if (!(slope * d1 > 0)) return 0;
  if (d1 * d2 <= 0 && std::fabs(slope) > 3 * std::fabs(d1)) return 3 * d1;
  return slope;
}

std::vector<double> smooth_slopes(const std::vector<CurveKey>& keys, bool repeats) {
  const std::size_t n = keys.size();
  std::vector<double> slopes(n, 0);
  if (n < 2) return slopes;
  const auto h = [&](std::size_t i) { return keys[i + 1].x - keys[i].x; };
  const auto d = [&](std::size_t i) { return slope_between(keys[i], keys[i + 1]); };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    slopes[i] = harmonic_slope(h(i - 1), d(i - 1), h(i), d(i));
  }
  if (repeats && keys.front().value == keys.back().value) {
    // the last segment is the neighbour of the first
    slopes[0] = slopes[n - 1] = harmonic_slope(h(n - 2), d(n - 2), h(0), d(0));
  } else if (n == 2) {
    slopes[0] = slopes[1] = d(0);
  } else {
    slopes[0] = end_slope(h(0), d(0), h(1), d(1));
    slopes[n - 1] = end_slope(h(n - 2), d(n - 2), h(n - 3), d(n - 3));
  }
  return slopes;
}

// A cubic by its control values, and its derivative by t.
double bernstein(double t, double a, double b, double c, double d) {
  const double s = 1 - t;
  return s * s * s * a + 3 * s * t * (s * b + t * c) + t * t * t * d;
}
double bernstein_slope(double t, double a, double b, double c, double d) {
  const double s = 1 - t;
  return 3 * (s * s * (b - a) + 2 * s * t * (c - b) + t * t * (d - c));
}

// t in [0, 1] where the cubic 0, a, b, 1 is u; it grows, since 0 <= a <= b' ... <= 1 in total.
// Newton's step where it stays in the bracket and shortens it, else bisection.
double parameter_at(double u, double a, double b) {
  double low = 0, high = 1, t = u;
  for (int i = 0; i < 80 && low < high; ++i) {
    const double excess = bernstein(t, 0, a, b, 1) - u;
    if (excess == 0) break;
    (excess < 0 ? low : high) = t;
    const double slope = bernstein_slope(t, 0, a, b, 1);
    double next = slope > 0 ? t - excess / slope : -1;
    // every fourth step halves the bracket for sure
    if (!(next > low && next < high) || i % 4 == 3) next = 0.5 * (low + high);
    if (std::fabs(next - t) <= 1e-17 || next == t) break;
    t = next;
  }
  return t;
}

}  // namespace

Curve::Curve(const std::vector<CurveKey>& keys, Extension before, Extension after)
    : before_(before), after_(after) {
  const bool repeats = before == Extension::repeat || after == Extension::repeat;
  check(keys, repeats);
  const std::vector<double> slopes = smooth_slopes(keys, repeats);
  xs_.reserve(keys.size());
  segments_.reserve(keys.size() - 1);
  for (const CurveKey& key : keys) xs_.push_back(key.x);
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    add_segment(keys[i], keys[i + 1], slopes[i], slopes[i + 1]);
  }
  first_ = {keys.front().value, 0};
  last_ = {keys.back().value, 0};
  if (!segments_.empty()) {
    first_.slope = segments_.front().at(xs_.front()).slope;
    last_.slope = segments_.back().at(xs_.back()).slope;
  }
}

void Curve::add_segment(const CurveKey& a, const CurveKey& b, double slope_a, double slope_b) {
  Segment s{};
  s.from = a.x;
  s.length = b.x - a.x;
  s.left_x = 1.0 / 3;
  s.right_x = 2.0 / 3;
  s.is_linear_in_x = true;
  s.value[0] = a.value;
  s.value[3] = b.value;
  switch (a.interpolation) {
    case Interpolation::step:
      s.value[1] = s.value[2] = s.value[3] = a.value;
      break;
    case Interpolation::linear:
      slope_a = slope_b = slope_between(a, b);
      [[fallthrough]];
    case Interpolation::smooth:
      s.value[1] = a.value + slope_a * s.length / 3;
      s.value[2] = b.value - slope_b * s.length / 3;
      break;
    case Interpolation::bezier: {
      const double reach = a.right.x - b.left.x;
      const double shorten = reach > s.length ? s.length / reach : 1;
      s.left_x = shorten * a.right.x / s.length;
      s.right_x = 1 + shorten * b.left.x / s.length;
      s.value[1] = a.value + shorten * a.right.value;
      s.value[2] = b.value + shorten * b.left.value;
      constexpr double near = 1e-15;
      s.is_linear_in_x =
          std::fabs(s.left_x - 1.0 / 3) < near && std::fabs(s.right_x - 2.0 / 3) < near;
    }
  }
  segments_.push_back(s);
}

Curve::Sample Curve::Segment::at(double x) const {
  const double u = std::clamp((x - from) / length, 0.0, 1.0);
  const double t = is_linear_in_x ? u : parameter_at(u, left_x, right_x);
  const double value_here = bernstein(t, value[0], value[1], value[2], value[3]);
  const double dv = bernstein_slope(t, value[0], value[1], value[2], value[3]);
  const double dx = length * (is_linear_in_x ? 1 : bernstein_slope(t, 0, left_x, right_x, 1));
  // a handle of no length: the slope is that towards the next control point
  constexpr double flat = 1e-9;
  if (dx > flat * length) return {value_here, dv / dx};
  if (t == 0 && right_x > 0) return {value_here, (value[2] - value[0]) / (right_x * length)};
  if (t == 1 && left_x < 1) return {value_here, (value[3] - value[1]) / ((1 - left_x) * length)};
  return {value_here, 0};
}

Curve::Sample Curve::inside(double x) const {
  // the last key that is not after x
  const auto after = std::upper_bound(xs_.begin(), xs_.end(), x);
  const auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - xs_.begin() - 1, 0));
  return i < segments_.size() ? segments_[i].at(x) : last_;
}

Curve::Sample Curve::at(double x) const {
  const double from = xs_.front(), to = xs_.back();
  if (x >= from && x < to) return inside(x);
  if (std::isnan(x)) return {x, 0};
  const bool is_before = x < from;
  const Sample& end = is_before ? first_ : last_;
  const Extension extension = is_before ? before_ : after_;
  if (x == to && extension != Extension::repeat) return last_;
  switch (extension) {
    case Extension::hold:
      return {end.value, 0};
    case Extension::extend:
      if (end.slope == 0) return {end.value, 0};
      return {end.value + end.slope * (x - (is_before ? from : to)), end.slope};
    case Extension::repeat:
      break;
  }
  if (std::isinf(x)) return {std::numeric_limits<double>::quiet_NaN(), 0};
  double offset = std::fmod(x - from, to - from);
  if (offset < 0) offset += to - from;
  return inside(std::min(from + offset, to));
}

}  // namespace molejo
