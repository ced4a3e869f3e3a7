// To save a world into a snapshot that is there takes no memory.
#include <doctest/doctest.h>

#include "molejo/physics/snapshot.h"
#include "molejo/physics/world.h"
#include "tests/stepping/allocations.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("allocations: none to save a run into a snapshot that has grown") {
  for (const char* name : {"dominoes", "ragdoll", "newtons_cradle", "mobile_in_wind", "four_bar"}) {
    CAPTURE(name);
    const Scene scene = shipped_scene(name);
    Run run(build(scene), scene.settings);
    Frame frame;
    std::vector<ContactEvent> events;
    for (int n = 0; n < 40; ++n) run.next_frame(frame, events);
    Snapshot snapshot;
    save(run, snapshot);
    const long before = allocations_so_far();
    for (int n = 0; n < 10; ++n) save(run, snapshot);
    CHECK(allocations_so_far() == before);
  }
}

TEST_CASE("allocations: none to save the memory of single steps") {
  const Scene scene = shipped_scene("stack");
  const Built built = build(scene);
  State state = built.initial;
  Scratch scratch(built.model);
  for (int n = 0; n < 100; ++n) step(built.model, Integrator::midpoint, 1e-3, state, scratch);
  Snapshot snapshot;
  save(built.model, state, scratch, snapshot);
  const long before = allocations_so_far();
  for (int n = 0; n < 10; ++n) save(built.model, state, scratch, snapshot);
  CHECK(allocations_so_far() == before);
}
