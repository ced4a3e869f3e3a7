// The default walker as a whole.
#include "molejo/navigation/adaptive_walker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/io/terrain.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/retarget.h"
#include "molejo/navigation/quality.h"
#include "molejo/navigation/thesis_walker.h"
#include "tests/support/characters.h"
#include "tests/support/made_walks.h"
#include "tests/support/places.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;

namespace {

constexpr double fps = 60, dt = 1 / fps, degree = 3.141592653589793 / 180;
using Clips = std::shared_ptr<const WalkClips>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double turn_between(const Quat& a, const Quat& b) { return norm(log_quat(conjugate(a) * b)); }

Clips ready(const Character& character, const Clip& walk, const Clip* idle) {
  const Roles roles = find_roles(character.skeleton, bind_pose(character));
  return make_walk_clips(character, make_rig(character, roles), walk, idle);
}

Clips stick() {
  const Character walk = test::made_stick_walk(), idle = test::made_stick_idle();
  return ready(walk, walk.clips[0], &idle.clips[0]);
}
Clips dog() {
  const Character walk = test::made_dog_walk();
  return ready(walk, walk.clips[0], nullptr);
}

// A walk of one file on the skin of another.
Clips on_mannequin(const std::string& family) {
  const std::string skin = test::installed_clip("viverse/mannequin.glb");
  if (skin.empty()) return nullptr;
  const Character target = load_character(SourceFile::given(skin));
  const SkeletonPose target_pose = bind_pose(target);
  const Roles target_roles = find_roles(target.skeleton, target_pose);
  const auto clip = [&](const std::string& file) {
    const Character source =
        load_character(SourceFile::given(test::installed_clip(family + "/" + file)));
    const SkeletonPose pose = bind_pose(source);
    const Roles roles = find_roles(source.skeleton, pose);
    return Retarget({source.skeleton, pose, roles}, {target.skeleton, target_pose, target_roles})
        .apply(source.clips[0]);
  };
  const Clip idle = clip("idle.glb");
  return make_walk_clips(target, make_rig(target, target_roles), clip("walk.glb"), &idle);
}

// All that walk on two legs: made, and those that are installed.
std::vector<std::pair<std::string, Clips>> people() {
  std::vector<std::pair<std::string, Clips>> all{{"stick", stick()}};
  for (const std::string family : {"viverse", "dcl"}) {
    if (Clips clips = test::installed_walk(family)) {
      all.emplace_back(family, std::move(clips));
      all.emplace_back(family + " on the mannequin", on_mannequin(family));
    } else {
      MESSAGE("skipped: " << family << " is not installed");
    }
  }
  return all;
}

Ground shipped(const std::string& name, double scale = 1) {
  std::vector<Terrain> terrains = load_terrains(
      SourceFile::given(test::source_dir() + "/scenes/terrains/" + name + ".terrain.json"));
  for (Terrain& terrain : terrains) terrain.scale = terrain.scale * scale;
  return ground_of(terrains);
}

TrackFrame frame_of(const Walker& walker) {
  TrackFrame f;
  f.pose = walker.pose(), f.unadapted = walker.unadapted();
  f.placement = walker.placement(), f.unadapted_placement = walker.unadapted_placement();
  f.feet.assign(walker.feet().begin(), walker.feet().end());
  f.position = walker.position(), f.heading = walker.heading();
  f.blocked = walker.blocked();
  return f;
}

struct Wish {
  double until;  // s
  Steering steering;
};
CharacterTrack track_of(Walker& walker, const std::vector<Wish>& wishes) {
  CharacterTrack track;
  track.rig = walker.rig();
  track.scale = walker.scale();
  track.frames.push_back(frame_of(walker));
  double t = 0;
  for (const Wish& wish : wishes) {
    for (; t < wish.until; t += dt) {
      walker.advance(dt, wish.steering);
      track.frames.push_back(frame_of(walker));
    }
  }
  return track;
}

bool finite(const Walker& walker) {
  bool good = std::isfinite(walker.heading());
  const auto see = [&](const Vec3& v) { good = good && std::isfinite(v.x + v.y + v.z); };
  see(walker.position());
  see(walker.placement().origin);
  for (const Affine& X : walker.model_transforms()) see(X.origin), see(X.linear.r0);
  for (const FootState& f : walker.feet()) see(f.target), see(f.heel), see(f.toe);
  return good;
}

}  // namespace

TEST_CASE(
    "adaptive walker: on shipped terrains feet neither slip, sink nor hover, and no joint is "
    "hurried") {
  for (const auto& [name, clips] : people()) {
    for (const std::string terrain : {"flat", "hills", "steps", "ramp", "rough"}) {
      const Ground ground = shipped(terrain);
      const auto walker = make_adaptive_walker(clips, ground, {});
      const CharacterTrack track = track_of(*walker, {{20, {}}});
      const Quality q = quality_of(track, ground, fps);
      CAPTURE(name);
      CAPTURE(terrain);
      CHECK(q.adapted.slip_most < 10);
      CHECK(q.adapted.penetration_heel < 5);
      CHECK(q.adapted.penetration_toe < 5);
      CHECK(q.adapted.hovering_heel < 10);
      CHECK(q.adapted.hovering_toe < 10);
      CHECK(q.adapted.angle_jump_ratio < 1.2);
      CHECK(q.adapted.stances > 20);
      CHECK(q.way > 9);
      CHECK_FALSE(q.off_ground);
      // the baseline, as far as it takes the clip
      const auto baseline = make_thesis_walker(clips, ground, {});
      const Quality b = quality_of(track_of(*baseline, {{20, {}}}), ground, fps);
      const auto sunk = [](const QualityFigures& f) {
        return std::max(f.penetration_heel, f.penetration_toe);
      };
      const auto above = [](const QualityFigures& f) {
        return std::max(f.hovering_heel, f.hovering_toe);
      };
      MESSAGE(name << ", " << terrain << ": slip " << q.adapted.slip_most << " mm (baseline "
                   << b.adapted.slip_most << "), penetration " << sunk(q.adapted) << " ("
                   << sunk(b.adapted) << "), hovering " << above(q.adapted) << " ("
                   << above(b.adapted) << "), jump " << q.adapted.angle_jump_ratio << " ("
                   << b.adapted.angle_jump_ratio << ")");
    }
  }
}

TEST_CASE("adaptive walker: on flat ground legs are within a degree of the clip") {
  const Ground ground = test::level_ground();
  auto all = people();
  all.emplace_back("dog", dog());
  for (const auto& [name, clips] : all) {
    const auto walker = make_adaptive_walker(clips, ground, {});
    track_of(*walker, {{3, {}}});
    const Quality q = quality_of(track_of(*walker, {{5, {}}}), ground, fps);
    MESSAGE(name << ": " << q.adapted.deviation_rms << " degrees RMS");
    CHECK(q.adapted.deviation_rms < 1);
    // as far as the clip goes
    CHECK(q.way == doctest::Approx(5 * clips->walk.footfalls.speed()).epsilon(0.02));
  }
}

TEST_CASE("adaptive walker: a dog walks over everything, on legs of three bones") {
  const Clips clips = dog();
  for (const std::string terrain : {"flat", "hills", "ramp", "rough", "steps"}) {
    // legs half as long as those of a person: so is the ground
    const Ground ground = shipped(terrain, 0.55);
    const auto walker = make_adaptive_walker(clips, ground, {});
    const Quality q = quality_of(track_of(*walker, {{15, {}}}), ground, fps);
    CAPTURE(terrain);
    CHECK(q.adapted.slip_most < 10);
    CHECK(std::max(q.adapted.penetration_heel, q.adapted.penetration_toe) < 5);
    CHECK(std::max(q.adapted.hovering_heel, q.adapted.hovering_toe) < 10);
    CHECK(q.adapted.angle_jump_ratio < 1.25);
    CHECK(q.way > 5);
  }
}

TEST_CASE("adaptive walker: it turns as it is told, and its path curves as much") {
  for (const auto& [name, clips] : people()) {
    const Ground ground = test::level_ground();
    const auto walker = make_adaptive_walker(clips, ground, {});
    const CharacterTrack track = track_of(*walker, {{10, {.turn = 0.4, .rate = 0.8}}});
    CAPTURE(name);
    CHECK(walker->heading() == doctest::Approx(0.8 * 0.4 * 10).epsilon(0.01));
    const Quality q = quality_of(track, ground, fps);
    CHECK(q.adapted.slip_most < 10);
    // the hips go on a circle of radius v / w, both slower by the rate
    const double radius = clips->walk.footfalls.speed() / 0.4;
    const auto place = [&](double t) {
      return track.frames[at(static_cast<int>(t * fps))].position;
    };
    const Vec3 a = place(2), b = place(6), c = place(9.9);
    const double ab = norm(b - a), bc = norm(c - b), ca = norm(a - c);
    const double area = 0.5 * norm(cross(b - a, c - a));
    CHECK(ab * bc * ca / (4 * area) == doctest::Approx(radius).epsilon(0.05));
  }
}

TEST_CASE(
    "adaptive walker: it brakes before a wall, a drop and the end of the world, and turns "
    "back") {
  Ground pier;
  pier.add(formula_relief(-9, 6, -9, 9, [](double, double) { return 0.0; }));
  const std::vector<Ground> grounds{test::wall_at(6, 2), test::wall_at(6, -2), pier};
  for (const auto& [name, clips] : people()) {
    for (const Ground& ground : grounds) {
      CAPTURE(name);
      const auto walker = make_adaptive_walker(clips, ground, {});
      const CharacterTrack track = track_of(*walker, {{14, {}}});
      CHECK(walker->blocked());
      CHECK(walker->position().x < 6);
      CHECK(walker->position().x > 3.5);
      for (const FootState& foot : walker->feet()) {
        CHECK(foot.toe.x < 6);
        CHECK(foot.toe_down);
      }
      // smoothly: it loses at most half of its speed in a tenth of a second, and some walks lose
      // that anyway
      const auto speed = [&](std::size_t k) {
        return norm(track.frames[k].position - track.frames[k - 6].position) * fps / 6;
      };
      for (std::size_t k = 12; k < track.frames.size(); ++k) {
        CHECK(speed(k - 6) - speed(k) < 0.55 * clips->walk.footfalls.speed());
      }
      const Quality q = quality_of(track, ground, fps);
      CHECK(q.adapted.slip_most < 10);
      CHECK(q.adapted.angle_jump_ratio < 1.2);
      // half a turn in place, then on
      track_of(*walker, {{4, {.turn = 3.141592653589793 / 4}}});
      track_of(*walker, {{4, {}}});
      CHECK_FALSE(walker->blocked());
      CHECK(walker->position().x < 4);
    }
    // without validation it goes on
    const Ground wall = test::wall_at(6, 0.5);
    const auto careless = make_adaptive_walker(clips, wall, {}, {.stride_validation = false});
    track_of(*careless, {{14, {}}});
    CHECK(careless->position().x > 7);
    CHECK(finite(*careless));
  }
}

TEST_CASE("adaptive walker: it stops and starts without a slip, and its idle lives") {
  for (const auto& [name, clips] : people()) {
    CAPTURE(name);
    const Ground ground = shipped("rough");
    const auto walker = make_adaptive_walker(clips, ground, {});
    std::vector<Wish> wishes;
    for (int k = 0; k < 12; ++k) wishes.push_back({1.7 * (k + 1), {.walk = k % 2 == 0}});
    const Quality q = quality_of(track_of(*walker, wishes), ground, fps);
    CHECK(q.adapted.slip_most < 10);
    CHECK(q.adapted.angle_jump_ratio < 1.25);
    CHECK(std::max(q.adapted.hovering_heel, q.adapted.hovering_toe) < 10);
    // two seconds later it stands
    track_of(*walker, {{2, {.walk = false}}});
    const CharacterTrack idle = track_of(*walker, {{3, {.walk = false}}});
    double moved = 0, feet = 0;
    for (const TrackFrame& f : idle.frames) {
      for (std::size_t leg = 0; leg < f.feet.size(); ++leg) {
        CHECK(f.feet[leg].heel_down);
        feet = std::max(feet, norm(f.feet[leg].toe - idle.frames[0].feet[leg].toe));
      }
      for (int j = 0; j < clips->rig.skeleton.size(); ++j) {
        moved = std::max(moved, turn_between(f.pose.rotation(j), idle.frames[0].pose.rotation(j)));
      }
    }
    CHECK(feet < 2e-3);
    CHECK(moved > 0.2 * degree);
  }
}

TEST_CASE("adaptive walker: feet are set anew when an idle body turns") {
  for (const auto& [name, clips] : people()) {
    CAPTURE(name);
    const Ground ground = shipped("hills");
    const auto walker = make_adaptive_walker(clips, ground, {});
    const CharacterTrack track = track_of(*walker, {{6, {.walk = false, .turn = 0.6}}});
    const Quality q = quality_of(track, ground, fps);
    CHECK(walker->heading() == doctest::Approx(3.6).epsilon(0.01));
    CHECK(q.adapted.stances > 12);
    CHECK(q.adapted.slip_most < 10);
    // feet follow within what a leg can twist
    for (const FootState& foot : walker->feet()) {
      const Vec3 along = foot.toe - foot.heel;
      const double off =
          std::remainder(std::atan2(along.y, along.x) - walker->heading(), 6.2831853);
      CHECK(std::abs(off) < 80 * degree);
    }
  }
}

TEST_CASE("adaptive walker: without inverse kinematics legs are those of the clip, hips follow") {
  const Clips clips = test::ready_clips(test::gait_character(), "gait");
  const Ground ground = test::hills(0.5, 8);
  const auto walker = make_adaptive_walker(clips, ground, {}, {.inverse_kinematics = false});
  double lowest = 1e9, highest = -1e9;
  for (int k = 0; k < 600; ++k) {
    walker->advance(dt, {});
    for (const Leg& leg : clips->rig.legs) {
      for (const int j : leg.chain) {
        CHECK(walker->pose().rotation(j) == walker->unadapted().rotation(j));
      }
    }
    lowest = std::min(lowest, walker->placement().origin.z);
    highest = std::max(highest, walker->placement().origin.z);
  }
  CHECK(highest - lowest > 0.4);
}

TEST_CASE("adaptive walker: feet that are not turned to the ground stay level, and do not sink") {
  const Clips clips = stick();
  const Ground ground = test::hills(0.8, 7);
  const auto level = make_adaptive_walker(clips, ground, {}, {.orient_feet = false});
  const auto turned = make_adaptive_walker(clips, ground, {});
  double steep = 0, flat = 0;
  for (int k = 0; k < 600; ++k) {
    level->advance(dt, {}), turned->advance(dt, {});
    for (std::size_t leg = 0; leg < 2; ++leg) {
      const FootState &a = level->feet()[leg], &b = turned->feet()[leg];
      if (a.heel_down && a.toe_down) flat = std::max(flat, std::abs(a.toe.z - a.heel.z));
      if (b.heel_down && b.toe_down) steep = std::max(steep, std::abs(b.toe.z - b.heel.z));
      for (const Vec3& p : {a.heel, a.toe}) CHECK(p.z > ground.at(p.x, p.y)->height - 5e-3);
    }
  }
  CHECK(flat < 0.01);
  CHECK(steep > 0.03);
}

TEST_CASE("adaptive walker: axes of joints do not matter") {
  // the same legs in frames that are turned at random: the thesis's fourth rule is not needed
  Character plain = test::gait_character(), turned = plain;
  std::vector<Quat> by(static_cast<std::size_t>(plain.skeleton.size()));
  const Clips legs = test::ready_clips(plain, "gait");
  for (const Leg& leg : legs->rig.legs) {
    for (const int j : leg.chain) by[at(j)] = exp_quat(Vec3{0.7 + 0.1 * j, -0.4, 0.9});
  }
  // R'_j = R_j C_j in the model, so that local rotations become C_p^-1 R C_j
  const auto change = [&](int j, const Transform& local) {
    const int parent = plain.skeleton[j].parent;
    const Quat C_p = parent < 0 ? Quat{} : by[at(parent)];
    return Transform{matrix(conjugate(C_p)) * local.translation,
                     conjugate(C_p) * local.rotation * by[at(j)], local.scale};
  };
  for (int j = 0; j < plain.skeleton.size(); ++j) {
    turned.skeleton.joints[at(j)].rest = change(j, plain.skeleton[j].rest);
  }
  for (Clip& clip : turned.clips) {
    clip = rebuilt(plain.skeleton, clip, key_times(clip), turned.skeleton,
                   [&](double, const SkeletonPose& from, SkeletonPose& to) {
                     for (int j = 0; j < from.joints(); ++j) to.set(j, change(j, from[j]));
                   });
  }
  const Ground ground = test::hills(0.6, 6);
  const auto a = make_adaptive_walker(test::ready_clips(plain, "gait"), ground, {});
  const auto b = make_adaptive_walker(test::ready_clips(turned, "gait"), ground, {});
  for (int k = 0; k < 300; ++k) {
    a->advance(dt, {}), b->advance(dt, {});
    for (std::size_t leg = 0; leg < 2; ++leg) {
      CHECK(norm(a->feet()[leg].ankle - b->feet()[leg].ankle) < 1e-6);
      CHECK(norm(a->feet()[leg].toe - b->feet()[leg].toe) < 1e-6);
    }
  }
}

TEST_CASE(
    "adaptive walker: a model ten times as large does the same on ground ten times as large") {
  const auto small = test::ready_clips(test::gait_character(), "gait");
  const auto large = test::ready_clips(test::gait_character(10), "gait");
  const Ground near = test::hills(0.5, 6), far = test::hills(5, 60);
  const auto a = make_adaptive_walker(small, near, {});
  const auto b = make_adaptive_walker(large, far, {});
  const auto c = make_adaptive_walker(large, near, {.scale = 0.1});
  for (int k = 0; k < 400; ++k) {
    for (Walker* walker : {a.get(), b.get(), c.get()}) walker->advance(dt, {});
    for (const Leg& leg : small->rig.legs) {
      for (const int j : leg.chain) {
        CHECK(turn_between(a->pose().rotation(j), b->pose().rotation(j)) < 1e-5);
        CHECK(turn_between(a->pose().rotation(j), c->pose().rotation(j)) < 1e-5);
      }
    }
  }
}

TEST_CASE("adaptive walker: those that share a clip walk as each would alone, bit for bit") {
  const Clips clips = stick();
  const Ground ground = shipped("rough");
  const WalkerStart there{.x = 3, .y = -2, .heading = 1};
  const auto one = make_adaptive_walker(clips, ground, {}),
             two = make_adaptive_walker(clips, ground, there);
  const auto alone = make_adaptive_walker(clips, ground, {});
  for (int k = 0; k < 400; ++k) {
    one->advance(dt, {});
    two->advance(dt, {.turn = 0.5});
  }
  for (int k = 0; k < 400; ++k) alone->advance(dt, {});
  CHECK(one->pose() == alone->pose());
  CHECK(one->placement() == alone->placement());
}

TEST_CASE("adaptive walker: no ground, no time, much time, any size: always a number") {
  const Clips clips = stick();
  const Ground none, hills = test::hills(1, 5);
  for (const Ground* ground : {&none, &hills}) {
    for (const double scale : {0.01, 1.0, 150.0}) {
      const auto walker = make_adaptive_walker(clips, *ground, {.scale = scale});
      for (const double step : {0.0, 1e-9, 0.016, 0.5, 3.0, 1e6, -1.0, 0.02}) {
        for (int k = 0; k < 10; ++k) walker->advance(step, {.turn = 0.3});
        CHECK(finite(*walker));
      }
      CHECK(walker->blocked() == (ground == &none));
    }
  }
}

TEST_CASE("adaptive walker: it goes on from a pose that was given to it") {
  const Clips clips = stick();
  const Ground ground = shipped("hills");
  const auto walker = make_adaptive_walker(clips, ground, {});
  track_of(*walker, {{2, {}}});
  // lying on its back, two metres away
  const SkeletonPose lying = walker->pose();
  const Mat3 tilt = matrix(exp_quat(Vec3{0, -1.4, 0}));
  Affine X_WM = walker->placement();
  X_WM.linear = tilt * X_WM.linear;
  X_WM.origin = tilt * X_WM.origin + Vec3{2, 1, 0.3};
  walker->take_over(lying, X_WM, 1.0);
  const auto place = [&](int j) {
    return walker->placement() * walker->model_transforms()[at(j)].origin;
  };
  std::vector<Vec3> last;
  const std::vector<Affine> X = model_transforms(clips->rig.skeleton, lying);
  for (int j = 0; j < clips->rig.skeleton.size(); ++j) {
    last.push_back(place(j));
    CHECK(norm(last.back() - X_WM * X[at(j)].origin) < 1e-9);
  }
  double most = 0;
  for (int k = 0; k < 120; ++k) {
    walker->advance(dt, {.walk = false});
    for (int j = 0; j < clips->rig.skeleton.size(); ++j) {
      most = std::max(most, norm(place(j) - last[at(j)]));
      last[at(j)] = place(j);
    }
  }
  // a head goes up by a metre and a half in a second, at most half as fast again as on the mean
  CHECK(most < 0.06);
  for (const FootState& foot : walker->feet()) {
    CHECK(foot.heel_down);
    CHECK(std::abs(foot.heel.z - ground.at(foot.heel.x, foot.heel.y)->height) < 0.01);
  }
  CHECK(last[at(clips->rig.roles[Role::head])].z - walker->position().z > 1.3);
}
