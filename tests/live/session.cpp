// A live run and its messages, without a network.
#include "molejo/live/session.h"

#include <doctest/doctest.h>

#include "molejo/io/json_document.h"
#include "molejo/io/load.h"
#include "tests/live/in_process.h"
#include "tests/live/pushed_ball.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/escapes.h"
#include "tests/support/models.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// One who asks the session without a network.
struct Client {
  std::map<std::uint64_t, std::vector<std::string>> replies, frames;
  Session session;

  explicit Client(Scene scene = pushed_ball(), SessionOptions options = {})
      : session(std::move(scene), std::move(options),
                {[this](const std::vector<std::uint64_t>& list, const std::string& text) {
                   for (const std::uint64_t c : list) replies[c].push_back(text);
                 },
                 [this](const std::vector<std::uint64_t>& list, const std::string& text) {
                   for (const std::uint64_t c : list) frames[c].push_back(text);
                 }}) {
    session.open(1);
  }
  // The answer as a tree.
  JsonValue ask(const std::string& text, std::uint64_t client = 1) {
    session.receive(client, text);
    return parse_json(replies[client].back(), "reply").root;
  }
  // A slow machine makes many frames in several ticks, and answers then.
  JsonValue step(std::int64_t count) {
    const std::size_t before = replies[1].size();
    session.receive(1, fmt::format(R"({{"do": "step", "frames": {}}})", count));
    while (replies[1].size() == before) session.tick(0);
    return parse_json(replies[1].back(), "reply").root;
  }
  double number(const JsonValue& answer, const char* key) {
    REQUIRE(answer.find(key));
    return answer.find(key)->number;
  }
};

double x_of(const LiveRun& run) { return run.frame().X_WB[0].p.x; }

}  // namespace

TEST_CASE("live run: history can be shown again, left and branched from") {
  LiveRun run(pushed_ball());
  for (int i = 0; i < 100; ++i) REQUIRE(run.advance());
  CHECK(run.frame().state.t == doctest::Approx(1));
  CHECK(x_of(run) == doctest::Approx(0.25));
  const double there = x_of(run);
  run.seek(0.5);
  CHECK(run.frame().state.t == doctest::Approx(0.5));
  CHECK(x_of(run) == doctest::Approx(0.0625));
  CHECK(run.end() == doctest::Approx(1));  // nothing is lost
  for (int i = 0; i < 50; ++i) REQUIRE(run.advance());
  CHECK(x_of(run) == there);
  run.seek(0.5);
  run.set_variable("f", 0);
  run.branch();
  CHECK(run.end() == doctest::Approx(0.5));
  for (int i = 0; i < 50; ++i) REQUIRE(run.advance());
  CHECK(x_of(run) == doctest::Approx(0.0625 + 0.25 * 0.5));
  run.reset();
  CHECK(x_of(run) == 0);
  CHECK(run.variable("f") == 0);
}

TEST_CASE("live run: the history is bounded, and the latest is kept") {
  HistoryLimits limits;
  limits.frames = 10;
  LiveRun run(pushed_ball(), limits);
  for (int i = 0; i < 100; ++i) REQUIRE(run.advance());
  CHECK(run.begin() == doctest::Approx(0.91));
  CHECK(run.end() == doctest::Approx(1));
  CHECK(run.number() == 100);
  run.seek(0);
  CHECK(run.frame().state.t == doctest::Approx(0.91));
}

TEST_CASE("live run: a bad formula is refused and the old one stays in force") {
  LiveRun run(pushed_ball());
  for (int i = 0; i < 50; ++i) REQUIRE(run.advance());
  const auto replace = [&](const std::string& text) {
    return error_text([&] { run.replace_formula("force", "wind", "force", 0, text); });
  };
  CHECK(replace("2*") != "no error");
  CHECK(replace("2*g").find("column 3") != std::string::npos);
  CHECK(replace("1/(t - t)").find("column 2") != std::string::npos);  // not finite now
  CHECK(error_text([&] {
          run.replace_formula("force", "wnd", "force", 0, "1");
        }).find("did you mean 'wind'") != std::string::npos);
  for (int i = 0; i < 50; ++i) REQUIRE(run.advance());
  CHECK(x_of(run) == doctest::Approx(0.25));
  CHECK(replace("-3*f") == "no error");
  for (int i = 0; i < 100; ++i) REQUIRE(run.advance());
  CHECK(x_of(run) == doctest::Approx(0.25 + 0.5 - 0.75));
  // a whole vector in the place of three numbers, and a motor that was not there is no joint
  run.replace_formula("force", "wind", "force", -1, "[0, f, 0]");
  REQUIRE(run.advance());
  CHECK(error_text([&] { run.replace_formula("joint", "elbow", "target", 0, "1"); }) != "no error");
}

TEST_CASE("live run: every frame has the bits of the same run in process") {
  for (const char* name : {"dunes.json", "cart_pole.json", "animado/colisao2.dat"}) {
    CAPTURE(name);
    const Scene scene = load_scene(SourceFile::given(source_dir() + "/scenes/" + name));
    const std::vector<std::string> expected = hashes_in_process(scene, 60);
    REQUIRE(expected.size() == 61);
    LiveRun run(scene);
    for (const std::string& bits : expected) {
      REQUIRE(fmt::format("{:016x}", hash(run.frame().state)) == bits);
      REQUIRE(run.advance());
    }
    // what is looked at again, or played again from the start, is the same
    run.seek(0);
    CHECK(fmt::format("{:016x}", hash(run.frame().state)) == expected.front());
    run.reset();
    for (int i = 0; i < 60; ++i) REQUIRE(run.advance());
    CHECK(fmt::format("{:016x}", hash(run.frame().state)) == expected.back());
  }
}

TEST_CASE("live session: neither pauses nor speeds change a bit") {
  const Scene scene = load_scene(SourceFile::given(source_dir() + "/scenes/dunes.json"));
  const std::vector<std::string> expected = hashes_in_process(scene, 400);
  Client client(scene);
  client.ask(R"({"do": "subscribe", "rate": 60})");
  double now = 100;
  for (const double speed : {1.0, 0.3, 2.5, 0.0}) {
    client.ask(fmt::format(R"({{"do": "speed", "value": {}}})", speed));
    client.ask(R"({"do": "play"})");
    for (int n = 0; n < 20 && client.session.run().number() < 300; ++n) {
      client.session.tick(now);
      now += 0.037;
    }
    client.ask(R"({"do": "pause"})");
    client.session.tick(now);
    now += 7;
  }
  // back, and on to beyond what was simulated: how far that is depends on the machine
  const JsonValue back = client.ask(R"({"do": "seek", "t": 0.1})");
  client.step(400 - static_cast<std::int64_t>(client.number(back, "frame")));
  client.session.tick(now);
  REQUIRE(client.frames[1].size() > 10);
  for (const std::string& text : client.frames[1]) {
    const JsonValue frame = parse_json(text, "frame").root;
    const auto number = static_cast<std::size_t>(frame.find("frame")->number);
    if (number < expected.size()) CHECK(frame.find("hash")->text == expected[number]);
  }
  const JsonValue last = client.ask(R"({"do": "status"})");
  REQUIRE(last.find("frame")->number == 400);
  CHECK(last.find("hash")->text == expected[400]);
}

TEST_CASE("live session: messages have answers with their id, mistakes are told") {
  Client client;
  CHECK(client.ask(R"({"do": "status", "id": 3})").find("id")->number == 3);
  CHECK(client.ask(R"({"do": "play", "id": "a"})").find("ok"));
  const auto error = [&](const std::string& text) {
    const JsonValue answer = client.ask(text);
    return answer.find("error") ? answer.find("error")->text : "none";
  };
  CHECK(error("{") != "none");
  CHECK(error("[1]") != "none");
  CHECK(error(R"({"do": "plai"})").find("did you mean 'play'") != std::string::npos);
  CHECK(error(R"({"do": 3})") != "none");
  CHECK(error(R"({"do": "speed", "value": -1})") != "none");
  CHECK(error(R"({"do": "step", "frames": 1e9})") != "none");
  CHECK(error(R"({"do": "set", "variable": "g", "value": 1})") != "none");
  CHECK(error(R"({"do": "push", "body": "bal", "force": [1, 0, 0]})") != "none");
  CHECK(error(R"({"do": "push", "body": "ball", "force": [1, 0]})") != "none");
  CHECK(error(R"({"do": "load", "file": "../../etc/passwd"})") != "none");
  CHECK(error(R"({"do": "subscribe", "plots": ["ball.q"]})") != "none");
}

TEST_CASE("live session: a scene is loaded from its folder, one in a message names no file") {
  Canary canary(binary_dir() + "/tests/live_canary");
  SessionOptions options;
  options.files = FileScope({{"", source_dir() + "/scenes"}});
  Client client(pushed_ball(), options);
  CHECK(client.ask(R"({"do": "load", "file": "ragdoll_on_terrain.json"})").find("ok"));
  CHECK(client.ask(R"({"do": "load", "file": "bacin/e1/e1.cfg"})").find("ok"));
  const auto error = [&](const std::string& text) {
    const JsonValue answer = client.ask(text);
    return answer.find("error") ? answer.find("error")->text : "none";
  };
  for (const std::string& file :
       {std::string("../CMakeLists.txt"), std::string("/etc/passwd"), std::string("nowhere.json"),
        source_dir() + "/scenes/chain.json", canary.folder() + "/canary.urdf"}) {
    CAPTURE(file);
    CHECK(error(R"({"do": "load", "file": ")" + file + "\"}") != "none");
  }
  for (const Escape& e : spelled_escapes(canary)) {
    CAPTURE(e.what);
    const std::string said = error(R"({"do": "load", "scene": )" + e.text + "}");
    CHECK(said != "none");
    CHECK(said.find(Canary::secret) == std::string::npos);
  }
  CHECK(canary.opened() == 0);
}

TEST_CASE("live session: the status tells what the run does not keep") {
  const auto warnings = [](double time_step) {
    Scene scene = shipped_scene("pendulum");
    scene.settings.integrator = Integrator::semi_implicit_euler;
    scene.settings.time_step = time_step;
    Client c(scene);
    CHECK_FALSE(c.ask(R"({"do": "status"})").find("warnings"));
    c.ask(R"({"do": "step", "frames": 60})");
    return c.ask(R"({"do": "status"})");
  };
  CHECK_FALSE(warnings(1e-5).find("warnings"));
  const JsonValue told = warnings(0.02);
  REQUIRE(told.find("warnings"));
  REQUIRE(told.find("warnings")->items.size() == 1);
  CHECK(told.find("warnings")->items[0].text.starts_with("the energy changes by "));
}

TEST_CASE("live session: plays in the time of the clock, at the speed that is asked for") {
  SessionOptions options;
  options.most_work_per_tick = 1e9;  // however slow the machine is
  Client client(pushed_ball(), options);
  client.ask(R"({"do": "subscribe", "rate": 50})");
  client.ask(R"({"do": "play"})");
  double now = 100;
  client.session.tick(now);
  for (; now < 101 - 1e-9; now += 0.005) client.session.tick(now);
  CHECK(client.session.run().frame().state.t == doctest::Approx(1).epsilon(0.02));
  CHECK(client.frames[1].size() > 40);
  CHECK(client.frames[1].size() < 54);
  client.ask(R"({"do": "speed", "value": 0.5})");
  client.session.tick(now);
  for (const double end = now + 1; now < end; now += 0.005) client.session.tick(now);
  CHECK(client.session.run().frame().state.t == doctest::Approx(1.5).epsilon(0.02));
  client.ask(R"({"do": "pause"})");
  CHECK(client.session.tick(now) < 0);
  CHECK(client.session.run().frame().state.t == doctest::Approx(1.5).epsilon(0.02));
}

TEST_CASE("live session: all clients see the same run, each what it asked for") {
  Client client;
  client.session.open(2);
  client.session.open(3);
  client.ask(R"({"do": "subscribe"})", 1);
  client.ask(R"({"do": "subscribe", "frames": false, "plots": ["ball.x"]})", 2);
  client.ask(R"({"do": "set", "variable": "f", "value": 4})", 3);
  client.ask(R"({"do": "step", "frames": 100})", 3);
  client.session.tick(0);
  REQUIRE(client.frames[1].size() == 1);
  REQUIRE(client.frames[2].size() == 1);
  CHECK(client.frames[3].empty());
  const JsonValue frame = parse_json(client.frames[1][0], "frame").root;
  CHECK(frame.find("poses")->items.size() == 7);
  CHECK(frame.find("poses")->items[0].number == doctest::Approx(1));
  const JsonValue plot = parse_json(client.frames[2][0], "frame").root;
  CHECK(plot.find("plots")->find("ball.x")->number == doctest::Approx(1));
  CHECK_FALSE(plot.find("poses"));
  client.session.close(1);
  client.ask(R"({"do": "step"})", 3);
  client.session.tick(1);
  CHECK(client.frames[1].size() == 1);
  CHECK(client.frames[2].size() == 2);
}

TEST_CASE("live session: a scene given as text takes the place of the one that runs") {
  Client client;
  const JsonValue answer = client.ask(
      R"({"do": "load", "scene": {"name": "other", "bodies": [{"name": "box", "shape": {"box": 1}}]}})");
  CHECK(answer.find("ok"));
  CHECK(answer.find("name")->text == "other");
  const JsonValue bad = client.ask(R"({"do": "load", "scene": {"bodies": [{"nam": "box"}]}})");
  CHECK(bad.find("error"));
  CHECK(client.session.run().scene().name == "other");
}

TEST_CASE("session: joints and bodies are commanded until they are released") {
  Scene scene = pushed_ball();
  scene.forces.clear();
  scene.definitions.clear();
  Client client(scene);
  const auto error = [&](const std::string& text) {
    const JsonValue answer = client.ask(text);
    return answer.find("error") ? answer.find("error")->text : "no error";
  };
  const auto x = [&] { return client.session.run().frame().X_WB[0].p.x; };
  client.ask(R"({"do": "command", "body": "ball", "force": [4, 0, 0]})");
  client.step(100);
  CHECK(x() == doctest::Approx(1));
  // branches and resets go on as it is told now
  client.ask(R"({"do": "reset"})");
  client.step(50);
  CHECK(x() == doctest::Approx(0.25));
  client.ask(R"({"do": "release", "body": "ball"})");
  client.step(50);
  CHECK(x() == doctest::Approx(0.25 + 0.5));
  // a branch before the release, with the same command again: the same bits
  client.ask(R"({"do": "reset"})");
  client.ask(
      R"({"do": "command", "joint": "ball", "freedom": 0, "position": 2, "stiffness": 8, "damping": 8})");
  client.step(300);
  const std::uint64_t there = hash(client.session.run().frame().state);
  CHECK(x() == doctest::Approx(2).epsilon(0.02));
  client.ask(R"({"do": "seek", "t": 1.505})");
  client.ask(R"({"do": "branch"})");
  const std::int64_t left = 300 - client.session.run().number();
  client.step(left);
  CHECK(hash(client.session.run().frame().state) == there);
  client.ask(R"({"do": "command", "joint": "ball", "freedom": 1, "force": 4})");
  client.ask(R"({"do": "release"})");
  const Model& model = client.session.run().model();
  CHECK(!acting(model, client.session.run().command()).any());

  CHECK(error(R"({"do": "command"})") == "expected 'joint' or 'body'");
  CHECK(error(R"({"do": "command", "joint": "bal", "force": 1})") ==
        "unknown joint 'bal'; did you mean 'ball'?");
  CHECK(error(R"({"do": "command", "body": "bal", "force": [1, 0, 0]})") ==
        "unknown body 'bal'; did you mean 'ball'?");
  CHECK(error(R"({"do": "command", "joint": "ball", "freedom": 6, "force": 1})") ==
        "'freedom': 6: expected 0 to 5");
  CHECK(error(R"({"do": "command", "joint": "ball", "force": "5 N"})") ==
        "'force': expected a number");
  CHECK(error(R"({"do": "command", "joint": "ball", "force": null})") ==
        "'force': expected a number");
  CHECK(error(R"({"do": "command", "joint": "ball", "force": 1e300})") ==
        "'force': 1e+300: expected -1e+12 to 1e+12");
  CHECK(error(R"({"do": "command", "joint": "ball", "stiffness": -1})") ==
        "'stiffness': -1: expected 0 to 1e+12");
  CHECK(error(R"({"do": "command", "joint": "ball", "forse": 1})") ==
        "unknown key 'forse'; did you mean 'force'?");
  CHECK(error(R"({"do": "command", "body": "ball", "force": [1, 2]})") ==
        "'force': expected [x, y, z]");
  CHECK(error(R"({"do": "command", "body": "ball", "force": [1, 2, 1e99]})") ==
        "'force': expected numbers up to 1e+12");
  CHECK(!acting(model, client.session.run().command()).any());
}
