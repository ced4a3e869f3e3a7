// Gaits simulated: their clock, pulses, mirror, contact, limits, packs.
#include "molejo/locomotion/rollout.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/locomotion/replay.h"
#include "molejo/model/scene.h"
#include "tests/locomotion/gaits.h"
#include "tests/support/error_text.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct BasicRun {
  Character character = shipped_character("humanoid");
  Motion motion = basic_motion();
  GaitProblem problem = GaitProblem(character, motion);

  Gait gait(int n, double spread = 0.1) const {
    return problem.gait(moved_sketch(problem, n, spread).data());
  }
};

// High enough that nothing ever touches.
Gait in_flight(Gait gait) {
  gait.start.q[2] += 2;
  return gait;
}

void check_same(const RolloutResult& a, const RolloutResult& b) {
  CHECK(a.end.t == b.end.t);
  CHECK(a.end.q == b.end.q);
  CHECK(a.end.v == b.end.v);
  CHECK(a.terms == b.terms);
  CHECK(a.mean_velocity == b.mean_velocity);
  CHECK(a.energy == b.energy);
  CHECK(a.work == b.work);
  CHECK(a.peak_force == b.peak_force);
  CHECK(a.least_speed == b.least_speed);
  CHECK(a.lift == b.lift);
  CHECK(a.contact_time == b.contact_time);
  CHECK(a.torso_low == b.torso_low);
  CHECK(a.steps == b.steps);
  CHECK(a.hinges == b.hinges);
  CHECK(a.likeness == b.likeness);
}

}  // namespace

TEST_CASE("rollout: means of pulses sum to their length, rectangle and smooth") {
  for (const PulseShape shape : {PulseShape::rectangle, PulseShape::smooth}) {
    for (const double start : {0.0, 0.0137}) {
      const Pulse pulse{start, 0.0911, {}};
      for (const double h : {1e-3, 0.7e-3, 0.2}) {
        double sum = 0;
        for (int n = 0; n < 300; ++n) sum += h * pulse_mean(pulse, shape, n * h, h);
        CHECK(sum == doctest::Approx(0.0911).epsilon(1e-12));
      }
      CHECK(pulse_mean(pulse, shape, start - 0.01, 0.01) == 0);
      CHECK(pulse_mean(pulse, shape, start + 0.0911, 0.01) == 0);
    }
  }
  // the hump is highest in its middle, with twice the height of the rectangle
  const Pulse pulse{0, 0.1, {}};
  CHECK(pulse_mean(pulse, PulseShape::smooth, 0.05 - 1e-5, 2e-5) ==
        doctest::Approx(2).epsilon(1e-6));
  CHECK(pulse_mean(pulse, PulseShape::smooth, 0, 1e-4) < 1e-4);
  CHECK(pulse_mean({0, 0, {}}, PulseShape::smooth, 0, 1e-3) == 0);
}

TEST_CASE("rollout: phases change at alpha T/2, T/2, ..., pulses last as long as they say") {
  const BasicRun run;
  const Gait half = run.gait(3);
  Gait gait = half;
  gait.steps.push_back(image(run.character, half).steps[0]);
  gait.steps[1].air.duration *= 0.83;  // any durations will do
  gait.steps[0].ground.pulses[0].length = 0.0537;
  gait.steps[1].air.pulses[0].length = 10;  // cut by the end of its phase
  const SeenRun seen = watched(run.character, {}, gait);

  double entered = 0;
  std::size_t n = 0;
  for (int s = 0; s < 2; ++s) {
    for (const bool air : {true, false}) {
      CAPTURE(s);
      CAPTURE(air);
      const GaitStep& step = gait.steps[at(s)];
      const GaitPhase& phase = air ? step.air : step.ground;
      const Pulse& pulse = phase.pulses[0];
      double area = 0, on = 0, ended = 0;
      int biggest = 0;
      pulse.torque.cwiseAbs().maxCoeff(&biggest);
      REQUIRE(n < seen.steps.size());
      CHECK(seen.steps[n].t == doctest::Approx(entered).epsilon(1e-12));
      for (; n < seen.steps.size(); ++n) {
        const Observed& now = seen.steps[n];
        if (now.step != s || now.in_air_phase != air) break;
        CHECK(std::fabs(now.h - 1e-3) < 0.5e-3 / (phase.duration / 1e-3 - 0.5));
        const double part = now.torque[at(biggest)] / pulse.torque[biggest];
        for (int i = 0; i < run.character.internal; ++i) {
          CHECK(std::fabs(now.torque[at(i)] - part * pulse.torque[i]) < 1e-9);
        }
        area += part * now.h;
        if (part > 0) on += now.h, ended = now.t + now.h - entered;
      }
      const double length = std::min(pulse.length, phase.duration);
      CHECK(area == doctest::Approx(length).epsilon(1e-10));
      CHECK(std::fabs(on - length) < 1.01e-3);
      CHECK(std::fabs(ended - length) < 1.01e-3);
      entered += phase.duration;
    }
  }
  CHECK(n == seen.steps.size());
  CHECK(seen.result.steps == static_cast<int>(n));
  CHECK(seen.result.end.t == doctest::Approx(gait.duration()).epsilon(1e-12));
  CHECK(gait.duration() == doctest::Approx(entered));
  CHECK(half.period() == doctest::Approx(2 * half.duration()));
}

TEST_CASE("rollout: the end moves smoothly with the period, the air share and lengths of pulses") {
  const BasicRun run;
  Rollout rollout(run.character, {});
  const std::vector<double> x = moved_sketch(run.problem, 1);
  const auto end_of = [&](const std::vector<double>& y, bool flies) {
    const Gait gait = run.problem.gait(y.data());
    return rollout.run(flies ? in_flight(gait) : gait).end;
  };
  const int n = run.problem.size();
  // lengths of both pulses, period, air share
  for (int i = n - 4; i < n; ++i) {
    CAPTURE(run.problem.unknowns()[at(i)].name);
    for (const bool flies : {true, false}) {
      CAPTURE(flies);
      const State start = end_of(x, flies);
      VecX slope[3];
      for (int k = 0; k < 3; ++k) {
        std::vector<double> y = x;
        const double step = 1e-5 * std::pow(0.1, k);
        y[at(i)] += step;
        slope[k] = (end_of(y, flies).v - start.v) / step;
      }
      // differences converge to a derivative
      CHECK(slope[2].norm() > 1);
      CHECK((slope[1] - slope[2]).norm() < 2e-3 * slope[2].norm());
      CHECK((slope[1] - slope[2]).norm() < (slope[0] - slope[1]).norm() + 1e-6 * slope[2].norm());
    }
  }
}

TEST_CASE("rollout: one step of time more in a phase leaves but a trace") {
  const BasicRun run;
  Rollout rollout(run.character, {});
  Gait gait = in_flight(run.gait(2));
  gait.steps[0].air.duration = 0.1205;
  gait.steps[0].ground.duration = 0.18;
  const auto with = [&](double change) {
    Gait other = gait;
    other.steps[0].air.duration += change;
    return rollout.run(other);
  };
  const RolloutResult a = with(-1e-9), b = with(1e-9);
  REQUIRE(b.steps == a.steps + 1);
  const double apart = separation(run.character.model, a.end, b.end);
  MESSAGE("by one step more of 120: ", apart);
  CHECK(apart < 2e-3);  // the error of the method, by a 120th
}

TEST_CASE("rollout: the image of a gait moves as the image of its motion") {
  const BasicRun run;
  RolloutSettings settings;
  for (const bool whole_body : {true, false}) {
    settings.whole_body = whole_body;
    Rollout rollout(run.character, settings);
    for (int n = 0; n < 4; ++n) {
      CAPTURE(whole_body);
      CAPTURE(n);
      const Gait gait = run.gait(n);
      const RolloutResult a = rollout.run(gait);
      const RolloutResult b = rollout.run(image(run.character, gait));
      REQUIRE(a.contact_time > 0.02);
      // bodies are solved in the order of the model, so contact agrees to its tolerance
      const double apart = separation(run.character.model, mirrored(run.character, a.end), b.end);
      CAPTURE(apart);
      CHECK(apart < 5e-3);
      const RolloutResult c = rollout.run(in_flight(gait));
      const RolloutResult d = rollout.run(image(run.character, in_flight(gait)));
      CHECK(separation(run.character.model, mirrored(run.character, c.end), d.end) < 1e-11);
      CHECK(c.energy == doctest::Approx(d.energy).epsilon(1e-12));
    }
  }
}

TEST_CASE("rollout: the second half from a mirrored state is the image of the first half") {
  const BasicRun run;
  Rollout rollout(run.character, {});
  const Gait first = run.gait(5);
  Gait both = first;
  both.mirrored = false;
  both.steps.push_back(image(run.character, first).steps[0]);
  const State middle = rollout.run(first).end;
  // what a mirrored cycle does next: the first half again, from the image of where it ended
  Gait again = first;
  again.start = mirrored(run.character, middle);
  const State expected = mirrored(run.character, rollout.run(again).end);
  const State end = rollout.run(both).end;
  const double apart = separation(run.character.model, expected, end);
  MESSAGE("second half against the image: ", apart);
  CHECK(apart < 2e-2);
  CHECK(separation(run.character.model, middle, end) > 0.3);
}

TEST_CASE("rollout: only active torques cost energy") {
  const BasicRun run;
  Gait gait = run.gait(4);
  for (GaitPhase* phase : {&gait.steps[0].air, &gait.steps[0].ground}) {
    for (Pulse& pulse : phase->pulses) pulse.torque.setZero();
  }
  Rollout rollout(run.character, {});
  const RolloutResult still = rollout.run(gait);
  CHECK(still.energy == 0);
  CHECK(still.work == 0);
  // while springs pull: joints that start bent do not stay so
  Gait bent = in_flight(gait);
  bent.start = run.character.rest;
  bent.start.q[2] += 2;
  VecX dq = VecX::Zero(run.character.model.nv);
  dq[run.character.first_internal + 1] = 0.5;
  move(run.character.model, dq.data(), 1, bent.start.q.data());
  const RolloutResult r = rollout.run(bent);
  CHECK(r.energy == 0);
  CHECK(r.end.v.tail(run.character.internal).norm() > 0.1);

  // and the mean square of those that act, by hand
  const Gait acting = run.gait(4);
  const SeenRun seen = watched(run.character, {}, acting);
  double sum = 0;
  for (const Observed& now : seen.steps) {
    for (const double torque : now.torque) sum += torque * torque;
  }
  CHECK(seen.result.energy ==
        doctest::Approx(sum / static_cast<double>(seen.steps.size())).epsilon(1e-12));
  CHECK(seen.result.work > 0);
}

TEST_CASE("rollout: as in the thesis only feet of the step touch the ground") {
  const BasicRun run;
  RolloutSettings settings;
  settings.whole_body = false;
  for (int n = 0; n < 4; ++n) {
    Gait gait = run.gait(n);
    gait.start = run.character.rest;  // on both feet
    gait.start.q[2] -= 0.01;
    gait.steps.push_back(image(run.character, gait).steps[0]);
    const SeenRun seen = watched(run.character, settings, gait);
    double pressed[2] = {};
    for (const Observed& now : seen.steps) {
      const int foot = gait.steps[at(now.step)].feet[0];
      for (std::size_t p = 0; p < seen.points.size(); ++p) {
        if (seen.points[p].body == run.character.feet[at(foot)].body.index) {
          pressed[now.step] += now.impulses[p].z;
        } else {
          REQUIRE(now.impulses[p] == Vec3{});
        }
      }
    }
    CHECK(pressed[0] > 1);
    CHECK(pressed[1] > 1);
  }
}

TEST_CASE("rollout: the whole body touches the ground") {
  const BasicRun run;
  Gait gait = run.gait(0);
  // dropped face down
  gait.start = run.character.rest;
  gait.steps[0].air.duration = 0.2;
  gait.steps[0].ground.duration = 1;
  VecX dq = VecX::Zero(run.character.model.nv);
  dq[4] = 1.3;
  move(run.character.model, dq.data(), 1, gait.start.q.data());
  gait.start.q[2] = 0.6;
  const SeenRun seen = watched(run.character, {}, gait);
  double knees = 0;
  for (const Observed& now : seen.steps) {
    for (std::size_t p = 0; p < seen.points.size(); ++p) {
      const std::string& name = run.character.model.bodies[at(seen.points[p].body)].name;
      if (name.find("thigh") == std::string::npos) continue;
      if (seen.points[p].p.z < -0.3) knees += now.impulses[p].z;  // the far end
    }
  }
  CHECK(knees > 10);
  CHECK(seen.result.terms[static_cast<std::size_t>(EasyTerm::clearance)] >= 1);
}

TEST_CASE("rollout: a joint beyond its limit returns, and hardly overshoots") {
  const BasicRun run;
  const Character& c = run.character;
  Gait gait = run.gait(0);
  for (GaitPhase* phase : {&gait.steps[0].air, &gait.steps[0].ground}) {
    for (Pulse& pulse : phase->pulses) pulse.torque.setZero();
  }
  gait.steps[0].air.duration = gait.steps[0].ground.duration = 0.3;
  const std::vector<std::string> names = freedom_names(c);
  const auto freedom = [&](const std::string& name) {
    for (int i = 0; i < c.internal; ++i) {
      if (names[at(i)] == name) return c.first_internal + i;
    }
    FAIL("no freedom " << name);
    return 0;
  };
  RolloutSettings settings;
  settings.gravity = 0;
  for (const std::string name : {"left_leg.knee y", "right_leg.hip y", "left_leg.ankle y"}) {
    CAPTURE(name);
    const int i = freedom(name);
    const Drive& drive = c.model.drives[at(i)];
    REQUIRE(drive.upper.has_value());
    gait.start = c.rest;
    gait.start.q[2] += 2;
    const auto largest = [&](const Gait& g, double& last) {
      double most = 0;
      for (const Observed& now : watched(c, settings, g).steps) {
        last = difference(c.model, c.rest.q, now.state.q)[i];
        most = std::max(most, last);
      }
      return most;
    };
    // from beyond it returns at once
    Gait beyond = gait;
    VecX dq = VecX::Zero(c.model.nv);
    dq[i] = *drive.upper + 0.3;
    move(c.model, dq.data(), 1, beyond.start.q.data());
    double last = 0;
    CHECK(largest(beyond, last) == doctest::Approx(*drive.upper + 0.3));
    CHECK(last < *drive.upper);
    // a torque that would break it is held where all springs balance it
    Gait pressed = gait;
    const double torque = drive.stiffness * *drive.upper + 200;
    for (GaitPhase* phase : {&pressed.steps[0].air, &pressed.steps[0].ground}) {
      phase->pulses[0].length = 1;
      phase->pulses[0].torque[i - c.first_internal] = torque;
    }
    const double most = largest(pressed, last) - *drive.upper;
    const double balance = 200 / (drive.stiffness + drive.limit_stiffness);
    CAPTURE(last - *drive.upper);
    CHECK(most > 0.5 * balance);
    CHECK(most < 1.5 * balance);
  }
}

TEST_CASE("rollout: the bare sketch does not run under gravity") {
  const BasicRun run;
  const VecX sketch = run.problem.start();
  const std::vector<double> x(sketch.begin(), sketch.end());
  const Gait gait = run.problem.gait(x.data());
  Rollout rollout(run.character, run.motion.rollout);
  const RolloutResult r = rollout.run(gait);
  CHECK(run.problem.easy_sum(x.data(), r) >= 1);
  std::vector<double> phi(at(run.problem.cycle_size()));
  run.problem.cycle_error(gait, r, phi.data());
  double worst = 0;
  for (const double e : phi) worst = std::max(worst, std::fabs(e));
  CHECK(worst > 10);
  // and it falls
  ReplayOptions options;
  options.record = false;
  const Replay played = replay(run.problem, x, options);
  CHECK(played.report.fell);
  CHECK(played.report.seconds < 2);
}

TEST_CASE("rollout: without gravity and torques a figure at rest stays, momentum too") {
  const BasicRun run;
  RolloutSettings settings;
  settings.gravity = 0;
  Gait gait = run.gait(1);
  gait.start = run.character.rest;
  gait.start.q[2] += 1;
  Gait still = gait;
  for (GaitPhase* phase : {&still.steps[0].air, &still.steps[0].ground}) {
    for (Pulse& pulse : phase->pulses) pulse.torque.setZero();
  }
  Rollout rollout(run.character, settings);
  CHECK(separation(run.character.model, rollout.run(still).end, gait.start) < 1e-12);
  // joint torques come in pairs
  const State end = rollout.run(gait).end;
  const Totals sum = totals(run.character.model, kinematics(run.character.model, end));
  CHECK(end.v.norm() > 1);
  CHECK(norm(sum.momentum) < 0.02);
  CHECK(norm(sum.angular_momentum) < 0.05);
}

TEST_CASE("rollout: gaits in a pack have the bits of single ones") {
  const BasicRun run;
  for (const bool whole_body : {true, false}) {
    RolloutSettings settings;
    settings.whole_body = whole_body;
    Rollout rollout(run.character, settings);
    EasyLimits tight;
    tight.least_speed = 3;
    tight.clearance = 0.01;
    rollout.measure_hinges(tight);
    for (const std::size_t count : {1U, 3U, 4U}) {
      std::vector<Gait> gaits;
      std::vector<const Gait*> pack;
      for (std::size_t i = 0; i < count; ++i) gaits.push_back(run.gait(static_cast<int>(i), 0.25));
      gaits[0].start.q[2] -= 0.3;                                  // deep in the ground
      if (count > 1) gaits[1] = in_flight(gaits[1]);               // touches nothing
      if (count > 2) gaits[2].start.v.setConstant(1e200);          // does not stay finite
      if (count > 3) gaits[3] = image(run.character, gaits[3]);    // on the other foot
      if (count > 3) gaits[3].steps.push_back(gaits[0].steps[0]);  // and longer
      for (const Gait& gait : gaits) pack.push_back(&gait);
      std::vector<RolloutResult> together(count);
      rollout.run(pack, together);
      for (std::size_t i = 0; i < count; ++i) {
        CAPTURE(i);
        CAPTURE(count);
        const RolloutResult alone = rollout.run(gaits[i]);
        CHECK(alone.finite == (i != 2));
        CHECK(together[i].finite == alone.finite);
        if (alone.finite) check_same(together[i], alone);
      }
      double hinges = 0;
      for (const double x : together[0].hinges) hinges += x;
      CHECK(hinges > 0);
    }
  }
}

TEST_CASE("rollout: a push moves, its impulse is its own, and nothing of it stays behind") {
  const BasicRun run;
  RolloutSettings settings;
  Rollout rollout(run.character, settings);
  const Gait gait = in_flight(run.gait(1));
  const RolloutResult before = rollout.run(gait);
  // across the end of the gait
  const double length = gait.duration();
  const GaitPush push{run.character.torso.index, {}, {0, 300, 0}, length - 0.05, length + 1};
  const RolloutResult pushed = rollout.run(gait, {&push, 1});
  const auto momentum = [&](const State& s) {
    return totals(run.character.model, kinematics(run.character.model, s)).momentum;
  };
  CHECK(momentum(pushed.end).y - momentum(before.end).y == doctest::Approx(15).epsilon(2e-3));
  check_same(rollout.run(gait), before);
}

TEST_CASE("rollout: springs between points act") {
  Scene scene = read_scene(SourceFile::given(source_dir() + "/scenes/characters/humanoid.json"));
  const Character plain = make_character(scene);
  scene.springs.push_back({"band", {"left_leg.foot", {}}, {"right_leg.foot", {}}, 500});
  const Character bound = make_character(scene);
  Gait gait = in_flight(GaitProblem(plain, basic_motion())
                            .gait(moved_sketch(GaitProblem(plain, basic_motion()), 1).data()));
  gait.start = plain.rest;
  gait.start.q[2] += 1;
  for (GaitPhase* phase : {&gait.steps[0].air, &gait.steps[0].ground}) {
    for (Pulse& pulse : phase->pulses) pulse.torque.setZero();
  }
  const State end = Rollout(bound, {}).run(gait).end;
  State state = gait.start;
  Scratch scratch(bound.model);
  const SeenRun seen = watched(bound, {}, gait);
  for (const Observed& now : seen.steps) {
    step(bound.model, Integrator::semi_implicit_euler, now.h, state, scratch);
  }
  CHECK(separation(bound.model, end, state) < 1e-9);
  CHECK(separation(bound.model, end, Rollout(plain, {}).run(gait).end) > 0.1);
}

TEST_CASE("rollout: what it cannot simulate is refused") {
  Scene scene = read_scene(SourceFile::given(source_dir() + "/scenes/characters/humanoid.json"));
  SceneForce wind;
  wind.name = "wind";
  wind.at.body = "torso";
  wind.samples = {{0, {1, 0, 0}, {}}};
  scene.forces.push_back(wind);
  const Character blown = make_character(scene);
  CHECK(error_text([&] { Rollout(blown, {}); }).find("force 'wind'") == 0);
  Character tilted = shipped_character("humanoid");
  tilted.up = {0, 1, 0};
  CHECK(error_text([&] { Rollout(tilted, {}); }).find("gravity along -z") != std::string::npos);
}
