// A body that follows a walker live: it goes where that is steered, and answers a push.
#include "molejo/tracking/follower.h"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "molejo/math/index.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/navigation/adaptive_walker.h"
#include "molejo/physics/world.h"
#include "molejo/tracking/walk_training.h"
#include "tests/tracking/walking_person.h"

using namespace molejo;
using namespace molejo::tracking;
using namespace molejo::test;

namespace {

struct Person : WalkingPerson {
  Person() {
    const double speed = clips->walk.footfalls.speed();
    lift = ClipReference(body, *map, clips->rig, clips->walk.clip, 1, {.speed = speed}).lift();
    ground.add(motion::formula_relief(-100, 100, -100, 100, [](double, double) { return 0.0; }));
    WalkTrainingSettings s;
    s.search.candidates = 120, s.search.survivors = 20, s.search.threads = 2;
    s.seconds = 6, s.steady = 1;
    training.emplace(
        body, *map, [this] { return walker(); }, clips->walk.sampler.duration(), lift, s);
    for (int round = 0; round < 2; ++round) CHECK(training->round() > 2);
  }
  std::unique_ptr<navigation::Walker> walker() const {
    return navigation::make_adaptive_walker(clips, ground, {});
  }

  motion::Ground ground;
  double lift = 0;
  std::optional<WalkTraining> training;
};

struct Went {
  bool fell = false;
  double seconds = 0;
  Vec3 place;  // of the pelvis
  VecX q;
  int tried = 0;
  Vec3 walker;
};

// Goes straight for a while, then turns to the left.
Went go(const Person& p, double seconds, int threads, std::optional<Push> push = {}) {
  WalkReference reference(p.body, *p.map, p.walker(), walk_step, walk_steps,
                          p.training->policies().walk.ticks(), p.lift);
  FollowerSettings s;
  s.beam.depth = 3, s.beam.search.threads = threads;
  Follower follower(p.body, reference, &p.training->policies().walk, &p.training->policies().stand,
                    s);
  const Built built = build(*p.body.scene);
  State state = built.initial;
  follower.begin(state);
  state.t = 0;
  Settings settings = p.body.scene->settings;
  settings.integrator = Integrator::semi_implicit_euler;
  settings.time_step = walk_step, settings.fps = 60, settings.duration = 100;
  Run run(built.model, state, settings);
  run.set_controller([&](const State& now, Command<double>& told) { follower.command(now, told); });
  if (push) run.add_push(*push);
  Went went;
  Frame frame;
  std::vector<ContactEvent> events;
  while (run.next_frame(frame, events) && frame.state.t < seconds && !follower.has_fallen()) {
    follower.steer({.walk = true, .turn = frame.state.t > 1.5 ? 0.5 : 0.0});
    went.tried += follower.tried() > 0 ? 1 : 0;
  }
  went.fell = follower.has_fallen();
  went.seconds = frame.state.t;
  went.place = frame.X_WB[0].p;
  went.q = frame.state.q;
  went.walker = reference.walker().position();
  return went;
}

}  // namespace

TEST_CASE("follower: a body goes where its walker is steered, with the same bits on any threads") {
  const Person person;
  const Went went = go(person, 4, 1);
  CHECK_FALSE(went.fell);
  CHECK(went.seconds > 3.9);
  // ahead, then to the left; the walker leads by as far as it looks ahead
  CHECK(went.place.x > 2);
  CHECK(went.place.y > 0.1);
  CHECK(norm(went.place - Vec3{went.walker.x, went.walker.y, went.place.z}) < 1.2);
  CHECK(went.tried > 0);
  CHECK(go(person, 1, 1).q == go(person, 1, 3).q);
  // a shove of 0.3 N s/kg from the side
  Push push;
  const int torso = person.body.model.body("torso").index;
  push.body = BodyId{torso};
  push.force = {0, 0.3 * person.body.mass / 0.2, 0};
  push.until = 0.2;
  const Went shoved = go(person, 2.5, 2, push);
  CHECK_FALSE(shoved.fell);
  CHECK(shoved.place.y > 0.05);
}
