// One GLB of a whole walk: read back, it shows what was recorded.
#include "molejo/io/walk_glb.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "molejo/io/character_file.h"
#include "molejo/io/file.h"
#include "tests/support/characters.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::navigation;
using namespace nlohmann::literals;

namespace {

struct Walked {
  WalkScene scene;
  WalkRecord record;
};

// Two walkers of one skin and one without any, on steps.
Walked walked() {
  const std::string text = R"({
    "terrains": [{"name": "stairs", "steps": [{"length": 4}, {"count": 3, "length": 0.45, "rise": 0.15},
                   {"length": 4}], "from": [-2, -4], "width": 8}],
    "characters": [
      {"name": "ana", "file": "skinned", "clips": {"walk": {"clip": "walk"}}},
      {"name": "bob", "file": "skinned", "clips": {"walk": {"clip": "walk"}}, "position": [0, 2]},
      {"name": "eva", "file": "bones", "position": [0, -2]}]})";
  Walked w;
  w.scene = parse_walk_scene(text, "t.walk.json", [](const SourceFile& file) {
    if (file.name() == "skinned") return test::stick_character();
    return load_character(SourceFile::given(test::source_dir() + "/scenes/walks/stick_walk.bvh"));
  });
  navigation::Stage stage = make_stage(w.scene);
  w.record = run(stage, {.fps = 30, .frames = 60});
  return w;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

TEST_CASE("walk glb: joints, skins and terrain of all, read back where they were recorded") {
  const Walked w = walked();
  const std::string glb = walk_glb(w.scene, w.record, {.curves = true});
  const motion::Character c = parse_gltf_character(glb, "walk.glb");
  CHECK(c.problems.empty());
  REQUIRE(c.clips.size() == 1);
  CHECK(c.clips[0].duration() == doctest::Approx(2));
  CHECK(c.skins.size() == 2);
  const motion::Affine to_file{Mat3{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {}};  // z up to y up
  motion::SkeletonPose pose(c.skeleton);
  double off = 0;
  for (const int frame : {0, 17, 60}) {
    motion::evaluate(c.clips[0], c.skeleton, frame / 30.0, pose);
    const std::vector<motion::Affine> X = motion::model_transforms(c.skeleton, pose);
    for (const CharacterTrack& track : w.record.characters) {
      const TrackFrame& f = track.frames[at(frame)];
      std::vector<motion::Affine> wanted(track.rig.skeleton.joints.size());
      motion::model_transforms(track.rig.skeleton, f.pose, to_file * f.placement, wanted);
      for (int j = 0; j < track.rig.skeleton.size(); ++j) {
        const int found = c.skeleton.find(track.name + " " + track.rig.skeleton[j].name);
        REQUIRE(found >= 0);
        off = std::max(off, max_abs(X[at(found)].origin - wanted[at(j)].origin));
      }
    }
  }
  CHECK(off < 1e-5);
}

TEST_CASE("walk glb: skins move as they did in the model") {
  const Walked w = walked();
  const motion::Character c = walk_character(w.scene, w.record);
  const motion::Character& body = *w.scene.actors[1].character;
  const TrackFrame& f = w.record.characters[1].frames[40];
  motion::SkeletonPose pose(c.skeleton);
  motion::evaluate(c.clips[0], c.skeleton, 40 / 30.0, pose);
  // bob's body is the second attachment that has a skin
  const motion::Attachment* bob = nullptr;
  for (const motion::Attachment& a : c.attachments) {
    if (a.skin == 1) bob = &a;
  }
  REQUIRE(bob);
  const auto moved =
      motion::skinned_positions(c, *bob, c.meshes[at(bob->mesh)].primitives[0], pose);
  const auto own =
      motion::skinned_positions(body, body.attachments[0], body.meshes[0].primitives[0], f.pose);
  REQUIRE(moved.size() == own.size());
  double off = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Vec3 p = f.placement * own[i];
    off = std::max(off, max_abs(moved[i] - Vec3{p.x, p.z, -p.y}));
  }
  CHECK(off < 1e-6);
}

TEST_CASE("walk glb: what is shared is there once, who has no mesh has bones") {
  const Walked w = walked();
  const motion::Character plain = walk_character(w.scene, w.record);
  // one body for two, one bone for all, one terrain
  CHECK(plain.meshes.size() == 3);
  CHECK(plain.looks.material_count == 1 + 1 + 2);
  int bones = 0;
  for (const motion::Attachment& a : plain.attachments) bones += a.name.ends_with(" bone");
  CHECK(bones == 25);  // 26 joints, one of them the root
  const motion::Character curves = walk_character(w.scene, w.record, {.curves = true});
  // three have two feet with target and way each, and hips twice
  CHECK(curves.meshes.size() == plain.meshes.size() + 3 * 6);
  const motion::CharacterMesh& line = curves.meshes.at(1);
  CHECK(line.primitives[0].mode == 3);
  CHECK(line.primitives[0].find("POSITION")->values.size() == 3 * 61);
  const motion::Character bare = walk_character(w.scene, w.record, {.terrains = false});
  CHECK(bare.meshes.size() == plain.meshes.size() - 1);
}

TEST_CASE("walk glb: materials, textures and pictures of two characters stay with their meshes") {
  const auto painted = [](motion::Character c, const std::string& name) {
    c.looks.materials = R"([{"name": "plain"}, {"name": ")" + name +
                        R"(", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
                           "extensions": {"KHR_materials_clearcoat": {"clearcoatTexture": {"index": 1}}}}])";
    c.looks.textures = R"([{"source": 0, "sampler": 0}, {"source": 1}])";
    c.looks.samplers = R"([{"magFilter": 9729}])";
    c.looks.pictures = {{name + " 0", "image/png", "x"}, {name + " 1", "image/png", "y"}};
    c.looks.material_count = 2;
    c.looks.extensions = {"KHR_materials_clearcoat"};
    c.meshes[0].primitives[0].material = 1;
    c.meshes[0].name = name;
    return c;
  };
  Walked w;
  w.scene = parse_walk_scene(
      R"({"terrains": {"elevation": "0", "from": [-9, -9], "to": [9, 9]}, "characters": [
          {"name": "ana", "file": "first", "clips": {"walk": {"file": "first", "clip": "walk"}}},
          {"name": "bob", "file": "second", "clips": {"walk": {"file": "first", "clip": "walk"}}}]})",
      "t.walk.json", [&](const SourceFile& file) {
        return file.name() == "first" ? painted(test::stick_character(), "red")
                                      : painted(test::other_character(), "blue");
      });
  navigation::Stage stage = make_stage(w.scene);
  w.record = run(stage, {.fps = 30, .frames = 3});
  const motion::Character c = walk_character(w.scene, w.record);
  using Json = nlohmann::json;
  const Json materials = Json::parse(c.looks.materials), textures = Json::parse(c.looks.textures);
  CHECK(Json::parse(c.looks.samplers).size() == 2);
  CHECK(c.looks.extensions.size() == 1);
  int seen = 0;
  for (const motion::CharacterMesh& mesh : c.meshes) {
    if (mesh.name != "red" && mesh.name != "blue") continue;
    ++seen;
    CAPTURE(mesh.name);
    const Json& material = materials.at(at(mesh.primitives[0].material));
    CHECK(material.at("name") == mesh.name);
    const Json& base =
        textures.at(material.at("/pbrMetallicRoughness/baseColorTexture/index"_json_pointer)
                        .get<std::size_t>());
    const Json& coat = textures.at(
        material.at("/extensions/KHR_materials_clearcoat/clearcoatTexture/index"_json_pointer)
            .get<std::size_t>());
    CHECK(c.looks.pictures.at(base.at("source").get<std::size_t>()).name == mesh.name + " 0");
    CHECK(c.looks.pictures.at(coat.at("source").get<std::size_t>()).name == mesh.name + " 1");
    CHECK(base.at("sampler") == (mesh.name == "red" ? 0 : 1));
  }
  CHECK(seen == 2);
}

TEST_CASE("walk glb: the Khronos validator finds no error") {
  Walked w = walked();
  std::vector<std::pair<std::string, std::string>> files{
      {"walk_test.glb", walk_glb(w.scene, w.record, {.curves = true})}};
  if (!test::installed_clip("viverse/mannequin.glb").empty()) {
    w.scene =
        load_walk_scene(SourceFile::given(test::source_dir() + "/scenes/walks/demo_c.walk.json"));
    navigation::Stage stage = make_stage(w.scene);
    w.record = run(stage, {.fps = 30, .frames = 60});
    files.emplace_back("walk_demo.glb", walk_glb(w.scene, w.record, {.curves = true}));
  }
  for (const auto& file : files) {
    CAPTURE(file.first);
    const std::string path = test::binary_dir() + "/" + file.first;
    write_file(path, file.second);
    const std::string command = "node " + test::source_dir() + "/scripts/validate_glb.mjs " + path +
                                " > " + path + ".txt 2>&1";
    const int code = std::system(command.c_str());
    if (!WIFEXITED(code) || WEXITSTATUS(code) == 3 || WEXITSTATUS(code) == 127) {
      MESSAGE("skipped: gltf-validator is not installed");
      return;
    }
    const std::string said = read_file(path + ".txt");
    CAPTURE(said);
    CHECK(WEXITSTATUS(code) == 0);
    CHECK(said.find(" 0 errors, 0 warnings") != std::string::npos);
  }
}
