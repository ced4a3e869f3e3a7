#include "molejo/motion/edit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/motion/blend.h"
#include "molejo/motion/sampler.h"

namespace molejo::motion {

namespace {

constexpr double before_step = 1e-4;  // s
constexpr double same_time = 1e-7;    // s

bool has_steps(const Track& track) {
  if (track.interpolation != Interpolation::step) return false;
  const auto n = static_cast<std::size_t>(width(track.channel));
  for (std::size_t i = n; i < track.values.size(); ++i) {
    if (track.values[i] != track.values[i - n]) return true;
  }
  return false;
}

// One track from a column of poses; nothing where it stays at rest.
void add_track(Clip& clip, const Skeleton& skeleton, std::span<const SkeletonPose> poses, int joint,
               Channel channel) {
  Track track{.joint = joint, .channel = channel};
  const int first = channel == Channel::translation ? SkeletonPose::tx
                    : channel == Channel::rotation  ? SkeletonPose::qw
                                                    : SkeletonPose::sx;
  const int n = width(channel);
  Quat last = skeleton[joint].rest.rotation;
  for (const SkeletonPose& pose : poses) {
    if (channel == Channel::rotation) {
      Quat q = pose.rotation(joint);
      if (q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z < 0) {
        q = {-q.w, -q.x, -q.y, -q.z};
      }
      last = q;
      track.values.insert(track.values.end(), {q.w, q.x, q.y, q.z});
    } else {
      for (int i = 0; i < n; ++i) track.values.push_back(pose.row(first + i)[joint]);
    }
  }
  // what rounding alone moves stands still
  bool constant = true;
  for (std::size_t i = static_cast<std::size_t>(n); i < track.values.size(); ++i) {
    const double first_value = track.values[i % static_cast<std::size_t>(n)];
    const double slack = 1e-12 * (1 + std::fabs(first_value));
    constant = constant && std::fabs(track.values[i] - first_value) <= slack;
  }
  if (constant) {
    const Transform& rest = skeleton[joint].rest;
    track.values.resize(static_cast<std::size_t>(n));
    const std::vector<double>& v = track.values;
    const bool at_rest =
        channel == Channel::rotation      ? Quat{v[0], v[1], v[2], v[3]} == rest.rotation
        : channel == Channel::translation ? Vec3{v[0], v[1], v[2]} == rest.translation
                                          : Vec3{v[0], v[1], v[2]} == rest.scale;
    if (at_rest) return;
    track.times = 1;
  }
  clip.tracks.push_back(std::move(track));
}

}  // namespace

std::vector<double> key_times(const Clip& clip, double spacing) {
  std::vector<double> all;
  for (const Track& track : clip.tracks) {
    const std::vector<double>& times = clip.times_of(track);
    all.insert(all.end(), times.begin(), times.end());
    if (has_steps(track)) {
      for (std::size_t k = 1; k < times.size(); ++k) {
        all.push_back(std::max(times[k] - before_step, 0.5 * (times[k - 1] + times[k])));
      }
    }
    if (track.interpolation == Interpolation::cubic_spline) {
      for (std::size_t k = 1; k < times.size(); ++k) {
        const double step = times[k] - times[k - 1];
        const int parts = static_cast<int>(std::min(std::ceil(step / spacing), 1e4));
        for (int i = 1; i < parts; ++i) all.push_back(times[k - 1] + step * i / parts);
      }
    }
    // tracks usually share their times
    if (all.size() > 100'000) {
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<double> result;
  for (const double t : all) {
    if (result.empty() || t > result.back() + same_time) result.push_back(t);
  }
  if (result.empty()) result.push_back(0);
  return result;
}

std::vector<double> uniform_times(double start, double end, double fps) {
  assert(fps > 0 && end >= start);
  std::vector<double> times;
  const double steps = std::floor((end - start) * fps + 1e-6);
  for (double k = 0; k <= steps; ++k) times.push_back(start + k / fps);
  if (end - times.back() > 1e-6) times.push_back(end);
  return times;
}

Clip clip_from_poses(const Skeleton& skeleton, const std::string& name,
                     const std::vector<double>& times, std::span<const SkeletonPose> poses) {
  assert(!times.empty() && times.size() == poses.size());
  Clip clip{.name = name, .times = {times, {times.front()}}, .tracks = {}};
  for (int j = 0; j < skeleton.size(); ++j) {
    for (const Channel channel : {Channel::translation, Channel::rotation, Channel::scale}) {
      add_track(clip, skeleton, poses, j, channel);
    }
  }
  // the clip keeps its length even where nothing moves
  const bool moves = std::any_of(clip.tracks.begin(), clip.tracks.end(),
                                 [](const Track& track) { return track.times == 0; });
  if (!moves && skeleton.size() > 0 && times.size() > 1) {
    const auto fixed = std::find_if(clip.tracks.begin(), clip.tracks.end(), [](const Track& t) {
      return t.joint == 0 && t.channel == Channel::rotation;
    });
    const Quat q = poses.front().rotation(0);
    Track still{.joint = 0, .values = {}};
    for (std::size_t k = 0; k < times.size(); ++k) {
      still.values.insert(still.values.end(), {q.w, q.x, q.y, q.z});
    }
    if (fixed != clip.tracks.end()) {
      *fixed = std::move(still);
    } else {
      clip.tracks.push_back(std::move(still));
    }
  }
  return clip;
}

Clip rebuilt(
    const Skeleton& skeleton, const Clip& clip, const std::vector<double>& times,
    const Skeleton& target,
    const std::function<void(double t, const SkeletonPose& from, SkeletonPose& to)>& change) {
  const ClipSampler sampler(skeleton, clip);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose from(skeleton);
  std::vector<SkeletonPose> poses(times.size(), SkeletonPose(target));
  for (std::size_t k = 0; k < times.size(); ++k) {
    sampler.sample(times[k], cursor, from);
    change(times[k], from, poses[k]);
  }
  return clip_from_poses(target, clip.name, times, poses);
}

Clip resampled(const Skeleton& skeleton, const Clip& clip, double fps) {
  return rebuilt(skeleton, clip, uniform_times(clip.start(), clip.end(), fps), skeleton,
                 [](double, const SkeletonPose& from, SkeletonPose& to) { to = from; });
}

Clip starting_at_zero(Clip clip) {
  const double start = clip.start();
  for (std::vector<double>& times : clip.times) {
    for (double& t : times) t -= start;
  }
  return clip;
}

LoopGap loop_gap(const Skeleton& skeleton, const Clip& clip, int but) {
  SkeletonPose first(skeleton), last(skeleton), difference(skeleton);
  evaluate(clip, skeleton, clip.start(), first);
  evaluate(clip, skeleton, clip.end(), last);
  LoopGap gap;
  for (int j = 0; j < skeleton.size(); ++j) {
    const double turn = norm(log_quat(conjugate(first.rotation(j)) * last.rotation(j)));
    if (turn > gap.turn) gap.turn = turn, gap.joint = j;
    if (j == but) continue;
    gap.distance = std::max(gap.distance, norm(last.translation(j) - first.translation(j)));
  }
  return gap;
}

Clip loop_closed(const Skeleton& skeleton, const Clip& clip, double seconds, int but) {
  SkeletonPose first(skeleton), last(skeleton), gap(skeleton);
  evaluate(clip, skeleton, clip.start(), first);
  evaluate(clip, skeleton, clip.end(), last);
  subtract(first, last, gap);
  if (but >= 0) gap.set_translation(but, {});
  const double end = clip.end(), span = std::min(seconds, clip.duration());
  return rebuilt(skeleton, clip, key_times(clip), skeleton,
                 [&](double t, const SkeletonPose& from, SkeletonPose& to) {
                   const double u =
                       span > 0 ? std::clamp(1 - (end - t) / span, 0.0, 1.0) : (t >= end ? 1 : 0);
                   add(from, gap, u * u * (3 - 2 * u), to);
                 });
}

}  // namespace molejo::motion
