// Springs, dampers, limits and motors against the oscillator, statics and the law of the lever.
#include <doctest/doctest.h>

#include <numbers>

#include "molejo/physics/world.h"
#include "tests/support/assemble.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double pi = std::numbers::pi, g = 9.81;

// x'' + 2 zeta w x' + w^2 x = 0 from x0 at rest, zeta < 1.
struct Oscillator {
  double w, zeta, x0;

  double wd() const { return w * std::sqrt(1 - zeta * zeta); }
  double x(double t) const {
    return x0 * std::exp(-zeta * w * t) *
           (std::cos(wd() * t) + zeta * w / wd() * std::sin(wd() * t));
  }
  double v(double t) const {
    return -x0 * std::exp(-zeta * w * t) * w * w / wd() * std::sin(wd() * t);
  }
};

// A body of 2 kg and 0.5 kg m^2 about its joint, on a joint of one freedom along or about z;
// gravity off unless asked for.
Scene one_freedom(JointType type, const Drive& drive, double position, bool gravity = false) {
  Scene scene;
  if (!gravity) scene.settings.gravity = {};
  add_body(scene, "body", 2, {0.3, 0.4, 0.5});
  SceneJoint& joint = add_joint(scene, type, "", "body", {});
  joint.drives = {drive};
  joint.position = {position};
  return scene;
}
constexpr double mass = 2, moment = 0.5;

}  // namespace

TEST_CASE("point spring: two bodies oscillate with 2 pi sqrt(m1 m2 / (k (m1 + m2)))") {
  const double m1 = 1.5, m2 = 4, k = 60, rest = 0.8, stretch = 0.3;
  const double period = 2 * pi * std::sqrt(m1 * m2 / (k * (m1 + m2)));
  const Vec3 along = normalized(Vec3{1, -2, 0.5});
  Scene scene;
  scene.settings.gravity = {};
  add_body(scene, "a", m1, {1, 1, 1}).velocity = SceneBody::Velocity{{0.1, 0.2, 0.3}, {}};
  add_body(scene, "b", m2, {1, 1, 1}, frame_at(along * (rest + stretch))).velocity =
      SceneBody::Velocity{{0.1, 0.2, 0.3}, {}};
  scene.springs.push_back({"spring", {"a", {}}, {"b", {}}, k, rest, 0});
  const Built built = build(scene);

  const auto elongation = [&](Integrator method, double t) {
    const State s = run(built, method, 1e-3, t);
    return norm(pose(built.model, s, "b").p - pose(built.model, s, "a").p) - rest;
  };
  // half way through it is shortest, at the quarters relaxed (where time is seen best)
  CHECK(std::fabs(elongation(Integrator::rk4, period) - stretch) < 1e-9);
  CHECK(std::fabs(elongation(Integrator::rk4, period / 2) + stretch) < 1e-9);
  CHECK(std::fabs(elongation(Integrator::rk4, 2.25 * period)) < 1e-8 * stretch * 2 * pi);
  // the default integrator at the default step: relative error of the period below 1e-4
  const double slip = elongation(Integrator::midpoint, 2.25 * period) / (stretch * 2 * pi / period);
  CHECK(std::fabs(slip) < 1e-5 * 2.25 * period);
  CHECK(std::fabs(energy(built.model, built.initial).elastic - 0.5 * k * stretch * stretch) <
        1e-12);
}

TEST_CASE("point spring: of zero length it draws an ellipse, also through its own centre") {
  const double m = 2, k = 30, w = std::sqrt(k / m);
  const Vec3 x0{0.4, 0, 0.1}, v0{0, 1.5, -0.2};
  for (const Vec3& v : {v0, Vec3{}}) {
    Scene scene;
    scene.settings.gravity = {};
    add_body(scene, "b", m, {1, 1, 1}, frame_at(x0)).velocity = SceneBody::Velocity{v, {}};
    scene.springs.push_back({"spring", {"", {}}, {"b", {}}, k, 0, 0});
    const Built built = build(scene);
    for (const double t : {0.3, pi / 2 / w, 2.0}) {
      const Vec3 expected = x0 * std::cos(w * t) + v * (std::sin(w * t) / w);
      CHECK(norm(pose(built.model, run(built, Integrator::rk4, 1e-3, t), "b").p - expected) < 1e-9);
    }
  }
  // both ends at one point: no force, no 0/0
  Scene scene;
  add_body(scene, "b", m, {1, 1, 1});
  scene.springs.push_back({"zero", {"", {}}, {"b", {}}, k, 0, 5});
  scene.springs.push_back({"long", {"", {}}, {"b", {}}, k, 1, 5});
  const Built built = build(scene);
  CHECK((accelerations(built.model, built.initial) - -g * VecX::Unit(6, 2)).norm() < 1e-14);
}

TEST_CASE("point spring: damped swings shrink by the logarithmic decrement") {
  const double m = 2, k = 50, b = 3, rest = 1, x0 = 0.25;
  const Oscillator o{std::sqrt(k / m), b / (2 * std::sqrt(k * m)), x0};
  Scene scene;
  scene.settings.gravity = {};
  add_body(scene, "b", m, {1, 1, 1}, frame_at({rest + x0, 0, 0}));
  scene.springs.push_back({"spring", {"", {}}, {"b", {}}, k, rest, b});
  const Built built = build(scene);
  const double period = 2 * pi / o.wd(),
               decrement = 2 * pi * o.zeta / std::sqrt(1 - o.zeta * o.zeta);
  for (int n = 1; n <= 3; ++n) {
    const State s = run(built, Integrator::rk4, 1e-3, n * period);
    const double amplitude = pose(built.model, s, "b").p.x - rest;
    CHECK(std::fabs(std::log(x0 / amplitude) - n * decrement) < 1e-8);
    CHECK(std::fabs(s.v[0]) < 1e-9);
  }
}

TEST_CASE("joint spring: prismatic and revolute joints are damped oscillators") {
  for (const JointType type : {JointType::prismatic, JointType::revolute}) {
    const double inertia = type == JointType::prismatic ? mass : moment;
    const double k = 70, b = 0.9, rest = 0.2, armature = 0.15;
    const double felt = inertia + armature;
    const Oscillator o{std::sqrt(k / felt), b / (2 * std::sqrt(k * felt)), 0.5};
    Drive drive;
    drive.stiffness = k, drive.damping = b, drive.rest = rest, drive.armature = armature;
    const Built built = build(one_freedom(type, drive, rest + o.x0));
    for (const double t : {0.1, 0.7, 2.0}) {
      CAPTURE(to_string(type));
      const State s = run(built, Integrator::rk4, 1e-3, t);
      CHECK(std::fabs(s.q[0] - rest - o.x(t)) < 1e-9);
      CHECK(std::fabs(s.v[0] - o.v(t)) < 1e-8);
      // implicit treatment in the middle of the step is second order
      const State second = run(built, Integrator::midpoint, 1e-3, t);
      CHECK(std::fabs(second.q[0] - rest - o.x(t)) < 1e-4);
    }
  }
}

TEST_CASE(
    "joint spring: a ball joint with equal springs swings about any axis, up to half a turn") {
  const double k = 12, I = 0.7, angle = 2.5, w = std::sqrt(k / I);
  const Vec3 axis = normalized(Vec3{1, 2, -0.5});
  Scene scene;
  scene.settings.gravity = {};
  add_body(scene, "ball", 3, {I, I, I});
  SceneJoint& joint = add_joint(scene, JointType::spherical, "", "ball", {});
  Drive drive;
  drive.stiffness = k;
  joint.drives = {drive, drive, drive};
  const Quat q = exp_quat(axis * angle);
  joint.position = {q.w, q.x, q.y, q.z};
  const Built built = build(scene);
  CHECK(energy(built.model, built.initial).elastic == doctest::Approx(k * angle * angle / 2));
  for (const double t : {0.2, 0.9, 2 * pi / w}) {
    const State s = run(built, Integrator::rk4, 1e-3, t);
    const Vec3 phi = log_quat(Quat{s.q[0], s.q[1], s.q[2], s.q[3]});
    CHECK(norm(phi - axis * (angle * std::cos(w * t))) < 1e-8);
  }
}

TEST_CASE("joint spring: hertz and damping ratio give that frequency and that decay") {
  for (const JointType type : {JointType::prismatic, JointType::revolute}) {
    const double hertz = 1.7, ratio = 0.15;
    Drive drive;
    drive.hertz = hertz, drive.damping_ratio = ratio, drive.armature = 0.3;
    const Built built = build(one_freedom(type, drive, 0.4));
    const Oscillator o{2 * pi * hertz, ratio, 0.4};
    for (const double t : {0.2, 1.0, 1 / hertz}) {
      CHECK(std::fabs(run(built, Integrator::rk4, 5e-4, t).q[0] - o.x(t)) < 1e-9);
    }
  }
  // the inertia felt is that of everything the joint carries: both links of a chain of two
  Scene scene = chain_scene(2);
  scene.settings.gravity = {};
  Drive drive;
  drive.hertz = 2;
  scene.joints[0].drives = {drive};
  const Built built = build(scene);
  const double rod = (0.04 * 0.04 + 0.2 * 0.2) / 12;
  const double inertia = 2 * rod + 0.1 * 0.1 + 0.3 * 0.3;
  CHECK(built.model.drives[0].stiffness == doctest::Approx(inertia * 16 * pi * pi));
  CHECK(built.model.drives[0].damping == doctest::Approx(2 * inertia * 4 * pi));
}

TEST_CASE("motor: holds a load where kp (target - q) + force carries it") {
  Drive drive;
  drive.kp = 200, drive.kd = 30, drive.target = 0.5, drive.force = 4;
  const double settled = 0.5 - (mass * g - 4) / 200;
  for (const Integrator method :
       {Integrator::semi_implicit_euler, Integrator::midpoint, Integrator::rk4}) {
    const Built built = build(one_freedom(JointType::prismatic, drive, 0, true));
    const State s = run(built, method, 1e-3, 8);
    CAPTURE(to_string(method));
    CHECK(std::fabs(s.q[0] - settled) < 1e-10);
    CHECK(std::fabs(s.v[0]) < 1e-10);
  }
}

TEST_CASE("motor: a speed motor approaches its lag exponentially") {
  Drive drive;
  drive.kd = 5, drive.target_velocity = 2;
  const Built built = build(one_freedom(JointType::prismatic, drive, 0, true));
  const double lag = 2 - mass * g / 5;
  for (const double t : {0.3, 1.5}) {
    const State s = run(built, Integrator::rk4, 1e-3, t);
    CHECK(std::fabs(s.v[0] - lag * (1 - std::exp(-5 / mass * t))) < 1e-10);
  }
}

TEST_CASE("motor: max_force is never exceeded") {
  Drive drive;
  drive.kp = 1e5, drive.kd = 10, drive.target = 100, drive.max_force = 7;
  // far from the target the push is constant
  const Built far = build(one_freedom(JointType::prismatic, drive, 0));
  for (const Integrator method : {Integrator::midpoint, Integrator::rk4}) {
    const State s = run(far, method, 1e-3, 2);
    CHECK(std::fabs(s.q[0] - 0.5 * 7 / mass * 4) < 1e-11);
    CHECK(std::fabs(s.v[0] - 7 / mass * 2) < 1e-11);
  }
  // too weak for the load, in both directions
  for (const double target : {100.0, -100.0}) {
    drive.target = target;
    const Built weak = build(one_freedom(JointType::prismatic, drive, 0, true));
    const double push = target > 0 ? 7 : -7;
    CHECK(accelerations(weak.model, weak.initial)[0] == doctest::Approx(push / mass - g));
  }
}

TEST_CASE("limit: a load rests on it, pressed in by weight / stiffness") {
  Drive drive;
  drive.lower = -0.1, drive.upper = 0.6, drive.limit_stiffness = 5000, drive.limit_damping = 120;
  const Built built = build(one_freedom(JointType::prismatic, drive, 0.4, true));
  for (const Integrator method :
       {Integrator::semi_implicit_euler, Integrator::midpoint, Integrator::rk4}) {
    const State s = run(built, method, 1e-3, 5);
    CAPTURE(to_string(method));
    CHECK(std::fabs(s.q[0] - (-0.1 - mass * g / 5000)) < 1e-9);
    CHECK(std::fabs(s.v[0]) < 1e-9);
  }
  // before it is reached it does nothing
  CHECK(accelerations(built.model, built.initial)[0] == doctest::Approx(-g));
  // leaving it, its damper does not pull back
  State leaving = built.initial;
  leaving.q[0] = 0.601, leaving.v[0] = -3;
  CHECK(accelerations(built.model, leaving)[0] == doctest::Approx(-g));
}

TEST_CASE("limit: of no given stiffness holds a pendulum at both ends") {
  Scene scene = chain_scene(1, 0);
  Drive drive;
  drive.lower = -0.7, drive.upper = 0.4;
  scene.joints[0].drives = {drive};
  scene.joints[0].velocity = {9};  // enough to go over the top
  const Built built = build(scene);
  for (const Integrator method :
       {Integrator::semi_implicit_euler, Integrator::midpoint, Integrator::rk4}) {
    Settings settings = scene.settings;
    settings.integrator = method, settings.duration = 3, settings.fps = 1000;
    const Recording recording = simulate(built, settings);
    double low = 0, high = 0;
    for (const Frame& f : recording.frames) {
      low = std::min(low, f.state.q[0]), high = std::max(high, f.state.q[0]);
    }
    CAPTURE(to_string(method));
    CHECK(high > 0.4);
    CHECK(high < 0.4 + 0.15);
    CHECK(low > -0.7 - 0.05);
  }
}

TEST_CASE("springs and dampers never create energy") {
  // every joint type with random springs and dampers, without motors
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Scene scene = random_tree_scene({.bodies = 8, .floating = false, .drives = true, .seed = seed});
    for (SceneJoint& joint : scene.joints) {
      for (Drive& d : joint.drives) d.kp = d.kd = 0;
    }
    const Built built = build(scene);
    std::mt19937 random(seed);
    State s = random_state(built.model, random);
    double last = energy(built.model, s).total();
    for (int i = 1; i <= 20; ++i) {
      s = run(built.model, s, Integrator::rk4, 1e-3, 0.05 * i);
      const double now = energy(built.model, s).total();
      CHECK(now < last);
      last = now;
    }
  }
}
