// Live formulas in scene files: what is read, what it means, what is recorded.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "molejo/io/columns.h"
#include "molejo/io/export.h"
#include "molejo/io/scene.h"
#include "molejo/model/formulas.h"
#include "molejo/model/scene.h"
#include "molejo/physics/formula_forces.h"
#include "molejo/physics/world.h"
#include "tests/support/error_text.h"

using namespace molejo;

namespace {

Scene read(const std::string& text) { return parse_scene(text, "f.json"); }

Recording run(const Scene& scene) { return simulate(build(scene), scene.settings); }

// Reading, building and starting it ends with this.
std::string error_of(const std::string& text) {
  return test::error_text([&] {
    Scene scene = read(text);
    scene.settings.duration = 1e-3;
    run(scene);
  });
}

// A ball of 1 kg without gravity, and more.
std::string ball(const std::string& more) {
  return R"({"gravity": [0, 0, 0], "duration": 1, "bodies": [{"name": "ball", "shape": {"sphere": 0.1}, "mass": 1}], )" +
         more + "}";
}

}  // namespace

TEST_CASE("scene formulas: every form is read as it stands") {
  const Scene scene = read(ball(R"s(
    "variables": {"k": 20, "wind": "3 + sin(t)", "gain": {"value": 5, "range": [0, 10]}, "once": "=2*3"},
    "functions": {"gust(x, y)": "wind*x + y"},
    "curves": {"lift": {"keys": [[0, 0], {"x": 1, "value": 2, "interpolation": "bezier", "left": [-0.1, 0], "right": [0.2, 3]}, [2, 1]],
                        "interpolation": "smooth", "before": "extend", "after": "repeat"}},
    "probes": {"height": "ball.z"},
    "forces": [{"name": "a", "body": "ball", "force": "-k*ball.position"},
               {"name": "b", "body": "ball", "force": ["gust(1, 2)", 0, "=1/4"], "torque": [0, "lift(t)", 1e-7], "axes": "body",
                "implicit": true},
               {"name": "c", "body": "ball", "force": [1, 2, "=3"]}])s"));
  REQUIRE(scene.definitions.size() == 6);
  const SceneDefinition &k = scene.definitions[0], &wind = scene.definitions[1];
  CHECK(k.name == "k");
  CHECK(k.value == 20);
  CHECK_FALSE(k.lower);
  CHECK_FALSE(wind.value);
  CHECK(wind.formula.text == "3 + sin(t)");
  CHECK(scene.definitions[2].value == 5);
  CHECK(scene.definitions[2].lower == 0);
  CHECK(scene.definitions[2].upper == 10);
  CHECK(scene.definitions[3].value == 6);
  const SceneDefinition &gust = scene.definitions[4], &lift = scene.definitions[5];
  CHECK(gust.name == "gust");
  CHECK(gust.is_function);
  CHECK(gust.parameters == std::vector<std::string>{"x", "y"});
  REQUIRE(lift.keys.size() == 3);
  CHECK(lift.keys[0].interpolation == Interpolation::smooth);
  CHECK(lift.keys[1].interpolation == Interpolation::bezier);
  CHECK(lift.keys[1].left.x == -0.1);
  CHECK(lift.keys[1].right.value == 3);
  CHECK(lift.before == Extension::extend);
  CHECK(lift.after == Extension::repeat);
  CHECK(scene.probes[0].name == "height");
  CHECK(scene.probes[0].formula.text == "ball.z");
  CHECK(scene.probes[0].formula.place == "f.json:6: /probes/height");

  REQUIRE(scene.forces.size() == 3);
  CHECK(scene.forces[0].force_formulas.size() == 1);
  CHECK(scene.forces[0].samples.empty());
  CHECK_FALSE(scene.forces[0].in_body_axes);
  const SceneForce& b = scene.forces[1];
  CHECK(b.force_formulas[0].text == "gust(1, 2)");
  CHECK(b.force_formulas[1].text == "0");
  CHECK(b.force_formulas[2].text == "0.25");
  CHECK(b.torque_formulas[2].text == "1e-07");
  CHECK(b.in_body_axes);
  CHECK(b.implicit);
  // numbers alone are what they were
  CHECK(scene.forces[2].force_formulas.empty());
  REQUIRE(scene.forces[2].samples.size() == 1);
  CHECK(scene.forces[2].samples[0].force == Vec3{1, 2, 3});
}

TEST_CASE("scene formulas: a motor follows formulas") {
  const Scene scene = read(R"s({"gravity": [0, 0, 0], "duration": 2, "integrator": "rk4",
    "bodies": [{"name": "arm", "shape": {"box": [1, 0.1, 0.1]}, "mass": 1}],
    "joints": [{"name": "hinge", "type": "revolute", "child": "arm", "axis": [0, 0, 1], "position_deg": 30,
                "motor": {"kp": 400, "kd": 40, "target": "30 deg * cos(t)", "target_velocity": "-30 deg * sin(t)",
                          "force": "-(1 + 0.1^2)/12 * 30 deg * cos(t)"
}
}]
})s");
  REQUIRE(scene.joints[0].motor_formulas.size() == 1);
  CHECK(scene.joints[0].motor_formulas[0].target.text == "30 deg * cos(t)");
  CHECK(scene.joints[0].drives[0].kp == 400);
  // with its inertia fed forward the motor is never off its target
  const Recording recording = run(scene);
  for (const Frame& frame : recording.frames) {
    CHECK(frame.state.q[0] ==
          doctest::Approx(std::acos(-1.0) / 6 * std::cos(frame.state.t)).epsilon(1e-9));
  }
}

TEST_CASE(
    "scene formulas: inside an instance names are those of the instance, and its parameters") {
  const Scene scene =
      read(R"({"gravity": [0, 0, 0], "contact": false, "duration": 1, "integrator": "rk4",
    "parameters": {"share": 2, "unused": 7},
    "variables": {"outer": 3},
    "assemblies": {"spring": {
      "parameters": {"k": 1, "paint": "red"},
      "bodies": [{"name": "ball", "shape": {"sphere": 0.1}, "mass": 1, "position": [1, 0, 0]}],
      "variables": {"own": "k*share*outer"},
      "probes": {"stretch": "ball.x - {i}"},
      "forces": [{"name": "pull", "body": "ball", "force": ["-own*ball.x*(i + 1)/count", 0, 0]}]}},
    "instances": [{"assembly": "spring", "name": "s{i}", "count": 2, "parameters": {"k": "=4 + i"}}]})");
  const auto value_of = [&](const std::string& scope, const std::string& name) {
    for (const SceneDefinition& d : scene.definitions) {
      if (d.formula.scope == scope && d.name == name) return d.formula.text;
    }
    return std::string("none");
  };
  CHECK(value_of("s0", "k") == "4");
  CHECK(value_of("s1", "k") == "5");
  CHECK(value_of("s1", "i") == "1");
  CHECK(value_of("s0", "count") == "2");
  CHECK(value_of("", "share") == "2");
  CHECK(value_of("s0", "share") == "none");  // the scene has it
  CHECK(value_of("", "unused") == "none");
  CHECK(value_of("s0", "own") == "k*share*outer");
  CHECK(scene.probes[1].name == "s1.stretch");
  CHECK(scene.probes[1].formula.text == "ball.x - 1");
  CHECK(scene.probes[1].formula.scope == "s1");
  CHECK(scene.probes[1].formula.place.ends_with(
      ": /assemblies/spring/probes/stretch (in instance 's1')"));
  CHECK(scene.forces[0].name == "s0.pull");

  // x = cos(w t) with w^2 = 4 2 3 / 2 and 5 2 3
  const Frame end = run(scene).frames.back();
  CHECK(end.X_WB[0].p.x == doctest::Approx(std::cos(std::sqrt(12.0))).epsilon(1e-9));
  CHECK(end.X_WB[1].p.x == doctest::Approx(std::cos(std::sqrt(30.0))).epsilon(1e-9));

  // the flat text means the same
  const Scene flat = read(scene_text(scene));
  CHECK(run(flat).summary.hash == run(scene).summary.hash);
  CHECK(scene_text(flat) == scene_text(scene));
}

TEST_CASE("scene formulas: in a turned instance numbers turn, formulas and body axes do not") {
  const Scene scene = read(R"({
    "assemblies": {"a": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}], "forces": [
      {"body": "ball", "force": [1, 0, 0]},
      {"body": "ball", "force": [1, 0, 0], "torque": "[0, 0, t]"},
      {"body": "ball", "force": [1, 0, "t"]},
      {"body": "ball", "force": [1, 0, 0], "axes": "body"}]}},
    "instances": [{"assembly": "a", "name": "a", "orientation": {"axis": [0, 0, 1], "angle_deg": 90}}]})");
  CHECK(scene.forces[0].samples[0].force == Vec3{0, 1, 0});
  CHECK(scene.forces[1].force_formulas[1].text == "1");
  CHECK(scene.forces[2].force_formulas[0].text == "1");
  CHECK(scene.forces[3].force_formulas[0].text == "1");
  // their works need names
  CHECK(scene.forces[0].name == "");
  CHECK(scene.forces[1].name == "a.ball.push");
  CHECK(scene.forces[2].name == "a.ball.push2");
}

TEST_CASE("scene formulas: a terrain is sampled from its formula") {
  const Scene scene =
      read(R"({"parameters": {"high": 0.5}, "bodies": [{"name": "ground", "immobile": true,
    "shape": {"height_field": {"heights": "high*x + y^2", "size": [4, 2], "cells": [4, 2]}}}]})");
  const auto& field = std::get<HeightField>(scene.bodies[0].shapes[0].geometry);
  CHECK(field.columns == 5);
  CHECK(field.rows == 3);
  CHECK(field.dx == 1);
  CHECK(field.dy == 1);
  REQUIRE(field.heights.size() == 15);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 5; ++c) {
      CHECK(field.heights[static_cast<std::size_t>(5 * r + c)] ==
            0.5 * (c - 2) + (r - 1) * (r - 1));
    }
  }
}

TEST_CASE("scene formulas: probes and works are columns, and the summary tells the works") {
  Scene scene = read(ball(R"("integrator": "rk4",
    "probes": {"height": "3 m", "place": "ball.position"}, "plot": ["height", "place", "push.work", "place.x"],
    "forces": [{"name": "push", "body": "ball", "force": ["2", 0, 0]}])"));
  const Built built = build(scene);
  const Recording recording = simulate(built, scene.settings);
  const std::vector<Column> names = columns(built.model, recording.probes);
  REQUIRE(names.size() == columns(built.model).size() + 5);
  const std::size_t first = names.size() - 5;
  CHECK(names[first].name == "height");
  CHECK(names[first].unit == "m");
  CHECK(names[first + 1].name == "place.x");
  CHECK(names[first + 4].name == "push.work");
  CHECK(names[first + 4].unit == "J");
  std::vector<double> row;
  fill_row(built.model, recording.frames.back(), row);
  REQUIRE(row.size() == names.size());
  CHECK(row[first] == 3);
  CHECK(row[first + 1] == doctest::Approx(1).epsilon(1e-9));  // 2 N on 1 kg for 1 s
  CHECK(row[first + 4] == doctest::Approx(2).epsilon(1e-9));  // over 1 m
  CHECK(find_columns(names, scene.plot) ==
        std::vector<std::size_t>{first, first + 1, first + 2, first + 3, first + 4, first + 1});

  const std::string table = csv(built.model, recording);
  CHECK(table.substr(0, table.find('\n')).ends_with(",height,place.x,place.y,place.z,push.work"));
  const auto whole = nlohmann::json::parse(json(scene, built.model, recording));
  CHECK(whole["columns"].back() == "push.work");
  CHECK(whole["frames"].back().size() == whole["columns"].size());
  CHECK(whole["summary"]["work"]["push"].get<double>() == row.back());
  CHECK(works(recording) == std::vector<std::pair<std::string, double>>{{"push", row.back()}});
  CHECK(svg(scene, built.model, recording).find("push.work") != std::string::npos);
}

TEST_CASE("scene formulas: what is wrong is told with its place, its text and the column") {
  struct Bad {
    std::string text, message;
  };
  const Bad bad[] = {
      {ball(R"("forces": [{"body": "ball", "force": "-k*bal.position"}])"),
       "f.json:1: /forces/0/force: '-k*bal.position': column 2: unknown name 'k'; did you mean "
       "'t'?"},
      {ball("\n\"forces\": [{\"body\": \"ball\", \"force\": [0, \"bal.x\", 0]}]"),
       "f.json:2: /forces/0/force/1: 'bal.x': column 1: unknown name 'bal.x'; did you mean "
       "'ball.x'?"},
      {ball(R"("forces": [{"body": "ball", "force": "ball.x"}])"),
       "f.json:1: /forces/0/force: 'ball.x': column 1: a number, where a vector is expected"},
      {ball(R"("variables": {"a": "b", "b": "2*a"})"),
       "f.json:1: /variables/b: '2*a': column 3: 'a' depends on itself: a -> b -> a"},
      {ball(R"s("probes": {"p": "1/(ball.x)"})s"),
       "f.json:1: /probes/p: '1/(ball.x)': column 2: 1 / 0 is infinite at the start"},
      {ball(R"("variables": {"t": 1})"),
       "f.json:1: /variables/t: 1: 't' cannot be defined: letters, digits and '_', not a number, "
       "t, pi, deg, and, or, not"},
      {ball(R"("parameters": {"k": 1}, "variables": {"k": 1})"),
       "f.json:1: /variables/k: 1: 'k' is a parameter already"},
      {ball(R"("variables": {"k": 1}, "curves": {"k": {"keys": [[0, 1]]}})"),
       R"(f.json:1: /curves/k: {"keys": [[0, 1]]}: 'k' is defined twice)"},
      {ball(R"("variables": {"k": {"value": 3, "range": [0, 2]}})"),
       "f.json:1: /variables/k/value: 3: is outside of its range 0 to 2"},
      {ball(R"("variables": {"k": {"value": 3, "rang": [0, 2]}})"),
       "f.json:1: /variables/k/rang: [0, 2]: unknown key 'rang'; did you mean 'range'?"},
      {ball(R"("variables": {"k": true})"),
       R"(f.json:1: /variables/k: true: expected a number, a formula "..." or {"value", "range"})"},
      {ball(R"("variables": {"k": ""})"), R"(f.json:1: /variables/k: "": expected a formula)"},
      {ball(R"("variables": {"k": "1 +\n2"})"),
       R"(f.json:1: /variables/k: "1 +\n2": a formula stands on one line, without control characters)"},
      {ball(R"("functions": {"f": "1"})"),
       R"s(f.json:1: /functions/f: "1": 'f': a function is called "name(x)", with its parameters)s"},
      {ball(R"s("functions": {"f(2)": "1"})s"),
       R"(f.json:1: /functions/f(2): "1": 'f(2)': expected a name that can be defined)"},
      {ball(R"("curves": {"c": {"keys": [[0, 1], [0, 2]]}})"),
       "f.json:1: /curves/c/keys: [[0, 1], [0, 2]]: key 2: x must grow from key to key"},
      {ball(R"("curves": {"c": {"keys": [[0, 1, 2]]}})"),
       "f.json:1: /curves/c/keys/0: [0, 1, 2]: expected [x, value] or an object"},
      {ball(R"("curves": {"c": {"keys": [[0, 1]], "after": "loop"}})"),
       "f.json:1: /curves/c/after: \"loop\": unknown extension 'loop'; expected one of hold, "
       "repeat, extend"},
      {ball(R"("forces": [{"body": "ball", "axes": "bdy", "force": "ball.position"}])"),
       R"(f.json:1: /forces/0/axes: "bdy": unknown axes 'bdy'; did you mean 'body'?)"},
      {ball(R"("forces": [{"body": "ball", "axes": "body"}])"),
       R"(f.json:1: /forces/0: {"body": "ball", "axes": "body"}: key 'force' or 'torque' is missing)"},
      {ball(R"("forces": [{"body": "ball", "force": ["1", 2]}])"),
       R"(f.json:1: /forces/0/force: ["1", 2]: expected a formula that gives a vector, or three formulas or numbers)"},
      {ball(R"("forces": [{"body": "ball", "force": "ball.position", "samples": []}])"),
       "f.json:1: /forces/0/force: \"ball.position\": 'samples' and 'force' exclude each other"},
      {ball(R"("probes": {"ball.x": "1"})"),
       "f.json:1: /probes/ball.x: \"1\": probe 'ball.x' has the name of a column that every "
       "recording has"},
      {ball(R"("probes": {"total": "1"})"),
       "f.json:1: /probes/total: \"1\": probe 'total' has the name of a column that every "
       "recording has"},
      {ball(R"("probes": {"p": "ball.position", "p.x": "1"})"),
       "f.json:1: /probes/p.x: \"1\": probe 'p.x' has the name of a column that every recording "
       "has"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "motor": {"target_deg": "t"}}]})",
       "f.json:1: /joints/0/motor/target_deg: \"t\": give a formula as 'target', with degrees as "
       "in 30 deg"},
      {R"({"bodies": [{"name": "g", "shape": {"height_field": {"heights": "x + z", "size": 1, "cells": 2}}}]})",
       R"(f.json:1: /bodies/0/shape/height_field/heights: "x + z": column 5: unknown name 'z'; did you mean 'x'?)"},
      {R"({"bodies": [{"name": "g", "shape": {"height_field": {"heights": "1/x", "size": 1, "cells": 2}}}]})",
       R"(f.json:1: /bodies/0/shape/height_field/heights: "1/x": has no finite value at x = 0, y = -0.5)"},
      {R"({"bodies": [{"name": "g", "shape": {"height_field": {"heights": "1", "size": 1, "cells": 99999}}}]})",
       R"(f.json:1: /bodies/0/shape/height_field/heights: "1": more than 1200000 heights in the scene)"},
      {R"({"bodies": [{"name": "g", "shape": {"height_field": {"heights": [[0, 1], [0, 1]], "size": 1, "cells": 2}}}]})",
       "f.json:1: /bodies/0/shape/height_field/cells: 2: only a formula needs a number of cells"},
  };
  for (const Bad& b : bad) {
    CAPTURE(b.text);
    CHECK(error_of(b.text) == b.message);
  }
}

TEST_CASE("scene formulas: an instance is named in errors of its formulas") {
  CHECK(error_of(R"({"assemblies": {"a": {"bodies": [{"name": "ball", "shape": {"sphere": 1}}],
    "forces": [{"body": "ball", "force": "bal.position"}]}}, "instances": [{"assembly": "a", "name": "left"}]})") ==
        "f.json:2: /assemblies/a/forces/0/force (in instance 'left'): 'bal.position': column 1: "
        "unknown "
        "name 'bal.position'; did you mean 'ball.position'?");
}

TEST_CASE("scene formulas: texts of a scene are bounded, with all copies") {
  const std::string longest(4096, ' ');
  CHECK(error_of(ball(R"("variables": {"k": "1)" + longest + R"("})"))
            .ends_with("a formula has at most 4096 characters"));
  const std::string many = R"({"assemblies": {"a": {"variables": {"k": "1)" +
                           std::string(4000, ' ') +
                           R"("}}}, "instances": [{"assembly": "a", "count": 5000}]})";
  CHECK(error_of(many).find("the formulas of the scene have more than 16000000 characters") !=
        std::string::npos);
}
