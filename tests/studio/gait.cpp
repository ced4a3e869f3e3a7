// A gait that runs in the studio.
#include <doctest/doctest.h>

#include "molejo/io/motion.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/locomotion/replay.h"
#include "tests/studio/described_poses.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const char* const run = "scenes/gaits/basic_run_closed.gait.json";

}  // namespace

TEST_CASE("studio: a gait shows the frames of molejo gait, and their poses follow") {
  LoopbackStudio studio(run);
  Visitor visitor(studio);
  CHECK(visitor.must(R"({"do": "status"})").find("playing")->boolean);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  const double wanted = number(visitor.must(R"({"do": "step", "frames": 100})"), "frame");
  std::string bytes;
  do bytes = visitor.frame(1);
  while (read_at<std::uint32_t>(bytes, 4) != wanted);

  const GaitFile file = load_gait(SourceFile::given(source_dir() + "/" + run));
  const Character character = make_character(file.motion.scene, file.motion.motion.figure);
  const GaitProblem problem(character, file.motion.motion);
  ReplayOptions options;
  options.seconds = 2;
  const Replay played = replay(problem, file.unknowns, options,
                               feedback_hook(problem, file.unknowns, file.feedback->feedback));
  const Frame& expected = played.recording.frames.at(100);
  CHECK(read_at<double>(bytes, 8) == expected.state.t);
  std::vector<double> q;
  for (std::size_t at = 16; at < bytes.size(); at += 4) q.push_back(read_at<float>(bytes, at));
  REQUIRE(q.size() == static_cast<std::size_t>(expected.state.q.size()));
  const JsonValue& model = *described.find("model");
  CHECK(static_cast<double>(bytes.size() - 16) <= 8 * number(model, "freedoms"));
  const std::vector<Pose> poses = described_poses(model, q);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    CHECK(difference(poses[i], expected.X_WB[i]) < 2e-5);
  }
}

TEST_CASE("studio: a gait that is pushed over begins again, and its past can be branched from") {
  LoopbackStudio studio(run);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 30})");
  const std::string torso = visitor.must(R"({"do": "describe"})").find("torso")->text;
  visitor.must(R"({"do": "push", "body": ")" + torso +
               R"(", "force": [0, 3000, 0], "seconds": 0.3})");
  const JsonValue after = visitor.must(R"({"do": "step", "frames": 150})");
  CHECK(number(*after.find("gait"), "falls") >= 1);
  CHECK(number(after, "end") == doctest::Approx(3).epsilon(1e-3));  // it goes on
  // back before the push: it never was
  visitor.must(R"({"do": "seek", "t": 0.2})");
  const JsonValue branched = visitor.must(R"({"do": "branch"})");
  CHECK(number(branched, "end") == doctest::Approx(0.2).epsilon(5e-3));
  const JsonValue on = visitor.must(R"({"do": "step", "frames": 168})");
  CHECK(number(on, "end") == doctest::Approx(3).epsilon(1e-3));
  const std::string hash = [&] {
    visitor.must(R"({"do": "subscribe", "binary": true})");
    return visitor.frame(1);
  }();
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 180})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  CHECK(visitor.frame(1) == hash);
  CHECK(
      visitor.error(R"({"do": "push", "body": "tail", "force": [0, 0, 0]})").find("unknown body") !=
      std::string::npos);
}
