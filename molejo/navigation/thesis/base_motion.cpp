#include "molejo/navigation/thesis/base_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo::navigation::thesis {

namespace {

// Runs of one frame join their neighbours, around the circle.
void join_lonely_frames(std::vector<char>& flags) {
  const std::size_t n = flags.size();
  for (std::size_t f = 0; f < n; ++f) {
    const char before = flags[(f + n - 1) % n], after = flags[(f + 1) % n];
    if (before == after && flags[f] != before) flags[f] = before;
  }
}

}  // namespace

SupportFrames find_support_frames(const std::array<std::vector<Vec3>, 2>& ankles,
                                  std::span<const double> times, double speed_limit,
                                  const std::array<std::string, 2>& names, SupportRule rule) {
  const std::size_t n = times.size() - 1;
  SupportFrames support{std::vector<char>(n), std::vector<char>(n)};
  std::array<bool, 2> ever{false, false};
  for (std::size_t f = 0; f < n; ++f) {
    // the way to frame f; to the first it is the way to its copy at the end
    const std::size_t to = f == 0 ? n : f;
    std::array<double, 2> speed{};
    for (std::size_t leg = 0; leg < 2; ++leg) {
      speed[leg] = norm(ankles[leg][to] - ankles[leg][to - 1]) / (times[to] - times[to - 1]);
      ever[leg] = ever[leg] || speed[leg] <= speed_limit;
    }
    const bool left = speed[0] <= speed_limit, right = speed[1] <= speed_limit;
    const bool decided = rule == SupportRule::left_foot || left != right;
    support[0][f] = decided ? left : speed[0] <= speed[1];
  }
  join_lonely_frames(support[0]);
  for (std::size_t f = 0; f < n; ++f) support[1][f] = !support[0][f];
  for (std::size_t leg = 0; leg < 2; ++leg) {
    const auto standing = std::count(support[leg].begin(), support[leg].end(), 1);
    if (!ever[leg] || standing == 0) {
      throw InputError(
          fmt::format("leg '{}' has no support frame: its ankle is never slower than {:.4g} per "
                      "second; try a larger support factor",
                      names[leg], speed_limit));
    }
  }
  return support;
}

std::vector<Part> parts_of(const std::vector<char>& support) {
  const long n = static_cast<long>(support.size());
  std::vector<Part> parts;
  const auto flag = [&](long f) { return support[at((f % n + n) % n)]; };
  for (long f = 0; f < n; ++f) {
    if (flag(f) == flag(f - 1)) continue;
    long last = f;
    while (last + 1 < f + n && flag(last + 1) == flag(f)) ++last;
    // frame f is reached from the one before: there the part begins
    const long first = f == 0 ? n - 1 : f - 1, shift = f == 0 ? n : 0;
    parts.push_back({first, last + shift, flag(f) != 0});
  }
  if (parts.empty()) parts.push_back({0, n, flag(0) != 0});
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.first < b.first; });
  return parts;
}

BaseMotion::BaseMotion(const Rig& rig, const Clip& clip, const ClipFrames& frames,
                       const Footfalls& footfalls, double scale, const BaseMotionOptions& options)
    : frames_(&frames), rig_height_(2 * rig.legs[0].length * scale) {
  const auto way = [&](double phase) { return options.idle ? Vec3{} : footfalls.way_at(phase); };
  find_paths(rig, clip, way, scale);
  const std::size_t n = at(frames.frames());
  if (options.idle) {
    for (std::size_t leg = 0; leg < 2; ++leg) support_[leg].assign(n, 1);
  } else {
    std::array<std::vector<Vec3>, 2> closed = ankles_;
    std::vector<double> times;
    for (long f = 0; f <= frames.frames(); ++f) times.push_back(frames.extended_time(f));
    for (std::size_t leg = 0; leg < 2; ++leg) closed[leg].push_back(closed[leg][0] + stride_);
    support_ = find_support_frames(closed, times, options.support_factor * rig_height_ / 4,
                                   {rig.legs[0].name, rig.legs[1].name}, options.rule);
  }
  for (std::size_t leg = 0; leg < 2; ++leg) parts_[leg] = parts_of(support_[leg]);
  find_support_heights();
}

void BaseMotion::find_paths(const Rig& rig, const Clip& clip,
                            const std::function<Vec3(double)>& way, double scale) {
  const Bearing& b = rig.bearing();
  SkeletonPose pose(rig.skeleton);
  floor_ = std::numeric_limits<double>::infinity();
  for (int f = 0; f < frames_->frames(); ++f) {
    evaluate(clip, rig.skeleton, clip.start() + frames_->time(f), pose);
    const std::vector<Affine> X = model_transforms(rig.skeleton, pose);
    for (const Affine& x : X) floor_ = std::min(floor_, dot(x.origin, b.up));
    const Vec3 here = way(frames_->time(f) / frames_->duration()) * scale;
    const Affine X_WM = placement(b, here, 0, scale);
    for (std::size_t leg = 0; leg < 2; ++leg) {
      ankles_[leg].push_back(X_WM * X[at(rig.legs[leg].foot())].origin);
    }
    hips_.push_back(X_WM * X[at(rig.hips)].origin);
  }
  const double down = floor_ * scale;
  for (std::vector<Vec3>& ankle : ankles_) {
    for (Vec3& p : ankle) p.z -= down;
  }
  for (Vec3& p : hips_) p.z -= down;
  stride_ = way(1) * scale;
}

void BaseMotion::find_support_heights() {
  const long n = frames_->frames();
  for (int leg = 0; leg < 2; ++leg) {
    std::vector<double>& heights = heights_[index(leg)];
    heights.resize(at(n));
    for (long f = 0; f < n; ++f) heights[at(f)] = ankles_[index(leg)][at(f)].z;
    for (const Part& part : parts_[index(leg)]) {
      if (part.is_static) continue;
      const double from = ankle(leg, part.first).z, to = ankle(leg, part.last).z;
      for (long f = part.first + 1; f < part.last; ++f) {
        const double u = (time(f) - time(part.first)) / (time(part.last) - time(part.first));
        heights[at(frames_->wrapped(f))] = from + (to - from) * u;
      }
    }
  }
}

Vec3 BaseMotion::ankle(int leg, long frame) const {
  const int f = frames_->wrapped(frame);
  const long loops = (frame - f) / frames_->frames();
  return ankles_[index(leg)][at(f)] + stride_ * static_cast<double>(loops);
}

Vec3 BaseMotion::hip(long frame) const {
  const int f = frames_->wrapped(frame);
  const long loops = (frame - f) / frames_->frames();
  return hips_[at(f)] + stride_ * static_cast<double>(loops);
}

Vec3 BaseMotion::hip_at(double t) const {
  const double rounds = std::floor(t / frames_->duration());
  const double within = t - rounds * frames_->duration();
  const long f = static_cast<long>(rounds) * frames_->frames() + frames_->frame_at(within);
  const double u = (t - time(f)) / (time(f + 1) - time(f));
  return hip(f) + (hip(f + 1) - hip(f)) * u;
}

double BaseMotion::support_height(int leg, long frame) const {
  return heights_[index(leg)][at(frames_->wrapped(frame))];
}

Part BaseMotion::part_at(int leg, long frame) const {
  const long n = frames_->frames(), f = frames_->wrapped(frame);
  for (const Part& part : parts_[index(leg)]) {
    for (const long turn : {-n, 0L, n}) {
      if (f < part.first + turn || f >= part.last + turn) continue;
      const long shift = turn + frame - f;
      return {part.first + shift, part.last + shift, part.is_static};
    }
  }
  return parts_[index(leg)].front();  // not reached: parts cover the circle
}

}  // namespace molejo::navigation::thesis
