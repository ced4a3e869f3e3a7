// The oracle itself: each part against a finite difference, a closed form or a second solution.
#include "tests/support/euler_parameters.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "molejo/io/bacin.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::euler;

namespace {

struct Random {
  std::mt19937 engine{7};
  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  }
  Vec3d vector() { return {number(), number(), number()}; }
  Vec4d unit() { return Vec4d(number(), number(), number(), number()).normalized(); }
  // tangent to the sphere at theta
  Vec4d rate(const Vec4d& theta) {
    const Vec4d x(number(), number(), number(), number());
    return x - theta * theta.dot(x);
  }
  Eigen::Matrix3d axes() { return rotation(unit()); }
  euler::Body body() {
    const Vec3d P(number(0.5, 2), number(0.5, 2), number(0.5, 2));  // second moments
    return {"", number(1, 3), {P[1] + P[2], P[0] + P[2], P[0] + P[1]}, {}};
  }
};

EulerParameterSystem random_bodies(Random& random, int count) {
  EulerParameterSystem s;
  for (int i = 0; i < count; ++i) {
    const Vec4d theta = random.unit();
    s.add(random.body(), 3 * random.vector(), theta, random.vector(), random.rate(theta));
  }
  return s;
}

const Kind all_kinds[] = {Kind::plane,    Kind::spherical, Kind::cylindrical, Kind::prismatic,
                          Kind::revolute, Kind::hooke,     Kind::planar,      Kind::weld};

Joint random_joint(Random& random, Kind kind, int body_1, int body_2) {
  Joint joint;
  joint.kind = kind;
  joint.end_1 = {body_1, random.vector(), random.axes()};
  joint.end_2 = {body_2, random.vector(), random.axes()};
  joint.offset = random.number();
  return joint;
}

// The second body of two is put so that the joint with frame axes `axes` is closed.
Joint closed_joint(Random& random, Kind kind, const EulerParameterSystem& s) {
  Joint joint = random_joint(random, kind, 0, 1);
  const Eigen::Matrix3d A_1 = rotation(s.theta(0)), A_2 = rotation(s.theta(1));
  joint.end_2.axes = A_2.transpose() * A_1 * joint.end_1.axes;
  joint.end_2.p = A_2.transpose() * (s.r(0) + A_1 * joint.end_1.p - s.r(1));
  return joint;
}

Scene experiment(const std::string& name) {
  return read_bacin(
      SourceFile::given(test::source_dir() + "/scenes/bacin/" + name + "/" + name + ".cfg"));
}

euler::Run run_of(const Scene& scene) {
  euler::Run run;
  run.system = from_scene(scene);
  const Settings& settings = scene.settings;
  run.options = {settings.tolerance, settings.min_step,
                 settings.max_step,  true,
                 settings.project,   settings.constraint_tolerance};
  run.step = run.options.max_step;
  return run;
}

double deviation(const std::vector<double>& x) {
  double mean = 0, square = 0;
  for (double value : x) mean += value / static_cast<double>(x.size());
  for (double value : x) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(x.size()));
}

}  // namespace

TEST_CASE("euler parameters: A is a rotation, Gbar has the identities of the thesis") {
  Random random;
  for (int i = 0; i < 100; ++i) {
    const Vec4d theta = random.unit(), rate = random.rate(theta);
    const Eigen::Matrix3d A = rotation(theta);
    const Mat34 G = g_bar(theta), G_dot = g_bar(rate);
    CHECK((A.transpose() * A - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-14);
    CHECK(A.determinant() == doctest::Approx(1));
    CHECK((G * theta).norm() < 1e-15);
    CHECK((G_dot * rate).norm() < 1e-15);
    CHECK((G * rate + G_dot * theta).norm() < 1e-14);
    CHECK((G * G.transpose() - 4 * Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-14);
    const Eigen::Matrix4d P = Eigen::Matrix4d::Identity() - theta * theta.transpose();
    CHECK((G.transpose() * G - 4 * P).cwiseAbs().maxCoeff() < 1e-14);
  }
  // half a turn about x
  CHECK((rotation({0, 1, 0, 0}) * Vec3d(1, 2, 3) - Vec3d(1, -2, -3)).norm() == 0);
}

TEST_CASE("euler parameters: velocities of points are finite differences") {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Vec4d theta = random.unit(), rate = random.rate(theta);
    const Vec3d a = random.vector();
    const double h = 1e-6;
    const Vec3d difference =
        (rotation(theta + h * rate) * a - rotation(theta - h * rate) * a) / (2 * h);
    CHECK((d_matrix(theta, a) * rate - difference).norm() < 1e-9);
    // A (wbar x a), the other form of the same velocity
    const Vec3d w_bar = g_bar(theta) * rate;
    CHECK((d_matrix(theta, a) * rate - rotation(theta) * w_bar.cross(a)).norm() < 1e-14);
  }
}

TEST_CASE("euler parameters: generalised forces do the work of forces and torques") {
  Random random;
  for (int i = 0; i < 20; ++i) {
    EulerParameterSystem s = random_bodies(random, 1);
    s.gravity.setZero();
    const Vec3d p = random.vector(), f = random.vector(), torque = random.vector();
    s.forces = {{{0, p}, {{0, {f[0], f[1], f[2]}, {torque[0], torque[1], torque[2]}}}}};
    const VecX Q = external_forces(s);
    const Vec3d w = rotation(s.theta(0)) * (g_bar(s.theta(0)) * s.theta_dot(0));
    const Vec3d v = s.q_dot.head<3>() + w.cross(rotation(s.theta(0)) * p);
    CHECK(Q.dot(s.q_dot) == doctest::Approx(f.dot(v) + torque.dot(w)).epsilon(1e-12));

    // the angular acceleration is that of Euler's equations in body axes
    const Vec4d theta_ddot = solve_blocks(s).q_ddot.tail<4>();
    const Vec3d w_bar = g_bar(s.theta(0)) * s.theta_dot(0);
    const Vec3d alpha_bar = g_bar(s.theta(0)) * theta_ddot;  // Gbar' theta' = 0
    const Vec3d J = s.bodies[0].J;
    const Vec3d tau_bar =
        p.cross(rotation(s.theta(0)).transpose() * f) + rotation(s.theta(0)).transpose() * torque;
    const Vec3d euler = (tau_bar - w_bar.cross(J.cwiseProduct(w_bar))).cwiseQuotient(J);
    CHECK((alpha_bar - euler).norm() < 1e-12);
  }
}

TEST_CASE("euler parameters: one body solved by LU is the closed form, its multiplier 4 T") {
  Random random;
  for (int i = 0; i < 50; ++i) {
    EulerParameterSystem s = random_bodies(random, 1);
    s.gravity.setZero();
    const Accelerations a = solve_blocks(s);
    const Vec4d closed = closed_form(s.bodies[0], s.theta(0), s.theta_dot(0), Vec4d::Zero());
    CHECK((a.q_ddot.tail<4>() - closed).norm() < 1e-12);
    const Vec3d w_bar = g_bar(s.theta(0)) * s.theta_dot(0);
    const double T_rot = 0.5 * w_bar.dot(s.bodies[0].J.cwiseProduct(w_bar));
    CHECK(a.lambda_theta[0] == doctest::Approx(4 * T_rot).epsilon(1e-12));

    const Vec3d torque = random.vector();
    s.forces = {{{0, Vec3d::Zero()}, {{0, {}, {torque[0], torque[1], torque[2]}}}}};
    const Vec4d Q = external_forces(s).tail<4>();
    const Vec4d driven = closed_form(s.bodies[0], s.theta(0), s.theta_dot(0), Q);
    CHECK((solve_blocks(s).q_ddot.tail<4>() - driven).norm() < 1e-12);
  }
}

TEST_CASE("euler parameters: H is the finite difference of C, for every joint") {
  Random random;
  for (const Kind kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    for (const int body_1 : {0, -1}) {
      EulerParameterSystem s = random_bodies(random, 2);
      s.joints = {random_joint(random, kind, body_1, 1)};
      const Constraints c = constraints(s);
      REQUIRE(c.C.size() == equations(kind));
      CHECK((c.H * s.q_dot - c.rate).cwiseAbs().maxCoeff() < 1e-13);
      const double h = 1e-5;
      for (int k = 0; k < 14; ++k) {
        EulerParameterSystem low = s, high = s;
        low.q[k] -= h;
        high.q[k] += h;
        const VecX difference = (constraints(high).C - constraints(low).C) / (2 * h);
        CHECK((c.H.col(k) - difference).cwiseAbs().maxCoeff() < 1e-7);
      }
      // Q_c = -d/dt(H) q'
      EulerParameterSystem low = s, high = s;
      low.q -= h * s.q_dot;
      high.q += h * s.q_dot;
      const MatX H_dot = (constraints(high).H - constraints(low).H) / (2 * h);
      CHECK((c.Q_c + H_dot * s.q_dot).cwiseAbs().maxCoeff() < 1e-7);
    }
  }
}

TEST_CASE("euler parameters: joints leave the freedoms they should") {
  Random random;
  const std::pair<Kind, int> freedoms[] = {
      {Kind::plane, 5},    {Kind::spherical, 3}, {Kind::cylindrical, 2}, {Kind::prismatic, 1},
      {Kind::revolute, 1}, {Kind::hooke, 2},     {Kind::planar, 3},      {Kind::weld, 0}};
  for (const auto& each : freedoms) {
    const auto& [kind, left] = each;
    CAPTURE(static_cast<int>(each.first));
    EulerParameterSystem s = random_bodies(random, 2);
    s.joints = {closed_joint(random, kind, s)};
    if (kind == Kind::plane) s.joints[0].offset -= constraints(s).C[0];
    CHECK(constraints(s).C.cwiseAbs().maxCoeff() < 1e-12);
    // velocities of two bodies, less those of one, less what the joint and |theta| = 1 forbid
    MatX H = MatX::Zero(equations(kind) + 2, 14);
    H.topRows(equations(kind)) = constraints(s).H;
    H.block<1, 4>(equations(kind), 3) = s.theta(0).transpose();
    H.block<1, 4>(equations(kind) + 1, 10) = s.theta(1).transpose();
    CHECK(14 - 6 - H.fullPivLu().rank() == left);
  }
}

TEST_CASE("euler parameters: the block solution is that of the whole matrix") {
  Random random;
  for (int trial = 0; trial < 20; ++trial) {
    EulerParameterSystem s = random_bodies(random, 5);
    // a random tree with a random kind at each joint, open on purpose: the equations do not mind
    for (int i = 0; i < 5; ++i) {
      const int parent = static_cast<int>(random.number(-1, i));
      const Kind kind = all_kinds[static_cast<std::size_t>(random.number(0, 7.999))];
      s.joints.push_back(random_joint(random, kind, parent, i));
    }
    s.springs = {{{0, random.vector()}, {3, random.vector()}, 5, 0.5, 0.1}};
    const Accelerations blocks = solve_blocks(s), dense = solve_dense(s);
    const double scale = 1 + dense.q_ddot.cwiseAbs().maxCoeff();
    CHECK((blocks.q_ddot - dense.q_ddot).cwiseAbs().maxCoeff() < 1e-10 * scale);
    CHECK((blocks.lambda - dense.lambda).cwiseAbs().maxCoeff() <
          1e-10 * (1 + dense.lambda.cwiseAbs().maxCoeff()));
    const Constraints c = constraints(s);
    CHECK((c.H * blocks.q_ddot - c.Q_c).cwiseAbs().maxCoeff() < 1e-9 * scale);
  }
}

TEST_CASE("euler parameters: joints built of planes move like the others") {
  Random random;
  for (const Kind kind : {Kind::cylindrical, Kind::prismatic, Kind::revolute}) {
    CAPTURE(static_cast<int>(kind));
    EulerParameterSystem s = random_bodies(random, 2);
    s.joints = {closed_joint(random, kind, s)};
    project(s);  // makes the velocities tangent
    EulerParameterSystem planes = s;
    planes.joints = plane_built(s.joints[0]);
    REQUIRE(planes.joints.size() == static_cast<std::size_t>(equations(kind)));
    CHECK(constraint_error(planes) < 1e-12);
    euler::Run a{s, {}}, b{planes, {}};
    for (euler::Run* run : {&a, &b}) {
      run->options = {1e-9, 1e-9, 0.02, true, false, 1e-9};
      run->advance(1);
    }
    CHECK((a.system.q - b.system.q).cwiseAbs().maxCoeff() < 1e-7);
    CHECK((a.system.q - s.q).cwiseAbs().maxCoeff() > 0.1);
  }
}

TEST_CASE("euler parameters: E1 and E2 end where they should") {
  euler::Run e1 = run_of(experiment("e1"));
  CHECK(energies(e1.system).total() == doctest::Approx(0.6928).epsilon(1e-12));
  e1.advance(10);
  CHECK((e1.system.theta(0) - Vec4d(std::cos(2), 0, 0, std::sin(2))).cwiseAbs().maxCoeff() < 1e-5);

  euler::Run e2 = run_of(experiment("e2"));
  CHECK(energies(e2.system).total() == doctest::Approx(3.027396).epsilon(1e-7));
  const Vec3d L = angular_momentum(e2.system);
  std::vector<double> energy;
  for (int frame = 1; frame <= 300; ++frame) {
    e2.advance(frame / 30.0);
    energy.push_back(energies(e2.system).total());
    CHECK((angular_momentum(e2.system) - L).norm() < 1e-6 * L.norm());
  }
  const Vec4d end(-0.68939, 0.02009, -0.62682, -0.36254);
  CHECK((e2.system.theta(0) - end).cwiseAbs().maxCoeff() < 1e-5);
  CHECK(deviation(energy) <= 2.23e-7);  // the thesis
}

TEST_CASE("euler parameters: RKF45 is of fifth order on E2") {
  const EulerParameterSystem start = from_scene(experiment("e2"));
  const auto end = [&](double h) {
    euler::Run run;
    run.system = start;
    run.options = {1e-4, h, h, false, false, 1};
    run.advance(2);
    return run.system.q;
  };
  const VecX exact = end(1.0 / 512);
  const double coarse = (end(1.0 / 8) - exact).norm(), fine = (end(1.0 / 16) - exact).norm();
  const double order = std::log2(coarse / fine);
  CHECK(order > 4.8);
  CHECK(order < 5.5);
}

TEST_CASE("euler parameters: RKF45 keeps its error and its step within bounds") {
  euler::Run run;
  run.system = from_scene(experiment("e3"));
  run.options = {1e-8, 1e-4, 0.02, true, true, 1e-6};
  run.step = 0.02;
  run.advance(3);
  CHECK(run.largest_error <= 1e-8);
  CHECK(run.shortest >= 1e-4);
  CHECK(run.longest <= 0.02);
  CHECK(run.shortest < 0.8 * run.longest);  // it did adapt
  // where the tolerance cannot be met the smallest step is taken
  euler::Run rough = run;
  rough.system = from_scene(experiment("e3"));
  rough.options = {1e-14, 0.01, 0.02, true, true, 1e-6};
  rough.step = 0.02, rough.steps = 0, rough.shortest = 1;
  rough.advance(1);
  CHECK(rough.shortest == 0.01);
  CHECK(rough.steps < 110);
}

TEST_CASE("euler parameters: E3 meets the states of the spec") {
  euler::Run run = run_of(experiment("e3"));
  CHECK(energies(run.system).total() == doctest::Approx(3136).epsilon(1e-12));
  run.options.tolerance = 1e-9;
  const auto near = [](const Vec3d& a, const Vec3d& b) { return (a - b).norm() < 2e-5; };
  run.advance(5);
  CHECK(near(run.system.r(0), {-0.60590, 0, 19.03067}));
  CHECK(near(run.system.r(1), {-4.78571, 0, 8.24189}));
  CHECK((run.system.theta(0) - Vec4d(0.99872, 0, 0.05056, 0)).norm() < 2e-5);
  CHECK((run.system.theta(1) - Vec4d(0.44964, 0, 0.89321, 0)).norm() < 2e-5);
  run.advance(15);
  CHECK(near(run.system.r(0), {0.20540, 0, 19.00352}));
  CHECK(near(run.system.r(1), {6.19143, 0, 11.39943}));
}

TEST_CASE("euler parameters: E3 keeps its energy as the thesis does") {
  euler::Run run = run_of(experiment("e3"));
  std::vector<double> energy;
  for (int frame = 1; frame <= 450; ++frame) {
    run.advance(frame / 30.0);
    energy.push_back(energies(run.system).total());
  }
  CHECK(deviation(energy) <= 1.32e-4);
  CHECK(run.longest <= 0.0125);
}

TEST_CASE("euler parameters: stabilisation bounds the drift of E3, which grows without it") {
  euler::Run on = run_of(experiment("e3")), off = on;
  off.options.stabilise = false;
  const double tolerance = 1e-6;
  for (euler::Run* run : {&on, &off}) {
    run->options.max_step = run->step = 1.0 / 30;
    run->options.constraint_tolerance = tolerance;
  }
  on.advance(60);
  CHECK(on.constraint_error < tolerance);
  CHECK(on.projections > 0);
  off.advance(20);
  const double early = off.constraint_error;
  off.advance(60);
  CHECK(off.projections == 0);
  CHECK(off.constraint_error > 100 * tolerance);
  CHECK(off.constraint_error > 2 * early);
}

TEST_CASE("euler parameters: a spring between two bodies has its period") {
  // section 2.2.1 of the thesis: omega^2 = k (m1 + m2) / (m1 m2)
  const double k = 7, m_1 = 2, m_2 = 3;
  EulerParameterSystem s;
  s.gravity.setZero();
  const Vec4d one(1, 0, 0, 0);
  s.add({"", m_1, Vec3d::Ones(), {}}, {0, 0, 0}, one, Vec3d::Zero(), Vec4d::Zero());
  s.add({"", m_2, Vec3d::Ones(), {}}, {1, 0, 0}, one, Vec3d::Zero(), Vec4d::Zero());
  s.springs = {{{0, Vec3d::Zero()}, {1, Vec3d::Zero()}, k, 0.8, 0}};
  const double E = energies(s).total();
  CHECK(E == doctest::Approx(0.5 * k * 0.04));
  const double period = 2 * 3.14159265358979 * std::sqrt(m_1 * m_2 / (k * (m_1 + m_2)));
  euler::Run run{s, {}};
  run.options = {1e-10, 1e-9, 0.02, true, true, 1e-9};
  const auto stretch = [&] { return (run.system.r(1) - run.system.r(0)).norm() - 0.8; };
  // the stretch vanishes, falling, a quarter after each period
  double first = 0, last = 0;
  int crossings = 0;
  double before = stretch();
  for (double t = 0.005; t < 10.3 * period; t += 0.005) {
    run.advance(t);
    const double now = stretch();
    if (before > 0 && now <= 0) {
      last = t - 0.005 * now / (now - before);
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  REQUIRE(crossings == 11);
  CHECK((last - first) / 10 == doctest::Approx(period).epsilon(1e-4));
  CHECK(energies(run.system).total() == doctest::Approx(E).epsilon(1e-8));
}

TEST_CASE("euler parameters: an interpolated force keeps to its samples") {
  const std::vector<ForceSample> even{{1, {4, 0, 0}, {0, 1, 0}},
                                      {2, {-2, 6, 0}, {0, 3, 0}},
                                      {3, {1, 2, 0}, {0, 5, 2}},
                                      {4, {5, 0, 3}, {1, 0, 0}}};
  CHECK(interpolated(even, 1).force == Vec3d(4, 0, 0));
  CHECK(interpolated(even, 4).force == Vec3d(5, 0, 3));
  CHECK(interpolated(even, 4).torque == Vec3d(1, 0, 0));
  CHECK(interpolated(even, 0.999).force == Vec3d::Zero());
  CHECK(interpolated(even, 4.001).torque == Vec3d::Zero());
  // inside the box of the samples, and its mean is theirs
  Vec3d impulse = Vec3d::Zero();
  const int n = 3000;
  for (int i = 0; i < n; ++i) {
    const Vec3d f = interpolated(even, 1 + 3 * (i + 0.5) / n).force;
    CHECK((f[0] >= -2 && f[0] <= 5 && f[1] >= 0 && f[1] <= 6 && f[2] >= 0 && f[2] <= 3));
    impulse += f * 3 / n;
  }
  CHECK((impulse - 3 * Vec3d(8, 8, 3) / 4).norm() < 1e-5);
  // uneven times: the parameter s at which the curve has the time t is solved for
  const std::vector<ForceSample> uneven{
      {0, {0, 0, 0}, {}}, {0.001, {0, 0, 0}, {}}, {1, {1, 0, 0}, {}}};
  // t = 0.002 s (1 - s) + s^2, F = s^2
  const double s = 0.6;
  CHECK(interpolated(uneven, 0.002 * s * (1 - s) + s * s).force[0] ==
        doctest::Approx(s * s).epsilon(1e-12));
}
