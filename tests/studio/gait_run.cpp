// A gait in the studio: it runs on, is pushed, falls, gets up, and can be gone back to.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/model/error.h"
#include "molejo/studio/gait_run.h"
#include "tests/studio/described_poses.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

GaitRun run_of(const std::string& name) {
  const std::string path = source_dir() + "/scenes/gaits/" + name + ".gait.json";
  return GaitRun(load_gait(SourceFile::given(path)), path, {});
}

Vec3 torso(const GaitRun& run) {
  return run.frame().X_WB[static_cast<std::size_t>(run.character().torso.index)].p;
}

double largest_difference(const Frame& a, const Frame& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.X_WB.size(); ++i) {
    most = std::max(most, difference(a.X_WB[i], b.X_WB[i]));
  }
  return most;
}

void play(Timeline& line, double seconds) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds * 60)); ++i) line.advance();
}

}  // namespace

TEST_CASE("gait run: with feedback it is what molejo gait replays") {
  GaitRun run = run_of("basic_run_closed");
  ReplayOptions options;
  options.seconds = 3;
  const Replay expected =
      replay(run.problem(), run.gait().unknowns, options,
             feedback_hook(run.problem(), run.gait().unknowns, run.gait().feedback->feedback));
  for (std::size_t i = 0; i < 180; ++i) {
    CAPTURE(i);
    CHECK(run.time() == expected.recording.frames[i].state.t);
    CHECK(largest_difference(run.frame(), expected.recording.frames[i]) < 1e-12);
    run.advance();
  }
  CHECK(torso(run).x > 5);
}

TEST_CASE("gait run: it runs for a minute, and a small push is survived") {
  GaitRun run = run_of("basic_run_closed");
  play(run, 2);
  run.push("torso", {}, {0, 100, 0}, 0.2);
  const double before = torso(run).y;
  play(run, 0.3);
  CHECK(torso(run).y > before + 0.02);
  play(run, 57.7);
  CHECK(run.falls() == 0);
  CHECK(torso(run).x > 110);
  CHECK(run.time() == doctest::Approx(60).epsilon(1e-4));
}

TEST_CASE("gait run: a large push throws it over, and it begins again farther on") {
  GaitRun run = run_of("basic_run_closed");
  play(run, 1);
  run.push("torso", {}, {0, 3000, 0}, 0.2);
  play(run, 1.2);
  CHECK(run.is_down());
  CHECK(torso(run).z < 0.7);
  const double where = torso(run).x;
  play(run, 3);
  CHECK(run.falls() == 1);
  CHECK_FALSE(run.is_down());
  CHECK(torso(run).z > 0.8);
  CHECK(torso(run).x > where);
  // beyond all measure
  run.push("torso", {}, {1e12, 0, 1e12}, 0.2);
  play(run, 5);
  CHECK(run.frame().state.q.allFinite());
  CHECK(torso(run).z > 0.5);
}

TEST_CASE("gait run: without feedback the cycle comes back without a jump, until it is pushed") {
  GaitRun run = run_of("crouched");
  CHECK(run.control() == GaitControl::reset);
  CHECK_THROWS_WITH_AS(run.set_control(GaitControl::feedback), doctest::Contains("no feedback"),
                       InputError);
  Vec3 last = torso(run);
  double largest = 0;
  for (int i = 0; i < 600; ++i) {
    run.advance();
    largest = std::max(largest, norm(torso(run) - last));
    last = torso(run);
  }
  CHECK(run.falls() == 0);
  CHECK(last.x > 20);
  CHECK(largest < 0.08);  // of 2.5 m/s at 60 frames
  run.set_control(GaitControl::open_loop);
  play(run, 4);
  CHECK(run.falls() >= 1);
}

TEST_CASE("gait run: going back and on again gives the same frames, pushes included") {
  GaitRun run = run_of("basic_run_closed");
  play(run, 1);
  run.push("torso", {}, {0, 150, 0}, 0.3);
  play(run, 0.1);
  run.drag("left_arm.fore", {}, {torso(run).x + 0.5, 0.4, 1}, {});
  play(run, 0.15);
  run.drop();
  const Frame here = run.frame();
  play(run, 0.05);
  run.seek(here.state.t);
  run.branch();
  CHECK(largest_difference(run.frame(), here) == 0);
  CHECK(run.end() == here.state.t);
  // what acts no more: made again from the same bits
  run.advance();
  const Frame next = run.frame();
  run.seek(here.state.t);
  run.branch();
  run.advance();
  CHECK(largest_difference(run.frame(), next) == 0);
  play(run, 3);
  CHECK(run.frame().state.q.allFinite());
}

TEST_CASE("gait run: who is lifted by the hand hangs there, and does not swing for long") {
  GaitRun run = run_of("basic_run_closed");
  run.set_control(GaitControl::open_loop);
  const Vec3 hand = torso(run) + Vec3{0, 0, 1};
  run.drag("torso", {}, hand, {});
  play(run, 0.6);
  double farthest = 0;
  for (int i = 0; i < 30; ++i) {
    run.advance();
    farthest = std::max(farthest, norm(torso(run) - hand));
  }
  CHECK(farthest < 0.3);
}

TEST_CASE("studio: a gait is pushed, dragged and told how to go on") {
  LoopbackStudio studio("scenes/gaits/basic_run_closed.gait.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "push", "body": "torso", "force": [0, 3000, 0], "seconds": 0.2})");
  CHECK(visitor.must(R"({"do": "step", "frames": 72})").find("gait")->find("down")->boolean);
  CHECK(number(*visitor.must(R"({"do": "step", "frames": 200})").find("gait"), "falls") == 1);
  visitor.must(R"({"do": "drag", "body": "torso", "to": [9, 0, 1.2]})");
  visitor.must(R"({"do": "drop"})");
  visitor.must(R"({"do": "control", "value": "open_loop"})");
  CHECK(visitor.must(R"({"do": "status"})").find("gait")->find("control")->text == "open_loop");
  CHECK(visitor.must(R"({"do": "command_line"})").find("command_line")->text.find("--open-loop") !=
        std::string::npos);
  CHECK(visitor.error(R"({"do": "control", "value": "fedback"})").find("did you mean 'feedback'") !=
        std::string::npos);
  CHECK(visitor.error(R"({"do": "push", "body": "nobody", "force": [0, 0, 1]})") != "no error");
  visitor.must(R"({"do": "export", "what": "csv"})");
  CHECK(visitor.event("done").find("name")->text == "basic_run_closed.csv");
}

TEST_CASE("studio: how hard a gait may be pushed is found out in the background") {
  LoopbackStudio studio("scenes/gaits/basic_run_closed.gait.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pushes", "directions": 3, "phases": 1})");
  CHECK(visitor.error(R"({"do": "pushes"})").find("already") != std::string::npos);
  const JsonValue told = visitor.event("pushes");
  REQUIRE(told.find("impulse")->items.size() == 3);
  CHECK(number(told, "mass") == doctest::Approx(73.4).epsilon(0.01));
  CHECK(told.find("impulse")->items[0].number == doctest::Approx(0.85));  // molejo pushes
  // who comes later sees them too
  Visitor late(studio);
  CHECK(late.must(R"({"do": "describe"})").find("pushes")->find("impulse")->items.size() == 3);
}
