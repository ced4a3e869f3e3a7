// Mirroring, retargeting, root motion, resampling: identities and places in the model.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/motion/edit.h"
#include "molejo/motion/mirror.h"
#include "molejo/motion/retarget.h"
#include "molejo/motion/root_motion.h"
#include "tests/support/characters.h"

using namespace molejo;
using namespace molejo::motion;
using enum Role;
using test::pose_distance;

namespace {

struct Known {
  motion::Character c;
  SkeletonPose reference;
  Roles roles;

  explicit Known(motion::Character character)
      : c(std::move(character)),
        reference(bind_pose(c)),
        roles(find_roles(c.skeleton, reference)) {}
  RetargetSide side() const { return {c.skeleton, reference, roles}; }
  Vec3 place(const Clip& clip, double t, Role role) const {
    SkeletonPose pose(c.skeleton);
    evaluate(clip, c.skeleton, t, pose);
    return model_transforms(c.skeleton, pose)[static_cast<std::size_t>(roles[role])].origin;
  }
};

double clip_distance(const Skeleton& skeleton, const Clip& a, const Clip& b) {
  SkeletonPose p(skeleton), q(skeleton);
  double most = 0;
  for (const double t : key_times(a)) {
    evaluate(a, skeleton, t, p);
    evaluate(b, skeleton, t, q);
    most = std::max(most, pose_distance(p, q));
  }
  return most;
}

}  // namespace

TEST_CASE("mirror: twice is the identity, also with frames that are no images of each other") {
  Random random(4);
  for (int variant = 0; variant < 2; ++variant) {
    Known k(test::stick_character());
    if (variant == 1) {
      // other axes for every joint, the same places: offsets in the new axes
      SkeletonPose turned(k.c.skeleton);
      std::vector<Affine> X = model_transforms(k.c.skeleton, turned);
      for (int j = 0; j < k.c.skeleton.size(); ++j) {
        Affine& x = X[static_cast<std::size_t>(j)];
        x.linear = matrix(exp_quat(Vec3{random.normal(), random.normal(), random.normal()}));
        const int parent = k.c.skeleton[j].parent;
        const Affine above = parent < 0 ? Affine{} : X[static_cast<std::size_t>(parent)];
        k.c.skeleton.joints[static_cast<std::size_t>(j)].rest = decomposed(inverse(above) * x);
      }
      k.reference = SkeletonPose(k.c.skeleton);
    }
    Mirror mirror(k.c.skeleton, k.reference, k.roles);
    for (const Clip& clip : k.c.clips) {
      const Clip twice = mirror.apply(mirror.apply(clip));
      CAPTURE(clip.name);
      CHECK(clip_distance(k.c.skeleton, clip, twice) < 1e-12);
    }
  }
}

TEST_CASE("mirror: every joint is where the other one was, reflected") {
  const Known k(test::stick_character());
  Mirror mirror(k.c.skeleton, k.reference, k.roles);
  const Clip image = mirror.apply(k.c.clips[0]);
  for (const double t : {0.0, 0.2, 0.5, 0.9}) {
    for (const Role role : {hips, left_foot, right_foot, left_hand, left_toes, head}) {
      const Vec3 p = k.place(k.c.clips[0], t, other_side(role)), q = k.place(image, t, role);
      CHECK(max_abs(Vec3{-p.x, p.y, p.z} - q) < 1e-12);
    }
  }
  // it is another motion: legs alternate
  CHECK(norm(k.place(image, 0.2, left_foot) - k.place(k.c.clips[0], 0.2, left_foot)) > 0.1);
}

TEST_CASE("retarget: onto itself is the identity") {
  const Known k(test::stick_character());
  Retarget retarget(k.side(), k.side());
  CHECK(retarget.scale() == 1);
  const Clip same = retarget.apply(k.c.clips[0]);
  CHECK(clip_distance(k.c.skeleton, k.c.clips[0], same) < 1e-12);
}

TEST_CASE("retarget: bones of another body point as the source's do, its hips move in proportion") {
  const Known from(test::stick_character()), to(test::other_character());
  Retarget retarget(from.side(), to.side());
  const double ratio = to.roles.leg_length / from.roles.leg_length;
  CHECK(std::fabs(retarget.scale() - ratio) < 1e-12);
  const Clip& walk = from.c.clips[0];
  const Clip clip = retarget.apply(walk);
  CHECK(std::fabs(clip.duration() - walk.duration()) < 1e-9);
  // the other one looks back: half a turn about y
  const auto turned = [](const Vec3& v) { return Vec3{-v.x, v.y, -v.z}; };
  constexpr std::pair<Role, Role> bones[] = {{left_upper_leg, left_lower_leg},
                                             {left_lower_leg, left_foot},
                                             {right_upper_arm, right_lower_arm},
                                             {right_upper_leg, right_lower_leg},
                                             {left_lower_arm, left_hand}};
  for (const double t : {0.0, 0.1, 0.4, 0.7}) {
    for (const auto& [a, b] : bones) {
      const Vec3 u = normalized(from.place(walk, t, b) - from.place(walk, t, a));
      const Vec3 v = normalized(to.place(clip, t, b) - to.place(clip, t, a));
      CAPTURE(to_string(a));
      CHECK(norm(turned(u) - v) < 1e-9);
    }
    const Vec3 way = from.place(walk, t, hips) - from.place(walk, 0, hips);
    const Vec3 other = to.place(clip, t, hips) - to.place(clip, 0, hips);
    CHECK(norm(turned(way) * ratio - other) < 1e-9);
  }
}

TEST_CASE("retarget: lengths of bones stay those of the target") {
  const Known from(test::stick_character()), to(test::other_character());
  Retarget retarget(from.side(), to.side());
  const Clip clip = retarget.apply(from.c.clips[0]);
  CHECK(std::fabs(norm(to.place(clip, 0.3, left_foot) - to.place(clip, 0.3, left_lower_leg)) -
                  norm(Vec3{0, -0.6, -0.01})) < 1e-12);
}

TEST_CASE("root motion: taken out and put back is the same walk, and in place it stays") {
  const Known k(test::stick_character());
  const Clip& walk = k.c.clips[0];
  const InPlace in_place = extract_root_motion(k.c.skeleton, k.roles, walk);
  CHECK(std::fabs(in_place.motion.poses.back().position.z - 1) < 1e-12);
  CHECK(std::fabs(in_place.motion.speed() - 1) < 1e-12);
  for (const double t : key_times(walk)) {
    const Vec3 p = k.place(in_place.clip, t, hips), q = k.place(walk, t, hips);
    CHECK(std::fabs(p.x) < 1e-12);
    CHECK(std::fabs(p.z) < 1e-12);
    CHECK(std::fabs(p.y - q.y) < 1e-12);
  }
  const Clip back = apply_root_motion(k.c.skeleton, k.roles, in_place);
  CHECK(clip_distance(k.c.skeleton, walk, back) < 1e-12);
}

TEST_CASE("root motion: loops follow each other, turns included") {
  RootMotion m;
  m.times = {0, 1};
  m.poses = {{}, {{0, 0, 2}, 3.141592653589793 / 2}};
  // four quarter turns close a square
  const GroundPose square = m.over(0, 0, 4);
  CHECK(norm(square.position) < 1e-12);
  CHECK(std::fabs(square.heading - 2 * 3.141592653589793) < 1e-12);
  // from the middle of one loop to the middle of the next is as far as one loop
  const GroundPose half = m.over(0.5, 0.5, 1);
  CHECK(std::fabs(half.heading - 3.141592653589793 / 2) < 1e-12);
  CHECK(norm(m.over(0.25, 0.25, 0).position) < 1e-12);
  // back again
  const GroundPose there = m.over(0.2, 0.9, 1), back = m.over(0.9, 0.2, -1);
  const GroundPose none = joined(there, back, m.up);
  CHECK(norm(none.position) < 1e-12);
  CHECK(std::fabs(none.heading) < 1e-12);
}

TEST_CASE("root motion: a turning walk keeps its hips over one place and looks one way") {
  Known k(test::stick_character());
  Clip& walk = k.c.clips[0];
  Track turn{.joint = k.roles[hips], .channel = Channel::rotation};
  for (const double t : walk.times[0]) {
    const Quat q = exp_quat(Vec3{0, 2 * t, 0}) * exp_quat(Vec3{0.1, 0, 0});
    turn.values.insert(turn.values.end(), {q.w, q.x, q.y, q.z});
  }
  walk.tracks.push_back(turn);
  const InPlace in_place = extract_root_motion(k.c.skeleton, k.roles, walk);
  CHECK(std::fabs(in_place.motion.poses.back().heading - 2) < 1e-9);
  SkeletonPose pose(k.c.skeleton);
  for (const double t : {0.0, 0.4, 1.0}) {
    evaluate(in_place.clip, k.c.skeleton, t, pose);
    const Vec3 turned = log_quat(pose.rotation(k.roles[hips]));
    CHECK(norm(turned - Vec3{0.1, 0, 0}) < 1e-9);
  }
}

TEST_CASE("edit: resampling keeps the poses at the new keys") {
  const motion::Character c = test::stick_character();
  for (const Clip& clip : c.clips) {
    const Clip even = resampled(c.skeleton, clip, 25);
    SkeletonPose a(c.skeleton), b(c.skeleton);
    for (const double t : uniform_times(clip.start(), clip.end(), 25)) {
      evaluate(clip, c.skeleton, t, a);
      evaluate(even, c.skeleton, t, b);
      CHECK(pose_distance(a, b) < 1e-12);
    }
    CHECK(std::fabs(even.duration() - clip.duration()) < 1e-12);
  }
}

TEST_CASE("edit: a clip that starts late starts at zero, poses unchanged") {
  const motion::Character c = test::stick_character();
  const Clip moved = starting_at_zero(c.clips[1]);
  CHECK(moved.start() == 0);
  SkeletonPose a(c.skeleton), b(c.skeleton);
  evaluate(c.clips[1], c.skeleton, 1.1, a);
  evaluate(moved, c.skeleton, 0.6, b);
  CHECK(pose_distance(a, b) < 1e-12);
}

TEST_CASE("edit: a loop that does not close is closed, and unchanged where it begins") {
  motion::Character c = test::stick_character();
  Clip& wave = c.clips[1];
  CHECK(loop_gap(c.skeleton, wave).turn > 0.3);
  const Clip closed = loop_closed(c.skeleton, wave, 0.5);
  CHECK(loop_gap(c.skeleton, closed).turn < 1e-9);
  CHECK(loop_gap(c.skeleton, closed).distance < 1e-12);
  SkeletonPose a(c.skeleton), b(c.skeleton);
  evaluate(wave, c.skeleton, wave.start(), a);
  evaluate(closed, c.skeleton, wave.start(), b);
  CHECK(pose_distance(a, b) < 1e-12);
}

TEST_CASE("skeleton: matrices give back their translation, rotation and scale") {
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    Transform t;
    t.translation = {random.normal(), random.normal(), random.normal()};
    t.rotation = exp_quat(Vec3{random.normal(), random.normal(), random.normal()});
    t.scale = {0.1 + random.uniform(), 0.1 + random.uniform(), 0.1 + random.uniform()};
    const Affine a = affine(t), b = affine(decomposed(a));
    for (int i = 0; i < 3; ++i) CHECK(max_abs(a.linear[i] - b.linear[i]) < 1e-12);
    const Affine one = a * inverse(a);
    for (int i = 0; i < 3; ++i) CHECK(max_abs(one.linear[i] - Mat3::identity()[i]) < 1e-12);
    CHECK(max_abs(one.origin) < 1e-12);
  }
}

TEST_CASE("skeleton: the joints on a way are computed as in the whole, each once") {
  const motion::Character c = test::stick_character();
  SkeletonPose pose(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0.37, pose);
  const std::vector<Affine> all = model_transforms(c.skeleton, pose);
  const int ends[] = {c.skeleton.find("mixamorig:LeftFoot"),
                      c.skeleton.find("mixamorig:RightFoot")};
  const std::vector<int> path = path_to(c.skeleton, ends);
  CHECK(path.size() == 7);
  std::vector<Affine> some(c.skeleton.joints.size());
  model_transforms(c.skeleton, pose, {}, path, some);
  for (const int j : path)
    CHECK(some[static_cast<std::size_t>(j)] == all[static_cast<std::size_t>(j)]);
}

TEST_CASE("skeleton: the bind pose comes from the skin, not from the rest pose") {
  motion::Character c = test::stick_character();
  const SkeletonPose bound(c.skeleton);
  // a file whose rest pose is a frame of a walk, and whose binds are in centimetres
  SkeletonPose walking(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0.25, walking);
  for (int j = 0; j < c.skeleton.size(); ++j) {
    c.skeleton.joints[static_cast<std::size_t>(j)].rest = walking[j];
  }
  const SkeletonPose found = bind_pose(c);
  CHECK(pose_distance(found, bound) < 1e-9);
}
