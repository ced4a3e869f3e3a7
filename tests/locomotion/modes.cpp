// Natural vibrations: known frequencies, a second formulation, and what the simulation does.
#include "molejo/locomotion/modes.h"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "molejo/io/scene.h"
#include "molejo/locomotion/modes_by_constraints.h"
#include "molejo/model/scene.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double two_pi = 2 * std::numbers::pi;

Scene shipped(const std::string& name) {
  return read_scene(SourceFile::given(source_dir() + "/scenes/characters/" + name + ".json"));
}
Character humanoid(double stiffness) {
  return make_character(shipped("humanoid"), {.stiffness = stiffness});
}

// The two formulations must give the same frequencies and, mode by mode or for a group of equal
// frequencies as a subspace, the same shapes.
void check_alike(const Modes& a, const ConstraintModes& b) {
  REQUIRE(a.count() == static_cast<int>(b.hertz.size()));
  CHECK(a.rigid == b.rigid);
  for (int i = 0; i < a.count(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(a.hertz[i] - b.hertz[i]) < 1e-9 * a.hertz[i]);
    // what is left of the shape outside of the other's neighbours in frequency
    VecX rest = a.phi.col(i);
    MatX near(rest.size(), 0);
    for (int j = 0; j < a.count(); ++j) {
      if (std::fabs(b.hertz[j] - a.hertz[i]) > 1e-5 * a.hertz[i]) continue;
      near.conservativeResize(Eigen::NoChange, near.cols() + 1);
      near.col(near.cols() - 1) = b.phi.col(j);
    }
    const VecX weights = (near.transpose() * near).ldlt().solve(near.transpose() * rest);
    CHECK((rest - near * weights).norm() < 1e-8);
  }
}

}  // namespace

TEST_CASE("modes: the reference humanoid has the known frequencies, in the air and on the ground") {
  const Character c = humanoid(100);
  const double air[] = {.930,  .989,  1.862, 1.967, 2.621, 2.743,
                        2.775, 3.012, 4.128, 4.380, 5.023, 5.026};
  const double ground[] = {.504,  .572,  1.039, 1.631, 1.734, 2.621,
                           2.721, 2.751, 2.966, 3.501, 4.044, 4.141};
  const Modes a = air_modes(c);
  REQUIRE(a.count() == 30);
  CHECK(a.rigid == 6);
  for (int i = 0; i < 12; ++i) CHECK(std::fabs(a.hertz[i] - air[i]) < 5.1e-4);
  CHECK(std::fabs(a.hertz[29] - 44.0) < 0.05);
  for (const int foot : {0, 1}) {
    const Modes g = ground_modes(c, foot);
    REQUIRE(g.count() == 30);
    CHECK(g.rigid == 3);
    for (int i = 0; i < 12; ++i) CHECK(std::fabs(g.hertz[i] - ground[i]) < 5.1e-4);
  }
}

TEST_CASE("modes: frequencies go with the root of the stiffness, shapes do not change") {
  const Modes a = air_modes(humanoid(100)), b = air_modes(humanoid(400));
  for (int i = 0; i < 30; ++i) CHECK(b.hertz[i] == doctest::Approx(2 * a.hertz[i]).epsilon(1e-9));
  CHECK((a.phi.leftCols(12) - b.phi.leftCols(12)).norm() < 1e-7);
}

TEST_CASE("modes: a tenth of the stiffness as damping gives a ratio of 0.05 w") {
  const Modes modes = ground_modes(humanoid(200), 1);
  for (int i = 0; i < modes.count(); ++i) {
    CHECK(modes.damping_ratio[i] == doctest::Approx(0.05 * two_pi * modes.hertz[i]).epsilon(1e-9));
  }
}

TEST_CASE("modes: shapes have unit length and their largest entry positive") {
  const Modes modes = air_modes(humanoid(200));
  for (int i = 0; i < modes.count(); ++i) {
    CHECK(modes.phi.col(i).norm() == doctest::Approx(1).epsilon(1e-12));
    CHECK(modes.phi.col(i).maxCoeff() >= modes.phi.col(i).cwiseAbs().maxCoeff() * (1 - 1e-5));
    CHECK((modes.shapes.col(i).tail(30) - modes.phi.col(i)).norm() < 1e-14);
  }
}

TEST_CASE("modes: matrices of the constraint formulation have what its theory asks") {
  const Character c = humanoid(200);
  for (const bool ground : {false, true}) {
    ModalOptions options;
    if (ground) options.fixed_points = {{c.feet[1].body, c.feet[1].toe}};
    const ConstraintModes m = modes_by_constraints(c.model, c.rest, options);
    const MatX& N = m.null_space;
    CHECK(m.G.rows() == 30 + (ground ? 3 : 0));
    CHECK(N.cols() == (ground ? 33 : 36));
    CHECK((m.G * N).cwiseAbs().maxCoeff() < 1e-12);
    const MatX mass = N.transpose() * m.mass * N;
    const MatX stiff = N.transpose() * m.theta.transpose() * m.stiffness * m.theta * N;
    CHECK(Eigen::LLT<MatX>(mass).info() == Eigen::Success);
    const MatX &X = m.eigenvectors, I = MatX::Identity(N.cols(), N.cols());
    CHECK((X.transpose() * mass * X - I).cwiseAbs().maxCoeff() < 1e-10);
    const MatX diagonal = X.transpose() * stiff * X;
    const MatX off = diagonal - MatX(m.all_eigenvalues.asDiagonal());
    CHECK(off.cwiseAbs().maxCoeff() < 1e-10 * m.all_eigenvalues.maxCoeff());
    int zero = 0;
    for (const double e : m.all_eigenvalues) zero += std::fabs(e) < 1e-6 ? 1 : 0;
    CHECK(zero == (ground ? 3 : 6));
    CHECK(m.rigid == zero);
    CHECK(m.hertz.size() == 30);
  }
}

TEST_CASE("modes: reduced and maximal coordinates agree for every character and phase") {
  for (const char* name : {"humanoid", "monster", "kangaroo", "quadruped"}) {
    CAPTURE(name);
    const Character c = make_character(shipped(name));
    check_alike(air_modes(c), modes_by_constraints(c.model, c.rest));
    for (const Foot& foot : c.feet) {
      const ModalOptions options{.fixed_points = {{foot.body, foot.toe}}};
      check_alike(modal_analysis(c.model, c.rest, options),
                  modes_by_constraints(c.model, c.rest, options));
    }
  }
}

TEST_CASE("modes: reduced and maximal coordinates agree whatever is fixed or locked") {
  const Character c = make_character(shipped("humanoid"));
  const Foot &left = c.feet[0], &right = c.feet[1];
  const ModalOptions cases[] = {
      {.fixed_points = {{left.body, left.toe}, {right.body, right.toe}}},
      // four points of two feet: the feet cannot move at all, two of the rows are redundant
      {.fixed_points = {{left.body, left.toe},
                        {left.body, left.heel},
                        {right.body, right.toe},
                        {right.body, right.heel}}},
      {.fixed_orientations = {c.torso}},
      {.fixed_points = {{c.torso, {0, 0, 0.3}}}, .fixed_orientations = {c.torso}},
      {.locked = {6, 8, 9, 11, 20}},
      {.fixed_points = {{right.body, right.toe}}, .locked = {0, 1, 2, 7}}};
  for (const ModalOptions& options : cases) {
    check_alike(modal_analysis(c.model, c.rest, options),
                modes_by_constraints(c.model, c.rest, options));
  }
}

TEST_CASE("modes: reduced and maximal coordinates agree for trees of every joint type") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Scene scene = random_tree_scene({.bodies = 12, .floating = seed % 2 == 0, .seed = seed});
    for (SceneJoint& joint : scene.joints) {
      joint.drives.assign(static_cast<std::size_t>(freedoms(joint.type).count()), Drive{});
      for (Drive& d : joint.drives) d.stiffness = 20;
    }
    const Character c = make_character(scene, {.stand = false});
    check_alike(modal_analysis(c.model, c.rest), modes_by_constraints(c.model, c.rest));
  }
}

TEST_CASE("modes: a fixed point stays, a locked freedom does not move") {
  const Character c = make_character(shipped("humanoid"));
  ModalOptions options;
  options.locked = {c.first_internal + 4};
  const Modes modes = ground_modes(c, 1, options);
  const Foot& foot = c.feet[1];
  const Kinematics<double> k = kinematics(c.model, c.rest);
  const MatX J = point_jacobian(c.model, k, foot.body, body_pose(c.model, k, foot.body) * foot.toe);
  CHECK((J * modes.shapes).cwiseAbs().maxCoeff() < 1e-10);
  CHECK(modes.phi.row(4).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(modes.count() == 29);
}

TEST_CASE("modes: hanging chains have the known frequencies by gravity alone") {
  const struct {
    int links;
    std::vector<std::pair<int, double>> known;  // mode, rad/s
  } chains[] = {{1, {{0, 8.535018140}}},
                {2, {{0, 5.984097829}, {1, 15.872447429}}},
                {4, {{0, 4.216542970}, {1, 10.126623250}, {2, 17.677839371}, {3, 28.995688725}}},
                {16, {{0, 2.105493100}, {15, 79.679513247}}},
                {64, {{0, 1.052654040}, {63, 177.914681310}}}};
  for (const auto& [links, known] : chains) {
    const Built built = chain(links);
    const Modes modes = modal_analysis(built.model, built.initial, {.gravity = true});
    REQUIRE(modes.count() == links);
    CHECK(modes.rigid == 0);
    for (const auto& [mode, w] : known) {
      CHECK(two_pi * modes.hertz[mode] == doctest::Approx(w).epsilon(1e-9));
    }
    CHECK(modal_analysis(built.model, built.initial).rigid == links);
  }
}

TEST_CASE("modes: a free body held at a point swings as a pendulum, or falls") {
  // box 0.2 x 0.3 x 0.5, 2 kg, held at h above or below its centre
  Scene scene = free_body_scene(2, {0.057, 0.048, 0.022}, {});
  scene.settings.gravity = {0, 0, -9.81};
  const Built built = build(scene);
  const double h = 0.4, m = 2, g = 9.81;
  const auto rate = [&](double I) { return std::sqrt(m * g * h / (I + m * h * h)); };
  const ModalOptions above{.fixed_points = {{{0}, {0, 0, h}}}, .gravity = true};
  const Modes hanging = modal_analysis(built.model, built.initial, above);
  REQUIRE(hanging.count() == 2);
  CHECK(hanging.rigid == 1);  // about the vertical
  CHECK(two_pi * hanging.hertz[0] == doctest::Approx(rate(0.057)).epsilon(1e-9));
  CHECK(two_pi * hanging.hertz[1] == doctest::Approx(rate(0.048)).epsilon(1e-9));

  const ModalOptions below{.fixed_points = {{{0}, {0, 0, -h}}}, .gravity = true};
  const Modes standing = modal_analysis(built.model, built.initial, below);
  CHECK(standing.count() == 0);
  REQUIRE(standing.falling.size() == 2);
  CHECK(standing.falling[0] == doctest::Approx(rate(0.048)).epsilon(1e-9));
  CHECK(standing.falling[1] == doctest::Approx(rate(0.057)).epsilon(1e-9));
}

TEST_CASE("modes: in free fall gravity is not felt, on the ground it softens and makes it fall") {
  const Character c = make_character(shipped("humanoid"));
  const Modes floating = air_modes(c), falling = air_modes(c, {.gravity = true});
  CHECK((floating.hertz - falling.hertz).norm() == 0);
  // stiff enough to carry itself: it topples in two directions and may turn about the vertical
  const Character stiff = humanoid(2000);
  const Modes weightless = ground_modes(stiff, 1);
  const Modes heavy = ground_modes(stiff, 1, {.gravity = true});
  CHECK(heavy.falling.size() == 2);
  CHECK(heavy.rigid == 1);
  REQUIRE(heavy.count() == 30);
  for (int i = 0; i < 5; ++i) CHECK(heavy.hertz[i] < weightless.hertz[i]);
  // with its usual springs it also sinks into its knees
  const Modes soft = ground_modes(c, 1, {.gravity = true});
  CHECK(soft.falling.size() > 2);
  CHECK(soft.rigid == 1);
}

TEST_CASE("modes: a spring between points takes part") {
  Scene scene = free_body_scene(3, {1, 1, 1}, {});
  scene.springs = {{"s", {scene.bodies[0].name, {}}, {"", {0, 0, 2}}, 48, 2, 0}};
  const Built built = build(scene);
  const Modes modes = modal_analysis(built.model, built.initial);
  REQUIRE(modes.count() == 1);
  CHECK(modes.rigid == 5);
  CHECK(two_pi * modes.hertz[0] == doctest::Approx(4).epsilon(1e-9));
  // along the spring, and the root alone
  CHECK(std::fabs(modes.shapes(2, 0)) == doctest::Approx(1).epsilon(1e-9));
  CHECK(modal_analysis(built.model, built.initial, {.springs = false}).count() == 0);
}

TEST_CASE("modes: springs that are not at rest add the change of their lever") {
  // three rotations away from rest: the exact derivative of the force is known from differences
  // of the force itself, whose symmetric part is the second derivative of the energy
  Scene scene = shipped("humanoid");
  const Character c = make_character(scene);
  State bent = c.rest;
  const Link& hip = c.model.links[static_cast<std::size_t>(c.model.body("left_leg.thigh").index)];
  const Quat q = exp_quat(Vec3{0.2, -0.3, 0.1});
  bent.q[hip.q] = q.w, bent.q[hip.q + 1] = q.x, bent.q[hip.q + 2] = q.y, bent.q[hip.q + 3] = q.z;
  const MatX K = modal_matrices(c.model, bent, {}).K.block(hip.v, hip.v, 3, 3);
  const auto energy_at = [&](const Vec3& x) {
    const Vec3 phi = log_quat(q * exp_quat(x));
    return 0.5 * 200 * dot(phi, phi);
  };
  const double h = 1e-3;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vec3 a, b;
      a[i] += h, a[j] += h, b[i] += h, b[j] -= h;
      const double second =
          (energy_at(a) - energy_at(b) - energy_at(-b) + energy_at(-a)) / (4 * h * h);
      CHECK(0.5 * (K(i, j) + K(j, i)) == doctest::Approx(second).epsilon(1e-5));
    }
  }
}

TEST_CASE("modes: torques along shapes excite single modes where all springs are equal") {
  for (const bool equal : {true, false}) {
    Character c = make_character(shipped("humanoid"), {.stiffness = 200});
    if (!equal) {
      for (int v = 6; v < c.model.nv; ++v) {
        c.model.drives[static_cast<std::size_t>(v)].stiffness = v % 3 == 0 ? 400 : 50 + 5 * v;
      }
    }
    const Modes modes = air_modes(c);
    const ModalMatrices m = modal_matrices(c.model, c.rest, {});
    const MatX stiff = m.K.bottomRightCorner(30, 30);
    // force of mode i when torques are those of mode j
    const auto coupling = [&](const MatX& torques) {
      MatX f = modes.phi.transpose() * torques;
      const VecX d = f.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
      f = d.asDiagonal() * f * d.asDiagonal();
      f.diagonal().setZero();
      return f.cwiseAbs().maxCoeff();
    };
    CHECK(coupling(stiff * modes.phi) < 1e-9);
    if (equal) CHECK(coupling(modes.phi) < 1e-9);
    if (!equal) CHECK(coupling(modes.phi) > 0.1);
  }
}

TEST_CASE("modes: a small swing in no field follows the formula of its mode") {
  Scene scene = shipped("humanoid");
  scene.settings.gravity = {};
  const Character c = make_character(scene, {.stand = false});
  const Modes modes = air_modes(c);
  const ModalMatrices m = modal_matrices(c.model, c.rest, {});
  for (const int mode : {0, 1, 2}) {
    CAPTURE(mode);
    const VecX shape = modes.shapes.col(mode);
    const double w = two_pi * modes.hertz[mode], xi = 0.05 * w, A = 0.01;
    const double wd = w * std::sqrt(1 - xi * xi), h = 1e-3;
    State state = deflected(c.model, c.rest, shape, A);
    Scratch scratch(c.model);
    const double end = 2 * two_pi / wd;
    double largest = 0, last_peak = A, peak_time = 0;
    while (state.t < end) {
      const double t = state.t;
      const VecX x = difference(c.model, c.rest.q, state.q);
      const double p = shape.dot(m.M * x) / shape.dot(m.M * shape);
      const double known =
          A * std::exp(-xi * w * t) * (std::cos(wd * t) + xi * w / wd * std::sin(wd * t));
      largest = std::fmax(largest, std::fabs(p - known));
      // after a full swing the curve has its next peak
      if (t > 0.75 * two_pi / wd && t < 1.25 * two_pi / wd && p > last_peak * (peak_time > 0)) {
        last_peak = p, peak_time = t;
      }
      step(c.model, Integrator::midpoint, h, state, scratch);
    }
    CHECK(largest < 0.002 * A);
    CHECK(peak_time == doctest::Approx(two_pi / wd).epsilon(0.005));
    // logarithmic decrement
    CHECK(std::log(A / last_peak) / (w * two_pi / wd) == doctest::Approx(xi).epsilon(0.02));
  }
}

TEST_CASE("modes: momentum stays in no field while joints swing and damp") {
  Scene scene = shipped("humanoid");
  scene.settings.gravity = {};
  scene.settings.contact.enabled = false;
  const Character c = make_character(scene);
  State state = c.rest;
  state.v[0] = 2.5, state.v[2] = 0.3, state.v[3] = 0.4, state.v[4] = -0.2, state.v[5] = 0.5;
  for (int i = 0; i < c.internal; ++i) state.v[c.first_internal + i] = std::sin(1.0 + i);
  const auto momenta = [&](const State& s) {
    const Totals t = totals(c.model, kinematics(c.model, s));
    // about the centre of mass
    return std::pair{t.momentum, t.angular_momentum - cross(t.com, t.momentum)};
  };
  const auto [p, L] = momenta(state);
  const auto drift = [&](Integrator method, double h) {
    const auto [q, M] = momenta(run(c.model, state, method, h, 1));
    return std::pair{norm(q - p) / norm(p), norm(M - L) / norm(L)};
  };
  const auto coarse = drift(Integrator::midpoint, 5e-4), fine = drift(Integrator::midpoint, 2.5e-4);
  CHECK(fine.first < 1e-6);
  CHECK(fine.second < 1e-6);
  CHECK(order(coarse.first, fine.first) == doctest::Approx(2).epsilon(0.05));
  CHECK(order(coarse.second, fine.second) == doctest::Approx(2).epsilon(0.05));
  // torques act on both sides of a joint: what is left is the integrator's
  const auto accurate = drift(Integrator::rk4, 5e-5);
  CHECK(accurate.first < 1e-8);
  CHECK(accurate.second < 1e-8);
  MESSAGE("relative drift in 1 s, linear and angular: midpoint at 0.5 ms "
          << coarse.first << ", " << coarse.second << "; at 0.25 ms " << fine.first << ", "
          << fine.second << "; rk4 at 0.05 ms " << accurate.first << ", " << accurate.second);
}

TEST_CASE("modes: a clip swings from rest to rest and holds the toe of a standing foot") {
  const Character c = make_character(shipped("kangaroo"));
  const Modes modes = ground_modes(c, 0);
  const Recording clip = mode_clip(c, modes, 0);
  REQUIRE(clip.frames.size() == 33);
  CHECK(clip.frames.front().state.q == c.rest.q);
  CHECK(clip.frames.back().state.q == c.rest.q);
  const double turn =
      difference(c.model, c.rest.q, clip.frames[8].state.q).tail(36).cwiseAbs().maxCoeff();
  CHECK(turn == doctest::Approx(35 * std::numbers::pi / 180).epsilon(1e-9));
}

TEST_CASE("modes: other things in the scene of a character are left out") {
  const Character alone = make_character(shipped("kangaroo"));
  Scene scene = shipped("kangaroo");
  // a swinging door before it, a ball behind it
  const Scene door = chain_scene(2);
  scene.bodies.insert(scene.bodies.begin(), door.bodies.begin(), door.bodies.end());
  scene.joints.insert(scene.joints.begin(), door.joints.begin(), door.joints.end());
  scene.bodies.push_back(free_body_scene(1, {1, 1, 1}, {}).bodies[0]);
  const Character c = make_character(scene);
  CHECK(c.first_internal == 8);
  for (const bool ground : {false, true}) {
    const Modes a = ground ? ground_modes(alone, 0) : air_modes(alone);
    const Modes b = ground ? ground_modes(c, 0) : air_modes(c);
    REQUIRE(a.count() == b.count());
    CHECK(a.rigid == b.rigid);
    CHECK((a.hertz - b.hertz).norm() < 1e-9);
    CHECK((a.phi.leftCols(20) - b.phi.leftCols(20)).norm() < 1e-6);
    CHECK(b.phi.rows() == 36);
  }
}

TEST_CASE("modes: what cannot be analysed is refused") {
  Scene scene = shipped_scene("four_bar");
  const Built built = build(scene);
  CHECK(error_text([&] { modal_analysis(built.model, built.initial); }).find("closes a loop") !=
        std::string::npos);
  CHECK(error_text([&] { make_character(scene); }).find("closes a loop") != std::string::npos);
  const Built pendulum = chain(1);
  CHECK(error_text([&] { modal_analysis(pendulum.model, pendulum.initial, {.locked = {0}}); }) ==
        "no freedom is left: all is fixed or locked");
}
