#include "molejo/navigation/walk_clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/root_motion.h"

namespace molejo::navigation {

namespace {

// The clip without the way that it makes on the whole; it still sways about it.
Clip without_way(const Rig& rig, const Clip& clip) {
  InPlace split = extract_root_motion(rig.skeleton, rig.roles, clip, {.turning = false});
  if (split.motion.times.empty()) return clip;
  const Vec3 whole = split.motion.poses.back().position;
  const double start = split.motion.times.front(), duration = clip.duration();
  if (norm(whole) < 0.02 * rig.leg_length) return clip;
  for (std::size_t k = 0; k < split.motion.times.size(); ++k) {
    GroundPose& pose = split.motion.poses[k];
    pose.position = pose.position - whole * ((split.motion.times[k] - start) / duration);
  }
  return apply_root_motion(rig.skeleton, rig.roles, split);
}

Clip ready(const Rig& rig, const Clip& clip) {
  const double duration = clip.duration();
  if (!(duration > 1e-3) || duration > 3600) {
    throw InputError(
        fmt::format("clip '{}' lasts {} s: expected 0.001 to 3600", clip.name, duration));
  }
  const Clip in_place = without_way(rig, starting_at_zero(clip));
  return loop_closed(rig.skeleton, in_place, std::min(0.25 * duration, 0.2));
}

// Turns that level the soles of each leg when it stands flattest, in the frame of the foot. A clip
// of another character may hold feet at another angle than these soles need.
std::vector<Quat> levelling(const Rig& rig, const Clip& clip) {
  constexpr int samples = 120;
  const ClipSampler sampler(rig.skeleton, clip);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose pose(rig.skeleton);
  const Vec3 up = rig.bearing().up;
  std::vector<Quat> turns(rig.legs.size());
  std::vector<double> lowest(rig.legs.size(), std::numeric_limits<double>::infinity());
  for (int k = 0; k < samples; ++k) {
    sampler.sample(sampler.duration() * k / samples, cursor, pose);
    const std::vector<Affine> X = model_transforms(rig.skeleton, pose);
    const std::vector<Quat> Q = model_rotations(rig.skeleton, pose);
    for (std::size_t i = 0; i < rig.legs.size(); ++i) {
      const Leg& leg = rig.legs[i];
      const auto foot = static_cast<std::size_t>(leg.foot());
      const Vec3 along = X[foot].linear * (leg.sole.toe - leg.sole.heel);
      const Vec3 level = along - up * dot(along, up);
      const double height = dot(X[foot].origin + X[static_cast<std::size_t>(leg.ball)].origin, up);
      if (height >= lowest[i] || !(norm(level) > 0)) continue;
      lowest[i] = height;
      turns[i] = normalized(conjugate(Q[foot]) * shortest_turn(along, level) * Q[foot]);
    }
  }
  return turns;
}

Clip with_level_feet(const Rig& rig, Clip clip) {
  const std::vector<Quat> turns = levelling(rig, clip);
  for (std::size_t i = 0; i < rig.legs.size(); ++i) {
    const int foot = rig.legs[i].foot();
    const auto turns_foot = [&](const Track& track) {
      return track.joint == foot && track.channel == Channel::rotation;
    };
    auto track = std::find_if(clip.tracks.begin(), clip.tracks.end(), turns_foot);
    if (track == clip.tracks.end()) {
      const Quat q = rig.skeleton[foot].rest.rotation;
      clip.times.push_back({0.0});
      clip.tracks.push_back({.joint = foot,
                             .times = static_cast<int>(clip.times.size()) - 1,
                             .values = {q.w, q.x, q.y, q.z}});
      track = clip.tracks.end() - 1;
    }
    for (std::size_t k = 0; k + 3 < track->values.size(); k += 4) {
      double* v = track->values.data() + k;
      const Quat q = Quat{v[0], v[1], v[2], v[3]} * turns[i];
      v[0] = q.w, v[1] = q.x, v[2] = q.y, v[3] = q.z;
    }
  }
  return clip;
}

// The pose of a walk in which its feet pass each other, held.
Clip passing_pose(const Rig& rig, const ReadyClip& walk) {
  constexpr int samples = 120;
  double least = std::numeric_limits<double>::infinity(), best = 0;
  for (int k = 0; k < samples; ++k) {
    const double phase = static_cast<double>(k) / samples;
    double apart = 0;
    for (int a = 0; a < static_cast<int>(rig.legs.size()); ++a) {
      const int b = rig.legs[static_cast<std::size_t>(a)].opposite;
      apart += std::abs(walk.feet.at(a, phase).p.x - walk.feet.at(b, phase).p.x);
      apart += walk.feet.clearance(a, phase);
    }
    if (apart < least) least = apart, best = phase;
  }
  SkeletonPose pose(rig.skeleton);
  evaluate(walk.clip, rig.skeleton, best * walk.clip.duration(), pose);
  return clip_from_poses(rig.skeleton, "rest", {0.0, 1.0}, std::vector<SkeletonPose>{pose, pose});
}

// Front is where the walk goes: some walk a little to one side of where they look.
void face_the_way(Rig& rig, const Footfalls& falls) {
  const Vec3 way = falls.way.back();
  const double aside = std::atan2(way.y, way.x);
  if (!(std::abs(aside) < 0.35)) return;
  Bearing& b = rig.roles.bearing;
  const Mat3 turn = matrix(exp_quat(b.up * aside));
  b.front = turn * b.front, b.left = turn * b.left;
}

// Over the time of a frame.
std::vector<double> fastest_turns(const Rig& rig, const ClipSampler& sampler) {
  constexpr double frame = 1.0 / 60;
  std::vector<double> fastest;
  ClipCursor cursor = sampler.cursor();
  SkeletonPose a(rig.skeleton), b(rig.skeleton);
  for (double t = 0; t < sampler.duration(); t += 0.25 * frame) {
    sampler.sample(t, cursor, a);
    sampler.sample(std::fmod(t + frame, sampler.duration()), cursor, b);
    for (const Leg& leg : rig.legs) {
      fastest.resize(std::max(fastest.size(), leg.chain.size()), 0.0);
      for (std::size_t k = 0; k < leg.chain.size(); ++k) {
        const Quat turn = conjugate(a.rotation(leg.chain[k])) * b.rotation(leg.chain[k]);
        fastest[k] = std::max(fastest[k], norm(log_quat(turn)) / frame);
      }
    }
  }
  return fastest;
}

}  // namespace

ReadyClip::ReadyClip(const Rig& rig, Clip ready_clip, const FootfallOptions& options)
    : clip(std::move(ready_clip)),
      sampler(rig.skeleton, clip),
      footfalls(find_footfalls(rig, clip, options)),
      feet(rig, clip, footfalls) {}

std::shared_ptr<const WalkClips> make_walk_clips(const Character& character, Rig rig,
                                                 const Clip& walk, const Clip* idle,
                                                 const FootfallOptions& options) {
  Clip ready_walk = ready(rig, walk);
  fit_soles(rig, character, ready_walk);
  ready_walk = with_level_feet(rig, std::move(ready_walk));
  face_the_way(rig, find_footfalls(rig, ready_walk, options));
  ReadyClip first(rig, std::move(ready_walk), options);
  if (first.footfalls.stands) {
    throw InputError(fmt::format("clip '{}' does not walk: no foot leaves the ground", walk.name));
  }
  ReadyClip second(rig, idle ? with_level_feet(rig, ready(rig, *idle)) : passing_pose(rig, first),
                   options);
  if (!second.footfalls.stands) {
    throw InputError(fmt::format("clip '{}' does not idle: a foot leaves its place", idle->name));
  }
  std::vector<LegHinges> hinges;
  for (int leg = 0; leg < static_cast<int>(rig.legs.size()); ++leg) {
    hinges.push_back(find_hinges(rig, leg, first.clip));
  }
  rig.fastest_turn = fastest_turns(rig, first.sampler);
  return std::make_shared<const WalkClips>(
      WalkClips{std::move(rig), std::move(first), std::move(second), std::move(hinges)});
}

}  // namespace molejo::navigation
