// Characters that walk in the studio: steered, sculpted under, judged.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/motion/skeleton.h"
#include "molejo/studio/walk_bench.h"
#include "tests/studio/described_poses.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const char* const walk = "scenes/walks/stick_a.walk.json";

struct Place {
  Vec3 position;
  double heading;
};

// What a text frame says of a character.
Place place(Visitor& visitor, std::size_t i = 0) {
  visitor.must(R"({"do": "subscribe"})");
  while (true) {
    const auto message = visitor.client().receive(patience);
    REQUIRE(message);
    if (message->opcode == Opcode::binary) continue;
    const JsonValue value = parse_json(message->payload, "frame").root;
    if (!value.find("characters")) continue;
    const JsonValue& c = value.find("characters")->items.at(i);
    return {vec_of(*c.find("position")), number(c, "heading")};
  }
}

}  // namespace

TEST_CASE("studio: a walker's frame gives the pose of its skeleton") {
  // the timeline itself, beside what is sent of it
  LoopbackStudio studio(walk);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 200})");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  const std::string bytes = visitor.frame(4);
  WalkTimeline line(load_walk_scene(SourceFile::given(source_dir() + "/" + walk)), 60, {});
  for (int i = 0; i < 200; ++i) line.advance();
  const navigation::TrackFrame& expected = line.shown(0).track;

  const JsonValue& c = described.find("characters")->items.at(0);
  const std::size_t joints = c.find("joints")->items.size();
  const std::size_t moving = c.find("moving")->items.size();
  CHECK(read_at<std::uint16_t>(bytes, 2) == 1);
  REQUIRE(bytes.size() == 16 + 32 + 8 * joints + 12 * moving);
  // put together as the page does it
  motion::SkeletonPose pose(static_cast<int>(joints));
  for (std::size_t j = 0; j < joints; ++j) {
    const auto part = [&](std::size_t k) {
      return read_at<std::int16_t>(bytes, 48 + 8 * j + 2 * k) / 32767.0;
    };
    pose.set_rotation(static_cast<int>(j), normalized(Quat{part(0), part(1), part(2), part(3)}));
    pose.set_translation(static_cast<int>(j), vec_of(c.find("translations")->items[j]));
  }
  for (std::size_t k = 0; k < moving; ++k) {
    const auto part = [&](std::size_t n) {
      return static_cast<double>(read_at<float>(bytes, 48 + 8 * joints + 12 * k + 4 * n));
    };
    const int j = static_cast<int>(c.find("moving")->items[k].number);
    pose.set_translation(j, {part(0), part(1), part(2)});
  }
  const auto head = [&](std::size_t k) {
    return static_cast<double>(read_at<float>(bytes, 16 + 4 * k));
  };
  const motion::Affine X_WM = affine(motion::Transform{{head(0), head(1), head(2)},
                                                       Quat{head(3), head(4), head(5), head(6)},
                                                       {head(7), head(7), head(7)}});
  const motion::Skeleton& skeleton = line.scene().actors[0].character->skeleton;
  std::vector<motion::Affine> shown(joints), real(joints);
  motion::model_transforms(skeleton, pose, X_WM, shown);
  motion::model_transforms(skeleton, expected.pose, expected.placement, real);
  double most = 0;
  for (std::size_t j = 0; j < joints; ++j) {
    most = std::max(most, norm(shown[j].origin - real[j].origin));
  }
  CHECK(most < 1e-3);  // m: 16 bits a number, along a chain of joints
}

TEST_CASE("studio: what is kept of a walk is counted, with all that its lists hold") {
  WalkTimeline line(load_walk_scene(SourceFile::given(source_dir() + "/" + walk)), 60, {});
  for (int i = 0; i < 60; ++i) line.advance();
  const WalkMoment& moment = line.history().shown();
  std::size_t held = 0;
  for (const WalkShown& c : moment.characters) {
    held += sizeof c;
    held += c.track.feet.size() * sizeof c.track.feet[0] + c.plans.size() * sizeof c.plans[0];
    for (const motion::SkeletonPose* pose : {&c.track.pose, &c.track.unadapted}) {
      held +=
          static_cast<std::size_t>(pose->stride()) * motion::SkeletonPose::rows * sizeof(double);
    }
  }
  REQUIRE(moment.characters.size() == 1);
  REQUIRE(moment.characters[0].track.feet.size() == 2);
  CHECK(moment.bytes() >= held);
  CHECK(moment.bytes() < 2 * held);
}

TEST_CASE("studio: a walker is steered, goes where it is sent, and rests") {
  LoopbackStudio studio("scenes/walks/stick_walk.bvh");  // a character alone, on flat ground
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "steer", "walk": true, "turn": 0.5})");
  const Place before = place(visitor);
  visitor.must(R"({"do": "step", "frames": 120})");
  const Place after = place(visitor);
  CHECK(norm(after.position - before.position) > 0.8);
  CHECK(std::remainder(after.heading - before.heading, 2 * M_PI) ==
        doctest::Approx(1).epsilon(0.25));
  visitor.must(R"({"do": "goto", "path": [[3, -2]]})");
  visitor.must(R"({"do": "step", "frames": 900})");
  const Place there = place(visitor);
  CHECK(std::hypot(there.position.x - 3, there.position.y + 2) < 0.6);
  visitor.must(R"({"do": "steer", "walk": false})");
  visitor.must(R"({"do": "step", "frames": 120})");
  const Place rests = place(visitor);
  visitor.must(R"({"do": "step", "frames": 60})");
  CHECK(norm(place(visitor).position - rests.position) < 0.02);
  // history: back and on again
  visitor.must(R"({"do": "seek", "t": 2})");
  CHECK(norm(place(visitor).position - after.position) < 1e-6);
  CHECK(number(visitor.must(R"({"do": "branch"})"), "end") == doctest::Approx(2));
  visitor.must(R"({"do": "step", "frames": 60})");
  CHECK(visitor.error(R"({"do": "steer", "character": "nobody"})").find("unknown character") !=
        std::string::npos);
  CHECK(visitor.error(R"({"do": "goto", "path": [[1]]})").find("'path'") != std::string::npos);
}

TEST_CASE("studio: ground that is sculpted carries who walks over it") {
  LoopbackStudio studio("scenes/walks/stick_walk.bvh");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  const Place flat = place(visitor);
  const std::string asset =
      visitor.must(R"({"do": "describe"})").find("terrains")->items[0].find("asset")->text;
  CHECK(body_of(http(studio, "GET", asset)).substr(0, 4) == "glTF");
  visitor.must(R"({"do": "sculpt", "x": 3, "y": 0, "radius": 3, "height": 0.5})");
  CHECK(number(visitor.event("sculpted"), "height") == 0.5);
  CHECK(visitor.must(R"({"do": "describe"})").find("terrains")->items[0].find("asset")->text !=
        asset);
  visitor.must(R"({"do": "goto", "path": [[3, 0]]})");
  visitor.must(R"({"do": "step", "frames": 420})");
  const Place up = place(visitor);
  CHECK(std::hypot(up.position.x - 3, up.position.y) < 0.6);
  CHECK(up.position.z - flat.position.z > 0.4);
  // a formula levels what was sculpted
  visitor.must(R"({"do": "terrain", "elevation": "0.1*x"})");
  visitor.must(R"({"do": "step", "frames": 60})");
  const Place slope = place(visitor);
  CHECK(slope.position.z == doctest::Approx(0.1 * slope.position.x).epsilon(0.05));
  CHECK(visitor.error(R"({"do": "terrain", "elevation": "0.1*"})").find("0.1*") !=
        std::string::npos);
  CHECK(visitor.error(R"({"do": "sculpt", "x": 0, "y": 0, "radius": 1e9, "height": 1})")
            .find("expected 0.05 to 20") != std::string::npos);
  CHECK(visitor.must(R"({"do": "command_line"})")
            .find("command_line")
            ->text.find("--terrain '0.1*x'") != std::string::npos);
}

TEST_CASE("studio: figures of quality come with the walk, and options change it") {
  LoopbackStudio studio(walk);
  Visitor visitor(studio);
  visitor.must(R"({"do": "speed", "value": 0})");
  visitor.must(R"({"do": "quality"})");
  const JsonValue told = visitor.event("quality");
  CHECK(number(told, "microseconds") > 0);
  CHECK(told.find("characters")->items.size() == 1);
  visitor.must(R"({"do": "options", "inverse_kinematics": false})");
  CHECK(!visitor.must(R"({"do": "describe"})")
             .find("characters")
             ->items[0]
             .find("options")
             ->find("inverse_kinematics")
             ->boolean);
  visitor.must(R"({"do": "options", "solver": "gradient_descent", "inverse_kinematics": true})");
  CHECK(visitor.error(R"({"do": "options", "solver": "magic"})").find("unknown solver") !=
        std::string::npos);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "export", "what": "bvh", "from": 0, "to": 1})");
  const std::string bvh = body_of(http(studio, "GET", visitor.event("done").find("asset")->text));
  CHECK(bvh.substr(0, 9) == "HIERARCHY");
  CHECK(parse_bvh(bvh, "x.bvh").clips.size() == 1);
  visitor.must(R"({"do": "export", "what": "glb", "from": 0, "to": 1})");
  const std::string glb = body_of(http(studio, "GET", visitor.event("done").find("asset")->text));
  CHECK(parse_gltf_character(glb, "x.glb").clips.size() == 1);
}

TEST_CASE("studio: feet are told where they shall go, and go there") {
  LoopbackStudio studio(walk);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 200})");
  visitor.must(R"({"do": "subscribe", "binary": true, "contacts": true})");
  constexpr std::size_t points = 2 + WalkShown::plan_points;
  const auto point = [](const std::string& bytes, std::size_t k) {
    const auto part = [&](std::size_t i) {
      return static_cast<double>(read_at<float>(bytes, 16 + 12 * k + 4 * i));
    };
    return Vec3{part(0), part(1), part(2)};
  };
  WalkTimeline line(load_walk_scene(SourceFile::given(source_dir() + "/" + walk)), 60, {});
  for (int i = 0; i < 200; ++i) line.advance();
  double most_missed = 0, longest_plan = 0, landed_off = 0;
  std::array<Vec3, 2> planned;
  std::array<bool, 2> swung{};
  for (int frame = 0; frame < 120; ++frame) {
    std::string bytes = visitor.frame(6);
    while (static_cast<int>(read_at<std::uint32_t>(bytes, 4)) < 200 + frame)
      bytes = visitor.frame(6);
    const navigation::TrackFrame& now = line.shown(0).track;
    REQUIRE(bytes.size() == 16 + 12 * points * now.feet.size());
    for (std::size_t leg = 0; leg < 2; ++leg) {
      const Vec3 target = point(bytes, points * leg), end = point(bytes, points * (leg + 1) - 1);
      CHECK(norm(target - now.feet[leg].target) < 1e-5);
      const Vec3 real = point(bytes, points * leg + 1);
      CHECK(norm(real - now.feet[leg].ankle) < 1e-5);
      most_missed = std::max(most_missed, norm(target - real));
      const double left = norm(end - point(bytes, points * leg + 2));
      const bool swings = left > 1e-3;
      longest_plan = std::max(longest_plan, left);
      // where the last plan said that it would land
      if (swung[leg] && !swings) landed_off = std::max(landed_off, norm(target - planned[leg]));
      swung[leg] = swings, planned[leg] = end;
    }
    visitor.must(R"({"do": "step"})");
    line.advance();
  }
  CHECK(most_missed < 0.02);
  CHECK(longest_plan > 0.3);
  CHECK(landed_off > 0);
  CHECK(landed_off < 0.05);
}

TEST_CASE("studio: one more character comes while others walk, and all can be steered") {
  LoopbackStudio studio("scenes/walks/stick_walk.bvh");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 60})");
  const Place before = place(visitor);
  const std::string name = visitor.must(R"({"do": "add", "x": 0, "y": 2})").find("name")->text;
  CHECK(name == "stick walk 2");
  CHECK(visitor.event("character").find("character")->find("name")->text == name);
  CHECK(visitor.must(R"({"do": "describe"})").find("characters")->items.size() == 2);
  // who was there stays where it was, and goes on
  CHECK(norm(place(visitor).position - before.position) < 1e-6);
  CHECK(norm(place(visitor, 1).position - Vec3{0, 2, 0}) < 1e-6);
  visitor.must(R"({"do": "steer", "character": "*", "turn": 0})");
  visitor.must(R"({"do": "step", "frames": 180})");
  CHECK(place(visitor, 0).position.x > before.position.x + 1);
  CHECK(place(visitor, 1).position.x > 1);
  // one alone
  const Place first = place(visitor, 0), second = place(visitor, 1);
  visitor.must(R"({"do": "steer", "character": "stick walk 2", "walk": false})");
  visitor.must(R"({"do": "step", "frames": 180})");
  CHECK(place(visitor, 0).position.x > first.position.x + 2);
  CHECK(place(visitor, 1).position.x < second.position.x + 1);
  // before it came it stands where it will come; the record has it from the start
  visitor.must(R"({"do": "seek", "t": 0.5})");
  CHECK(norm(place(visitor, 1).position - Vec3{0, 2, 0}) < 1e-6);
  visitor.must(R"({"do": "branch"})");
  visitor.must(R"({"do": "step", "frames": 30})");
  CHECK(norm(place(visitor, 1).position - Vec3{0, 2, 0}) < 0.1);
  visitor.must(R"({"do": "export", "what": "glb", "from": 0, "to": 1})");
  const std::string glb = body_of(http(studio, "GET", visitor.event("done").find("asset")->text));
  CHECK(glb.substr(0, 4) == "glTF");
  CHECK(visitor.error(R"({"do": "add", "x": 1e4, "y": 0})").find("no ground at 10000") !=
        std::string::npos);
}

TEST_CASE("studio: way-points are walked one after the other") {
  LoopbackStudio studio("scenes/walks/stick_walk.bvh");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  // told in the end; how it was before may come first
  const auto is_told = [&](std::size_t points) {
    while (visitor.event("ways").find("ways")->items[0].items.size() != points) {
    }
    return true;
  };
  visitor.must(R"({"do": "goto", "path": [[2, 0]]})");
  CHECK(is_told(1));
  visitor.must(R"({"do": "goto", "path": [[2, 3]], "behind": true})");
  CHECK(is_told(2));
  double nearest = 1e9;
  for (int i = 0; i < 40; ++i) {
    visitor.must(R"({"do": "step", "frames": 20})");
    const Vec3 p = place(visitor).position;
    nearest = std::min(nearest, std::hypot(p.x - 2, p.y));
  }
  CHECK(nearest < 0.5);
  const Vec3 end = place(visitor).position;
  CHECK(std::hypot(end.x - 2, end.y - 3) < 0.6);
}

TEST_CASE("studio: a shipped terrain is chosen, and a levelled one is as before") {
  LoopbackStudio studio("scenes/walks/stick_walk.bvh");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  std::vector<std::string> grounds;
  for (const JsonValue& file : described.find("grounds")->items) grounds.push_back(file.text);
  CHECK(std::count(grounds.begin(), grounds.end(), "scenes/terrains/ramp.terrain.json") == 1);
  visitor.must(R"({"do": "terrain", "file": "scenes/terrains/ramp.terrain.json"})");
  CHECK(visitor.event("terrain").find("ground")->text == "scenes/terrains/ramp.terrain.json");
  visitor.must(R"({"do": "goto", "path": [[5, 0]]})");
  visitor.must(R"({"do": "step", "frames": 600})");
  // 20 degrees from x = 3 on
  const Place up = place(visitor);
  CHECK(up.position.x > 4.5);
  CHECK(up.position.z == doctest::Approx((up.position.x - 3) * std::tan(M_PI / 9)).epsilon(0.1));
  CHECK(visitor.must(R"({"do": "command_line"})")
            .find("command_line")
            ->text.find("ramp.terrain.json") != std::string::npos);
  visitor.must(R"({"do": "terrain", "elevation": "0"})");
  visitor.must(R"({"do": "sculpt", "x": 5, "y": 0, "radius": 3, "height": 0.5})");
  visitor.must(R"({"do": "step", "frames": 120})");
  CHECK(place(visitor).position.z > 0.2);
  visitor.must(R"({"do": "level"})");
  visitor.must(R"({"do": "step", "frames": 120})");
  CHECK(std::fabs(place(visitor).position.z) < 0.01);
  CHECK(visitor.error(R"({"do": "terrain", "file": "scenes/terrains/none.terrain.json"})")
            .find("no such file") != std::string::npos);
  CHECK(visitor.error(R"({"do": "terrain", "file": "scenes/chain.json"})").find("chain.json") !=
        std::string::npos);
}
