// ANIMADO's analytic impulse: 15 linear equations for v1', v2', w1', w2' and P, with one of three
// friction conditions; its sphere and cube (spec: 3.8 and 5.4).
#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "molejo/physics/impact.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/impact_setting.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// Two bodies that meet; k from body 2 to body 1.
struct Meeting {
  double m1 = 2, m2 = 0.2;
  Matrix3 I1 = Matrix3::Identity(), I2 = Matrix3::Identity();
  Vector3 v1{0, -0.5, 0}, v2{0, 0, 0}, w1{0, 0, 0}, w2{0, 0, 0};
  Vector3 r1{0, -0.5, 0}, r2{0, 0.5, 0};
  Vector3 i{1, 0, 0}, j{0, 0, 1}, k{0, 1, 0};
};

// The unknowns in the order v1' v2' w1' w2' P.
using Unknowns = Eigen::Matrix<double, 15, 1>;
using System = Eigen::Matrix<double, 15, 15>;

// The twelve equations of momentum, then three conditions of rows.
Unknowns solve_15(const Meeting& m, const Eigen::Matrix<double, 3, 15>& conditions) {
  System A = System::Zero();
  Unknowns b = Unknowns::Zero();
  const Matrix3 one = Matrix3::Identity();
  A.block<3, 3>(0, 0) = m.m1 * one, A.block<3, 3>(0, 12) = -one;
  A.block<3, 3>(3, 3) = m.m2 * one, A.block<3, 3>(3, 12) = one;
  A.block<3, 3>(6, 6) = m.I1, A.block<3, 3>(6, 12) = -cross_matrix(m.r1);
  A.block<3, 3>(9, 9) = m.I2, A.block<3, 3>(9, 12) = cross_matrix(m.r2);
  b << m.m1 * m.v1, m.m2 * m.v2, m.I1 * m.w1, m.I2 * m.w2, Vector3::Zero();
  A.bottomRows<3>() = conditions;
  return A.fullPivLu().solve(b);
}

// u' = v2' + w2' x r2 - v1' - w1' x r1 as rows on the unknowns.
Eigen::Matrix<double, 3, 15> slip_rows(const Meeting& m) {
  Eigen::Matrix<double, 3, 15> rows = Eigen::Matrix<double, 3, 15>::Zero();
  rows.block<3, 3>(0, 0) = -Matrix3::Identity();
  rows.block<3, 3>(0, 3) = Matrix3::Identity();
  rows.block<3, 3>(0, 6) = cross_matrix(m.r1);
  rows.block<3, 3>(0, 9) = -cross_matrix(m.r2);
  return rows;
}

Vector3 frictionless(const Meeting& m) {
  Eigen::Matrix<double, 3, 15> rows = Eigen::Matrix<double, 3, 15>::Zero();
  rows.block<1, 3>(0, 12) = m.i.transpose();
  rows.block<1, 3>(1, 12) = m.j.transpose();
  rows.row(2) = m.k.transpose() * slip_rows(m);
  return solve_15(m, rows).tail<3>();
}
Vector3 no_slip(const Meeting& m) { return solve_15(m, slip_rows(m)).tail<3>(); }
Vector3 finite_friction(const Meeting& m, double mu) {
  const Vector3 P = no_slip(m);
  const double normal = P.dot(m.k);
  const Vector3 tangential = P - m.k * normal;
  if (mu * normal >= tangential.norm()) return P;
  const Vector3 t = tangential.normalized();
  Eigen::Matrix<double, 3, 15> rows = Eigen::Matrix<double, 3, 15>::Zero();
  rows.block<1, 3>(0, 12) = (m.i - mu * t.dot(m.i) * m.k).transpose();
  rows.block<1, 3>(1, 12) = (m.j - mu * t.dot(m.j) * m.k).transpose();
  rows.row(2) = m.k.transpose() * slip_rows(m);
  return solve_15(m, rows).tail<3>();
}

// The same by `analytic_impulse`, along i, j, k and back.
Vector3 by_mobility(const Meeting& m, double mu, double e) {
  const auto mobility = [](double mass, const Matrix3& I, const Vector3& r) -> Matrix3 {
    return Matrix3::Identity() / mass - cross_matrix(r) * I.inverse() * cross_matrix(r);
  };
  Matrix3 axes;
  axes.row(0) = m.i.transpose(), axes.row(1) = m.j.transpose(), axes.row(2) = m.k.transpose();
  const Matrix3 K =
      axes * (mobility(m.m1, m.I1, m.r1) + mobility(m.m2, m.I2, m.r2)) * axes.transpose();
  const Vector3 u = axes * (m.v1 + m.w1.cross(m.r1) - m.v2 - m.w2.cross(m.r2));
  const auto row = [&](int n) { return Vec3{K(n, 0), K(n, 1), K(n, 2)}; };
  const Vec3 P = analytic_impulse({row(0), row(1), row(2)}, {u.x(), u.y(), u.z()}, mu, e);
  return axes.transpose() * Vector3(P.x, P.y, P.z);
}

double energy_after(const Meeting& m, const Vector3& P) {
  const Vector3 v1 = m.v1 + P / m.m1, v2 = m.v2 - P / m.m2;
  const Vector3 w1 = m.w1 + m.I1.inverse() * m.r1.cross(P),
                w2 = m.w2 - m.I2.inverse() * m.r2.cross(P);
  return 0.5 * (m.m1 * v1.squaredNorm() + m.m2 * v2.squaredNorm() + w1.dot(m.I1 * w1) +
                w2.dot(m.I2 * w2));
}

Meeting oblique() {
  Meeting m;
  m.w2 = {10, 0, 0};
  m.r2 = {0.2, 0.5, -0.1};
  return m;
}

constexpr double endless = 1e6;

Meeting random_meeting(std::mt19937& random) {
  const auto vector = [&](double scale) {
    const Vec3 x = random_vector(random) * scale;
    return Vector3(x.x, x.y, x.z);
  };
  const auto inertia = [&]() -> Matrix3 {
    const Mat3 R = random_rotation(random);
    Matrix3 Q;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) Q(a, b) = R[a][b];
    return Q * Vector3(0.8, 1.1, 1.4).asDiagonal() * Q.transpose() * (1.2 + symmetric_unit(random));
  };
  Meeting m;
  m.m1 = 1.5 + symmetric_unit(random), m.m2 = 1.5 + symmetric_unit(random);
  m.I1 = inertia(), m.I2 = inertia();
  m.v1 = vector(2), m.v2 = vector(2), m.w1 = vector(3), m.w2 = vector(3);
  m.r1 = vector(0.7), m.r2 = vector(0.7);
  const Mat3 R = random_rotation(random);
  const auto column = [&](int n) { return Vector3(R.column(n).x, R.column(n).y, R.column(n).z); };
  m.i = column(0), m.j = column(1), m.k = column(2);
  const Vector3 u = m.v2 + m.w2.cross(m.r2) - m.v1 - m.w1.cross(m.r1);
  if (u.dot(m.k) < 0) m.k = -m.k, m.i = -m.i;
  return m;
}

}  // namespace

TEST_CASE("animado impulse: the oblique meeting of the reference") {
  const Meeting m = oblique();
  CHECK(energy_after(m, Vector3::Zero()) == doctest::Approx(50.25).epsilon(1e-14));
  const struct {
    double mu;
    Vector3 P;
    double energy;
  } cases[] = {{0, {0, 0.270270, 0}, 50.047297},
               {endless, {0.001626, 0.262861, 0.825633}, 47.988771},
               {0.3, {0.000159, 0.269545, 0.080863}, 49.663816}};
  for (const auto& c : cases) {
    const auto& [mu, P, energy] = c;
    CAPTURE(c.mu);
    const Vector3 found = by_mobility(m, mu, 0);
    CHECK((found - P).lpNorm<Eigen::Infinity>() < 1e-6);
    CHECK(std::fabs(energy_after(m, found) - energy) < 1e-6);
  }
  // fully elastic without friction: nothing is lost
  CHECK(energy_after(m, by_mobility(m, 0, 1)) == doctest::Approx(50.25).epsilon(1e-14));
}

TEST_CASE("animado impulse: the 15 equations solved densely give the same impulse") {
  std::mt19937 random(21);
  int sticks = 0, slides = 0;
  for (int n = 0; n < 2000; ++n) {
    const Meeting m = random_meeting(random);
    const double mu = 0.5 * (1 + symmetric_unit(random));
    const double scale = no_slip(m).norm();
    CHECK((by_mobility(m, 0, 0) - frictionless(m)).norm() < 1e-9 * scale);
    const Vector3 P = no_slip(m);
    if (P.dot(m.k) > 1e-3 * scale) CHECK((by_mobility(m, endless, 0) - P).norm() < 1e-9 * scale);
    const double ratio = (P - m.k * P.dot(m.k)).norm() / P.dot(m.k);
    if (ratio > 0 && ratio < mu) ++sticks;
    // friction that would only press harder is left out: the impulse never pulls
    Vector3 sliding = finite_friction(m, mu);
    if (sliding.dot(m.k) <= 0) sliding = frictionless(m);
    CHECK(by_mobility(m, mu, 0).dot(m.k) > 0);
    ++slides;
    CHECK((by_mobility(m, mu, 0) - sliding).norm() < 1e-8 * sliding.norm());
    CHECK((by_mobility(m, mu, 0.7) - 1.7 * sliding).norm() < 1e-8 * sliding.norm());
    CHECK(energy_after(m, sliding) <= energy_after(m, Vector3::Zero()) * (1 + 1e-12));
  }
  CHECK(sticks > 200);
  CHECK(slides > 1500);
}

TEST_CASE("animado impulse: sliding begins exactly where the friction cone ends") {
  const Meeting m = oblique();
  const Vector3 P = no_slip(m);
  const double ratio = std::hypot(P.x(), P.z()) / P.y();
  CHECK(ratio == doctest::Approx(3.14).epsilon(1e-3));
  CHECK((by_mobility(m, ratio * (1 + 1e-12), 0) - P).norm() < 1e-15);
  const Vector3 below = by_mobility(m, ratio * (1 - 1e-9), 0);
  CHECK((below - P).norm() > 1e-12);
  CHECK((below - P).norm() < 1e-8);
  CHECK(std::hypot(below.x(), below.z()) / below.y() ==
        doctest::Approx(ratio * (1 - 1e-9)).epsilon(1e-14));
}

namespace {

// The oblique meeting as a scene: y is up there, and here. A sphere of 2 kg above a spinning "cube"
// of which only the corner that is hit is a shape, so that the place of the contact is given.
Scene oblique_scene(const SceneContactPair& pair) {
  Scene scene;
  scene.settings = contact_settings(Integrator::rkf45, 0.02, 1000);
  scene.settings.gravity = {};
  scene.settings.contact.distance = 1e-9;
  const double t = 0.01;  // of the contact
  SceneBody& sphere =
      add_solid(scene, "sphere", Sphere{0.5}, 2, {Mat3::identity(), {0.2, 1 + 0.5 * t, -0.1}});
  sphere.given = MassProperties{2, {}, Sym3::diagonal(1, 1, 1)};
  sphere.velocity = SceneBody::Velocity{{0, -0.5, 0}, {}};
  SceneBody& cube = add_solid(scene, "cube", Sphere{1e-3}, 0.2, {});
  cube.given = MassProperties{0.2, {}, Sym3::diagonal(1, 1, 1)};
  cube.velocity = SceneBody::Velocity{{}, {10, 0, 0}};
  // the knob then is at (0.2, 0.5, -0.1)
  cube.shapes[0].X_BS.p = axis_rotation({1, 0, 0}, -10 * t) * Vec3{0.2, 0.5 - 1e-3, -0.1};
  scene.contact_pairs.push_back(pair);
  return scene;
}

}  // namespace

TEST_CASE("animado impulse: its three friction conditions are responses of a pair") {
  const struct {
    bool sticks;
    double friction;
    Vec3 P;
    double energy;
  } cases[] = {{false, 0, {0, 0.270270, 0}, 50.047297},
               {true, 0, {0.001626, 0.262861, 0.825633}, 47.988771},
               {false, 0.3, {0.000159, 0.269545, 0.080863}, 49.663816}};
  for (const auto& c : cases) {
    const auto& [sticks, friction, P, energy] = c;
    CAPTURE(c.sticks);
    CAPTURE(c.friction);
    SceneContactPair pair;
    pair.a = "sphere", pair.b = "cube";
    pair.response = Response::analytic;
    pair.friction = friction, pair.restitution = 0, pair.sticks = sticks;
    const Shown shown(oblique_scene(pair));
    // impulse on the sphere
    const Vec3 found = (shown.velocity("sphere", 15).linear - Vec3{0, -0.5, 0}) * 2.0;
    CHECK(norm(found - P) < 1e-5);
    CHECK(std::fabs(shown.frames()[15].energy.total() - energy) < 1e-5);
    CHECK(shown.recording.summary.momentum_drift < 1e-12);
    CHECK(shown.recording.summary.angular_momentum_drift < 1e-9);
  }
}

TEST_CASE("animado impulse: the shipped sphere and cube, head-on") {
  const Scene scene = shipped_scene("animado_cube");
  const Shown shown(scene);
  const double after[][2] = {{-0.454545454545, -0.454545454545},
                             {-0.431818181818, -0.681818181818},
                             {-0.409090909091, -0.909090909091}};
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    const std::string name = "elastic" + std::to_string(i);
    // after the impact at t = 2 s, before anything else
    CHECK(std::fabs(shown.velocity(name + ".sphere", 75).linear.z - after[i][0]) < 1e-9);
    CHECK(std::fabs(shown.velocity(name + ".cube", 75).linear.z - after[i][1]) < 1e-9);
    CHECK(shown.velocity(name + ".sphere", 59).linear.z == doctest::Approx(-0.5));
  }
  CHECK(shown.recording.summary.failure == "");
  CHECK(shown.recording.summary.momentum_drift < 1e-11);
  CHECK(shown.recording.summary.angular_momentum_drift < 1e-9);
}

TEST_CASE("animado impulse: one contact at a time, the fastest first, until none approaches") {
  // a box that lands on four corners at once
  Scene scene = on_ground(contact_settings(Integrator::rkf45, 0.2, 100), {0.3, 0.5});
  SceneBody& box =
      add_solid(scene, "box", Box{{0.3, 0.2, 0.1}}, 2, {Mat3::identity(), {0, 0, 0.2}}, {0.3, 0.5});
  box.velocity = SceneBody::Velocity{{0, 0, -1}, {}};
  SceneContactPair pair;
  pair.response = Response::analytic;
  scene.contact_pairs.push_back(pair);
  const Shown shown(scene);
  CHECK(shown.recording.summary.failure == "");
  for (std::size_t i = 1; i < shown.frames().size(); ++i) {
    CHECK(shown.pose("box", i).p.z > 0.05);
    CHECK(shown.frames()[i].energy.total() <= shown.frames()[0].energy.total() * (1 + 1e-9));
  }
}
