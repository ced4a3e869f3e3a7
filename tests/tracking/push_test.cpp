// Pushes on a body that follows a clip: what they give it, and who stands them.
#include "molejo/tracking/push_test.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/tracking/physical_clip.h"
#include "tests/tracking/walking_person.h"

using namespace molejo;
using namespace molejo::tracking;
using namespace molejo::test;

namespace {

int stood(const std::vector<PushOutcome>& outcomes) {
  return static_cast<int>(std::count_if(outcomes.begin(), outcomes.end(),
                                        [](const PushOutcome& o) { return o.stood; }));
}

bool same(const std::vector<PushOutcome>& a, const std::vector<PushOutcome>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const PushOutcome& x, const PushOutcome& y) {
                      return x.stood == y.stood && x.seconds == y.seconds && x.tried == y.tried;
                    });
}

}  // namespace

TEST_CASE("push test: in the air each of four gets its own momentum, and nothing turns") {
  const WalkingPerson person;
  const ClipReference reference(person.body, *person.map, person.clips->rig,
                                person.clips->walk.clip, 1, {});
  FeatureReader reader(person.body);
  Window window;
  look_at(person.body, reference, 0, nullptr, {}, reader, window);
  State start;
  state_of(person.body, reference, 0, start);
  start.q[person.body.model.links[static_cast<std::size_t>(person.body.root)].q + 2] += 10;
  Features before, after[4];
  reader.read(start, before);
  const Vec3 pushes[] = {{}, {200, 0, 0}, {0, -300, 0}, {-100, 50, 20}};
  const Action none{};
  State ends[4];
  std::array<Lane, 4> lanes;
  for (std::size_t l = 0; l < 4; ++l) {
    lanes[l] = {.window = &window,
                .start = &start,
                .offset = &none,
                .end = &ends[l],
                .features = &after[l],
                .push = pushes[l]};
  }
  Rollout rollout(person.body, reference.step());
  rollout.run(lanes);
  const double seconds = ends[0].t - start.t;
  CHECK(seconds == doctest::Approx(reference.step() * reference.steps_per_window()));
  for (std::size_t l = 1; l < 4; ++l) {
    const Vec3 gained = (after[l].com_velocity - after[0].com_velocity) * person.body.mass;
    CHECK(norm(gained - pushes[l] * seconds) < 0.02 * norm(pushes[l] * seconds));
  }
}

TEST_CASE("push test: who looks ahead stands a nudge to any side, and nobody stands a blow") {
  const motion::Character character = made_stick_idle();
  const motion::Roles roles = motion::find_roles(character.skeleton, motion::bind_pose(character));
  PhysicalClipSettings settings;
  settings.rounds = 2;
  settings.track.seconds = 6, settings.track.steady = 3;
  settings.track.search.candidates = 100, settings.track.search.survivors = 15;
  settings.track.search.threads = 2;
  ClipTracker tracker(character, roles, character.clips.at(0), settings);
  while (tracker.round()) {
  }
  PushTest test;
  test.directions = 3, test.moments = 2, test.after = 1;
  test.impulse = 0.1;
  test.beam = usual_beam();
  test.beam->search.candidates = 60, test.beam->search.survivors = 9, test.beam->depth = 3;
  test.beam->search.threads = 1;
  const std::vector<PushOutcome> nudged = tracker.pushed(test);
  REQUIRE(nudged.size() == 6);
  CHECK(stood(nudged) == 6);
  CHECK(nudged[4].direction == doctest::Approx(2 * pi / 3));
  CHECK(nudged[4].window > nudged[2].window);
  for (const PushOutcome& o : nudged) CHECK(o.seconds == doctest::Approx(1).epsilon(0.05));
  test.beam->search.threads = 3;
  CHECK(same(nudged, tracker.pushed(test)));
  test.impulse = 5;
  const std::vector<PushOutcome> hit = tracker.pushed(test);
  CHECK(stood(hit) == 0);
  for (const PushOutcome& o : hit) CHECK(o.seconds < 0.95);
  CHECK(hit.front().tried > 0);
}
