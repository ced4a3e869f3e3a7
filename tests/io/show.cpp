// Directed scenes that cannot be: the one line that is said of each.
#include "molejo/io/show.h"

#include <doctest/doctest.h>

#include "molejo/io/export.h"
#include "molejo/io/file.h"
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
