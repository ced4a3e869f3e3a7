// A motion in the studio: palettes, the live sketch, rest pose, training in the background.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "molejo/io/motion.h"
#include "molejo/io/training_state.h"
#include "molejo/locomotion/sketch.h"
#include "tests/studio/described_poses.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const char* const motion = "scenes/gaits/basic_run.motion.json";

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

std::vector<double> coordinates(const std::string& bytes) {
  std::vector<double> q;
  for (std::size_t at = 16; at < bytes.size(); at += 4) q.push_back(read_at<float>(bytes, at));
  return q;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

const JsonValue& mode_of(const JsonValue& described, const char* palette, std::size_t mode) {
  return described.find("motion")->find("steps")->items[0].find(palette)->items[mode - 1];
}

// News of a training until it is in this state.
JsonValue training_until(Visitor& visitor, const std::string& state) {
  JsonValue told = visitor.event("training");
  while (told.find("state")->text != state) told = visitor.event("training");
  return told;
}

// How far a search is, whichever restart and run it is in.
bool is_not_behind(const JsonValue& a, const JsonValue& b) {
  for (const char* key : {"restart", "run", "generation"}) {
    if (number(a, key) != number(b, key)) return number(a, key) > number(b, key);
  }
  return true;
}

}  // namespace

TEST_CASE("studio: a motion tells its two palettes") {
  LoopbackStudio studio(motion);
  Visitor visitor(studio);
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  CHECK(described.find("kind")->text == "motion");
  CHECK(described.find("playing")->boolean);
  const JsonValue& step = described.find("motion")->find("steps")->items[0];
  CHECK(step.find("air")->items.size() == 30);
  CHECK(step.find("ground")->items.size() > 20);
  for (const char* palette : {"air", "ground"}) {
    double last = 0;
    for (const JsonValue& mode : step.find(palette)->items) {
      CHECK(number(mode, "hertz") >= last);
      last = number(mode, "hertz");
      CHECK(mode.find("shape")->items.size() ==
            static_cast<std::size_t>(number(*described.find("model"), "freedoms")));
      CHECK_FALSE(mode.find("word")->text.empty());
    }
  }
  CHECK(mode_of(described, "air", 2).find("word")->text == "legs scissor fore-aft");
  CHECK(mode_of(described, "air", 2).find("mark")->text == "green");
  CHECK(number(mode_of(described, "air", 2), "amplitude") == 0.25);
  CHECK(mode_of(described, "ground", 3).find("word")->text == "push-off");
  CHECK(mode_of(described, "air", 30).find("mark")->text == "red");
}

TEST_CASE("studio: the sketch is that of molejo sketch, and changes with an amplitude at once") {
  LoopbackStudio studio(motion);
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 90})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  const std::vector<double> before = coordinates(visitor.frame(1));
  const MotionFile file = load_motion(SourceFile::given(source_dir() + "/" + motion));
  const Character character = make_character(file.scene, file.motion.figure);
  Sketch sketch(character, file.motion);
  for (int i = 0; i < 90; ++i) sketch.advance(1.0 / 60);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(std::fabs(before[i] - sketch.state().q[static_cast<Eigen::Index>(i)]) < 1e-6);
  }
  visitor.must(R"({"do": "play"})");
  double slowest = 0;
  for (int i = 0; i < 20; ++i) {
    const double value = i % 2 == 0 ? 0.6 : 0.1;
    const auto start = std::chrono::steady_clock::now();
    visitor.must(R"({"do": "amplitude", "palette": "air", "mode": 2, "value": )" +
                 std::to_string(value) + "}");
    visitor.frame(1);
    slowest = std::max(slowest, milliseconds_since(start));
  }
  MESSAGE("slider to sketch: at most " << slowest << " ms");
  CHECK(slowest < 5000);  // the goal is 100; a busy machine must not fail for it
  const JsonValue told = visitor.event("mode");
  CHECK(number(told, "amplitude") == 0.6);
  CHECK(told.find("palette")->text == "air");
  // paused, it shows the change too, and the change is there
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  const std::vector<double> small = coordinates(visitor.frame(1));
  visitor.must(R"({"do": "amplitude", "palette": "air", "mode": 2, "value": 0.9})");
  CHECK(largest_difference(coordinates(visitor.frame(1)), small) > 0.02);
}

TEST_CASE("studio: marks and amplitudes go together") {
  LoopbackStudio studio(motion);
  Visitor visitor(studio);
  const auto mode = [&](const char* palette, std::size_t n) {
    const JsonValue described = visitor.must(R"({"do": "describe"})");
    const JsonValue& m = mode_of(described, palette, n);
    return m.find("mark")->text + " " + std::to_string(number(m, "amplitude")).substr(0, 4);
  };
  CHECK(mode("ground", 20) == "red 0.00");
  visitor.must(R"({"do": "amplitude", "palette": "ground", "mode": 20, "value": -0.3})");
  CHECK(mode("ground", 20) == "green -0.3");
  visitor.must(R"({"do": "mark", "palette": "ground", "mode": 20, "value": "neutral"})");
  CHECK(mode("ground", 20) == "neutral 0.00");
  visitor.must(R"({"do": "mark", "palette": "ground", "mode": 20, "value": "green"})");
  CHECK(mode("ground", 20) == "green 0.10");
  visitor.must(R"({"do": "mark", "palette": "ground", "mode": 20, "value": "red"})");
  CHECK(mode("ground", 20) == "red 0.00");
  visitor.must(R"({"do": "amplitude", "palette": "air", "mode": 2, "value": 0})");
  CHECK(mode("air", 2) == "neutral 0.00");
  CHECK(visitor.error(R"({"do": "amplitude", "palette": "air", "mode": 99, "value": 0.1})") ==
        "'mode': 99: expected 1 to 30");
  CHECK(visitor.error(R"({"do": "amplitude", "palette": "air", "mode": 1, "value": 7})")
            .find("expected -1 to 1") != std::string::npos);
  CHECK(visitor.error(R"({"do": "mark", "palette": "sky", "mode": 1, "value": "red"})")
            .find("'palette'") == 0);
  CHECK(visitor.error(R"({"do": "amplitude", "step": 2, "palette": "air", "mode": 1, "value": 0})")
            .find("'step': 2") == 0);
  // the motion as it is now is a file that can be trained
  visitor.must(R"({"do": "export", "what": "motion"})");
  const JsonValue done = visitor.event("done");
  const std::string text = body_of(http(studio, "GET", done.find("asset")->text));
  const MotionFile file = parse_motion(text, "motion");
  for (const MarkedMode& m : file.motion.steps[0].air.priority) CHECK(m.mode != 2);
}

TEST_CASE("studio: another rest pose gives other palettes within a second") {
  LoopbackStudio studio(motion);
  Visitor visitor(studio), other(studio);
  const JsonValue before = visitor.must(R"({"do": "describe"})");
  const auto start = std::chrono::steady_clock::now();
  visitor.must(R"({"do": "rest", "joint": "left_leg.hip", "turn": [0, -40, 0]})");
  const JsonValue told = visitor.event("palettes");
  MESSAGE("rest pose to palettes: " << milliseconds_since(start) << " ms");
  CHECK(milliseconds_since(start) < 20000);  // the goal is 1000
  CHECK(other.event("palettes").find("describe"));
  const JsonValue& after = *told.find("describe");
  double most = 0;
  for (std::size_t m = 1; m <= 30; ++m) {
    most = std::max(most, std::fabs(number(mode_of(after, "air", m), "hertz") -
                                    number(mode_of(before, "air", m), "hertz")));
  }
  CHECK(most > 0.005);
  CHECK(number(mode_of(after, "air", 2), "amplitude") == 0.25);
  // the other side is turned alike
  double turned = 0;
  for (const JsonValue& joint : after.find("motion")->find("rest")->items) {
    if (joint.find("joint")->text != "right_leg.hip") continue;
    turned = joint.find("turn")->items[1].number;
    CHECK(joint.find("partner")->text == "left_leg.hip");
  }
  CHECK(turned == doctest::Approx(-40));
  // what cannot be leaves all as it is
  CHECK(visitor.error(R"({"do": "rest", "joint": "left_leg.hipp", "turn": [0, 0, 0]})")
            .find("did you mean 'left_leg.hip'") != std::string::npos);
  CHECK(visitor.error(R"({"do": "rest", "joint": "left_leg.knee", "turn": [0, 400, 0]})") ==
        "'turn': expected 180 degrees at most");
  visitor.must(R"({"do": "springs", "stiffness": 400, "relaxation": 0.05})");
  const JsonValue stiff = visitor.must(R"({"do": "describe"})");
  CHECK(number(*stiff.find("motion"), "stiffness") == 400);
  CHECK(number(mode_of(stiff, "air", 1), "hertz") >
        1.2 * number(mode_of(after, "air", 1), "hertz"));
  CHECK(visitor.error(R"({"do": "springs", "stiffness": -1})").find("'stiffness'") == 0);
}

TEST_CASE("studio: a motion is trained, cancelled, and resumed where it was") {
  LoopbackStudio studio(motion);
  Visitor visitor(studio);
  CHECK(visitor.error(R"({"do": "cancel"})") == "nothing is being trained");
  CHECK(visitor.error(R"({"do": "resume"})").find("nothing to resume") == 0);
  CHECK(visitor.error(R"({"do": "pushes"})") == "nothing was trained yet");
  visitor.must(R"({"do": "subscribe", "binary": true})");
  visitor.must(R"({"do": "train"})");
  CHECK(visitor.error(R"({"do": "train"})").find("cancel it first") != std::string::npos);
  JsonValue told = visitor.event("training");
  while (number(told, "generation") < 5) told = visitor.event("training");
  CHECK(told.find("state")->text == "running");
  CHECK(number(told, "rate") > 1);
  CHECK(number(told, "left") > 0);
  CHECK(number(told, "cyclic_error") > 0);
  // its best beside the sketch, for the same model
  const std::string ghost = visitor.frame(5);
  CHECK(ghost.size() == visitor.frame(1).size());
  visitor.must(R"({"do": "cancel"})");
  const JsonValue cancelled = training_until(visitor, "cancelled");
  const double evaluations = number(cancelled, "evaluations");
  const JsonValue trained = visitor.event("trained");
  CHECK_FALSE(trained.find("valid")->boolean);
  const GaitFile best =
      parse_gait(body_of(http(studio, "GET", trained.find("asset")->text)), "best");
  CHECK(static_cast<double>(best.evaluations) == evaluations);
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  const JsonValue& worth = *described.find("training")->find("worth");
  CHECK_FALSE(worth.find("valid")->boolean);
  CHECK(worth.find("fell")->boolean);
  CHECK(number(worth, "steps") >= 0);
  CHECK(number(worth, "cyclic_error") > 1);
  CHECK(visitor.must(R"({"do": "command_line"})").find("command_line")->text ==
        "molejo train " + source_dir() + "/" + motion + " -o basic_run.gait.json");

  visitor.must(R"({"do": "resume"})");
  told = training_until(visitor, "running");
  CHECK(is_not_behind(told, cancelled));
  CHECK(number(told, "evaluations") >= evaluations);
  while (number(told, "evaluations") <= evaluations) told = visitor.event("training");
  visitor.must(R"({"do": "cancel"})");
  training_until(visitor, "cancelled");
  // a motion that was changed is another one, and the command says what it needs
  visitor.must(R"({"do": "amplitude", "palette": "air", "mode": 2, "value": 0.3})");
  CHECK(visitor.error(R"({"do": "resume"})").find("was changed since") != std::string::npos);
  CHECK(visitor.must(R"({"do": "command_line"})").find("command_line")->text ==
        "molejo train basic_run.motion.json -o basic_run.gait.json  # edited: first save the "
        "motion as this file");
  visitor.must(R"({"do": "original"})");
  CHECK(number(mode_of(*visitor.event("palettes").find("describe"), "air", 2), "amplitude") ==
        0.25);
  // what was found can be pushed, and looked at as a gait
  visitor.must(R"({"do": "pushes", "directions": 3, "phases": 1})");
  CHECK(visitor.error(R"({"do": "pushes"})") == "it is being pushed already");
  CHECK(number(visitor.event("pushing"), "of") == 3);
  CHECK(visitor.event("pushes").find("impulse")->items.size() == 3);
  const JsonValue answer =
      visitor.must(R"({"do": "open", "file": ")" + trained.find("file")->text + "\"}");
  CHECK(answer.find("kind")->text == "gait");
}

TEST_CASE("studio: a training that the end of the studio interrupts goes on in the next one") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(binary_dir()) / "studio_trainings";
  fs::remove_all(folder);
  JsonValue told;
  std::vector<std::string> kept;
  {
    LoopbackStudio studio(motion, {}, {}, folder.string());
    Visitor visitor(studio);
    visitor.must(R"({"do": "amplitude", "palette": "air", "mode": 2, "value": 0.3})");
    visitor.must(R"({"do": "train"})");
    told = visitor.event("training");
    while (number(told, "generation") < 3) told = visitor.event("training");
    const auto start = std::chrono::steady_clock::now();
    studio.stop();
    MESSAGE("a studio that trains stops within " << milliseconds_since(start) << " ms");
    kept = studio.interrupted();
  }
  REQUIRE(kept.size() == 1);
  CHECK(kept[0] == told.find("kept")->text);
  // as molejo train --resume reads it, edits included
  const MotionFile file = load_motion(SourceFile::given(kept[0]));
  CHECK(file.motion.steps[0].air.priority[0].amplitude == 0.3);
  const std::string gait = kept[0].substr(0, kept[0].size() - 11) + "gait.json";
  CHECK_FALSE(load_gait(SourceFile::given(gait)).valid);
  const Character character = make_character(file.scene, file.motion.figure);
  const GaitProblem problem(character, file.motion);
  const SavedTraining saved = Checkpoint(gait).load(problem, hash(file));
  CHECK(static_cast<double>(saved.state.evaluations) >= number(told, "evaluations"));

  LoopbackStudio next(kept[0], {}, {}, folder.string());
  Visitor visitor(next);
  const JsonValue described = visitor.must(R"({"do": "describe"})");
  REQUIRE(described.find("training"));
  CHECK(described.find("training")->find("state")->text == "cancelled");
  JsonValue recalled = training_until(visitor, "cancelled");
  while (!recalled.find("file")) recalled = training_until(visitor, "cancelled");
  CHECK(is_not_behind(recalled, told));
  CHECK(recalled.find("worth"));
  visitor.must(R"({"do": "resume"})");
  const JsonValue resumed = training_until(visitor, "running");
  CHECK(is_not_behind(resumed, recalled));
  CHECK(number(resumed, "evaluations") == number(recalled, "evaluations"));
}

TEST_CASE("studio: what another studio trains is not trained beside it") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(binary_dir()) / "studio_shared_trainings";
  fs::remove_all(folder);
  LoopbackStudio first(motion, {}, {}, folder.string()), second(motion, {}, {}, folder.string());
  Visitor visitor(first), other(second);
  const std::string change = R"({"do": "amplitude", "palette": "air", "mode": 2, "value": 0.35})";
  visitor.must(change), other.must(change);
  visitor.must(R"({"do": "train"})");
  visitor.event("training");
  CHECK(other.error(R"({"do": "train"})").find("is working for it; wait for its end") !=
        std::string::npos);
  const double before = number(visitor.event("training"), "evaluations");
  while (number(visitor.event("training"), "evaluations") <= before) {
  }
  visitor.must(R"({"do": "cancel"})");
  training_until(visitor, "cancelled");
  other.must(R"({"do": "train"})");  // free again
}

TEST_CASE("studio: nobody looks, and the training goes on") {
  LoopbackStudio studio(motion);
  double before = 0;
  {
    Visitor visitor(studio);
    visitor.must(R"({"do": "amplitude", "palette": "air", "mode": 2, "value": 0.4})");
    visitor.must(R"({"do": "train"})");
    before = number(visitor.event("training"), "evaluations");
    // the socket is cut without a word
  }
  Visitor late(studio);
  late.must(R"({"do": "open", "file": "scenes/pendulum.json"})");
  late.must(std::string(R"({"do": "open", "file": ")") + motion + "\"}");
  JsonValue told = late.event("training");
  for (int i = 0; i < 5; ++i) told = late.event("training");
  CHECK(told.find("state")->text == "running");
  CHECK(number(told, "evaluations") > before);
  const JsonValue described = late.must(R"({"do": "describe"})");
  CHECK(described.find("training")->find("curve")->items.size() >= 2);
  // what is shown is what is trained
  CHECK(number(mode_of(described, "air", 2), "amplitude") == 0.4);
  // and ends with the studio
}
