// What is written is read again by the bytes, and judged by the Khronos validator.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "molejo/io/file.h"
#include "molejo/model/scene.h"
#include "tests/io/recorded.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
using Json = nlohmann::json;

namespace {

struct Glb {
  Json root;
  std::string binary;

  std::vector<float> floats(int accessor) const {
    const Json& a = root["accessors"][static_cast<std::size_t>(accessor)];
    const Json& view = root["bufferViews"][a["bufferView"].get<std::size_t>()];
    std::vector<float> values(view["byteLength"].get<std::size_t>() / 4);
    std::memcpy(values.data(), binary.data() + view["byteOffset"].get<std::size_t>(),
                values.size() * 4);
    return values;
  }
  const Json& node(const std::string& name) const {
    for (const Json& n : root["nodes"]) {
      if (n.value("name", "") == name) return n;
    }
    FAIL("no node ", name);
    return root;
  }
  // the sampler that moves the node along the path, or null
  Json sampler(const std::string& name, const std::string& path) const {
    if (!root.contains("animations")) return nullptr;
    const Json& animation = root["animations"][0];
    for (const Json& c : animation["channels"]) {
      const Json& n = root["nodes"][c["target"]["node"].get<std::size_t>()];
      if (n.value("name", "") == name && c["target"]["path"] == path) {
        return animation["samplers"][c["sampler"].get<std::size_t>()];
      }
    }
    return nullptr;
  }
};

std::uint32_t word(const std::string& bytes, std::size_t at) {
  std::uint32_t w = 0;
  std::memcpy(&w, bytes.data() + at, 4);
  return w;
}

Glb parse(const std::string& bytes) {
  REQUIRE(bytes.substr(0, 4) == "glTF");
  REQUIRE(word(bytes, 4) == 2);
  REQUIRE(word(bytes, 8) == bytes.size());
  const std::size_t json_size = word(bytes, 12);
  REQUIRE(bytes.substr(16, 4) == "JSON");
  Glb out{Json::parse(bytes.substr(20, json_size)), {}};
  if (20 + json_size < bytes.size()) {
    REQUIRE(bytes.substr(24 + json_size, 4) == std::string("BIN\0", 4));
    out.binary = bytes.substr(28 + json_size);
    REQUIRE(out.binary.size() == word(bytes, 20 + json_size));
    REQUIRE(out.root["buffers"][0]["byteLength"] == out.binary.size());
  }
  return out;
}

Glb written(const Recorded& r) { return parse(glb(r.scene, r.model, r.recording)); }

struct Verdict {
  int code = 0;  // 3 when the validator is not installed, 127 without node
  std::string text;
};

Verdict validated(const std::string& name, const std::string& bytes) {
  const std::string path = binary_dir() + "/" + name;
  write_file(path, bytes);
  const std::string command = "node '" + source_dir() + "/scripts/validate_glb.mjs' '" + path +
                              "' > '" + path + ".txt' 2>&1";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(path + ".txt")};
}

}  // namespace

TEST_CASE("glb: the Khronos validator finds no error and no warning") {
  const Recorded r = recorded();
  const std::string good = glb(r.scene, r.model, r.recording);
  const Verdict first = validated("crank.glb", good);
  if (first.code == 3 || first.code == 127) {
    MESSAGE("skipped 'the Khronos validator finds no error': needs node and 'npm ci'");
    return;
  }
  CAPTURE(first.text);
  CHECK(first.code == 0);

  // at the edges of what a recording can be
  const auto is_clean = [](const char* name, const Recorded& edge) {
    const Verdict verdict = validated(name, glb(edge.scene, edge.model, edge.recording));
    CAPTURE(verdict.text);
    CHECK(verdict.code == 0);
  };
  is_clean("one.glb", recorded(1));
  is_clean("none.glb", recorded(0));
  is_clean("empty.glb", {});
  Recorded odd = recorded(3);
  odd.scene.camera = {{0, 0, 5}, {0, 0, 5}, 500};
  odd.scene.name = "bytes that are not UTF-8: \xff\xfe";
  odd.model.bodies[0].name = std::string("tab\t and \x01 and nul\0", 19);
  odd.model.bodies[0].shapes[0].color = {NAN, -1, 7, 0.5};
  is_clean("odd.glb", odd);
  Recorded sprung = recorded(10);
  sprung.model.springs.resize(2);
  sprung.model.springs[0].body_2 = {0}, sprung.model.springs[0].p_2 = {1, 0, 0};
  sprung.model.springs[1].body_1 = {1}, sprung.model.springs[1].body_2 = {1};  // of no length
  is_clean("sprung.glb", sprung);
  const Recording none, one = recorded(1).recording, many = recorded(9).recording;
  const Clip clips[] = {{"many", &many}, {"none", &none}, {"one", &one}, {"again", &many}};
  const Verdict several = validated("clips.glb", glb(sprung.scene, sprung.model, clips));
  CAPTURE(several.text);
  CHECK(several.code == 0);

  // and it does find what is wrong
  std::string broken = good;
  broken.replace(broken.find("\"VEC3\""), 6, "\"VEC5\"");
  CHECK(validated("broken.glb", broken).code == 1);
}

TEST_CASE("glb: several recordings become animations with names, each with all that moves") {
  const Recorded r = recorded(9);
  Recorded still = recorded(9);
  for (Frame& frame : still.recording.frames) frame.X_WB = still.recording.frames[0].X_WB;
  still.model.bodies[2].immobile = true;
  const Clip clips[] = {{"flight", &r.recording}, {"rest", &still.recording}};
  const Glb file = parse(glb(still.scene, still.model, clips));
  const Json& animations = file.root["animations"];
  REQUIRE(animations.size() == 2);
  CHECK(animations[0]["name"] == "flight");
  CHECK(animations[1]["name"] == "rest");
  // translation and rotation of the two that can move, also where they rest: a viewer that
  // changes the clip must find its way back
  for (const Json& animation : animations) {
    REQUIRE(animation["channels"].size() == 4);
    for (const Json& channel : animation["channels"]) {
      CHECK(channel["target"]["node"].get<std::size_t>() < file.root["nodes"].size());
    }
    CHECK(animation["samplers"].size() == 4);
  }
  // the same nodes, other data
  CHECK(animations[0]["channels"][0]["target"] == animations[1]["channels"][0]["target"]);
  CHECK(animations[0]["samplers"][1]["output"] != animations[1]["samplers"][1]["output"]);
  CHECK(written(r).root["animations"][0]["name"] == "simulation");
}

TEST_CASE("glb: equal geometries share their data and equal shapes their mesh") {
  const Recorded r = recorded();
  const Glb file = written(r);
  // box, capsule, tetrahedron, sphere (twice used), plane, cylinder
  CHECK(file.root["meshes"].size() == 6);
  const Json& ball = file.node("ball");
  const auto mesh = [&](std::size_t i) {
    return file.root["nodes"][ball["children"][i].get<std::size_t>()]["mesh"].get<int>();
  };
  CHECK(mesh(0) == mesh(1));

  Recorded recoloured = r;
  recoloured.model.bodies[1].shapes[1].color = {1, 0, 0, 1};
  const Glb other = written(recoloured);
  CHECK(other.root["meshes"].size() == 7);
  CHECK(other.root["accessors"].size() == file.root["accessors"].size());
}

TEST_CASE("glb: colours become linear light, transparent ones blend") {
  const Glb file = written(recorded());
  const Json& node = file.node("crank");
  const auto material = [&](std::size_t i) {
    const Json& shape = file.root["nodes"][node["children"][i].get<std::size_t>()];
    const Json& mesh = file.root["meshes"][shape["mesh"].get<std::size_t>()];
    return file.root["materials"][mesh["primitives"][0]["material"].get<std::size_t>()];
  };
  const Json color = material(0)["pbrMetallicRoughness"]["baseColorFactor"];
  CHECK(color[0].get<double>() == doctest::Approx(0.60383).epsilon(1e-4));
  CHECK(color[1].get<double>() == doctest::Approx(0.07324).epsilon(1e-3));
  CHECK(color[3] == 1.0);
  CHECK_FALSE(material(0).contains("alphaMode"));
  CHECK(material(2)["alphaMode"] == "BLEND");
  CHECK(material(2)["pbrMetallicRoughness"]["baseColorFactor"][3] == 0.5);
}

TEST_CASE("glb: the animation holds the recorded poses") {
  const Recorded r = recorded();
  const Glb file = written(r);
  const auto times = file.floats(file.sampler("ball", "translation")["input"].get<int>());
  const auto p = file.floats(file.sampler("ball", "translation")["output"].get<int>());
  const auto q = file.floats(file.sampler("ball", "rotation")["output"].get<int>());
  REQUIRE(times.size() == r.recording.frames.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Pose& X = r.recording.frames[i].X_WB[1];
    CHECK(times[i] == static_cast<float>(r.recording.frames[i].state.t));
    CHECK(p[3 * i + 2] == static_cast<float>(X.p.z));
    const Mat3 R = matrix(Quat{q[4 * i + 3], q[4 * i], q[4 * i + 1], q[4 * i + 2]});
    CHECK(max_abs(R.r0 - X.R.r0) + max_abs(R.r1 - X.R.r1) < 1e-6);
    if (i == 0) continue;
    // the same side from frame to frame, over more than a full turn
    float cosine = 0;
    for (std::size_t k = 0; k < 4; ++k) cosine += q[4 * i + k] * q[4 * i - 4 + k];
    CHECK(cosine > 0.99f);
  }
}

TEST_CASE("glb: what never moves has no channel") {
  Recorded r = recorded();
  CHECK(written(r).sampler("post", "translation").is_null());
  CHECK(written(r).sampler("post", "rotation").is_null());
  CHECK(written(r).sampler("crank", "translation").is_null());
  CHECK_FALSE(written(r).sampler("crank", "rotation").is_null());
  for (Frame& f : r.recording.frames) f.X_WB = r.recording.frames.front().X_WB;
  CHECK_FALSE(written(r).root.contains("animations"));
}

TEST_CASE("glb: a spring is a coil that stretches between its points") {
  Recorded r = recorded();
  PointSpring spring;
  spring.name = "spring", spring.body_2 = {1}, spring.rest_length = 0.5;
  r.model.springs = {spring};
  const Glb file = written(r);
  const auto scale = file.floats(file.sampler("spring", "scale")["output"].get<int>());
  CHECK(file.sampler("spring", "translation").is_null());
  for (std::size_t i = 0; i < r.recording.frames.size(); ++i) {
    CHECK(scale[3 * i] == 1);
    CHECK(scale[3 * i + 2] == doctest::Approx(norm(r.recording.frames[i].X_WB[1].p) / 0.5));
  }
}

TEST_CASE("glb: frames that are not finite or not later are left out") {
  Recorded r = recorded();
  r.recording.frames[5].X_WB[1].p.y = NAN;
  r.recording.frames[6].X_WB[0].R.r1.x = INFINITY;
  r.recording.frames[7].X_WB[0].p.x = 1e300;
  r.recording.frames[8].state.t = r.recording.frames[4].state.t;
  const Glb file = written(r);
  const auto times = file.floats(file.sampler("ball", "translation")["input"].get<int>());
  CHECK(times.size() == 57);
  for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] > times[i - 1]);
}

TEST_CASE("glb: the root turns z up into y up, and the camera looks at its target") {
  const Recorded r = recorded();
  const Glb file = written(r);
  const auto rotation = [](const Json& node) {
    const auto q = node["rotation"].get<std::vector<double>>();
    return matrix(Quat{q[3], q[0], q[1], q[2]});
  };
  const Mat3 R = rotation(file.root["nodes"][0]);
  CHECK(max_abs(R * Vec3{0, 0, 1} - Vec3{0, 1, 0}) < 1e-15);
  CHECK(max_abs(R * Vec3{1, 0, 0} - Vec3{1, 0, 0}) < 1e-15);
  const Mat3 R_WC = rotation(file.node("camera"));
  const Camera& c = r.scene.camera;
  CHECK(max_abs(R_WC * Vec3{0, 0, -1} - normalized(c.target - c.position)) < 1e-12);
  CHECK((R_WC * Vec3{1, 0, 0}).z == doctest::Approx(0));
  CHECK((R_WC * Vec3{0, 1, 0}).z > 0);
  CHECK(file.root["cameras"][0]["perspective"]["yfov"].get<double>() ==
        doctest::Approx(40 * 3.141592653589793 / 180));
}
