// A directed scene with a walker in its skin, written and read again.
#include "molejo/io/show_glb.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "molejo/io/character_file.h"
#include "molejo/io/show.h"
#include "tests/support/characters.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// It walks, falls and gets up beside a box; a second walker without a skin stands by.
constexpr const char* text = R"({
  "scene": {"bodies": [{"name": "box", "position": [0, 1.5, 0.3], "shape": {"box": 0.5}}]},
  "actors": [
    {"name": "ana", "walker": {"terrains": [{"elevation": "0", "from": [-9, -9], "to": [9, 9]}],
      "characters": [{"name": "skinned", "file": "skinned.glb", "clips": {"walk": {"clip": "walk"}, "idle": {"clip": "idle"}}}]}},
    {"name": "bob", "walker": {"terrains": [{"elevation": "0", "from": [20, -9], "to": [29, 9]}],
      "characters": [{"name": "bare", "file": "bare.glb", "position": [24, 0], "clips": {"walk": {"clip": "walk"}}}]}}],
  "net": {
    "places": [{"name": "A", "tokens": 1, "delay": 1, "action": "go"}, {"name": "B", "delay": 1, "action": "fall"}, {"name": "C", "delay": 1, "action": "up"}],
    "transitions": [{"name": "ab", "in": "A", "out": "B"}, {"name": "bc", "in": "B", "out": "C"}]},
  "fps": 20, "duration": 3,
  "actions": {"go": {"do": "walk", "actor": "ana", "heading_deg": 0},
              "fall": {"do": "fall", "actor": "ana", "push": [0, -40, 0]},
              "up": {"do": "recover", "actor": "ana"}}})";

Show show() {
  return parse_show(text, "none/test.show.json", [](const SourceFile& file) {
    motion::Character c = stick_character();
    if (file.name().find("bare") != std::string::npos) c.attachments.clear(), c.skins.clear();
    return c;
  });
}

}  // namespace

TEST_CASE("show glb: a walker is shown in its skin, everything else as bodies") {
  const Show made = show();
  REQUIRE(has_skins(made));
  const Directed d = direct(made, {.skeletons = true});
  REQUIRE(d.recording.frames.size() == 61);
  REQUIRE(d.walkers.size() == 2);
  REQUIRE(d.walkers[0].poses.size() == 61);
  const motion::Character back = parse_gltf_character(show_glb(made, d), "back.glb");
  CHECK(back.skins.size() == 1);
  REQUIRE(back.clips.size() == 1);
  CHECK(back.clips[0].end() == doctest::Approx(3));
  // bodies of the skinned walker are not shown, those of the other one are
  CHECK(back.skeleton.find("box") >= 0);
  const auto drawn = [&](const std::string& name) {
    return std::any_of(back.attachments.begin(), back.attachments.end(), [&](const auto& a) {
      return back.meshes[static_cast<std::size_t>(a.mesh)].name == name;
    });
  };
  CHECK(drawn("terrain"));
  CHECK(drawn("bob.torso"));
  CHECK(!drawn("ana.torso"));
  CHECK(back.skeleton.find("ana.pelvis") < 0);
  CHECK(back.skeleton.find("bob.pelvis") >= 0);

  // walking, lying and rising: hips and a hand are where the walker shows them; y is up here
  const motion::Skeleton& own = made.walkers[0].character->skeleton;
  for (const std::size_t k : {std::size_t{10}, std::size_t{35}, std::size_t{50}}) {
    motion::SkeletonPose pose(back.skeleton);
    motion::evaluate(back.clips[0], back.skeleton, static_cast<double>(k) / 20, pose);
    const auto X = motion::model_transforms(back.skeleton, pose);
    std::vector<motion::Affine> wanted(own.joints.size());
    motion::model_transforms(own, d.walkers[0].poses[k], d.walkers[0].placements[k], wanted);
    for (int j = 0; j < own.size(); ++j) {
      const int found = back.skeleton.find("ana " + own[j].name);
      REQUIRE(found >= 0);
      const Vec3 p = wanted[static_cast<std::size_t>(j)].origin;
      CHECK(norm(X[static_cast<std::size_t>(found)].origin - Vec3{p.x, p.z, -p.y}) < 1e-5);
    }
    const int box = made.built->model.body("box").index;
    const Vec3 b = d.recording.frames[k].X_WB[static_cast<std::size_t>(box)].p;
    const int found = back.skeleton.find("box");
    CHECK(norm(X[static_cast<std::size_t>(found)].origin - Vec3{b.x, b.z, -b.y}) < 1e-5);
  }
}

TEST_CASE("show glb: the skeleton follows the bodies while they are simulated") {
  const Show made = show();
  const Directed d = direct(made, {.skeletons = true});
  const navigation::Ragdoll& doll = *made.walkers[0].ragdoll;
  const motion::Skeleton& own = made.walkers[0].character->skeleton;
  for (std::size_t k = 0; k < d.recording.frames.size(); ++k) {
    std::vector<motion::Affine> X(own.joints.size());
    motion::model_transforms(own, d.walkers[0].poses[k], d.walkers[0].placements[k], X);
    const int pelvis = made.built->model.body("ana.pelvis").index;
    const Vec3 body = d.recording.frames[k].X_WB[static_cast<std::size_t>(pelvis)].p;
    CHECK(norm(X[static_cast<std::size_t>(doll.parts[0].joint)].origin - body) < 1e-9);
  }
}
