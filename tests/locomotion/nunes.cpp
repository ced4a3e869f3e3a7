// Rows of the checklist of Nunes (2012) that no other test holds with the tolerance asked for: see
// docs/theory/nunes.md. All are of gaits as they are simulated in a rollout.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "molejo/locomotion/sketch.h"
#include "tests/locomotion/gaits.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double thesis_step = 5e-4;

RolloutSettings floating(double time_step) {
  RolloutSettings settings;
  settings.time_step = time_step;
  settings.gravity = 0;
  settings.contact = false;
  return settings;
}

// One phase with a pulse; the other takes hardly any time.
Gait one_pulse(const Character& c, const State& start, double seconds, double length,
               const VecX& torque) {
  Gait gait;
  GaitStep& step = gait.steps.emplace_back();
  step.feet = {0};
  step.air.duration = seconds;
  step.air.pulses = {{0, length, torque}};
  step.ground.duration = 1e-3;
  step.ground.pulses = {{0, 0, VecX::Zero(c.internal)}};
  gait.start = start;
  return gait;
}

struct Momenta {
  Vec3 linear, angular;  // the second about the centre of mass
};

Momenta momenta(const Character& c, const State& state) {
  const Totals t = totals(c.model, kinematics(c.model, state));
  return {t.momentum, t.angular_momentum - cross(t.com, t.momentum)};
}

// The larger of both, relative.
double drift(const Momenta& from, const Momenta& to) {
  return std::fmax(norm(to.linear - from.linear) / norm(from.linear),
                   norm(to.angular - from.angular) / norm(from.angular));
}

// Runs forward, turns, and swings in all joints.
State tumbling(const Character& c) {
  State state = c.rest;
  state.v[0] = 2.5, state.v[2] = 0.3, state.v[3] = 0.4, state.v[4] = -0.2, state.v[5] = 0.5;
  for (int i = 0; i < c.internal; ++i) state.v[c.first_internal + i] = std::sin(1.0 + i);
  return state;
}

// Changes the velocity of the root so that both momenta are the given ones: they are linear in it.
void keep_momenta(const Character& c, const Momenta& kept, State& state) {
  const auto both = [&](const State& s) {
    const Momenta m = momenta(c, s);
    Eigen::Matrix<double, 6, 1> x;
    x << m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z;
    return x;
  };
  Eigen::Matrix<double, 6, 1> wanted;
  wanted << kept.linear.x, kept.linear.y, kept.linear.z, kept.angular.x, kept.angular.y,
      kept.angular.z;
  Eigen::Matrix<double, 6, 6> inertia;
  State unit = state;
  for (int i = 0; i < 6; ++i) {
    unit.v.setZero();
    unit.v[i] = 1;
    inertia.col(i) = both(unit);
  }
  state.v.head(6) += inertia.partialPivLu().solve(wanted - both(state));
}

// Part of a mode in a state, by its mass: the shape alone gives 1.
struct ModalCoordinate {
  ModalCoordinate(const Character& character, const Modes& modes, int mode)
      : c(character), shape(modes.shapes.col(mode)) {
    const ModalMatrices m = modal_matrices(c.model, c.rest, {});
    row = m.M * shape / shape.dot(m.M * shape);
  }
  double operator()(const VecX& q) const { return row.dot(difference(c.model, c.rest.q, q)); }

  const Character& c;
  VecX shape, row;
};

}  // namespace

TEST_CASE("nunes: momentum drifts by the order of the integrator, and need not drift at all") {
  const Character c = shipped_character("humanoid");
  const State start = tumbling(c);
  const Momenta before = momenta(c, start);
  const VecX none = VecX::Zero(c.internal);
  // as gaits are simulated: semi-implicit Euler
  double in_rollout[3];
  for (int i = 0; i < 3; ++i) {
    Rollout rollout(c, floating(1e-3 / (1 << i)));
    in_rollout[i] = drift(before, momenta(c, rollout.run(one_pulse(c, start, 1, 0, none)).end));
  }
  MESSAGE("relative drift in 1 s of a rollout at 1, 0.5, 0.25 ms: "
          << in_rollout[0] << ", " << in_rollout[1] << ", " << in_rollout[2]);
  CHECK(in_rollout[1] < 2e-3);
  CHECK(order(in_rollout[0], in_rollout[1]) == doctest::Approx(1).epsilon(0.05));
  CHECK(order(in_rollout[1], in_rollout[2]) == doctest::Approx(1).epsilon(0.05));

  // midpoint: 1e-6 at a quarter of a millisecond
  Model free = c.model;
  free.gravity = {};
  free.contact.enabled = false;
  double by_midpoint[3];
  for (int i = 0; i < 3; ++i) {
    by_midpoint[i] =
        drift(before, momenta(c, run(free, start, Integrator::midpoint, 1e-3 / (1 << i), 1)));
  }
  MESSAGE("midpoint: " << by_midpoint[0] << ", " << by_midpoint[1] << ", " << by_midpoint[2]);
  CHECK(by_midpoint[0] < 2e-5);
  CHECK(by_midpoint[2] < 1e-6);
  CHECK(order(by_midpoint[0], by_midpoint[1]) == doctest::Approx(2).epsilon(0.05));
  CHECK(order(by_midpoint[1], by_midpoint[2]) == doctest::Approx(2).epsilon(0.05));

  // what drifts is A(q) v when q moves on: six numbers, which the root can carry. With them put
  // right after each step of Euler nothing is left but rounding, at 1 ms
  State state = start;
  Scratch scratch(free);
  for (int n = 0; n < 1000; ++n) {
    step(free, Integrator::semi_implicit_euler, 1e-3, state, scratch);
    keep_momenta(c, before, state);
  }
  const double left = drift(before, momenta(c, state));
  MESSAGE("Euler at 1 ms with the root put right: " << left);
  CHECK(left < 1e-11);
}

TEST_CASE("nunes: a low mode rings down in a rollout with a ratio of 0.05 w, within 2 percent") {
  const Character c = shipped_character("humanoid", {.stiffness = 200});
  const Modes modes = air_modes(c);
  for (const int mode : {0, 1}) {
    CAPTURE(mode);
    const double w = std::sqrt(modes.eigenvalue[mode]), xi = 0.05 * w;
    const double wd = w * std::sqrt(1 - xi * xi), A = 0.01;
    const ModalCoordinate part(c, modes, mode);
    const double end = 1.25 * 2 * std::numbers::pi / wd;
    const Gait gait =
        one_pulse(c, deflected(c.model, c.rest, part.shape, A), end, 0, VecX::Zero(c.internal));
    double worst = 0, peak = 0, peak_time = 0;
    for (const Observed& now : watched(c, floating(thesis_step), gait).steps) {
      const double p = part(now.state.q), t = now.t;
      const double known =
          A * std::exp(-xi * w * t) * (std::cos(wd * t) + xi * w / wd * std::sin(wd * t));
      worst = std::fmax(worst, std::fabs(p - known));
      if (t > 0.75 * end / 1.25 && p > peak) peak = p, peak_time = t;
    }
    const double ratio = std::log(A / peak) / (w * 2 * std::numbers::pi / wd);
    MESSAGE("mode " << mode + 1 << ": ratio " << ratio / xi - 1 << " off, period "
                    << peak_time * wd / (2 * std::numbers::pi) - 1 << " off, curve " << worst / A);
    CHECK(ratio == doctest::Approx(xi).epsilon(0.02));
    CHECK(peak_time == doctest::Approx(2 * std::numbers::pi / wd).epsilon(0.02));
    CHECK(worst < 0.02 * A);
  }
}

TEST_CASE("nunes: a pulse in no field excites its mode as the closed form says, within 2 percent") {
  const double stiffness = 200;
  const Character c = shipped_character("humanoid", {.stiffness = stiffness});
  const Modes modes = air_modes(c);
  for (const int mode : {0, 1}) {
    CAPTURE(mode);
    const double w = std::sqrt(modes.eigenvalue[mode]), decay = 0.05 * w * w;
    const double wd = std::sqrt(w * w - decay * decay);
    const double length = 0.1, torque = 0.5;
    // what a constant torque that begins at 0 does; a pulse is one that begins and one that ends
    const auto answer = [&](double t) {
      if (t <= 0) return 0.0;
      return torque / stiffness *
             (1 - std::exp(-decay * t) * (std::cos(wd * t) + decay / wd * std::sin(wd * t)));
    };
    const ModalCoordinate part(c, modes, mode);
    const double end = 2 * std::numbers::pi / wd;
    const Gait gait = one_pulse(c, c.rest, end, length, torque * modes.phi.col(mode));
    double worst = 0, most = 0, others = 0;
    for (const Observed& now : watched(c, floating(thesis_step), gait).steps) {
      const double known = answer(now.t) - answer(now.t - length);
      worst = std::fmax(worst, std::fabs(part(now.state.q) - known));
      most = std::fmax(most, std::fabs(known));
      for (const int other : {2, 3, 10}) {
        others = std::fmax(others, std::fabs(ModalCoordinate(c, modes, other)(now.state.q)));
      }
    }
    MESSAGE("mode " << mode + 1 << ": " << worst / most << " of the swing off");
    CHECK(most > 1e-4);
    CHECK(worst < 0.02 * most);
    CHECK(others < 0.02 * most);
  }
}

TEST_CASE("nunes: palettes are sorted by frequency, for every figure and phase") {
  for (const char* name : {"humanoid", "monster", "kangaroo", "quadruped"}) {
    CAPTURE(name);
    const Character c = shipped_character(name);
    std::vector<Modes> palettes = {air_modes(c)};
    for (std::size_t f = 0; f < c.feet.size(); ++f) {
      palettes.push_back(ground_modes(c, static_cast<int>(f)));
    }
    for (const Modes& modes : palettes) {
      REQUIRE(modes.count() == c.internal);
      for (int i = 1; i < modes.count(); ++i) CHECK(modes.hertz[i] >= modes.hertz[i - 1]);
      CHECK(modes.hertz[0] > 0.1);
    }
  }
}

TEST_CASE("nunes: a changed amplitude is seen in the next frame of the sketch") {
  const Character c = shipped_character("humanoid");
  Motion motion;
  motion.steps.push_back({{"right_leg.foot"}, {{{2, 0.1}}, {}}, {}});
  Sketch sketch(c, motion);
  sketch.advance(0.5);
  sketch.set_amplitude(0, SketchPhase::air, 2, -0.2);
  sketch.advance(1.0 / 60);
  // 17 steps of a millisecond are all that is computed for it: 1 of them in 100 ms would do
  CHECK(std::fabs(sketch.state().t - 1.0 / 60) <= motion.rollout.time_step);
  CHECK(sketch.modal_amplitude(0, SketchPhase::air, 2) < -1e-3);
}

TEST_CASE("nunes: another rest pose has another palette") {
  const Character standing = shipped_character("humanoid");
  CharacterOptions options;
  options.pose.mirror = true;
  options.pose.turns = {{"left_leg.hip", {0, -0.6, 0}}, {"left_leg.knee", {0, 1.0, 0}}};
  const Character crouched = shipped_character("humanoid", options);
  const Modes a = air_modes(standing), b = air_modes(crouched);
  REQUIRE(a.count() == b.count());
  CHECK((a.hertz - b.hertz).cwiseAbs().maxCoeff() > 0.1);
  CHECK(b.rigid == 6);
}

TEST_CASE("nunes: in flight the second half is the image of the first to rounding") {
  const Character c = shipped_character("humanoid");
  const GaitProblem problem(c, basic_motion());
  Gait first = problem.gait(moved_sketch(problem, 5).data());
  first.start.q[2] += 5;
  Rollout rollout(c, {});
  Gait both = first;
  both.mirrored = false;
  both.steps.push_back(image(c, first).steps[0]);
  Gait again = first;
  again.start = mirrored(c, rollout.run(first).end);
  const State expected = mirrored(c, rollout.run(again).end);
  CHECK(separation(c.model, expected, rollout.run(both).end) < 1e-11);
}
