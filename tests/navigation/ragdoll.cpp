// A character as rigid bodies: its weight, its poses there and back, its velocities, its fall.
#include "molejo/navigation/ragdoll.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/math/random.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"
#include "molejo/physics/world.h"
#include "tests/support/characters.h"
#include "tests/support/motion.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::navigation;
using namespace molejo::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A character that walks, its bodies alone in a model.
struct Doll {
  Doll(motion::Character made, const motion::Clip& walk, double size, RagdollOptions options = {})
      : character(std::move(made)) {
    const Roles roles = find_roles(character.skeleton, bind_pose(character));
    clips = make_walk_clips(character, make_rig(character, roles), walk, nullptr);
    ragdoll = make_ragdoll(*clips, character, size, options);
    built = build(*ragdoll.scene);
    map = std::make_unique<RagdollMap>(ragdoll, clips->rig, built.model);
  }
  Doll(const Doll&) = delete;
  static Doll stick(double size = 1, RagdollOptions options = {}) {
    motion::Character c = stick_character();
    const motion::Clip walk = c.clips[at(c.find_clip("walk"))];
    return Doll(std::move(c), walk, size, options);
  }
  static Doll file(const std::string& path, double size = 1, RagdollOptions options = {}) {
    motion::Character c = load_character(SourceFile::given(path));
    const motion::Clip walk = c.clips.at(0);
    return Doll(std::move(c), walk, size, options);
  }
  SkeletonPose walking(double t) const {
    SkeletonPose pose(clips->rig.skeleton);
    motion::ClipCursor cursor = clips->walk.sampler.cursor();
    clips->walk.sampler.sample(t, cursor, pose);
    return pose;
  }
  State state(double t, const Affine& X_WM) const {
    State s = built.initial;
    map->write(walking(t), X_WM, s.q);
    return s;
  }
  const Body& body(const std::string& name) const {
    return built.model.bodies[at(built.model.body(name).index)];
  }

  motion::Character character;
  std::shared_ptr<const WalkClips> clips;
  Ragdoll ragdoll;
  Built built;
  std::unique_ptr<RagdollMap> map;
};

const std::vector<std::unique_ptr<const Doll>>& all_dolls() {
  static std::vector<std::unique_ptr<const Doll>> dolls;
  if (!dolls.empty()) return dolls;
  dolls.emplace_back(new Doll(Doll::stick()));
  dolls.emplace_back(new Doll(Doll::file(source_dir() + "/scenes/walks/stick_walk.bvh")));
  dolls.emplace_back(new Doll(Doll::file(source_dir() + "/scenes/walks/dog_walk.bvh")));
  for (const char* name : {"viverse/walk.glb", "dcl/walk.glb"}) {
    if (const std::string path = installed_clip(name); !path.empty()) {
      dolls.emplace_back(new Doll(Doll::file(path)));
      dolls.emplace_back(new Doll(Doll::file(path, 1, {.fine = true})));
    }
  }
  return dolls;
}

Affine somewhere(const Doll& doll, double heading, const Vec3& p) {
  return placement(doll.clips->rig.bearing(), p, heading, doll.ragdoll.scale);
}

Totals totals_of(const Doll& doll, const State& state) {
  return totals(doll.built.model, kinematics(doll.built.model, state));
}

}  // namespace

TEST_CASE("ragdoll: a man weighs 22 kg/m^2 and his parts as de Leva has them") {
  const Doll doll = Doll::file(source_dir() + "/scenes/walks/stick_walk.bvh");
  const double height = doll.ragdoll.leg_length / 0.491, mass = 22 * height * height;
  CHECK(doll.ragdoll.mass == doctest::Approx(mass).epsilon(1e-12));
  CHECK(totals_of(doll, doll.built.initial).mass == doctest::Approx(mass).epsilon(1e-12));
  REQUIRE(doll.ragdoll.parts.size() == 13);
  const auto share = [&](const std::string& name) {
    return doll.built.model.links[at(doll.built.model.body(name).index)].mass / mass;
  };
  CHECK(share("pelvis") == doctest::Approx(0.1117));
  CHECK(share("torso") == doctest::Approx(0.3229));
  CHECK(share("head") == doctest::Approx(0.0694));
  CHECK(share("left_lower_arm") == doctest::Approx(0.0223));
  CHECK(share("right_upper_leg") == doctest::Approx(0.1416));
  CHECK(share("right_foot") == doctest::Approx(0.0137));

  const Doll heavy = Doll::stick(1, {.mass = 80});
  CHECK(totals_of(heavy, heavy.built.initial).mass == doctest::Approx(80).epsilon(1e-12));
  CHECK(heavy.built.model.nv == 6 + 3 * (static_cast<int>(heavy.ragdoll.parts.size()) - 1));
}

TEST_CASE("ragdoll: a fine body has a waist, hands and toes, and weighs and stands as the other") {
  for (const char* name : {"viverse/walk.glb", "dcl/walk.glb"}) {
    const std::string path = installed_clip(name);
    if (path.empty()) continue;
    CAPTURE(name);
    const Doll plain = Doll::file(path), fine = Doll::file(path, 1, {.fine = true});
    CHECK(totals_of(fine, fine.built.initial).mass ==
          doctest::Approx(totals_of(plain, plain.built.initial).mass).epsilon(1e-9));
    CHECK(fine.ragdoll.parts.size() > plain.ragdoll.parts.size());
    const Affine X_WM = somewhere(fine, 0, {});
    const State state = fine.state(0.1, X_WM);
    const Kinematics<double> k = kinematics(fine.built.model, state);
    for (const std::string side : {"left", "right"}) {
      CAPTURE(side);
      const Body &foot = fine.body(side + "_foot"), &toes = fine.body(side + "_toes");
      const Box box = std::get<Box>(foot.shapes.at(0).geometry);
      const Box toe = std::get<Box>(toes.shapes.at(0).geometry);
      // as wide as the foot, and before it
      CHECK(toe.half.y == doctest::Approx(box.half.y).epsilon(1e-9));
      const auto place = [&](const std::string& body) {
        const BodyMotion<double>& b = k.bodies[at(fine.built.model.body(body).index)];
        return b.p + b.com;
      };
      CHECK(place(side + "_toes").x > place(side + "_foot").x);
      CHECK(fine.built.model.body(side + "_hand").index >= 0);
    }
  }
}

TEST_CASE("ragdoll: a dog has two trunks, a head and a body for each bone of its legs") {
  const Doll doll = Doll::file(source_dir() + "/scenes/walks/dog_walk.bvh");
  CHECK(doll.clips->rig.legs.size() == 4);
  std::size_t bones = 3;
  for (const Leg& leg : doll.clips->rig.legs) bones += leg.chain.size();
  CHECK(doll.ragdoll.parts.size() == bones);
  // front legs hang on the torso, hind legs on the pelvis
  for (const RagdollPart& part : doll.ragdoll.parts) {
    if (part.name == "front_left_leg_1") CHECK(doll.ragdoll.parts[at(part.parent)].name == "torso");
    if (part.name == "hind_left_leg_1") CHECK(doll.ragdoll.parts[at(part.parent)].name == "pelvis");
  }
}

TEST_CASE("ragdoll: trunks and legs, upright or level, bend about axes that lie across them") {
  for (const std::string name : {"stick_walk", "dog_walk"}) {
    const Doll doll = Doll::file(source_dir() + "/scenes/walks/" + name + ".bvh");
    for (const SceneBody& body : doll.ragdoll.scene->bodies) {
      if (body.name.find("_arm") != std::string::npos) continue;  // they hang slantwise
      CAPTURE(name);
      CAPTURE(body.name);
      CHECK(std::fabs((body.X_WB.R * Vec3{0, 1, 0}).y) > 0.95);
    }
  }
}

TEST_CASE("ragdoll: a pose of a clip comes back from its coordinates") {
  for (const auto& each : all_dolls()) {
    const Doll& doll = *each;
    const Affine X_WM = somewhere(doll, 0.7, {3, -2, 0.4});
    for (int k = 0; k < 12; ++k) {
      const double t = k / 12.0 * doll.clips->walk.footfalls.duration;
      const SkeletonPose pose = doll.walking(t);
      const State state = doll.state(t, X_WM);
      SkeletonPose back = pose;
      doll.map->read(state.q, X_WM, back);
      CHECK(pose_distance(pose, back) < 1e-11);
    }
  }
}

TEST_CASE("ragdoll: any state comes back from its pose, whatever the other joints have") {
  Random random(5);
  const auto any = [&] { return 2 * random.uniform() - 1; };
  for (const auto& each : all_dolls()) {
    const Doll& doll = *each;
    for (int k = 0; k < 12; ++k) {
      State state = doll.built.initial;
      VecX way(doll.built.model.nv);
      for (int i = 0; i < way.size(); ++i) way[i] = any();
      move(doll.built.model, way.data(), 0.8, state.q.data());
      // where the model stands does not matter
      const Affine X_WM = somewhere(doll, 3 * any(), {any(), any(), any()});
      SkeletonPose pose = doll.walking(0.3);
      doll.map->read(state.q, X_WM, pose);
      State again = doll.built.initial;
      doll.map->write(pose, X_WM, again.q);
      const VecX error = difference(doll.built.model, state.q, again.q);
      CHECK(error.lpNorm<Eigen::Infinity>() < 1e-9);
    }
  }
}

TEST_CASE("ragdoll: the turn of a torso is shared evenly by the joints of the spine") {
  const Doll doll = Doll::stick();
  const RagdollPart& torso = doll.ragdoll.parts[1];
  REQUIRE(torso.name == "torso");
  REQUIRE(torso.spread.size() >= 2);
  const Affine X_WM = somewhere(doll, 0, {});
  SkeletonPose pose = doll.clips->rig.reference;
  State state = doll.built.initial;
  doll.map->write(pose, X_WM, state.q);
  const Link& link = doll.built.model.links[at(doll.map->links()[1])];
  const double bend[3] = {0.1, 0.6, -0.2};
  VecX way = VecX::Zero(doll.built.model.nv);
  for (int i = 0; i < 3; ++i) way[link.v + i] = bend[i];
  move(doll.built.model, way.data(), 1.0, state.q.data());
  SkeletonPose bent = pose;
  doll.map->read(state.q, X_WM, bent);
  const double whole = norm(Vec3{bend[0], bend[1], bend[2]});
  for (const int j : torso.spread) {
    const Quat turn = conjugate(safe_unit(pose.rotation(j))) * bent.rotation(j);
    CHECK(norm(log_quat(normalized(turn))) ==
          doctest::Approx(whole / static_cast<double>(torso.spread.size())).epsilon(1e-9));
  }
}

TEST_CASE("ragdoll: bodies are where the joints of the skeleton are") {
  for (const auto& each : all_dolls()) {
    const Doll& doll = *each;
    const Affine X_WM = somewhere(doll, -1.1, {1, 2, 0.2});
    double worst = 0;
    for (int k = 0; k < 12; ++k) {
      const double t = k / 12.0 * doll.clips->walk.footfalls.duration;
      const SkeletonPose pose = doll.walking(t);
      std::vector<Affine> X(at(doll.clips->rig.skeleton.size()));
      model_transforms(doll.clips->rig.skeleton, pose, X_WM, X);
      const Kinematics<double> now = kinematics(doll.built.model, doll.state(t, X_WM));
      for (std::size_t i = 0; i < doll.ragdoll.parts.size(); ++i) {
        const RagdollPart& part = doll.ragdoll.parts[i];
        if (part.spread.size() > 1) continue;
        const Vec3 p = body_pose(doll.built.model, now, {doll.map->links()[i]}).p;
        const double off = norm(p - X[at(part.joint)].origin);
        if (i == 0) CHECK(off < 1e-12);
        // legs hang on the hips: nothing between them gives way
        // (clips of real files scale their joints by 1 + 1e-7)
        if (part.name.find("upper_leg") != std::string::npos) CHECK(off < 1e-6);
        if (part.name.find("lower_leg") != std::string::npos) CHECK(off < 1e-6);
        worst = std::max(worst, off / doll.ragdoll.leg_length);
      }
    }
    CHECK(worst < 0.08);
  }
}

TEST_CASE("ragdoll: velocities from two poses give the momenta of the bodies") {
  for (const auto& each : all_dolls()) {
    const Doll& doll = *each;
    // it walks 1 m/s and turns 0.5 rad/s; means over dt against differences over 2 dt about it
    const auto there = [&](double t) { return somewhere(doll, 0.5 * t, {t, 0.2 * t, 0}); };
    const Model& model = doll.built.model;
    double previous[2] = {0, 0};
    for (const double dt : {2e-3, 1e-3}) {
      const double t = 0.31;
      State a = doll.state(t - dt, there(t - dt)), b = doll.state(t, there(t));
      const State c = doll.state(t + dt, there(t + dt));
      b.v = difference(model, a.q, c.q) / (2 * dt);
      const Kinematics<double> k = kinematics(model, b);
      const Totals now = totals(model, k);
      // sums over bodies, by differences of what is seen
      const Kinematics<double> ka = kinematics(model, a), kc = kinematics(model, c);
      Vec3 momentum, angular;
      for (int i = 0; i < model.body_count(); ++i) {
        const Link& link = model.links[at(i)];
        const BodyMotion<double>&A = ka.bodies[at(i)], &B = k.bodies[at(i)], &C = kc.bodies[at(i)];
        const Vec3 v = (C.p + C.com - A.p - A.com) / (2 * dt);
        const Vec3 w = A.R * log_quat(quaternion(transpose(A.R) * C.R)) / (2 * dt);
        momentum += v * link.mass;
        angular += cross(B.p + B.com, v * link.mass) + B.R * (link.I_BC * transpose_times(B.R, w));
      }
      const double errors[2] = {norm(now.momentum - momentum) / norm(momentum),
                                norm(now.angular_momentum - angular) / norm(angular)};
      for (int e = 0; e < 2; ++e) {
        CHECK(errors[e] < 1e-3);
        // second order: half the step, a quarter of the error
        if (previous[e] > 1e-7) CHECK(errors[e] < 0.3 * previous[e]);
        previous[e] = errors[e];
      }
      CHECK(dot(now.com_velocity, Vec3{1, 0, 0}) > 0.5);
    }
  }
}

TEST_CASE("ragdoll: no limit presses in a clip, and knees bend one way only") {
  for (const auto& each : all_dolls()) {
    const Doll& doll = *each;
    for (int k = 0; k < 24; ++k) {
      const double t = k / 24.0 * doll.clips->walk.footfalls.duration;
      CHECK(energy(doll.built.model, doll.state(t, somewhere(doll, 0, {}))).elastic < 1e-9);
    }
  }
  const Doll doll = Doll::file(source_dir() + "/scenes/walks/stick_walk.bvh");
  for (const SceneJoint& joint : doll.ragdoll.scene->joints) {
    if (joint.name != "left_lower_leg_joint") continue;
    CHECK(*joint.drives[1].upper > 2.4);
    CHECK(*joint.drives[1].lower > -0.2);
    CHECK(*joint.drives[0].upper - *joint.drives[0].lower < 0.5);
  }
}

TEST_CASE("ragdoll: it falls to the ground, loses energy all the way, and lies still") {
  for (const auto& each : all_dolls()) {
    const Doll& doll = *each;
    Scene scene = *doll.ragdoll.scene;
    SceneBody ground;
    ground.name = "ground";
    ground.immobile = true;
    ground.shapes.push_back({Plane{}, {}, {}, {.friction = 0.7}});
    scene.bodies.push_back(ground);
    scene.settings.duration = 6;
    Built fall = build(scene);
    const RagdollMap map(doll.ragdoll, doll.clips->rig, fall.model);
    const double size = doll.ragdoll.leg_length;
    // its soles at the ground, leaning as it walks
    const double floor = doll.clips->walk.footfalls.floor * doll.ragdoll.scale;
    const auto there = [&](double t) { return somewhere(doll, 0.4, {t, 0, -floor + 0.02 * size}); };
    map.write(doll.walking(0.3), there(0.3), fall.initial.q);
    State before = fall.initial;
    map.write(doll.walking(0.29), there(0.29), before.q);
    fall.initial.v = difference(fall.model, before.q, fall.initial.q) / 0.01;
    const Recording r = simulate(fall, scene.settings);
    INFO(r.summary.failure);
    REQUIRE(r.summary.failure == "");
    const double start = r.frames.front().energy.total();
    double lowest = start;
    for (const Frame& f : r.frames) {
      CHECK(f.energy.total() < lowest + 2e-3 * std::fabs(start));
      lowest = std::min(lowest, f.energy.total());
    }
    // lies: the pelvis is down, all bodies are above the ground and slow
    const Frame& last = r.frames.back();
    const auto body = [&](std::size_t i) { return last.X_WB[at(map.links()[i])]; };
    CHECK(body(0).p.z < 0.4 * size);
    CHECK(last.energy.kinetic < 5e-3 * doll.ragdoll.mass * size);
    for (std::size_t i = 0; i < doll.ragdoll.parts.size(); ++i) CHECK(body(i).p.z > 0);
    CHECK(r.summary.largest_penetration < 0.05 * size);
  }
}
