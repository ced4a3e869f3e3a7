#include "molejo/navigation/thesis/target_curves.h"

#include <algorithm>
#include <limits>

#include "molejo/math/index.h"

namespace molejo::navigation::thesis {

namespace {

constexpr int candidates = 60;
constexpr double searched_reach = 1.5;  // of the wanted distance

Vec3 on_ground(const Vec3& v) { return {v.x, v.y, 0}; }

// Along v on the ground, or along the heading where v has no length.
Vec3 direction_of(const Vec3& v, double heading, double tiny) {
  const double length = horizontal(v);
  return length > tiny ? on_ground(v) / length : turned_by(heading, {1, 0, 0});
}

}  // namespace

Landing find_landing(const Ground& ground, const Vec3& from, const Vec3& direction, double wanted,
                     double over) {
  Landing best{from, std::numeric_limits<double>::infinity(), false};
  const auto miss_at = [&](double d, Vec3& p) {  // signed; nothing without ground
    p = from + direction * d;
    const std::optional<GroundPoint> g = ground.at(p.x, p.y);
    if (!g) return std::numeric_limits<double>::quiet_NaN();
    p.z = g->height + over;
    return norm(p - from) - wanted;
  };
  const auto offer = [&](double miss, const Vec3& p) {
    if (std::isnan(miss) || std::fabs(miss) >= best.miss) return;
    best = {p, std::fabs(miss), true};
  };
  double last_d = 0, last = std::numeric_limits<double>::quiet_NaN();
  double low = -1, high = -1;  // brackets of the first change of sign
  for (int i = 0; i <= candidates; ++i) {
    const double d = searched_reach * wanted * i / candidates;
    Vec3 p;
    const double miss = miss_at(d, p);
    offer(miss, p);
    if (low < 0 && last < 0 && miss >= 0) low = last_d, high = d;
    last_d = d, last = miss;
  }
  for (int i = 0; low >= 0 && i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    Vec3 p;
    const double miss = miss_at(middle, p);
    offer(miss, p);
    if (std::isnan(miss)) break;
    (miss < 0 ? low : high) = middle;
  }
  return best;
}

TargetCurves::TargetCurves(const BaseMotion& base, const Ground& ground)
    : base_(base), ground_(ground), corrector_(base.frames().frames() + 2) {
  const std::size_t n = at(base.frames().frames());
  for (std::size_t leg = 0; leg < 2; ++leg) {
    ankles_[leg].reserve(2 * n + 8);
    fitted_[leg].reserve(2 * n + 8);
    past_[leg].reserve(3 * n + 16);
  }
  for (LinearCurve* c : {&hip_, &fresh_hip_, &spare_}) c->reserve(2 * n + 8);
  hip_past_.reserve(3 * n + 16);
  lowest_.resize(n + 2);
}

void TargetCurves::restart() {
  for (std::size_t leg = 0; leg < 2; ++leg) {
    ankles_[leg].clear(), past_[leg].clear();
  }
  hip_.clear(), hip_past_.clear();
}

void TargetCurves::record(double t, const std::array<Vec3, 2>& ankles, const Vec3& hip) {
  for (std::size_t leg = 0; leg < 2; ++leg) past_[leg].record(t, ankles[leg]);
  hip_past_.record(t, hip);
}

void TargetCurves::forget_before(double t) {
  for (LinearCurve& past : past_) past.forget_before(t);
  hip_past_.forget_before(t);
}

double TargetCurves::ground_height(double x, double y, double without) const {
  const std::optional<GroundPoint> g = ground_.at(x, y);
  return g ? g->height : without;
}

Vec3 TargetCurves::start_of(int leg, const Part& part, const CurveInputs& now) const {
  const LinearCurve& past = past_[at(leg)];
  const double t = base_.time(part.first);
  if (past.covers(t)) return past.at(t);
  // backwards from where the ankle is, over the bare ground
  const Vec3 back =
      turned_by(now.heading, base_.ankle(leg, part.first) - base_.ankle(leg, now.frame));
  const Vec3 here = now.ankles[at(leg)];
  const double distance = horizontal(back);
  const Vec3 from{here.x, here.y, ground_height(here.x, here.y, now.ground)};
  const Vec3 direction = direction_of(back, now.heading, 1e-9 * base_.rig_height());
  const Landing landing = find_landing(ground_, from, direction, distance, 0);
  Vec3 start = landing.grounded ? landing.point : from + direction * distance;
  start.z += base_.support_height(leg, part.first);
  return start;
}

Landing TargetCurves::end_of(int leg, const Part& part, const Vec3& start,
                             const CurveInputs& now) const {
  const Vec3 along = base_.ankle(leg, part.last) - base_.ankle(leg, part.first);
  // where the hips will be, and the ankle under them
  const Vec3 hip_way = base_.hip(part.last) - base_.hip(now.frame);
  const Vec3 from_hip = base_.ankle(leg, part.last) - base_.hip(part.last);
  const Vec3 goal = on_ground(now.hip) + turned_by(now.heading, hip_way + from_hip);
  const double tiny = 1e-6 * base_.rig_height();
  const Vec3 fallback = direction_of(turned_by(now.heading, along), now.heading, tiny);
  Vec3 direction = goal - start;
  direction =
      horizontal(direction) > tiny ? on_ground(direction) / horizontal(direction) : fallback;
  const double over = base_.support_height(leg, part.last), wanted = norm(along);
  Landing landing = find_landing(ground_, start, direction, wanted, over);
  const bool astray = part.is_static && landing.miss > 0.5 * wanted;
  if (landing.grounded && !astray) return landing;
  // a foot that stands keeps its little way over the ground; without ground all go on level
  landing.point = start + direction * horizontal(along);
  if (landing.grounded)
    landing.point.z = ground_height(landing.point.x, landing.point.y, now.ground) + over;
  return landing;
}

bool TargetCurves::passable(int leg, const Part& part, const Vec3& start, const Vec3& end,
                            const CurveInputs& now, const CurveOptions& options) const {
  const double limit = options.step_limit * base_.leg_length();
  const double other = now.ankles[at(1 - leg)].z;
  const double support = base_.support_height(leg, part.last);
  if (std::fabs(end.z - other) >= limit) return false;
  // and on the whole way of the swing as it was: a wall too high to end on stops it too
  const Vec3 direction = direction_of(end - start, now.heading, 1e-6 * base_.rig_height());
  const double way = horizontal(base_.ankle(leg, part.last) - base_.ankle(leg, part.first));
  for (int i = 1; i <= 20; ++i) {
    const Vec3 p = start + direction * (way * i / 20);
    const std::optional<GroundPoint> g = ground_.at(p.x, p.y);
    if (!g || std::fabs(g->height + support - other) >= limit) return false;
  }
  return true;
}

void TargetCurves::correct(int leg, const Part& part, const CurveOptions& options) {
  LinearCurve& curve = fitted_[at(leg)];
  for (int k = 0; k < curve.size(); ++k) {
    const Vec3 p = curve.point(k);
    const std::optional<GroundPoint> g = ground_.at(p.x, p.y);
    lowest_[at(k)] = g ? g->height + base_.support_height(leg, part.first + k)
                       : -std::numeric_limits<double>::infinity();
  }
  if (options.correction_by_descent) {
    corrector_.descend(curve, lowest_, base_.rig_height());
  } else {
    corrector_.correct(curve, lowest_);
  }
}

bool TargetCurves::generate(const CurveInputs& now, const CurveOptions& options) {
  std::array<Part, 2> parts;
  for (int leg = 0; leg < 2; ++leg) {
    const Part part = parts[at(leg)] = base_.part_at(leg, now.frame);
    LinearCurve& curve = fitted_[at(leg)];
    curve.clear();
    for (long f = part.first; f <= part.last; ++f) curve.append(base_.time(f), base_.ankle(leg, f));
    const Vec3 start = start_of(leg, part, now);
    const Landing end = end_of(leg, part, start, now);
    if (!part.is_static && options.validation) {
      if (!end.grounded || !passable(leg, part, start, end.point, now, options)) return false;
    }
    curve.fit_ends(start, end.point);
    if (!part.is_static && options.correction) correct(leg, part, options);
  }
  for (int leg = 0; leg < 2; ++leg) {
    const bool same = parts[at(leg)].first == parts_[at(leg)].first &&
                      parts[at(leg)].last == parts_[at(leg)].last;
    if (!same) ankles_[at(leg)].clear();
    hand_over(ankles_[at(leg)], fitted_[at(leg)], now.frame);
  }
  parts_ = parts;
  make_hip(now);
  hand_over(hip_, fresh_hip_, now.frame);
  return true;
}

void TargetCurves::make_hip(const CurveInputs& now) {
  const int leg = parts_[0].last >= parts_[1].last ? 0 : 1;  // with most time left
  const Part& part = parts_[at(leg)];
  const bool known = hip_past_.covers(base_.time(part.first));
  const Vec3 back = turned_by(now.heading, base_.hip(part.first) - base_.hip(now.frame));
  const Vec3 start = known ? hip_past_.at(base_.time(part.first)) : on_ground(now.hip) + back;
  fresh_hip_.clear();
  for (long f = part.first; f <= part.last; ++f) {
    const double t = base_.time(f);
    Vec3 p = start + turned_by(now.heading, base_.hip(f) - base_.hip(part.first));
    p.z = hip_height(f, ankles_[0].held(t).z, ankles_[1].held(t).z);
    fresh_hip_.append(t, f == part.first && known ? start : p);
  }
}

double TargetCurves::hip_height(long frame, double left, double right) const {
  const double hip = base_.hip(frame).z;
  return std::min(left + (hip - base_.ankle(0, frame).z), right + (hip - base_.ankle(1, frame).z));
}

void TargetCurves::hand_over(LinearCurve& old, const LinearCurve& fresh, long frame) {
  // up to nine frames from the next one on, as long as both last
  const double t1 = base_.time(frame + 1);
  long last = frame + 1;
  while (last < frame + 10 && !old.empty() && old.covers(base_.time(last + 1)) &&
         fresh.covers(base_.time(last + 1))) {
    ++last;
  }
  if (old.size() < 2 || !old.covers(t1) || !fresh.covers(t1)) {
    old = fresh;
  } else if (last == frame + 1) {
    transition(old, fresh, t1, spare_);
    std::swap(old, spare_);
  } else {
    soft_transition(old, fresh, t1, base_.time(last), spare_);
    std::swap(old, spare_);
  }
}

void TargetCurves::shift(const Vec3& d) {
  for (LinearCurve* c : {&ankles_[0], &ankles_[1], &past_[0], &past_[1], &hip_, &hip_past_}) {
    c->translate(on_ground(d));
  }
}

void TargetCurves::hold(double t, const std::array<Vec3, 2>& ankles, const Vec3& hip) {
  for (std::size_t leg = 0; leg < 2; ++leg) {
    ankles_[leg].clear();
    ankles_[leg].append(t, ankles[leg]);
    parts_[leg] = {};
    parts_[leg].is_static = true;
  }
  hip_.clear();
  hip_.append(t, hip);
}

}  // namespace molejo::navigation::thesis
