// Spinning bodies: Euler's equations in elliptic functions, precession, and the reference page.
#include <doctest/doctest.h>

#include <numbers>

#include "tests/support/assemble.h"
#include "tests/support/elliptic.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double pi = std::numbers::pi;

// Body-frame angular velocity of a free body.
Vec3 spin(const State& s) { return {s.v[3], s.v[4], s.v[5]}; }
Quat attitude(const State& s) { return {s.q[3], s.q[4], s.q[5], s.q[6]}; }
double apart(const Quat& a, const Quat& b) {
  const auto largest = [](const Quat& d) {
    return std::max({std::fabs(d.w), std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
  };
  // q and -q are one rotation
  return std::min(largest({a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z}),
                  largest({a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z}));
}

// Free motion of a body with moments A < B < C and L^2 > 2 E B, starting where the middle
// component vanishes (Landau and Lifshitz, Mechanics, section 37).
struct FreeTop {
  double A, B, C, E2, L2;  // E2 is twice the energy, L2 the squared angular momentum

  double rate() const { return std::sqrt((C - B) * (L2 - E2 * A) / (A * B * C)); }
  double m() const { return (B - A) * (E2 * C - L2) / ((C - B) * (L2 - E2 * A)); }
  double period() const { return 4 * complete_elliptic(m()) / rate(); }
  Vec3 w(double t) const {
    const Jacobi j = jacobi(rate() * t, m());
    return {std::sqrt((E2 * C - L2) / (A * (C - A))) * j.cn,
            std::sqrt((E2 * C - L2) / (B * (C - B))) * j.sn,
            std::sqrt((L2 - E2 * A) / (C * (C - A))) * j.dn};
  }
  // rate at which the axis of C goes round the angular momentum
  double precession(double t) const {
    const Vec3 o = w(t);
    const double x = A * o.x, y = B * o.y;
    return std::sqrt(L2) * (x * o.x + y * o.y) / (x * x + y * y);
  }
};

}  // namespace

TEST_CASE("free asymmetric top: Jacobi's elliptic functions, on both sides of the separatrix") {
  // first with the moments ascending along x, y, z, then descending: the roles of x and z change,
  // and the mirror image runs backwards in y
  const double A = 1.2, B = 2.1, C = 2.9;
  const Vec3 w0{1.1, 0, 1.7};
  const FreeTop top{A, B, C, A * w0.x * w0.x + C * w0.z * w0.z,
                    A * A * w0.x * w0.x + C * C * w0.z * w0.z};
  REQUIRE(top.L2 > top.E2 * B);
  const Built up = build(free_body_scene(1, {A, B, C}, w0));
  const Built down = build(free_body_scene(1, {C, B, A}, {w0.z, 0, w0.x}));
  for (const double t : {0.4, 1.3, 5.0, 12.0}) {
    CAPTURE(t);
    const Vec3 w = top.w(t);
    const Vec3 a = spin(run(up, Integrator::rk4, 2e-3, t));
    CHECK(max_abs(a - w) < 1e-9);
    const Vec3 b = spin(run(down, Integrator::rk4, 2e-3, t));
    CHECK(max_abs(b - Vec3{w.z, -w.y, w.x}) < 1e-9);
  }
  // nearer to the axis of A: L^2 < 2 E B; exchange A and C in the formulas
  const Vec3 s0{2.0, 0, 0.5};
  const FreeTop side{C, B, A, A * s0.x * s0.x + C * s0.z * s0.z,
                     A * A * s0.x * s0.x + C * C * s0.z * s0.z};
  REQUIRE(side.L2 < side.E2 * B);
  const Built near_x = build(free_body_scene(1, {A, B, C}, s0));
  for (const double t : {0.7, 6.0}) {
    const Vec3 w = side.w(t);
    CHECK(max_abs(spin(run(near_x, Integrator::rk4, 2e-3, t)) - Vec3{w.z, w.y, w.x}) < 1e-9);
  }
}

TEST_CASE("free asymmetric top: attitude from the quadrature of the precession") {
  const double A = 1.2, B = 2.1, C = 2.9;
  const Vec3 w0{1.1, 0, 1.7};
  const FreeTop top{A, B, C, A * w0.x * w0.x + C * w0.z * w0.z,
                    A * A * w0.x * w0.x + C * C * w0.z * w0.z};
  const Built built = build(free_body_scene(1, {A, B, C}, w0));
  const Vec3 L{A * w0.x, 0, C * w0.z};
  const Mat3 R_WL = frame_from_z(normalized(L));
  const auto azimuth = [&](const Mat3& R) {
    const Vec3 axis = transpose_times(R_WL, R.column(2));
    return std::atan2(axis.y, axis.x);
  };
  for (const double t : {1.0, 4.0, 9.0}) {
    CAPTURE(t);
    const State s = run(built, Integrator::rk4, 2e-3, t);
    const Mat3 R = matrix(attitude(s));
    const double turn = simpson([&](double u) { return top.precession(u); }, t);
    const double measured = azimuth(R) - azimuth(Mat3::identity());
    CHECK(std::fabs(std::remainder(measured - turn, 2 * pi)) < 1e-9);
    // the angular momentum stands still in space
    const Vec3 w = spin(s);
    CHECK(norm(R * Vec3{A * w.x, B * w.y, C * w.z} - L) < 1e-10);
  }
}

TEST_CASE("Dzhanibekov: flips every 3.42957426998 s, w(1) and w(10)") {
  const Vec3 w0{.1, 5, .1};
  const FreeTop top{1, 2, 3, .01 + 50 + .03, .01 + 100 + .09};
  CHECK(std::fabs(top.period() - 6.85914853996) < 5e-12);

  const Built built = build(free_body_scene(1, {1, 2, 3}, w0));
  const auto at = [&](double t) { return spin(run(built, Integrator::rk4, 5e-4, t)); };
  CHECK(max_abs(at(1) - Vec3{-.6466447957, 4.9590170909, .3821646642}) < 1e-10);
  CHECK(max_abs(at(10) - Vec3{-.2982990341, -4.9920955205, .1905975811}) < 1e-10);
  CHECK(max_abs(at(3.42957426998) - Vec3{-.1, -5, .1}) < 1e-10);
  CHECK(max_abs(at(6.85914853996) - w0) < 1e-10);
}

TEST_CASE("E1 and E2 of the thesis: energies and attitudes after 10 s") {
  const Vec3 moments{1.66, 9.66, 8.66};
  // angular velocity is twice the rate of the Euler parameters at the identity
  const Built E1 = build(free_body_scene(10, moments, {0, 0, .4}));
  CHECK(energy(E1.model, E1.initial).total() == doctest::Approx(0.6928).epsilon(1e-14));
  const State one = run(E1, Integrator::rk4, 5e-3, 10);
  CHECK(apart(attitude(one), {std::cos(2), 0, 0, std::sin(2)}) < 1e-12);
  CHECK(max_abs(spin(one) - Vec3{0, 0, .4}) < 1e-14);

  const Built E2 = build(free_body_scene(10, moments, {.40, .64, .46}));
  CHECK(energy(E2.model, E2.initial).total() == doctest::Approx(3.027396).epsilon(1e-14));
  for (const Integrator method : {Integrator::rk4, Integrator::rkf45}) {
    const State two = run(E2, method, 5e-3, 10);
    CHECK(apart(attitude(two), {-0.68939, 0.02009, -0.62682, -0.36254}) < 6e-6);
    CHECK(std::fabs(energy(E2.model, two).total() - 3.027396) < 1e-9);
  }
}

TEST_CASE("free symmetric top: regular precession about the angular momentum") {
  const double I1 = 2, I3 = 3.2;
  const Vec3 w0{0.7, -0.4, 1.9}, L{I1 * w0.x, I1 * w0.y, I3 * w0.z};
  const Built built = build(free_body_scene(1, {I1, I1, I3}, w0));
  for (const double t : {0.5, 3.0, 8.0}) {
    // the frame that precesses with the axis turns about L at |L| / I1; in it the body turns about
    // its axis at (1 - I3/I1) w3
    const Quat expected = exp_quat(L * (t / I1)) * exp_quat(Vec3{0, 0, (1 - I3 / I1) * w0.z * t});
    const State s = run(built, Integrator::rk4, 2e-3, t);
    CAPTURE(t);
    CHECK(apart(attitude(s), expected) < 1e-10);
  }
}

TEST_CASE("heavy symmetric top: the two regular precessions keep their tilt") {
  const double m = 0.8, l = 0.3, g = 9.81, tilt = 0.7, w3 = 80, I3 = 0.012;
  const double I1 = 0.009 + m * l * l;  // across the axis, about the fixed point
  // I1 cos(tilt) W^2 - I3 w3 W + m g l = 0
  const double a = I1 * std::cos(tilt), b = I3 * w3, root = std::sqrt(b * b - 4 * a * m * g * l);
  REQUIRE(b * b > 4 * a * m * g * l);
  for (const double W : {(b - root) / (2 * a), (b + root) / (2 * a)}) {
    Scene scene;
    add_body(scene, "top", m, {0.009, 0.009, I3}, frame_at({0, 0, l}));
    SceneJoint& ball = add_joint(scene, JointType::spherical, "", "top", frame_at({}));
    ball.position = {std::cos(tilt / 2), 0, std::sin(tilt / 2), 0};
    // w = W z + spin about the axis, so that the component along the axis is w3
    ball.velocity = {-W * std::sin(tilt), 0, w3};
    const Built built = build(scene);
    for (const double t : {0.5, 2.0}) {
      CAPTURE(W);
      CAPTURE(t);
      const Vec3 p = pose(built.model, run(built, Integrator::rkf45, 2e-4, t), "top").p / l;
      CHECK(std::fabs(p.z - std::cos(tilt)) < 1e-9);
      CHECK(std::fabs(std::remainder(std::atan2(p.y, p.x) - W * t, 2 * pi)) < 1e-8);
    }
  }
}

TEST_CASE("heavy top of the reference page: centre of mass at t = .1, 1, 2") {
  Scene scene;
  add_body(scene, "top", 15, {.234375, .46875, .234375}, frame_at({0, 1, 0}));
  add_joint(scene, JointType::spherical, "", "top", frame_at({})).velocity = {0, 150, -4.61538};
  const Built built = build(scene);
  const auto at = [&](double t) {
    return pose(built.model, run(built, Integrator::rkf45, 1e-4, t), "top").p;
  };
  CHECK(max_abs(at(.1) - Vec3{.421296659, .894571974, -.149164701}) < 1e-9);
  CHECK(max_abs(at(1) - Vec3{.173343964, .640088592, -.748490791}) < 1e-9);
  CHECK(max_abs(at(2) - Vec3{-.150416823, -.724165592, -.673022270}) < 1e-9);
}
