// The pieces of the default walker: a leg that reaches, a foothold, the way of a foot.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/math/random.h"
#include "molejo/navigation/foot_path.h"
#include "molejo/navigation/leg_reach.h"
#include "molejo/navigation/walk_clips.h"
#include "tests/support/made_walks.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A pose of a walk, with the transforms that `reach` needs.
struct Posed {
  explicit Posed(const WalkClips& walk, double phase) : clips(walk), pose(walk.rig.skeleton) {
    evaluate(walk.walk.clip, walk.rig.skeleton, phase * walk.walk.clip.duration(), pose);
    X = model_transforms(walk.rig.skeleton, pose);
    Q = model_rotations(walk.rig.skeleton, pose);
  }
  bool reach_for(int leg, const Vec3& target, const Quat& foot) {
    return reach(clips.rig, leg, clips.hinges[at(leg)], target, foot, {}, pose, X, Q);
  }
  const Leg& leg(int i) const { return clips.rig.legs[at(i)]; }
  Vec3 foot_of(int i) const { return X[at(leg(i).foot())].origin; }

  const WalkClips& clips;
  SkeletonPose pose;
  std::vector<Affine> X;
  std::vector<Quat> Q;
};

std::shared_ptr<const WalkClips> known() {
  return test::ready_clips(test::gait_character(), "gait");
}
std::shared_ptr<const WalkClips> dog() {
  const Character character = test::made_dog_walk();
  const Roles roles = find_roles(character.skeleton, bind_pose(character));
  return make_walk_clips(character, make_rig(character, roles), character.clips[0], nullptr);
}

double turn_between(const Quat& a, const Quat& b) { return norm(log_quat(conjugate(a) * b)); }

Ground slope(double grade) {
  Ground ground;
  ground.add(formula_relief(-9, 9, -9, 9, [=](double x, double) { return grade * x; }));
  return ground;
}
Ground stairs() {
  Ground ground;
  ground.add(piecewise_relief(-9, -9, 9, {{9, 0, 0}, {0.45, 0.15, 0}, {9, 0.15, 0}}));
  return ground;
}

}  // namespace

TEST_CASE("leg reach: a foot that is where it shall be changes nothing") {
  for (const auto& clips : {known(), dog()}) {
    for (int leg = 0; leg < static_cast<int>(clips->rig.legs.size()); ++leg) {
      for (int k = 0; k < 20; ++k) {
        Posed posed(*clips, k / 20.0);
        const SkeletonPose before = posed.pose;
        CHECK(posed.reach_for(leg, posed.foot_of(leg), posed.Q[at(posed.leg(leg).foot())]));
        for (const int j : posed.leg(leg).chain) {
          CHECK(turn_between(before.rotation(j), posed.pose.rotation(j)) < 1e-6);
        }
      }
    }
  }
}

TEST_CASE("leg reach: what can be reached is reached, by legs of two bones and of three") {
  Random random(1);
  for (const auto& clips : {known(), dog()}) {
    const bool longer = clips->rig.legs.size() == 4;
    const double length = clips->rig.leg_length;
    int reached = 0;
    for (int k = 0; k < 300; ++k) {
      const int leg = k % static_cast<int>(clips->rig.legs.size());
      Posed posed(*clips, random.uniform());
      const Vec3 hip = posed.X[at(posed.leg(leg).chain.front())].origin;
      const Vec3 off{random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5};
      const Vec3 target = posed.foot_of(leg) + off * (0.4 * length);
      const double distance = norm(target - hip) / posed.leg(leg).length;
      if (distance > 0.97 || distance < 0.55) continue;
      const Quat foot = posed.Q[at(posed.leg(leg).foot())] * exp_quat(off * 0.5);
      const bool exact = posed.reach_for(leg, target, foot);
      reached += exact;
      const std::vector<Affine> X = model_transforms(clips->rig.skeleton, posed.pose);
      const double miss = norm(X[at(posed.leg(leg).foot())].origin - target);
      if (exact) CHECK(miss < (longer ? 1.1e-3 : 1e-9) * length);
      // transforms were kept in step
      CHECK(norm(X[at(posed.leg(leg).foot())].origin - posed.foot_of(leg)) < 1e-9);
      CHECK(turn_between(posed.Q[at(posed.leg(leg).foot())], foot) < 1e-6);
    }
    CHECK(reached > 150);
  }
}

TEST_CASE("leg reach: too far it points there, and a knee never bends the other way") {
  const auto clips = known();
  const double length = clips->rig.leg_length;
  double last = 10;
  for (int k = 0; k <= 60; ++k) {
    Posed posed(*clips, 0.25);
    const Vec3 hip = posed.X[at(posed.leg(0).chain[0])].origin;
    const Vec3 way = normalized(posed.foot_of(0) - hip);
    const double distance = (0.9 + 0.005 * k) * length;
    const bool exact = posed.reach_for(0, hip + way * distance, posed.Q[at(posed.leg(0).foot())]);
    CHECK(exact == (distance < 0.99994 * length));
    const Vec3 thigh = posed.X[at(posed.leg(0).chain[1])].origin - hip;
    const Vec3 shin = posed.foot_of(0) - posed.X[at(posed.leg(0).chain[1])].origin;
    const Vec3 left = clips->rig.bearing().left;
    const double bend = std::atan2(dot(left, cross(thigh, shin)), dot(thigh, shin));
    CHECK(bend > 0.01);
    CHECK(bend <= last + 1e-9);
    last = bend;
    if (!exact) CHECK(norm(cross(normalized(posed.foot_of(0) - hip), way)) < 1e-6);
  }
}

TEST_CASE("foothold: heel and toe on the ground, as far apart as on the foot") {
  for (const double grade : {0.0, 0.2, 0.364, -0.5}) {
    const Ground ground = slope(grade);
    const auto hold = foothold_at(ground, {1, 0.3, 0}, {1, 0, 0}, {0.2, 0.07});
    REQUIRE(hold);
    CHECK(norm(hold->toe - hold->heel) == doctest::Approx(0.2).epsilon(1e-4));
    CHECK(hold->heel.z == doctest::Approx(grade * hold->heel.x));
    CHECK(hold->toe.z == doctest::Approx(grade * hold->toe.x));
    CHECK(hold->unevenness < 1e-9);
    CHECK(dot(hold->normal, normalized(Vec3{-grade, 0, 1})) == doctest::Approx(1));
  }
  CHECK_FALSE(foothold_at(slope(0), {9, 0, 0}, {1, 0, 0}, {0.2, 0.07}));
}

TEST_CASE("foothold: a sole is set beside an edge, not over it") {
  const Ground ground = stairs();
  const SoleSize sole{0.18, 0.06};
  for (int k = 0; k <= 40; ++k) {
    const Vec3 wanted{-0.3 + k * 0.025, 0, 0};
    const auto hold = find_foothold(ground, wanted, {1, 0, 0}, {1, 0, 0}, sole, 0.2, 0.015);
    REQUIRE(hold);
    CHECK(hold->unevenness < 0.015);
    CHECK(hold->heel.z == hold->toe.z);
    CHECK(std::abs(hold->shift) <= 0.2);
    // where the sole fits as it is, it is not moved
    const auto plain = foothold_at(ground, wanted, {1, 0, 0}, sole);
    if (plain->unevenness < 0.015) CHECK(hold->shift == 0);
  }
}

TEST_CASE("foot path: on flat ground the foot does as in the clip") {
  const auto clips = known();
  const FootTracks& feet = clips->walk.feet;
  const Ground ground = slope(0);
  const auto hold_of = [&](const Print& print) {
    return *foothold_at(ground, (print.heel + print.toe) * 0.5, normalized(print.toe - print.heel),
                        {feet.sole_length(0), 0});
  };
  const Print from = feet.print_at(0, 1.2), to = feet.print_after(0, from);
  FootPath path;
  path.stand(map_onto(from, hold_of(from)));
  path.begin(from.toe);
  path.aim(map_onto(to, hold_of(to)), feet.at(0, from.off));
  for (int k = 0; k <= 50; ++k) {
    path.s = k / 50.0;
    const FootPose clip = feet.at(0, from.off + (to.on - from.off) * path.s);
    const FootPose foot = path.at(clip);
    CHECK(norm(foot.p - clip.p) < 1e-9);
    CHECK(turn_between(foot.q, clip.q) < 1e-6);
  }
}

TEST_CASE(
    "foot path: it begins where it stood, ends on the new print, and goes on when the goal "
    "moves") {
  const auto clips = known();
  const FootTracks& feet = clips->walk.feet;
  const Ground ground = slope(0.3);
  const auto hold_at = [&](const Print& print, double shift) {
    return *foothold_at(ground, (print.heel + print.toe) * 0.5 + Vec3{shift, 0.05, 0},
                        normalized(print.toe - print.heel), {feet.sole_length(0), 0});
  };
  const Print from = feet.print_at(0, 1.2), to = feet.print_after(0, from);
  FootPath path;
  path.stand(map_onto(from, hold_at(from, 0)));
  const FootPose stood = path.at(feet.at(0, from.off));
  path.begin(from.toe);
  path.aim(map_onto(to, hold_at(to, 0.1)), feet.at(0, from.off));
  CHECK(norm(path.at(feet.at(0, from.off)).p - stood.p) < 1e-9);
  Vec3 last = stood.p;
  double most = 0;
  for (int k = 1; k <= 400; ++k) {
    path.s = k / 400.0;
    const FootPose clip = feet.at(0, from.off + (to.on - from.off) * path.s);
    if (k == 200) {
      const FootPose before = path.at(clip);
      path.aim(map_onto(to, hold_at(to, -0.1)), clip);
      std::array<double, FootPath::knots> needed{};
      needed[4] = 0.2;
      path.clear(needed, clip);
      CHECK(norm(path.at(clip).p - before.p) < 1e-9);
      CHECK(turn_between(path.at(clip).q, before.q) < 1e-6);
    }
    const Vec3 now = path.at(clip).p;
    most = std::max(most, norm(now - last));
    last = now;
  }
  // no jump: a way of a good metre in 400 parts
  CHECK(most < 0.012);
  const FootPose landed = path.at(feet.at(0, to.on));
  path.land();
  CHECK(norm(path.at(feet.at(0, to.on)).p - landed.p) < 1e-9);
  const Foothold goal = hold_at(to, -0.1);
  const Vec3 heel = landed.p + matrix(landed.q) * feet.sole(0).heel;
  CHECK(norm(heel - goal.heel) < 6e-3);
}
