#include "molejo/model/motion_path.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "molejo/model/error.h"

namespace molejo {

namespace {

bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

void check(const std::vector<MotionKey>& keys) {
  if (keys.empty() || keys.size() > max_motion_keys) {
    throw InputError("a path of " + std::to_string(keys.size()) + " keys, expected 1 to " +
                     std::to_string(max_motion_keys));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const MotionKey& k = keys[i];
    const std::string who = "key " + std::to_string(i) + " of the path";
    const bool finite =
        std::isfinite(k.t) && is_finite(k.p) &&
        (!k.velocity || (is_finite(k.velocity->linear) && is_finite(k.velocity->angular)));
    if (!finite) throw InputError(who + ": a number is not finite");
    if (!(std::fabs(squared_norm(k.orientation) - 1) < 1e-6)) {
      throw InputError(who + ": its quaternion must have length 1");
    }
    if (i > 0 && !(keys[i - 1].t < k.t)) throw InputError(who + ": times must increase");
  }
}

// From one orientation to another, as a rotation vector in the axes of the first.
Vec3 turn_between(const Quat& a, const Quat& b) { return log_quat(conjugate(a) * b); }

struct Rates {
  Vec3 v, w;  // w in body axes
};

// The slope of the parabola through a key and its neighbours; at an end the line to the one.
Rates rates_of(const std::vector<MotionKey>& keys, std::size_t i) {
  const MotionKey& k = keys[i];
  if (k.velocity) {
    return {k.velocity->linear, transpose_times(matrix(k.orientation), k.velocity->angular)};
  }
  Rates before, after;
  double h0 = 0, h1 = 0;
  if (i > 0) {
    h0 = k.t - keys[i - 1].t;
    before = {(k.p - keys[i - 1].p) / h0,
              turn_between(k.orientation, keys[i - 1].orientation) / -h0};
  }
  if (i + 1 < keys.size()) {
    h1 = keys[i + 1].t - k.t;
    after = {(keys[i + 1].p - k.p) / h1, turn_between(k.orientation, keys[i + 1].orientation) / h1};
  }
  if (h0 == 0) return after;
  if (h1 == 0) return before;
  const double s = h1 / (h0 + h1);
  return {before.v * s + after.v * (1 - s), before.w * s + after.w * (1 - s)};
}

// The cubic with these ends and slopes, from s = 0 to 1.
void set_cubic(const Vec3& p0, const Vec3& p1, const Vec3& d0, const Vec3& d1, Vec3* c) {
  c[0] = p0;
  c[1] = d0;
  c[2] = (p1 - p0) * 3.0 - d0 * 2.0 - d1;
  c[3] = (p0 - p1) * 2.0 + d0 + d1;
}

struct Cubic {
  Vec3 value, slope, bend;
};
Cubic value_of(const Vec3* c, double s) {
  return {c[0] + (c[1] + (c[2] + c[3] * s) * s) * s, c[1] + (c[2] * 2.0 + c[3] * (3 * s)) * s,
          c[2] * 2.0 + c[3] * (6 * s)};
}

}  // namespace

MotionPath::MotionPath(std::vector<MotionKey> keys) : keys_(std::move(keys)) {
  check(keys_);
  for (MotionKey& k : keys_) k.orientation = normalized(k.orientation);
  for (std::size_t i = 0; i + 1 < keys_.size(); ++i) {
    const MotionKey &a = keys_[i], &b = keys_[i + 1];
    const Rates from = rates_of(keys_, i), to = rates_of(keys_, i + 1);
    Piece piece{a.t, b.t - a.t, a.orientation, {}, {}};
    const double h = piece.h;
    set_cubic(a.p, b.p, from.v * h, to.v * h, piece.p);
    const Vec3 turn = turn_between(a.orientation, b.orientation);
    set_cubic({}, turn, from.w * h, inverse_right_jacobian(turn) * (to.w * h), piece.y);
    // beyond a whole turn the chart has no inverse; its Bezier points enclose the cubic
    const Vec3 bends[] = {piece.y[1] / 3.0, (piece.y[1] * 2.0 + piece.y[2]) / 3.0};
    if (!(norm(bends[0]) < 6 && norm(bends[1]) < 6)) {
      throw InputError("key " + std::to_string(i) +
                       " of the path: it turns too far before the next key");
    }
    pieces_.push_back(piece);
  }
}

MotionPath::Motion MotionPath::at(double t) const {
  // the keys themselves are met exactly
  const auto next = std::upper_bound(keys_.begin(), keys_.end(), t,
                                     [](double time, const MotionKey& k) { return time < k.t; });
  if (next == keys_.begin()) return {keys_.front().p, {}, {}, keys_.front().orientation, {}, {}};
  const MotionKey& last = *(next - 1);
  if (next == keys_.end()) {
    Motion rest{last.p, {}, {}, last.orientation, {}, {}};
    if (t == last.t && !pieces_.empty()) {
      const Rates rates = rates_of(keys_, keys_.size() - 1);
      rest.v = rates.v, rest.w = rates.w;
    }
    return rest;
  }
  const Piece& piece = pieces_[static_cast<std::size_t>(next - keys_.begin()) - 1];
  const double h = piece.h, s = (t - piece.t) / h;
  const Cubic p = value_of(piece.p, s), y = value_of(piece.y, s);
  Motion m{p.value, p.slope / h, p.bend / (h * h), turned(piece.orientation, y.value), {}, {}};
  // y' = J w, so w = J^-1 y' and w' = J^-1 (y'' - J' w)
  const Vec3 rate = y.slope / h;
  const Mat3 to_w = inverse(inverse_right_jacobian(y.value));
  m.w = to_w * rate;
  m.w_rate = to_w * (y.bend / (h * h) - inverse_right_jacobian_rate(y.value, rate) * m.w);
  return m;
}

}  // namespace molejo
