// Four worlds at once against four single ones, bit by bit.
#include "molejo/physics/ground_pack.h"
#include "molejo/model/scene.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "molejo/model/error.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

void add_ground(Scene& scene, const Geometry& geometry, double restitution) {
  SceneBody ground;
  ground.name = "ground";
  ground.immobile = true;
  Shape shape;
  shape.geometry = geometry;
  shape.surface = {0.8, restitution};
  ground.shapes.push_back(shape);
  for (SceneBody& body : scene.bodies) {
    body.group = "mover";
    for (Shape& s : body.shapes) s.surface = {0.6, restitution};
  }
  scene.bodies.push_back(ground);
  SceneContactPair none;
  none.a = none.b = "mover";
  none.response = Response::none;
  scene.contact_pairs.push_back(none);
  scene.settings.contact.enabled = true;
  scene.settings.contact.sleep = false;
}

HeightField hills() {
  HeightField field{31, 31, 0.3, 0.3, {}};
  for (int j = 0; j < 31; ++j) {
    for (int i = 0; i < 31; ++i) {
      field.heights.push_back(0.15 * std::sin(0.9 * i) * std::cos(0.7 * j));
    }
  }
  return field;
}

// A sphere, a capsule, a box and a cylinder that fall beside each other.
Scene rain() {
  Scene scene;
  const Geometry shapes[] = {Sphere{0.1}, Capsule{0.06, 0.15}, Box{{0.1, 0.15, 0.08}},
                             Cylinder{0.1, 0.1}};
  for (int i = 0; i < 4; ++i) {
    SceneBody body;
    body.name = "body" + std::to_string(i);
    Shape shape;
    shape.geometry = shapes[i];
    body.shapes.push_back(shape);
    body.X_WB = {matrix(exp_quat(Vec3{0.3 + 0.2 * i, 0.4, 0.1})), {0.7 * i - 1, 0.3 * i, 0.6}};
    body.velocity = SceneBody::Velocity{{1, -0.5, 0}, {2, 1, -3}};
    scene.bodies.push_back(body);
  }
  return scene;
}

// Steps four worlds that start with different speeds, together and one by one.
void compare(const Scene& scene, Integrator method, int steps) {
  const Built built = build(scene);
  const Model& model = built.model;
  StepScratch<Pack4> scratch(model);
  GroundPack ground(model);
  std::vector<Pack4> q(static_cast<std::size_t>(model.nq)), v(static_cast<std::size_t>(model.nv));
  std::vector<State> single(4, built.initial);
  for (int world = 0; world < 4; ++world) {
    single[static_cast<std::size_t>(world)].v *= 1 + 0.3 * world;
    for (int i = 0; i < model.nq; ++i)
      q[static_cast<std::size_t>(i)].set(world, built.initial.q[i]);
    for (int i = 0; i < model.nv; ++i) {
      v[static_cast<std::size_t>(i)].set(world, single[static_cast<std::size_t>(world)].v[i]);
    }
  }
  const double h = 1e-3;
  for (int n = 0; n < steps; ++n) {
    step_on_ground(model, method, n * h, h, q.data(), v.data(), scratch, ground);
  }
  std::size_t touching = 0;
  const bool may_touch = has_contact(model);
  for (int world = 0; world < 4; ++world) {
    State& state = single[static_cast<std::size_t>(world)];
    Scratch alone(model);
    for (int n = 0; n < steps; ++n) {
      state.t = n * h;
      step(model, method, h, state, alone);
    }
    if (may_touch) touching += alone.contact->contacts.list.size();
    CAPTURE(world);
    int wrong = 0;
    for (int i = 0; i < model.nq; ++i) wrong += q[static_cast<std::size_t>(i)][world] != state.q[i];
    for (int i = 0; i < model.nv; ++i) wrong += v[static_cast<std::size_t>(i)][world] != state.v[i];
    CHECK(wrong == 0);
    CHECK(state.q.allFinite());
  }
  CHECK((touching > 0) == may_touch);
}

}  // namespace

TEST_CASE("ground pack: every lane has the bits of a single world") {
  for (const Integrator method : {Integrator::midpoint, Integrator::semi_implicit_euler}) {
    CAPTURE(to_string(method));
    for (const double e : {0.0, 0.6}) {
      for (const Geometry& ground : {Geometry(Plane{}), Geometry(hills())}) {
        CAPTURE(e);
        CAPTURE(ground.index());
        Scene scene = rain();
        add_ground(scene, ground, e);
        compare(scene, method, 1000);
        Scene doll = ragdoll_scene();
        add_ground(doll, ground, e);
        compare(doll, method, 600);
      }
    }
  }
}

TEST_CASE("ground pack: of every shipped scene it has the bits of a single world, or refuses it") {
  std::string carried;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenes")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    Scene scene = shipped_scene(name);
    scene.settings.contact.sleep = false;
    const Built built = build(scene);
    const Model& model = built.model;
    try {
      GroundPack ground(model);
      for (const Integrator method : {Integrator::midpoint, Integrator::semi_implicit_euler}) {
        StepScratch<Pack4> scratch(model);
        forget(ground);
        State state = built.initial;
        for (int i = 0; i < model.nv; ++i) state.v[i] += 0.5;
        std::vector<Pack4> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
        Scratch alone(model);
        const double h = std::min(1e-3, scene.settings.time_step);
        for (int n = 0; n < 2000; ++n) {
          step_on_ground(model, method, n * h, h, q.data(), v.data(), scratch, ground);
          state.t = n * h;
          step(model, method, h, state, alone);
        }
        int wrong = 0;
        for (int i = 0; i < model.nq; ++i) wrong += q[static_cast<std::size_t>(i)][3] != state.q[i];
        for (int i = 0; i < model.nv; ++i) wrong += v[static_cast<std::size_t>(i)][3] != state.v[i];
        CHECK(wrong == 0);
      }
      carried += " " + name;
    } catch (const InputError&) {
    }
  }
  for (const char* name : {"cart_pole", "magnetic_pendulum", "double_pendulum", "coin"}) {
    CHECK_MESSAGE(carried.find(name) != std::string::npos, name, " of", carried);
  }
}

TEST_CASE("ground pack: what it does not carry is refused in one line") {
  const auto refusal = [](const Scene& scene) {
    return error_text<InputError>([&] { GroundPack(build(scene).model); });
  };
  CHECK(refusal(shipped_scene("animado_floor"))
            .ends_with("may touch by penalty: four worlds at once carry rigid contact only"));
  CHECK(refusal(shipped_scene("four_bar")) ==
        "joints that close loops do not run four worlds at once");
  // nothing touches where contact is switched off
  Scene scene = rain();
  scene.settings.contact.enabled = false;
  CHECK(refusal(scene) == "no error");
}

TEST_CASE("ground pack: bodies that may touch each other are refused by name") {
  Scene scene = rain();
  scene.settings.contact.enabled = true;
  CHECK_THROWS_WITH_AS(GroundPack(build(scene).model), doctest::Contains("'body0' and 'body1'"),
                       InputError);
}
