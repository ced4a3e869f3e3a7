// A live scene in the studio: what the page can compute from what it is sent, and what it can do.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/studio/described_poses.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Observed {
  std::uint32_t frame;
  double t;
  std::vector<double> values;
};

Observed read_frame(const std::string& bytes) {
  Observed seen{read_at<std::uint32_t>(bytes, 4), read_at<double>(bytes, 8), {}};
  for (std::size_t at = 16; at < bytes.size(); at += 4) {
    seen.values.push_back(read_at<float>(bytes, at));
  }
  return seen;
}

// Text frames of docs/live.md have the poses of the simulation itself.
JsonValue text_frame(Visitor& visitor) {
  while (true) {
    const auto message = visitor.client().receive(patience);
    REQUIRE(message);
    if (message->opcode == Opcode::binary) continue;
    JsonValue value = parse_json(message->payload, "frame").root;
    if (value.find("poses")) return value;
  }
}

}  // namespace

TEST_CASE("studio: poses follow from the description and the coordinates") {
  // slides, hinges, two axes, balls, free bodies, loops, maximal coordinates, meshes
  for (const char* name : {"chain", "cardan_shaft", "ragdoll", "spherical_pendulum", "four_bar",
                           "e3", "slider_crank", "cart_pole", "heavy_top", "bouncing_balls"}) {
    CAPTURE(name);
    LoopbackStudio studio(std::string("scenes/") + name + ".json");
    Visitor visitor(studio), judge(studio);
    visitor.must(R"({"do": "pause"})");
    visitor.must(R"({"do": "step", "frames": 20})");
    const JsonValue described = visitor.must(R"({"do": "describe"})");
    visitor.must(R"({"do": "subscribe", "binary": true})");
    const std::string bytes = visitor.frame(1);
    const Observed seen = read_frame(bytes);
    judge.must(R"({"do": "subscribe"})");
    const JsonValue expected = text_frame(judge);
    CHECK(seen.frame == number(expected, "frame"));
    CHECK(seen.t == doctest::Approx(number(expected, "t")));
    const JsonValue& model = *described.find("model");
    REQUIRE(seen.values.size() == static_cast<std::size_t>(number(model, "coordinates")));
    // at most 8 bytes a freedom, beside the head
    CHECK(static_cast<double>(bytes.size() - 16) <= 8 * number(model, "freedoms"));
    const std::vector<Pose> poses = described_poses(model, seen.values);
    const JsonValue& list = *expected.find("poses");
    REQUIRE(list.items.size() == 7 * poses.size());
    double most = 0;
    for (std::size_t i = 0; i < poses.size(); ++i) {
      most = std::max(most, difference(poses[i], pose_of(list, 7 * i)));
    }
    CHECK(most < 2e-5);  // single precision along a chain
  }
}

TEST_CASE("studio: contacts and plots are binary too") {
  LoopbackStudio studio("scenes/stack.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "step", "frames": 5})");
  const JsonValue answer =
      visitor.must(R"({"do": "subscribe", "binary": true, "contacts": true, "plots": ["kinetic",
                       "total"]})");
  REQUIRE(answer.find("columns"));
  CHECK(answer.find("columns")->items.size() == 2);
  CHECK(answer.find("columns")->items[1].text == "total");
  const std::string contacts = visitor.frame(2);
  const auto count = read_at<std::uint16_t>(contacts, 2);
  CHECK(count == 40);  // ten boxes, each on four corners
  REQUIRE(contacts.size() == 16 + 24u * count);
  double held =
      0;  // vertical force of all, on the upper of two: each interface carries what is above
  for (std::size_t i = 0; i < count; ++i)
    held += std::fabs(read_at<float>(contacts, 16 + 24 * i + 20));
  CHECK(held > 0);
  const std::string plots = visitor.frame(3);
  CHECK(read_at<std::uint16_t>(plots, 2) == 2);
  CHECK(plots.size() == 16 + 8);
  CHECK(visitor.error(R"({"do": "subscribe", "binary": true, "plots": ["kinetik"]})")
            .find("did you mean 'kinetic'") != std::string::npos);
}

TEST_CASE("studio: a body that is dragged comes to the hand, and falls when it is dropped") {
  LoopbackStudio studio("scenes/bouncing_balls.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  const JsonValue& model = *described.find("model");
  std::size_t ball = 0;
  while (model.find("bodies")->items[ball].find("immobile")->boolean) ++ball;
  const std::string name = model.find("bodies")->items[ball].find("name")->text;
  visitor.must(R"({"do": "drag", "body": ")" + name + R"(", "to": [0.3, 0.2, 2]})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  const auto place_after = [&](int frames) {
    const double wanted = number(
        visitor.must(R"({"do": "step", "frames": )" + std::to_string(frames) + "}"), "frame");
    while (true) {
      const Observed seen = read_frame(visitor.frame(1));
      if (seen.frame == wanted) return described_poses(model, seen.values)[ball].p;
    }
  };
  const Vec3 held = place_after(600);
  CHECK(norm(held - Vec3{0.3, 0.2, 2}) < 0.15);  // it hangs a little
  visitor.must(R"({"do": "drop"})");
  const Vec3 fallen = place_after(15);
  CHECK(fallen.z < held.z - 0.1);
  CHECK(visitor.error(R"({"do": "drag", "body": "nobody", "to": [0, 0, 0]})") != "no error");
  CHECK(visitor.error(R"({"do": "drag", "body": ")" + name + R"(", "to": [0, 0]})")
            .find("'to': expected [x, y, z]") != std::string::npos);
}

TEST_CASE("studio: all who look see another file opened, and go on being sent frames") {
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor one(studio), two(studio);
  two.must(R"({"do": "subscribe", "binary": true})");
  CHECK(two.frame(1).size() == 16 + 4);
  const JsonValue answer = one.must(R"({"do": "open", "file": "scenes/double_pendulum.json"})");
  CHECK(answer.find("kind")->text == "scene");
  const JsonValue told = two.event("opened");
  CHECK(told.find("describe")->find("file")->text == "scenes/double_pendulum.json");
  CHECK(number(*told.find("describe")->find("model"), "coordinates") == 2);
  CHECK(two.frame(1).size() == 16 + 8);  // it plays
  CHECK(one.must(R"({"do": "status"})").find("playing")->boolean);
  // what cannot be opened leaves all as it is
  CHECK(one.error(R"({"do": "open", "file": "scenes/nothing.json"})").find("no such file") !=
        std::string::npos);
  CHECK(one.must(R"({"do": "describe"})").find("file")->text == "scenes/double_pendulum.json");
}

TEST_CASE("studio: the status tells what a binary frame does not") {
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "subscribe", "binary": true})");
  visitor.must(R"({"do": "pause"})");
  while (visitor.event("status").find("playing")->boolean) {
  }
  visitor.must(R"({"do": "play"})");
  while (!visitor.event("status").find("playing")->boolean) {
  }
  CHECK(visitor.must(R"({"do": "command_line"})")
            .find("command_line")
            ->text.find("molejo simulate") == 0);
}

TEST_CASE("studio: a command acts on a run, and is refused where there is none") {
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  const auto hash_after = [&](const char* force) {
    visitor.must(R"({"do": "pause"})");
    visitor.must(R"({"do": "command", "body": "ball", "force": )" + std::string(force) + "}");
    visitor.must(R"({"do": "reset"})");
    visitor.must(R"({"do": "step", "frames": 10})");
    return visitor.must(R"({"do": "status"})").find("hash")->text;
  };
  const std::string alone = hash_after("[0, 0, 0]"), pushed = hash_after("[5, 1, 0]");
  CHECK(alone != pushed);
  CHECK(hash_after("[5, 1, 0]") == pushed);
  CHECK(visitor.error(R"({"do": "command", "body": "bell", "force": [5, 1, 0]})") ==
        "unknown body 'bell'; did you mean 'ball'?");
  for (const std::string file :
       {"scenes/gaits/basic_run.gait.json", "scenes/gaits/basic_run.motion.json",
        "scenes/shows/walk.show.json", "scenes/walks/stick_fall.walk.json"}) {
    CAPTURE(file);
    visitor.must(R"({"do": "open", "file": ")" + file + R"("})");
    CHECK(visitor.error(R"({"do": "command", "body": "torso", "force": [5, 1, 0]})")
              .starts_with("unknown command 'command'"));
  }
}
