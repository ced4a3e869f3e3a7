// The default walker takes no memory while it walks, turns, stops and fades.
#include "molejo/navigation/adaptive_walker.h"

#include <doctest/doctest.h>

#include "tests/stepping/allocations.h"
#include "tests/support/walks.h"

using namespace molejo;
using namespace molejo::navigation;

TEST_CASE("allocations: none while the default walker walks") {
  const auto clips = test::ready_clips(test::gait_character(), "gait");
  const motion::Ground hills = test::hills(0.7, 5), wall = test::wall_at(3, 2);
  for (const motion::Ground* ground : {&hills, &wall}) {
    const auto walker = make_adaptive_walker(clips, *ground, {});
    const long before = allocations_so_far();
    for (int n = 0; n < 1500; ++n) {
      walker->advance(n % 90 == 0 ? 0.15 : 1.0 / 60,
                      {.walk = n % 400 < 330, .turn = n % 200 < 50 ? 0.5 : 0.0});
    }
    CHECK(allocations_so_far() == before);
  }
}
