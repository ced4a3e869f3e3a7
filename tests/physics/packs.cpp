// Four worlds in one register: each lane has the bits of a single world.
#include <doctest/doctest.h>

#include "molejo/model/scene.h"
#include "molejo/physics/integrate.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

void check_lanes(const Model& model, Integrator method, double h, int steps, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<State> worlds;
  for (int i = 0; i < 4; ++i) worlds.push_back(random_state(model, random));
  std::vector<Pack4> q(static_cast<std::size_t>(model.nq)), v(static_cast<std::size_t>(model.nv));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < model.nq; ++j)
      q[static_cast<std::size_t>(j)].set(i, worlds[static_cast<std::size_t>(i)].q[j]);
    for (int j = 0; j < model.nv; ++j)
      v[static_cast<std::size_t>(j)].set(i, worlds[static_cast<std::size_t>(i)].v[j]);
  }
  StepScratch<Pack4> together(model);
  StepScratch<double> alone(model);
  for (int n = 0; n < steps; ++n) {
    step_tree(model, method, n * h, h, q.data(), v.data(), together);
    for (State& w : worlds) step_tree(model, method, n * h, h, w.q.data(), w.v.data(), alone);
  }
  int different = 0;
  for (int i = 0; i < 4; ++i) {
    const State& w = worlds[static_cast<std::size_t>(i)];
    for (int j = 0; j < model.nq; ++j) different += q[static_cast<std::size_t>(j)][i] != w.q[j];
    for (int j = 0; j < model.nv; ++j) different += v[static_cast<std::size_t>(j)][i] != w.v[j];
    REQUIRE(w.q.allFinite());
  }
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("packs: lanes equal single worlds bit for bit on random trees with drives and forces") {
  for (unsigned seed = 0; seed < 9; ++seed) {
    Scene scene =
        random_tree_scene({.bodies = 9, .floating = seed % 2 == 1, .drives = true, .seed = seed});
    scene.springs.push_back({"s", {"b1", {0.1, 0, 0}}, {"b5", {0, 0.2, 0}}, 30, 0.4, 0.5});
    scene.springs.push_back({"zero", {"", {1, 0, 0}}, {"b3", {}}, 10, 0, 0.1});
    scene.forces.push_back(
        {"f",
         {"b2", {0, 0, 0.1}},
         {{0, {1, 2, 3}, {0, 0, 1}}, {0.05, {0, 1, 0}, {}}, {0.2, {3, 0, 0}, {1, 1, 1}}}});
    const Model model = build(scene).model;
    CAPTURE(seed);
    check_lanes(model, Integrator::semi_implicit_euler, 2e-3, 100, seed);
    check_lanes(model, Integrator::midpoint, 2e-3, 100, seed);
  }
}

TEST_CASE("packs: lanes equal single worlds on the chain and the ragdoll of the reference page") {
  for (Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint}) {
    check_lanes(chain(16).model, method, 1e-3, 500, 1);
    check_lanes(build(ragdoll_scene()).model, method, 1e-3, 500, 2);
  }
}
