// A walker in a stage that is pushed over and recovers.
#include "molejo/director/fallible_walker.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/director/terrain_field.h"
#include "molejo/director/walking.h"
#include "molejo/io/walk_scene.h"
#include "molejo/model/error.h"
#include "molejo/navigation/track.h"
#include "tests/support/characters.h"
#include "tests/support/motion.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

WalkScene hills() {
  return parse_walk_scene(
      R"({"terrains": [{"elevation": "0.1*sin(x)*1", "from": [-3, -5], "to": [14, 5]}],
          "characters": [{"name": "ana", "file": "stick_walk.bvh", "plan": {"path": [[9, 0]]},
            "clips": {"walk": "stick_walk.bvh", "idle": "stick_idle.bvh"}}]})",
      SourceFile::given(source_dir() + "/scenes/walks/test.walk.json"));
}

struct OnStage {
  OnStage() : scene(hills()), stage(scene.ground) {
    const WalkActor& actor = scene.actors[0];
    doll = std::make_shared<const navigation::Ragdoll>(
        navigation::make_ragdoll(*actor.clips, *actor.character, actor.start.scale));
    Scene around;
    const Terrain& t = scene.terrains[0];
    around.bodies.push_back(
        terrain_body("terrain", terrain_field(t.relief, t.offset, t.scale), t.color));
    auto made = std::make_unique<FallibleWalker>(make_walker(actor, *scene.ground), doll, around,
                                                 *scene.ground);
    walker = made.get();
    stage.add("ana", std::move(made), actor.plan);
  }
  double height() const {
    const auto& X = walker->model_transforms()[static_cast<std::size_t>(walker->rig().hips)];
    const Vec3 p = walker->placement() * X.origin;
    return p.z - scene.ground->at(p.x, p.y)->height;
  }

  WalkScene scene;
  navigation::Stage stage;
  std::shared_ptr<const navigation::Ragdoll> doll;
  FallibleWalker* walker = nullptr;
};

}  // namespace

TEST_CASE("fallible walker: until it is pushed it is the walker inside") {
  OnStage a;
  navigation::Stage plain = make_stage(a.scene);
  for (int k = 0; k < 90; ++k) {
    a.stage.advance(1.0 / 60), plain.advance(1.0 / 60);
    REQUIRE(a.walker->pose() == plain.walker(0).pose());
    REQUIRE(a.walker->placement() == plain.walker(0).placement());
    REQUIRE(a.walker->position() == plain.walker(0).position());
  }
  CHECK(!a.walker->is_down());
}

TEST_CASE("fallible walker: a push adds its impulse, it falls, lies, recovers and walks on") {
  OnStage a;
  const double leg = a.doll->leg_length;
  for (int k = 0; k < 120; ++k) a.stage.advance(1.0 / 60);
  CHECK(a.height() > 0.9 * leg);
  const Model& model = a.walker->model();
  const Totals before = totals(model, kinematics(model, a.walker->state()));
  const motion::SkeletonPose walking = a.walker->pose();
  CHECK(before.com_velocity.x > 0.3);
  a.walker->push({5, 55, 0}, "torso");
  const Totals after = totals(model, kinematics(model, a.walker->state()));
  CHECK(norm(after.momentum - before.momentum - Vec3{5, 55, 0}) < 1e-9);
  CHECK(a.walker->is_down());
  // the pose is the one it had
  CHECK(pose_distance(walking, a.walker->pose()) < 1e-9);

  double turn = 0;
  std::vector<Quat> last;
  const auto look = [&] {
    std::vector<Quat> now;
    for (const navigation::RagdollPart& part : a.doll->parts) {
      now.push_back(motion::model_rotations(
          a.walker->rig().skeleton, a.walker->pose())[static_cast<std::size_t>(part.joint)]);
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
      turn = std::max(turn, norm(log_quat(normalized(conjugate(last[i]) * now[i]))));
    }
    last = now;
  };
  for (int k = 0; k < 150; ++k) a.stage.advance(1.0 / 60);
  CHECK(a.walker->failure() == "");
  CHECK(a.height() < 0.4 * leg);
  CHECK(a.walker->position().y > 0.1);
  look();
  a.walker->recover(1.0);
  CHECK(!a.walker->is_down());
  turn = 0;
  for (int k = 0; k < 90; ++k) {
    a.stage.advance(1.0 / 60);
    // in the world: the model turns with the heading
    if (k > 0) look();
    if (k == 0) last.clear(), look();
  }
  CHECK(turn < 0.2);
  CHECK(a.height() > 0.85 * leg);
  const double x = a.walker->position().x;
  for (int k = 0; k < 120; ++k) a.stage.advance(1.0 / 60);
  CHECK(a.walker->position().x > x + 0.3);
}

TEST_CASE("fallible walker: other steps, pushes where it lies, unknown parts") {
  OnStage a;
  for (int k = 0; k < 60; ++k) a.stage.advance(1.0 / 60);
  a.walker->push({0, 40, 0});
  for (int k = 0; k < 60; ++k) a.stage.advance(1.0 / 60);
  // frames of another length
  for (int k = 0; k < 60; ++k) a.stage.advance(1.0 / 30);
  CHECK(a.height() < 0.4 * a.doll->leg_length);
  CHECK(a.walker->failure() == "");
  const Model& model = a.walker->model();
  const Vec3 lies = totals(model, kinematics(model, a.walker->state())).com;
  a.walker->push({0, 0, 200}, "pelvis");
  for (int k = 0; k < 6; ++k) a.stage.advance(1.0 / 30);
  CHECK(totals(model, kinematics(model, a.walker->state())).com.z > lies.z + 0.1);
  CHECK_THROWS_WITH_AS(a.walker->push({1, 0, 0}, "tors"), doctest::Contains("torso"), InputError);
}

TEST_CASE("fallible walker: a stage records it as any other") {
  OnStage a;
  navigation::WalkRecord record =
      navigation::run(a.stage, {.fps = 30, .frames = 90, .tell = [&](int k) {
                                  if (k == 30) a.walker->push({0, 45, 0});
                                  if (k == 75) a.walker->recover(0.5);
                                }});
  REQUIRE(record.frames() == 91);
  const auto z = [&](int k) {
    const navigation::TrackFrame& f = record.characters[0].frames[static_cast<std::size_t>(k)];
    const auto X = motion::model_transforms(record.characters[0].rig.skeleton, f.pose);
    return (f.placement * X[static_cast<std::size_t>(record.characters[0].rig.hips)].origin).z;
  };
  CHECK(z(30) > 0.7);
  CHECK(z(75) < 0.5);
  CHECK(z(90) > 0.7);
}
