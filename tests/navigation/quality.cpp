// The quality report on records whose answers are known.
#include "molejo/navigation/quality.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace molejo;
using namespace molejo::navigation;

namespace {

constexpr double fps = 30, degree = 3.141592653589793 / 180;

Ground flat(double height = 0) {
  Ground ground;
  ground.add(formula_relief(-50, 50, -50, 50, [height](double, double) { return height; }));
  return ground;
}

// Hips, thigh, shin, foot and toes of one leg, z up, looking along x; joints turn about y.
CharacterTrack one_leg(int frames, double scale = 1) {
  CharacterTrack track;
  track.name = "leg";
  track.scale = scale;
  Rig& rig = track.rig;
  rig.skeleton.joints = {{"hips", -1, {{0, 0, 1}, {}, {1, 1, 1}}},
                         {"thigh", 0, {{0, 0, -0.1}, {}, {1, 1, 1}}},
                         {"shin", 1, {{0, 0, -0.4}, {}, {1, 1, 1}}},
                         {"foot", 2, {{0, 0, -0.4}, {}, {1, 1, 1}}},
                         {"toes", 3, {{0.15, 0, -0.08}, {}, {1, 1, 1}}}};
  rig.roles.bearing = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  rig.hips = 0;
  Leg leg;
  leg.chain = {1, 2, 3};
  leg.toes = 4;
  leg.sole = {{-0.05, 0, -0.1}, {0.15, 0, -0.1}};
  rig.legs = {leg};
  rig.fastest_turn = {30 * degree, 60 * degree, 90 * degree};  // of the clip, a second
  for (int k = 0; k < frames; ++k) {
    TrackFrame f;
    f.pose = f.unadapted = SkeletonPose(rig.skeleton);
    f.placement = f.unadapted_placement = placement(rig.bearing(), {}, 0, scale);
    f.feet.resize(1);
    track.frames.push_back(f);
  }
  return track;
}

void move(TrackFrame& f, const Vec3& by) { f.placement.origin = f.placement.origin + by; }

}  // namespace

TEST_CASE("quality: a figure that stands still has nothing to answer for") {
  CharacterTrack track = one_leg(20);
  for (TrackFrame& f : track.frames) f.feet[0].heel_down = f.feet[0].toe_down = true;
  const Quality q = quality_of(track, flat(), fps);
  CHECK(q.adapted.stances == 1);
  CHECK(q.adapted.slip_most == 0);
  CHECK(q.adapted.penetration_heel < 1e-9);
  CHECK(q.adapted.hovering_toe < 1e-9);
  CHECK(q.adapted.knee_speed == 0);
  CHECK(q.adapted.deviation_rms == 0);
  CHECK(q.adapted.jerk_most < 1e-6);
  CHECK(q.adapted.angle_jump_ratio == 0);
  CHECK_FALSE(q.off_ground);
}

TEST_CASE("quality: slip is the farthest from the print, per stance, in world millimetres") {
  CharacterTrack track = one_leg(30);
  for (int k = 0; k < 30; ++k) {
    TrackFrame& f = track.frames[static_cast<std::size_t>(k)];
    // two stances of 10 frames with a swing between: the first slips 1 mm a frame, the second goes
    // 4 mm away and comes back
    const bool first = k < 10, second = k >= 20;
    f.feet[0].heel_down = first;
    f.feet[0].toe_down = second;
    if (first) move(f, {0.001 * k, 0, 0});
    if (!first && !second) move(f, {0.5, 0, 0});
    if (second) move(f, {k == 25 ? 1.004 : 1.0, 0, 0});
  }
  const Quality q = quality_of(track, flat(), fps);
  CHECK(q.adapted.stances == 2);
  CHECK(q.adapted.slip_most == doctest::Approx(9));
  CHECK(q.adapted.slip_mean == doctest::Approx(6.5));
  CHECK(q.unadapted.slip_most == 0);
  CHECK(q.way == 0);
}

TEST_CASE("quality: heel and toe have prints of their own") {
  CharacterTrack track = one_leg(10);
  for (int k = 0; k < 10; ++k) {
    FootState& foot = track.frames[static_cast<std::size_t>(k)].feet[0];
    // the heel leaves when the figure begins to move, the toe comes down after that
    foot.heel_down = k < 5;
    foot.toe_down = k >= 7;
    if (k >= 5) move(track.frames[static_cast<std::size_t>(k)], {0.2, 0, 0});
    if (k >= 5 && k < 7) foot.toe_down = false;
  }
  const Quality q = quality_of(track, flat(), fps);
  CHECK(q.adapted.slip_most == 0);
  CHECK(q.adapted.stances == 2);
}

TEST_CASE("quality: penetration counts in all frames, hovering only for what shall stand") {
  CharacterTrack track = one_leg(4);
  move(track.frames[0], {0, 0, -0.007});
  move(track.frames[1], {0, 0, 0.030});
  move(track.frames[2], {0, 0, 0.012});
  track.frames[2].feet[0].toe_down = true;
  const Quality q = quality_of(track, flat(), fps);
  CHECK(q.adapted.penetration_heel == doctest::Approx(7));
  CHECK(q.adapted.penetration_toe == doctest::Approx(7));
  CHECK(q.adapted.hovering_toe == doctest::Approx(12));
  CHECK(q.adapted.hovering_heel == 0);
}

TEST_CASE("quality: figures are of the world, whatever the scale of the model") {
  CharacterTrack track = one_leg(3, 0.5);
  for (TrackFrame& f : track.frames) f.feet[0].heel_down = true;
  move(track.frames[1], {0.02, 0, 0});
  const Quality q = quality_of(track, flat(), fps);
  CHECK(q.adapted.slip_most == doctest::Approx(20));
  // at that scale the sole is still at z = 0
  CHECK(q.adapted.penetration_heel < 1e-9);
}

TEST_CASE("quality: speeds, jumps and deviations of joints") {
  CharacterTrack track = one_leg(11);
  for (int k = 0; k < 11; ++k) {
    TrackFrame& f = track.frames[static_cast<std::size_t>(k)];
    const Quat original = exp_quat(Vec3{0, 2 * degree * k, 0});
    f.unadapted.set_rotation(2, original);
    f.unadapted.set_rotation(1, exp_quat(Vec3{0, -1 * degree * k, 0}));
    f.pose = f.unadapted;
    // the knee is 5 degrees off all the time, and 3 more in one frame
    f.pose.set_rotation(2, exp_quat(Vec3{0, degree * (2 * k + 5 + (k == 6 ? 3 : 0)), 0}));
  }
  const Quality q = quality_of(track, flat(-9), fps);
  CHECK(q.unadapted.knee_speed == doctest::Approx(60));
  CHECK(q.unadapted.hip_speed == doctest::Approx(30));
  CHECK(q.unadapted.ankle_speed == doctest::Approx(0).scale(1));
  CHECK(q.adapted.knee_speed == doctest::Approx(150));
  CHECK(q.adapted.angle_jump == doctest::Approx(5));
  CHECK(q.adapted.angle_jump_ratio == doctest::Approx(2.5));
  CHECK(q.adapted.deviation_most == doctest::Approx(8));
  // one joint of three is off; toes do not count
  CHECK(q.adapted.deviation_rms == doctest::Approx(std::sqrt((10 * 25 + 64) / 33.0)));
  CHECK(q.unadapted.deviation_most == 0);
  // the knee as fast as in the clip, the hip too
  CHECK(q.unadapted.angle_jump_ratio == doctest::Approx(1));
}

TEST_CASE("quality: jerk of hips on a cubic is its third derivative") {
  CharacterTrack track = one_leg(40);
  for (int k = 0; k < 40; ++k) {
    const double t = k / fps;
    move(track.frames[static_cast<std::size_t>(k)], {0.5 * t * t * t, t * t, 3 * t});
  }
  const Quality q = quality_of(track, flat(-9), fps);
  CHECK(q.adapted.jerk_most == doctest::Approx(3).epsilon(1e-6));
  CHECK(q.adapted.jerk_rms == doctest::Approx(3).epsilon(1e-6));
  CHECK(q.unadapted.jerk_most < 1e-6);
}

TEST_CASE("quality: the distance to ground goes sideways at the wall of a step") {
  Ground ground;
  ground.add(piecewise_relief(-5, -5, 5, {{5, 0, 0}, {5, 0.3, 0}}));
  // 10 mm inside the wall at x = 0
  CHECK(*ground_distance(ground, {0.01, 0, 0.1}) == doctest::Approx(-0.01).epsilon(1e-3));
  // 20 mm beyond the edge, 1 mm below its height
  CHECK(*ground_distance(ground, {-0.02, 0, 0.299}) == doctest::Approx(0.02).epsilon(1e-3));
  CHECK(*ground_distance(ground, {-1, 0, 0.25}) == doctest::Approx(0.25));
  CHECK(*ground_distance(ground, {-1, 0, -0.05}) == doctest::Approx(-0.05));
  CHECK_FALSE(ground_distance(ground, {9, 0, 0}).has_value());
  // on a slope of 45 degrees the nearest point is nearer than that below
  Ground slope;
  slope.add(formula_relief(-5, 5, -5, 5, [](double x, double) { return x; }));
  const double d = *ground_distance(slope, {0, 0, 0.1});
  CHECK(d <= 0.1 + 1e-9);
}

TEST_CASE("quality: standing where there is no ground is told") {
  CharacterTrack track = one_leg(2);
  track.frames[1].feet[0].heel_down = true;
  move(track.frames[1], {200, 0, 0});
  CHECK(quality_of(track, flat(), fps).off_ground);
}

TEST_CASE("quality: cost is per frame, in microseconds") {
  const FrameCost c = frame_cost({.sampling = 1e-3,
                                  .trajectories = 2e-3,
                                  .inverse_kinematics = 3e-3,
                                  .matrices = 4e-3,
                                  .frames = 100});
  CHECK(c.sampling == doctest::Approx(10));
  CHECK(c.sum() == doctest::Approx(100));
  CHECK(frame_cost({}).sum() == 0);
}
