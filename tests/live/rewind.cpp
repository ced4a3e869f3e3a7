// A live run that is rewound and goes on from there shows what it showed before, to the last bit.
#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "molejo/live/live_run.h"
#include "molejo/math/interrupt.h"
#include "tests/live/pushed_ball.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Of each frame: where everything is, and what touches.
std::vector<std::uint64_t> hashes_until(LiveRun& run, double t) {
  std::vector<std::uint64_t> all;
  while (run.time() < t - 1e-9) {
    REQUIRE(run.advance());
    std::uint64_t h = hash(run.frame().state);
    for (const TouchPoint& p : run.frame().contacts) h ^= 31 * bits_of(p.force.z);
    for (const ContactEvent& e : run.events()) h ^= 17 * bits_of(e.impulse.z);
    all.push_back(h);
  }
  return all;
}

void rewind(LiveRun& run, double t) {
  run.seek(t);
  run.branch();
  CHECK(run.time() == doctest::Approx(t).epsilon(0.02));
  CHECK(run.is_at_end());
}

// A tower that a ball hits: many bodies, whose snapshots are larger than a share of a frame.
Scene tower(int boxes) {
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 10, 100));
  for (int i = 0; i < boxes; ++i) {
    add_solid(scene, "box" + std::to_string(i), Box{{0.1, 0.1, 0.05}}, 1,
              {Mat3::identity(), {0.25 * (i % 10), 0.3 * (i / 100), 0.05 + 0.1 * (i / 10 % 10)}});
  }
  return scene;
}

}  // namespace

TEST_CASE("rewind: in contact, at any frame, the run shows again what it showed") {
  for (const char* name : {"stack", "ragdoll", "dominoes", "newtons_cradle", "animado_floor"}) {
    CAPTURE(name);
    LiveRun run(shipped_scene(name));
    hashes_until(run, 1);
    const std::vector<std::uint64_t> first = hashes_until(run, 1.6);
    for (int time = 0; time < 2; ++time) {
      rewind(run, 1);
      CHECK(hashes_until(run, 1.6) == first);
    }
    // further back, and on beyond the end
    const std::vector<std::uint64_t> later = hashes_until(run, 2);
    rewind(run, 0.5);
    hashes_until(run, 1);
    CHECK(hashes_until(run, 1.6) == first);
    CHECK(hashes_until(run, 2) == later);
  }
}

TEST_CASE("rewind: what was done to the run before is done again, and nothing after") {
  LiveRun run(shipped_scene("ragdoll"));
  hashes_until(run, 0.5);
  const std::string body = run.model().bodies[0].name;
  run.push(body, {}, {400, 0, 300}, 0.3);
  hashes_until(run, 0.7);
  run.drag(body, {}, {0, 0, 2});
  const std::vector<std::uint64_t> pulled = hashes_until(run, 0.9);
  rewind(run, 0.7);
  CHECK(hashes_until(run, 0.9) == pulled);  // the hand that holds it now does so from here on
  rewind(run, 0.8);
  const std::vector<std::uint64_t> held = hashes_until(run, 1.2);
  rewind(run, 0.8);
  CHECK(hashes_until(run, 1.2) == held);
  run.drop();
  rewind(run, 0.8);
  CHECK(hashes_until(run, 1.2) != held);
}

TEST_CASE("rewind: variables and formulas stay as they are now") {
  LiveRun run(pushed_ball());
  hashes_until(run, 0.5);
  const std::vector<std::uint64_t> first = hashes_until(run, 1);
  const std::string variable = run.formulas()->variables.at(0).name;
  const double value = run.variable(variable);
  run.set_variable(variable, 3 * value);
  rewind(run, 0.5);
  CHECK(hashes_until(run, 1) != first);
  run.set_variable(variable, value);
  rewind(run, 0.5);
  CHECK(hashes_until(run, 1) == first);
  const std::string force = run.formulas()->forces.at(0).name;
  run.replace_formula("force", force, "force", 0, "2 * " + variable);
  const std::vector<std::uint64_t> doubled = hashes_until(run, 1.5);
  rewind(run, 1);
  CHECK(hashes_until(run, 1.5) == doubled);
  rewind(run, 0.5);
  CHECK(hashes_until(run, 1) != first);
}

TEST_CASE(
    "rewind: a run that begins anew keeps its variables and the formulas that were replaced") {
  LiveRun run(pushed_ball());
  hashes_until(run, 0.5);
  run.set_variable("f", 3);
  run.replace_formula("force", "wind", "force", 0, "2 * f");
  hashes_until(run, 1);
  run.reset();
  CHECK(run.time() == 0);
  hashes_until(run, 1);
  // 6 N on 2 kg for a second
  CHECK(run.frame().X_WB[0].p.x == doctest::Approx(1.5).epsilon(1e-6));
}

TEST_CASE("rewind: between the marks of a large world frames are made again") {
  LiveRun run(tower(300), {.frames = 1000, .bytes = std::size_t{1} << 30});
  hashes_until(run, 0.1);
  const std::vector<std::uint64_t> first = hashes_until(run, 0.25);
  for (const double t : {0.1, 0.11, 0.12, 0.13}) {
    rewind(run, t);
    const std::vector<std::uint64_t> again = hashes_until(run, 0.25);
    const auto same = first.end() - static_cast<std::ptrdiff_t>(again.size());
    CHECK(std::equal(again.begin(), again.end(), same));
  }
}

TEST_CASE("rewind: a history that forgets its beginning can still be branched at its first frame") {
  LiveRun run(shipped_scene("stack"), {.frames = 20});
  hashes_until(run, 2);
  CHECK(run.begin() > 1);
  const double begin = run.begin();
  run.seek(begin);
  const std::uint64_t there = hash(run.frame().state);
  std::vector<std::uint64_t> first = hashes_until(run, 2);
  rewind(run, begin);
  CHECK(hash(run.frame().state) == there);
  CHECK(hashes_until(run, 2) == first);
}

TEST_CASE("rewind: contact events count as memory of a history") {
  // frames of 2 s in which each ball bounces a dozen times
  const Surface bouncy{0, 1};
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 10, 0.5), bouncy);
  for (int i = 0; i < 8; ++i) {
    add_solid(scene, "ball" + std::to_string(i), Sphere{0.1}, 1,
              {Mat3::identity(), {0.5 * i, 0, 0.12}}, bouncy);
  }
  const HistoryLimits limits{.bytes = 100'000};
  LiveRun run(scene, limits);
  std::size_t made = 0, kept = 0;
  for (int i = 0; i < 15; ++i) {
    REQUIRE(run.advance());
    made += run.events().size();
  }
  REQUIRE(made * sizeof(ContactEvent) > 2 * limits.bytes);
  const double begin = run.begin(), end = run.end();
  CHECK(end > begin);
  const auto frames = std::lround((end - begin) / run.interval());
  for (long i = 0; i <= frames; ++i) {
    run.seek(begin + static_cast<double>(i) * run.interval());
    kept += run.events().size();
  }
  CHECK(kept * sizeof(ContactEvent) <= limits.bytes);
}

TEST_CASE("rewind: a run that failed is sought and branched like any other") {
  for (const char* name : {"double_pendulum", "dominoes"}) {
    CAPTURE(name);
    LiveRun run(shipped_scene(name));
    hashes_until(run, 1);
    Command<double> command = run.command();
    command.forces[0] = 1e200;
    run.set_command(command);
    while (run.advance()) REQUIRE(run.time() < 2);
    const double end = run.time();
    for (const double t : {end, end - 0.05, 0.5}) {
      run.seek(t);
      CHECK_NOTHROW(run.branch());
      while (run.advance()) REQUIRE(run.time() < 2);
    }
    run.set_command(Command<double>(run.model()));
    run.seek(0.3);
    run.branch();
    hashes_until(run, 0.6);
  }
}

TEST_CASE("rewind: an interrupted step leaves no difference") {
  LiveRun run(shipped_scene("stack"));
  hashes_until(run, 0.5);
  {
    Interrupt interrupt;
    const InterruptScope scope(interrupt);
    interrupt.cancel();
    CHECK_THROWS_AS(run.advance(), Interrupted);
  }
  const std::vector<std::uint64_t> first = hashes_until(run, 1);
  for (const double t : {0.5, 0.6, 0.8}) {
    rewind(run, t);
    const std::vector<std::uint64_t> again = hashes_until(run, 1);
    const auto same = first.end() - static_cast<std::ptrdiff_t>(again.size());
    if (t > 0.5) CHECK(std::equal(again.begin(), again.end(), same));
  }
}
