#include "molejo/motion/sampler.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

#include "molejo/math/index.h"
#include "molejo/motion/slerp_kernel.h"

namespace molejo::motion {

namespace {

bool is_constant(const Clip& clip, const Track& track) {
  if (clip.times_of(track).size() == 1) return true;
  const auto n = at(width(track.channel));
  if (track.interpolation == Interpolation::cubic_spline) return false;
  for (std::size_t i = n; i < track.values.size(); ++i) {
    if (track.values[i] != track.values[i % n]) return false;
  }
  return true;
}

int first_row(Channel channel) {
  return channel == Channel::translation ? SkeletonPose::tx
         : channel == Channel::rotation  ? SkeletonPose::qw
                                         : SkeletonPose::sx;
}

}  // namespace

ClipSampler::ClipSampler(const Skeleton& skeleton, const Clip& clip)
    : base_(skeleton), start_(clip.start()), end_(clip.end()) {
  // tracks by their keys and form; equal times are one list, whether or not the clip shares them
  std::map<std::vector<double>, int> lists;
  std::map<std::tuple<int, Channel, Interpolation>, std::vector<const Track*>> tracks;
  for (const Track& track : clip.tracks) {
    assert(track.joint >= 0 && track.joint < skeleton.size());
    if (is_constant(clip, track)) {
      hold(clip, track);
      continue;
    }
    ++moving_;
    const auto next = static_cast<int>(times_.size());
    const auto [list, is_new] = lists.try_emplace(clip.times_of(track), next);
    if (is_new) times_.push_back(clip.times_of(track));
    tracks[{list->second, track.channel, track.interpolation}].push_back(&track);
  }
  for (const auto& [form, members] : tracks) {
    Group group;
    std::tie(group.times, group.channel, group.interpolation) = form;
    fill(group, members);
    groups_.push_back(std::move(group));
  }
}

void ClipSampler::hold(const Clip& clip, const Track& track) {
  double x[4] = {};
  evaluate(clip, track, clip.times_of(track).front(), x);
  for (int i = 0; i < width(track.channel); ++i) {
    base_.row(first_row(track.channel) + i)[track.joint] = x[i];
  }
}

void ClipSampler::fill(Group& group, const std::vector<const Track*>& tracks) const {
  std::vector<const Track*> sorted = tracks;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Track* a, const Track* b) { return a->joint < b->joint; });
  const auto n = at(width(group.channel));
  const std::size_t keys = times_[at(group.times)].size();
  const std::size_t per_key = group.interpolation == Interpolation::cubic_spline ? 3 : 1;
  group.lanes = (sorted.size() + 3) / 4 * 4;
  group.joints.assign(group.lanes, -1);
  group.rows.assign(keys * per_key * n * group.lanes, 0);
  for (std::size_t lane = 0; lane < group.lanes; ++lane) {
    // lanes behind the last do as the last does
    const Track& track = *sorted[std::min(lane, sorted.size() - 1)];
    if (lane < sorted.size()) group.joints[lane] = track.joint;
    std::vector<double> values = track.values;
    if (group.channel == Channel::rotation && per_key == 1) {
      // unit length, and each on the side of the one before: then slerp goes the short way
      Quat last;
      for (std::size_t k = 0; k < keys; ++k) {
        Quat q =
            safe_unit({values[4 * k], values[4 * k + 1], values[4 * k + 2], values[4 * k + 3]});
        const double d = q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z;
        if (k > 0 && d < 0) q = {-q.w, -q.x, -q.y, -q.z};
        values[4 * k] = q.w, values[4 * k + 1] = q.x, values[4 * k + 2] = q.y;
        values[4 * k + 3] = q.z;
        last = q;
      }
    }
    for (std::size_t row = 0; row < keys * per_key * n; ++row) {
      group.rows[row * group.lanes + lane] = values[row];
    }
  }
  for (std::size_t lane = 0; lane < group.lanes; lane += 4) {
    const int j = group.joints[lane];
    const bool adjacent = group.joints[lane + 1] == j + 1 && group.joints[lane + 2] == j + 2 &&
                          group.joints[lane + 3] == j + 3;
    group.adjacent.push_back(adjacent ? j : -1);
  }
}

ClipSampler::Place ClipSampler::place(const std::vector<double>& times, double t, int& key) {
  const auto last = static_cast<int>(times.size()) - 2;  // of the keys that have a next one
  int k = std::clamp(key, 0, last);
  constexpr int near = 4;
  const int limit = std::min(k + near, last);
  if (t >= times[at(k)]) {
    while (k < limit && t >= times[at(k + 1)]) ++k;
  }
  const bool found = (k == 0 || t >= times[at(k)]) && (k == last || t < times[at(k + 1)]);
  if (!found) {
    const auto next = std::upper_bound(times.begin(), times.end(), t);
    k = std::clamp(static_cast<int>(next - times.begin()) - 1, 0, last);
  }
  key = k;
  const double step = times[at(k + 1)] - times[at(k)];
  return {k, std::clamp((t - times[at(k)]) / step, 0.0, 1.0), step};
}

void ClipSampler::interpolate(const Group& group, const Place& where, SkeletonPose& pose) {
  const std::size_t lanes = group.lanes;
  const auto n = at(width(group.channel));
  const bool cubic = group.interpolation == Interpolation::cubic_spline;
  const bool step = group.interpolation == Interpolation::step;
  const bool turns = group.channel == Channel::rotation;
  // after the last key of a STEP track its value holds
  const std::size_t key = at(where.key) + (step && where.u >= 1 ? 1 : 0);
  const double* a = group.rows.data() + key * (cubic ? 3 : 1) * n * lanes;
  const double* b = a + (step ? 0 : (cubic ? 3 : 1) * n * lanes);
  const double u = where.u, u2 = u * u, u3 = u2 * u;
  const double h00 = 2 * u3 - 3 * u2 + 1, h10 = where.step * (u3 - 2 * u2 + u);
  const double h01 = 3 * u2 - 2 * u3, h11 = where.step * (u3 - u2);
  double* out = pose.row(first_row(group.channel));
  const auto stride = at(pose.stride());

  for (std::size_t lane = 0; lane < lanes; lane += 4) {
    Pack4 x[4];
    if (cubic) {
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = h00 * load_pack(a + (n + i) * lanes + lane) +
               h10 * load_pack(a + (2 * n + i) * lanes + lane) +
               h01 * load_pack(b + (n + i) * lanes + lane) + h11 * load_pack(b + i * lanes + lane);
      }
    } else if (turns && !step) {
      Pack4 d(0.0), p[4], q[4];
      for (std::size_t i = 0; i < 4; ++i) {
        p[i] = load_pack(a + i * lanes + lane), q[i] = load_pack(b + i * lanes + lane);
        d += p[i] * q[i];
      }
      const SlerpWeights<Pack4> w = slerp_weights(d, Pack4(u));
      for (std::size_t i = 0; i < 4; ++i) x[i] = w.a * p[i] + w.b * q[i];
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const Pack4 p = load_pack(a + i * lanes + lane);
        x[i] = step ? p : p + u * (load_pack(b + i * lanes + lane) - p);
      }
    }
    if (turns && cubic) {
      const Pack4 square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
      const Pack4 fine(1e-60);
      const Pack4 f = select(square > fine, 1.0 / square_root(maximum(square, fine)), Pack4(0.0));
      x[0] = select(square > fine, x[0] * f, Pack4(1.0));
      for (int i = 1; i < 4; ++i) x[i] = x[i] * f;
    }
    if (const int j = group.adjacent[lane / 4]; j >= 0) {
      for (std::size_t i = 0; i < n; ++i) store_pack(out + i * stride + at(j), x[i]);
    } else {
      for (int k = 0; k < 4; ++k) {
        const int joint = group.joints[lane + at(k)];
        if (joint < 0) break;
        for (std::size_t i = 0; i < n; ++i) out[i * stride + at(joint)] = x[i][k];
      }
    }
  }
}

void ClipSampler::sample(double t, ClipCursor& cursor, SkeletonPose& pose) const {
  assert(cursor.keys.size() == times_.size() && pose.joints() == base_.joints());
  pose = base_;
  constexpr std::size_t few = 16;  // lists of times whose places fit on the stack
  Place places[few];
  const std::size_t kept = std::min(times_.size(), few);
  for (std::size_t i = 0; i < kept; ++i) places[i] = place(times_[i], t, cursor.keys[i]);
  for (const Group& group : groups_) {
    const std::size_t i = at(group.times);
    interpolate(group, i < kept ? places[i] : place(times_[i], t, cursor.keys[i]), pose);
  }
}

}  // namespace molejo::motion
