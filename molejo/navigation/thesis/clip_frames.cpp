#include "molejo/navigation/thesis/clip_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "molejo/navigation/thesis/curve.h"

namespace molejo::navigation::thesis {

namespace {

constexpr int most_frames = 4096;

// The union of the times of all rotations; those of one moment once, first and last kept.
std::vector<double> frame_times(const Clip& clip) {
  bool only_linear = true;
  std::vector<double> all;
  for (const Track& track : clip.tracks) {
    if (track.channel != Channel::rotation) continue;
    const std::vector<double>& times = clip.times_of(track);
    only_linear =
        only_linear && (track.interpolation == motion::Interpolation::linear || times.size() < 2);
    all.insert(all.end(), times.begin(), times.end());
  }
  if (!only_linear) all = key_times(clip);
  all.insert(all.end(), {clip.start(), clip.end()});
  std::sort(all.begin(), all.end());
  std::vector<double> times{all.front()};
  for (const double t : all) {
    if (t > times.back() + 2 * LinearCurve::epsilon) times.push_back(t);
  }
  if (times.size() > 1) times.back() = all.back();
  // a pose, for a second; too few to go round: as dense as others are
  if (clip.duration() < 1e-3) return uniform_times(clip.start(), clip.start() + 1, 30);
  if (times.size() < 5 && clip.duration() > 0.1) {
    return uniform_times(clip.start(), clip.end(), 30);
  }
  return times;
}

}  // namespace

Clip decompressed(const Skeleton& skeleton, const Clip& clip) {
  Clip out = clip;
  const std::vector<double> times = frame_times(clip);
  const int list = static_cast<int>(out.times.size());
  out.times.push_back(times);
  std::vector<char> has(at(skeleton.size()), 0);
  for (Track& track : out.tracks) {
    if (track.channel != Channel::rotation) continue;
    has[at(track.joint)] = 1;
    std::vector<double> values;
    for (const double t : times) {
      double q[4];
      evaluate(clip, track, t, q);
      values.insert(values.end(), q, q + 4);
    }
    track.values = std::move(values);
    track.times = list;
    track.interpolation = motion::Interpolation::linear;
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    if (has[at(j)]) continue;
    const Quat q = skeleton[j].rest.rotation;
    Track rest{.joint = j, .channel = Channel::rotation, .times = list};
    for (std::size_t k = 0; k < times.size(); ++k) {
      rest.values.insert(rest.values.end(), {q.w, q.x, q.y, q.z});
    }
    out.tracks.push_back(std::move(rest));
  }
  return out;
}

Quat quaternion(const AxisAngle& turn) { return exp_quat(turn.axis * turn.angle); }

AxisAngle continued(const Quat& q, const AxisAngle& last) {
  const Vec3 v = log_quat(q);
  const double angle = norm(v);
  AxisAngle turn = angle < 1e-6 ? AxisAngle{last.axis, 0} : AxisAngle{v / angle, angle};
  if (dot(turn.axis, last.axis) < 0) turn = {-turn.axis, -turn.angle};
  turn.angle = angle_beside(turn, last);
  return turn;
}

double angle_beside(const AxisAngle& from, const AxisAngle& to) {
  const double angle = dot(to.axis, from.axis) < 0 ? -from.angle : from.angle;
  return angle + 2 * pi * std::floor((to.angle - angle) / (2 * pi) + 0.5);
}

ClipFrames::ClipFrames(const Rig& rig, const Clip& clip) : path_(rig.path) {
  times_ = frame_times(clip);
  const int count = static_cast<int>(times_.size()) - 1;
  if (count < 4 || count > most_frames) {
    throw InputError(fmt::format("clip '{}' has {} frames: expected 4 to {}", clip.name, count + 1,
                                 most_frames));
  }
  const double start = times_.front();
  duration_ = times_.back() - start;
  slots_.assign(at(rig.skeleton.size()), -1);
  for (std::size_t s = 0; s < path_.size(); ++s) slots_[at(path_[s])] = static_cast<int>(s);
  times_.pop_back();  // the last is the first again
  rotations_.resize(at(count) * path_.size());
  std::vector<SkeletonPose> poses;
  SkeletonPose pose(rig.skeleton);
  for (double& t : times_) {
    evaluate(clip, rig.skeleton, t, pose);
    poses.push_back(pose);
    t -= start;
  }
  fixed_ = poses.front();
  for (std::size_t s = 0; s < path_.size(); ++s) {
    // from the frame that turns most, where the axis is surest, once around
    int surest = 0;
    double most = -1;
    for (int f = 0; f < count; ++f) {
      const double angle = norm(log_quat(poses[at(f)].rotation(path_[s])));
      if (angle > most) most = angle, surest = f;
    }
    const Vec3 v = log_quat(poses[at(surest)].rotation(path_[s]));
    AxisAngle last = most < 1e-6 ? AxisAngle{} : AxisAngle{v / most, most};
    for (int k = 0; k < count; ++k) {
      const int f = (surest + k) % count;
      last = continued(poses[at(f)].rotation(path_[s]), last);
      rotations_[at(f) * path_.size() + s] = last;
    }
  }
}

double ClipFrames::extended_time(long frame) const {
  const int f = wrapped(frame);
  return time(f) + duration_ * static_cast<double>((frame - f) / frames());
}

int ClipFrames::wrapped(long frame) const {
  const long n = frames();
  return static_cast<int>(((frame % n) + n) % n);
}

int ClipFrames::frame_at(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return std::max(0, static_cast<int>(after - times_.begin()) - 1);
}

std::span<const AxisAngle> ClipFrames::rotations(int frame) const {
  return {rotations_.data() + at(frame) * path_.size(), path_.size()};
}

}  // namespace molejo::navigation::thesis
