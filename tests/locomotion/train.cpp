// Training: the same bits on any number of threads and after a pause, and the thesis's own way.
#include "molejo/locomotion/train.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

#include "molejo/io/optimiser_state.h"
#include "molejo/locomotion/style.h"
#include "tests/locomotion/gaits.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Setting {
  explicit Setting(bool thesis) {
    if (thesis) motion.rollout = rollout_of_the_thesis();
    motion.rollout.time_step = 4e-3;  // coarse: only the search is looked at
    motion.training.thesis = thesis;
  }
  Motion motion = basic_motion();
  Character character = shipped_character("humanoid");
};

struct Trainer {
  Trainer(const Setting& s, int threads, std::uint64_t seed)
      : problem(s.character, s.motion),
        evaluator(counted(threads), threads),
        training(problem, evaluator, seed) {}
  Trainer(const Setting& s, int threads, const TrainingState& state)
      : problem(s.character, s.motion),
        evaluator(counted(threads), threads),
        training(problem, evaluator, state) {}

  void advance(int generations) {
    for (int i = 0; i < generations; ++i) training.advance();
  }

  // Its evaluation, which counts what it simulates.
  Problem counted(int threads) {
    Problem p = evaluation(problem, threads);
    p.evaluate = [this, n = p.unknowns, evaluate = p.evaluate](int worker, int count,
                                                               const double* x, double* results) {
      // the last unknown: simulations before the one that counts
      for (int i = 0; i < count; ++i) simulations += 1 + static_cast<int>(x[(i + 1) * n - 1]);
      evaluate(worker, count, x, results);
    };
    return p;
  }

  GaitProblem problem;
  std::atomic<std::int64_t> simulations = 0;
  ThreadEvaluator evaluator;
  Training training;
};

void check_same(Trainer& a, Trainer& b) {
  const TrainingState& s = a.training.state();
  const TrainingState& t = b.training.state();
  CHECK(s.restart == t.restart);
  CHECK(s.evaluations == t.evaluations);
  CHECK(s.over == t.over);
  CHECK(s.best == t.best);
  CHECK(s.valid.has_value() == t.valid.has_value());
  REQUIRE(s.search.has_value());
  REQUIRE(t.search.has_value());
  CHECK(s.search->solution == t.search->solution);
  CHECK(s.search->lambda == t.search->lambda);
  CHECK(s.search->cma.mean == t.search->cma.mean);
  CHECK(s.search->cma.sigma == t.search->cma.sigma);
  CHECK(s.search->cma.C == t.search->cma.C);
  CHECK(s.search->cma.path_c == t.search->cma.path_c);
}

}  // namespace

TEST_CASE("train: the same bits on one thread and on two") {
  for (const bool thesis : {false, true}) {
    const Setting s(thesis);
    Trainer one(s, 1, 7), two(s, 2, 7), other(s, 2, 8);
    // a polish falls into it
    const int generations = thesis ? 20 : 62;
    one.advance(generations), two.advance(generations), other.advance(1);
    check_same(one, two);
    CHECK(one.training.progress().generation >= (thesis ? generations : 60));
    CHECK(other.training.state().search->solution.x != one.training.state().search->solution.x);
  }
}

TEST_CASE("train: a search that was saved in the middle goes on with the same bits") {
  for (const bool thesis : {false, true}) {
    const Setting s(thesis);
    Trainer whole(s, 2, 3), first(s, 2, 3);
    first.advance(9);
    TrainingState saved = first.training.state();
    // through the text of a file
    saved.search = parse_multiplier_state(optimiser_text(*saved.search), "saved");
    Trainer second(s, 1, saved);
    second.advance(8);
    whole.advance(17);
    check_same(whole, second);
  }
}

TEST_CASE("train: the thesis's way has unscaled errors, 1000 generations a run, and no polish") {
  const Setting s(true);
  Trainer t(s, 2, 1);
  t.advance(61);
  const TrainingState& state = t.training.state();
  CHECK(state.evaluations == 61 * 17);
  CHECK(t.evaluator.evaluations() == 61 * 17);
  CHECK(state.best.x.empty());
  REQUIRE(state.search.has_value());
  const MultiplierSettings& settings = state.search->settings;
  CHECK(settings.cma.max_generations == 1000);
  CHECK(settings.cma.population == 0);
  CHECK(state.search->cma.settings.population == 17);
  CHECK(settings.cma.sigma == 0.3);
  CHECK(settings.cma.tol_x == 1e-4);
  CHECK(settings.penalty == 0.1);
  CHECK(settings.runs == 20);
  CHECK(settings.sigma_decay == 0.7);
  CHECK(settings.sigma_floor == 1e-3);
  CHECK(!settings.scaled);
  CHECK(!settings.run_0_until_easy);
  CHECK(settings.cma.tol_fun == 0);
  CHECK(!settings.cma.stagnation);

  // the best candidate again, by hand
  const std::vector<double>& x = state.search->solution.x;
  REQUIRE(x.size() == 87);
  const Gait gait = t.problem.gait(x.data());
  const RolloutResult r = Rollout(s.character, s.motion.rollout).run(gait);
  double f = 1e-5 * r.energy / (r.mean_velocity.x * r.mean_velocity.x);
  double easy = t.problem.priority_term(x.data());
  for (const double term : r.terms) easy += term;
  f += 1e5 * easy;
  State end = mirrored(s.character, r.end);
  end.q[0] = gait.start.q[0];
  const VecX dq = difference(s.character.model, gait.start.q, end.q);
  const VecX dv = end.v - gait.start.v;
  const double k = 0.1;
  double W = f;
  std::vector<double> phi, lambda;
  for (int i = 1; i < 36; ++i) phi.push_back(dq[i]);
  for (int i = 0; i < 36; ++i) phi.push_back(dv[i]);
  for (std::size_t i = 0; i < phi.size(); ++i) {
    lambda.push_back(0.01 * static_cast<double>(i) - 0.3);
    W += lambda[i] * phi[i] + k * phi[i] * phi[i];
  }
  MultiplierState later = *state.search;
  CHECK(Multipliers(later).merit(later.solution.outputs.data()) ==
        doctest::Approx(f).epsilon(1e-12));  // run 0: no multipliers
  later.run = 1;
  later.lambda = lambda;
  CHECK(Multipliers(later).merit(later.solution.outputs.data()) ==
        doctest::Approx(W).epsilon(1e-12));
  CHECK(std::fabs(W - f) > 1e-3);
  // progress tells errors in tolerances all the same
  double ratio = 0;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    ratio = std::max(ratio, std::fabs(phi[i]) / t.problem.tolerance()[static_cast<int>(i)]);
  }
  CHECK(t.training.progress().ratio == doctest::Approx(ratio));
}

TEST_CASE("train: the default searches without the state of joints, in units of tolerances") {
  const Setting s(false);
  Trainer t(s, 2, 1);
  t.advance(3);
  const TrainingState& state = t.training.state();
  CHECK(state.evaluations == 3 * 16 * 2);
  CHECK(state.search->solution.x.size() == 27);
  CHECK(state.search->settings.penalty == 0.003);
  CHECK(state.search->settings.cma.max_generations == 300);
  CHECK(state.search->settings.penalty_in_run_0);
  // its best candidate: simulated twice, the second time from the joints that the first ended with
  const std::vector<double>& reduced = state.search->solution.x;
  const VecX sketch = t.problem.start();
  std::vector<double> x(sketch.begin(), sketch.end());
  std::size_t n = 0;
  for (int i = 0; i < 87; ++i) {
    const bool joint = (i >= 5 && i < 35) || (i >= 41 && i < 71);
    if (!joint) x[at(i)] = reduced[n++];
  }
  REQUIRE(n == 27);
  const std::vector<double> shown = t.training.solution();
  Rollout rollout = compared_rollout(t.problem);
  std::vector<double> y = x;
  Gait gait = t.problem.gait(x.data());
  t.problem.set_state(t.problem.next_start(gait, rollout.run(gait).end), y.data());
  for (int i = 0; i < 71; ++i) {
    if ((i >= 5 && i < 35) || (i >= 41 && i < 71)) x[at(i)] = y[at(i)];
  }
  CHECK(shown == x);  // what would be saved now
  gait = t.problem.gait(x.data());
  const RolloutResult r = rollout.run(gait);
  std::vector<double> phi(71);
  t.problem.cycle_error(gait, r, phi.data());
  const std::vector<double>& outputs = state.search->solution.outputs;
  for (int i = 0; i < 71; ++i) CHECK(outputs[at(2 + i)] == phi[at(i)]);
  // walls only tell; hinges, and what flight lacks, are what is minimised
  const GaitOutputs places = gait_outputs(t.problem);
  double hinges = 0;
  for (int k = 0; k < places.hinges; ++k) {
    const double h = outputs[at(places.first_hinge() + k)];
    hinges += h * h;
  }
  CHECK(hinges > 0);
  hinges += 2000 * (std::max(0.0, 0.02 - r.lift) / 0.02 + std::max(0.0, 0.05 - r.last_toe) / 0.05);
  CHECK(outputs[1] == doctest::Approx(0.01 * t.problem.easy_sum(x.data(), r)).epsilon(1e-12));
  const double f = 1e-5 * t.problem.objective(r) + 0.003 * hinges;
  CHECK(outputs[0] == doctest::Approx(f).epsilon(1e-12));
  // the cyclic error counts in the first run already
  double early = 0;
  for (const double e : phi) early += 0.003 * e * e;
  CHECK(Multipliers(*state.search).merit(outputs.data()) ==
        doctest::Approx(f + outputs[1] + early).epsilon(1e-12));
}

TEST_CASE("train: no more simulations are run than are allowed, in whole generations") {
  struct {
    bool thesis;
    int allowed, generations, run;
  } const known[] = {
      {false, 31, 0, 0}, {false, 32, 1, 32}, {false, 100, 3, 96},
      {true, 16, 0, 0},  {true, 100, 5, 85}, {true, 102, 6, 102},
  };
  for (const auto& [thesis, allowed, generations, run] : known) {
    CAPTURE(thesis);
    CAPTURE(allowed);
    Setting s(thesis);
    s.motion.training.evaluations = allowed;
    Trainer t(s, 2, 1);
    CHECK(t.training.generation_evaluations() == (thesis ? 17 : 32));
    while (t.training.advance()) continue;
    CHECK(t.training.progress().generation == generations);
    CHECK(t.training.evaluations() == run);
    CHECK(t.simulations == run);
    CHECK(t.training.state().over);
    CHECK(!t.training.is_valid());
    CHECK(!t.training.advance());
    CHECK(t.simulations == run);
  }
}

TEST_CASE("train: a polish ends with the evaluations, and with more of them it is done again") {
  constexpr int before = 60 * 32;
  Setting few(false), more(false);
  for (const int left : {0, 1, 50, 300}) {
    CAPTURE(left);
    few.motion.training.evaluations = before + left;
    Trainer cut(few, 2, 7);
    while (cut.training.advance()) continue;
    CHECK(cut.training.state().over);
    CHECK(cut.training.state().evaluations == before);
    CHECK(cut.training.evaluations() <= before + left);
    CHECK(cut.simulations == cut.training.evaluations());
    CHECK((cut.training.evaluations() > before) == (left > 0));
    Trainer whole(more, 2, 7), resumed(more, 2, cut.training.state());
    whole.advance(61), resumed.advance(2);
    check_same(whole, resumed);
    CHECK(whole.training.state().evaluations > before + left);
  }
}
