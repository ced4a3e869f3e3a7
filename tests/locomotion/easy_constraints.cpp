// Walls around what is allowed: exactly 0 inside, 1 + the square of the excess outside. Every
// penalty is found again from the motion that was seen, by other code.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/locomotion/gaits.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Nothing is asked for.
EasyLimits no_limits() {
  EasyLimits e;
  e.least_speed = e.mean_speed = e.stumble = e.upright = e.start_gap = e.clearance = -infinite;
  e.lift = -infinite;
  e.drift = e.joint_speed = e.energy = e.support_gap = e.peak_force = infinite;
  return e;
}

double wall(double value, double least) {
  return value < least ? (least - value) * (least - value) + 1 : 0;
}

// What the walls are around, step by step.
struct FootSeen {
  double toe = 0, heel = 0, rise = 0, leg = 0;
  bool touches = false, supports = false;
};
struct Moment {
  Vec3 velocity;  // of the centre of mass: forward, left, up
  double above = 0, force = 0;
  std::vector<double> joint_speeds;
  std::vector<FootSeen> feet;
  bool in_support_window = false, others_touch = false;
};

struct Measured {
  Measured(const Character& c, const Gait& gait) : run(watched(c, {}, gait)) {
    const Model& model = c.model;
    double mass = 0, smooth = 0, entered = 0;
    for (const Link& link : model.links) mass += link.mass;
    bool air = true;
    for (const Observed& seen : run.steps) {
      const Kinematics<double> k = kinematics(model, seen.state);
      const Totals sum = totals(model, k);
      if (seen.in_air_phase != air) entered = seen.t, air = seen.in_air_phase;
      Moment m;
      m.velocity = {dot(sum.com_velocity, c.forward), dot(sum.com_velocity, c.left),
                    dot(sum.com_velocity, c.up)};
      m.above = body_pose(model, k, c.torso).p.z - sum.com.z;  // the torso's origin is its centre
      for (int i = 0; i < c.internal; ++i) {
        m.joint_speeds.push_back(std::fabs(seen.state.v[c.first_internal + i]));
      }
      double pressed = 0;
      for (const Vec3& impulse : seen.impulses) pressed += impulse.z;
      smooth += (pressed / seen.h / (mass * 9.81) - smooth) * seen.h / 5e-3;
      m.force = smooth;
      const GaitStep& step = gait.steps[at(seen.step)];
      m.in_support_window = !air && seen.t - entered < step.ground.pulses[0].length / 2 - 1e-9;
      for (std::size_t f = 0; f < c.feet.size(); ++f) {
        const Foot& foot = c.feet[f];
        const Pose X = body_pose(model, k, foot.body);
        const char* thigh = f == 0 ? "left_leg.thigh" : "right_leg.thigh";
        const Vec3 toe = X * foot.toe, hip = k.bodies[at(model.body(thigh).index)].p;
        FootSeen s;
        s.toe = toe.z - foot.radius, s.heel = (X * foot.heel).z - foot.radius;
        s.rise = point_velocity(k, foot.body, toe).z;
        s.leg = norm(toe - hip);
        s.supports = step.feet[0] == static_cast<int>(f);
        for (std::size_t p = 0; p < run.points.size(); ++p) {
          if (seen.impulses[p].z > 0 && run.points[p].body == foot.body.index) s.touches = true;
        }
        m.feet.push_back(s);
      }
      for (std::size_t p = 0; p < run.points.size(); ++p) {
        const int body = run.points[p].body;
        const bool foot = body == c.feet[0].body.index || body == c.feet[1].body.index;
        if (!foot && seen.impulses[p].z > 0) m.others_touch = true;
      }
      moments.push_back(m);
    }
  }

  // Sum over all steps.
  double sum(const std::function<double(const Moment&)>& penalty) const {
    double s = 0;
    for (const Moment& m : moments) s += penalty(m);
    return s;
  }
  double least(const std::function<double(const Moment&)>& value) const {
    double x = infinite;
    for (const Moment& m : moments) x = std::min(x, value(m));
    return x;
  }

  SeenRun run;
  std::vector<Moment> moments;
};

struct Setting {
  Character character = shipped_character("humanoid");
  GaitProblem problem = GaitProblem(character, basic_motion());
  // The support foot touches, nothing but feet does, the swinging one stays above.
  Gait gait = problem.gait(moved_sketch(problem, 1, 0.05).data());
  Measured measured = Measured(character, gait);

  double term(EasyTerm which, const EasyLimits& limits) const {
    RolloutSettings settings;
    settings.limits = limits;
    Rollout rollout(character, settings);
    const RolloutResult r = rollout.run(gait);
    // the others are off
    for (int i = 0; i < easy_terms; ++i) {
      if (i != static_cast<int>(which)) CHECK(r.terms[at(i)] == 0);
    }
    return r.terms[static_cast<std::size_t>(which)];
  }

  // A bound just met, just missed, and missed by far. `tighter` is the direction in which the
  // bound asks for more; `expected` gives the penalty by hand.
  void check(EasyTerm which, double EasyLimits::*bound, double extreme, double tighter, double far,
             const std::function<double(double bound)>& expected) const {
    CAPTURE(to_string(which));
    CAPTURE(extreme);
    REQUIRE(std::isfinite(extreme));
    EasyLimits limits = no_limits();
    const double fine = 1e-9 * std::max(1.0, std::fabs(extreme));
    limits.*bound = extreme - tighter * fine;
    CHECK(term(which, limits) == 0);
    limits.*bound = extreme + tighter * fine;
    const double missed = term(which, limits);
    CHECK(missed >= 1);
    CHECK(missed == doctest::Approx(expected(limits.*bound)).epsilon(1e-9));
    limits.*bound = extreme + tighter * far;
    const double hand = expected(limits.*bound);
    CHECK(hand > 1 + 0.5 * far * far);
    CHECK(term(which, limits) == doctest::Approx(hand).epsilon(1e-7));
  }
};

}  // namespace

TEST_CASE("easy constraints: speed of the centre of mass, at every step and in the mean") {
  const Setting s;
  const Measured& m = s.measured;
  s.check(EasyTerm::least_speed, &EasyLimits::least_speed,
          m.least([](const Moment& x) { return x.velocity.x; }), 1, 0.7,
          [&](double e) { return m.sum([&](const Moment& x) { return wall(x.velocity.x, e); }); });
  CHECK(m.run.result.least_speed ==
        doctest::Approx(m.least([](const Moment& x) { return x.velocity.x; })));

  Vec3 mean;
  for (const Moment& x : m.moments) mean += x.velocity * (1.0 / m.run.result.steps);
  CHECK(norm(mean - m.run.result.mean_velocity) < 1e-9);
  s.check(EasyTerm::mean_speed, &EasyLimits::mean_speed, mean.x, 1, 0.7,
          [&](double e) { return wall(mean.x, e); });
  s.check(EasyTerm::mean_speed, &EasyLimits::drift, std::max(std::fabs(mean.y), std::fabs(mean.z)),
          -1, 0.05,
          [&](double e) { return wall(-std::fabs(mean.y), -e) + wall(-std::fabs(mean.z), -e); });
}

TEST_CASE("easy constraints: speed of joints, energy, the torso above the centre of mass") {
  const Setting s;
  const Measured& m = s.measured;
  const auto fastest = [](const Moment& x) {
    return *std::max_element(x.joint_speeds.begin(), x.joint_speeds.end());
  };
  s.check(EasyTerm::joint_speed, &EasyLimits::joint_speed,
          -m.least([&](const Moment& x) { return -fastest(x); }), -1, 3, [&](double e) {
            return m.sum([&](const Moment& x) {
              double sum = 0;
              for (const double speed : x.joint_speeds) sum += wall(-speed, -e);
              return sum;
            });
          });
  const double energy = m.run.result.energy;
  REQUIRE(energy > 100);
  s.check(EasyTerm::energy, &EasyLimits::energy, energy, -1, 50,
          [&](double e) { return wall(-energy, -e); });
  s.check(EasyTerm::upright, &EasyLimits::upright, m.least([](const Moment& x) { return x.above; }),
          1, 0.1,
          [&](double e) { return m.sum([&](const Moment& x) { return wall(x.above, e); }); });
}

TEST_CASE("easy constraints: the toe stays down for half the pulse, and no leg stumbles") {
  const Setting s;
  const Measured& m = s.measured;
  const auto gap = [](const Moment& x) {
    for (const FootSeen& f : x.feet) {
      if (f.supports && x.in_support_window) return std::max(f.toe, 0.0);
    }
    return -infinite;
  };
  s.check(EasyTerm::support, &EasyLimits::support_gap,
          -m.least([&](const Moment& x) { return -gap(x); }), -1, 2e-3,
          [&](double e) { return m.sum([&](const Moment& x) { return wall(-gap(x), -e); }); });
  // the window is half the pulse of the ground phase
  const double window =
      m.sum([&](const Moment& x) { return x.in_support_window ? 1.0 : 0.0; }) * 1e-3;
  CHECK(std::fabs(window - s.gait.steps[0].ground.pulses[0].length / 2) < 1.01e-3);

  const auto longer = [](const Moment& x) {
    for (std::size_t f = 0; f < 2; ++f) {
      if (x.feet[f].supports && x.feet[f].touches) return x.feet[f].leg - x.feet[1 - f].leg;
    }
    return infinite;
  };
  s.check(EasyTerm::no_stumble, &EasyLimits::stumble, m.least(longer), 1, 0.05,
          [&](double e) { return m.sum([&](const Moment& x) { return wall(longer(x), e); }); });
}

TEST_CASE("easy constraints: the toe is lifted by as much as it should be") {
  Setting s;
  // a strong push-off
  s.gait.steps[0].ground.pulses[0].torque *= 4;
  s.gait.steps[0].ground.pulses[0].length = 0.15;
  s.measured = Measured(s.character, s.gait);
  const Measured& m = s.measured;
  double lift = 0, last = infinite;
  bool sank = false;
  for (const Moment& x : m.moments) {
    const FootSeen& foot = x.feet[0].supports ? x.feet[0] : x.feet[1];
    if (x.velocity.z < 0) sank = true;
    const bool counts = sank && x.velocity.z > 0 && x.velocity.z - foot.rise > -0.1 &&
                        foot.heel > foot.toe && foot.toe > last;
    if (counts) lift += foot.toe - last;
    last = foot.toe;
  }
  REQUIRE(lift > 0.005);
  CHECK(std::fabs(m.run.result.lift - lift) < 1e-9);
  s.check(EasyTerm::take_off, &EasyLimits::lift, lift, 1, 0.05,
          [&](double e) { return wall(lift, e); });
}

TEST_CASE("easy constraints: feet start and swing above the ground") {
  const Setting s;
  const Measured& m = s.measured;
  const auto lowest = [](const FootSeen& f) { return std::min(f.toe, f.heel); };
  const std::vector<FootSeen>& start = m.moments[0].feet;
  s.check(EasyTerm::start_gap, &EasyLimits::start_gap, std::min(lowest(start[0]), lowest(start[1])),
          1, 0.1, [&](double e) { return wall(lowest(start[0]), e) + wall(lowest(start[1]), e); });

  for (const Moment& x : m.moments) REQUIRE(!x.others_touch);
  const auto swing = [&](const Moment& x) { return lowest(x.feet[x.feet[0].supports ? 1 : 0]); };
  s.check(EasyTerm::clearance, &EasyLimits::clearance, m.least(swing), 1, 0.02,
          [&](double e) { return m.sum([&](const Moment& x) { return wall(swing(x), e); }); });
}

TEST_CASE("easy constraints: peak force") {
  const Setting s;
  const Measured& m = s.measured;
  const double peak = -m.least([](const Moment& x) { return -x.force; });
  REQUIRE(peak > 0.5);
  CHECK(m.run.result.peak_force == doctest::Approx(peak));
  s.check(EasyTerm::peak_force, &EasyLimits::peak_force, peak, -1, 0.4,
          [&](double e) { return m.sum([&](const Moment& x) { return wall(-x.force, -e); }); });
}

TEST_CASE("easy constraints: a body that is no foot and touches counts at every step") {
  const Setting s;
  Gait gait = s.gait;
  gait.start.q[2] -= 0.4;  // on its shins
  const SeenRun seen = watched(s.character, {}, gait);
  double expected = 0;
  for (const Observed& now : seen.steps) {
    for (int b = 0; b < s.character.model.body_count(); ++b) {
      if (b == s.character.feet[0].body.index || b == s.character.feet[1].body.index) continue;
      double pressed = 0;
      for (std::size_t p = 0; p < seen.points.size(); ++p) {
        if (seen.points[p].body == b) pressed += now.impulses[p].z;
      }
      if (pressed > 0) expected += pressed * pressed + 1;
    }
  }
  REQUIRE(expected > 1);
  RolloutSettings settings;
  settings.limits = no_limits();
  const RolloutResult r = Rollout(s.character, settings).run(gait);
  CHECK(r.terms[static_cast<std::size_t>(EasyTerm::clearance)] ==
        doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("easy constraints: other modes may not outweigh the priority ones") {
  const Setting s;
  const VecX sketch = s.problem.start();
  std::vector<double> x(sketch.begin(), sketch.end());
  CHECK(s.problem.priority_term(x.data()) == 0);
  // air: priority 2, 10, 11 of 0.1 + 0.05 + 0.05; others 3 and 4
  const auto set = [&](const std::string& name, double amplitude) {
    for (int i = 0; i < s.problem.size(); ++i) {
      const Unknown& u = s.problem.unknowns()[at(i)];
      if (u.name == name) x[at(i)] = u.part(amplitude);
    }
  };
  set("step 1, air 3", -0.12);
  set("step 1, air 4", 0.079);
  CHECK(s.problem.priority_term(x.data()) == 0);
  set("step 1, air 4", 0.13);
  CHECK(s.problem.priority_term(x.data()) == doctest::Approx(1 + 0.05 * 0.05));
  // ground: priority 0.1 + 0.2 + 0.1 + 0.05; others 1, 5, 11
  set("step 1, ground 1", -0.75);
  CHECK(s.problem.priority_term(x.data()) == doctest::Approx(2 + 0.05 * 0.05 + 0.3 * 0.3));
}

TEST_CASE("easy constraints: objective and sum") {
  const Setting s;
  const RolloutResult r = s.measured.run.result;
  const double v = r.mean_velocity.x;
  CHECK(s.problem.objective(r) == doctest::Approx(r.energy / (v * v)).epsilon(1e-12));
  const std::vector<double> x = moved_sketch(s.problem, 1, 0.05);
  double sum = s.problem.priority_term(x.data());
  for (const double term : r.terms) sum += term;
  CHECK(s.problem.easy_sum(x.data(), r) == sum);
}
