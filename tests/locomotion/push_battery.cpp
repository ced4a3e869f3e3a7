// Pushes on the shipped closed-loop run.
#include "molejo/locomotion/push_battery.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/locomotion/closed_run.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("push battery: half a newton second per kilogram is survived in eight directions") {
  const Shipped& s = shipped();
  CHECK(total_mass(s.character) == doctest::Approx(73.4).epsilon(1e-3));
  const double force = 0.5 * total_mass(s.character) / 0.2;
  const double step = s.problem.gait(s.file.unknowns.data()).duration();
  std::vector<Trial> trials;
  for (int phase = 0; phase < 4; ++phase) {
    for (int d = 0; d < 8; ++d) {
      Trial& trial = trials.emplace_back();
      trial.feedback = &s.feedback();
      const double from = step * (1 + phase / 4.0);
      trial.pushes = {torso_push(s.character, 6.283185307179586 * d / 8, force, from)};
      trial.seconds = from + 0.2 + 5;
    }
  }
  const std::vector<TrialResult> one = run_trials(s.problem, s.file.unknowns, trials, 1);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(one[i].fell);
  }
  // the same bits with more threads, and alone
  const std::vector<TrialResult> three = run_trials(s.problem, s.file.unknowns, trials, 3);
  const TrialResult alone = run_trials(s.problem, s.file.unknowns, {&trials[13], 1}, 1)[0];
  for (std::size_t i = 0; i < trials.size(); ++i) {
    CHECK(one[i].forward == three[i].forward);
    CHECK(one[i].last_error == three[i].last_error);
  }
  CHECK(alone.forward == one[13].forward);
}

TEST_CASE("push battery: without feedback nothing is survived") {
  const Shipped& s = shipped();
  PushBatterySettings settings;
  settings.directions = 4, settings.phases = 1;
  settings.after = 10;
  const PushBattery battery = push_battery(s.problem, s.file.unknowns, nullptr, settings);
  CHECK(battery.impulse == std::vector<double>(4, 0.0));
}

TEST_CASE("push battery: it tells how far it is, and ends when it is told to") {
  const Shipped& s = shipped();
  PushBatterySettings settings;
  settings.directions = 2, settings.phases = 1;
  settings.after = 1;
  int rounds = 0;
  settings.goes_on = [&](const PushBattery& so_far, int settled) {
    ++rounds;
    CHECK(settled == 0);
    CHECK(so_far.impulse == std::vector<double>(2, rounds * settings.step));
    return rounds < 2;
  };
  const PushBattery battery = push_battery(s.problem, s.file.unknowns, &s.feedback(), settings);
  CHECK(rounds == 2);
  CHECK(battery.impulse == std::vector<double>(2, 2 * settings.step));
}

TEST_CASE("push battery: what it tells is survived, a little more is not") {
  const Shipped& s = shipped();
  PushBatterySettings settings;
  settings.directions = 2, settings.phases = 2;
  settings.after = 3;
  const PushBattery battery = push_battery(s.problem, s.file.unknowns, &s.feedback(), settings);
  const double step = s.problem.gait(s.file.unknowns.data()).duration();
  const double half = settings.step / (1 << settings.bisections);
  for (int d = 0; d < 2; ++d) {
    for (int p = 0; p < 2; ++p) {
      const double impulse = battery.at(d, p);
      REQUIRE(impulse > 0.5);
      REQUIRE(impulse < battery.most);
      Trial trial;
      trial.feedback = &s.feedback();
      const double from = step * (1 + p / 2.0);
      trial.seconds = from + 0.2 + settings.after;
      std::vector<Trial> both;
      for (const double x : {impulse, impulse + half}) {
        trial.pushes = {
            torso_push(s.character, 3.141592653589793 * d, x * battery.mass / 0.2, from)};
        both.push_back(trial);
      }
      const auto results = run_trials(s.problem, s.file.unknowns, both, 1);
      CHECK_FALSE(results[0].fell);
      CHECK(results[1].fell);
    }
  }
  CHECK(battery.least() == std::min(battery.least(0), battery.least(1)));
}

TEST_CASE("push battery: a push on the left half of a cycle is the image of one on the right") {
  const Shipped& s = shipped();
  const double step = s.problem.gait(s.file.unknowns.data()).duration();
  std::vector<Trial> trials(2);
  for (int i = 0; i < 2; ++i) {
    Trial& t = trials[static_cast<std::size_t>(i)];
    t.feedback = &s.feedback();
    // one half cycle later, from the other side
    const double from = step * (4.25 + i);
    t.pushes = {torso_push(s.character, i == 0 ? 0.8 : -0.8, 100, from)};
    t.seconds = step * (9 + i) - 1e-6;
  }
  const auto r = run_trials(s.problem, s.file.unknowns, trials, 1);
  CHECK(r[1].cycles == r[0].cycles + 1);
  CHECK(std::fabs(r[0].last_error - r[1].last_error) < 0.02 * r[0].last_error);
  CHECK(r[0].last_error > 0.05);
}
