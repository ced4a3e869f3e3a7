#include "molejo/navigation/foot_tracks.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo::navigation {

namespace {

constexpr double may_sink = 0.005, may_hover = 0.009;  // of standing points, in leg lengths
constexpr double lead = 0.12;  // phases over which a foot is led to its print and away from it

// How far a phase lies before [on, off] (negative), behind it (positive), or within (zero). Phases
// are on a circle.
double outside(double phase, double on, double off) {
  double best = 2;
  for (const double loop : {-1.0, 0.0, 1.0}) {
    const double p = phase + loop;
    const double off_by = p < on ? p - on : p > off ? p - off : 0;
    if (std::abs(off_by) < std::abs(best)) best = off_by;
  }
  return best;
}

// A point of the foot where it is in the clip, where it shall be, and how much that counts.
struct Pull {
  Vec3 local, is, shall;
  double weight = 0;  // 1: exactly
  double strength() const { return 1e-3 + weight / (1 - weight + 1e-9); }
};

FootPose pulled(const FootPose& foot, const Pull& a, const Pull& b) {
  FootPose mended = foot;
  const Vec3 is = b.is - a.is, shall = b.shall - a.shall;
  if (dot(is, is) > 0 && dot(shall, shall) > 0) {
    mended.q = normalized(shortest_turn(is, shall) * foot.q);
  }
  const Mat3 R = matrix(mended.q);
  const double sum = a.strength() + b.strength();
  mended.p =
      ((a.shall - R * a.local) * a.strength() + (b.shall - R * b.local) * b.strength()) / sum;
  return mended;
}

}  // namespace

double smooth(double s) {
  const double u = std::clamp(s, 0.0, 1.0);
  return u * u * (3 - 2 * u);
}

Quat shortest_turn(const Vec3& a, const Vec3& b) {
  const double scale = std::sqrt(dot(a, a) * dot(b, b));
  const Vec3 axis = cross(a, b);
  const Quat q{scale + dot(a, b), axis.x, axis.y, axis.z};
  if (squared_norm(q) > 1e-18 * scale * scale) return normalized(q);
  // opposite: half a turn about anything across
  const Vec3 across =
      std::abs(a.x) < 0.6 * norm(a) ? cross(a, Vec3{1, 0, 0}) : cross(a, Vec3{0, 1, 0});
  const Vec3 e = normalized(across);
  return {0, e.x, e.y, e.z};
}

FootTracks::FootTracks(const Rig& rig, const Clip& clip, const Footfalls& falls)
    : falls_(falls),
      n_(static_cast<int>(falls.way.size()) - 1),
      leg_length_(rig.leg_length),
      tracks_(rig.legs.size()) {
  sample(rig, clip);
  for (int leg = 0; leg < static_cast<int>(rig.legs.size()); ++leg) {
    find_prints(leg);
    mend(leg);
  }
}

void FootTracks::sample(const Rig& rig, const Clip& clip) {
  const ClipSampler sampler(rig.skeleton, clip);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose pose(rig.skeleton);
  const Bearing& b = rig.bearing();
  const Quat to_ground = quaternion(Mat3{b.front, b.left, b.up});
  for (int k = 0; k < n_; ++k) {
    sampler.sample(sampler.start() + sampler.duration() * k / n_, cursor, pose);
    const std::vector<Affine> X = model_transforms(rig.skeleton, pose);
    const std::vector<Quat> q = model_rotations(rig.skeleton, pose);
    for (std::size_t i = 0; i < rig.legs.size(); ++i) {
      const Leg& leg = rig.legs[i];
      const auto foot = static_cast<std::size_t>(leg.foot());
      const Vec3 p = X[foot].origin;
      tracks_[i].p.push_back({dot(p, b.front), dot(p, b.left), dot(p, b.up) - falls_.floor});
      tracks_[i].q.push_back(normalized(to_ground * q[foot]));
      if (k > 0) continue;
      const Mat3 to_foot = transpose(matrix(q[foot]));
      soles_.push_back(
          {to_foot * (X[foot].linear * leg.sole.heel), to_foot * (X[foot].linear * leg.sole.toe)});
    }
  }
}

Vec3 FootTracks::way(int k) const {
  const int loops = k >= 0 ? k / n_ : -((n_ - 1 - k) / n_);
  return falls_.way[at(k)] + falls_.way.back() * loops;
}

double FootTracks::sole_length(int leg) const { return norm(sole(leg).toe - sole(leg).heel); }

void FootTracks::find_prints(int leg) {
  Track& track = tracks_[static_cast<std::size_t>(leg)];
  const Sole& s = sole(leg);
  const double length = sole_length(leg);
  for (const Stance& stance : falls_.stances[static_cast<std::size_t>(leg)]) {
    // means over the samples at which each is down
    const auto mean = [&](const Vec3& local, double on, double off) {
      Vec3 sum;
      int count = 0;
      const int last = std::max(static_cast<int>(std::lround(on * n_)) + 1,
                                static_cast<int>(std::lround(off * n_)));
      for (int k = static_cast<int>(std::lround(on * n_)); k < last; ++k, ++count) {
        sum = sum + track.p[at(k)] + matrix(track.q[at(k)]) * local + way(k);
      }
      return sum / static_cast<double>(count);
    };
    const bool heel = stance.heel_off > stance.heel_on, toe = stance.toe_off > stance.toe_on;
    Vec3 h = mean(s.heel, heel ? stance.heel_on : stance.on, heel ? stance.heel_off : stance.off);
    Vec3 t = mean(s.toe, toe ? stance.toe_on : stance.on, toe ? stance.toe_off : stance.off);
    h.z = t.z = 0;
    Vec3 along = t - h;
    along = norm(along) > 1e-9 * (1 + length) ? normalized(along) : Vec3{1, 0, 0};
    // both as far from each other as on the foot; who never stands gives way
    if (heel && toe) {
      const Vec3 middle = (h + t) * 0.5;
      h = middle - along * (0.5 * length), t = middle + along * (0.5 * length);
    } else if (heel) {
      t = h + along * length;
    } else {
      h = t - along * length;
    }
    track.prints.push_back({h, t, stance.on, stance.off, stance.heel_on, stance.heel_off,
                            stance.toe_on, stance.toe_off});
  }
}

// Within its contact a point is on its print; before and behind, what that took at the ends of the
// contact fades.
void FootTracks::mend(int leg) {
  Track& track = tracks_[static_cast<std::size_t>(leg)];
  const Sole& s = sole(leg);
  const auto point = [&](const Vec3& local, int k) {
    return track.p[at(k)] + matrix(track.q[at(k)]) * local + way(k);
  };
  const auto pull = [&](const Vec3& local, int k, bool is_heel) {
    Pull result{local, point(local, k), {}};
    result.shall = result.is;
    const double phase = static_cast<double>(k) / n_;
    for (const Print& print : track.prints) {
      const double on = is_heel ? print.heel_on : print.toe_on;
      const double off = is_heel ? print.heel_off : print.toe_off;
      const double by = outside(phase, on, off);
      if (!(off > on) || std::abs(by) >= lead) continue;
      // the sample of the contact that is nearest, in its own loop
      const int first = static_cast<int>(std::lround(on * n_));
      const int last = static_cast<int>(std::lround(off * n_)) - 1;
      const int loops = static_cast<int>(std::lround(phase - by - 0.5 * (on + off)));
      const int nearest = by < 0 ? first : by > 0 ? last : k - loops * n_;
      const Vec3 there = point(local, nearest);
      Vec3 gap = (is_heel ? print.heel : print.toe) - there;
      // heights as good as right are left to the clip
      gap.z = std::clamp(there.z, -may_sink * leg_length_, may_hover * leg_length_) - there.z;
      const double w = smooth(1 - std::abs(by) / lead);
      if (w < result.weight) continue;
      result.weight = w;
      result.shall = result.is + gap * w;
    }
    // what does not stand is at least not below the floor
    result.shall.z = std::max(result.shall.z, -may_sink * leg_length_);
    return result;
  };
  std::vector<FootPose> mended;
  for (int k = 0; k < n_; ++k) {
    const FootPose foot{track.q[at(k)], track.p[at(k)] + way(k)};
    mended.push_back(pulled(foot, pull(s.heel, k, true), pull(s.toe, k, false)));
  }
  for (int k = 0; k < n_; ++k) {
    track.q[at(k)] = mended[at(k)].q, track.p[at(k)] = mended[at(k)].p - way(k);
  }
  track.q.push_back(track.q.front());
  track.p.push_back(track.p.front());
}

FootPose FootTracks::at(int leg, double phase) const {
  const Track& track = tracks_[static_cast<std::size_t>(leg)];
  const double loops = std::floor(phase);
  const double at = (phase - loops) * n_;
  const auto k = std::min(static_cast<std::size_t>(at), static_cast<std::size_t>(n_ - 1));
  const double u = at - static_cast<double>(k);
  const Quat a = track.q[k], b = track.q[k + 1];
  const double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  const auto mix = [&](double x, double y) { return x + (sign * y - x) * u; };
  const Vec3 way_now = falls_.way[k] + (falls_.way[k + 1] - falls_.way[k]) * u;
  return {normalized(Quat{mix(a.w, b.w), mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z)}),
          track.p[k] + (track.p[k + 1] - track.p[k]) * u + way_now + falls_.way.back() * loops};
}

Print FootTracks::shifted(const Print& print, double loops) const {
  const Vec3 shift = falls_.way.back() * loops;
  return {print.heel + shift,   print.toe + shift,     print.on + loops,
          print.off + loops,    print.heel_on + loops, print.heel_off + loops,
          print.toe_on + loops, print.toe_off + loops};
}

Print FootTracks::print_at(int leg, double phase) const {
  const std::vector<Print>& prints = tracks_[static_cast<std::size_t>(leg)].prints;
  // the first that ends behind the phase
  for (double loops = std::floor(phase) - 1;; ++loops) {
    for (const Print& print : prints) {
      if (print.off + loops > phase) return shifted(print, loops);
    }
  }
}

Print FootTracks::print_after(int leg, const Print& print) const {
  return print_at(leg, print.off + 1e-9);
}

double FootTracks::clearance(int leg, double phase) const {
  const FootPose foot = at(leg, phase);
  const Mat3 R = matrix(foot.q);
  return std::min((foot.p + R * sole(leg).heel).z, (foot.p + R * sole(leg).toe).z);
}

}  // namespace molejo::navigation
