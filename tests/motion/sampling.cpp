// Sampling against closed forms and against the plain reading of the standard.
#include "molejo/motion/sampler.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/motion/blend.h"
#include "molejo/motion/player.h"
#include "tests/support/characters.h"

using namespace molejo;
using namespace molejo::motion;
using test::pose_distance;

namespace {

constexpr double pi = 3.141592653589793;

Skeleton one_joint() {
  Skeleton s;
  s.joints.push_back({"joint", -1, {}});
  return s;
}

SkeletonPose sampled(const ClipSampler& sampler, double t) {
  SkeletonPose pose(sampler.joints());
  ClipCursor cursor = sampler.cursor();
  sampler.sample(t, cursor, pose);
  return pose;
}

Clip turn_clip(const Quat& a, const Quat& b, double seconds) {
  return {.name = "turn",
          .times = {{0, seconds}},
          .tracks = {{.joint = 0, .values = {a.w, a.x, a.y, a.z, b.w, b.x, b.y, b.z}}}};
}

}  // namespace

TEST_CASE("sampling: slerp turns at constant angular speed about one axis") {
  const Skeleton skeleton = one_joint();
  for (const double angle : {1e-9, 1e-4, 0.3, 1.5, 3.0, 3.14}) {
    const Vec3 axis = normalized(Vec3{1, -2, 0.5});
    const Quat a = exp_quat(Vec3{0.3, 0.2, -0.9}), b = a * exp_quat(axis * angle);
    const ClipSampler sampler(skeleton, turn_clip(a, b, 2));
    for (int k = 0; k <= 20; ++k) {
      const double t = 2 * k / 20.0;
      const Quat expected = a * exp_quat(axis * (angle * t / 2));
      const Quat q = sampled(sampler, t).rotation(0);
      CAPTURE(angle);
      CAPTURE(t);
      const double s = q.w * expected.w + q.x * expected.x < 0 ? -1 : 1;
      CHECK(std::fabs(q.w - s * expected.w) < 1e-13);
      CHECK(std::fabs(q.x - s * expected.x) < 1e-13);
      CHECK(std::fabs(q.y - s * expected.y) < 1e-13);
      CHECK(std::fabs(q.z - s * expected.z) < 1e-13);
    }
  }
}

TEST_CASE("sampling: of two quaternions of one rotation the nearer is taken") {
  const Skeleton skeleton = one_joint();
  const Quat a, b = exp_quat(Vec3{0, 0, 1});
  const Quat far{-b.w, -b.x, -b.y, -b.z};
  const ClipSampler sampler(skeleton, turn_clip(a, far, 1));
  const Quat half = sampled(sampler, 0.5).rotation(0);
  const Quat expected = exp_quat(Vec3{0, 0, 0.5});
  CHECK(std::fabs(std::fabs(half.w) - expected.w) < 1e-14);
  CHECK(std::fabs(std::fabs(half.z) - expected.z) < 1e-14);
}

TEST_CASE(
    "sampling: a spline keeps values and tangents at its keys and is Hermite's cubic between") {
  const Skeleton skeleton = one_joint();
  // x(t) = t^3 - 2 t + 1 has the value and slope of the keys, so the spline is that cubic itself
  const auto f = [](double t) { return t * t * t - 2 * t + 1; };
  const auto slope = [](double t) { return 3 * t * t - 2; };
  Clip clip{.name = "spline", .times = {{0.5, 1.25, 3}}, .tracks = {}};
  Track track{.joint = 0,
              .channel = Channel::translation,
              .interpolation = Interpolation::cubic_spline,
              .values = {}};
  for (const double t : clip.times[0]) {
    track.values.insert(track.values.end(), {slope(t), 0, 0, f(t), 7, 0, slope(t), 0, 0});
  }
  clip.tracks = {track};
  const ClipSampler sampler(skeleton, clip);
  for (double t = 0.5; t <= 3; t += 0.05) {
    CHECK(std::fabs(sampled(sampler, t).translation(0).x - f(t)) < 1e-12 * (1 + std::fabs(f(t))));
    CHECK(std::fabs(sampled(sampler, t).translation(0).y - 7) < 1e-12);
  }
  // one-sided slopes at the middle key
  const double h = 1e-6;
  const auto x = [&](double t) { return sampled(sampler, t).translation(0).x; };
  CHECK(std::fabs((x(1.25) - x(1.25 - h)) / h - slope(1.25)) < 1e-5);
  CHECK(std::fabs((x(1.25 + h) - x(1.25)) / h - slope(1.25)) < 1e-5);
}

TEST_CASE("sampling: a step holds its value until the next key, and ends hold for ever") {
  const Skeleton skeleton = one_joint();
  const Clip clip{.name = "step",
                  .times = {{1, 2, 3}},
                  .tracks = {{.joint = 0,
                              .channel = Channel::scale,
                              .interpolation = Interpolation::step,
                              .values = {1, 1, 1, 2, 2, 2, 5, 5, 5}}}};
  const ClipSampler sampler(skeleton, clip);
  CHECK(sampled(sampler, -10).scale(0).x == 1);
  CHECK(sampled(sampler, 1.999999).scale(0).x == 1);
  CHECK(sampled(sampler, 2).scale(0).x == 2);
  CHECK(sampled(sampler, 2.999999).scale(0).x == 2);
  CHECK(sampled(sampler, 3).scale(0).x == 5);
  CHECK(sampled(sampler, 99).scale(0).x == 5);
}

TEST_CASE("sampling: four joints at once give what the plain reading of the standard gives") {
  Random random(3);
  for (const int joints : {1, 3, 4, 5, 21, 50}) {
    const motion::Character c = test::random_character(joints, 12, random);
    const ClipSampler sampler(c.skeleton, c.clips[0]);
    ClipCursor cursor = sampler.cursor();
    SkeletonPose fast(c.skeleton), plain(c.skeleton);
    for (int k = 0; k < 200; ++k) {
      const double t = random.uniform() * 0.5 - 0.05;
      sampler.sample(t, cursor, fast);
      evaluate(c.clips[0], c.skeleton, t, plain);
      CHECK(pose_distance(fast, plain) < 1e-13);
    }
  }
  const motion::Character stick = test::stick_character();
  for (const Clip& clip : stick.clips) {
    const ClipSampler sampler(stick.skeleton, clip);
    SkeletonPose plain(stick.skeleton);
    for (double t = -0.1; t < 2.3; t += 0.013) {
      evaluate(clip, stick.skeleton, t, plain);
      CHECK(pose_distance(sampled(sampler, t), plain) < 1e-13);
    }
  }
}

TEST_CASE("sampling: the cursor changes nothing, whichever way time jumps") {
  Random random(8);
  const motion::Character c = test::random_character(7, 100, random);
  const ClipSampler sampler(c.skeleton, c.clips[0]);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose pose(c.skeleton);
  for (int k = 0; k < 1000; ++k) {
    const double t = k % 3 == 0 ? random.uniform() * 3.5 : 3.3 * k / 1000;
    sampler.sample(t, cursor, pose);
    CHECK(pose == sampled(sampler, t));
  }
}

TEST_CASE("blend: of equal poses is that pose, at the ends are the poses themselves") {
  Random random(5);
  const motion::Character c = test::random_character(23, 2, random);
  SkeletonPose a(c.skeleton), b(c.skeleton), out(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0, a);
  evaluate(c.clips[0], c.skeleton, 1, b);
  for (const double w : {0.0, 0.2, 0.77, 1.0}) {
    blend(a, a, w, out);
    CHECK(pose_distance(out, a) < 1e-15);
  }
  blend(a, b, 0, out);
  CHECK(pose_distance(out, a) < 1e-13);
  blend(a, b, 1, out);
  CHECK(pose_distance(out, b) < 1e-13);
  // halfway from both ends is the same
  SkeletonPose back(c.skeleton);
  blend(a, b, 0.3, out);
  blend(b, a, 0.7, back);
  CHECK(pose_distance(out, back) < 1e-13);
}

TEST_CASE("blend: what a pose adds, added to its reference, is the pose") {
  Random random(6);
  const motion::Character c = test::random_character(18, 3, random);
  SkeletonPose a(c.skeleton), b(c.skeleton), d(c.skeleton), out(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0, a);
  evaluate(c.clips[0], c.skeleton, 1.0 / 30, b);
  b.set_scale(2, {2, 0.5, 3});
  b.set_translation(4, {1, 2, 3});
  subtract(b, a, d);
  add(a, d, 1, out);
  CHECK(pose_distance(out, b) < 1e-13);
  add(a, d, 0, out);
  CHECK(pose_distance(out, a) < 1e-13);
  // half of it twice is all of it
  SkeletonPose half(c.skeleton);
  add(a, d, 0.5, half);
  CHECK(std::fabs(norm(half.translation(4) - (a.translation(4) + b.translation(4)) * 0.5)) < 1e-13);
}

TEST_CASE("blend: a mask leaves the joints outside as they were") {
  const motion::Character c = test::stick_character();
  SkeletonPose a(c.skeleton), b(c.skeleton), out(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0.2, b);
  const std::vector<double> mask = joint_mask(c.skeleton, c.skeleton.find("mixamorig:LeftUpLeg"));
  blend(a, b, 1, out, mask);
  const int inside = c.skeleton.find("mixamorig:LeftLeg");
  const int outside = c.skeleton.find("mixamorig:RightLeg");
  CHECK(std::fabs(out.rotation(inside).x - b.rotation(inside).x) < 1e-14);
  CHECK(out.rotation(outside) == a.rotation(outside));
}

TEST_CASE("player: time loops forwards and backwards and counts the loops") {
  const motion::Character c = test::stick_character();
  const ClipSampler walk(c.skeleton, c.clips[0]);  // 1 s
  Playback p{.clip = &walk, .rate = 2};
  p.advance(0.7);
  CHECK(std::fabs(p.time - 0.4) < 1e-12);
  CHECK(p.loops == 1);
  p.rate = -1;
  p.advance(1.5);
  CHECK(std::fabs(p.time - 0.9) < 1e-12);
  CHECK(p.loops == -1);
  Playback once{.clip = &walk, .looping = false};
  once.advance(5);
  CHECK(once.time == walk.duration());
  CHECK(once.ended());
}

TEST_CASE("player: a clip that starts late plays from its start") {
  const motion::Character c = test::stick_character();
  const ClipSampler wave(c.skeleton, c.clips[1]);  // from 0.5 s
  Player player(c.skeleton.size());
  player.play(wave);
  player.advance(0.25);
  SkeletonPose pose(c.skeleton);
  player.pose(pose);
  CHECK(pose_distance(pose, sampled(wave, 0.75)) < 1e-14);
}

TEST_CASE("player: a cross-fade begins with the old clip, ends with the new one and never jumps") {
  const motion::Character c = test::stick_character();
  const ClipSampler walk(c.skeleton, c.clips[0]), idle(c.skeleton, c.clips[2]);
  Player player(c.skeleton.size());
  SkeletonPose pose(c.skeleton), last(c.skeleton);
  player.play(idle);
  player.advance(0.3);
  player.pose(last);
  player.cross_fade(walk, 0.5);
  player.pose(pose);
  CHECK(pose_distance(pose, last) < 1e-13);
  double jump = 0;
  for (int k = 0; k < 120; ++k) {
    last = pose;
    // another fade begins before the first has ended
    if (k == 40) player.cross_fade(idle, 0.4, {.in_step = true});
    player.advance(1.0 / 120);
    player.pose(pose);
    // the hips of the walk go 1 m/s and turn back at its end: compare rotations only
    for (int j = 0; j < c.skeleton.size(); ++j) {
      const Quat d = conjugate(last.rotation(j)) * pose.rotation(j);
      jump = std::max(jump, norm(log_quat(d)));
    }
  }
  CHECK(jump < 0.1);
  CHECK(player.weight() == 1);
  CHECK(player.fading().clip == nullptr);
}
