// Which shapes may touch, and by which rule: small scenes whose answers can be told by looking.
#include "molejo/model/contact_rules.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "molejo/model/build.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

using namespace molejo;

namespace {

SceneBody ball(const std::string& name, const std::string& group = "") {
  SceneBody body;
  body.name = name;
  body.group = group;
  body.shapes = {{Sphere{0.1}, {}, {}}};
  return body;
}

SceneBody frame(const std::string& name) {
  SceneBody body;
  body.name = name;
  body.massless = true;
  return body;
}

SceneBody wall(const std::string& name) {
  SceneBody body = ball(name);
  body.immobile = true;
  return body;
}

SceneJoint joint(JointType type, const std::string& parent, const std::string& child,
                 bool loop = false) {
  SceneJoint j;
  j.name = parent + "-" + child;
  j.type = type, j.parent = parent, j.child = child, j.loop = loop;
  return j;
}

const Collider& collider(const Model& model, const std::string& body) {
  const BodyId id = model.body(body);
  for (const Collider& c : model.colliders) {
    if (c.body == id) return c;
  }
  throw InputError(body + " has no collider");
}

bool touch(const Model& model, const std::string& a, const std::string& b) {
  const bool forward = may_touch(model, collider(model, a), collider(model, b));
  CHECK(forward == may_touch(model, collider(model, b), collider(model, a)));
  return forward;
}

Response response(const Model& model, const std::string& a, const std::string& b) {
  const Response forward = model.rule(collider(model, a), collider(model, b)).response;
  CHECK(forward == model.rule(collider(model, b), collider(model, a)).response);
  return forward;
}

SceneContactPair pair(const std::string& a, const std::string& b, Response response) {
  SceneContactPair p;
  p.a = a, p.b = b, p.response = response;
  if (response == Response::penalty) p.stiffness = 1;
  return p;
}

// The same answers in both formulations.
std::vector<Model> models(Scene scene) {
  std::vector<Model> both{build(scene).model};
  scene.settings.formulation = Formulation::maximal;
  both.push_back(build(scene).model);
  return both;
}

}  // namespace

TEST_CASE("contact rules: every shape that collides is a collider, in the order of the bodies") {
  Scene scene;
  scene.bodies = {ball("a"), ball("b")};
  scene.bodies[0].shapes.push_back({Box{{1, 1, 1}}, {}, {}});
  scene.bodies[0].shapes.push_back({Sphere{2}, {}, {}});
  scene.bodies[0].shapes[1].collides = false;
  for (const Model& model : models(scene)) {
    REQUIRE(model.colliders.size() == 3);
    CHECK(model.colliders[0].body.index == 0);
    CHECK(model.colliders[0].shape == 0);
    CHECK(model.colliders[1].body.index == 0);
    CHECK(model.colliders[1].shape == 2);
    CHECK(model.colliders[2].body.index == 1);
    CHECK(std::get<Sphere>(model.shape(model.colliders[1]).geometry).radius == 2);
    // not with itself
    CHECK_FALSE(may_touch(model, model.colliders[0], model.colliders[1]));
    CHECK(may_touch(model, model.colliders[0], model.colliders[2]));
  }
}

TEST_CASE("contact rules: neighbours at a joint or at a loop closure never touch, others do") {
  Scene scene;
  scene.bodies = {ball("a"), ball("b"), ball("c"), ball("d"), ball("lone")};
  scene.joints = {joint(JointType::revolute, "", "a"), joint(JointType::revolute, "a", "b"),
                  joint(JointType::spherical, "b", "c"), joint(JointType::revolute, "c", "d"),
                  joint(JointType::spherical, "d", "a", true)};
  for (const Model& model : models(scene)) {
    CHECK_FALSE(touch(model, "a", "b"));
    CHECK_FALSE(touch(model, "b", "c"));
    CHECK_FALSE(touch(model, "a", "d"));
    CHECK(touch(model, "a", "c"));
    CHECK(touch(model, "b", "d"));
    CHECK(touch(model, "lone", "a"));
  }
}

TEST_CASE("contact rules: walls do not touch walls, what hangs on one may touch another") {
  Scene scene;
  scene.bodies = {wall("floor"), wall("post"), ball("a"), ball("free")};
  scene.joints = {joint(JointType::revolute, "post", "a")};
  for (const Model& model : models(scene)) {
    CHECK_FALSE(touch(model, "floor", "post"));
    CHECK_FALSE(touch(model, "post", "a"));
    CHECK(touch(model, "floor", "a"));
    CHECK(touch(model, "post", "free"));
  }
}

TEST_CASE("contact rules: bodies that a fixed joint makes one never touch, nor their neighbours") {
  Scene scene;
  scene.bodies = {ball("a"), ball("b"), ball("c"), ball("d")};
  scene.joints = {joint(JointType::fixed, "a", "b"), joint(JointType::revolute, "b", "c"),
                  joint(JointType::revolute, "c", "d")};
  const Model model = build(scene).model;
  CHECK_FALSE(touch(model, "a", "b"));
  CHECK_FALSE(touch(model, "a", "c"));
  CHECK_FALSE(touch(model, "b", "c"));
  CHECK(touch(model, "a", "d"));
}

TEST_CASE("contact rules: several hinges with bare frames between them are one joint") {
  Scene scene;
  scene.bodies = {ball("hip"), frame("x"), frame("y"), ball("thigh"), ball("shin")};
  scene.joints = {joint(JointType::revolute, "hip", "x"), joint(JointType::revolute, "x", "y"),
                  joint(JointType::revolute, "y", "thigh"),
                  joint(JointType::revolute, "thigh", "shin")};
  // a hinge needs an inertia somewhere beyond it, about its own axis
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 axis;
    axis[static_cast<int>(i)] = 1;
    scene.joints[i].X_PF.R = scene.joints[i].X_BM.R = frame_from_z(axis);
  }
  const Model model = build(scene).model;
  CHECK_FALSE(touch(model, "hip", "thigh"));
  CHECK_FALSE(touch(model, "thigh", "shin"));
  CHECK(touch(model, "hip", "shin"));

  // a frame that carries several bodies is no joint between these
  Scene star;
  star.bodies = {frame("hub"), ball("a"), ball("b"), ball("c")};
  star.joints = {joint(JointType::free, "", "hub"), joint(JointType::fixed, "hub", "a"),
                 joint(JointType::revolute, "hub", "b"), joint(JointType::revolute, "hub", "c")};
  const Model branched = build(star).model;
  CHECK_FALSE(touch(branched, "a", "b"));  // a is the hub
  CHECK(touch(branched, "b", "c"));

  // what hangs on a nail that is not drawn is not joined by it
  Scene nail;
  nail.bodies = {frame("nail"), ball("a"), ball("b")};
  nail.bodies[0].immobile = true;
  nail.joints = {joint(JointType::revolute, "nail", "a"), joint(JointType::revolute, "nail", "b")};
  CHECK(touch(build(nail).model, "a", "b"));
}

TEST_CASE("contact rules: a pair names bodies, groups or any, of several the last counts") {
  Scene scene;
  scene.bodies = {ball("a", "red"), ball("b", "red"), ball("c", "blue"), ball("d")};
  using enum Response;
  scene.contact_pairs = {pair("", "", analytic),   pair("red", "blue", penalty),
                         pair("red", "red", none), pair("a", "c", rigid),
                         pair("", "d", rigid),     pair("blue", "d", analytic)};
  for (const Model& model : models(scene)) {
    CHECK(response(model, "a", "b") == none);
    CHECK_FALSE(touch(model, "a", "b"));
    CHECK(response(model, "b", "c") == penalty);
    CHECK(response(model, "a", "c") == rigid);
    CHECK(response(model, "a", "d") == rigid);
    CHECK(response(model, "c", "d") == analytic);
    CHECK(response(model, "c", "c") == analytic);
    CHECK(touch(model, "b", "c"));
  }
}

TEST_CASE("contact rules: an earlier pair with the same names, even swapped, has no effect") {
  Scene scene;
  scene.bodies = {ball("a"), ball("b")};
  scene.contact_pairs = {pair("a", "b", Response::none), pair("b", "a", Response::analytic)};
  CHECK(response(build(scene).model, "a", "b") == Response::analytic);
}

TEST_CASE("contact rules: a pair replaces all that the surfaces say") {
  Scene scene;
  scene.bodies = {ball("a"), ball("b"), ball("c"), ball("d")};
  const double friction[] = {0.1, 0.4, 0.9, 0.3}, restitution[] = {0, 0.5, 0.8, 0.2};
  for (std::size_t i = 0; i < 4; ++i) {
    scene.bodies[i].shapes[0].surface = {friction[i], restitution[i]};
  }
  scene.contact_pairs = {pair("a", "c", Response::rigid), pair("a", "d", Response::rigid)};
  scene.contact_pairs[0].friction = 0.7;
  scene.contact_pairs[1].restitution = 1;
  scene.contact_pairs[1].sticks = true;
  const Model model = build(scene).model;
  const auto surface = [&](const char* x, const char* y) {
    return combined_surface(model, collider(model, x), collider(model, y));
  };
  CHECK(surface("a", "b").friction == doctest::Approx(0.2).epsilon(1e-15));
  CHECK(surface("a", "b").restitution == 0.5);
  CHECK(surface("a", "c").friction == 0.7);
  CHECK(surface("a", "c").restitution == 0.8);
  CHECK(std::isinf(surface("a", "d").friction));
  CHECK(surface("d", "a").restitution == 1);
}

TEST_CASE("contact rules: the five combinations") {
  Scene scene;
  scene.bodies = {ball("a"), ball("b")};
  scene.bodies[0].shapes[0].surface = {0.2, 0.4};
  scene.bodies[1].shapes[0].surface = {0.8, 0.9};
  const struct {
    Combination how;
    double friction, restitution;
  } expected[] = {{Combination::geometric_mean, 0.4, 0.6},
                  {Combination::mean, 0.5, 0.65},
                  {Combination::smaller, 0.2, 0.4},
                  {Combination::larger, 0.8, 0.9},
                  {Combination::product, 0.16, 0.36}};
  for (const auto& [how, friction, restitution] : expected) {
    scene.settings.contact.friction = scene.settings.contact.restitution = how;
    const Model model = build(scene).model;
    const Surface s = combined_surface(model, model.colliders[0], model.colliders[1]);
    CHECK(s.friction == doctest::Approx(friction).epsilon(1e-15));
    CHECK(s.restitution == doctest::Approx(restitution).epsilon(1e-15));
  }
}

TEST_CASE("contact rules: names that nobody has, and values that cannot be, are refused") {
  const auto message = [](auto change) {
    Scene scene;
    scene.bodies = {ball("arm", "limbs"), ball("leg", "limbs")};
    scene.contact_pairs = {pair("arm", "", Response::rigid)};
    change(scene);
    try {
      build(scene);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(message([](Scene&) {}) == "no error");
  CHECK(message([](Scene& s) { s.contact_pairs[0].b = "lims"; }) ==
        "contact pair 0: unknown body or group 'lims'; did you mean 'limbs'?");
  CHECK(message([](Scene& s) { s.contact_pairs[0].friction = -1; }) ==
        "contact pair 'arm', '': friction -1, expected zero or more");
  CHECK(message([](Scene& s) { s.contact_pairs[0].restitution = 1.5; }) ==
        "contact pair 'arm', '': restitution 1.5, expected 0 to 1");
  CHECK(message([](Scene& s) { s.contact_pairs[0].response = Response::penalty; }) ==
        "contact pair 'arm', '': a penalty needs a stiffness");
  CHECK(message([](Scene& s) { s.contact_pairs[0].stiffness = -2; }) ==
        "contact pair 'arm', '': stiffness -2, expected zero or more");
  CHECK(message([](Scene& s) { s.contact_pairs[0].damping = -3; }) ==
        "contact pair 'arm', '': damping -3, expected zero or more");
  CHECK(message([](Scene& s) { s.contact_pairs[0].reach = NAN; }) ==
        "contact pair 'arm', '': reach nan, expected zero or more");
  CHECK(message([](Scene& s) { s.bodies[0].shapes[0].surface.restitution = 2; }) ==
        "body 'arm': restitution 2, expected 0 to 1");
}

TEST_CASE("contact rules: a thousand pairs among thousands of bodies are found at once") {
  Scene scene;
  for (int i = 0; i < 20000; ++i) {
    scene.bodies.push_back(ball("b" + std::to_string(i), "g" + std::to_string(i % 100)));
    scene.bodies.back().immobile = i % 2 == 0;
  }
  for (int i = 0; i < 1000; ++i) {
    const std::string a = "b" + std::to_string(3 * i), b = "b" + std::to_string(3 * i + 1);
    scene.contact_pairs.push_back(pair(a, b, Response::none));
  }
  Model model = build(scene).model;
  CHECK(model.contact_rules.size() == 1001);
  CHECK(model.contact_kinds <= 2001);
  CHECK(response(model, "b3", "b4") == Response::none);
  CHECK(response(model, "b2997", "b2998") == Response::none);
  CHECK(response(model, "b3", "b5") == Response::rigid);
  CHECK(response(model, "b19998", "b19999") == Response::rigid);
}
