// Curves that ankles and hips shall follow: ends, heights, hand-over.
#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/navigation/thesis/target_curves.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;
using namespace molejo::navigation::thesis;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The known gait, its curves on a ground, and a walker whose feet are exactly where they shall be.
struct Perfect {
  explicit Perfect(const motion::Ground& g, double heading_now = 0)
      : clips(test::ready_clips(test::gait_character(), "gait")),
        frames(clips->rig, clips->walk.clip),
        base(clips->rig, clips->walk.clip, frames, clips->walk.footfalls, 1, {}),
        ground(g),
        targets(base, ground),
        heading(heading_now) {}

  // One frame: feet and hips reached their targets.
  bool step(const CurveOptions& options = {}) {
    const double t = base.time(frame);
    if (!targets.empty()) {
      ankles = {targets.ankle(0).held(t), targets.ankle(1).held(t)};
      hip = targets.hip().held(t);
      targets.record(t, ankles, hip);
    } else {
      const SinCos<double> sc = sincos(heading);
      for (int leg = 0; leg < 2; ++leg) {
        const Vec3 d = base.ankle(leg, frame) - base.hip(frame);
        Vec3& p = ankles[at(leg)];
        p = {hip.x + sc.cos * d.x - sc.sin * d.y, hip.y + sc.sin * d.x + sc.cos * d.y, 0};
        p.z = height(p) + base.ankle(leg, frame).z;
      }
    }
    const bool passed = targets.generate(
        {.frame = frame, .heading = heading, .hip = hip, .ankles = ankles}, options);
    ++frame;
    return passed;
  }
  double height(const Vec3& p) const { return ground.at(p.x, p.y)->height; }

  std::shared_ptr<const WalkClips> clips;
  ClipFrames frames;
  BaseMotion base;
  const motion::Ground& ground;
  TargetCurves targets;
  double heading;
  long frame = 0;
  std::array<Vec3, 2> ankles;
  Vec3 hip{0, 0, 0.95};
};

}  // namespace

TEST_CASE("thesis landing: the wanted distance in space, on the ground") {
  const motion::Ground level = test::level_ground(2);
  const Landing flat = find_landing(level, {0, 0, 2.1}, {0, 1, 0}, 0.5, 0.1);
  CHECK(norm(flat.point - Vec3{0, 0.5, 2.1}) < 1e-6);
  const motion::Ground slope = test::ramp(0.5);
  const Landing up = find_landing(slope, {3, 0, 0.5}, {1, 0, 0}, 1, 0);
  CHECK(up.miss < 1e-6);
  CHECK(up.point.x == doctest::Approx(3 + 1 / std::sqrt(1.25)));
  const Landing none = find_landing(level, {500, 0, 0}, {1, 0, 0}, 1, 0);
  CHECK_FALSE(none.grounded);
}

TEST_CASE("thesis ankle curves: on flat ground they are those of the clip") {
  const motion::Ground ground = test::level_ground(0.3);
  for (const double heading : {0.0, 0.9, -2.5}) {
    Perfect walk(ground, heading);
    const SinCos<double> sc = sincos(heading);
    double most = 0;
    Vec3 moved;
    for (int n = 0; n < 95; ++n) {
      walk.step();
      for (int leg = 0; leg < 2; ++leg) {
        const LinearCurve& curve = walk.targets.ankle(leg);
        for (int k = 0; k < curve.size(); ++k) {
          const long f = std::lround(curve.time(k) * 30);
          const Vec3 d = walk.base.ankle(leg, f) - walk.base.hip(0);
          const Vec3 expected{sc.cos * d.x - sc.sin * d.y, sc.sin * d.x + sc.cos * d.y,
                              walk.base.ankle(leg, f).z + 0.3};
          most = std::max(most, norm(curve.point(k) - expected));
        }
      }
    }
    MESSAGE("flat ground, heading " << heading << ": ankle curves differ from the clip by "
                                    << most * 1000 << " mm");
    CHECK(most < 1e-3 * walk.base.rig_height());
  }
}

TEST_CASE("thesis ankle curves: they end on the ground at the support height") {
  const motion::Ground ground = test::hills(0.3, 1.3);
  Perfect walk(ground, 0.4);
  double most = 0;
  int corrected = 0;
  for (int n = 0; n < 400; ++n) {
    REQUIRE(walk.step());
    for (int leg = 0; leg < 2; ++leg) {
      const LinearCurve& curve = walk.targets.fitted_ankle(leg);
      const Part& part = walk.targets.part(leg);
      const Vec3 end = curve.points().back();
      const double support = walk.base.support_height(leg, part.last);
      most = std::max(most, std::fabs(end.z - walk.height(end) - support));
      if (part.is_static) continue;
      for (int k = 1; k + 1 < curve.size(); ++k) {
        const Vec3 p = curve.point(k);
        const double lowest = walk.height(p) + walk.base.support_height(leg, part.first + k);
        CHECK(p.z >= lowest - 1e-9);
        corrected += p.z < lowest + 1e-9;
      }
    }
  }
  MESSAGE("ends: " << most / walk.base.rig_height() << " H from the ground; points lifted "
                   << corrected);
  CHECK(most < 1e-3 * walk.base.rig_height());
  CHECK(corrected > 0);
}

TEST_CASE("thesis ankle curves: correction by descent gives the same steps") {
  const motion::Ground ground = test::hills(0.3, 1.3);
  Perfect exact(ground), descended(ground);
  double most = 0;
  for (int n = 0; n < 150; ++n) {
    exact.step();
    descended.step({.correction_by_descent = true});
    for (int leg = 0; leg < 2; ++leg) {
      const double t = exact.base.time(exact.frame);
      most = std::max(
          most, norm(exact.targets.ankle(leg).held(t) - descended.targets.ankle(leg).held(t)));
    }
  }
  MESSAGE("majorant and descent: targets differ by at most " << most * 1000 << " mm");
  CHECK(most < 0.01);
}

TEST_CASE("thesis hip curve: no leg is longer than in the clip, one is as long") {
  const motion::Ground ground = test::hills(0.8, 5);
  Perfect walk(ground);
  double above = -1, nearest = 0;
  for (int n = 0; n < 300; ++n) {
    walk.step();
    // the fresh heights, not yet handed over: at the next frame of a new part they are the target
    const long f = walk.frame;
    const double t = walk.base.time(f);
    const double left = walk.targets.ankle(0).held(t).z, right = walk.targets.ankle(1).held(t).z;
    const double z = walk.targets.hip_height(f, left, right);
    const double drop_left = (z - left) - (walk.base.hip(f).z - walk.base.ankle(0, f).z);
    const double drop_right = (z - right) - (walk.base.hip(f).z - walk.base.ankle(1, f).z);
    above = std::max({above, drop_left, drop_right});
    nearest = std::max(nearest, std::min(std::fabs(drop_left), std::fabs(drop_right)));
  }
  CHECK(above < 1e-12);
  CHECK(nearest < 1e-12);
}

TEST_CASE("thesis hand-over: no time without a curve, and no jump of a target") {
  const motion::Ground ground = test::hills(0.5, 6);
  Perfect walk(ground);
  walk.step();
  double jump = 0, hip_jump = 0;
  for (int n = 0; n < 400; ++n) {
    walk.heading += 0.01;
    const double t = walk.base.time(walk.frame), next = walk.base.time(walk.frame + 1);
    std::array<Vec3, 2> before{walk.targets.ankle(0).held(t), walk.targets.ankle(1).held(t)};
    const Vec3 hip_before = walk.targets.hip().held(t);
    REQUIRE(walk.step());
    for (int leg = 0; leg < 2; ++leg) {
      CHECK(walk.targets.ankle(leg).covers(next));
      jump = std::max(jump, norm(walk.targets.ankle(leg).held(next) - before[at(leg)]));
    }
    CHECK(walk.targets.hip().covers(next));
    hip_jump = std::max(hip_jump, norm(walk.targets.hip().held(next) - hip_before));
  }
  // the clip itself moves an ankle by 2 * 0.8 / 15 = 0.107 a frame at most, the hips by 0.027
  MESSAGE("largest way of a target in a frame: ankle " << jump << " m, hips " << hip_jump << " m");
  CHECK(jump < 0.16);
  CHECK(hip_jump < 0.06);
}

TEST_CASE("thesis hand-over: a sudden turn bends the target from the next frame on") {
  const motion::Ground ground = test::level_ground();
  Perfect walk(ground), straight(ground);
  for (int n = 0; n < 35; ++n) walk.step(), straight.step();
  walk.heading = 0.6;
  double jump = 0;
  Vec3 last = walk.targets.ankle(1).held(walk.base.time(walk.frame));
  for (int n = 0; n < 9; ++n) {
    walk.step(), straight.step();
    const double next = walk.base.time(walk.frame);
    const Vec3 target = walk.targets.ankle(1).held(next);
    if (n == 0) CHECK(norm(target - straight.targets.ankle(1).held(next)) < 1e-12);
    jump = std::max(jump, std::fabs(target.y - last.y));
    last = target;
  }
  // the new end is a third of a metre aside; nine frames share the way to it
  MESSAGE("after a turn of 0.6 rad the target moves aside by " << jump << " m in a frame");
  CHECK(std::fabs(last.y - straight.targets.ankle(1).held(walk.base.time(walk.frame)).y) > 0.1);
  CHECK(jump < 0.09);
}

TEST_CASE("thesis validation: too high, too low, too steep or no ground is refused") {
  const CurveOptions strict{.validation = true};
  const auto steps = [&](const motion::Ground& ground, const CurveOptions& options) {
    Perfect walk(ground);
    int n = 0;
    while (n < 200 && walk.step(options)) ++n;
    return std::pair{n, walk.hip.x};
  };
  CHECK(steps(test::level_ground(), strict).first == 200);
  CHECK(steps(test::wall_at(2, 0.3), strict).first == 200);  // below 0.65 of the leg: a step
  for (const double height : {0.8, 3.0, -0.8, -3.0}) {
    const auto [n, x] = steps(test::wall_at(2, height), strict);
    CAPTURE(height);
    CHECK(n < 200);
    CHECK(x < 2);
    CHECK(x > 0.5);
    CHECK(steps(test::wall_at(2, height), {}).first == 200);
  }
  const auto [n, x] = steps(test::level_ground(0, 3), strict);  // it ends at x = 3
  CHECK(n < 200);
  CHECK(x < 3);
  CHECK(steps(test::level_ground(0, 3), {}).first == 200);
}
