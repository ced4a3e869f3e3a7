#include "molejo/navigation/footfalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "molejo/model/error.h"

namespace molejo::navigation {

namespace {

// A point of a sole over one loop, at even phases: front, left, up.
struct PointTrack {
  std::vector<Vec3> p, v;
  std::vector<char> down;
};

constexpr double first_height = 0.04;  // of a first look, in leg lengths above the lowest

struct Run {
  int from = 0, to = 0;  // [from, to), from < samples; to may exceed it
};

class FootfallFinder {
 public:
  FootfallFinder(const Rig& rig, const Clip& clip, const FootfallOptions& options)
      : rig_(rig), options_(options), n_(options.samples) {
    sample(clip);
  }

  Footfalls find() {
    Footfalls result;
    result.duration = duration_;
    result.stands = stands();
    if (result.stands) {
      Stance whole{0, 1, 0, 1, 0, 1};
      result.stances.assign(rig_.legs.size(), {whole});
      result.way.assign(static_cast<std::size_t>(n_) + 1, Vec3{});
      for (PointTrack& t : tracks_) t.down.assign(t.p.size(), 1);
      result.floor = mean_floor();
      return result;
    }
    find_contacts();
    result.floor = mean_floor();
    for (std::size_t leg = 0; leg < rig_.legs.size(); ++leg) {
      result.stances.push_back(stances_of(leg));
      if (result.stances.back().empty()) {
        throw InputError(
            fmt::format("leg '{}' never stands: no point of its sole stays near the "
                        "ground and still against it",
                        rig_.legs[leg].name));
      }
    }
    result.way = way();
    return result;
  }

 private:
  std::size_t at(int k) const { return static_cast<std::size_t>((k % n_ + n_) % n_); }
  PointTrack& track(std::size_t leg, int point) {
    return tracks_[2 * leg + static_cast<std::size_t>(point)];
  }

  void sample(const Clip& clip) {
    const ClipSampler sampler(rig_.skeleton, clip);
    duration_ = sampler.duration();
    ClipCursor cursor = sampler.cursor();
    SkeletonPose pose(rig_.skeleton);
    std::vector<Affine> X(static_cast<std::size_t>(rig_.skeleton.size()));
    tracks_.resize(2 * rig_.legs.size());
    floors_.assign(rig_.legs.size(), std::numeric_limits<double>::infinity());
    const Bearing& b = rig_.bearing();
    for (int k = 0; k < n_; ++k) {
      sampler.sample(sampler.start() + duration_ * k / n_, cursor, pose);
      model_transforms(rig_.skeleton, pose, {}, rig_.path, X);
      for (std::size_t i = 0; i < rig_.legs.size(); ++i) {
        const Leg& leg = rig_.legs[i];
        const Affine& foot = X[static_cast<std::size_t>(leg.foot())];
        for (int point = 0; point < 2; ++point) {
          const Vec3 p = foot * (point == 0 ? leg.sole.heel : leg.sole.toe);
          const Vec3 seen{dot(p, b.front), dot(p, b.left), dot(p, b.up)};
          track(i, point).p.push_back(seen);
          floors_[i] = std::min(floors_[i], seen.z);
        }
      }
    }
    const double dt = duration_ / n_;
    for (PointTrack& t : tracks_) {
      t.down.assign(t.p.size(), 0);
      for (int k = 0; k < n_; ++k) {
        t.v.push_back((t.p[at(k + 1)] - t.p[at(k - 1)]) / (2 * dt));
      }
    }
  }

  bool stands() const {
    const double reach = 0.1 * rig_.leg_length;
    for (const PointTrack& t : tracks_) {
      Vec3 least = t.p[0], most = t.p[0];
      for (const Vec3& p : t.p) {
        least = {std::min(least.x, p.x), std::min(least.y, p.y), std::min(least.z, p.z)};
        most = {std::max(most.x, p.x), std::max(most.y, p.y), std::max(most.z, p.z)};
      }
      if (max_abs(most - least) > reach) return false;
    }
    return true;
  }

  bool low(std::size_t i, const PointTrack& t, std::size_t k, double least) const {
    return t.p[k].z - floors_[i] < least * rig_.leg_length;
  }

  // Height at which the standing points are, on the whole; a little lower where soles dip below it.
  double mean_floor() const {
    double sum = 0;
    long count = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (const PointTrack& t : tracks_) {
      for (std::size_t k = 0; k < t.p.size(); ++k) {
        if (t.down[k]) sum += t.p[k].z, ++count;
        lowest = std::min(lowest, t.p[k].z);
      }
    }
    if (count == 0) return lowest;
    const double mean = sum / static_cast<double>(count), length = rig_.leg_length;
    return mean - std::clamp(mean - lowest - 0.005 * length, 0.0, 0.003 * length);
  }

  // The walking speed is that of most low points, backwards.
  double first_speed() {
    std::vector<double> speeds;
    for (std::size_t i = 0; i < rig_.legs.size(); ++i) {
      for (int point = 0; point < 2; ++point) {
        const PointTrack& t = track(i, point);
        for (std::size_t k = 0; k < t.p.size(); ++k) {
          if (low(i, t, k, first_height) && t.v[k].x < 0) speeds.push_back(-t.v[k].x);
        }
      }
    }
    if (speeds.empty()) return 0;
    const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
    std::nth_element(speeds.begin(), middle, speeds.end());
    return *middle;
  }

  // A rough look first; it tells speed and floor, which a closer look needs.
  void find_contacts() {
    double speed = first_speed();
    for (int pass = 0; pass < 4 && speed > 0; ++pass) {
      const bool rough = pass == 0;
      double sum = 0;
      long count = 0;
      for (std::size_t i = 0; i < rig_.legs.size(); ++i) {
        double height = 0;
        long low_count = 0;
        for (int point = 0; point < 2; ++point) {
          PointTrack& t = track(i, point);
          for (std::size_t k = 0; k < t.p.size(); ++k) {
            const Vec3 slip = t.v[k] + Vec3{speed, 0, 0};
            t.down[k] = low(i, t, k, rough ? first_height : options_.height) &&
                        norm(slip) < (rough ? 0.4 : options_.speed) * speed;
            if (!t.down[k]) continue;
            sum -= t.v[k].x, ++count;
            height += t.p[k].z, ++low_count;
          }
        }
        if (low_count > 0) floors_[i] = height / static_cast<double>(low_count);
      }
      if (count > 0) speed = sum / static_cast<double>(count);
    }
    for (PointTrack& t : tracks_) clean(t.down);
  }

  // Fills short gaps, then drops short touches.
  void clean(std::vector<char>& down) const {
    for (const char wanted : {char{0}, char{1}}) {
      for (const Run& run : runs(down, wanted)) {
        if (run.to - run.from >= n_ / 25) continue;
        for (int k = run.from; k < run.to; ++k) down[at(k)] = !wanted;
      }
    }
  }

  // Maximal runs of a value on the circle of phases.
  std::vector<Run> runs(const std::vector<char>& values, char wanted) const {
    std::vector<Run> found;
    int first = -1;  // where a run begins
    for (int k = 0; k < n_ && first < 0; ++k) {
      if (values[at(k)] == wanted && values[at(k - 1)] != wanted) first = k;
    }
    if (first < 0) {
      if (values[0] == wanted) found.push_back({0, n_});
      return found;
    }
    for (int k = first; k < first + n_;) {
      int end = k;
      while (end < first + n_ && values[at(end)] == wanted) ++end;
      if (end > k) found.push_back({k % n_, k % n_ + (end - k)});
      k = end + 1;
    }
    return found;
  }

  std::vector<Stance> stances_of(std::size_t leg) {
    const std::vector<char>&heel = track(leg, 0).down, &toe = track(leg, 1).down;
    std::vector<char> either(heel.size());
    for (std::size_t k = 0; k < heel.size(); ++k) either[k] = heel[k] || toe[k];
    clean(either);
    std::vector<Stance> stances;
    for (const Run& run : runs(either, 1)) {
      const auto phase = [&](int k) { return static_cast<double>(k) / n_; };
      Stance s;
      s.on = phase(run.from), s.off = phase(run.to);
      const auto span = [&](const std::vector<char>& down, double& on, double& off) {
        on = off = s.on;
        for (int k = run.from; k < run.to; ++k) {
          if (!down[at(k)]) continue;
          if (on == off) on = phase(k);
          off = phase(k + 1);
        }
      };
      span(heel, s.heel_on, s.heel_off);
      span(toe, s.toe_on, s.toe_off);
      stances.push_back(s);
    }
    std::sort(stances.begin(), stances.end(),
              [](const Stance& a, const Stance& b) { return a.on < b.on; });
    return stances;
  }

  // Standing points do not move: the mean of their velocities, backwards; over flights from the
  // last to the next.
  std::vector<Vec3> way() {
    std::vector<Vec3> v(static_cast<std::size_t>(n_));
    std::vector<double> weight(v.size(), 0);
    const int ramp = std::max(1, n_ / 40);
    for (const PointTrack& t : tracks_) {
      for (const Run& run : runs(t.down, 1)) {
        for (int k = run.from; k < run.to; ++k) {
          const int inside = std::min({k - run.from + 1, run.to - k, ramp});
          const double w = static_cast<double>(inside) / ramp;
          v[at(k)] = v[at(k)] - Vec3{t.v[at(k)].x, t.v[at(k)].y, 0} * w;
          weight[at(k)] += w;
        }
      }
    }
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (weight[k] > 0) v[k] = v[k] / weight[k];
    }
    std::vector<char> held(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) held[k] = weight[k] > 0;
    for (const Run& flight : runs(held, 0)) {
      const Vec3 a = v[at(flight.from - 1)], b = v[at(flight.to)];
      for (int k = flight.from; k < flight.to; ++k) {
        const double u = static_cast<double>(k - flight.from + 1) / (flight.to - flight.from + 1);
        v[at(k)] = a + (b - a) * u;
      }
    }
    std::vector<Vec3> result{{}};
    const double dt = duration_ / n_;
    for (int k = 0; k < n_; ++k) {
      const Vec3 mean = (v[at(k)] + v[at(k + 1)]) * 0.5;
      result.push_back(result.back() + Vec3{mean.x, mean.y, 0} * dt);
    }
    return result;
  }

  const Rig& rig_;
  const FootfallOptions options_;
  const int n_;
  double duration_ = 0;
  std::vector<PointTrack> tracks_;  // heel and toe of each leg
  std::vector<double> floors_;      // of each leg
};

}  // namespace

Vec3 Footfalls::way_at(double phase) const {
  const double loops = std::floor(phase);
  const auto n = static_cast<double>(way.size() - 1);
  const double at = (phase - loops) * n;
  const auto k = std::min(static_cast<std::size_t>(at), way.size() - 2);
  return way.back() * loops + way[k] + (way[k + 1] - way[k]) * (at - static_cast<double>(k));
}

double Footfalls::speed() const { return duration > 0 ? way.back().x / duration : 0; }

const Stance* Footfalls::stance_at(int leg, double phase, double* since) const {
  const double p = phase - std::floor(phase);
  for (const Stance& s : stances[static_cast<std::size_t>(leg)]) {
    for (const double loop : {0.0, 1.0}) {
      if (p + loop < s.on || p + loop >= s.off) continue;
      if (since) *since = p + loop - s.on;
      return &s;
    }
  }
  return nullptr;
}

Footfalls find_footfalls(const Rig& rig, const Clip& clip, const FootfallOptions& options) {
  return FootfallFinder(rig, clip, options).find();
}

}  // namespace molejo::navigation
