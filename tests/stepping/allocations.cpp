// A step takes no memory once all that it needs is there: with and without contact, alone and in
// packs of four. This is an executable of its own, for it counts every allocation: `malloc` is
// wrapped by the linker (Eigen calls it by name), operator new is replaced by one that calls it.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "molejo/physics/closed_step.h"
#include "molejo/physics/ground_pack.h"
#include "tests/stepping/allocations.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/linkages.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::atomic<long> allocations = 0;

void* obtained(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

long allocations_so_far() { return allocations; }

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  ++allocations;
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __real_calloc(count, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  ++allocations;
  return __real_realloc(memory, size);
}
}

void* operator new(std::size_t size) { return obtained(std::malloc(size > 0 ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  return obtained(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}
// g++ looks through our operator new and sees malloc's memory handed to operator delete
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

// A figure of thirteen bodies above the ground; its limbs pass through each other, as packs want.
Scene falling_ragdoll() {
  Scene scene = ragdoll_scene();
  for (SceneBody& body : scene.bodies) body.group = "figure";
  SceneContactPair none;
  none.a = none.b = "figure";
  none.response = Response::none;
  scene.contact_pairs.push_back(none);
  scene.settings.contact.enabled = true;
  add_ground(scene, {0.8, 0});
  return scene;
}

void run(const Model& model, Integrator method, int steps, State& state, Scratch& scratch) {
  constexpr double h = 1e-3;
  for (int n = 0; n < steps; ++n) {
    step(model, method, h, state, scratch);
    state.t = h * (n + 1);
  }
}

// Times a motion is run before allocations count: lists that take turns in holding the present and
// the past must all have seen its longest.
constexpr int warm_up = 2;

// Allocations of a motion that its memory has seen before.
long allocations_of(const Scene& scene, Integrator method, int steps) {
  const Built built = build(scene);
  Scratch scratch(built.model);
  State state;
  std::uint64_t end = 0;
  long before = 0;
  for (int time = 0; time <= warm_up; ++time) {
    if (scratch.contact) forget(built.model, scratch.tree.dynamics, *scratch.contact);
    state = built.initial;
    before = allocations;
    run(built.model, method, steps, state, scratch);
    if (time == 0) end = hash(state);
  }
  const long taken = allocations - before;
  CHECK(hash(state) == end);  // it was the same motion
  return taken;
}

}  // namespace

TEST_CASE("allocations: every kind is counted") {
  const auto taken_by = [](auto&& work) {
    const long before = allocations;
    work();
    return allocations - before;
  };
  struct alignas(64) Wide {
    double x[8];
  };
  CHECK(taken_by([] { std::vector<int> memory(1000); }) == 1);
  CHECK(taken_by([] { std::vector<Wide> memory(10); }) == 1);
  CHECK(taken_by([] { VecX memory = VecX::Zero(1000); }) == 1);
  CHECK(taken_by([] { build(falling_ragdoll()); }) > 100);
}

TEST_CASE("allocations: none in a step of trees and loops that touch nothing") {
  for (const char* name : {"ragdoll", "chain", "four_bar", "motor_arm"}) {
    for (const Integrator method : all_ways) {
      CAPTURE(name);
      CAPTURE(to_string(method));
      CHECK(allocations_of(shipped_scene(name), method, 200) == 0);
    }
  }
}

TEST_CASE("allocations: none in steps through a singular configuration") {
  const Scene scene = windows_scene(2, -1);
  const Built built = build(scene);
  for (const Integrator method : all_ways) {
    CAPTURE(to_string(method));
    Scratch scratch(built.model);
    long before = 0;
    int closed = 0;
    for (int time = 0; time <= warm_up; ++time) {
      State state = built.initial;
      before = allocations;
      closed = 0;
      for (int n = 0; n < 1000; ++n) {
        closed +=
            closed_step(built.model, scene.settings, method, 1e-3, state, scratch).projections;
      }
    }
    CHECK(allocations - before == 0);
    CHECK(closed > 0);
  }
}

TEST_CASE("allocations: none in a step of a stack, awake or asleep") {
  for (const Integrator method : time_stepping) {
    for (const bool sleep : {false, true}) {
      CAPTURE(to_string(method));
      CAPTURE(sleep);
      Scene scene = shipped_scene("stack");
      scene.settings.contact.sleep = sleep;
      CHECK(allocations_of(scene, method, 1500) == 0);
    }
  }
}

TEST_CASE("allocations: none in a step of a figure that falls on a plane or on hills") {
  for (const Integrator method : time_stepping) {
    CAPTURE(to_string(method));
    CHECK(allocations_of(falling_ragdoll(), method, 2000) == 0);
    CHECK(allocations_of(shipped_scene("ragdoll_on_terrain"), method, 2000) == 0);
  }
}

TEST_CASE("allocations: none in a step where contacts come and go") {
  CHECK(allocations_of(shipped_scene("dominoes"), Integrator::midpoint, 3000) == 0);
  CHECK(allocations_of(shipped_scene("animado_cube"), Integrator::midpoint, 1000) == 0);
}

TEST_CASE("allocations: none in a step of four worlds on the ground") {
  Scene scene = falling_ragdoll();
  scene.settings.contact.sleep = false;
  const Built built = build(scene);
  const Model& model = built.model;
  StepScratch<Pack4> scratch(model);
  GroundPack ground(model);
  std::vector<Pack4> q(static_cast<std::size_t>(model.nq)), v(static_cast<std::size_t>(model.nv));
  for (const Integrator method : time_stepping) {
    CAPTURE(to_string(method));
    long before = 0;
    for (int time = 0; time <= warm_up; ++time) {
      forget(ground);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] = Pack4(built.initial.q[static_cast<int>(i)]);
      for (std::size_t i = 0; i < v.size(); ++i) {
        for (int world = 0; world < 4; ++world) {
          v[i].set(world, built.initial.v[static_cast<int>(i)] + 0.1 * world);
        }
      }
      before = allocations;
      for (int n = 0; n < 1500; ++n) {
        step_on_ground(model, method, n * 1e-3, 1e-3, q.data(), v.data(), scratch, ground);
      }
    }
    CHECK(allocations - before == 0);
    CHECK(ground.merged.size() > 3);
  }
}

TEST_CASE("allocations: none where a command is filled and obeyed") {
  const Built built = build(falling_ragdoll());
  const Model& model = built.model;
  const auto tell = [&](int n, auto& command) {
    for (std::size_t i = 0; i < command.forces.size(); ++i) {
      command.forces[i] = 0.1 * (n % 3);
      command.motors[i].stiffness = 5;
      command.motors[i].on = n % 2;
    }
    command.wrenches.clear();
    for (int b = 0; b < model.body_count(); ++b) {
      command.wrenches.push_back({{b}, {}, {1.0, 2.0, 3.0}, {}});
    }
  };
  Command<double> command(model);
  Command<Pack4> four(model);
  StepScratch<Pack4> pack(model);
  std::vector<Pack4> q(built.initial.q.begin(), built.initial.q.end());
  std::vector<Pack4> v(built.initial.v.begin(), built.initial.v.end());
  for (const Integrator method : {Integrator::midpoint, Integrator::rk4}) {
    CAPTURE(to_string(method));
    Scratch scratch(model);
    long before = 0;
    for (int time = 0; time <= warm_up; ++time) {
      State state = built.initial;
      before = allocations;
      for (int n = 0; n < 500; ++n) {
        tell(n, command);
        step(model, method, 1e-3, state, command, scratch);
      }
    }
    CHECK(allocations - before == 0);
  }
  const long before = allocations;
  for (int n = 0; n < 100; ++n) {
    tell(n, four);
    step_tree(model, Integrator::midpoint, n * 1e-3, 1e-3, q.data(), v.data(), four, pack);
  }
  CHECK(allocations - before == 0);
}
