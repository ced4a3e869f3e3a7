// ANIMADO's equations of motion and its integrator (spec: 3.3, 3.4, 3.6), by its own formulas.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "molejo/math/sparse.h"
#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// A body whose origin is not its centre of mass: m, c and J about the origin.
struct Offset {
  double m;
  Vec3 c;
  Sym3 J;
};

Offset random_offset(std::mt19937& random) {
  const double m = 1.5 + symmetric_unit(random);
  const Vec3 c = random_vector(random);
  const Mat3 R = random_rotation(random);
  const Sym3 I = rotated(R, Sym3::diagonal(1, 1.3 + 0.2 * symmetric_unit(random), 1.7));
  return {m, c, I + point_inertia(m, c)};
}

// The 6 x 6 system of section 3.4, in body axes, as printed there: a of the origin, then w'.
MatX euler_matrix(const Offset& b) {
  const double m = b.m, cx = b.c.x, cy = b.c.y, cz = b.c.z;
  const Sym3& J = b.J;
  MatX A(6, 6);
  A << 1, 0, 0, 0, cz, -cy,                  //
      0, 1, 0, -cz, 0, cx,                   //
      0, 0, 1, cy, -cx, 0,                   //
      0, -m * cz, m * cy, J.xx, J.xy, J.xz,  //
      m * cz, 0, -m * cx, J.xy, J.yy, J.yz,  //
      -m * cy, m * cx, 0, J.xz, J.yz, J.zz;
  return A;
}
VecX euler_right(const Offset& b, const Vec3& f, const Vec3& tau, const Vec3& w) {
  const double cx = b.c.x, cy = b.c.y, cz = b.c.z, x = w.x, y = w.y, z = w.z;
  const double Ixx = b.J.xx, Iyy = b.J.yy, Izz = b.J.zz;
  const double Ixy = -b.J.xy, Ixz = -b.J.xz, Iyz = -b.J.yz;  // positive products
  VecX r(6);
  r << f.x / b.m + cx * (y * y + z * z) - cy * x * y - cz * x * z,
      f.y / b.m - cx * x * y + cy * (x * x + z * z) - cz * y * z,
      f.z / b.m - cx * x * z - cy * y * z + cz * (x * x + y * y),
      tau.x - (Izz - Iyy) * y * z - Ixy * x * z + Ixz * x * y - Iyz * (z * z - y * y),
      tau.y - (Ixx - Izz) * x * z - Iyz * x * y + Ixy * y * z - Ixz * (x * x - z * z),
      tau.z - (Iyy - Ixx) * x * y - Ixz * y * z + Iyz * x * z - Ixy * (y * y - x * x);
  return r;
}

}  // namespace

TEST_CASE("animado equations: the 6 x 6 system solves the vector equations, and so do we") {
  std::mt19937 random(6);
  for (int n = 0; n < 200; ++n) {
    const Offset b = random_offset(random);
    const Vec3 f = random_vector(random), tau = random_vector(random);
    const Vec3 w = random_vector(random) * 3.0;
    const GaussSolution s = solve_by_gauss(sparse(euler_matrix(b)), euler_right(b, f, tau, w));
    REQUIRE(s.ok());
    const Vec3 a{s.x[0], s.x[1], s.x[2]}, w_rate{s.x[3], s.x[4], s.x[5]};
    const Vec3 force = (a - cross(b.c, w_rate) + cross(w, cross(w, b.c))) * b.m - f;
    const Vec3 torque = b.J * w_rate + cross(b.c, a) * b.m + cross(w, b.J * w) - tau;
    CHECK(norm(force) <= 1e-12 * (1 + norm(a)));
    CHECK(norm(torque) <= 1e-12 * (1 + norm(a)));

    // the same body at its centre of mass: f and tau at the origin, all in world axes
    const Mat3 R = random_rotation(random);
    Scene scene;
    scene.settings.gravity = {};
    SceneBody body;
    body.name = "body";
    body.X_WB = {R, random_vector(random)};
    body.given = MassProperties{b.m, b.c, b.J + point_inertia(b.m, b.c) * -1.0};
    body.velocity = {random_vector(random), R * w};
    scene.bodies.push_back(body);
    SceneForce load{.name = "load", .at = {"body", {}}};
    load.samples = {{0, R * f, R * tau}};
    scene.forces.push_back(load);
    const Built built = build(scene);
    const VecX q = accelerations(built.model, built.initial);
    const Vec3 our_rate{q[3], q[4], q[5]};
    const Vec3 centre = transpose_times(R, Vec3{q[0], q[1], q[2]});
    const Vec3 origin = centre - cross(our_rate, b.c) - cross(w, cross(w, b.c));
    CHECK(norm(our_rate - w_rate) <= 1e-12 * (1 + norm(w_rate)));
    CHECK(norm(origin - a) <= 1e-11 * (1 + norm(a)));
  }
}

TEST_CASE("animado equations: gravity acts at the centre of mass, tau = c x f") {
  // {B} aligned with the world: (9.81 m cz, 0, -9.81 m cx)
  const Vec3 c{0.3, -0.2, 0.5};
  const double m = 2;
  const Vec3 tau = cross(c, Vec3{0, -9.81 * m, 0});
  CHECK(norm(tau - Vec3{9.81 * m * c.z, 0, -9.81 * m * c.x}) < 1e-15);
  // so an offset body falls without turning
  Scene scene;
  scene.settings.gravity = {0, -9.81, 0};
  scene.settings.integrator = Integrator::rk4;
  scene.settings.duration = 1;
  SceneBody body;
  body.name = "body";
  body.X_WB.p = {0, 10, 0};
  body.given = MassProperties{m, c, Sym3::diagonal(1, 1.2, 1.5)};
  scene.bodies.push_back(body);
  const Shown shown(scene);
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    const double t = shown.seconds(i);
    CHECK(norm(shown.pose("body", i).p - Vec3{0, 10 - 0.5 * 9.81 * t * t, 0}) < 1e-12);
    CHECK(max_abs(shown.pose("body", i).R.r0 - Vec3{1, 0, 0}) < 1e-14);
  }
}

TEST_CASE("animado equations: a torque-free spin keeps energy and angular momentum to 1e-8") {
  Scene scene =
      free_body_scene(2, {1, 2, 2.6}, {5 / std::sqrt(3), -5 / std::sqrt(3), 5 / std::sqrt(3)});
  scene.settings.integrator = Integrator::rk4;
  scene.settings.time_step = 1e-3;
  scene.settings.duration = 10;
  const Shown shown(scene);
  const double L = norm(shown.frames()[0].angular_momentum);
  CHECK(shown.recording.summary.energy_drift < 1e-8);
  CHECK(shown.recording.summary.angular_momentum_drift < 1e-8 * L);
}

TEST_CASE("animado equations: a cuboid by parallel axes, rotation and principal axes") {
  // sides 2, 3, 4 and 6 kg about a corner: the products of the helper are positive
  const double m = 6;
  const Vec3 half{1, 1.5, 2};
  const Sym3 I = Sym3::diagonal(m / 12 * (9 + 16), m / 12 * (4 + 16), m / 12 * (4 + 9));
  const Sym3 corner = I + point_inertia(m, half);
  CHECK(std::fabs(corner.xx - m / 3 * (9 + 16)) < 1e-12);
  CHECK(std::fabs(corner.yy - m / 3 * (4 + 16)) < 1e-12);
  CHECK(std::fabs(corner.zz - m / 3 * (4 + 9)) < 1e-12);
  CHECK(std::fabs(-corner.xy - m / 4 * 2 * 3) < 1e-12);
  CHECK(std::fabs(-corner.xz - m / 4 * 2 * 4) < 1e-12);
  CHECK(std::fabs(-corner.yz - m / 4 * 3 * 4) < 1e-12);

  std::mt19937 random(33);
  for (int n = 0; n < 50; ++n) {
    const Mat3 R = random_rotation(random);
    const Sym3 turned = rotated(R, corner);
    const double trace = corner.xx + corner.yy + corner.zz;
    CHECK(std::fabs(turned.xx + turned.yy + turned.zz - trace) < 1e-12 * trace);
    // rows of D are the new axes: I''xx = a I a
    const Vec3 a = R.r0;
    CHECK(std::fabs(turned.xx - dot(a, corner * a)) < 1e-12 * trace);
    const PrincipalInertia p = principal_inertia(turned);
    for (int j = 0; j < 3; ++j) {
      const Vec3 axis = p.axes.column(j);
      CHECK(norm(turned * axis - axis * p.moments[j]) < 1e-12 * trace);
    }
  }
}

namespace {

// v after one second of v' = `rate`, from v = 1.
double integrated(const std::string& rate, Integrator method, double h) {
  Scene scene;
  scene.settings.gravity = {};
  scene.settings.integrator = method;
  scene.settings.time_step = h;
  scene.settings.duration = 1;
  scene.settings.fps = 1;
  add_solid(scene, "body", Sphere{0.1}, 1, {}).velocity = SceneBody::Velocity{{1, 0, 0}, {}};
  SceneForce force{.name = "rate", .at = {"body", {}}};
  for (const std::string& text : {rate, std::string("0"), std::string("0")}) {
    force.force_formulas.push_back({text, "", "here"});
  }
  scene.forces.push_back(force);
  const Shown shown(scene);
  return shown.velocity("body").linear.x;
}

}  // namespace

TEST_CASE("animado equations: rk4 on y' = y gains 16 per halving, is exact for cubics, Euler 2") {
  const auto ratio = [](Integrator method, double h) {
    const double e = std::exp(1.0);
    return (integrated("body.vx", method, h) - e) / (integrated("body.vx", method, h / 2) - e);
  };
  CHECK(std::fabs(ratio(Integrator::rk4, 1.0 / 16) - 16) < 1);
  CHECK(std::fabs(ratio(Integrator::rk4, 1.0 / 32) - 16) < 1);
  CHECK(std::fabs(ratio(Integrator::semi_implicit_euler, 1.0 / 512) - 2) < 0.01);
  // y = 1 + t^3 in one step, whatever its size
  CHECK(std::fabs(integrated("3*t^2", Integrator::rk4, 1) - 2) < 1e-15);
  CHECK(std::fabs(integrated("3*t^2 - 4*t", Integrator::rk4, 0.5) - 0) < 1e-15);
  CHECK(std::fabs(integrated("5*t^4", Integrator::rk4, 1) - 2) > 1e-3);
}
