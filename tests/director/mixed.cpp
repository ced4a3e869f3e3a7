// Directed and simulated bodies in one scene: who moves what, what is told to the net.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/director/shows.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// A net of one line: tokens wait in `go` from the start, then in `stay`.
std::string show_with(const std::string& bodies, const std::string& rest, const char* delay = "1") {
  return std::string(R"({"scene": {"bodies": [)") + bodies +
         R"(]}, "net": {"places": [{"name": "go", "delay": )" + delay +
         R"(, "tokens": 1}, {"name": "stay", "delay": 1}, {"name": "over"}],
         "transitions": [{"name": "next", "in": "go", "out": "stay"},
                         {"name": "last", "in": "stay", "out": "over"}]},
         "duration": 2, "fps": 24, )" +
         rest + "}";
}
const std::string ball = R"({"name": "ball", "position": [0, 0, 1], "shape": {"sphere": 0.1}})";
const std::string cart = R"({"name": "cart", "position": [2, 0, 0.5], "shape": {"box": 0.2}})";

}  // namespace

TEST_CASE(
    "mixed: what is attached keeps its pose to the other one, and its own when it is handed over") {
  const Show show = show_of(
      show_with(ball + "," + cart +
                    R"(, {"name": "hand", "position": [0.5, 0.3, 1], "shape": {"sphere": 0.05}})",
                R"("start": [{"do": "attach", "body": "ball", "to": "cart"}],
         "places": {"go": {"do": "move", "body": "cart", "to": [0, 3, 1], "ease": "smooth"},
                    "stay": {"do": "move", "body": "hand", "to": [2, 2, 2]}},
         "transitions": {"next": {"do": "attach", "body": "ball", "to": "hand"}})"));
  const Directed d = direct(show);
  const Model& model = show.built->model;
  const auto pose = [&](std::size_t frame, const char* body) {
    return d.recording.frames[frame].X_WB[static_cast<std::size_t>(model.body(body).index)];
  };
  const Pose first = inverse(pose(0, "cart")) * pose(0, "ball");
  for (std::size_t i = 1; i <= 24; ++i) {
    const Pose now = inverse(pose(i, "cart")) * pose(i, "ball");
    CHECK(norm(now.p - first.p) < 1e-12);
    CHECK(max_abs((now.R - first.R).r0) < 1e-12);
  }
  // at frame 24 it changes hands where it is, and goes with the other from then on
  const Pose second = inverse(pose(24, "hand")) * pose(24, "ball");
  for (std::size_t i = 25; i <= 48; ++i) {
    CHECK(norm((inverse(pose(i, "hand")) * pose(i, "ball")).p - second.p) < 1e-12);
  }
  CHECK(norm(pose(48, "hand").p - Vec3{2, 2, 2}) < 1e-12);
}

TEST_CASE("mixed: what is released goes on with the velocity that it had") {
  const Show show = show_of(show_with(ball + "," + cart,
                                      R"("start": [{"do": "attach", "body": "ball", "to": "cart"}],
         "places": {"go": {"do": "move", "body": "cart", "to": [2, 3, 0.5]}},
         "transitions": {"next": {"do": "release", "body": "ball"}})"));
  const Directed d = direct(show);
  const Vec3 start = position(show, d.recording.frames[24], "ball");
  CHECK(norm(start - Vec3{0, 3, 1}) < 1e-12);
  for (std::size_t i = 24; i <= 48; ++i) {
    const double t = static_cast<double>(i - 24) / 24;
    const Vec3 expected = start + Vec3{0, 3 * t, -9.81 * t * t / 2};
    CHECK(norm(position(show, d.recording.frames[i], "ball") - expected) < 1e-9);
  }
}

TEST_CASE("mixed: a throw that is left to the simulation lands at its target") {
  const Show show = show_of(show_with(
      ball,
      R"("places": {"go": {"do": "move", "body": "ball", "to": [3, 1, 2], "way": "simulated"}})"));
  const Directed d = direct(show);
  CHECK(norm(position(show, d.recording.frames[24], "ball") - Vec3{3, 1, 2}) < 1e-9);
  CHECK(d.recording.summary.steps == 48 * 42);  // whole steps to a frame
}

TEST_CASE("mixed: forces act from the time the token comes to the time it leaves") {
  const std::string floating = R"({"name": "ball", "mass": 2, "shape": {"sphere": 0.1}})";
  const Show show = show_of(replaced(
      show_with(
          floating,
          R"("places": {"go": {"do": "force", "body": "ball", "force": [4, "4*progress", 0]}})"),
      R"("scene": {)", R"("scene": {"gravity": [0, 0, 0], )"));
  const Directed d = direct(show);
  const VecX& v = d.recording.frames[24].state.v;
  CHECK(v[0] == doctest::Approx(2).epsilon(1e-6));  // 4 N for 1 s on 2 kg
  CHECK(v[1] == doctest::Approx(1).epsilon(1e-3));
  CHECK(d.recording.frames[48].state.v[0] == v[0]);
}

TEST_CASE("mixed: while it waits for the world, without any delay, all of its progress is made") {
  const Show show = show_of(R"({"scene": {"gravity": [0, 0, 0], "bodies": [
      {"name": "ball", "mass": 2, "shape": {"sphere": 0.1}}]},
    "net": {"places": [{"name": "held", "await": true, "tokens": 1}, {"name": "free"}],
            "transitions": [{"name": "let_go", "in": "held", "out": "free"}]},
    "duration": 2, "fps": 24, "causes": [{"at": [1], "finish": "held"}],
    "places": {"held": {"do": "force", "body": "ball", "force": ["4*progress", 0, 0]}}})");
  const Directed d = direct(show);
  CHECK(d.recording.summary.failure == "");
  // 4 N on 2 kg for a second
  CHECK(d.recording.frames[24].state.v[0] == doctest::Approx(2).epsilon(1e-6));
  CHECK(d.recording.frames.back().state.v[0] == doctest::Approx(2).epsilon(1e-6));
}

TEST_CASE("mixed: a motor has the target of the place while the token waits, then its own again") {
  const std::string text = R"({"scene": {"gravity": [0, 0, 0], "contact": false, "bodies": [
      {"name": "door", "position": [0.5, 0, 0], "shape": {"box": [1, 0.05, 1]}, "mass": 1}],
      "joints": [{"name": "hinge", "type": "revolute", "child": "door", "anchor": [0, 0, 0], "axis": [0, 0, 1],
                  "motor": {"kp": 400, "kd": 25, "target": 0}}]},
    "net": {"places": [{"name": "open", "delay": 2, "tokens": 1}, {"name": "shut", "delay": 2}],
            "transitions": [{"name": "next", "in": "open", "out": "shut"}]},
    "duration": 4,
    "places": {"open": {"do": "motor", "joint": "hinge", "target_deg": 60, "blend_in": 0.5}}})";
  const Directed d = direct(show_of(text));
  const double open = 60 * std::acos(-1.0) / 180;
  CHECK(d.recording.frames[6].state.q[0] < 0.4);  // it fades in
  CHECK(d.recording.frames[48].state.q[0] == doctest::Approx(open).epsilon(1e-3));
  CHECK(std::fabs(d.recording.frames[96].state.q[0]) < 1e-2);
}

TEST_CASE("mixed: a directed body pushes a simulated one with the velocity that it shows") {
  const Show show = show_of(replaced(
      show_with(
          R"({"name": "ball", "position": [0.5, 0, 0], "mass": 1, "restitution": 0, "shape": {"sphere": 0.1}},
                   {"name": "ram", "restitution": 0, "shape": {"box": 0.2}})",
          R"("places": {"go": {"do": "move", "body": "ram", "to": [1, 0, 0]}})"),
      R"("scene": {)", R"("scene": {"gravity": [0, 0, 0], )"));
  const Directed d = direct(show);
  const int v =
      show.built->model.links[static_cast<std::size_t>(show.built->model.body("ball").index)].v;
  CHECK(d.recording.frames[24].state.v[v] == doctest::Approx(1).epsilon(1e-6));
  REQUIRE_FALSE(d.recording.contacts.empty());
  CHECK(d.recording.contacts.front().t == doctest::Approx(0.3).epsilon(0.02));
}

TEST_CASE("mixed: contacts, arrivals, conditions and given times put tokens and fire events") {
  const std::string text = R"({"scene": {"bodies": [
      {"name": "floor", "immobile": true, "shape": {"plane": true}},
      {"name": "ball", "position": [0, 0, 0.5905], "restitution": 0, "shape": {"sphere": 0.1}}]},
    "net": {"places": [{"name": "up", "tokens": 1}, {"name": "low"}, {"name": "down"}, {"name": "touched"},
                       {"name": "near"}, {"name": "called", "delay": 0.1}, {"name": "held", "await": true, "tokens": 1}],
            "transitions": [{"name": "sinks", "in": "up", "out": "low", "event": "is low"},
                            {"name": "lands", "in": "low", "out": "down", "event": "touch"},
                            {"name": "freed", "in": "held"}]},
    "duration": 1, "fps": 100,
    "causes": [{"when": "ball.z < 0.4905", "raise": "is low"},
               {"contact": ["ball", "floor"], "raise": "touch"},
               {"contact": ["ball"], "put": "touched"},
               {"arrival": "ball", "to": [0, 0, 0.1], "within": 0.2, "put": "near"},
               {"arrival": "ball", "to": [0, 0, 0.1], "within": 0.1, "finish": "held"},
               {"at": [0.25, "1/3"], "put": "called"}]})";
  const Show show = show_of(text);
  const Directed d = direct(show);
  const auto fired = firings(show, d.trace);
  // it has fallen 0.1 m after 0.1428 s and 0.4905 m after 0.3162 s
  CHECK(frames_of(fired, "sinks") == std::vector<std::int64_t>{15});
  CHECK(frames_of(fired, "lands") == std::vector<std::int64_t>{32});
  CHECK(frames_of(fired, "freed") == std::vector<std::int64_t>{29});
  const NetNames names(show.net);
  const auto tokens = [&](const char* place) {
    return d.trace.marking[static_cast<std::size_t>(names.place(place).index)];
  };
  CHECK(tokens("down") == 1);
  CHECK(tokens("touched") == 1);
  CHECK(tokens("near") == 1);
  CHECK(tokens("called") == 2);
  std::vector<double> calls;
  for (const Service& s : d.trace.services) {
    if (s.place == names.place("called")) {
      calls.push_back(static_cast<double>(s.start) / static_cast<double>(d.trace.ticks_per_second));
    }
  }
  REQUIRE(calls.size() == 2);
  CHECK(calls[0] == 0.25);                   // between frames, at its own time
  CHECK(calls[1] == doctest::Approx(0.35));  // served after the first
}

TEST_CASE(
    "mixed: keyed freedoms follow their curves, fade out, and keep the limbs where they end") {
  const std::string text =
      R"({"actors": [{"name": "f", "character": "../characters/stick_figure.json"}],
    "net": {"places": [{"name": "nod", "delay": 1, "tokens": 1}, {"name": "wave", "delay": 1}, {"name": "rest", "delay": 1}],
            "transitions": [{"name": "a", "in": "nod", "out": "wave"}, {"name": "b", "in": "wave", "out": "rest"}]},
    "duration": 3, "fps": 24,
    "places": {"nod": {"do": "keys", "freedoms": {"neck": [[[0, 0], [1, 0]], [[0, 0], [0.5, 0.4], [1, 0.4]], [[0, 0], [1, 0]]]}, "blend_out": 0.25},
               "wave": {"do": "keys", "over": "progress", "freedoms": {"left_arm.elbow": [[0, 0], [1, -1.2]]}, "blend_in": 0.2}}})";
  const Show show = show_of(text);
  const Directed d = direct(show);
  const Model& model = show.built->model;
  const auto link = [&](const char* body) {
    return model.links[static_cast<std::size_t>(model.body(body).index)];
  };
  const auto turned = [&](std::size_t frame) {
    const VecX& q = d.recording.frames[frame].state.q;
    return 2 * std::asin(q[link("f.head").q + 2]);
  };
  CHECK(turned(12) == doctest::Approx(0.4).epsilon(1e-6));
  CHECK(std::fabs(turned(24)) < 1e-9);
  const int elbow = link("f.left_arm.fore").q;
  CHECK(d.recording.frames[48].state.q[elbow] == doctest::Approx(-1.2).epsilon(1e-9));
  CHECK(d.recording.frames[60].state.q[elbow] == doctest::Approx(-1.2).epsilon(1e-6));
}

TEST_CASE("mixed: a released figure falls as a ragdoll") {
  const std::string text =
      R"({"scene": {"bodies": [{"name": "ground", "immobile": true, "shape": {"plane": true}}]},
    "actors": [{"name": "f", "character": "../characters/stick_figure.json"}],
    "net": {"places": [{"name": "stand", "delay": 0.5, "tokens": 1}, {"name": "fall", "delay": 2}],
            "transitions": [{"name": "let_go", "in": "stand", "out": "fall"}]},
    "duration": 2.5,
    "places": {"stand": {"do": "body", "tilt_deg": 30}},
    "transitions": {"let_go": {"do": "release", "actor": "f"}}})";
  const Show show = show_of(text);
  const Directed d = direct(show);
  CHECK(d.recording.summary.failure == "");
  CHECK(position(show, d.recording.frames[12], "f.pelvis").z == doctest::Approx(0.93));
  CHECK(position(show, d.recording.frames.back(), "f.pelvis").z < 0.5);
  CHECK(position(show, d.recording.frames.back(), "f.head").z > 0);
}

TEST_CASE("mixed: the starter shows all of it, and a gait runs as it does alone") {
  const Show show = shipped_show("starter");
  const Directed d = direct(show);
  CHECK(d.recording.summary.failure == "");
  const auto fired = firings(show, d.trace);
  REQUIRE(frames_of(fired, "go").size() == 1);
  const auto go = static_cast<std::size_t>(frames_of(fired, "go")[0]);
  // the ball falls 1 m to the plate: 0.4515 s, told in the frame that shows it
  CHECK(go == 11);
  const std::vector<Frame>& frames = d.recording.frames;
  const Vec3 start = position(show, frames[go], "runner.torso");
  const Vec3 end = position(show, frames[go + 72], "runner.torso");
  CHECK(end.x - start.x > 5);
  CHECK(end.z > 0.9);
  // who was run into lies elsewhere; the lamp fell when the third touch was counted
  CHECK(norm(position(show, frames.back(), "low1.box") -
             position(show, frames.front(), "low1.box")) > 0.2);
  const auto drop = static_cast<std::size_t>(frames_of(fired, "drop")[0]);
  CHECK(position(show, frames[drop], "lamp").z > 0.8);
  CHECK(position(show, frames.back(), "lamp").z < 0.2);
  // the same gait alone, sampled at the same frames
  for (const Binding& b : show.bindings) {
    const auto* motion = std::get_if<GaitMotion>(&b.action);
    if (!motion) continue;
    const GaitData& gait = *motion->gait;
    ReplayOptions options;
    options.seconds = 2, options.fps = 24;
    const Replay alone = replay(gait.problem, gait.unknowns, options,
                                feedback_hook(gait.problem, gait.unknowns, *gait.feedback));
    const auto torso = static_cast<std::size_t>(gait.character.torso.index);
    const double z = alone.recording.frames[24].X_WB[torso].p.z;
    CHECK(position(show, frames[go + 24], "runner.torso").z == doctest::Approx(z).epsilon(1e-9));
  }
}

TEST_CASE("mixed: a recorded cycle goes on for as long as one likes, a stride each") {
  const std::string text =
      R"({"actors": [{"name": "r", "character": "../gaits/basic_run_closed.gait.json", "heading_deg": 90}],
    "net": {"places": [{"name": "run", "delay": 20, "tokens": 1}]}, "duration": 20,
    "places": {"run": {"do": "gait", "file": "../gaits/basic_run_closed.gait.json", "cycle": true}}})";
  const Show show = show_of(text);
  const Directed d = direct(show);
  const Vec3 first = position(show, d.recording.frames.front(), "r.torso");
  const Vec3 last = position(show, d.recording.frames.back(), "r.torso");
  CHECK(last.y - first.y > 30);  // it faces left
  CHECK(std::fabs(last.x - first.x) < 0.5);
  for (const Frame& frame : d.recording.frames) {
    REQUIRE(position(show, frame, "r.torso").z > 0.9);
  }
}

TEST_CASE("mixed: the same bits however often it is run") {
  const Show show = shipped_show("starter");
  CHECK(direct(show).recording.summary.hash == direct(show).recording.summary.hash);
}
