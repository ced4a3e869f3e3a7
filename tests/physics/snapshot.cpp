// A snapshot is all that a world goes on from: nothing of its past is needed beside it.
#include "molejo/physics/snapshot.h"

#include <doctest/doctest.h>

#include <thread>

#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

void step_on(const Built& built, int steps, State& state, Scratch& scratch) {
  for (int n = 0; n < steps; ++n) {
    step(built.model, Integrator::midpoint, 1e-3, state, scratch);
  }
}

// The last of so many frames more.
Frame last_frame(Run& run, int frames) {
  Frame frame;
  std::vector<ContactEvent> events;
  for (int n = 0; n < frames; ++n) REQUIRE(run.next_frame(frame, events));
  return frame;
}

std::string refusal(const Snapshot& snapshot, Run& run) {
  return error_text<SnapshotError>([&] { restore(snapshot, run); });
}

// Boxes that touch, and one that has fallen asleep.
Scene boxes() {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 10, 50));
  for (int i = 0; i < 3; ++i) {
    add_solid(scene, "box" + std::to_string(i), Box{{0.1, 0.1, 0.1}}, 1,
              {Mat3::identity(), {0.02 * i, 0, 0.1 + 0.21 * i}});
  }
  add_solid(scene, "sleeper", Box{{0.2, 0.2, 0.05}}, 1, {Mat3::identity(), {3, 0, 0.05}});
  add_solid(scene, "hammer", Sphere{0.1}, 2, {Mat3::identity(), {3, 0, 8}});
  return scene;
}

}  // namespace

TEST_CASE("snapshot: dominoes that are stepped by hand go on with the same bits") {
  const Scene scene = shipped_scene("dominoes");
  const Built built = build(scene);
  State state = built.initial;
  Scratch scratch(built.model);
  step_on(built, 1200, state, scratch);
  Snapshot snapshot;
  save(built.model, state, scratch, snapshot);
  const State alone = state;
  step_on(built, 500, state, scratch);

  State other = zero_state(built.model);
  Scratch fresh(built.model);
  restore(snapshot, built.model, other, fresh);
  CHECK(hash(other) == hash(alone));
  step_on(built, 500, other, fresh);
  CHECK(hash(other) == hash(state));

  // its state alone is not enough: impulses and sleepers are missing
  State without = alone;
  Scratch empty(built.model);
  step_on(built, 500, without, empty);
  CHECK(hash(without) != hash(state));
}

TEST_CASE("snapshot: who sleeps sleeps on, and is woken by the same blow") {
  const Scene scene = boxes();
  Run run(build(scene), scene.settings);
  // all but the hammer are asleep
  const Frame frame = last_frame(run, 60);
  REQUIRE(frame.asleep == 4);
  Snapshot snapshot;
  save(run, snapshot);
  Run other(build(scene), scene.settings);
  restore(snapshot, other);
  const Frame on = last_frame(run, 10), again = last_frame(other, 10);
  CHECK(hash(on.state) == hash(again.state));
  CHECK(on.asleep == again.asleep);
  CHECK(on.asleep == 3);
}

TEST_CASE("snapshot: the same from any frame, and into a run that was elsewhere") {
  const Scene scene = boxes();
  Run run(build(scene), scene.settings), other(build(scene), scene.settings);
  last_frame(other, 90);
  std::vector<Snapshot> snapshots;
  for (int n = 0; n < 20; ++n) {
    last_frame(run, 4);
    save(run, snapshots.emplace_back());
  }
  for (int n = 0; n + 1 < 20; ++n) {
    restore(snapshots[static_cast<std::size_t>(n)], other);
    last_frame(other, 4);
    Snapshot next;
    save(other, next);
    CHECK(next == snapshots[static_cast<std::size_t>(n) + 1]);
  }
}

TEST_CASE("snapshot: who pushes each other by springs touches on") {
  const Scene scene = shipped_scene("animado_floor");
  Run run(build(scene), scene.settings), other(build(scene), scene.settings);
  Frame frame;
  std::vector<ContactEvent> events;
  while (events.empty()) REQUIRE(run.next_frame(frame, events));
  REQUIRE(events.front().phase == ContactPhase::begin);
  Snapshot snapshot;
  save(run, snapshot);
  restore(snapshot, other);
  // what touches already does not begin to
  std::vector<ContactEvent> on, again;
  REQUIRE(run.next_frame(frame, on));
  REQUIRE(other.next_frame(frame, again));
  REQUIRE(!on.empty());
  REQUIRE(on.size() == again.size());
  for (std::size_t i = 0; i < on.size(); ++i) {
    CHECK(on[i].phase == again[i].phase);
    CHECK(on[i].t == again[i].t);
    CHECK(on[i].impulse == again[i].impulse);
  }
}

TEST_CASE("snapshot: pushes, a hand, variables and the work of forces go on") {
  const Scene scene = shipped_scene("mobile_in_wind");
  Run run(build(scene), scene.settings);
  last_frame(run, 20);
  const std::string variable = build(scene).formulas->variables.at(0).name;
  REQUIRE(run.set_variable(variable, 3.5));
  run.add_push({{0}, {}, {1, 0, 0}, run.state().t + 0.5});
  Push hand{{1}, {}, {}};
  hand.to = {1, 1, 1}, hand.stiffness = 2;
  run.hold(hand);
  last_frame(run, 5);
  Snapshot snapshot;
  save(run, snapshot);
  Run other(build(scene), scene.settings);
  restore(snapshot, other);
  const Frame on = last_frame(run, 40), again = last_frame(other, 40);
  CHECK(hash(on.state) == hash(again.state));
  CHECK(on.probes == again.probes);
  run.hold({});
  other.hold({});
  CHECK(hash(last_frame(run, 10).state) == hash(last_frame(other, 10).state));
}

TEST_CASE("snapshot: a run that failed is restored, and has failed in the same way") {
  for (const char* name : {"double_pendulum", "dominoes", "four_bar", "mobile_in_wind"}) {
    for (const Integrator method : all_ways) {
      CAPTURE(name);
      CAPTURE(to_string(method));
      Scene scene = shipped_scene(name);
      scene.settings.integrator = method;
      const Built built = build(scene);
      Run run(built, scene.settings), other(built, scene.settings);
      const Frame last = last_frame(run, 5);
      Command<double> command(built.model);
      command.forces[0] = 1e200;
      run.set_command(command);
      Frame frame;
      std::vector<ContactEvent> events;
      while (run.next_frame(frame, events)) REQUIRE(frame.state.t < last.state.t + 0.1);
      const std::string failure = run.summary().failure;
      REQUIRE(failure.starts_with("the state is no longer finite after t = "));
      Snapshot snapshot, again;
      save(run, snapshot);
      for (Run* restored : {&other, &run}) {
        CHECK(refusal(snapshot, *restored) == "no error");
        CHECK(restored->summary().failure == failure);
        CHECK(hash(restored->state()) == hash(run.state()));
        save(*restored, again);
        CHECK(again == snapshot);
        CHECK(!restored->next_frame(frame, events));
      }
    }
  }
}

TEST_CASE("snapshot: a run keeps what it is given") {
  // nothing that it was made from is there any more when it runs
  const auto make = [] {
    auto scene = std::make_unique<Scene>(shipped_scene("dunes"));
    auto settings = std::make_unique<Settings>(scene->settings);
    Run run(build(*scene), *settings);
    *settings = {};
    return run;
  };
  Run run = make();
  const Scene scene = shipped_scene("dunes");
  const Built built = build(scene);
  Run copied(built.model, built.initial, scene.settings, built.formulas);
  Run shared(std::make_shared<const Model>(built.model), built.initial, scene.settings);
  const std::uint64_t known = hash(last_frame(copied, 30).state);
  CHECK(hash(last_frame(run, 30).state) == known);
  CHECK(hash(last_frame(shared, 30).state) == known);
  CHECK(run.settings().fps == scene.settings.fps);
}

TEST_CASE("snapshot: one of another scene, of other settings or cut short is refused") {
  const Scene scene = boxes();
  Run run(build(scene), scene.settings);
  last_frame(run, 10);
  Snapshot snapshot;
  save(run, snapshot);

  Scene heavier = scene;
  heavier.bodies.back().given->mass *= 2;
  Run other(build(heavier), heavier.settings);
  CHECK(refusal(snapshot, other) == "snapshot: of another run: its file or its settings differ");
  Settings settings = scene.settings;
  settings.time_step = 2e-3;
  Run coarser(build(scene), settings);
  CHECK(refusal(snapshot, coarser).starts_with("snapshot: of another run"));
  settings = scene.settings;
  settings.duration *= 2, settings.threads = 2;
  Run longer(build(scene), settings);
  CHECK(refusal(snapshot, longer) == "no error");

  const std::uint64_t here = hash(run.state());
  Snapshot cut = snapshot;
  while (cut.bytes.size() > 100) {
    cut.bytes.resize(cut.bytes.size() - 97);
    CHECK(refusal(cut, run).starts_with("snapshot: "));
  }
  CHECK(hash(run.state()) == here);
}

TEST_CASE("snapshot: whatever bytes are wrong, it is refused or goes on") {
  const Scene scene = boxes();
  Run run(build(scene), scene.settings);
  last_frame(run, 30);
  Snapshot snapshot;
  save(run, snapshot);
  Run other(build(scene), scene.settings);
  int refused = 0, accepted = 0;
  for (std::size_t i = 0; i < snapshot.bytes.size(); i += 3) {
    Snapshot wrong = snapshot;
    wrong.bytes[i] = static_cast<std::uint8_t>(wrong.bytes[i] ^ (i % 2 == 0 ? 0x80 : 0x41));
    if (refusal(wrong, other) != "no error") {
      ++refused;
      continue;
    }
    ++accepted;
    Frame frame;
    std::vector<ContactEvent> events;
    other.next_frame(frame, events);
  }
  CHECK(refused > 100);
  CHECK(accepted > 100);
}
