// The search for a gait in numbers: unknowns, marks, bounds, states and cyclic errors.
#include "molejo/locomotion/gait_problem.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/locomotion/choose_modes.h"
#include "molejo/optimise/cma.h"
#include "tests/locomotion/gaits.h"
#include "tests/support/error_text.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// As many priority and allowed modes as a row of Table 5.1, the lowest ones.
PhaseMarks marks(int priority, int allowed) {
  PhaseMarks m;
  for (int i = 1; i <= priority; ++i) m.priority.push_back({i, i % 2 == 0 ? 0.1 : -0.2});
  for (int i = priority + 1; i <= allowed; ++i) m.others.push_back(i);
  return m;
}

struct Row {
  const char* name;
  const char* character;
  const char* foot;
  int priority[2], allowed[2];  // air, ground
  int dimension, population;
};

Motion motion_of(const Row& row) {
  Motion m;
  m.steps.push_back(
      {{row.foot}, marks(row.priority[0], row.allowed[0]), marks(row.priority[1], row.allowed[1])});
  m.mirrored = std::string(row.character) != "kangaroo";
  return m;
}

const Unknown& unknown(const GaitProblem& problem, const std::string& name) {
  for (const Unknown& u : problem.unknowns()) {
    if (u.name == name) return u;
  }
  FAIL("no unknown " << name);
  return problem.unknowns()[0];
}

}  // namespace

TEST_CASE("gait problem: the basic run has 87 unknowns, 71 cyclic errors, a population of 17") {
  const Character c = shipped_character("humanoid");
  const GaitProblem problem(c, basic_motion());
  CHECK(problem.size() == 87);
  CHECK(problem.cycle_size() == 71);
  CHECK(problem.last_amplitude() - problem.first_amplitude() == 12);
  CHECK(default_population(problem.size()) == 17);
  CHECK(cma_rates(87, 17, CmaWeights::classic, false).parents == 8);
}

TEST_CASE("gait problem: dimensions of the rows of Table 5.1") {
  // 71, 95 or 83 of the state, allowed modes, two lengths of pulses, period and air share
  const Row rows[] = {
      {"basic run", "humanoid", "right_leg.foot", {3, 4}, {5, 7}, 87, 17},
      {"lateral swing", "humanoid", "right_leg.foot", {3, 3}, {5, 6}, 86, 17},
      {"vertical rotation", "humanoid", "right_leg.foot", {3, 4}, {5, 7}, 87, 17},
      {"skipping", "humanoid", "right_leg.foot", {3, 8}, {5, 10}, 90, 17},
      {"random 1", "humanoid", "right_leg.foot", {3, 4}, {8, 8}, 91, 17},
      {"random 2", "humanoid", "right_leg.foot", {2, 3}, {6, 7}, 88, 17},
      {"crouched", "humanoid", "right_leg.foot", {3, 5}, {5, 8}, 88, 17},
      {"legs apart", "humanoid", "right_leg.foot", {3, 4}, {5, 7}, 87, 17},
      {"trivial selection", "humanoid", "right_leg.foot", {3, 4}, {12, 12}, 99, 17},
      {"monster", "monster", "right_leg.foot", {3, 4}, {5, 7}, 111, 18},
      {"kangaroo", "kangaroo", "foot", {1, 3}, {4, 6}, 97, 17},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Character c = shipped_character(row.character);
    const GaitProblem problem(c, motion_of(row));
    CHECK(problem.size() == row.dimension);
    CHECK(problem.cycle_size() == 2 * (c.internal + 6) - 1);
    CHECK(default_population(problem.size()) == row.population);
  }
}

TEST_CASE("gait problem: one leg has no image, joints as a basis have all their freedoms") {
  const Character one = shipped_character("humanoid", {.without_feet = {"left_leg.foot"}});
  Row row{"one leg", "humanoid", "right_leg.foot", {2, 5}, {6, 8}, 89, 17};
  Motion motion = motion_of(row);
  motion.mirrored = false;
  const GaitProblem hops(one, motion);
  CHECK(hops.size() == 89);
  const VecX x = hops.start();
  CHECK(hops.gait(x.data()).period() == doctest::Approx(0.7));
  CHECK(hops.gait(x.data()).duration() == doctest::Approx(0.7));  // all of it is simulated

  const Character both = shipped_character("humanoid");
  Motion canonical = motion_of(row);
  canonical.basis = Basis::joints;
  canonical.steps[0].air = canonical.steps[0].ground = marks(0, 30);
  const GaitProblem joints(both, canonical);
  CHECK(joints.size() == 135);
  const VecX start = joints.start();
  std::vector<double> y(start.begin(), start.end());
  y[at(joints.first_amplitude() + 4)] = unknown(joints, "step 1, air 5").part(0.3);
  const VecX torque = joints.gait(y.data()).steps[0].air.pulses[0].torque;
  CHECK(torque[4] == doctest::Approx(150));
  CHECK(torque.norm() == doctest::Approx(150));
}

TEST_CASE("gait problem: priority modes keep sign and amplitude, excluded ones stay zero") {
  const Character c = shipped_character("humanoid");
  Motion motion = basic_motion();
  motion.steps[0].ground.priority[1].amplitude = -0.2;  // the other way
  const GaitProblem problem(c, motion);
  const MotionStep& step = motion.steps[0];
  const Modes modes[2] = {air_modes(c), ground_modes(c, 1)};
  for (const bool air : {true, false}) {
    const PhaseMarks& phase = air ? step.air : step.ground;
    const std::string where = air ? "step 1, air " : "step 1, ground ";
    for (const MarkedMode& m : phase.priority) {
      const Unknown& u = unknown(problem, where + std::to_string(m.mode));
      CHECK(u.lower == (m.amplitude > 0 ? m.amplitude : -1.0));
      CHECK(u.upper == (m.amplitude > 0 ? 1.0 : m.amplitude));
      CHECK(u.start == m.amplitude);
    }
    for (const int mode : phase.others) {
      const Unknown& u = unknown(problem, where + std::to_string(mode));
      CHECK(u.lower == -1);
      CHECK(u.upper == 1);
      CHECK(u.start == 0);
    }
    // Phi is orthonormal where all springs are equal: it takes torques apart into amplitudes
    for (int n = 0; n < 5; ++n) {
      const std::vector<double> x = moved_sketch(problem, n, 0.7);
      const Gait gait = problem.gait(x.data());
      const GaitPhase& g = air ? gait.steps[0].air : gait.steps[0].ground;
      REQUIRE(g.pulses.size() == 1);
      const VecX psi = modes[air ? 0 : 1].phi.transpose() * g.pulses[0].torque / 500;
      std::vector<double> allowed(30, 0);
      for (int i = 0; i < problem.size(); ++i) {
        const Unknown& u = problem.unknowns()[at(i)];
        if (u.name.find(where) != 0 || u.name.find("pulse") != std::string::npos) continue;
        allowed[at(std::stoi(u.name.substr(where.size())) - 1)] =
            u.lower + x[at(i)] * (u.upper - u.lower);
      }
      for (int mode = 0; mode < 30; ++mode) {
        CAPTURE(mode);
        CHECK(std::fabs(psi[mode] - allowed[at(mode)]) < 1e-6);
      }
      for (const MarkedMode& m : phase.priority) {
        CHECK(psi[m.mode - 1] / m.amplitude >= 1 - 1e-6);
      }
    }
  }
}

TEST_CASE("gait problem: torques that bend springs into a shape are along K phi") {
  const Character c = shipped_character("humanoid");
  Motion motion = basic_motion();
  motion.basis = Basis::stiff_shapes;
  const GaitProblem problem(c, motion);
  const VecX x = problem.start();
  const Modes modes = air_modes(c);
  VecX expected = VecX::Zero(30);
  for (const MarkedMode& m : motion.steps[0].air.priority) {
    VecX column = modes.phi.col(m.mode - 1);
    for (int i = 0; i < 30; ++i) column[i] *= c.model.drives[at(c.first_internal + i)].stiffness;
    expected += column.normalized() * 500 * m.amplitude;
  }
  CHECK((problem.gait(x.data()).steps[0].air.pulses[0].torque - expected).norm() < 1e-9);
}

TEST_CASE("gait problem: the sketch begins as the motion says") {
  const Character c = shipped_character("humanoid");
  const GaitProblem problem(c, basic_motion());
  const VecX x = problem.start();
  const Gait gait = problem.gait(x.data());
  CHECK(gait.mirrored);
  REQUIRE(gait.steps.size() == 1);
  CHECK(gait.steps[0].feet == std::vector<int>{1});
  CHECK(gait.period() == doctest::Approx(0.7));
  CHECK(gait.steps[0].air.duration == doctest::Approx(0.175));
  CHECK(gait.steps[0].ground.duration == doctest::Approx(0.175));
  CHECK(gait.steps[0].air.pulses[0].length == doctest::Approx(0.0875));
  CHECK(gait.steps[0].ground.pulses[0].length == doctest::Approx(0.0875));
  VecX q = c.rest.q;
  q[2] += 0.02;
  CHECK((gait.start.q - q).norm() < 1e-12);
  VecX v = VecX::Zero(36);
  v[0] = 2.5;
  CHECK((gait.start.v - v).norm() < 1e-12);
}

TEST_CASE("gait problem: modes with pulses of their own have a start and a length each") {
  const Character c = shipped_character("humanoid");
  Motion motion = basic_motion();
  motion.own_times = true;
  motion.shape = PulseShape::smooth;
  const GaitProblem problem(c, motion);
  CHECK(problem.size() == 71 + 12 + 2 * 12 + 2);
  const std::vector<double> x = moved_sketch(problem, 3, 0.3);
  const Gait gait = problem.gait(x.data());
  CHECK(gait.shape == PulseShape::smooth);
  REQUIRE(gait.steps[0].air.pulses.size() == 5);
  REQUIRE(gait.steps[0].ground.pulses.size() == 7);
  const auto value = [&](const std::string& name) {
    for (int i = 0; i < problem.size(); ++i) {
      const Unknown& u = problem.unknowns()[at(i)];
      if (u.name == name) return u.lower + x[at(i)] * (u.upper - u.lower);
    }
    return -1e300;
  };
  CHECK(gait.steps[0].air.pulses[1].start == value("step 1, air 10 start"));
  CHECK(gait.steps[0].air.pulses[1].length == value("step 1, air 10 pulse"));
  CHECK(gait.steps[0].ground.pulses[6].length == value("step 1, ground 11 pulse"));
}

TEST_CASE(
    "gait problem: a state and its unknowns are the same, and a cycle that closes has no error") {
  const Character c = shipped_character("humanoid");
  const GaitProblem problem(c, basic_motion());
  const std::vector<double> x = moved_sketch(problem, 2, 0.4);
  const Gait gait = problem.gait(x.data());
  std::vector<double> y = x;
  for (int i = 0; i < problem.cycle_size(); ++i) y[at(i)] = 0.5;
  problem.set_state(gait.start, y.data());
  for (int i = 0; i < problem.size(); ++i) CHECK(std::fabs(y[at(i)] - x[at(i)]) < 1e-12);
  // what is beyond the bounds is moved to them
  State far = gait.start;
  far.v[0] = 100;
  problem.set_state(far, y.data());
  CHECK(y[at(5 + c.internal)] == 1);

  // the image of the start, some way forward, is where a mirrored cycle should end
  RolloutResult r;
  r.end = mirrored(c, gait.start);
  r.end.q[0] += 1.3;
  std::vector<double> phi(71);
  problem.cycle_error(gait, r, phi.data());
  for (const double e : phi) CHECK(std::fabs(e) < 1e-9);
  const State next = problem.next_start(gait, r.end);
  CHECK(separation(c.model, next, gait.start) < 1e-12);

  // each error in units of its tolerance: 1 cm, 0.02 rad, 0.1 m/s, 0.2 rad/s
  const auto error_after = [&](int freedom, double dq, double dv) {
    RolloutResult s;
    State end = gait.start;
    VecX change = VecX::Zero(c.model.nv);
    change[freedom] = dq;
    move(c.model, change.data(), 1, end.q.data());
    end.v[freedom] += dv;
    s.end = mirrored(c, end);
    problem.cycle_error(gait, s, phi.data());
    int worst = 0;
    for (int i = 0; i < 71; ++i) {
      if (std::fabs(phi[at(i)]) > std::fabs(phi[at(worst)])) worst = i;
    }
    return std::pair(worst, phi[at(worst)]);
  };
  const auto check = [&](std::pair<int, double> found, int place, double error) {
    CHECK(found.first == place);
    CHECK(found.second == doctest::Approx(error).epsilon(1e-9));
  };
  check(error_after(1, 0.03, 0), 0, 3);     // left
  check(error_after(2, -0.02, 0), 1, -2);   // up
  check(error_after(4, 0.05, 0), 3, 2.5);   // root turn y
  check(error_after(10, 0.05, 0), 9, 2.5);  // a joint
  check(error_after(0, 0, 0.25), 35, 2.5);  // speed forward
  check(error_after(2, 0, -0.3), 37, -3);   // speed up
  check(error_after(3, 0, 0.5), 38, 2.5);   // root spin
  check(error_after(35, 0, 0.5), 70, 2.5);  // the last joint
  error_after(0, 0.5, 0);                   // the way forward does not count
  for (const double e : phi) CHECK(std::fabs(e) < 1e-9);
}

TEST_CASE("gait problem: modes that are to be chosen are those of the choice by balance") {
  const Character c = shipped_character("humanoid");
  Motion motion = basic_motion();
  motion.steps[0].air.others = {1};
  motion.steps[0].air.choose_others = true;
  const GaitProblem problem(c, motion);
  const std::vector<int> chosen = with_chosen_modes(c, motion).steps[0].air.others;
  CHECK(chosen.size() == most_others);
  for (const int mode : chosen) unknown(problem, "step 1, air " + std::to_string(mode));
  CHECK(problem.motion().steps[0].air.others == chosen);
  CHECK(problem.size() == 71 + 6 + 7 + 4);
}

TEST_CASE("gait problem: equal bounds hold an unknown where it is") {
  const Character c = shipped_character("humanoid");
  Motion motion = basic_motion();
  motion.range.least_period = motion.range.most_period = 0.6;
  motion.range.amplitude = 0.2;  // that of ground mode 3
  const GaitProblem problem(c, motion);
  const VecX x = problem.start();
  CHECK(x.allFinite());
  const std::vector<double> y(at(problem.size()), 1.0);
  CHECK(problem.gait(y.data()).period() == doctest::Approx(0.6));
  CHECK(problem.gait(x.data()).period() == doctest::Approx(0.6));
}

TEST_CASE("gait problem: what the character does not have is refused") {
  const Character c = shipped_character("humanoid");
  const auto text = [&](const std::function<void(Motion&)>& change) {
    Motion motion = basic_motion();
    change(motion);
    return error_text([&] { GaitProblem(c, motion); });
  };
  CHECK(text([](Motion& m) { m.steps.clear(); }) == "a motion needs one step or more");
  CHECK(text([](Motion& m) { m.steps[0].feet.clear(); }) == "a step needs one foot or more");
  CHECK(text([](Motion& m) { m.steps[0].feet = {"torso"}; }) ==
        "body 'torso' is not a foot of the character");
  CHECK(text([](Motion& m) { m.steps[0].air.others = {31}; }) ==
        "step 1, air: mode 31 does not exist, there are 30");
  CHECK(text([](Motion& m) { m.steps[0].ground.others = {3}; }) ==
        "step 1, ground: mode 3 is marked twice");
  CHECK(text([](Motion& m) { m.steps[0].ground.priority[0].amplitude = 0; }) ==
        "step 1, ground: priority mode 2 needs an amplitude other than zero");
  CHECK(text([](Motion& m) {
          m.steps[0].ground.priority[0].amplitude = -1.5;
        }).find("step 1, ground: the amplitude of mode 2 is beyond the range of 1") == 0);
  CHECK(text([](Motion& m) { m.range.least_period = 2; }).find("period: its range from 2") == 0);
  CHECK(text([](Motion& m) { m.range.sideways = -1; }).find("sideways: its range from 1") == 0);
  Motion motion = basic_motion();
  const Character kangaroo = shipped_character("kangaroo");
  motion.steps[0].feet = {"foot"};
  CHECK(error_text([&] { GaitProblem(kangaroo, motion); }) == "no error");
}
