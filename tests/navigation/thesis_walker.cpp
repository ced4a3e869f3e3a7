// Matthey's navigation as a whole: what it does from frame to frame.
#include <algorithm>
#include <array>

#include "molejo/math/random.h"
#include "tests/navigation/thesis_walks.h"

using namespace molejo;
using namespace molejo::navigation;
using test::angle_between;
using test::at;
using test::degree;
using test::dt;
using test::finite;
using test::known;
using test::KnownGait;
using test::walk_for;
using test::walks;

TEST_CASE("thesis walker: flat ground gives the clip again") {
  const motion::Ground ground = test::level_ground();
  for (const auto& [name, clips] : walks()) {
    for (const double c : {0.0, 4.0}) {
      const auto walker = make_thesis_walker(clips, ground, {}, {.keep_previous = c});
      walk_for(*walker, 3);
      double sum = 0;
      long count = 0;
      for (int n = 0; n < 300; ++n) {
        walker->advance(dt, {});
        for (const Leg& leg : clips->rig.legs) {
          for (const int j : leg.chain) {
            if (j == leg.foot()) continue;
            const double a =
                angle_between(walker->pose().rotation(j), walker->unadapted().rotation(j));
            sum += a * a;
            ++count;
          }
        }
      }
      const double rms = std::sqrt(sum / static_cast<double>(count)) / degree;
      MESSAGE(name << ": RMS angle from the clip " << rms << " degrees with c = " << c);
      if (c == 0) CHECK(rms < 1);
      if (c > 0) CHECK(rms < 8);
    }
  }
}

TEST_CASE("thesis walker: it stops before a wall, turns, and goes on") {
  for (const auto& [name, clips] : walks()) {
    const motion::Ground ground = test::wall_at(5, 2);
    const auto walker = make_thesis_walker(clips, ground, {}, {.stride_validation = true});
    walk_for(*walker, 12);
    CAPTURE(name);
    CHECK(walker->blocked());
    const Vec3 stopped = walker->position();
    CHECK(stopped.x < 5);
    CHECK(stopped.x > 2.5);
    walk_for(*walker, 2);
    CHECK(walker->position() == stopped);
    // half a turn, then back
    walk_for(*walker, 3.141592653589793, {.turn = 1});
    walk_for(*walker, 4);
    CHECK_FALSE(walker->blocked());
    CHECK(walker->position().x < stopped.x - 1);
    // without validation it goes through
    const auto bold = make_thesis_walker(clips, ground, {});
    walk_for(*bold, 12);
    CHECK_FALSE(bold->blocked());
    CHECK(bold->position().x > 6);
  }
}

TEST_CASE("thesis walker: while it is stopped all frames are one pose") {
  const motion::Ground ground = test::wall_at(3, 2);
  const auto walker = make_thesis_walker(known(), ground, {}, {.stride_validation = true});
  walk_for(*walker, 8);
  REQUIRE(walker->blocked());
  const thesis::AdaptedClip& clip = walker->walk();
  for (int f = 1; f < clip.frames().frames(); ++f) {
    for (int s = 0; s < static_cast<int>(clip.frames().path().size()); ++s) {
      CHECK(clip.edited(f, s) == clip.edited(0, s));
    }
  }
}

TEST_CASE("thesis walker: an idle is one pose with its ankles on the ground") {
  for (const auto& [name, clips] : walks()) {
    const motion::Ground ground = test::hills(0.6, 5);
    const auto walker =
        make_thesis_walker(clips, ground, {.x = 1.3, .y = 0.4, .heading = 0.5}, {.newton = true});
    walk_for(*walker, 5, {.walk = false});
    const thesis::AdaptedClip& idle = walker->idle();
    CHECK(walker->idle_weight() == 1);
    for (int f = 1; f < idle.frames().frames(); ++f) {
      for (int s = 0; s < static_cast<int>(idle.frames().path().size()); ++s) {
        CHECK(idle.edited(f, s) == idle.edited(0, s));
      }
    }
    double error = 0;
    for (int leg = 0; leg < 2; ++leg) {
      const FootState& foot = walker->feet()[at(leg)];
      const double ground_z = ground.at(foot.target.x, foot.target.y)->height;
      CHECK(foot.target.z ==
            doctest::Approx(ground_z + idle.base().support_height(leg, 0)).epsilon(1e-9));
      error = std::max(error, norm(foot.target - foot.ankle));
    }
    MESSAGE(name << ": idle ankles " << error * 1000 << " mm from their targets");
    CHECK(walker->position() == Vec3{1.3, 0.4, walker->position().z});
    CHECK_FALSE(walker->blocked());
  }
}

TEST_CASE("thesis walker: heading is turn times rate times time, the path curves as much") {
  const motion::Ground ground = test::level_ground(0, 500);
  for (const double rate : {0.7, 1.0, 1.4}) {
    const auto walker = make_thesis_walker(known(), ground, {.heading = 0.3}, {});
    walk_for(*walker, 2, {.rate = rate});
    const double before = walker->heading();
    CHECK(before == doctest::Approx(0.3));
    walk_for(*walker, 5, {.turn = 0.5, .rate = rate});
    CHECK(walker->heading() - before == doctest::Approx(0.5 * rate * 5).epsilon(1e-9));
    // a circle of radius speed / turn: three points of the path, a second apart
    std::vector<Vec3> p;
    for (int n = 0; n < 3; ++n) {
      p.push_back(walker->position());
      walk_for(*walker, 2 / rate, {.turn = 0.5, .rate = rate});
    }
    const double a = norm(p[1] - p[0]), b = norm(p[2] - p[1]), c = norm(p[2] - p[0]);
    const double area = 0.5 * std::fabs(cross(p[1] - p[0], p[2] - p[0]).z);
    const double curvature = 4 * area / (a * b * c);
    const double expected = 0.5 / KnownGait::speed;
    MESSAGE("rate " << rate << ": curvature " << curvature << ", of the steering " << expected);
    CHECK(curvature == doctest::Approx(expected).epsilon(0.1));
  }
}

TEST_CASE("thesis walker: from idle to walk and back, hips by weight are smoother than by half") {
  for (const auto& [name, clips] : walks()) {
    const motion::Ground ground = test::level_ground();
    std::array<double, 2> speed{}, change{}, jerk{};
    for (const bool weighted : {false, true}) {
      const auto walker = make_thesis_walker(clips, ground, {}, {.weighted_hips = weighted});
      const auto hip = [&] {
        return walker->placement() * walker->model_transforms()[at(clips->rig.hips)].origin;
      };
      walk_for(*walker, 1, {.walk = false});
      std::array<Vec3, 4> p{hip(), hip(), hip(), hip()};
      for (int n = 0; n < 360; ++n) {
        walker->advance(dt, {.walk = n < 180});
        p = {p[1], p[2], p[3], hip()};
        const Vec3 second = p[3] - p[2] * 2.0 + p[1], third = second - (p[2] - p[1] * 2.0 + p[0]);
        speed[weighted] = std::max(speed[weighted], norm(p[3] - p[2]) / dt);
        change[weighted] = std::max(change[weighted], norm(second) / dt);
        jerk[weighted] = std::max(jerk[weighted], norm(third) / (dt * dt * dt));
      }
    }
    const double walking = clips->walk.footfalls.speed();
    MESSAGE(name << ": walks " << walking << " m/s; hips at most " << speed[0] << " m/s (half), "
                 << speed[1] << " (weight); change in a frame " << change[0] << ", " << change[1]
                 << "; jerk " << jerk[0] << ", " << jerk[1] << " m/s^3");
    CHECK(speed[0] < 2.5 * walking);
    CHECK(speed[1] < 1.6 * walking);
    CHECK(change[1] < 0.7 * change[0]);
    CHECK(jerk[1] < 0.7 * jerk[0]);
  }
}

TEST_CASE("thesis walker: the time of a clip is that of its sampling, through fades and rates") {
  const motion::Ground ground = test::level_ground();
  const auto walker = make_thesis_walker(known(), ground, {}, {.inverse_kinematics = false});
  Random random(4);
  SkeletonPose walk(known()->rig.skeleton), idle(walk), both(walk);
  for (int n = 0; n < 600; ++n) {
    walker->advance(dt, {.walk = (n / 45) % 2 == 0, .rate = 0.5 + random.uniform()});
    evaluate(known()->walk.clip, known()->rig.skeleton, walker->walk().time(), walk);
    evaluate(known()->idle.clip, known()->rig.skeleton, walker->idle().time(), idle);
    const double w = walker->idle_weight();
    CHECK(w >= 0);
    CHECK(w <= 1);
    if (w == 0) CHECK(test::pose_distance(walker->unadapted(), walk) < 1e-9);
    if (w == 1) CHECK(test::pose_distance(walker->unadapted(), idle) < 1e-9);
  }
}

TEST_CASE("thesis walker: stalls of 2, 5 and 30 frames leave complete histories") {
  const motion::Ground ground = test::hills(0.5, 6);
  for (const auto& [name, clips] : walks()) {
    for (const int stall : {2, 5, 30}) {
      const auto walker = make_thesis_walker(clips, ground, {});
      const double step = walker->walk().frames().mean_step();
      walk_for(*walker, 3);
      double most = 0;
      for (int n = 0; n < 40; ++n) {
        const Vec3 before = walker->position();
        walker->advance(n % 8 == 7 ? stall * step : dt, {});
        CHECK(finite(*walker));
        const thesis::AdaptedClip& clip = walker->walk();
        // the angles of this frame and of the next are there
        CHECK_FALSE(clip.angle_history().at(clip.base().time(clip.frame())).empty());
        CHECK_FALSE(clip.angle_history().at(clip.base().time(clip.frame() + 1)).empty());
        if (stall <= 5 && n > 8) {  // and no frame of the past is missing
          const thesis::LinearCurve& past = clip.targets().ankle_history(0);
          for (int k = 1; k < past.size(); ++k) CHECK(past.time(k) - past.time(k - 1) < 1.5 * step);
        }
        most = std::max(most, norm(walker->position() - before));
      }
      CHECK(most < 2 * clips->walk.footfalls.speed() * (stall + 1) * step + 0.1);
    }
  }
}

TEST_CASE("thesis walker: skipped frames keep less and less of what was computed") {
  const motion::Ground ground = test::hills(0.8, 6);
  const auto walker = make_thesis_walker(known(), ground, {});
  const double step = walker->walk().frames().mean_step();
  walk_for(*walker, 4);
  const long solved = walker->walk().frame() + 1;
  walker->advance(4 * step, {});
  const thesis::AdaptedClip& clip = walker->walk();
  REQUIRE(clip.frame() == solved + 3);
  const int slot = clip.frames().slot(known()->rig.legs[0].chain[1]);
  const auto deviation = [&](long f) {
    return clip.angle_history().at(clip.base().time(f))[at(slot)].angle -
           clip.frames().rotations(clip.frames().wrapped(f))[at(slot)].angle;
  };
  CHECK(std::fabs(deviation(solved)) > 0.01);
  for (long k = 1; k <= 3; ++k) {
    CHECK(deviation(solved + k) ==
          doctest::Approx((1 - static_cast<double>(k) / 4) * deviation(solved)));
  }
  // after a long stall nothing of it is left
  walker->advance(12 * step, {});
  CHECK(deviation(clip.frame()) == 0);
}

TEST_CASE("thesis walker: a clip that no longer plays is as it was") {
  const motion::Ground ground = test::hills(0.8, 6);
  const auto walker = make_thesis_walker(known(), ground, {});
  const thesis::AdaptedClip& clip = walker->walk();
  const auto changed = [&] {
    double most = 0;
    for (int f = 0; f < clip.frames().frames(); ++f) {
      for (int s = 0; s < static_cast<int>(clip.frames().path().size()); ++s) {
        most = std::max(
            most, angle_between(clip.edited(f, s), quaternion(clip.frames().rotations(f)[at(s)])));
      }
    }
    return most;
  };
  walk_for(*walker, 4);
  CHECK(changed() > 0.05);
  walk_for(*walker, 1, {.walk = false});
  CHECK(changed() < 1e-12);
  CHECK(clip.targets().empty());
}

TEST_CASE("thesis walker: legs are solved for where the body will look at the next frame") {
  // a leg about nearly one axis cannot reach aside: turned targets show in what is left
  const motion::Ground ground = test::level_ground();
  const ThesisOptions keen{.newton = true, .keep_original = 0.01, .keep_previous = 0.01};
  const auto walker = make_thesis_walker(known(), ground, {}, keen);
  const double step = walker->walk().frames().mean_step();
  double sum = 0;
  int count = 0;
  for (int n = 0; n < 240; ++n) {
    walker->advance(step, {.turn = 0.6});
    if (n < 60) continue;
    for (const FootState& foot : walker->feet()) {
      const Vec3 e = foot.ankle - foot.target;
      sum += dot(e, e), ++count;
    }
  }
  MESSAGE("turning at 0.6 rad/s: ankles " << 1000 * std::sqrt(sum / count)
                                          << " mm from their targets");
  CHECK(std::sqrt(sum / count) < 0.04);
}

TEST_CASE("thesis walker: without inverse kinematics legs are as in the clip and hips follow") {
  const motion::Ground ground = test::ramp(0.3);
  const auto walker = make_thesis_walker(known(), ground, {});
  walk_for(*walker, 6);
  const auto worst = [&] {
    double most = 0;
    for (const Leg& leg : known()->rig.legs) {
      for (const int j : leg.chain) {
        most = std::max(most,
                        angle_between(walker->pose().rotation(j), walker->unadapted().rotation(j)));
      }
    }
    return most;
  };
  CHECK(worst() > 0.01);
  walker->set_options({.inverse_kinematics = false});
  walk_for(*walker, 0.2);
  const Vec3 before = walker->placement().origin;
  for (int n = 0; n < 120; ++n) {
    walker->advance(dt, {});
    CHECK(worst() < 1e-7);
  }
  const Vec3 after = walker->placement().origin;
  CHECK(after.x > before.x + 1);
  CHECK((after.z - before.z) / (after.x - before.x) == doctest::Approx(0.3).epsilon(0.2));
  walker->set_options({});
  walk_for(*walker, 1);
  CHECK(worst() > 0.01);
}

TEST_CASE("thesis walker: without stride correction swings may cross the ground") {
  // a ridge between two footfalls
  motion::Ground ground;
  ground.add({-100, 100, -100, 100, [](double x, double) {
                const double u = x - std::floor(x / 0.8) * 0.8;
                return Elevation{u > 0.3 && u < 0.5 ? 0.25 : 0, 0, 0};
              }});
  std::array<double, 2> lowest{1e9, 1e9};
  for (const bool correction : {false, true}) {
    const auto walker = make_thesis_walker(known(), ground, {}, {.stride_correction = correction});
    walk_for(*walker, 2);
    for (int n = 0; n < 600; ++n) {
      walker->advance(dt, {});
      for (int leg = 0; leg < 2; ++leg) {
        const thesis::TargetCurves& targets = walker->walk().targets();
        if (targets.part(leg).is_static) continue;
        const thesis::LinearCurve& c = targets.fitted_ankle(leg);
        for (int k = 1; k + 1 < c.size(); ++k) {
          const Vec3 p = c.point(k);
          lowest[correction] = std::min(lowest[correction], p.z - ground.at(p.x, p.y)->height);
        }
      }
    }
  }
  MESSAGE("lowest point of a swing over the ground: " << lowest[0] << " m without, " << lowest[1]
                                                      << " m with correction");
  CHECK(lowest[0] < 0);
  CHECK(lowest[1] > 0.05);
}

TEST_CASE("thesis walker: times, heading, activation, curves, place, angles, then sampling") {
  const motion::Ground ground = test::level_ground();
  const auto walker = make_thesis_walker(known(), ground, {});
  std::string trace;
  walker->watch([&](ThesisStage stage) { trace += std::string(to_string(stage)) + " "; });
  walker->advance(dt, {});
  CHECK(trace == "times heading activation curves place angles sampling ");
}

TEST_CASE("thesis walker: target and real curves can be read") {
  const motion::Ground ground = test::hills(0.5, 6);
  const auto walker = make_thesis_walker(known(), ground, {});
  walk_for(*walker, 4);
  const DebugCurves curves = walker->debug_curves();
  const double now = walker->walk().reproduction_time();
  for (std::size_t leg = 0; leg < 2; ++leg) {
    CHECK(curves.ankle_target[leg].covers(now));
    CHECK(curves.ankle_real[leg].size() > 50);
    CHECK(curves.ankle_real[leg].last_time() <= now);
    CHECK(curves.ankle_real[leg].last_time() > now - 0.04);
  }
  CHECK(curves.hip_target.covers(now));
  const Vec3 hip = walker->placement() * walker->model_transforms()[at(known()->rig.hips)].origin;
  CHECK(norm(curves.hip_target.at(now) - hip) < 1e-12);
  CHECK(curves.hip_real.size() > 50);
}

TEST_CASE("thesis walker: feet stand when the clip has them stand") {
  const motion::Ground ground = test::level_ground();
  const auto walker = make_thesis_walker(known(), ground, {});
  CHECK(walker->feet()[0].heel_down);  // it idles
  CHECK(walker->feet()[1].toe_down);
  walk_for(*walker, 3);
  int right = 0, all = 0;
  for (int n = 0; n < 120; ++n) {
    walker->advance(dt, {});
    const double f = walker->walk().time() * 30;
    for (int leg = 0; leg < 2; ++leg) {
      const bool stands = KnownGait::stands(leg, static_cast<int>(f) + 1);
      const FootState& foot = walker->feet()[at(leg)];
      right += (foot.heel_down || foot.toe_down) == stands;
      ++all;
    }
  }
  CHECK(right > 0.9 * all);
  // without an idle it rests in a pose of its walk: one foot is in the air there
  const auto resting =
      make_thesis_walker(test::ready_clips(test::gait_character(), "gait", false), ground, {});
  const std::span<const FootState> feet = resting->feet();
  CHECK(feet[0].heel_down != feet[1].heel_down);
  CHECK(feet[feet[0].heel_down].ankle.z > feet[!feet[0].heel_down].ankle.z + 0.03);
}

TEST_CASE("thesis walker: it goes on from a pose that was given to it") {
  const motion::Ground ground = test::level_ground();
  const auto walker = make_thesis_walker(known(), ground, {});
  SkeletonPose fallen = walker->pose();
  fallen.set_rotation(known()->rig.legs[0].chain[0], exp_quat(Vec3{0.8, 0.1, 0}));
  Affine X = placement(known()->rig.bearing(), {4, 2, -0.4}, 2.0, 1);
  X.linear = axis_rotation({1, 0, 0}, 0.5) * X.linear;
  walker->take_over(fallen, X, 1);
  // at first as it was given
  CHECK(test::pose_distance(walker->pose(), fallen) < 1e-9);
  CHECK(norm(walker->placement().origin - X.origin) < 1e-9);
  Vec3 last = walker->placement().origin;
  for (int n = 0; n < 120; ++n) {
    walker->advance(dt, {.walk = false});
    CHECK(norm(walker->placement().origin - last) < 0.05);
    last = walker->placement().origin;
  }
  CHECK(walker->placement().linear.r2.y == doctest::Approx(1));  // upright again
  CHECK(std::fabs(walker->position().x - 4) < 0.6);
  walk_for(*walker, 3);
  CHECK(norm(walker->position() - Vec3{4, 2, 0}) > 1);
}

TEST_CASE("thesis walker: from a snapshot it goes on with the same bits, in any step or fade") {
  const motion::Ground ground = test::level_ground();
  const auto steering = [](int frame) {
    return Steering{.walk = frame >= 30 && frame < 200, .turn = frame % 90 < 45 ? 0.3 : -0.2};
  };
  for (const int saved : {10, 40, 110, 210, 300}) {
    CAPTURE(saved);
    const auto walker = make_thesis_walker(known(), ground, {});
    for (int n = 0; n < saved; ++n) walker->advance(dt, steering(n));
    Snapshot snapshot;
    SnapshotWriter writer(SnapshotKind::stage, 1, snapshot);
    walker->save(writer);
    const auto other = make_thesis_walker(known(), ground, {});
    SnapshotReader reader(snapshot, SnapshotKind::stage, 1);
    other->restore(reader);
    reader.finish();
    bool same = true;
    for (int n = saved; n < saved + 150; ++n) {
      same = same && other->pose() == walker->pose() && other->placement() == walker->placement() &&
             other->position() == walker->position() &&
             other->walk().time() == walker->walk().time();
      walker->advance(dt, steering(n));
      other->advance(dt, steering(n));
    }
    CHECK(same);
  }
}
