// Characters from and to files: round trips, real clips, broken files.
#include "molejo/io/character_file.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "molejo/io/base64.h"
#include "molejo/io/character_report.h"
#include "molejo/io/file.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/retarget.h"
#include "molejo/motion/sampler.h"
#include "tests/support/characters.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::motion;
using test::error_text;
using test::pose_distance;

namespace {

using Json = nlohmann::json;

// Poses of all clips of two characters with the same joints and clips.
double clips_distance(const motion::Character& a, const motion::Character& b, double step) {
  double most = a.clips.size() == b.clips.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.clips.size(), b.clips.size()); ++i) {
    SkeletonPose p(a.skeleton), q(b.skeleton);
    for (double t = a.clips[i].start() - 0.1; t < a.clips[i].end() + 0.1; t += step) {
      evaluate(a.clips[i], a.skeleton, t, p);
      evaluate(b.clips[i], b.skeleton, t, q);
      most = std::max(most, pose_distance(p, q));
    }
  }
  return most;
}

// Errors that the Khronos validator finds; -1 when it is not installed.
int validator_errors(const std::string& glb, const std::string& name) {
  const std::string path = test::binary_dir() + "/" + name;
  write_file(path, glb);
  const std::string command = "node " + test::source_dir() + "/scripts/validate_glb.mjs " + path +
                              " > " + path + ".txt 2>&1";
  const int code = std::system(command.c_str());
  if (!WIFEXITED(code) || WEXITSTATUS(code) == 3 || WEXITSTATUS(code) == 127) return -1;
  const std::string said = read_file(path + ".txt");
  CAPTURE(said);
  const std::size_t at = said.find(" errors");
  if (at == std::string::npos) return -1;
  return std::atoi(said.c_str() + said.rfind(' ', at - 1) + 1);
}

void check_valid(const std::string& glb, const std::string& name) {
  const int errors = validator_errors(glb, name);
  if (errors < 0) {
    MESSAGE("skipped: gltf-validator is not installed");
    return;
  }
  CHECK(errors == 0);
}

// A .gltf text with one joint chain and an animation, to be spoilt.
struct Sample {
  Json json;
  std::string bytes;

  int view(const void* data, std::size_t size) {
    json["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", size}});
    bytes.append(static_cast<const char*>(data), size);
    return static_cast<int>(json["bufferViews"].size()) - 1;
  }
  template <class T>
  int accessor(const std::vector<T>& values, int width, int type, bool normalised = false) {
    const char* types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json["accessors"].push_back({{"bufferView", view(values.data(), values.size() * sizeof(T))},
                                 {"componentType", type},
                                 {"count", values.size() / static_cast<std::size_t>(width)},
                                 {"type", types[width]},
                                 {"normalized", normalised}});
    return static_cast<int>(json["accessors"].size()) - 1;
  }
  std::string text() {
    Json copy = json;
    copy["buffers"] =
        Json::array({{{"byteLength", bytes.size()},
                      {"uri", "data:application/octet-stream;base64," + base64(bytes)}}});
    return copy.dump();
  }
  motion::Character parse() { return parse_gltf_character(text(), "sample.gltf"); }
};

Sample sample() {
  Sample s;
  s.json["asset"] = {{"version", "2.0"}};
  s.json["nodes"] = Json::array(
      {{{"name", "a"}, {"children", {1}}}, {{"name", "b"}, {"translation", {0, 1, 0}}}});
  s.json["scenes"] = Json::array({{{"nodes", {0}}}});
  s.json["scene"] = 0;
  const int times = s.accessor(std::vector<float>{0, 1, 2}, 1, 5126);
  const int turns = s.accessor(std::vector<float>{0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1}, 4, 5126);
  s.json["animations"] = Json::array(
      {{{"name", "spin"},
        {"samplers", Json::array({{{"input", times}, {"output", turns}}})},
        {"channels",
         Json::array({{{"sampler", 0}, {"target", {{"node", 1}, {"path", "rotation"}}}}})}}});
  return s;
}

bool has_problem(const motion::Character& c, const std::string& text) {
  for (const std::string& problem : c.problems) {
    if (problem.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("character file: a GLB written and read has the same poses, skin and mesh") {
  for (const motion::Character& c : {test::stick_character(), test::other_character()}) {
    const std::string glb = character_glb(c);
    const motion::Character back = parse_gltf_character(glb, "back.glb");
    CHECK(back.problems.empty());
    REQUIRE(back.skeleton.size() == c.skeleton.size());
    for (int j = 0; j < c.skeleton.size(); ++j) {
      CHECK(back.skeleton[j].name == c.skeleton[j].name);
      CHECK(back.skeleton[j].parent == c.skeleton[j].parent);
    }
    CHECK(clips_distance(c, back, 0.017) < 1e-6);
    REQUIRE(back.skins.size() == 1);
    CHECK(back.skins[0].joints == c.skins[0].joints);
    REQUIRE(back.meshes.size() == 1);
    const MeshPrimitive &p = c.meshes[0].primitives[0], &q = back.meshes[0].primitives[0];
    CHECK(p.indices == q.indices);
    CHECK(p.find("POSITION")->values == q.find("POSITION")->values);
    CHECK(p.joints == q.joints);
    CHECK(back.looks.material_count == 1);
    check_valid(glb, "character_" + c.name + ".glb");
    // and once more, bit for bit
    CHECK(character_glb(back) == character_glb(parse_gltf_character(character_glb(back), "b.glb")));
  }
}

TEST_CASE("character file: joints that no skin and no clip names are joints when they are read") {
  // a root of its own with a joint below it, moved by a clip that is gone
  motion::Character c = test::stick_character();
  const int before = c.skeleton.size();
  for (const int parent : {-1, before, -1}) {
    motion::SkeletonJoint joint;
    joint.name = "prop" + std::to_string(c.skeleton.size());
    joint.parent = parent;
    c.skeleton.joints.push_back(joint);
  }
  const std::string glb = character_glb(c);
  check_valid(glb, "character_props.glb");
  const motion::Character back = parse_gltf_character(glb, "back.glb");
  REQUIRE(back.skeleton.size() == before + 3);
  for (int j = 0; j < back.skeleton.size(); ++j) {
    CHECK(back.skeleton[j].name == c.skeleton[j].name);
    CHECK(back.skeleton[j].parent == c.skeleton[j].parent);
  }
  CHECK(clips_distance(c, back, 0.017) < 1e-6);
  CHECK(character_glb(back) == glb);
  // without skins and clips a mesh is no joint either
  c.skins.clear(), c.clips.clear();
  for (motion::Attachment& a : c.attachments) a.skin = -1;
  REQUIRE_FALSE(c.attachments.empty());
  CHECK(parse_gltf_character(character_glb(c), "bare.glb").skeleton.size() == before + 3);
}

TEST_CASE("character file: interpolations and shared times survive the round trip") {
  const motion::Character c = test::stick_character();
  const motion::Character back = parse_gltf_character(character_glb(c), "back.glb");
  for (std::size_t i = 0; i < c.clips.size(); ++i) {
    CHECK(back.clips[i].name == c.clips[i].name);
    CHECK(back.clips[i].times.size() == c.clips[i].times.size());
    REQUIRE(back.clips[i].tracks.size() == c.clips[i].tracks.size());
    for (std::size_t k = 0; k < c.clips[i].tracks.size(); ++k) {
      CHECK(back.clips[i].tracks[k].interpolation == c.clips[i].tracks[k].interpolation);
      CHECK(back.clips[i].tracks[k].channel == c.clips[i].tracks[k].channel);
    }
  }
}

TEST_CASE("character file: joints of a BVH are where a plain evaluation of the file puts them") {
  const std::string text =
      "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation "
      "Yrotation Xrotation\n JOINT Left Leg\n {\n  OFFSET 1 -2 0.5\n  CHANNELS 3 Yrotation "
      "Xrotation "
      "Zrotation\n  End Site\n  {\n   OFFSET 0 -3 0\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: "
      "0.25\n"
      "1 2 3 30 -20 10 40 50 -60\n4 5 6 0 0 90 0 0 0\n";
  const motion::Character c = parse_bvh(text, "two.bvh");
  REQUIRE(c.skeleton.size() == 3);
  CHECK(c.skeleton[1].name == "Left Leg");
  CHECK(c.skeleton[2].name == "Left Leg_end");
  REQUIRE(c.clips.size() == 1);
  CHECK(c.clips[0].duration() == 0.25);
  // rotation matrices written out, turned in the order of the channels
  const auto about = [](int axis, double degrees) {
    const double a = degrees * 3.141592653589793 / 180, s = std::sin(a), k = std::cos(a);
    if (axis == 0) return Mat3{{1, 0, 0}, {0, k, -s}, {0, s, k}};
    if (axis == 1) return Mat3{{k, 0, s}, {0, 1, 0}, {-s, 0, k}};
    return Mat3{{k, -s, 0}, {s, k, 0}, {0, 0, 1}};
  };
  const Mat3 R0 = about(2, 30) * about(1, -20) * about(0, 10);
  const Mat3 R1 = R0 * about(1, 40) * about(0, 50) * about(2, -60);
  const Vec3 leg = Vec3{1, 2, 3} + R0 * Vec3{1, -2, 0.5}, end = leg + R1 * Vec3{0, -3, 0};
  SkeletonPose pose(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0, pose);
  const std::vector<Affine> X = model_transforms(c.skeleton, pose);
  CHECK(max_abs(X[1].origin - leg) < 1e-12);
  CHECK(max_abs(X[2].origin - end) < 1e-12);
}

TEST_CASE("character file: a BVH written and read puts every joint at the same place") {
  for (motion::Character c : {test::stick_character(), test::other_character()}) {
    if (c.clips.empty()) {
      const motion::Character stick = test::stick_character();
      const SkeletonPose a = bind_pose(stick), b = bind_pose(c);
      const Roles ra = find_roles(stick.skeleton, a), rb = find_roles(c.skeleton, b);
      c.clips.push_back(
          Retarget({stick.skeleton, a, ra}, {c.skeleton, b, rb}).apply(stick.clips[0]));
    }
    const motion::Clip& clip = c.clips[0];
    const motion::Character back = parse_bvh(bvh_text(c, clip, {.fps = 30}), "back.bvh");
    SkeletonPose p(c.skeleton), q(back.skeleton);
    for (const double t : uniform_times(clip.start(), clip.end(), 30)) {
      evaluate(clip, c.skeleton, t, p);
      evaluate(back.clips[0], back.skeleton, t - clip.start(), q);
      const std::vector<Affine> X = model_transforms(c.skeleton, p);
      const std::vector<Affine> Y = model_transforms(back.skeleton, q);
      for (int j = 0; j < c.skeleton.size(); ++j) {
        const int k = back.skeleton.find(c.skeleton[j].name);
        REQUIRE(k >= 0);
        CHECK(max_abs(X[static_cast<std::size_t>(j)].origin -
                      Y[static_cast<std::size_t>(k)].origin) < 1e-6);
      }
    }
  }
}

TEST_CASE(
    "character file: normalised integers, sparse accessors and strides are read as the standard "
    "says") {
  Sample s = sample();
  // 16-bit rotations: 32767 is one
  const int packed = s.accessor(
      std::vector<std::int16_t>{0, 0, 0, 32767, 0, 32767, 0, 0, 0, 0, -32768, 0}, 4, 5122, true);
  s.json["animations"][0]["samplers"][0]["output"] = packed;
  // times: zeros, but for two
  const std::vector<std::uint8_t> places{1, 2};
  const std::vector<float> values{0.5f, 4};
  Json times{{"componentType", 5126}, {"count", 3}, {"type", "SCALAR"}};
  times["sparse"] = {
      {"count", 2},
      {"indices", {{"bufferView", s.view(places.data(), 2)}, {"componentType", 5121}}},
      {"values", {{"bufferView", s.view(values.data(), 8)}}}};
  s.json["accessors"].push_back(times);
  s.json["animations"][0]["samplers"][0]["input"] = s.json["accessors"].size() - 1;
  const motion::Character c = s.parse();
  REQUIRE(c.clips.size() == 1);
  CHECK(c.clips[0].times[0] == std::vector<double>{0, 0.5, 4});
  SkeletonPose pose(c.skeleton);
  evaluate(c.clips[0], c.skeleton, 0.5, pose);
  CHECK(std::fabs(std::fabs(pose.rotation(1).y) - 1) < 1e-12);
  evaluate(c.clips[0], c.skeleton, 9, pose);
  CHECK(std::fabs(pose.rotation(1).z) == 1);
}

TEST_CASE("character file: sparse values stay within their accessor") {
  // three numbers, one of which is replaced at the place given
  const auto read = [](auto place, int type) {
    Sample s = sample();
    const std::vector<decltype(place)> places{place};
    const std::vector<float> values{-5};
    Json times{{"componentType", 5126}, {"count", 3}, {"type", "SCALAR"}};
    times["sparse"] = {
        {"count", 1},
        {"indices",
         {{"bufferView", s.view(places.data(), sizeof(place))}, {"componentType", type}}},
        {"values", {{"bufferView", s.view(values.data(), 4)}}}};
    s.json["accessors"].push_back(times);
    s.json["animations"][0]["samplers"][0]["input"] = s.json["accessors"].size() - 1;
    return s.parse();
  };
  CHECK(read(std::uint8_t{0}, 5121).clips.at(0).times[0][0] == -5);
  const std::string beyond = "an index beyond the accessor";
  for (const unsigned place : {3u, 4u, 200u}) {
    CAPTURE(place);
    CHECK(has_problem(read(static_cast<std::uint8_t>(place), 5121), beyond));
    CHECK(has_problem(read(static_cast<std::uint16_t>(place), 5123), beyond));
    CHECK(has_problem(read(place, 5125), beyond));
  }
  CHECK(has_problem(read(~0u, 5125), beyond));
  // a signed place could be in front of the accessor
  CHECK(has_problem(read(std::int8_t{-1}, 5120), "componentType 5120; expected 5121"));
  CHECK(has_problem(read(std::int16_t{-1}, 5122), "componentType 5122; expected 5121"));
  CHECK(has_problem(read(1.f, 5126), "componentType 5126; expected 5121"));
}

TEST_CASE("character file: imperfect keys are mended and told") {
  Sample s = sample();
  const float nan = std::nanf("");
  const int times = s.accessor(std::vector<float>{0, 1, 1, 0.5f, nan, 2, 3}, 1, 5126);
  const int turns = s.accessor(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0, 1,   0, 0, 0, 1, 0,
                                                  0, 0, 1, 0, 0, 0, 1, 0, nan, 0, 0, 2, 0, 0},
                               4, 5126);
  s.json["animations"][0]["samplers"][0] = {
      {"input", times}, {"output", turns}, {"interpolation", "LINEER"}};
  const motion::Character c = s.parse();
  REQUIRE(c.clips.size() == 1);
  // kept: 0, 1 (without length: as the one before) and 3 (made a unit)
  CHECK(c.clips[0].times[0] == std::vector<double>{0, 1, 3});
  CHECK(c.clips[0].tracks[0].values == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0});
  CHECK(has_problem(c, "keys out of order or without a number"));
  CHECK(has_problem(c, "rotations of length zero"));
  CHECK(has_problem(c, "unknown interpolation 'LINEER'; did you mean 'LINEAR'?"));
}

TEST_CASE("character file: rotations of nodes that are no unit are mended and told") {
  const auto read = [](std::vector<double> rotation) {
    Sample s = sample();
    s.json["nodes"][1]["rotation"] = rotation;
    return s.parse();
  };
  const motion::Character none = read({0, 0, 0, 0});
  CHECK(none.skeleton[1].rest.rotation.w == 1);
  CHECK(has_problem(none, "a node's rotation has length zero: taken as none"));
  const motion::Character long_one = read({0, 0, 3, 0});
  CHECK(long_one.skeleton[1].rest.rotation.z == 1);
  CHECK(has_problem(long_one, "a node's rotation is not of unit length: normalised"));
  CHECK(read({0, 0, 1, 0}).problems.empty());
}

TEST_CASE("character file: a first rotation without length is the one at rest") {
  for (const int per_key : {1, 3}) {  // plain keys; values between two tangents
    Sample s = sample();
    s.json["nodes"][1]["rotation"] = {0, 0, 1, 0};
    std::vector<float> turns(4 * static_cast<std::size_t>(per_key), 0.f);
    const int times = s.accessor(std::vector<float>{0}, 1, 5126);
    s.json["animations"][0]["samplers"][0] = {
        {"input", times},
        {"output", s.accessor(turns, 4, 5126)},
        {"interpolation", per_key == 3 ? "CUBICSPLINE" : "LINEAR"}};
    const motion::Character c = s.parse();
    const Track& track = c.clips.at(0).tracks.at(0);
    REQUIRE(track.values.size() == turns.size());
    const std::size_t value = per_key == 3 ? 4 : 0;
    CHECK(track.values[value] == 0);
    CHECK(track.values[value + 3] == 1);
    CHECK(has_problem(c, "rotations of length zero"));
  }
}

TEST_CASE("character file: a skin without inverse binds, nodes without names, matrices of nodes") {
  Sample s = sample();
  s.json["skins"] = Json::array({{{"joints", {0, 1}}}});
  s.json["nodes"][1].erase("name");
  s.json["nodes"][1].erase("translation");
  s.json["nodes"][1]["matrix"] = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1};
  const motion::Character c = s.parse();
  REQUIRE(c.skins.size() == 1);
  CHECK(c.skins[0].inverse_binds[1] == Affine{});
  CHECK(has_problem(c, "without inverse bind matrices"));
  CHECK(c.skeleton[1].name == "joint_1");
  const Transform& t = c.skeleton[1].rest;
  CHECK(max_abs(t.translation - Vec3{5, 6, 7}) == 0);
  CHECK(max_abs(t.scale - Vec3{2, 2, 2}) < 1e-12);
  CHECK(std::fabs(t.rotation.z - std::sqrt(0.5)) < 1e-12);
}

TEST_CASE("character file: broken structure is an error that names the place") {
  const auto complaint = [](const std::function<void(Sample&)>& spoil) {
    Sample s = sample();
    spoil(s);
    return error_text([&] { s.parse(); });
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  };
  has(complaint([](Sample& s) { s.json["nodes"][1]["children"] = {0}; }), "form a circle");
  has(complaint([](Sample& s) { s.json["nodes"][1]["children"] = {1}; }), "/nodes/1");
  has(complaint([](Sample& s) { s.json["nodes"][0]["children"] = {1, 7}; }), "from 0 to 1");
  has(complaint([](Sample& s) {
        s.json["nodes"][0]["children"] = {1, 1};
      }),
      "a child of node 0 too");
  has(complaint([](Sample& s) {
        s.json["nodes"][0]["rotation"] = {0, 0, 1};
      }),
      "an array of 4 numbers");
  has(complaint([](Sample& s) { s.json["asset"]["version"] = "1.0"; }), "expected 2.0");
  has(complaint([](Sample& s) { s.json.erase("nodes"); }), "no nodes");
  has(complaint([](Sample& s) {
        for (int i = 0; i < 70'000; ++i) s.json["nodes"].push_back(Json::object());
      }),
      "70002 items: expected at most 65536");
  // what only concerns a channel costs that channel
  Sample s = sample();
  s.json["accessors"][1]["count"] = 1'000'000'000;
  const motion::Character c = s.parse();
  CHECK(c.clips.empty());
  CHECK(has_problem(c, "more numbers than are read from one file"));
  Sample beyond = sample();
  beyond.json["accessors"][1]["count"] = 4;
  CHECK(has_problem(beyond.parse(), "reach beyond the 48 bytes of their view"));
  Sample short_of_a_byte = sample();
  Json& json = short_of_a_byte.json;
  json["bufferViews"][json["accessors"][1]["bufferView"].get<std::size_t>()]["byteLength"] = 47;
  CHECK(has_problem(short_of_a_byte.parse(), "reach beyond the 47 bytes of their view"));
  has(error_text([] { parse_gltf_character("glTF", "a.glb"); }), "a.glb: a GLB file that ends");
  has(error_text([] { parse_gltf_character("{", "a.gltf"); }), "a.gltf:1");
}

TEST_CASE(
    "character file: a file that asks for few numbers often is bounded as one that has many") {
  // zeros without a byte in the file: four million in each of twelve clips
  Sample s = sample();
  s.json["accessors"].push_back({{"componentType", 5126}, {"count", 1'000'000}, {"type", "VEC4"}});
  Json clip = s.json["animations"][0];
  clip["samplers"][0]["output"] = s.json["accessors"].size() - 1;
  for (int i = 0; i < 12; ++i) s.json["animations"].push_back(clip);
  const motion::Character c = s.parse();
  CHECK(c.clips.size() < 12);
  CHECK(has_problem(c, "more numbers than are read from one file"));
  REQUIRE(c.clips.size() > 2);
  CHECK(c.clips[0].name == "spin");
}

TEST_CASE(
    "character file: a BVH of a million frames or joints is refused before memory is asked for") {
  const std::string head =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\n";
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  };
  has(error_text(
          [&] { parse_bvh(head + "Frames: 1000000000\nFrame Time: 0.1\n1 2 3\n", "a.bvh"); }),
      "expected at most 11184810 frames for these channels");
  // memory follows what is there, not what is announced
  const motion::Character announced =
      parse_bvh(head + "Frames: 1000000\nFrame Time: 0.1\n1 2 3\n", "a.bvh");
  CHECK(announced.clips[0].times[0].size() == 1);
  CHECK(announced.clips[0].times[0].capacity() < 100);
  has(error_text([&] { parse_bvh(head + "Frames: 1\nFrame Time: 0.1\n1 2 x\n", "a.bvh"); }),
      "a.bvh:10: 'x': expected a number");
  // so many digits as a number needs and more, but not any number of them
  const auto with_digits = [&](std::size_t letters) {
    const std::string number = "3." + std::string(letters - 2, '1');
    return parse_bvh(head + "Frames: 1\nFrame Time: 0.1\n1 2 " + number + "\n", "a.bvh");
  };
  CHECK(with_digits(63).clips[0].times[0].size() == 1);
  has(error_text([&] { with_digits(64); }), "expected a number");
  std::string deep = "HIERARCHY\nROOT a\n{\n";
  for (int i = 0; i < 2000; ++i) deep += "JOINT b\n{\n";
  has(error_text([&] { parse_bvh(deep, "a.bvh"); }), "1000 joints below each other");
  has(error_text([] { parse_bvh("HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotatoin\n", "a.bvh"); }),
      "did you mean 'Xrotation'?");
  // a short file keeps its whole frames
  const motion::Character c =
      parse_bvh(head + "Frames: 3\nFrame Time: 0.1\n1 2 3 4 5 6 7\n", "a.bvh");
  CHECK(c.clips[0].times[0].size() == 2);
  CHECK(has_problem(c, "ends after 2 frames"));
}

TEST_CASE("character file: real clips are read, walk, and are written without errors") {
  const std::string walk = test::installed_clip("viverse/walk.glb");
  if (walk.empty()) {
    MESSAGE("skipped: scripts/install_deps --test has not installed the clips");
    return;
  }
  for (const char* name : {"viverse/walk.glb", "viverse/run.glb", "viverse/idle.glb",
                           "dcl/walk.glb", "dcl/run.glb", "dcl/idle.glb", "cmu/example.bvh"}) {
    CAPTURE(name);
    const motion::Character c = load_character(SourceFile::given(test::installed_clip(name)));
    const Roles roles = find_roles(c.skeleton, bind_pose(c));
    CHECK(roles.walks());
    CHECK(c.clips.size() == 1);
    CHECK(norm(roles.bearing.front - Vec3{0, 0, 1}) < 0.15);
    for (int r = 0; r < role_count; ++r)
      CHECK(roles.evidence[static_cast<std::size_t>(r)] == Evidence::name);
    const motion::Character back = parse_gltf_character(character_glb(c), "back.glb");
    // centimetres in floats
    CHECK(clips_distance(c, back, 0.05) < (c.skins.empty() || name[0] == 'd' ? 1e-4 : 1e-6));
    std::string file = std::string("real_") + name + ".glb";
    std::replace(file.begin(), file.end(), '/', '_');
    check_valid(character_glb(c), file);
  }
  const motion::Character viverse = load_character(SourceFile::given(walk));
  CHECK(viverse.skeleton.size() == 54);
  CHECK(std::fabs(viverse.clips[0].duration() - 4.0 / 3) < 1e-6);
  CHECK(load_character(SourceFile::given(test::installed_clip("dcl/walk.glb"))).skeleton.size() ==
        63);
}

TEST_CASE("character file: a packed mannequin walks in its skin") {
  const std::string file = test::installed_clip("viverse/mannequin.glb");
  if (file.empty()) {
    MESSAGE("skipped: scripts/install_deps --test has not installed the clips");
    return;
  }
  motion::Character c = load_character(SourceFile::given(file));
  CHECK(c.problems.empty());
  REQUIRE(c.attachments.size() == 1);
  // in its bind pose the skin is a person of 1.7 to 1.9 m that stands on the ground
  double low = 1e9, high = -1e9, wide = 0;
  for (const MeshPrimitive& p : c.meshes[0].primitives) {
    for (const Vec3& v : skinned_positions(c, c.attachments[0], p, bind_pose(c))) {
      low = std::min(low, v.y), high = std::max(high, v.y), wide = std::max(wide, std::fabs(v.x));
    }
  }
  CHECK(std::fabs(low) < 0.02);
  CHECK(high - low > 1.7);
  CHECK(high - low < 1.9);
  CHECK(wide > 0.5);
  const motion::Character walk =
      load_character(SourceFile::given(test::installed_clip("dcl/walk.glb")));
  const SkeletonPose a = bind_pose(walk), b = bind_pose(c);
  const Roles ra = find_roles(walk.skeleton, a), rb = find_roles(c.skeleton, b);
  c.clips = {Retarget({walk.skeleton, a, ra}, {c.skeleton, b, rb}).apply(walk.clips[0])};
  // feet of the walk stay near the ground: no toe sinks or floats by more than 5 cm at the lowest
  SkeletonPose pose(c.skeleton);
  double lowest = 1e9;
  for (double t = c.clips[0].start(); t < c.clips[0].end(); t += 0.05) {
    evaluate(c.clips[0], c.skeleton, t, pose);
    for (const MeshPrimitive& p : c.meshes[0].primitives) {
      for (const Vec3& v : skinned_positions(c, c.attachments[0], p, pose))
        lowest = std::min(lowest, v.y);
    }
  }
  CHECK(std::fabs(lowest) < 0.05);
  check_valid(character_glb(c), "mannequin_walk.glb");
}

TEST_CASE(
    "character file: Debian's odd models are read or refused in one line, and rewritten without "
    "errors") {
  const std::vector<std::string> files = test::assimp_models({".gltf", ".glb", ".bvh"});
  if (files.empty()) {
    MESSAGE("skipped: assimp-testmodels is not installed");
    return;
  }
  int read = 0;
  for (const std::string& file : files) {
    CAPTURE(file);
    const std::string error = error_text([&] {
      const motion::Character c = load_character(SourceFile::given(file));
      ++read;
      const Roles roles = find_roles(c.skeleton, bind_pose(c));
      CHECK(!character_text(c, roles).empty());
      const motion::Character back = parse_gltf_character(character_glb(c), "back.glb");
      CHECK(back.skeleton.size() == c.skeleton.size());
    });
    CHECK(error.find('\n') == std::string::npos);
  }
  CHECK(read >= 20);
}
