// Every malformed scene gives one line that says where, what and why, and never a crash.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "molejo/io/json_document.h"
#include "molejo/io/scene.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

// The message that reading and building this text ends with.
std::string error_of(const std::string& text, const std::string& file = "bad.json") {
  return test::error_text([&] { build(parse_scene(text, SourceFile::given(file))); });
}

struct BadScene {
  const char* text;
  const char* message;  // exact, or the beginning when it ends in "..."
};

void check_all(const std::vector<BadScene>& scenes) {
  for (const BadScene& bad : scenes) {
    const std::string text = bad.text;
    CAPTURE(text);
    const std::string message = error_of(text), expected = bad.message;
    CHECK(message.find('\n') == std::string::npos);
    if (expected.ends_with("...")) {
      CHECK(message.substr(0, expected.size() - 3) + "..." == expected);
    } else {
      CHECK(message == expected);
    }
  }
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Instances within each other whose names have this length, around a body, a variable, a probe.
std::string nested_scene(int levels, std::size_t length) {
  std::string text = R"({"assemblies": {"a0": {"variables": {"k": 2}, "probes": {"p": "k"},
    "bodies": [{"name": "b", "shape": {"sphere": 1}}], "forces": [{"name": "f", "body": "b",
    "force": ["k", 0, 0]}]})";
  const auto instance = [&](int of) {
    return R"({"assembly": "a)" + std::to_string(of) + R"(", "name": ")" +
           std::string(length, 'i') + R"("})";
  };
  for (int i = 1; i < levels; ++i) {
    text += R"(, "a)" + std::to_string(i) + R"(": {"instances": [)" + instance(i - 1) + "]}";
  }
  return text + R"(}, "instances": [)" + instance(levels - 1) + "]}";
}

}  // namespace

TEST_CASE("bad scenes: text that is not JSON") {
  check_all({
      {"", "bad.json: the file is empty"},
      {" \n\t ", "bad.json: the file is empty"},
      {"{\n  \"bodies\": [\n",
       "bad.json:2: column 14: syntax error while parsing value - unexpected end of input; "
       "expected..."},
      {"{\n  \"fps\": 30,\n}",
       "bad.json:3: column 1: syntax error while parsing object key - unexpected '}'; expected "
       "string literal"},
      {"{\"fps\": NaN}",
       "bad.json:1: column 9: syntax error while parsing value - invalid literal..."},
      {"{\"fps\": Infinity}",
       "bad.json:1: column 9: syntax error while parsing value - invalid literal..."},
      {"{\n\"fps\": 1e999}", "bad.json:2: number 1e999 is too large"},
      {"{\"gravity\": [0, 0,\n -1e999]}", "bad.json:2: number -1e999 is too large"},
      {"{\"fps\": 30,\n \"fps\": 60}", "bad.json:2: duplicate key 'fps'"},
      {"{} /* never closed",
       "bad.json:1: column 18: syntax error while parsing value - invalid comment; missing "
       "closing..."},
      {"{\"name\": \"\xff\xfe\"}",
       "bad.json:1: column 11: syntax error while parsing value - invalid string: ill-formed UTF-8 "
       "byte..."},
      {"{\"name\": \"open}",
       "bad.json:1: column 15: syntax error while parsing value - invalid string: missing closing "
       "quote..."},
      {"{} {}",
       "bad.json:1: column 4: syntax error while parsing value - unexpected '{'; expected end of "
       "input"},
      {"\x89PNG\r\n\x1a\n",
       "bad.json:1: column 1: syntax error while parsing value - invalid literal..."},
      {"solid ascii",
       "bad.json:1: column 1: syntax error while parsing value - invalid literal..."},
      {"[]", "bad.json:1: /: []: expected an object {...}"},
      {"42", "bad.json:1: /: 42: expected an object {...}"},
  });
  CHECK(error_of(repeated("[", 100)) == "bad.json:1: nested deeper than 64 levels");
  CHECK(error_of(repeated("{\"a\":", 100000)) == "bad.json:1: nested deeper than 64 levels");
  CHECK(error_of("[0" + repeated(",0", 2'000'000) + "]") == "bad.json:1: more than 2000000 values");
  CHECK(error_of(std::string("{\"name\": \"a\0b\"}", 15)).find("bad.json:1: column 12: ") == 0);
}

TEST_CASE("bad scenes: no key comes twice, however many there are") {
  for (const int count : {1, 31, 32, 33, 200}) {
    CAPTURE(count);
    std::string keys;
    for (int i = 0; i < count; ++i) keys += "\"k" + std::to_string(i) + "\": 0, ";
    for (const int twice : {0, count / 2, count - 1}) {
      const std::string key = "k" + std::to_string(twice);
      CHECK(error_of("{" + keys + "\"" + key + "\": 0}") ==
            "bad.json:1: duplicate key '" + key + "'");
    }
    CHECK(error_of("{" + keys + "\"other\": 0}").find("duplicate") == std::string::npos);
    // those of one object say nothing about those of the next
    const std::string object = "{" + keys + "\"other\": 0}";
    CHECK(parse_json("[" + object + "," + object + "]", SourceFile::given("two.json"))
              .root.items.size() == 2);
  }
}

TEST_CASE("bad scenes: values of the wrong kind or size") {
  check_all({
      {R"({"gravity": "down"})",
       R"(bad.json:1: /gravity: "down": expected a vector of 3 numbers [x, y, z])"},
      {R"({"gravity": [0, -9.81]})",
       "bad.json:1: /gravity: [0, -9.81]: expected a vector of 3 numbers [x, y, z]"},
      {R"({"gravity": [0, 0, null]})",
       R"(bad.json:1: /gravity/2: null: expected a number or "=expression")"},
      {R"({"bodies": {}})", "bad.json:1: /bodies: {}: expected a list [...]"},
      {R"({"bodies": [7]})", "bad.json:1: /bodies/0: 7: expected an object {...}"},
      {R"({"bodies": [{"name": 7}]})", "bad.json:1: /bodies/0/name: 7: expected a text \"...\""},
      {"{\"bodies\": [\n {\"name\": \"a\", \"shape\": {\"sphere\": 1},\n  \"immobile\": \"yes\"}]}",
       "bad.json:3: /bodies/0/immobile: \"yes\": expected true or false"},
      {R"({"plot": "arm"})", R"(bad.json:1: /plot: "arm": expected a list [...])"},
      {R"({"fps": 0})", "bad.json:1: /fps: 0: expected frames per second from 0.001 to 100000"},
      {R"({"duration": -1})", "bad.json:1: /duration: -1: expected seconds from 0 to 1e+06"},
      {R"({"duration": 1e9})",
       "bad.json:1: /duration: 1000000000: expected seconds from 0 to 1e+06"},
      {R"({"duration": 1e6})",
       "bad.json:1: /duration: 1000000: 1000000 s at 30 frames per second are more than 10000000 "
       "frames"},
      {R"({"integrator": {"time_step": 0}})",
       "bad.json:1: /integrator/time_step: 0: expected seconds from 1e-09 to 1"},
      {R"({"integrator": {"time_step": 1e-300}})",
       "bad.json:1: /integrator/time_step: 1e-300: expected seconds from 1e-09 to 1"},
      {R"({"integrator": {"method": "rkf45", "max_step": 1e-299}})",
       "bad.json:1: /integrator/max_step: 1e-299: expected seconds from 1e-09 to 1"},
      {R"({"integrator": {"min_step": 1e-299}})",
       "bad.json:1: /integrator/min_step: 1e-299: expected seconds from 1e-12 to 1"},
      {R"({"integrator": {"tolerance": 1e-99}})",
       "bad.json:1: /integrator/tolerance: 1e-99: expected an error from 1e-15 to 1000"},
      {R"({"contact": {"rest_speed": 1e-99}})",
       "bad.json:1: /contact/rest_speed: 1e-99: expected m/s from 1e-12 to 1e+06"},
      {R"({"contact": {"distance": 9}})",
       "bad.json:1: /contact/distance: 9: expected metres from 1e-12 to 1"},
      {R"({"bodies": [{"name": "a", "mass": 1e99}]})",
       "bad.json:1: /bodies/0/mass: 1e+99: must be 1e+30 at most"},
      {R"({"integrator": {"min_step": 1}})",
       R"(bad.json:1: /integrator: {"min_step": 1}: min_step is above max_step)"},
      {R"({"integrator": 4})", "bad.json:1: /integrator: 4: expected an object {...}"},
      {R"({"projection": "on"})", R"(bad.json:1: /projection: "on": expected true or false)"},
      {R"({"camera": {"fov_deg": 200}})",
       "bad.json:1: /camera/fov_deg: 200: must be between 0 and 180 degrees"},
      {R"({"name": 3})", "bad.json:1: /name: 3: expected a text \"...\""},
      {R"({"warnings": [1]})", "bad.json:1: /warnings/0: 1: expected a text \"...\""},
      {R"({"parameters": [1]})", "bad.json:1: /parameters: [1]: expected an object {...}"},
      {R"({})", "the scene has no bodies"},
  });
}

TEST_CASE("bad scenes: unknown words name the nearest one") {
  check_all({
      {R"({"gravty": [0, 0, 0]})",
       "bad.json:1: /gravty: [0, 0, 0]: unknown key 'gravty'; did you mean 'gravity'?"},
      {R"({"bodies": [{"name": "a", "postion": [0, 0, 0]}]})",
       "bad.json:1: /bodies/0/postion: [0, 0, 0]: unknown key 'postion'; did you mean 'position'?"},
      {R"({"grav\nty": 1})",
       "bad.json:1: /grav?ty: 1: unknown key 'grav?ty'; did you mean 'gravity'?"},
      {R"({"formulation": "minimal"})",
       R"(bad.json:1: /formulation: "minimal": unknown formulation 'minimal'; did you mean 'maximal'?)"},
      {R"({"integrator": "rk45"})",
       R"(bad.json:1: /integrator: "rk45": unknown integrator 'rk45'; did you mean 'rk4'?)"},
      {R"({"integrator": {"method": "euler"}})",
       R"(bad.json:1: /integrator/method: "euler": unknown integrator 'euler'; expected one of semi_implicit_euler, midpoint, rk4, rkf45)"},
      {"{\"bodies\": [{\"name\": \"arm\", \"shape\": {\"sphere\": 1}}],\n\"joints\": [\n{\"type\": "
       "\"hinge\", \"child\": \"arm\"}]}",
       "bad.json:3: /joints/0/type: \"hinge\": unknown joint type 'hinge'; did you mean "
       "'revolute'?"},
      {R"({"joints": [{"type": "revolut", "child": "arm"}]})",
       R"(bad.json:1: /joints/0/type: "revolut": unknown joint type 'revolut'; did you mean 'revolute'?)"},
      {R"({"joints": [{"type": "rubber", "child": "arm"}]})",
       R"(bad.json:1: /joints/0/type: "rubber": unknown joint type 'rubber'; expected one of fixed, revolute, prismatic, cylindrical, universal, spherical, planar, point_in_plane, free)"},
      {R"({"bodies": [{"name": "arm", "shape": {"sphere": 1}}],
           "joints": [{"type": "spherical", "child": "amr"}]})",
       R"(bad.json:2: /joints/0/child: "amr": unknown body 'amr'; did you mean 'arm'?)"},
      {R"({"bodies": [{"name": "arm", "shape": {"sphere": 1}}],
           "joints": [{"type": "spherical", "parent": "torso", "child": "arm"}]})",
       R"(bad.json:2: /joints/0/parent: "torso": unknown body 'torso'; expected one of world, arm)"},
      {R"({"springs": [{"a": {"body": "ghost"}, "b": {}}]})",
       R"(bad.json:1: /springs/0/a/body: "ghost": unknown body 'ghost'; expected one of world)"},
      {R"({"forces": [{"body": "ghost"}]})",
       R"(bad.json:1: /forces/0/body: "ghost": unknown body 'ghost'; expected one of world)"},
      {R"({"assemblies": {"link": {}}, "instances": [{"assembly": "lnik"}]})",
       R"(bad.json:1: /instances/0/assembly: "lnik": unknown assembly 'lnik'; did you mean 'link'?)"},
      {R"({"assemblies": {"link": {"body": []}}})",
       "bad.json:1: /assemblies/link/body: []: unknown key 'body'; expected one of description, "
       "parameters, bodies, joints, springs, forces, contact, instances, variables, "
       "functions, curves, probes"},
      {R"({"assemblies": {"link": {"parameters": {"length": 1}}}, "instances": [{"assembly": "link", "parameters": {"lenght": 2}}]})",
       "bad.json:1: /instances/0/parameters/lenght: 2: unknown parameter 'lenght'; did you mean "
       "'length'?"},
      {R"({"colors": {"brick": "#aa3322"}, "bodies": [{"name": "a", "color": "brik"}]})",
       R"(bad.json:1: /bodies/0/color: "brik": unknown color 'brik'; did you mean 'brick'?)"},
      {R"({"materials": {"steel": {}}, "bodies": [{"name": "a", "material": "stele"}]})",
       R"(bad.json:1: /bodies/0/material: "stele": unknown material 'stele'; did you mean 'steel'?)"},
      {R"({"bodies": [{"name": "arm", "shape": {"sphere": 1}}], "tables": {"amr": "a"}})",
       R"(bad.json:1: /tables/amr: "a": unknown body 'amr'; did you mean 'arm'?)"},
      {R"({"bodies": [{"name": "arm", "shape": {"sphere": 1}}], "tables": {"arm": "../a"}})",
       R"(bad.json:1: /tables/arm: "../a": expected the name of a file, without a folder)"},
      {R"({"bodies": [{"name": "arm", "shape": {"sphere": 1}}], "tables": {"arm": "a\u0000"}})",
       R"(bad.json:1: /tables/arm: "a\u0000": expected the name of a file, without a folder)"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}}, {"name": "b", "shape": {"sphere": 1}}],
           "tables": {"a": "out", "b": "out"}})",
       R"(bad.json:2: /tables/b: "out": is the table of another body already)"},
      {R"({"bodies": [{"name": "arm", "shape": {"sphere": 1}}], "plot": ["amr.x"]})",
       R"(bad.json:1: /plot/0: "amr.x": unknown joint, body or probe 'amr'; did you mean 'arm'?)"},
      {R"({"bodies": [{"name": "a", "shape": {"ball": 1}}]})",
       "bad.json:1: /bodies/0/shape/ball: 1: unknown key 'ball'..."},
      {R"({"bodies": [{"name": "a", "orientation": {"angle_degrees": 1}}]})",
       "bad.json:1: /bodies/0/orientation/angle_degrees: 1: unknown key 'angle_degrees'; did you "
       "mean 'angle_deg'?"},
  });
}

TEST_CASE("bad scenes: missing and excluding keys") {
  check_all({
      {R"({"bodies": [{}]})", "bad.json:1: /bodies/0: {}: key 'name' is missing"},
      {R"({"joints": [{"child": "a"}]})",
       R"(bad.json:1: /joints/0: {"child": "a"}: key 'type' is missing)"},
      {R"({"joints": [{"type": "fixed"}]})",
       R"(bad.json:1: /joints/0: {"type": "fixed"}: key 'child' is missing)"},
      {R"({"joints": [{"type": "revolute", "child": "a"}]})",
       R"(bad.json:1: /joints/0: {"type": "revolute", "child": "a"}: key 'axis' is missing: a revolute joint needs it)"},
      {R"({"joints": [{"type": "planar", "child": "a", "axis": [0, 0, 1]}]})",
       "bad.json:1: /joints/0/axis: [0, 0, 1]: a planar joint has 'normal', not 'axis'"},
      {R"({"joints": [{"type": "spherical", "child": "a", "axis": [0, 0, 1]}]})",
       "bad.json:1: /joints/0/axis: [0, 0, 1]: a spherical joint has no 'axis'; give an "
       "'orientation' or nothing"},
      {R"({"joints": [{"type": "fixed", "child": "a", "anchor": [0, 0, 1], "parent_frame": {}}]})",
       "bad.json:1: /joints/0/anchor: [0, 0, 1]: 'parent_frame' and 'anchor' exclude each other"},
      {R"({"instances": [{}]})", "bad.json:1: /instances/0: {}: key 'assembly' is missing"},
      {R"({"springs": [{"a": {}}]})", R"(bad.json:1: /springs/0: {"a": {}}: key 'b' is missing)"},
      {R"({"forces": [{}]})", "bad.json:1: /forces/0: {}: key 'body' is missing"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}, "shapes": []}]})",
       "bad.json:1: /bodies/0/shapes: []: 'shape' and 'shapes' exclude each other"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}, "mass": 1, "density": 2}]})",
       "bad.json:1: /bodies/0/density: 2: 'mass' and 'density' exclude each other"},
      {R"({"bodies": [{"name": "a", "angular_velocity": [0, 0, 1], "angular_velocity_deg": [0, 0, 1]}]})",
       "bad.json:1: /bodies/0/angular_velocity_deg: [0, 0, 1]: 'angular_velocity' and "
       "'angular_velocity_deg' exclude each other"},
      {R"({"forces": [{"body": "a", "force": [0, 0, 1], "samples": [{"t": 0}]}]})",
       "bad.json:1: /forces/0/force: [0, 0, 1]: 'samples' and 'force' exclude each other"},
      {R"({"forces": [{"body": "a", "samples": []}]})",
       "bad.json:1: /forces/0/samples: []: expected at least one sample"},
      {R"({"forces": [{"body": "a", "samples": [{"t": 1}, {"t": 1}]}]})",
       "bad.json:1: /forces/0/samples/1/t: 1: times must increase"},
      {R"({"forces": [{"body": "world"}]})",
       R"(bad.json:1: /forces/0/body: "world": the world cannot be pushed; name a body)"},
  });
}

TEST_CASE("bad scenes: shapes and orientations") {
  check_all({
      {R"({"bodies": [{"name": "a", "shape": {}}]})",
       "bad.json:1: /bodies/0/shape: {}: expected one of the keys sphere, capsule, box, cylinder, "
       "polyhedron, plane, height_field, mesh"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1, "box": 1}}]})",
       "bad.json:1: /bodies/0/shape/box: 1: 'sphere' and 'box' exclude each other"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": -1}}]})",
       "bad.json:1: /bodies/0/shape/sphere: -1: must be greater than zero"},
      {R"({"bodies": [{"name": "a", "shape": {"box": [1, 2]}}]})",
       "bad.json:1: /bodies/0/shape/box: [1, 2]: expected a vector of 3 numbers [x, y, z]"},
      {R"({"bodies": [{"name": "a", "shape": {"box": [1, 0, 1]}}]})",
       "bad.json:1: /bodies/0/shape/box/1: 0: must be greater than zero"},
      {R"({"bodies": [{"name": "a", "shape": {"capsule": {"radius": 1}}}]})",
       R"(bad.json:1: /bodies/0/shape/capsule: {"radius": 1}: key 'length' is missing)"},
      {R"({"bodies": [{"name": "a", "shape": {"cylinder": {"radius": 1, "from": [0, 0, 0], "to": [0, 0, 0]}}}]})",
       "bad.json:1: /bodies/0/shape/cylinder: {\"radius\": 1, \"from\": [0, 0, 0], \"to\": [0, 0, "
       "0]}: 'from' and 'to' are the same point"},
      {R"({"bodies": [{"name": "a", "shape": {"plane": false}}]})",
       "bad.json:1: /bodies/0/shape/plane: false: expected true"},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {}}}]})",
       "bad.json:1: /bodies/0/shape/polyhedron: {}: key 'vertices' or 'obj' is missing"},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"vertices": [[0,0,0],[1,0,0],[0,1,0]]}}}]})",
       "bad.json:1: /bodies/0/shape/polyhedron: {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}: "
       "convex hull: 3 points, expected 4 to..."},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}}}]})",
       "bad.json:1: /bodies/0/shape/polyhedron: {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], "
       "[1, 1, 0]]}: convex hull: the 4 points lie in one plane, expected a solid"},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "faces": [[0, 1, 4]]}}}]})",
       "bad.json:1: /bodies/0/shape/polyhedron/faces/0/2: 4: must be from 0 to 3"},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "faces": [[0, 1, 2]]}}}]})",
       "bad.json:1: /bodies/0/shape/polyhedron: {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], "
       "[0, 0, 1]], \"...: polyhedron: 1..."},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"obj": "missing.obj"}}}]})",
       R"(bad.json:1: /bodies/0/shape/polyhedron/obj: "missing.obj": missing.obj: no such file)"},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"obj": "."}}}]})",
       R"(bad.json:1: /bodies/0/shape/polyhedron/obj: ".": .: is a folder, expected a file)"},
      {R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"obj": "/dev/zero"}}}]})",
       R"(bad.json:1: /bodies/0/shape/polyhedron/obj: "/dev/zero": /dev/zero: lies outside of what may be read here; --root FOLDER allows more)"},
      {R"({"bodies": [{"name": "a", "color": "#12345"}]})",
       R"(bad.json:1: /bodies/0/color: "#12345": expected "#rrggbb" or "#rrggbbaa")"},
      {R"({"bodies": [{"name": "a", "color": [1, 2, 0]}]})",
       "bad.json:1: /bodies/0/color/1: 2: must be from 0 to 1"},
      {R"({"bodies": [{"name": "a", "orientation": [0, 0, 0, 0]}]})",
       "bad.json:1: /bodies/0/orientation: [0, 0, 0, 0]: a quaternion of length zero"},
      {R"({"bodies": [{"name": "a", "orientation": [1, 0, 0]}]})",
       "bad.json:1: /bodies/0/orientation/0: 1: expected a vector of 3 numbers [x, y, z]"},
      {R"({"bodies": [{"name": "a", "orientation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}]})",
       "bad.json:1: /bodies/0/orientation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]: the rows are not "
       "those of a rotation matrix"},
      {R"({"bodies": [{"name": "a", "orientation": {"axis": [0, 0, 0], "angle_deg": 1}}]})",
       "bad.json:1: /bodies/0/orientation/axis: [0, 0, 0]: a direction must not be zero"},
      {R"({"bodies": [{"name": "a", "orientation": {"axis": [0, 0, 1]}}]})",
       R"(bad.json:1: /bodies/0/orientation: {"axis": [0, 0, 1]}: key 'angle_deg' or 'angle' is missing)"},
      {R"({"bodies": [{"name": "a", "orientation": 30}]})",
       R"(bad.json:1: /bodies/0/orientation: 30: expected [w, x, y, z], three rows, {"axis", "angle_deg"}, {"euler_deg"} or {"z"})"},
  });
}

TEST_CASE("bad scenes: masses") {
  check_all({
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}, "mass": 0}]})",
       "bad.json:1: /bodies/0/mass: 0: must be greater than zero"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}, "mass": -2}]})",
       "bad.json:1: /bodies/0/mass: -2: must be greater than zero"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}, "density": 0}]})",
       "bad.json:1: /bodies/0/density: 0: must be greater than zero"},
      {R"({"bodies": [{"name": "a", "mass": 2}]})",
       "bad.json:1: /bodies/0/mass: 2: a 'mass' needs a shape with a volume; without one give "
       "'mass_properties'"},
      {R"({"bodies": [{"name": "a", "shape": {"plane": true}, "mass": 2}]})",
       "bad.json:1: /bodies/0/mass: 2: a 'mass' needs a shape with a volume; without one give "
       "'mass_properties'"},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": -1, "inertia": [1, 1, 1]}}]})",
       "bad.json:1: /bodies/0/mass_properties/mass: -1: must not be negative"},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": 0, "inertia": [1, 1, 1]}}]})",
       "bad.json:1: /bodies/0/mass_properties/mass: 0: must be greater than zero"},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": 1}}]})",
       R"(bad.json:1: /bodies/0/mass_properties: {"mass": 1}: key 'inertia' is missing)"},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": 1, "inertia": [1, 1, -1]}}]})",
       "bad.json:1: /bodies/0/mass_properties/inertia: [1, 1, -1]: not the inertia of a solid: it "
       "must be positive definite, and no principal moment above the sum of the other two"},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": 1, "inertia": [1, 1, 1, 2, 0, 0]}}]})",
       "bad.json:1: /bodies/0/mass_properties/inertia: [1, 1, 1, 2, 0, 0]: not the inertia of a "
       "solid..."},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": 1, "inertia": [1, 1, 3]}}]})",
       "bad.json:1: /bodies/0/mass_properties/inertia: [1, 1, 3]: not the inertia of a solid..."},
      {R"({"bodies": [{"name": "a", "mass_properties": {"mass": 1, "inertia": [1, 1, 1, 0]}}]})",
       "bad.json:1: /bodies/0/mass_properties/inertia: [1, 1, 1, 0]: expected [xx, yy, zz] or [xx, "
       "yy, zz, xy, xz, yz]"},
      {R"({"bodies": [{"name": "a"}]})",
       "body 'a' has no mass: give it a shape with a volume or mass properties"},
      {R"({"bodies": [{"name": "a", "shape": {"plane": true}}]})",
       "body 'a' has no mass: give it a shape with a volume or mass properties"},
  });
}

TEST_CASE("bad scenes: joints") {
  check_all({
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 0]}]})",
       "bad.json:1: /joints/0/axis: [0, 0, 0]: a direction must not be zero"},
      {R"({"joints": [{"type": "universal", "child": "a", "axes": [[1, 0, 0], [1, 1, 0]]}]})",
       "bad.json:1: /joints/0/axes: [[1, 0, 0], [1, 1, 0]]: the two axes must be perpendicular"},
      {R"({"joints": [{"type": "universal", "child": "a", "axes": [1, 0, 0]}]})",
       "bad.json:1: /joints/0/axes: [1, 0, 0]: expected two axes [[x, y, z], [x, y, z]]"},
      {R"({"joints": [{"type": "fixed", "child": "world"}]})",
       R"(bad.json:1: /joints/0/child: "world": the world cannot be a child; swap parent and child)"},
      {R"({"joints": [{"type": "universal", "child": "a", "axes": [[1, 0, 0], [0, 1, 0]], "position": [1]}]})",
       "bad.json:1: /joints/0/position: [1]: 1 entries, expected 2"},
      {R"({"joints": [{"type": "spherical", "child": "a", "position": [1, 0, 0]}]})",
       "bad.json:1: /joints/0/position: [1, 0, 0]: 3 entries, expected 4"},
      {R"({"joints": [{"type": "spherical", "child": "a", "position": [0, 0, 0, 0]}]})",
       "bad.json:1: /joints/0/position: [0, 0, 0, 0]: a quaternion of length zero"},
      {R"({"joints": [{"type": "fixed", "child": "a", "position": 1}]})",
       "bad.json:1: /joints/0/position: 1: a fixed joint has no coordinates"},
      {R"({"joints": [{"type": "prismatic", "child": "a", "axis": [0, 0, 1], "position_deg": 1}]})",
       "bad.json:1: /joints/0/position_deg: 1: this freedom is a translation: give 'position' in "
       "metres"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "rotation": [1, 0, 0, 0]}]})",
       "bad.json:1: /joints/0/rotation: [1, 0, 0, 0]: only joints with three rotations have one; "
       "give 'position'"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "velocity": [1, 2]}]})",
       "bad.json:1: /joints/0/velocity: [1, 2]: 2 entries, expected 1"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "loop": true, "position": 1}]})",
       "bad.json:1: /joints/0/position: 1: a loop closure has no initial state of its own"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "drives": []}]})",
       "bad.json:1: /joints/0/drives: []: 0 drives, a revolute joint has 1 freedoms"},
      {R"({"joints": [{"type": "cylindrical", "child": "a", "axis": [0, 0, 1], "damping": 1}]})",
       "bad.json:1: /joints/0/damping: 1: a cylindrical joint has translations and rotations: give "
       "'drives', one per freedom"},
      {R"({"joints": [{"type": "fixed", "child": "a", "damping": 1}]})",
       "bad.json:1: /joints/0/damping: 1: a fixed joint has no freedom to drive"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "damping": -1}]})",
       "bad.json:1: /joints/0/damping: -1: must not be negative"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "limits": [1, -1]}]})",
       "bad.json:1: /joints/0/limits: [1, -1]: the lower limit is above the upper limit"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "limits": 1}]})",
       "bad.json:1: /joints/0/limits: 1: expected [lower, upper]; null: no limit"},
      {R"({"joints": [{"type": "prismatic", "child": "a", "axis": [0, 0, 1], "limits_deg": [0, 1]}]})",
       "bad.json:1: /joints/0/limits_deg: [0, 1]: this freedom is a translation: give 'limits' in "
       "metres"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "spring": {"stiffness": 1, "hertz": 2}}]})",
       "bad.json:1: /joints/0/spring/hertz: 2: 'stiffness' and 'hertz' exclude each other"},
      {R"({"joints": [{"type": "revolute", "child": "a", "axis": [0, 0, 1], "motor": {"max_torque": 2}}]})",
       "bad.json:1: /joints/0/motor/max_torque: 2: unknown key 'max_torque'; did you mean "
       "'max_force'?"},
      {R"({"joints": [{"type": "prismatic", "child": "a", "axis": [0, 0, 1], "motor": {"target_deg": 2}}]})",
       "bad.json:1: /joints/0/motor/target_deg: 2: this freedom is a translation: give 'target' in "
       "metres"},
      // these are found when the scene is built
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}}, {"name": "b", "shape": {"sphere": 1}}],
           "joints": [{"type": "spherical", "parent": "b", "child": "a"}, {"type": "spherical", "parent": "a", "child": "b"}]})",
       "joints form a cycle: a <- b; mark one of its joints with \"loop\": true"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}}, {"name": "b", "shape": {"sphere": 1}}],
           "joints": [{"name": "x", "type": "spherical", "child": "b"}, {"name": "y", "type": "spherical", "parent": "a", "child": "b"}]})",
       "joint 'y': body 'b' already hangs on joint 'x'; mark one of them with \"loop\": true"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}}], "joints": [{"type": "fixed", "parent": "a", "child": "a"}]})",
       "joint 'a.joint' joins 'a' to itself"},
      {R"({"bodies": [{"name": "a", "immobile": true}], "joints": [{"type": "fixed", "child": "a"}]})",
       "joint 'a.joint': body 'a' is immobile and cannot be a child"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}, "velocity": [1, 0, 0]}],
           "joints": [{"type": "prismatic", "child": "a", "axis": [0, 0, 1]}]})",
       "body 'a': its velocity does not fit joint 'a.joint' (residual 1)"},
      {R"({"bodies": [{"name": "a", "shape": {"sphere": 1}}],
           "joints": [{"type": "prismatic", "child": "a", "axis": [1, 0, 0], "position": 1},
                      {"name": "pin", "type": "spherical", "child": "a", "loop": true}]})",
       "joint 'pin' does not close in the initial state: ..."},
  });
}

TEST_CASE("bad scenes: names") {
  check_all({
      {"{\"bodies\": [{\"name\": \"a\", \"immobile\": true},\n{\"name\": \"a\", \"immobile\": "
       "true}]}",
       "bad.json:2: /bodies/1/name: \"a\": body 'a' is defined twice"},
      {R"({"bodies": [{"name": "world", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "world": this name is taken by the world)"},
      {R"({"bodies": [{"name": "", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "": a name must not be empty)"},
      {R"({"bodies": [{"name": "a\nb", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "a\nb": a name must not have control characters)"},
      {R"({"joints": [{"name": "j", "type": "fixed", "child": "a"}, {"name": "j", "type": "fixed", "child": "b"}]})",
       R"(bad.json:1: /joints/1/name: "j": joint 'j' is defined twice)"},
      {R"({"bodies": [{"name": "a", "immobile": true}], "joints": [{"type": "fixed", "child": "a"}, {"type": "fixed", "child": "a"}]})",
       R"(bad.json:1: /joints/1: {"type": "fixed", "child": "a"}: joint 'a.joint' is defined twice)"},
      {R"({"springs": [{"name": "s", "a": {}, "b": {}}, {"name": "s", "a": {}, "b": {}}]})",
       R"(bad.json:1: /springs/1/name: "s": spring 's' is defined twice)"},
      {R"({"bodies": [{"name": "a{", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "a{": column 2: '{' without '}'; write '{{' for the character)"},
      {R"({"bodies": [{"name": "a}", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "a}": column 2: '}' without '{'; write '}}' for the character)"},
      {R"({"bodies": [{"name": "a{1/2}", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "a{1/2}": {1/2} gives 0.5, expected a whole number)"},
      {R"({"bodies": [{"name": "a{i}", "immobile": true}]})",
       R"(bad.json:1: /bodies/0/name: "a{i}": column 3: unknown name 'i'; did you mean 'pi'?)"},
  });
  CHECK(error_of("{\"bodies\": [{\"name\": \"" + std::string(300, 'x') + "\"}]}")
            .find("a name has at most 200 characters") != std::string::npos);
}

TEST_CASE("bad scenes: names that grow too long within instances") {
  // what is written can be read
  const Scene longest = parse_scene(nested_scene(2, 98), "good.json");
  CHECK(longest.bodies[0].name.size() == 199);
  const Scene again = parse_scene(scene_text(longest), "again.json");
  CHECK(again.bodies[0].name == longest.bodies[0].name);
  CHECK(again.probes[0].name == longest.probes[0].name);
  CHECK(again.definitions[0].formula.scope == longest.definitions[0].formula.scope);
  CHECK(build(again).formulas->forces.size() == 1);
  for (const auto& [levels, length] : {std::pair(2, 99), std::pair(1, 199), std::pair(3, 90)}) {
    const std::string error = error_of(nested_scene(levels, static_cast<std::size_t>(length)));
    CAPTURE(error);
    CHECK(error.find("with those of the instances around it, at most 200 are allowed") !=
          std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }
  // one that only a formula has
  std::string text = nested_scene(1, 150);
  for (std::size_t at = 0; (at = text.find("\"k\"", at)) != std::string::npos;) {
    text.replace(at, 3, "\"" + std::string(60, 'k') + "\"");
  }
  CHECK(error_of(text).find("/assemblies/a0/variables/kkk") != std::string::npos);
  CHECK(error_of(text).find("is a name of 211 characters") != std::string::npos);
}

TEST_CASE("bad scenes: expressions and parameters") {
  check_all({
      {R"({"parameters": {"length": 1}, "fps": "=lenght"})",
       R"(bad.json:1: /fps: "=lenght": column 2: unknown name 'lenght'; did you mean 'length'?)"},
      {R"({"fps": "=1 +"})",
       R"(bad.json:1: /fps: "=1 +": column 5: the expression ends, expected a number, a name or '(')"},
      {R"({"fps": "=1/0"})",
       R"(bad.json:1: /fps: "=1/0": the expression is infinite, expected a number)"},
      {R"J({"fps": "=sqrt(-1)"})J",
       R"J(bad.json:1: /fps: "=sqrt(-1)": the expression has no value (0/0, sqrt(-1) or the like))J"},
      {R"({"fps": "30"})", R"(bad.json:1: /fps: "30": expected a number or "=expression")"},
      {R"J({"fps": "=sinus(1)"})J",
       R"J(bad.json:1: /fps: "=sinus(1)": column 2: unknown function 'sinus'; did you mean 'sin'?)J"},
      {R"({"parameters": {"pi": 3}})",
       "bad.json:1: /parameters/pi: 3: 'pi' cannot name a parameter..."},
      {R"({"parameters": {"a b": 3}})",
       "bad.json:1: /parameters/a b: 3: 'a b' cannot name a parameter..."},
      {R"({"parameters": {"a": [1]}})",
       R"(bad.json:1: /parameters/a: [1]: expected a number, "=expression" or a text)"},
      {R"({"parameters": {"a": "=b", "b": 1}})",
       R"(bad.json:1: /parameters/a: "=b": column 2: unknown name 'b'...)"},
  });
  CHECK(
      error_of("{\"fps\": \"=" + repeated("(", 100) + "\"}").find("nested deeper than 64 levels") !=
      std::string::npos);
  CHECK(error_of("{\"fps\": \"=" + repeated("1+", 5000) + "1\"}")
            .find("longer than 4096 characters") != std::string::npos);
}

TEST_CASE("bad scenes: assemblies") {
  check_all({
      {R"({"assemblies": {"a": {"instances": [{"assembly": "a"}]}}, "instances": [{"assembly": "a"}]})",
       R"(bad.json:1: /assemblies/a/instances/0/assembly: "a": assemblies contain each other: a -> a (in instance 'a'))"},
      {R"({"assemblies": {"a": {"instances": [{"assembly": "b"}]},
                          "b": {"instances": [{"assembly": "a"}]}}, "instances": [{"assembly": "b"}]})",
       R"(bad.json:1: /assemblies/a/instances/0/assembly: "b": assemblies contain each other: b -> a -> b (in instance 'b.a'))"},
      {R"({"assemblies": {"a": {}}, "instances": [{"assembly": "a", "count": 1000001}]})",
       "bad.json:1: /instances/0/count: 1000001: must be from 0 to 100000"},
      {R"({"assemblies": {"a": {}}, "instances": [{"assembly": "a", "count": 1.5}]})",
       "bad.json:1: /instances/0/count: 1.5: expected a whole number"},
      {R"({"assemblies": {"a": {}}, "instances": [{"assembly": "a", "name": "x", "count": 2}]})",
       R"(bad.json:1: /instances/0/name: "x": 2 copies need '{i}' in their name)"},
      {R"({"assemblies": {"a": {"bodies": [{"name": "b", "immobile": true}]}}, "instances": [{"assembly": "a"}, {"assembly": "a"}]})",
       R"(bad.json:1: /assemblies/a/bodies/0/name: "b": body 'a.b' is defined twice (in instance 'a'))"},
      {R"({"assemblies": {"a": {"parameters": {"p": null}}}, "instances": [{"assembly": "a"}]})",
       R"(bad.json:1: /instances/0: {"assembly": "a"}: parameter 'p' must be given)"},
      {R"({"assemblies": {"a": {"parameters": {"p": 1}}}, "instances": [{"assembly": "a", "parameters": {"p": "red"}}]})",
       R"(bad.json:1: /instances/0/parameters/p: "red": expected a number, as in the assembly)"},
      {R"({"assemblies": {"a": {"parameters": {"i": 1}}}, "instances": [{"assembly": "a"}]})",
       "bad.json:1: /assemblies/a/parameters/i: 1: 'i' cannot name a parameter..."},
      {"{\"assemblies\": {\"a\": {\n\"joints\": [\n{\"type\": \"hinge\", \"child\": "
       "\"b\"}]}},\n\"instances\": [{\"assembly\": \"a\", \"name\": \"left\"}]}",
       "bad.json:3: /assemblies/a/joints/0/type: \"hinge\": unknown joint type 'hinge'; did you "
       "mean 'revolute'? (in instance 'left')"},
      {R"({"assemblies": {"a": {"bodies": [{"name": "rod", "immobile": true}], "joints": [{"type": "fixed", "child": "rob"}]}}, "instances": [{"assembly": "a"}]})",
       R"(bad.json:1: /assemblies/a/joints/0/child: "rob": unknown body 'rob'; did you mean 'rod'? (in instance 'a'))"},
      {R"({"assemblies": {"a": {"bodies": [{"name": "x", "immobile": true}, {"name": "y", "immobile": true}]}},
           "instances": [{"assembly": "a", "count": 60000}]})",
       "bad.json:1: /assemblies/a/bodies: [{\"name\": \"x\", \"immobile\": true}, {\"name\": "
       "\"y\", \"immobile\": ...: more than 100000 bodies in the scene (in instance 'a50000')"},
  });

  // doubling at each of many levels would be 2^30 copies of nothing
  std::string doubling = "{\"assemblies\": {\"a30\": {}";
  for (int n = 29; n >= 0; --n) {
    doubling += ", \"a" + std::to_string(n) + "\": {\"instances\": [{\"assembly\": \"a" +
                std::to_string(n + 1) + "\", \"name\": \"{i}\", \"count\": 2}]}";
  }
  CHECK(error_of(doubling + "}, \"instances\": [{\"assembly\": \"a0\"}]}")
            .find("more than 100000 instances") != std::string::npos);

  std::string deep = "{\"assemblies\": {\"a50\": {}";
  for (int n = 49; n >= 0; --n) {
    deep += ", \"a" + std::to_string(n) + "\": {\"instances\": [{\"assembly\": \"a" +
            std::to_string(n + 1) + "\"}]}";
  }
  CHECK(error_of(deep + "}, \"instances\": [{\"assembly\": \"a0\"}]}")
            .find("instances nested deeper than 32 levels") != std::string::npos);

  std::string many = "{\"bodies\": [{\"name\": \"a\"}";
  for (int n = 0; n < 100000; ++n) many += ",{}";
  CHECK(error_of(many + "]}").find("100001 entries, at most 100000 are allowed") !=
        std::string::npos);
}

TEST_CASE("bad scenes: files") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(test::binary_dir()) / "bad_scenes";
  fs::create_directories(folder);
  const auto message = [](const std::string& path) {
    try {
      read_scene(SourceFile::given(path));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string missing = (folder / "missing.json").string();
  CHECK(message(missing) == missing + ": no such file");
  CHECK(message(folder.string()) == folder.string() + ": is a folder, expected a file");

  const std::string scene = (folder / "broken_mesh.json").string();
  std::ofstream(folder / "broken.obj") << "v 0 0 0\nv 1 0\n";
  std::ofstream(scene)
      << R"({"bodies": [{"name": "a", "shape": {"polyhedron": {"obj": "broken.obj"}}}]})";
  CHECK(message(scene) == scene + ":1: /bodies/0/shape/polyhedron/obj: \"broken.obj\": " +
                              (folder / "broken.obj").string() + ":2: expected a coordinate");
}
