// When feet stand, where they stand, and how fast a clip walks.
#include "molejo/navigation/footfalls.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "tests/support/characters.h"
#include "tests/support/error_text.h"
#include "tests/support/made_walks.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;
using test::KnownGait;

namespace {

std::shared_ptr<const WalkClips> dog() {
  const Character character = test::made_dog_walk();
  const Roles roles = find_roles(character.skeleton, bind_pose(character));
  return make_walk_clips(character, make_rig(character, roles), character.clips[0], nullptr);
}

}  // namespace

TEST_CASE("footfalls: those of a gait that is known, and its speed") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const Footfalls& falls = clips->walk.footfalls;
  CHECK(falls.duration == doctest::Approx(KnownGait::duration));
  CHECK(falls.speed() == doctest::Approx(KnownGait::speed).epsilon(0.01));
  CHECK_FALSE(falls.stands);
  CHECK(clips->idle.footfalls.stands);
  REQUIRE(falls.stances.size() == 2);
  for (int leg = 0; leg < 2; ++leg) {
    REQUIRE(falls.stances[static_cast<std::size_t>(leg)].size() == 1);
    const Stance& s = falls.stances[static_cast<std::size_t>(leg)][0];
    // it stands for half of the loop; a swing that begins slowly looks like standing for a while
    const double on = leg == 0 ? 0.0 : 0.5;
    CHECK(std::abs(std::remainder(s.on - on, 1.0)) < 0.1);
    CHECK(std::abs(s.off - s.on - 0.5) < 0.12);
  }
}

TEST_CASE("footfalls: whole loops add up") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const Footfalls& falls = clips->walk.footfalls;
  CHECK(norm(falls.way_at(2.25) - falls.way_at(0.25) - falls.way.back() * 2) < 1e-12);
  CHECK(norm(falls.way_at(-0.75) - falls.way_at(0.25) + falls.way.back()) < 1e-12);
  double since = 0;
  const Stance& s = falls.stances[0][0];
  CHECK(falls.stance_at(0, s.on + 0.1 + 7, &since) == &s);
  CHECK(since == doctest::Approx(0.1));
  CHECK(falls.stance_at(0, 0.5 * (s.off + s.on + 1) - 3) == nullptr);
}

TEST_CASE("footfalls: a dog has four legs, in lateral sequence") {
  const auto clips = dog();
  REQUIRE(clips->rig.legs.size() == 4);
  CHECK(clips->rig.legs[0].name == "hind left");
  CHECK(clips->rig.legs[2].name == "front left");
  CHECK(clips->rig.legs[0].opposite == 1);
  CHECK(clips->rig.legs[2].opposite == 3);
  const Footfalls& falls = clips->walk.footfalls;
  // hind left, front left, hind right, front right, a quarter apart
  const auto on = [&](std::size_t leg) { return falls.stances[leg][0].on; };
  CHECK(std::abs(std::remainder(on(2) - on(0) - 0.25, 1.0)) < 0.02);
  CHECK(std::abs(std::remainder(on(1) - on(0) - 0.5, 1.0)) < 0.02);
  CHECK(std::abs(std::remainder(on(3) - on(0) - 0.75, 1.0)) < 0.02);
}

TEST_CASE("footfalls: a clip in which no foot stands is refused, and one that only stands") {
  const Character character = test::gait_character();
  const Roles roles = find_roles(character.skeleton, bind_pose(character));
  const Rig rig = make_rig(character, roles);
  const Clip& idle = character.clips[static_cast<std::size_t>(character.find_clip("idle"))];
  CHECK(test::error_text([&] {
          make_walk_clips(character, rig, idle, nullptr);
        }).find("does not walk") != std::string::npos);
  const Clip& gait = character.clips[static_cast<std::size_t>(character.find_clip("gait"))];
  CHECK(test::error_text([&] {
          make_walk_clips(character, rig, gait, &gait);
        }).find("does not idle") != std::string::npos);
  // backwards its feet slide forwards
  Clip reversed = resampled(character.skeleton, gait, 60);
  for (Track& track : reversed.tracks) {
    const auto w = static_cast<std::size_t>(width(track.channel));
    std::vector<double> values;
    for (std::size_t k = track.values.size(); k >= w; k -= w) {
      values.insert(values.end(), track.values.begin() + static_cast<std::ptrdiff_t>(k - w),
                    track.values.begin() + static_cast<std::ptrdiff_t>(k));
    }
    track.values = values;
  }
  CHECK_THROWS_AS(make_walk_clips(character, rig, reversed, nullptr), InputError);
}

TEST_CASE("footfalls: what a walk gains on the whole is taken out of it, its sway is not") {
  // the person made of formulas goes its way in the file
  const Character character = test::made_stick_walk();
  const Roles roles = find_roles(character.skeleton, bind_pose(character));
  const auto clips =
      make_walk_clips(character, make_rig(character, roles), character.clips[0], nullptr);
  const Clip& ready = clips->walk.clip;
  SkeletonPose a(character.skeleton), b(character.skeleton);
  evaluate(ready, character.skeleton, 0, a);
  evaluate(ready, character.skeleton, ready.duration(), b);
  const int hips = clips->rig.hips;
  CHECK(norm(a.translation(hips) - b.translation(hips)) < 1e-6);
  CHECK(clips->walk.footfalls.speed() == doctest::Approx(1.16).epsilon(0.01));
  CHECK(std::abs(clips->walk.footfalls.way.back().y) < 1e-3);
}

TEST_CASE("foot tracks: who stands stays on its print, within millimetres of the floor") {
  std::vector<std::pair<std::string, std::shared_ptr<const WalkClips>>> all{
      {"known gait", test::ready_clips(test::gait_character(), "gait")}, {"dog", dog()}};
  for (const std::string family : {"viverse", "dcl"}) {
    if (auto clips = test::installed_walk(family)) all.emplace_back(family, std::move(clips));
  }
  for (const auto& [name, clips] : all) {
    CAPTURE(name);
    const FootTracks& feet = clips->walk.feet;
    const double length = clips->rig.leg_length;
    for (int leg = 0; leg < static_cast<int>(clips->rig.legs.size()); ++leg) {
      double slip = 0, sink = 0, hover = 0;
      for (int k = 0; k < 2000; ++k) {
        const double phase = 3 + k / 1000.0;
        const Print print = feet.print_at(leg, phase);
        const FootPose foot = feet.at(leg, phase);
        const Mat3 R = matrix(foot.q);
        const auto see = [&](const Vec3& local, const Vec3& at, double on, double off) {
          if (!(phase >= on + 0.01 && phase < off - 0.01)) return;
          const Vec3 e = foot.p + R * local - at;
          slip = std::max(slip, std::hypot(e.x, e.y));
          sink = std::max(sink, -e.z), hover = std::max(hover, e.z);
        };
        see(feet.sole(leg).heel, print.heel, print.heel_on, print.heel_off);
        see(feet.sole(leg).toe, print.toe, print.toe_on, print.toe_off);
      }
      CHECK(slip < 2e-3 * length);
      CHECK(sink < 5.1e-3 * length);
      CHECK(hover < 9.1e-3 * length);
    }
  }
}

TEST_CASE("foot tracks: a print comes after the other, a loop further on") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const FootTracks& feet = clips->walk.feet;
  const Print first = feet.print_at(0, 0.3), next = feet.print_after(0, first);
  CHECK(next.on == doctest::Approx(first.on + 1));
  CHECK(norm(next.heel - first.heel - clips->walk.footfalls.way.back()) < 1e-12);
  CHECK(norm(first.toe - first.heel) == doctest::Approx(feet.sole_length(0)));
  CHECK(first.heel.z == 0);
}
