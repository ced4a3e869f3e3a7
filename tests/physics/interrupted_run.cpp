// Runs that are cut into parts, ended from outside, or stopped where memory is used up.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "molejo/math/interrupt.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"
#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Balls that fall on the ground and on each other.
Scene falling_balls(Integrator integrator, int count) {
  Scene scene = on_ground(contact_settings(integrator, 0.5, 50));
  for (int i = 0; i < count; ++i) {
    add_solid(scene, "ball" + std::to_string(i), Sphere{0.1}, 1,
              {Mat3::identity(), {0.01 * i, 0.02 * i, 0.15 + 0.21 * i}});
  }
  return scene;
}

Scene in_one_point(int count) {
  Scene scene;
  for (int i = 0; i < count; ++i) add_solid(scene, "b" + std::to_string(i), Sphere{0.1}, 1, {});
  return scene;
}

}  // namespace

TEST_CASE("interrupted run: a frame made in parts has the bits of one made at once") {
  for (const Integrator integrator : all_ways) {
    const Scene scene = falling_balls(integrator, 4);
    const Built built = build(scene);
    const Recording whole = simulate(built, scene.settings);
    Run run(built.model, built.initial, scene.settings, built.formulas);
    std::vector<ContactEvent> events;
    Frame frame;
    std::size_t frames = 0, parts = 0;
    while (true) {
      const Run::Made made = run.next_frame(frame, events, Run::Clock::now());
      if (made == Run::Made::over) break;
      if (made == Run::Made::not_yet) {
        ++parts;
        continue;
      }
      REQUIRE(frames < whole.frames.size());
      CHECK(hash(frame.state) == hash(whole.frames[frames].state));
      ++frames;
    }
    CHECK(frames == whole.frames.size());
    CHECK(parts > frames);
    CHECK(events.size() == whole.contacts.size());
  }
}

TEST_CASE("interrupted run: the step under way is taken back, and the run can go on") {
  for (const Integrator integrator : all_ways) {
    const Scene scene = falling_balls(integrator, 4);
    const Built built = build(scene);
    const Recording whole = simulate(built, scene.settings);
    Run run(built.model, built.initial, scene.settings, built.formulas);
    std::vector<ContactEvent> events;
    Frame frame;
    for (int i = 0; i < 10; ++i) REQUIRE(run.next_frame(frame, events));
    const std::uint64_t before = hash(run.state());
    const std::int64_t steps = run.summary().steps;
    {
      Interrupt interrupt;
      const InterruptScope scope(interrupt);
      interrupt.cancel();
      CHECK_THROWS_AS(run.next_frame(frame, events), Interrupted);
    }
    CHECK(hash(run.state()) == before);
    CHECK(run.summary().steps == steps);
    int frames = 10;
    while (run.next_frame(frame, events)) ++frames;
    CHECK(frames == static_cast<int>(whole.frames.size()));
    CHECK(run.summary().failure.empty());
  }
}

namespace {

// Ends the work of this thread after so many looks at the clock less one, each after 17 checks.
bool is_ended_at(int check, Run& run, Frame& frame, std::vector<ContactEvent>& events) {
  constexpr int between_looks = 17;
  Interrupt late(0.0);
  const InterruptScope scope(late);
  try {
    while (true) check_interrupt();
  } catch (const Interrupted&) {
    late.forget();
  }
  for (int n = check; n < between_looks; ++n) check_interrupt();
  try {
    run.next_frame(frame, events);
    return false;
  } catch (const Interrupted&) {
    return true;
  }
}

// Ends its steps at many places; all else is that of a run that nobody ended.
void check_taken_back(const Scene& scene, int frames) {
  const Built built = build(scene);
  Run whole(built, scene.settings), ended(built, scene.settings);
  std::vector<ContactEvent> whole_events, ended_events;
  Frame frame, other;
  Snapshot before, after;
  int count = 0, different = 0;
  for (int n = 0; n < frames; ++n) {
    save(ended, before);
    bool is_made = false;
    // touches of the step that the last frame lies in are told first
    bool is_told = n > 0 && other.state.t == ended.state().t;
    // deadlines of other lengths end it further on
    for (int check = 1; check <= 17 && !is_made; check += 1 + n % 3) {
      const std::int64_t steps = ended.summary().steps;
      is_made = !is_ended_at(check, ended, other, ended_events);
      if (is_made) break;
      ++count;
      save(ended, after);
      if (is_told && ended.summary().steps == steps) different += after != before;
      before = after;
      is_told = true;
    }
    for (double seconds = 2e-5; !is_made; seconds *= 1.7) {
      Interrupt interrupt(seconds);
      const InterruptScope scope(interrupt);
      try {
        is_made = ended.next_frame(other, ended_events);
        if (!is_made) break;
      } catch (const Interrupted&) {
        ++count;
      }
    }
    REQUIRE(is_made);
    REQUIRE(whole.next_frame(frame, whole_events));
    CHECK(hash(frame.state) == hash(other.state));
    CHECK(frame.asleep == other.asleep);
    save(whole, before);
    save(ended, after);
    CHECK(before == after);
  }
  CHECK(count > frames);
  CHECK(different == 0);
  CHECK(whole_events.size() == ended_events.size());
}

}  // namespace

TEST_CASE("interrupted run: whatever bodies touch, a step that is taken back leaves no trace") {
  for (const char* name : {"dominoes", "stack", "pile", "animado_floor", "four_bar"}) {
    CAPTURE(name);
    Scene scene = shipped_scene(name);
    scene.settings.duration = 100;
    check_taken_back(scene, 40);
  }
  for (const Integrator integrator : all_ways) {
    CAPTURE(to_string(integrator));
    Scene scene = falling_balls(integrator, 4);
    scene.settings.duration = 100;
    check_taken_back(scene, 25);
  }
}

TEST_CASE("interrupted run: who was woken by a step that is taken back sleeps again") {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 100, 50));
  for (int i = 0; i < 3; ++i) {
    add_solid(scene, "box" + std::to_string(i), Box{{0.1, 0.1, 0.1}}, 1,
              {Mat3::identity(), {0, 0, 0.1 + 0.2 * i}});
  }
  add_solid(scene, "hammer", Sphere{0.1}, 2, {Mat3::identity(), {0, 0, 8}});
  check_taken_back(scene, 80);
}

TEST_CASE("interrupted run: who was woken, moved and sleeps again is met where it sleeps now") {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 2.7, 50), {0.3, 0});
  SceneBody& puck = add_solid(scene, "puck", Box{{0.1, 0.1, 0.1}}, 1,
                              {Mat3::identity(), {-2.3, 0, 0.1}}, {0.3, 0});
  puck.velocity = {{4.3, 0, 0}, {}};
  add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.1}}, {0.3, 0});
  add_solid(scene, "hammer", Sphere{0.1}, 1, {Mat3::identity(), {0.3, 0, 24}});
  const Shown shown(scene);
  const auto asleep = [&](std::size_t i) { return shown.frames()[i].asleep; };
  REQUIRE(asleep(25) == 1);   // the box, where it is hit
  REQUIRE(asleep(105) == 2);  // both, where they came to rest
  REQUIRE(shown.pose("box", 105).p.x > 0.22);
  REQUIRE(asleep(112) == 0);
  check_taken_back(scene, 130);
}

TEST_CASE("interrupted run: a recording says when and why it was ended") {
  Scene scene = falling_balls(Integrator::midpoint, 3);
  scene.settings.time_step = 1e-9;  // years of work
  const Built built = build(scene);
  Interrupt interrupt(0.05);
  const InterruptScope scope(interrupt);
  const Recording recording = simulate(built, scene.settings);
  CHECK(recording.frames.size() == 1);
  CHECK(recording.summary.failure.starts_with("takes longer than 0.05 s at t = "));
}

TEST_CASE("interrupted run: many contacts are solved as long as nobody ends it") {
  Scene scene = in_one_point(300);
  scene.settings.contact.iterations = 1'000'000;
  scene.settings.contact.tolerance = 1e-15;
  scene.settings.duration = 1e4;  // hours of work
  const Built built = build(scene);
  Interrupt interrupt;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    interrupt.cancel();
  });
  const auto start = std::chrono::steady_clock::now();
  {
    const InterruptScope scope(interrupt);
    const Recording recording = simulate(built, scene.settings);
    CHECK(recording.summary.failure.starts_with("interrupted at t = "));
  }
  other.join();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("interrupted run: bodies in one point are as many contacts as there is memory for") {
  Scene scene = in_one_point(100);
  scene.settings.budget.contacts = std::size_t{4} << 20;
  for (const Integrator integrator : all_ways) {
    scene.settings.integrator = integrator;
    const Built built = build(scene);
    const Recording recording = simulate(built, scene.settings);
    CHECK(recording.summary.failure ==
          "there are more than 2097 points of contact at t = 0 s; the 4 MB for contact hold no "
          "more");
    CHECK(recording.frames.size() == 1);
  }
  // as many pairs are not even looked at
  scene.settings.budget.contacts = std::size_t{1} << 20;
  CHECK(simulate(build(scene), scene.settings).summary.failure ==
        "2621 pairs of shapes and more are near each other at t = 0 s; the 1 MB for contact hold "
        "no more");
  // where there is memory it runs
  scene.settings.budget.contacts = std::size_t{64} << 20;
  scene.settings.integrator = Integrator::midpoint;
  scene.settings.duration = 0.01;
  CHECK(simulate(build(scene), scene.settings).summary.failure.empty());
}

TEST_CASE("interrupted run: springs of soft contacts are bounded as well") {
  Scene scene = in_one_point(100);
  scene.contact_pairs.push_back({"", "", Response::penalty, {}, {}, false, 1e3});
  scene.settings.budget.contacts = std::size_t{4} << 20;
  // their energy is part of the first frame
  CHECK_THROWS_AS(simulate(build(scene), scene.settings), InputError);
}

TEST_CASE("interrupted run: a recording ends where its memory does") {
  Scene scene = falling_balls(Integrator::midpoint, 3);
  scene.settings.budget.recording = std::size_t{16} << 10;
  const Recording recording = simulate(build(scene), scene.settings);
  CHECK(recording.summary.failure.starts_with("the 0 MB of memory for the recording are full"));
  CHECK(recording.frames.size() > 3);
  CHECK(recording.frames.size() < 26);
}
