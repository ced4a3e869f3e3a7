#include "molejo/locomotion/style.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/motion.h"
#include "molejo/locomotion/replay.h"
#include "molejo/locomotion/sketch.h"
#include "tests/locomotion/gaits.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// The sketch as a gait of half a cycle, from where the sketch is once it has settled.
Gait settled_sketch(const Character& character, const Motion& motion, const GaitProblem& problem) {
  Sketch sketch(character, motion);
  sketch.advance(4 * sketch.period());
  Gait gait = problem.gait(problem.start().data());
  gait.start = sketch.state();
  return gait;
}

Motion weightless(Motion motion) {
  motion.rollout.gravity = 0;
  motion.rollout.contact = false;
  return motion;
}

}  // namespace

TEST_CASE("style: a sketch is like itself, and its reverse is not") {
  const Character character = shipped_character("humanoid");
  const Motion motion = weightless(basic_motion());
  const GaitProblem problem(character, motion);
  Rollout rollout = compared_rollout(problem);
  Gait gait = settled_sketch(character, motion, problem);
  CHECK(rollout.run(gait).likeness > 0.999);
  CHECK(rollout.run(gait).size == doctest::Approx(1).epsilon(0.01));
  // twice the length of everything: the same views
  Motion slow = motion;
  slow.range.period *= 2, slow.range.most_period *= 2, slow.range.most_pulse *= 2;
  const GaitProblem slow_problem(character, slow);
  const double slower = rollout.run(settled_sketch(character, slow, slow_problem)).likeness;
  CHECK(slower > 0.5);
  CHECK(slower < 0.999);  // the springs answer otherwise
  // small torques the other way give the small movement the other way
  Motion reversed = motion;
  for (auto* marks : {&reversed.steps[0].air, &reversed.steps[0].ground}) {
    for (MarkedMode& m : marks->priority) m.amplitude *= -1;
  }
  const GaitProblem reversed_problem(character, reversed);
  const RolloutResult back = rollout.run(settled_sketch(character, reversed, reversed_problem));
  CHECK(back.likeness < -0.9);
  CHECK(back.size < -0.9);
}

TEST_CASE("style: likeness has the same bits in a pack") {
  const Character character = shipped_character("humanoid");
  const GaitProblem problem(character, basic_motion());
  Rollout rollout = compared_rollout(problem);
  std::vector<Gait> gaits;
  const Gait* pack[4];
  for (int i = 0; i < 4; ++i) gaits.push_back(problem.gait(moved_sketch(problem, i).data()));
  for (std::size_t i = 0; i < 4; ++i) pack[i] = &gaits[i];
  std::vector<RolloutResult> together(4);
  rollout.run(pack, together);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(together[i].likeness == rollout.run(gaits[i]).likeness);
    CHECK(together[i].likeness != 0);
  }
}

TEST_CASE("style: the likeness of a rollout is the correlation of what is seen") {
  const GaitFile file =
      load_gait(SourceFile::given(source_dir() + "/scenes/gaits/basic_run.gait.json"));
  const Character character = make_character(file.motion.scene, file.motion.motion.figure);
  const GaitProblem problem(character, file.motion.motion);
  const MatX sketch = sketch_style(problem).turns;
  const MatX run = gait_style(problem, file.unknowns).turns;
  REQUIRE(sketch.rows() == 4 * StyleReference::views);
  REQUIRE(run.rows() == sketch.rows());
  double ab = 0, aa = 0, bb = 0;
  for (const VecX& shape : problem.priority_shapes()) {
    VecX a = sketch * shape, b = run * shape;
    a.array() -= a.mean(), b.array() -= b.mean();
    ab += a.dot(b), aa += a.dot(a), bb += b.dot(b);
  }
  const GaitCheck check = check_gait(problem, file.unknowns);
  // steps of time there, views here
  CHECK(check.result.likeness == doctest::Approx(ab / std::sqrt(aa * bb)).epsilon(0.01));
  CHECK(check.result.likeness >= problem.motion().rollout.limits.likeness);
  CHECK(check.result.size == doctest::Approx(ab / aa).epsilon(0.01));
  CHECK(check.result.size >= problem.motion().rollout.limits.size);
}

TEST_CASE(
    "style: a gait that is smaller than its sketch or less like it than it must be is not valid") {
  GaitFile file = load_gait(SourceFile::given(source_dir() + "/scenes/gaits/basic_run.gait.json"));
  const Character character = make_character(file.motion.scene, file.motion.motion.figure);
  const auto term = [&](EasyTerm which) {
    const GaitProblem problem(character, file.motion.motion);
    const GaitCheck check = check_gait(problem, file.unknowns);
    return check.result.terms[static_cast<std::size_t>(which)];
  };
  CHECK(term(EasyTerm::likeness) == 0);
  CHECK(term(EasyTerm::size) == 0);
  file.motion.motion.rollout.limits.likeness = 0.999;
  file.motion.motion.rollout.limits.size = 9;
  CHECK(term(EasyTerm::likeness) > 1);
  CHECK(term(EasyTerm::size) > 1);
}

TEST_CASE("style: a figure at rest") {
  const Character character = shipped_character("humanoid");
  Motion motion = weightless(basic_motion());
  const GaitProblem problem(character, motion);
  VecX x = problem.start();
  std::vector<double> unknowns(x.begin(), x.end());
  for (int i = 0; i < problem.size(); ++i) {
    // no speed and no torque
    const Unknown& u = problem.unknowns()[at(i)];
    if (u.name == "height") unknowns[at(i)] = u.part(0);
    if (u.name == "speed") unknowns[at(i)] = 0;
    if (i >= problem.first_amplitude() && i < problem.last_amplitude()) {
      unknowns[at(i)] = u.part(u.lower <= 0 && u.upper >= 0 ? 0 : u.start > 0 ? u.lower : u.upper);
    }
  }
  motion.torque_scale = 0;
  const GaitProblem still(character, motion);
  const GaitStyle style = gait_style(still, unknowns);
  CHECK(style.turns.cwiseAbs().maxCoeff() < 1e-12);
  CHECK(style.roll < 1e-12);
  CHECK(style.pitch < 1e-12);
  CHECK(style.yaw < 1e-12);
  // hips of the reference humanoid are 10 cm to each side of the middle, legs straight ahead
  CHECK(style.knee_separation == doctest::Approx(0.2));
  CHECK(style.foot_separation == doctest::Approx(0.2));
  CHECK(style.hip_height > 0.7);
  CHECK(style.hip_height < 0.9);
  for (const bool touched : style.touches) CHECK(!touched);
}

TEST_CASE("style: distances and phases of known courses") {
  GaitStyle a, b;
  const int views = 40;
  a.turns = MatX::Zero(views, 2);
  for (int i = 0; i < views; ++i) {
    const double angle = 2 * M_PI * (i + 0.5) / views;
    a.turns(i, 0) = std::cos(angle);
    a.turns(i, 1) = 3 * std::cos(angle - 2 * M_PI * 0.2) + 1;
  }
  CHECK(phase_between(a, 0, 1) == doctest::Approx(0.2));
  CHECK(phase_between(a, 1, 0) == doctest::Approx(-0.2));
  CHECK(phase_between(a, 0, 0) == 0);
  b.turns = a.turns.array() + 0.3;
  CHECK(style_distance(a, a) == 0);
  CHECK(style_distance(a, b) == doctest::Approx(0.3));
  CHECK(style_distance(b, a) == doctest::Approx(0.3));
}
