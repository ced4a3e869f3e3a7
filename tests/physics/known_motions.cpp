// Pendulums and flight against elliptic functions and equations derived here, not in the library.
#include <doctest/doctest.h>

#include <numbers>

#include "tests/support/assemble.h"
#include "tests/support/elliptic.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double pi = std::numbers::pi, g = 9.81;
constexpr Vec3 y_axis{0, 1, 0};
const Mat3 skew_R = matrix(exp_quat(Vec3{0.3, -1.1, 0.7}));

// A compound pendulum about y with (I + m l^2) / (m l) = 1 m: it swings like a point at 1 m.
Scene unit_pendulum(double q0) {
  constexpr double m = 2, l = 0.5, I = m * l * (1 - l);
  Scene scene;
  add_body(scene, "bob", m, {0.4, I, 0.3}, frame_at({0, 0, -l}));
  add_joint(scene, JointType::revolute, "", "bob", frame_at({}, y_axis)).position = {q0};
  return scene;
}

}  // namespace

TEST_CASE("elliptic functions: known values and identities") {
  // K(1/2) = Gamma(1/4)^2 / (4 sqrt(pi))
  const double gamma = std::tgamma(0.25);
  CHECK(std::fabs(complete_elliptic(0.5) - gamma * gamma / (4 * std::sqrt(pi))) < 1e-14);
  CHECK(complete_elliptic(0) == doctest::Approx(pi / 2).epsilon(1e-15));
  for (const double m : {0.0, 0.2, 0.5, 0.9, 0.999}) {
    const double K = complete_elliptic(m), u = 0.7, d = 1e-5;
    const Jacobi j = jacobi(u, m), at_K = jacobi(K, m), half = jacobi(K / 2, m);
    CHECK(std::fabs(j.sn * j.sn + j.cn * j.cn - 1) < 1e-15);
    CHECK(std::fabs(at_K.sn - 1) < 1e-14);
    CHECK(std::fabs(half.dn * half.dn - std::sqrt(1 - m)) < 1e-13);
    const double slope = (jacobi(u + d, m).sn - jacobi(u - d, m).sn) / (2 * d);
    CHECK(std::fabs(slope - j.cn * j.dn) < 1e-9);
    CHECK(std::fabs(jacobi(u + 4 * K, m).sn - j.sn) < 1e-12);
  }
}

TEST_CASE("simple pendulum: period from horizontal is 2.367841947576") {
  const double period = 4 * std::sqrt(1 / g) * complete_elliptic(0.5);
  CHECK(std::fabs(period - 2.367841947576) < 6e-13);

  const Built built = build(unit_pendulum(pi / 2));
  // at rest again after a period (velocity changes by 9.81 per second of error), level after a
  // quarter (angle changes by 4.4)
  const State back = run(built, Integrator::rk4, 5e-4, period);
  CHECK(std::fabs(back.v[0]) < 2e-10);
  CHECK(std::fabs(back.q[0] - pi / 2) < 2e-10);
  const State quarter = run(built, Integrator::rk4, 5e-4, period / 4);
  CHECK(std::fabs(quarter.q[0]) < 1e-10);
  CHECK(std::fabs(quarter.v[0] + std::sqrt(2 * g)) < 1e-10);
}

TEST_CASE("simple pendulum: the whole swing is sin(q/2) = k sn(K - w t)") {
  const double q0 = 2.6, k = std::sin(q0 / 2), w = std::sqrt(g);
  const Built built = build(unit_pendulum(q0));
  for (const double t : {0.3, 1.1, 2.0, 3.7}) {
    const Jacobi j = jacobi(complete_elliptic(k * k) - w * t, k * k);
    const State s = run(built, Integrator::rk4, 5e-4, t);
    CAPTURE(t);
    CHECK(std::fabs(s.q[0] - 2 * std::asin(k * j.sn)) < 1e-9);
    CHECK(std::fabs(s.v[0] + 2 * k * w * j.cn) < 1e-9);
  }
}

TEST_CASE("double pendulum: a Lagrangian written in absolute angles gives the same motion") {
  // uneven compound links: centres of mass at a1, a2, second joint at L1
  constexpr double m1 = 1.3, a1 = 0.35, I1 = 0.07, L1 = 0.8, m2 = 0.7, a2 = 0.42, I2 = 0.05;
  Scene scene;
  add_body(scene, "upper", m1, {0.2, I1, 0.2}, frame_at({0, 0, -a1}));
  add_body(scene, "lower", m2, {0.1, I2, 0.1}, frame_at({0, 0, -L1 - a2}));
  const double q1 = 2.2, q2 = -0.9, v1 = 0.5, v2 = -1.5;
  SceneJoint& top = add_joint(scene, JointType::revolute, "", "upper", frame_at({}, y_axis));
  top.position = {q1}, top.velocity = {v1};
  SceneJoint& elbow =
      add_joint(scene, JointType::revolute, "upper", "lower", frame_at({0, 0, -L1}, y_axis));
  elbow.position = {q2}, elbow.velocity = {v2};
  const Built built = build(scene);

  // T = A/2 u1^2 + C/2 u2^2 + B u1 u2 cos(s1 - s2),  V = -G1 cos s1 - G2 cos s2
  constexpr double A = I1 + m1 * a1 * a1 + m2 * L1 * L1, B = m2 * L1 * a2, C = I2 + m2 * a2 * a2;
  constexpr double G1 = (m1 * a1 + m2 * L1) * g, G2 = m2 * a2 * g;
  const auto lagrange = [&](double, const VecX& x) {
    const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
    const double f1 = -B * s * x[3] * x[3] - G1 * std::sin(x[0]);
    const double f2 = B * s * x[2] * x[2] - G2 * std::sin(x[1]);
    const double det = A * C - B * B * c * c;
    VecX rate(4);
    rate << x[2], x[3], (C * f1 - B * c * f2) / det, (A * f2 - B * c * f1) / det;
    return rate;
  };
  VecX start(4);
  start << q1, q1 + q2, v1, v1 + v2;
  const VecX own = own_rk4(lagrange, start, 5.0, 40000);

  const State s = run(built, Integrator::rk4, 5e-4, 5.0);
  CHECK(std::fabs(s.q[0] - own[0]) < 2e-8);
  CHECK(std::fabs(s.q[0] + s.q[1] - own[1]) < 2e-8);
  CHECK(std::fabs(s.v[0] - own[2]) < 2e-7);
  CHECK(std::fabs(s.v[0] + s.v[1] - own[3]) < 2e-7);
  CHECK(std::fabs(own[0]) > 0.1);  // and it has gone somewhere
}

TEST_CASE("spherical pendulum: height is an elliptic function, turning points from the cubic") {
  // a body of revolution that does not spin moves like a point at l = (I + m d^2) / (m d)
  constexpr double m = 1.5, d = 0.6, I = 0.11, l = (I + m * d * d) / (m * d);
  Scene scene;
  add_body(scene, "bob", m, {I, I, 0.03}, frame_at({0, 0, -d}));
  const double tilt = 0.8, speed = 4.0;  // angle from the vertical, horizontal angular rate
  SceneJoint& ball = add_joint(scene, JointType::spherical, "", "bob", frame_at({}));
  ball.position = {std::cos(tilt / 2), 0, std::sin(tilt / 2), 0};
  // angular velocity across the rod in the vertical plane: no spin about the rod
  ball.velocity = {speed, 0, 0};
  const Built built = build(scene);

  // z = cos of the angle from the upward vertical; l^2 z'^2 = 2 (e - g l z)(1 - z^2) - (h/l)^2
  const double z0 = -std::cos(tilt), h = l * l * std::sin(tilt) * speed;
  const double e = 0.5 * l * l * speed * speed + g * l * z0;
  // the cubic z^3 - (e/gl) z^2 - z + (e/gl - h^2/(2 g l^3)), divided by its root z0
  const double b = z0 - e / (g * l), c = z0 * b - 1;
  const double root = std::sqrt(b * b - 4 * c);
  const double za = (-b - root) / 2, z3 = (-b + root) / 2;
  const double low = std::min(z0, za), high = std::max(z0, za);
  REQUIRE(low == z0);  // starts at the bottom of its path
  REQUIRE(z3 > 1);

  const double w = std::sqrt(g * (z3 - low) / (2 * l)), k2 = (high - low) / (z3 - low);
  const auto height = [&](double t) {
    const double sn = jacobi(w * t, k2).sn;
    return low + (high - low) * sn * sn;
  };
  const double period = 2 * complete_elliptic(k2) / w;
  const auto direction = [&](double t) {
    return pose(built.model, run(built, Integrator::rk4, 2.5e-4, t), "bob").p / d;
  };
  for (const double t : {0.2 * period, 0.5 * period, 0.8 * period, period}) {
    CAPTURE(t);
    CHECK(std::fabs(direction(t).z - height(t)) < 1e-9);
  }

  // the plane of the swing turns by the integral of h / (l^2 (1 - z^2)); it starts at -x towards +y
  const double turn =
      simpson([&](double t) { return h / (l * l * (1 - height(t) * height(t))); }, period);
  const Vec3 last = direction(period);
  const double measured = std::atan2(last.y, last.x) - pi;
  CHECK(std::fabs(std::remainder(measured + turn, 2 * pi)) < 1e-8);

  // angular momentum about the vertical and energy
  const State end = run(built, Integrator::rk4, 2.5e-4, 3.0);
  const Totals before = totals(built.model, kinematics(built.model, built.initial));
  const Totals after = totals(built.model, kinematics(built.model, end));
  CHECK(std::fabs(after.angular_momentum.z - before.angular_momentum.z) < 1e-10);
  CHECK(std::fabs(energy(built.model, end).total() - energy(built.model, built.initial).total()) <
        1e-9);
}

TEST_CASE("projectile: a spinning body falls on a parabola, Euler's error is g h t / 2") {
  Scene scene;
  SceneBody& body = add_body(scene, "stone", 3, {1, 2, 2.5}, {skew_R, {1, 2, 3}});
  body.velocity = SceneBody::Velocity{{2, -1, 5}, {1, 2, 3}};
  const Built built = build(scene);
  const double t = 2, h = 1e-3;
  const Vec3 expected = Vec3{1, 2, 3} + Vec3{2, -1, 5} * t + Vec3{0, 0, -g} * (t * t / 2);
  for (const Integrator method : {Integrator::midpoint, Integrator::rk4, Integrator::rkf45}) {
    const Pose X = pose(built.model, run(built, method, h, t), "stone");
    CAPTURE(to_string(method));
    CHECK(norm(X.p - expected) < 1e-11);
  }
  const Pose X = pose(built.model, run(built, Integrator::semi_implicit_euler, h, t), "stone");
  CHECK(norm(X.p - expected - Vec3{0, 0, -g * h * t / 2}) < 1e-11);
}

TEST_CASE(
    "projectile: without gravity the line is straight, whatever the spin and the integrator") {
  Scene scene;
  scene.settings.gravity = {};
  SceneBody& body = add_body(scene, "stone", 3, {1, 2, 2.5}, {skew_R, {1, 2, 3}});
  body.velocity = SceneBody::Velocity{{2, -1, 5}, {1, 2, 3}};
  const Built built = build(scene);
  for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint,
                                  Integrator::rk4, Integrator::rkf45}) {
    const State s = run(built, method, 1e-2, 10);
    CAPTURE(to_string(method));
    CHECK(norm(pose(built.model, s, "stone").p - Vec3{21, -8, 53}) < 1e-11);
    CHECK(norm(Vec3{s.v[0], s.v[1], s.v[2]} - Vec3{2, -1, 5}) < 1e-14);
  }
}
