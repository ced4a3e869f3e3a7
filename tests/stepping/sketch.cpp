// A preview that is watched takes no memory while it runs.
#include "molejo/locomotion/sketch.h"

#include <doctest/doctest.h>

#include "molejo/io/scene.h"
#include "tests/stepping/allocations.h"
#include "tests/support/places.h"

using namespace molejo;

TEST_CASE("stepping: a sketch allocates nothing from its first step to its third cycle") {
  const Character c = make_character(
      read_scene(SourceFile::given(test::source_dir() + "/scenes/characters/humanoid.json")));
  Motion m;
  m.steps.push_back({{"right_leg.foot"}, {}, {}});
  m.steps[0].air.priority = {{2, 0.2}};
  Sketch sketch(c, m);
  const long before = allocations_so_far();
  for (int n = 0; n < 150; ++n) sketch.advance(1.0 / 60);
  const long after = allocations_so_far();  // before the test's own
  CHECK(after == before);
  CHECK(sketch.state().t > 3 * sketch.period());
}
