// The walk of the thesis as an animation: frames, paths, feet, arms.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/director/shows.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double stroke = 0.5;

const Show& fine() {
  static const Show show = shipped_show("walk");
  return show;
}
const Directed& walked() {
  static const Directed directed = direct(fine());
  return directed;
}

// One action place a step: the same motions, four to a place.
Show coarse() {
  std::string text = show_text("walk");
  text = replaced(text, "walk.net.json", "walk_coarse.net.json");
  text = text.substr(0, text.find("  \"actions\": {"));
  const auto step = [](const char* stance, const char* swing, const char* travel, const char* foot,
                       const char* left_arm, const char* right_arm) {
    return std::string(R"([{"do": "stance", "limb": ")") + stance + R"(", "travel": ")" + travel +
           R"("}, {"do": "reach", "limb": ")" + swing + R"(", "to": [")" + foot +
           R"(", 0, 0], "lift": "=lift"}, {"do": "reach", "limb": "left_arm", "to": [")" +
           left_arm + R"(", 0, 0]}, {"do": "reach", "limb": "right_arm", "to": [")" + right_arm +
           R"(", 0, 0]}])";
  };
  text += "\"actions\": {\"half step right\": " +
          step("left_leg", "right_leg", "=x/2", "=x/2", "=x/2", "=-x/2") +
          ",\n\"step left\": " + step("right_leg", "left_leg", "=x", "=x/2", "=-x/2", "=x/2") +
          ",\n\"step right\": " + step("left_leg", "right_leg", "=x", "=x/2", "=x/2", "=-x/2") +
          ",\n\"close right\": " + step("left_leg", "right_leg", "=x/2", "=0", "=0", "=0") +
          ",\n\"close left\": " + step("right_leg", "left_leg", "=x/2", "=0", "=0", "=0") + "}}";
  return show_of(text);
}

Show with_steps(int n) {
  std::string text = show_text("walk");
  std::string net = read_file(source_dir() + "/scenes/nets/walk.net.json");
  net = replaced(net, "\"steps\": 3", "\"steps\": " + std::to_string(n));
  net = net.substr(net.find("{\n"));
  text = replaced(text, "\"../nets/walk.net.json\"", net);
  return show_of(replaced(text, "always: P3 <= 3", "always: P3 <= " + std::to_string(n)));
}

bool stands(const Frame& a, const Frame& b, const char* foot) {
  return norm(position(fine(), a, foot) - position(fine(), b, foot)) < 1e-3;
}

}  // namespace

TEST_CASE("walk: fires in the frames of the thesis, and ends at frame 72 of 240") {
  CHECK(firings(fine(), walked().trace) ==
        std::vector<Fired>{
            {"T1", 0}, {"T2", 12}, {"T3", 36}, {"T5", 36}, {"T8", 60}, {"T10", 72}, {"T11", 72}});
  CHECK(walked().recording.frames.size() == 73);  // frame 0 shows the start
  CHECK(walked().trace.quiet);
  CHECK(walked().recording.frames.back().state.t == 3.0);
}

TEST_CASE("walk: coarse and fine net give the same body path") {
  const Show other = coarse();
  const Directed directed = direct(other);
  REQUIRE(directed.recording.frames.size() == walked().recording.frames.size());
  for (std::size_t i = 0; i < directed.recording.frames.size(); ++i) {
    for (const char* body : {"figure.pelvis", "figure.left_leg.foot", "figure.right_arm.hand"}) {
      const Vec3 a = position(fine(), walked().recording.frames[i], body);
      const Vec3 b = position(other, directed.recording.frames[i], body);
      REQUIRE(norm(a - b) < 1e-12);
    }
  }
}

TEST_CASE("walk: N steps cover N strokes in 24 N frames, and end in the pose of rest") {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    CAPTURE(n);
    const Show show = with_steps(n);
    const Directed d = direct(show);
    const std::vector<Frame>& frames = d.recording.frames;
    CHECK(frames.size() == static_cast<std::size_t>(24 * n + 1));
    const Vec3 way = position(show, frames.back(), "figure.pelvis") -
                     position(show, frames.front(), "figure.pelvis");
    CHECK(norm(way - Vec3{n * stroke, 0, 0}) < 1e-6);
    const Vec3 hand = position(show, frames.back(), "figure.left_arm.hand") -
                      position(show, frames.front(), "figure.left_arm.hand");
    CHECK(norm(hand - way) < 1e-6);
  }
}

TEST_CASE(
    "walk: one foot at least stands in every frame, swing legs alternate, arms go against legs") {
  const std::vector<Frame>& frames = walked().recording.frames;
  std::string swings;  // of each step
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const bool left = stands(frames[i - 1], frames[i], "figure.left_leg.foot");
    const bool right = stands(frames[i - 1], frames[i], "figure.right_leg.foot");
    CHECK((left || right));
    REQUIRE_FALSE((left && right));
    const char swing = left ? 'R' : 'L';
    if (swings.empty() || swings.back() != swing) swings += swing;
    // the hand of a side and its foot are on different sides of the body
    for (const std::string side : {"left", "right"}) {
      const double body = position(fine(), frames[i], "figure.pelvis").x;
      const double foot = position(fine(), frames[i], "figure." + side + "_leg.foot").x - body;
      const double hand = position(fine(), frames[i], "figure." + side + "_arm.hand").x - body;
      CHECK(foot * hand < 1e-9);
    }
  }
  CHECK(swings == "RLRL");
}

TEST_CASE("walk: the duty factor is one half, and a standing foot slips less than a nanometre") {
  const std::vector<Frame>& frames = walked().recording.frames;
  // a whole period: step 2 and step 3, frames 12 to 60
  int on_ground = 0;
  for (std::size_t i = 13; i <= 60; ++i) {
    const double way = norm(position(fine(), frames[i], "figure.left_leg.foot") -
                            position(fine(), frames[i - 1], "figure.left_leg.foot"));
    if (way < 1e-3) {
      ++on_ground;
      CHECK(way < 1e-9);
    }
  }
  CHECK(on_ground == 24);
}

TEST_CASE("walk: ends of limbs move at constant speed along their lines") {
  const std::vector<Frame>& frames = walked().recording.frames;
  // seen from the body; along the ground, since feet are lifted
  for (std::size_t i = 13; i <= 36; ++i) {
    const auto seen = [&](std::size_t k, const char* body) {
      return position(fine(), frames[k], body).x - position(fine(), frames[k], "figure.pelvis").x;
    };
    CHECK(seen(i, "figure.left_leg.foot") - seen(i - 1, "figure.left_leg.foot") ==
          doctest::Approx(stroke / 24).epsilon(1e-9));
    CHECK(seen(i, "figure.right_leg.foot") - seen(i - 1, "figure.right_leg.foot") ==
          doctest::Approx(-stroke / 24).epsilon(1e-9));
  }
}

TEST_CASE("walk: hands that are asked too much go on an arc as long as the arm") {
  for (const Frame& frame : walked().recording.frames) {
    const Vec3 hand = position(fine(), frame, "figure.left_arm.hand");
    const Vec3 shoulder = position(fine(), frame, "figure.torso") + Vec3{0, 0.2, 0};
    CHECK(norm(hand - shoulder) <= 0.57 + 1e-12);
    CHECK(norm(hand - shoulder) == doctest::Approx(0.57).epsilon(1e-6));
  }
}

TEST_CASE("walk: to leave the arms out changes nothing else") {
  std::string text = show_text("walk");
  for (const char* arm : {"left", "right"}) {
    for (const char* word : {"half forward", "half backward", "forward", "backward"}) {
      const std::string key = std::string("\"") + arm + " arm: " + word + "\": ";
      const std::size_t at = text.find(key) + key.size();
      text.replace(at, text.find('}', at) + 1 - at, "null");
    }
  }
  for (const char* place : {"\"P7a\": ", "\"P7b\": "}) {
    const std::size_t at = text.find(place) + 7;
    text.replace(at, text.find('}', at) + 1 - at, "null");
  }
  const Show show = show_of(text);
  const Directed d = direct(show);
  CHECK(firings(show, d.trace) == firings(fine(), walked().trace));
  for (std::size_t i = 0; i < d.recording.frames.size(); ++i) {
    const Vec3 apart = position(show, d.recording.frames[i], "figure.left_leg.foot") -
                       position(fine(), walked().recording.frames[i], "figure.left_leg.foot");
    REQUIRE(norm(apart) == 0);
  }
}

TEST_CASE(
    "walk: a frame at a time is the same as all at once, and any frame rate has the same times") {
  Director director(fine());
  Frame frame;
  std::vector<ContactEvent> contacts;
  std::size_t count = 0;
  while (director.next_frame(frame, contacts)) {
    REQUIRE(count < walked().recording.frames.size());
    CHECK(hash(frame.state) == hash(walked().recording.frames[count].state));
    ++count;
  }
  CHECK(count == 73);
  CHECK_FALSE(director.next_frame(frame, contacts));
  const Directed slow = direct(fine(), {.fps = Fraction(25)});
  CHECK(slow.recording.frames.size() == 76);  // 75 frames for 3 s, not 74
}

TEST_CASE("jump: both timings take 180 frames and end in the pose of rest") {
  const Show show = shipped_show("jump");
  std::string prose = read_file(source_dir() + "/scenes/nets/jump.net.json");
  prose = replaced(prose, "\"absorb\": 1.5, \"rise\": 1.5", "\"absorb\": 0.75, \"rise\": 2.25");
  const Show told = show_of(
      replaced(show_text("jump"), "\"../nets/jump.net.json\"", prose.substr(prose.find("{\n"))));
  for (const Show* jump : {&show, &told}) {
    const Directed d = direct(*jump);
    const std::vector<Frame>& frames = d.recording.frames;
    REQUIRE(frames.size() == 181);
    for (std::size_t b = 0; b < frames[0].X_WB.size(); ++b) {
      CHECK(norm(frames.back().X_WB[b].p - frames.front().X_WB[b].p) < 1e-6);
    }
    const auto fired = firings(*jump, d.trace);
    CHECK(frames_of(fired, "T4") == std::vector<std::int64_t>{108});
    CHECK(frames_of(fired, "T5") == std::vector<std::int64_t>{jump == &show ? 144 : 126});
    CHECK(frames_of(fired, "T6") == std::vector<std::int64_t>{180});
    // crouched at 36, in the air at 84, feet on the ground otherwise
    CHECK(position(*jump, frames[36], "figure.pelvis").z == doctest::Approx(0.93 - 0.25));
    CHECK(position(*jump, frames[84], "figure.pelvis").z == doctest::Approx(0.93 + 0.35));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const double foot = position(*jump, frames[i], "figure.left_leg.foot").z - 0.07;
      if (i > 60 && i < 108) CHECK(foot > 1e-4);
      if (i <= 60 || i >= 108) CHECK(std::fabs(foot) < 1e-9);
    }
  }
}
