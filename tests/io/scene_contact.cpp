// The words of contact in the native scene file: surfaces, settings, pairs, groups.
#include <doctest/doctest.h>

#include "molejo/io/scene.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "tests/support/error_text.h"

using namespace molejo;

namespace {

Scene scene_of(const std::string& text) { return parse_scene(text, "test.json"); }

std::string error_of(const std::string& text) {
  return test::error_text([&] { build(scene_of(text)); });
}

}  // namespace

TEST_CASE("contact words: a shape's surface is its own, else its body's, else the material's") {
  const Scene scene = scene_of(R"({
    "materials": {"ice": {"friction": 0.02, "restitution": 0.1}, "rubber": {"restitution": 0.8}},
    "bodies": [
      {"name": "a", "shape": {"sphere": 1}},
      {"name": "b", "material": "ice", "shape": {"sphere": 1}},
      {"name": "c", "material": "ice", "friction": 0.3, "collides": false,
       "shapes": [{"sphere": 1}, {"sphere": 1, "friction": 0, "restitution": 1, "collides": true}]},
      {"name": "d", "material": "rubber", "shape": {"sphere": 1, "collides": false}}]})");
  const auto shape = [&](std::size_t body, std::size_t k) { return scene.bodies[body].shapes[k]; };
  CHECK(shape(0, 0).surface == Surface{0.5, 0});
  CHECK(shape(0, 0).collides);
  CHECK(shape(1, 0).surface == Surface{0.02, 0.1});
  CHECK(shape(2, 0).surface == Surface{0.3, 0.1});
  CHECK_FALSE(shape(2, 0).collides);
  CHECK(shape(2, 1).surface == Surface{0, 1});
  CHECK(shape(2, 1).collides);
  CHECK(shape(3, 0).surface == Surface{0.5, 0.8});
  CHECK_FALSE(shape(3, 0).collides);
}

TEST_CASE("contact words: on, off, or every setting") {
  CHECK(scene_of("{}").settings.contact == ContactSettings{});
  CHECK(scene_of(R"({"contact": true})").settings.contact == ContactSettings{});
  CHECK_FALSE(scene_of(R"({"contact": false})").settings.contact.enabled);
  ContactSettings expected;
  expected.enabled = false;
  expected.friction = Combination::smaller;
  expected.restitution = Combination::product;
  expected.rest_speed = 0.1, expected.iterations = 7, expected.tolerance = 1e-3;
  expected.recovery = 0.5, expected.slop = 0, expected.distance = 1e-4;
  expected.sleep_speed = 0.2, expected.sleep_time = 3;
  CHECK(scene_of(R"({"contact": {"enabled": false, "combine": {"friction": "smaller",
      "restitution": "product"}, "rest_speed": 0.1, "iterations": 7, "tolerance": 1e-3,
      "recovery": 0.5, "slop": 0, "distance": 1e-4, "sleep": {"speed": 0.2, "time": 3}}})")
            .settings.contact == expected);
  CHECK_FALSE(scene_of(R"({"contact": {"sleep": false}})").settings.contact.sleep);
  CHECK_FALSE(scene_of(R"({"contact": {"sleep": {"enabled": false}}})").settings.contact.sleep);
}

TEST_CASE("contact words: pairs name bodies, groups or any") {
  const Scene scene = scene_of(R"({
    "bodies": [{"name": "floor", "immobile": true}, {"name": "ball", "group": "round", "immobile": true}],
    "contact": {"pairs": [
      {"between": ["floor", "round"], "response": "penalty", "stiffness": 5, "damping": 6, "reach": 7},
      {"between": ["*", "ball"], "friction": 0.1, "restitution": 0.2, "sticks": true},
      {"between": ["round", "round"], "response": "none"},
      {"between": ["*", "*"], "response": "analytic"}]}})");
  const std::vector<SceneContactPair> expected{
      {"floor", "round", Response::penalty, {}, {}, false, 5, 6, 7},
      {"", "ball", Response::rigid, 0.1, 0.2, true, 0, 0, 0},
      {"round", "round", Response::none, {}, {}, false, 0, 0, 0},
      {"", "", Response::analytic, {}, {}, false, 0, 0, 0}};
  CHECK(scene.contact_pairs == expected);
  CHECK(scene.bodies[1].group == "round");
}

TEST_CASE("contact words: a pair of an assembly means its own copy, and the scene's come last") {
  const Scene scene = scene_of(R"({
    "assemblies": {
      "foot": {"bodies": [{"name": "heel", "group": "feet", "immobile": true}, {"name": "toe", "group": "feet{i}", "immobile": true}],
               "contact": {"pairs": [{"between": ["heel", "toe"]}, {"between": ["heel", "floor"]}, {"between": ["feet", "other"]}]}},
      "leg": {"bodies": [{"name": "shin", "immobile": true}], "instances": [{"assembly": "foot"}],
              "contact": {"pairs": [{"between": ["foot.toe", "shin"]}]}}},
    "contact": {"pairs": [{"between": ["feet", "floor"]}, {"between": ["leg1.foot.heel", "feet0"]}]},
    "bodies": [{"name": "floor", "immobile": true}, {"name": "other", "immobile": true}],
    "instances": [{"assembly": "leg", "count": 2}]})");
  std::vector<std::string> names;
  for (const SceneContactPair& pair : scene.contact_pairs) names.push_back(pair.a + " " + pair.b);
  CHECK(names == std::vector<std::string>{"leg0.foot.heel leg0.foot.toe", "leg0.foot.heel floor",
                                          "feet other", "leg0.foot.toe leg0.shin",
                                          "leg1.foot.heel leg1.foot.toe", "leg1.foot.heel floor",
                                          "feet other", "leg1.foot.toe leg1.shin", "feet floor",
                                          "leg1.foot.heel feet0"});
}

TEST_CASE("contact words: bad ones are told with their place") {
  const auto pair = [](const std::string& keys) {
    return error_of(R"({"bodies": [{"name": "arm", "group": "limbs", "shape": {"sphere": 1}}],
      "contact": {"pairs": [{)" +
                    keys + "}]}}");
  };
  CHECK(error_of(R"({"contact": "off"})") ==
        R"(test.json:1: /contact: "off": expected true or false)");
  CHECK(error_of(R"({"contact": {"slob": 1}})") ==
        "test.json:1: /contact/slob: 1: unknown key 'slob'; did you mean 'slop'?");
  CHECK(error_of(R"({"contact": {"slop": -1}})") ==
        "test.json:1: /contact/slop: -1: expected metres from 0 to 1000");
  CHECK(error_of(R"({"contact": {"rest_speed": 0}})") ==
        "test.json:1: /contact/rest_speed: 0: expected m/s from 1e-12 to 1e+06");
  CHECK(error_of(R"({"contact": {"recovery": 2}})") ==
        "test.json:1: /contact/recovery: 2: must be from 0 to 1");
  CHECK(error_of(R"({"contact": {"iterations": 1e9}})") ==
        "test.json:1: /contact/iterations: 1000000000: must be from 1 to 1000000");
  CHECK(error_of(R"({"contact": {"combine": {"friction": "larges"}}})") ==
        "test.json:1: /contact/combine/friction: \"larges\": unknown combination 'larges'; did you "
        "mean 'larger'?");
  CHECK(error_of(R"({"bodies": [{"name": "a", "restitution": 1.5}]})") ==
        "test.json:1: /bodies/0/restitution: 1.5: must be from 0 to 1");
  CHECK(error_of(R"({"materials": {"ice": {"friction": "=1-2"}}})") ==
        "test.json:1: /materials/ice/friction: \"=1-2\": must not be negative");
  CHECK(error_of(R"({"bodies": [{"name": "*"}]})") ==
        "test.json:1: /bodies/0/name: \"*\": '*' stands for any body");
  CHECK(error_of(R"({"bodies": [{"name": "a", "group": "*"}]})") ==
        "test.json:1: /bodies/0/group: \"*\": '*' stands for any body");
  CHECK(pair(R"("response": "none")").find("key 'between' is missing") != std::string::npos);
  CHECK(pair(R"("between": ["arm"])") ==
        "test.json:2: /contact/pairs/0/between: [\"arm\"]: expected two names of bodies or groups, "
        "\"*\" for any");
  CHECK(pair(R"("between": ["arm", "limb"])") ==
        "test.json:2: /contact/pairs/0/between/1: \"limb\": unknown body or group 'limb'; did you "
        "mean 'limbs'?");
  CHECK(pair(R"("between": ["*", "*"], "response": "ridgid")") ==
        "test.json:2: /contact/pairs/0/response: \"ridgid\": unknown response 'ridgid'; did you "
        "mean 'rigid'?");
  CHECK(
      pair(R"("between": ["*", "*"], "response": "penalty")").find("key 'stiffness' is missing") !=
      std::string::npos);
  CHECK(pair(R"("between": ["*", "*"], "response": "penalty", "stiffness": 0)") ==
        "test.json:2: /contact/pairs/0/stiffness: 0: must be greater than zero");
  CHECK(pair(R"("between": ["*", "*"], "damping": 3)") ==
        "test.json:2: /contact/pairs/0/damping: 3: only for the response \"penalty\"");
  CHECK(error_of(R"({"assemblies": {"a": {"contact": true}}, "instances": [{"assembly": "a"}]})") ==
        "test.json:1: /assemblies/a/contact: true: expected an object {...} (in instance 'a')");
  // thousands of rules between thousands of kinds of bodies
  CHECK(error_of(R"({"assemblies": {"a": {"bodies": [{"name": "b", "immobile": true}],
      "contact": {"pairs": [{"between": ["b", "b"]}]}}},
      "instances": [{"assembly": "a", "count": 1001}]})")
            .find("more than 1000 contact pairs in the scene; name groups instead of bodies (in "
                  "instance 'a1000')") != std::string::npos);
}
