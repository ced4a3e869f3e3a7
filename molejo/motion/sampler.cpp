#include "molejo/motion/sampler.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

#include "molejo/math/index.h"
#include "molejo/math/instructions.h"

namespace molejo::motion {

MOLEJO_IN_BOTH_SETS(void interpolate(const ClipSampler::Group& group,
                                     const ClipSampler::Place& where, SkeletonPose& pose);)

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

void ClipSampler::sample(double t, ClipCursor& cursor, SkeletonPose& pose) const {
  assert(cursor.keys.size() == times_.size() && pose.joints() == base_.joints());
  pose = base_;
  constexpr std::size_t few = 16;  // lists of times whose places fit on the stack
  Place places[few];
  const std::size_t kept = std::min(times_.size(), few);
  for (std::size_t i = 0; i < kept; ++i) places[i] = place(times_[i], t, cursor.keys[i]);
  const auto interpolate = MOLEJO_CHOSEN(interpolate);
  for (const Group& group : groups_) {
    const std::size_t i = at(group.times);
    interpolate(group, i < kept ? places[i] : place(times_[i], t, cursor.keys[i]), pose);
  }
}

}  // namespace molejo::motion
