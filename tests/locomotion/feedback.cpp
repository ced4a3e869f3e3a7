// Feedback on the shipped closed-loop run: the linear map against the simulation, and how far it
// carries.
#include "molejo/locomotion/feedback.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/locomotion/stabilise.h"
#include "molejo/math/eigenvalues.h"
#include "molejo/math/random.h"
#include "molejo/math/riccati.h"
#include "tests/locomotion/closed_run.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Where a cycle ends that starts with an error of velocities alone, in tolerances.
VecX simulated(const Shipped& s, const VecX& error, const VecX& input) {
  Gait gait = s.problem.gait(s.unknowns().data());
  const State nominal = gait.start;
  apply_input(s.problem, s.unknowns(), input, gait);
  const Character& c = s.character;
  const Link& root = c.model.links[static_cast<std::size_t>(c.root.index)];
  const int positions = 5 + c.internal;
  const Vec3 axes[] = {c.forward, c.left, c.up};
  for (int i = 0; i < 6 + c.internal; ++i) {
    const double d = error[positions + i] * s.problem.tolerance()[positions + i];
    for (int k = 0; i < 3 && k < 3; ++k) gait.start.v[root.v + k] += d * axes[i][k];
    if (i >= 3 && i < 6) gait.start.v[root.v + i] += d;
    if (i >= 6) gait.start.v[c.first_internal + i - 6] += d;
  }
  Rollout rollout(c, s.problem.motion().rollout);
  const RolloutResult r = rollout.run(gait);
  VecX end(s.problem.cycle_size());
  s.problem.state_error(nominal, s.problem.next_start(gait, r.end), end.data());
  return end;
}

}  // namespace

// The ground contact is smooth in pieces only, so the map is a secant and holds in the mean.
TEST_CASE("feedback: the linear map foretells where a disturbed cycle ends") {
  const Shipped& s = shipped();
  const CycleMap map = linearised(s.problem, s.unknowns(), 1, 0);
  const int n = s.problem.cycle_size(), m = input_count(s.problem);
  const VecX rest = simulated(s, VecX::Zero(n), VecX::Zero(m));
  Random random(7);
  double response = 0, missed = 0, by_errors = 0, by_inputs = 0;
  for (int trial = 0; trial < 40; ++trial) {
    VecX error = VecX::Zero(n), input(m);
    for (int i = 5 + s.character.internal; i < n; ++i) error[i] = random.normal();
    for (int i = 0; i < m; ++i) input[i] = random.normal();
    const VecX happened = simulated(s, error, input) - rest;
    response += happened.squaredNorm();
    missed += (happened - map.A * error - map.B * input).squaredNorm();
    by_errors += (happened - map.A * error).squaredNorm();
    by_inputs += (happened - map.B * input).squaredNorm();
  }
  CAPTURE(missed);
  CAPTURE(by_errors);
  CAPTURE(by_inputs);
  CAPTURE(response);
  CHECK(missed < 0.1 * response);
  CHECK(by_errors > 0.2 * response);
  CHECK(by_inputs > 0.2 * response);
}

TEST_CASE("feedback: the closed loop contracts where the open one does not") {
  const Shipped& s = shipped();
  const CycleMap map = linearised(s.problem, s.unknowns(), s.file.feedback->step, 0);
  CHECK(spectral_radius(map.A) > 1.5);
  CHECK(spectral_radius(map.A - map.B * s.feedback().K) < 0.95);
  CHECK(std::fabs(spectral_radius(map.A - map.B * s.feedback().K) - s.file.feedback->radius) <
        1e-3);
}

TEST_CASE("feedback: the basic run goes on for a minute without reset, the open loop falls") {
  const Shipped& s = shipped();
  REQUIRE(s.problem.motion().rollout.whole_body);
  ReplayOptions options;
  options.seconds = 60;
  options.record = false;
  const ReplayReport open = replay(s.problem, s.unknowns(), options).report;
  CHECK(open.fell);
  CHECK(open.seconds < 20);
  const ReplayReport closed =
      replay(s.problem, s.unknowns(), options, feedback_hook(s.problem, s.unknowns(), s.feedback()))
          .report;
  CHECK_FALSE(closed.fell);
  CHECK(closed.seconds >= 60);
  CHECK(closed.distance > 120);

  // the same in a pack with others, bit for bit
  Trial trial;
  trial.feedback = &s.feedback();
  trial.seconds = 60;
  Trial shaken = trial;
  shaken.noise = 0.02, shaken.seconds = 2;
  const Trial trials[] = {trial, shaken, shaken};
  const std::vector<TrialResult> results = run_trials(s.problem, s.unknowns(), trials, 1);
  CHECK(results[0].forward == closed.distance);
  CHECK(results[0].seconds == closed.seconds);
  CHECK(results[0].sideways < 0.2);
  CHECK(results[1].forward == results[2].forward);
  CHECK(results[1].forward != results[0].forward);
}

TEST_CASE("feedback: the kangaroo hops on for a minute without reset") {
  const GaitFile file =
      load_gait(SourceFile::given(source_dir() + "/scenes/gaits/kangaroo_closed.gait.json"));
  const Character character = make_character(file.motion.scene, file.motion.motion.figure);
  const GaitProblem problem(character, file.motion.motion);
  REQUIRE(problem.motion().rollout.whole_body);
  REQUIRE(file.feedback.has_value());
  ReplayOptions options;
  options.seconds = 60;
  options.record = false;
  CHECK(replay(problem, file.unknowns, options).report.fell);
  const ReplayReport closed = replay(problem, file.unknowns, options,
                                     feedback_hook(problem, file.unknowns, file.feedback->feedback))
                                  .report;
  CHECK_FALSE(closed.fell);
  CHECK(closed.seconds >= 60);
  CHECK(closed.distance > 100);
}

TEST_CASE("feedback: more inputs are the same gait, and can all be acted with") {
  const Shipped& s = shipped();
  const WiderGait wider = with_more_inputs(s.problem, s.unknowns(), 30);
  const GaitProblem wide(s.character, wider.motion);
  REQUIRE(wide.size() == static_cast<int>(wider.unknowns.size()));
  CHECK(input_count(wide) == 2 * 30 + 4);  // two pulses, period, air share
  const Gait a = s.problem.gait(s.unknowns().data()), b = wide.gait(wider.unknowns.data());
  CHECK(a.start.q == b.start.q);
  CHECK(a.start.v == b.start.v);
  CHECK(a.period() == b.period());
  CHECK((a.steps[0].air.pulses[0].torque - b.steps[0].air.pulses[0].torque).norm() < 1e-9);
  CHECK((a.steps[0].ground.pulses[0].torque - b.steps[0].ground.pulses[0].torque).norm() < 1e-9);
  CHECK(a.steps[0].ground.pulses[0].length == b.steps[0].ground.pulses[0].length);
}

TEST_CASE("feedback: changes stay within the range of the motion") {
  const Shipped& s = shipped();
  const VecX huge = VecX::Constant(input_count(s.problem), 1e6);
  Gait gait = s.problem.gait(s.unknowns().data());
  const State start = gait.start;
  apply_input(s.problem, s.unknowns(), huge, gait);
  CHECK(gait.start.q == start.q);
  CHECK(gait.period() <= s.problem.motion().range.most_period * (1 + 1e-12));
  std::vector<double> top = s.unknowns();
  for (int i = s.problem.first_amplitude(); i < s.problem.size(); ++i) {
    top[static_cast<std::size_t>(i)] = 1;
  }
  // all upper bounds are those of the range: a priority mode of negative sketch would differ
  Gait bound = s.problem.gait(top.data());
  CHECK((gait.steps[0].air.pulses[0].torque - bound.steps[0].air.pulses[0].torque).norm() < 1e-9);
}

TEST_CASE("feedback: inputs are clipped") {
  Feedback feedback;
  feedback.K = MatX::Identity(2, 2) * 3;
  feedback.clip = VecX::Constant(2, 1.5);
  const VecX u = feedback.input((VecX(2) << 0.25, -9).finished());
  CHECK(u[0] == -0.75);
  CHECK(u[1] == 1.5);
}

TEST_CASE("feedback: the search gives the same bits on any number of threads") {
  const Shipped& s = shipped();
  StabiliseSettings settings;
  settings.directions = 4, settings.phases = 1;
  settings.generations = 2, settings.population = 4;
  settings.seconds = 1;
  settings.steps = {4}, settings.weights = {1};
  settings.threads = 1;
  int told = 0;
  const Stabilised one = stabilise(s.problem, s.unknowns(), settings, [&](const auto& progress) {
    told = progress.tried;
    return true;
  });
  settings.threads = 3;
  const Stabilised three = stabilise(s.problem, s.unknowns(), settings);
  CHECK(one.feedback.K == three.feedback.K);
  CHECK(one.feedback.clip == three.feedback.clip);
  CHECK(one.score == three.score);
  CHECK(told == 9);
  CHECK(one.radius < 1);
  CHECK(one.open_radius > 1);
}
