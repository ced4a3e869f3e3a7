// Works A and D of the reference page: hinge chains in numbers that MuJoCo, Bullet and Pinocchio
// agree on, and a heavy end that must not stretch its chain.
#include "molejo/physics/dynamics.h"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "tests/support/assemble.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double pi = std::numbers::pi, g = 9.81, length = 0.2;

// Stiffness of gravity at the hanging chain: V = -sum_k c_k cos(angle of link k), c_k what hangs
// at link k, and the angle of link k the sum of the joint angles up to k.
MatX gravity_stiffness(int links) {
  MatX K(links, links);
  for (int i = 0; i < links; ++i) {
    for (int j = 0; j < links; ++j) {
      double sum = 0;
      for (int k = std::max(i, j); k < links; ++k) sum += g * length * (links - k - 0.5);
      K(i, j) = sum;
    }
  }
  return K;
}

// From the composite-rigid-body mass matrix.
VecX hanging_frequencies(int links) {
  const Built built = chain(links);
  Dynamics<double> d(built.model);
  update_poses(built.model, built.initial.q.data(), d.kinematics);
  Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(
      gravity_stiffness(links), mass_matrix(built.model, d), Eigen::EigenvaluesOnly);
  return solver.eigenvalues().cwiseSqrt();
}

// From the articulated-body factor: eigenvalues of R M^-1 R^T with R^T R the stiffness. Well
// conditioned where the mass matrix of a long chain is not.
VecX hanging_frequencies_by_factor(int links) {
  const Built built = chain(links);
  Dynamics<double> d(built.model);
  update_poses(built.model, built.initial.q.data(), d.kinematics);
  factorize(built.model, d);
  MatX R = MatX::Zero(links, links), W(links, links);
  for (int k = 0; k < links; ++k) {
    R.row(k).head(k + 1).setConstant(std::sqrt(g * length * (links - k - 0.5)));
  }
  for (int k = 0; k < links; ++k) {
    VecX column = R.row(k).transpose();
    solve_mass(built.model, d, column.data(), column.data());
    W.col(k) = R * column;
  }
  return Eigen::SelfAdjointEigenSolver<MatX>(W, Eigen::EigenvaluesOnly).eigenvalues().cwiseSqrt();
}

// Largest energy error within `seconds`, sampled every 10 steps of 1 ms, over N m g (N L) / 2.
double energy_error(int links, double q0, Integrator method, double seconds) {
  const Built built = chain(links, q0);
  Scratch scratch(built.model);
  State state = built.initial;
  const double E0 = energy(built.model, state).total();
  double largest = 0;
  for (int i = 1; i <= std::lround(seconds * 1000); ++i) {
    step(built.model, method, 1e-3, state, scratch);
    if (i % 10 == 0) {
      largest = std::max(largest, std::fabs(energy(built.model, state).total() - E0));
    }
  }
  return largest / (links * g * links * length / 2);
}

}  // namespace

TEST_CASE("chain: accelerations in motion") {
  const Built built = chain(4);
  State s = built.initial;
  s.q << .3, .6, .9, 1.2;
  s.v << -.4, .1, .6, 1.1;
  VecX expected(4);
  expected << 9.384278188054, -51.575543196009, 20.107325600664, 4.313195623233;
  CHECK((accelerations(built.model, s) - expected).lpNorm<Eigen::Infinity>() < 2e-12);
}

TEST_CASE("chain: the stiffness of gravity is the slope of the joint forces") {
  const Built built = chain(4);
  Dynamics<double> d(built.model);
  const MatX K = gravity_stiffness(4);
  const double h = 1e-4;
  const auto force = [&](const VecX& q) {
    const State s{0, q, VecX::Zero(4)};
    d.kinematics = kinematics(built.model, s);
    return inverse_dynamics(built.model, s.v, VecX::Zero(4), d);
  };
  for (int j = 0; j < 4; ++j) {
    const VecX dq = VecX::Unit(4, j) * h;
    CHECK(((force(dq) - force(-dq)) / (2 * h) - K.col(j)).norm() < 1e-6);
  }
}

TEST_CASE("chain: frequencies of the hanging modes, to all digits given") {
  const auto check = [](int links, std::initializer_list<double> lowest, double highest) {
    CAPTURE(links);
    const VecX w = hanging_frequencies_by_factor(links), w_matrix = hanging_frequencies(links);
    int i = 0;
    for (const double expected : lowest) CHECK(std::fabs(w[i++] - expected) < 6e-10);
    CHECK(std::fabs(w[links - 1] - highest) < 6e-10);
    // the matrix of 64 links has a condition of 1e10, which costs its highest modes digits
    CHECK((w - w_matrix).lpNorm<Eigen::Infinity>() < (links < 64 ? 6e-10 : 1e-6));
  };
  check(1, {8.535018140}, 8.535018140);
  check(2, {5.984097829, 15.872447429}, 15.872447429);
  check(4, {4.216542970, 10.126623250, 17.677839371, 28.995688725}, 28.995688725);
  check(16, {2.105493100}, 79.679513247);
  check(64, {1.052654040}, 177.914681310);
}

TEST_CASE("chain: a small swing in the lowest mode has the frequency of the mode") {
  // the engine's own motion, not its matrices: a mode shape returns after its period
  const Built built = chain(4);
  Dynamics<double> d(built.model);
  update_poses(built.model, built.initial.q.data(), d.kinematics);
  Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(gravity_stiffness(4),
                                                        mass_matrix(built.model, d));
  State s = built.initial;
  const double amplitude = 1e-5;
  s.q = amplitude * solver.eigenvectors().col(0).normalized();
  const State half = run(built.model, s, Integrator::rk4, 1e-3, pi / 4.216542970);
  CHECK((half.q + s.q).norm() < 1e-8 * amplitude);
}

TEST_CASE("chain: the tip after .5, 1 and 2 s from horizontal") {
  const Built built = chain(4, pi / 2);
  const auto tip = [&](double t) {
    return pose(built.model, run(built, Integrator::rkf45, 2e-4, t), "link3") *
           Vec3{0, 0, -length / 2};
  };
  CHECK(max_abs(tip(.5) - Vec3{.418658836, 0, -.620743864}) < 1e-9);
  CHECK(max_abs(tip(1) - Vec3{.633622619, 0, -.046691821}) < 1e-9);
  CHECK(max_abs(tip(2) - Vec3{-.225501923, 0, -.617194792}) < 1e-9);
}

TEST_CASE("chain: energy errors of the first second, to the digits that the peers agree on") {
  const auto check = [](int links, double degrees, Integrator method, double expected,
                        double rounding) {
    CAPTURE(links);
    CAPTURE(degrees);
    CAPTURE(to_string(method));
    const double error = energy_error(links, degrees * pi / 180, method, 1);
    CHECK(std::fabs(error - expected) <= rounding);
  };
  const Integrator euler = Integrator::semi_implicit_euler, rk4 = Integrator::rk4;
  check(4, 90, euler, 2.327e-2, 0.5e-5);
  check(16, 90, euler, 4.245e-2, 0.5e-5);
  check(64, 90, euler, 1.056e-3, 0.5e-6);
  check(4, 30, euler, 4.349e-4, 0.5e-7);
  check(16, 30, euler, 2.531e-4, 0.5e-7);
  check(64, 30, euler, 6.168e-5, 0.5e-8);
  check(4, 90, rk4, 5.243e-9, 0.5e-12);
  check(16, 90, rk4, 4.025e-8, 0.5e-11);
  check(64, 90, rk4, 1.503e-9, 0.5e-12);
  check(4, 30, rk4, 3.97e-12, 0.5e-14);
  check(16, 30, rk4, 8.17e-12, 0.5e-14);
  check(64, 30, rk4, 2.67e-12, 0.5e-14);
}

TEST_CASE("chain: over 10 s Euler loses 64 percent, midpoint less than one") {
  CHECK(energy_error(4, pi / 2, Integrator::semi_implicit_euler, 10) ==
        doctest::Approx(0.64).epsilon(0.02));
  CHECK(energy_error(4, pi / 2, Integrator::midpoint, 10) < 1e-2);
  CHECK(energy_error(4, pi / 6, Integrator::midpoint, 10) < 1e-5);
  CHECK(energy_error(4, pi / 2, Integrator::rk4, 10) < 1e-5);
}

TEST_CASE("chain: a heavy end does not stretch it") {
  // 10 links of 1 kg and a ball of 100 kg, 2 m, from 30 degrees
  Scene scene = chain_scene(10, pi / 6);
  add_body(scene, "ball", 100, {0.4, 0.4, 0.4}, frame_at({0, 0, -2}));
  add_joint(scene, JointType::fixed, "link9", "ball", frame_at({0, 0, -2}));

  // distance between the two halves of every joint
  const auto stretch = [&](const Model& model, const State& s) {
    double largest = 0;
    for (const SceneJoint& joint : scene.joints) {
      const Vec3 on_parent =
          joint.parent.empty() ? joint.X_PF.p : pose(model, s, joint.parent) * joint.X_PF.p;
      largest = std::max(largest, norm(pose(model, s, joint.child) * joint.X_BM.p - on_parent));
    }
    return largest;
  };
  const Built reduced = build(scene);
  scene.settings.formulation = Formulation::maximal;
  const Built maximal = build(scene);
  Vec3 end[2];
  int n = 0;
  for (const Built* built : {&reduced, &maximal}) {
    State s = built->initial;
    double largest = 0;
    for (int i = 1; i <= 20; ++i) {
      s = run(built->model, s, Integrator::rk4, 1e-3, 0.1 * i);
      largest = std::max(largest, stretch(built->model, s));
    }
    CHECK(largest < (built == &reduced ? 1e-14 : 1e-10));
    end[n++] = pose(built->model, s, "ball").p;
  }
  CHECK(norm(end[0] - end[1]) < 1e-7);
  CHECK(norm(end[0] - Vec3{-2 * std::sin(pi / 6), 0, -2 * std::cos(pi / 6)}) > 0.1);
}
