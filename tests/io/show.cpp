// Directed scenes that cannot be: the one line that is said of each.
#include "molejo/io/show.h"

#include <doctest/doctest.h>

#include "molejo/io/export.h"
#include "molejo/io/file.h"
#include "molejo/io/net_watch.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::string folder() { return source_dir() + "/scenes/shows/"; }

// A figure, a ball, two places; `more` are further keys.
std::string text_with(const std::string& more) {
  return R"({"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]},
 "actors": [{"name": "A", "character": "../characters/stick_figure.json"}],
 "net": {"places": [{"name": "wave", "delay": 1, "tokens": 1}, {"name": "done"}],
         "transitions": [{"name": "end", "in": "wave", "out": "done"}, {"name": "stop", "in": "done", "event": "hit"}]},
)" + more +
         "}";
}

std::string complaint(const std::string& more) {
  const std::string text = error_text(
      [&] { parse_show(text_with(more), SourceFile::given(folder() + "bad.show.json")); });
  CHECK(text.find('\n') == std::string::npos);
  return text.substr(text.find("bad.show.json") == std::string::npos ? 0
                                                                     : text.find("bad.show.json"));
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

void refused(const std::string& more, const char* part) {
  const std::string said = complaint(more);
  CAPTURE(said);
  CHECK(says(said, "bad.show.json"));
  CHECK(says(said, part));
}

}  // namespace

TEST_CASE("shows: what is not there is named with the nearest word") {
  refused(R"("places": {"wve": null})",
          "bad.show.json:5: /places/wve: null: unknown place 'wve'; did you mean 'wave'?");
  refused(R"("places": {"wave": {"do": "reech", "limb": "left_arm", "to": [0, 0, 0]}})",
          "/places/wave/do: \"reech\": unknown action 'reech'; did you mean 'reach'?");
  refused(R"("places": {"wave": {"do": "reach", "limb": "left_arn", "to": [0, 0, 0]}})",
          "unknown limb 'left_arn'; did you mean 'left_arm'?");
  refused(R"("places": {"wave": {"do": "move", "body": "bal", "to": [0, 0, 0]}})",
          "/places/wave/body: \"bal\": unknown body 'bal'; did you mean 'ball'?");
  refused(R"("places": {"wave": {"do": "body", "actor": "B", "lift": 0}})", "unknown actor 'B'");
  refused(R"("transitions": {"edn": null})", "unknown transition 'edn'; did you mean 'end'?");
  refused(R"("causes": [{"contact": ["ball"], "raise": "hot"}])",
          "/causes/0/raise: \"hot\": unknown event 'hot'; did you mean 'hit'?");
  refused(R"("causes": [{"contact": ["ball"], "put": "don"}])", "unknown place 'don'");
  refused(R"("actions": {"wave!": null})", "no place of the net");
  refused(R"("cast": {"A": ["P*"]})", "unknown place 'P*'");
  refused(R"("places": {"wave": {"do": "keys", "freedoms": {"A.elbw": [[0, 0]]}}})",
          "unknown freedom 'A.elbw'");
  refused(R"("places": {"wave": {"do": "motor", "joint": "A.waist", "target": 1}})", "no motor");
  refused(R"("placs": {})", "unknown key 'placs'; did you mean 'places'?");
}

TEST_CASE("shows: numbers that are none are refused") {
  refused(R"("places": {"wave": {"do": "reach", "limb": "left_arm", "to": [0, "=0/0", 0]}})",
          "no value");
  refused(R"("places": {"wave": {"do": "reach", "limb": "left_arm", "to": [0, 1e9, 0]}})",
          "must be within");
  refused(R"("places": {"wave": {"do": "body", "lift": "=1/0"}})", "/places/wave/lift");
  refused(R"("fps": 0)", "/fps: 0: expected a number from 0.001 to 10000");
  refused(R"("duration": -1)", "/duration");
  for (const char* degrees : {"-36000.5", "36000.5"}) {
    std::string text = text_with(R"("places": {})");
    const std::string before = R"(stick_figure.json")";
    text.insert(text.find(before) + before.size(), std::string(R"(, "heading_deg": )") + degrees);
    const std::string said =
        error_text([&] { parse_show(text, SourceFile::given(folder() + "bad.show.json")); });
    CAPTURE(said);
    CHECK(says(said, "heading_deg: "));
  }
  refused(R"("fps": 1000, "duration": 100000)", "more than a million frames");
  refused(R"("places": {"wave": {"do": "keys", "freedoms": {"A.waist": [[1, 0], [0, 0]]}}})",
          "/places/wave/freedoms/A.waist");
}

TEST_CASE("shows: what contradicts itself is refused") {
  refused(R"("places": {"wave": [{"do": "body", "lift": 0}, {"do": "body", "lift": 1}]})",
          "place 'wave' already moves A lift: two actions contradict each other");
  refused(R"("places": {"wave": null, "wav*": null})", "place 'wave' is bound twice");
  refused(R"("places": {"done": {"do": "body", "lift": 0}})", "place 'done' has no delay");
  refused(R"("transitions": {"end": {"do": "force", "body": "ball", "force": [1, 0, 0]}})",
          "takes time: bind it to a place");
  refused(
      R"("places": {"wave": {"do": "reach", "limb": "left_arm", "to": [0, 0, 0], "by": [0, 0, 0]}})",
      "exclude each other");
  refused(R"("causes": [{"contact": ["ball"], "when": "1", "raise": "hit"}])",
          "exclude each other");
  refused(R"("causes": [{"contact": ["ball"], "hold": "hit"}])", "only what lasts can be held");
  refused(R"("causes": [{"contact": ["ball"], "within": 1, "raise": "hit"}])",
          "belongs to 'arrival'");
  refused(R"("causes": [{"contact": ["ball"], "finish": "wave"}])", "not awaited");
  refused(R"("places": {"wave": {"do": "stance", "limb": "left_arm", "travel": 1}})",
          "expected a leg");
  refused(R"("places": {"wave": {"do": "move", "body": "A.torso", "to": [0, 0, 0]}})",
          "floats freely");
  refused(R"("places": {"wave": {"do": "attach", "body": "ball", "to": "ball"}})",
          "attached to itself");
  refused(R"("places": {"wave": {"do": "gait", "file": "../gaits/basic_run_closed.gait.json"}})",
          "another character");
}

TEST_CASE("shows: formulas are told by their place and column") {
  refused(R"("places": {"wave": {"do": "force", "body": "ball", "force": ["2*bll.x", 0, 0]}})",
          "/places/wave/force");
  refused(R"("causes": [{"when": "ball.q < 1", "raise": "hit"}])", "/causes/0/when");
  refused(R"("causes": [{"when": "ball.velocity", "raise": "hit"}])", "expected a number");
}

TEST_CASE("shows: a place whose action nobody knows is named") {
  std::string text = text_with(R"("actions": {"wave": null})");
  text.replace(text.find("\"tokens\": 1"), 11, "\"tokens\": 1, \"action\": \"wafe\"");
  const std::string said =
      error_text([&] { parse_show(text, SourceFile::given(folder() + "bad.show.json")); });
  CHECK(says(said, "place 'wave': unknown action 'wafe'; did you mean 'wave'?"));
}

TEST_CASE("shows: integrators that do not stop at frames are refused") {
  std::string text = text_with(R"("duration": 1)");
  text.replace(text.find("{\"bodies\""), 1, "{\"integrator\": \"rkf45\", ");
  CHECK(says(error_text([&] { parse_show(text, SourceFile::given(folder() + "bad.show.json")); }),
             "integrator 'rkf45'"));
}

TEST_CASE("shows: two actors cannot have one name, nor two one place") {
  std::string text = text_with(R"("duration": 1)");
  text.replace(text.find("\"name\": \"A\", "), 12, "\"name\": \"A\", \"count\": 2, ");
  CHECK(says(error_text([&] { parse_show(text, SourceFile::given(folder() + "bad.show.json")); }),
             "another actor has this name"));
  std::string two = text_with(R"("cast": {"A0": "wave", "A1": "w*"})");
  two.replace(two.find("\"name\": \"A\", "), 12,
              "\"name\": \"A{i}\", \"count\": 2, \"position\": [0, \"=i\", 0], ");
  CHECK(says(error_text([&] { parse_show(two, SourceFile::given(folder() + "bad.show.json")); }),
             "place 'wave' is also of actor 'A0'"));
}

TEST_CASE("shows: an actor may stand there no times, but not fewer") {
  const auto with_count = [](const std::string& count) {
    std::string text = text_with(R"("duration": 1)");
    const std::string more =
        R"({"name": "B", "character": "../characters/stick_figure.json", "count": )";
    text.insert(text.find("{\"name\": \"A\""), more + count + "}, ");
    return text;
  };
  const auto bodies = [&](const std::string& count) {
    return parse_show(with_count(count), SourceFile::given(folder() + "copies.show.json"))
        .scene.bodies.size();
  };
  CHECK(bodies("1") > bodies("0"));
  CHECK(says(error_text([&] { bodies("-1"); }), "/actors/0/count: -1"));
}

TEST_CASE("shows: an actor stands as far away as is said when it stands farther") {
  const auto said = [](const std::string& y) {
    std::string text = text_with(R"("duration": 1)");
    text.insert(text.find("\"character\""), "\"position\": [0, " + y + ", 0], ");
    return error_text([&] { parse_show(text, SourceFile::given(folder() + "far.show.json")); });
  };
  for (const char* y : {"1e6", "-1e6"}) CHECK(said(y) == "no error");
  for (const char* y : {"1000001", "-1000001"}) {
    CHECK(says(said(y), "/actors/0/position"));
    CHECK(says(said(y), "must be within 1e6 m"));
  }
}

TEST_CASE("shows: traces are read from an analysis, a list of names, or with times") {
  const Show show = load_show(SourceFile::given(folder() + "walk.show.json"));
  CHECK(parse_trace(R"(["T1", "T2"])", "t.json", show.net).size() == 2);
  const auto timed = parse_trace(R"([{"fire": "T1", "time": 0.5}])", "t.json", show.net);
  CHECK(*timed[0].time == Fraction(1, 2));
  CHECK(parse_trace(R"({"properties": [{"verdict": "holds"}, {"trace": ["T1"]}]})", "t.json",
                    show.net)
            .size() == 1);
  CHECK(says(error_text([&] { parse_trace(R"(["T99"])", "t.json", show.net); }),
             "unknown transition 'T99'"));
  CHECK(says(error_text([&] { parse_trace("{}", "t.json", show.net); }), "holds no trace"));
}

TEST_CASE("shows: every shipped one renders to all kinds of files") {
  for (const char* name : {"walk", "jump", "ball_game"}) {
    const Show show = load_show(SourceFile::given(folder() + name + ".show.json"));
    const Directed d = direct(show, {.duration = Fraction(1, 2)});
    const Model& model = show.built->model;
    CHECK(glb(show.scene, model, d.recording).substr(0, 4) == "glTF");
    CHECK(csv(model, d.recording).size() > 1000);
    CHECK(json(show.scene, model, d.recording).front() == '{');
    CHECK(svg(show.scene, model, d.recording).find("<svg") != std::string::npos);
  }
}

namespace {

// A ball that falls, and a state machine with conditions.
std::string machine_with(const std::string& condition, const std::string& more) {
  return R"({"scene": {"bodies": [{"name": "floor", "immobile": true, "shape": {"plane": true}},
                                  {"name": "ball", "position": [0, 0, 1], "mass": 1, "shape": {"sphere": 0.1}}],
                       "probes": {"fall": "-ball.vz"}},
 "net": {"states": ["rest", "moves"], "transitions": [{"from": "rest", "to": "moves", "condition": ")" +
         condition + R"("}, {"from": "moves", "to": "rest", "trigger": "stop"}]},
 "duration": 1)" +
         more + "}";
}

std::vector<std::string> fired(const std::string& text) {
  const Show show = parse_show(text, SourceFile::given(folder() + "machine.show.json"));
  const Directed directed = direct(show);
  std::vector<std::string> names;
  for (const NetEvent& e : directed.trace.events) {
    if (e.kind == NetEventKind::fire) {
      names.push_back(show.net.transitions[static_cast<std::size_t>(e.node)].name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("shows: the condition of a state machine is held as long as it is true") {
  const std::vector<std::string> once{"rest_to_moves"};
  CHECK(fired(machine_with("ball.z < 0.5", "")) == once);
  CHECK(fired(machine_with("fall > 1", "")) == once);  // a probe of the scene
  CHECK(fired(machine_with("speed > 1", R"x(, "variables": {"speed": "norm(ball.velocity)"})x")) ==
        once);
  CHECK(fired(machine_with("fall > limit", R"(, "parameters": {"limit": 2})")) == once);
  CHECK(fired(machine_with("ball.z < -5", "")).empty());
}

TEST_CASE("shows: a condition that cannot be read names the nearest word") {
  const auto said = [](const std::string& text) {
    return error_text([&] { parse_show(text, SourceFile::given(folder() + "machine.show.json")); });
  };
  const std::string wrong = said(machine_with("fal > 1", ""));
  CAPTURE(wrong);
  CHECK(says(wrong, "machine.show.json: /net: condition of 'rest_to_moves'"));
  CHECK(says(wrong, "unknown name 'fal'; did you mean 'fall'?"));
  CHECK(says(said(machine_with("ball.velocity", "")), "expected a number"));
}

TEST_CASE("shows: events that no cause raises are warned of") {
  const auto warnings = [](const std::string& more) {
    return parse_show(machine_with("ball.z < 0.5", more),
                      SourceFile::given(folder() + "machine.show.json"))
        .warnings;
  };
  const std::vector<std::string> all = warnings("");
  REQUIRE(all.size() == 1);
  CHECK(says(all[0], "no cause raises the event 'stop' of 'moves_to_rest', which cannot fire"));
  CHECK(warnings(R"(, "causes": [{"at": [0.5], "raise": "stop"}])").empty());
  const std::string near = text_with(R"("causes": [{"at": [0.5], "raise": "hitt"}])");
  std::string two = near;
  two.replace(two.find("\"event\": \"hit\"}"), 15,
              "\"event\": \"hit\"}, {\"name\": \"u\", \"in\": \"done\", \"event\": \"hitt\"}");
  const std::vector<std::string> told =
      parse_show(two, SourceFile::given(folder() + "two.show.json")).warnings;
  REQUIRE(told.size() == 1);
  CHECK(says(told[0], "the event 'hit' of 'stop', which cannot fire; did you mean 'hitt'"));
}

TEST_CASE("shows: properties are watched while it runs, and a violation is played again") {
  // nobody says that the events must not come so: the show decides
  const std::string text = R"({"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]},
 "net": {"places": [{"name": "shut", "tokens": 1}, {"name": "opening", "delay": 2}, {"name": "open"},
                    {"name": "outside", "tokens": 1}, {"name": "entering", "delay": 1}, {"name": "inside"}, {"name": "moving"}],
         "transitions": [{"name": "call", "in": "shut", "event": "button", "out": "opening"},
                         {"name": "opened", "in": "opening", "out": "open"},
                         {"name": "go", "in": "outside", "event": "walk", "out": "entering"},
                         {"name": "entered", "in": "entering", "out": "inside"},
                         {"name": "start", "in": "open", "event": "up", "out": "moving"}],
         "properties": ["never: entering & moving"]},
 "duration": 5, "causes": [{"at": [0], "raise": "button"}, {"at": [3], "raise": "walk"}, {"at": [3.2], "raise": "up"}]})";
  const Show show = parse_show(text, SourceFile::given(folder() + "lift.show.json"));
  const Directed run = direct(show);
  REQUIRE(run.watched.size() == 1);
  REQUIRE(run.watched[0].is_violated());
  CHECK(run.trace.frame_of(run.watched[0].violated_from) == 77);
  CHECK(run.trace.frame_of(run.watched[0].violated_until) - 1 == 95);
  CHECK(run.recording.frames.size() == 121);
  DirectSettings again;
  again.trace = steps_to_violation(show.net, run.trace, run.watched[0]);
  const Directed played = direct(show, again);
  CHECK(played.recording.summary.failure == "");
  REQUIRE(played.watched[0].is_violated());
  CHECK(played.trace.frame_of(played.watched[0].violated_from) == 77);
}
