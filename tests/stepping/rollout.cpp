// A simulated gait takes no memory once all that it needs is there.
#include "molejo/locomotion/rollout.h"

#include <doctest/doctest.h>

#include "tests/locomotion/gaits.h"
#include "tests/stepping/allocations.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("stepping: a rollout of four gaits on the ground allocates nothing") {
  const Character character = shipped_character("humanoid");
  const GaitProblem problem(character, basic_motion());
  Rollout rollout(character, {});
  rollout.measure_hinges({});
  std::vector<Gait> gaits;
  std::vector<const Gait*> pack;
  for (int i = 0; i < 4; ++i) {
    gaits.push_back(problem.gait(moved_sketch(problem, i).data()));
    gaits.back().start.q[2] -= 0.1 * i;  // some deep in the ground
  }
  for (const Gait& gait : gaits) pack.push_back(&gait);
  std::vector<RolloutResult> results(4);
  rollout.run(pack, results);  // the vectors of the results, and torques of the pulses
  const RolloutResult first = results[3];
  const long before = allocations_so_far();
  for (int n = 0; n < 3; ++n) rollout.run(pack, results);
  const long after = allocations_so_far();
  CHECK(after == before);
  CHECK(results[3].end.v == first.end.v);
  CHECK(results[0].contact_time > 0.02);
}
