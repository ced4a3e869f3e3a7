#include "molejo/navigation/thesis/clip_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"

namespace molejo::navigation::thesis {

namespace {

[[noreturn]] void refuse(const Clip& clip, int rule, const std::string& reason) {
  throw InputError(fmt::format("clip '{}' breaks rule {}: {}", clip.name, rule, reason));
}

// Value of key k of a track, tangents left out.
std::span<const double> key_value(const Track& track, std::size_t k) {
  const auto w = static_cast<std::size_t>(width(track.channel));
  const bool spline = track.interpolation == motion::Interpolation::cubic_spline;
  return {track.values.data() + (spline ? (3 * k + 1) * w : k * w), w};
}

// Size of the frame of a joint's parent in the model.
double parent_scale(const Skeleton& skeleton, std::span<const Affine> X, int joint) {
  const int parent = skeleton[joint].parent;
  if (parent < 0) return 1;
  const Mat3& m = X[at(parent)].linear;
  return std::max({norm(m.column(0)), norm(m.column(1)), norm(m.column(2))});
}

// Largest difference of a component from the first key, and where.
struct Change {
  double most = 0;
  std::size_t key = 0;
};
Change change_of(const Clip& clip, const Track& track) {
  Change change;
  const std::span<const double> first = key_value(track, 0);
  for (std::size_t k = 1; k < clip.times_of(track).size(); ++k) {
    const std::span<const double> value = key_value(track, k);
    double sign = 1;
    if (track.channel == Channel::rotation) {  // q and -q are one rotation
      double product = 0;
      for (std::size_t i = 0; i < 4; ++i) product += first[i] * value[i];
      if (product < 0) sign = -1;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double d = std::fabs(sign * value[i] - first[i]);
      if (d > change.most) change = {d, k};
    }
  }
  return change;
}

void check_tracks(const Rig& rig, const Clip& clip, const ClipRules& rules) {
  const std::vector<Affine> X = model_transforms(rig.skeleton, rig.reference);
  const double height = 2 * rig.legs[0].length;
  for (const Track& track : clip.tracks) {
    if (clip.times_of(track).empty()) continue;
    const Change change = change_of(clip, track);
    const std::string& name = rig.skeleton[track.joint].name;
    const bool above = track.joint != rig.hips && rig.skeleton.descends(rig.hips, track.joint);
    double allowed = rules.turn, amount = change.most;
    if (track.channel == Channel::translation) {
      amount *= parent_scale(rig.skeleton, X, track.joint);
      allowed = rules.drift * height;
    }
    if (track.channel == Channel::scale) allowed = rules.stretch;
    if (amount <= allowed) continue;
    const char* channel = to_string(track.channel);
    if (above) {
      refuse(
          clip, 2,
          fmt::format("'{}', above the hips, changes its {} by {:.3g} at frame {}: nothing above "
                      "the hips may move",
                      name, channel, amount, change.key));
    }
    if (track.channel == Channel::rotation || track.joint == rig.hips) continue;
    refuse(clip, 1,
           fmt::format("'{}' changes its {} by {:.3g} at frame {}: expected at most {:.3g}", name,
                       channel, amount, change.key, allowed));
  }
}

}  // namespace

double mean_axis(const Rig& rig, const ClipFrames& frames, int joint) {
  const Vec3 left = rig.bearing().left;
  double sum = 0;
  std::vector<Quat> model(frames.path().size());
  for (int f = 0; f < frames.frames(); ++f) {
    const std::span<const AxisAngle> turns = frames.rotations(f);
    for (std::size_t s = 0; s < model.size(); ++s) {
      const int parent = rig.skeleton[frames.path()[s]].parent;
      const Quat above = parent < 0 ? Quat{} : model[at(frames.slot(parent))];
      model[s] = above * quaternion(turns[s]);
    }
    const int slot = frames.slot(joint), parent = rig.skeleton[joint].parent;
    const Quat above = parent < 0 ? Quat{} : model[at(frames.slot(parent))];
    sum += std::fabs(dot(matrix(above) * turns[at(slot)].axis, left));
  }
  return sum / frames.frames();
}

void check_clip(const Rig& rig, const Clip& clip, ClipKind kind, const ClipRules& rules) {
  check_tracks(rig, clip, rules);
  const LoopGap gap = loop_gap(rig.skeleton, clip, rig.hips);
  if (gap.turn > rules.gap) {
    refuse(clip, 3,
           fmt::format("'{}' ends {:.3g} rad from where it began, at frame {}: expected a loop",
                       rig.skeleton[std::max(0, gap.joint)].name, gap.turn,
                       decompressed(rig.skeleton, clip).times.back().size() - 1));
  }
  if (kind == ClipKind::idle) return;
  const ClipFrames frames(rig, clip);
  for (const Leg& leg : rig.legs) {
    for (const int j : leg.chain) {
      if (j == leg.foot()) continue;
      const double axis = mean_axis(rig, frames, j);
      if (axis >= rules.axis) continue;
      refuse(clip, 4,
             fmt::format("'{}' turns about axes along the plane of motion, {:.2f} across it in the "
                         "mean of frames 0 to {}: expected at least {}",
                         rig.skeleton[j].name, axis, frames.frames() - 1, rules.axis));
    }
  }
}

void check_rig(const Rig& rig, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    throw InputError(fmt::format("scale {}: expected a number above 0", scale));
  }
  if (rig.legs.size() != 2) {
    throw InputError(fmt::format("{} legs: Matthey's navigation walks on two", rig.legs.size()));
  }
  const std::vector<Affine> X = model_transforms(rig.skeleton, rig.reference);
  const auto twice = [](double a, double b) { return a > 2 * b || b > 2 * a; };
  for (const Leg& leg : rig.legs) {
    const auto place = [&](int j) { return X[at(j)].origin; };
    const Vec3 down = place(leg.foot()) - place(rig.hips);
    if (!(dot(down, rig.bearing().up) < 0)) {
      throw InputError(fmt::format("leg '{}': its foot '{}' is not below the hips", leg.name,
                                   rig.skeleton[leg.foot()].name));
    }
    if (leg.chain.size() != 3) continue;
    const double thigh = norm(place(leg.chain[1]) - place(leg.chain[0]));
    const double shin = norm(place(leg.chain[2]) - place(leg.chain[1]));
    if (!twice(thigh, shin)) continue;
    throw InputError(
        fmt::format("leg '{}': thigh {:.3g} and shin {:.3g} are not of human proportions", leg.name,
                    thigh, shin));
  }
  if (twice(rig.legs[0].length, rig.legs[1].length)) {
    throw InputError(fmt::format("legs of {:.3g} and {:.3g} are not of human proportions",
                                 rig.legs[0].length, rig.legs[1].length));
  }
}

}  // namespace molejo::navigation::thesis
