// Bacin's experiments (thesis 1999, chapter 9) in both formulations, against the spec's reference
// states, his energy figures and his own equations.
#include <doctest/doctest.h>

#include "molejo/io/bacin.h"
#include "molejo/model/build.h"
#include "molejo/physics/world.h"
#include "tests/support/euler_parameters.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

const Formulation formulations[] = {Formulation::reduced, Formulation::maximal};

Scene experiment(const std::string& name) {
  return read_bacin(
      SourceFile::given(test::source_dir() + "/scenes/bacin/" + name + "/" + name + ".cfg"));
}

Recording run(Scene scene, Formulation formulation) {
  scene.settings.formulation = formulation;
  return simulate(build(scene), scene.settings);
}

// Euler parameters of body i, in the sign of `like`.
euler::Vec4d theta(const Frame& frame, std::size_t i, const euler::Vec4d& like) {
  const Quat q = quaternion(frame.X_WB[i].R);
  const euler::Vec4d v(q.w, q.x, q.y, q.z);
  return v.dot(like) < 0 ? euler::Vec4d(-v) : v;
}

double distance(const Pose& a, const Pose& b) {
  return std::max(
      {norm(a.p - b.p), norm(a.R.r0 - b.R.r0), norm(a.R.r1 - b.R.r1), norm(a.R.r2 - b.R.r2)});
}

euler::Run oracle(const Scene& scene, double tolerance) {
  euler::Run run;
  run.system = euler::from_scene(scene);
  run.options = {tolerance, 1e-9, scene.settings.max_step, true, true, tolerance};
  run.step = run.options.max_step;
  return run;
}

// Largest difference of any pose between a run and the oracle, at every `stride`-th frame.
double difference(const Scene& scene, Formulation formulation, double tolerance, int stride) {
  Scene strict = scene;
  strict.settings.tolerance = tolerance;
  strict.settings.constraint_tolerance = tolerance;
  strict.settings.formulation = formulation;
  strict.settings.integrator = Integrator::rkf45;
  const Built built = build(strict);
  const Recording recording = simulate(built, strict.settings);
  REQUIRE(recording.summary.failure == "");
  euler::Run reference = oracle(scene, tolerance);
  double worst = 0;
  for (std::size_t f = 0; f < recording.frames.size(); f += static_cast<std::size_t>(stride)) {
    const Frame& frame = recording.frames[f];
    reference.advance(frame.state.t);
    for (std::size_t i = 0; i < built.model.bodies.size(); ++i) {
      const Body& body = built.model.bodies[i];
      if (body.immobile) continue;
      worst = std::max(worst, distance(frame.X_WB[i], reference.system.pose(body.name)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("bacin experiments: E1 spins about its axis as cos and sin of 2") {
  for (const Formulation formulation : formulations) {
    const Recording r = run(experiment("e1"), formulation);
    REQUIRE(r.frames.size() == 301);
    CHECK(r.summary.energy_initial == doctest::Approx(0.6928).epsilon(1e-12));
    CHECK(r.summary.energy_deviation <= 2.03e-7);
    const euler::Vec4d end(std::cos(2), 0, 0, std::sin(2));
    CHECK((theta(r.frames.back(), 0, end) - end).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("bacin experiments: E2 tumbles to the spec's end and keeps its momenta") {
  for (const Formulation formulation : formulations) {
    const Recording r = run(experiment("e2"), formulation);
    CHECK(r.summary.energy_initial == doctest::Approx(3.027396).epsilon(1e-7));
    CHECK(r.summary.energy_deviation <= 2.23e-7);
    CHECK(r.summary.momentum_drift < 1e-12);
    CHECK(r.summary.angular_momentum_drift < 1e-6);
    const euler::Vec4d end(-0.68939, 0.02009, -0.62682, -0.36254);
    CHECK((theta(r.frames.back(), 0, end) - end).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("bacin experiments: E3 keeps its energy as the thesis does, at its tolerance") {
  for (const Formulation formulation : formulations) {
    const Recording r = run(experiment("e3"), formulation);
    REQUIRE(r.frames.size() == 451);
    CHECK(r.summary.energy_initial == doctest::Approx(3136).epsilon(1e-12));
    CHECK(r.summary.energy_deviation <= 1.32e-4);
    CHECK(r.summary.constraint_error <= 1e-4);
  }
}

TEST_CASE("bacin experiments: E3 meets the spec's states") {
  Scene scene = experiment("e3");
  scene.settings.tolerance = 1e-9;
  for (const Formulation formulation : formulations) {
    const Recording r = run(scene, formulation);
    const auto near = [&](std::size_t frame, std::size_t body, const Vec3& p) {
      return norm(r.frames[frame].X_WB[body].p - p) < 2e-5;
    };
    CHECK(near(150, 0, {-0.60590, 0, 19.03067}));
    CHECK(near(150, 1, {-4.78571, 0, 8.24189}));
    const euler::Vec4d theta_1(0.99872, 0, 0.05056, 0), theta_2(0.44964, 0, 0.89321, 0);
    CHECK((theta(r.frames[150], 0, theta_1) - theta_1).norm() < 2e-5);
    CHECK((theta(r.frames[150], 1, theta_2) - theta_2).norm() < 2e-5);
    CHECK(near(450, 0, {0.20540, 0, 19.00352}));
    CHECK(near(450, 1, {6.19143, 0, 11.39943}));
  }
}

TEST_CASE("bacin experiments: stabilisation bounds the drift of E3, which grows without it") {
  Scene scene = experiment("e3");
  scene.settings.duration = 60;
  scene.settings.max_step = 1.0 / 30;
  scene.settings.constraint_tolerance = 1e-6;
  const Recording on = run(scene, Formulation::maximal);
  CHECK(on.summary.constraint_error <= 1e-6);
  CHECK(on.summary.projections > 0);
  scene.settings.project = false;
  const Recording off = run(scene, Formulation::maximal);
  CHECK(off.summary.projections == 0);
  CHECK(off.summary.constraint_error > 1e-5);
  CHECK(off.frames.back().constraint_error > 2 * off.frames[600].constraint_error);
}

TEST_CASE("bacin experiments: both formulations move as Bacin's equations do") {
  for (const char* name : {"e1", "e2", "e3"}) {
    CAPTURE(name);
    for (const Formulation formulation : formulations) {
      CHECK(difference(experiment(name), formulation, 1e-10, 30) < 1e-6);
    }
  }
}

namespace {

// A box that is neither centred nor aligned, so that the oracle's principal axes differ from it.
SceneBody skew_box(const std::string& name, const Vec3& p) {
  SceneBody body;
  body.name = name;
  body.X_WB = {axis_rotation(normalized(Vec3{1, 2, 3}), 0.4), p};
  body.shapes.push_back({Box{{0.5, 0.3, 0.2}}, {axis_rotation({0, 1, 0}, 0.3), {0.1, 0.2, 0}}, {}});
  body.density = 10;
  return body;
}

// Body a on the world and b on a, both by a joint of the given type at skew frames, set in motion.
Scene pair_of(JointType type) {
  Scene scene;
  scene.settings.contact.enabled = false;
  scene.settings.gravity = {0, 0, -9.8};
  scene.settings.duration = 0.5;
  scene.settings.max_step = 0.01;
  scene.settings.contact.enabled = false;  // they lie within each other
  scene.bodies = {skew_box("a", {0, 0, 1}), skew_box("b", {1, 0.5, 0.4})};
  for (const char* child : {"a", "b"}) {
    const bool first = child[0] == 'a';
    SceneJoint joint;
    joint.name = std::string("j") + child;
    joint.type = type;
    joint.parent = first ? "" : "a";
    joint.child = child;
    joint.X_PF = {axis_rotation(normalized(Vec3{1, first ? 0.0 : 1.0, 0.5}), 0.9), {0.3, 0.1, 0.5}};
    joint.X_BM = {axis_rotation(normalized(Vec3{0.2, 1, 0}), 0.5), {-0.4, 0.2, 0.1}};
    const Freedoms f = freedoms(type);
    for (int k = 0; k < f.translations; ++k) joint.position.push_back(0.1 + 0.2 * k);
    if (f.rotations == 3) {
      const Quat q = normalized(Quat{0.9, 0.2, -0.3, 0.1});
      for (const double x : {q.w, q.x, q.y, q.z}) joint.position.push_back(x);
    } else {
      for (int k = 0; k < f.rotations; ++k) joint.position.push_back(0.5 - 0.8 * k);
    }
    for (int k = 0; k < f.count(); ++k) joint.velocity.push_back(1 - 0.4 * k);
    scene.joints.push_back(joint);
  }
  scene.springs.push_back({"coil", {"b", {0.2, 0, 0.1}}, {"", {1, 1, 2}}, 30, 0.5, 2});
  SceneForce push;
  push.name = "push";
  push.at = {"b", {0, 0.3, 0}};
  push.samples = {
      {0.05, {0, 9, 0}, {1, 0, 0}}, {0.15, {20, 0, 0}, {0, 2, 0}}, {0.45, {0, 0, 30}, {0, 0, 3}}};
  scene.forces.push_back(push);
  return scene;
}

}  // namespace

TEST_CASE("bacin experiments: every joint type moves as Bacin's equations say") {
  for (const JointType type : {JointType::fixed, JointType::revolute, JointType::prismatic,
                               JointType::cylindrical, JointType::universal, JointType::spherical,
                               JointType::planar, JointType::point_in_plane, JointType::free}) {
    CAPTURE(to_string(type));
    const Scene scene = pair_of(type);
    for (const Formulation formulation : formulations) {
      CAPTURE(to_string(formulation));
      CHECK(difference(scene, formulation, 1e-9, 1) < 1e-6);
    }
  }
}

TEST_CASE("bacin experiments: a loop of redundant joints moves as Bacin's equations say") {
  // a four-bar about y: 20 equations on 18 velocities, and yet one freedom
  Scene scene;
  scene.settings.gravity = {0, 0, -9.8};
  scene.settings.duration = 1;
  scene.settings.max_step = 0.01;
  const auto bar = [&](const char* name, const Vec3& from, const Vec3& to) {
    SceneBody body;
    body.name = name;
    body.X_WB.p = from;
    body.given = MassProperties{1, (to - from) * 0.5, Sym3::diagonal(0.1, 0.1, 0.1)};
    scene.bodies.push_back(body);
  };
  bar("left", {0, 0, 0}, {0, 0, 1});
  bar("top", {0, 0, 1}, {2, 0, 1.5});
  bar("right", {2, 0, 1.5}, {2.5, 0, 0});
  const Mat3 R = frame_from_z({0, 1, 0});
  const auto hinge = [&](const char* name, const char* parent, const Vec3& F, const char* child,
                         const Vec3& M, bool loop) {
    SceneJoint joint;
    joint.name = name;
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = child;
    joint.X_PF = {R, F};
    joint.X_BM = {R, M};
    joint.loop = loop;
    scene.joints.push_back(joint);
  };
  hinge("one", "", {0, 0, 0}, "left", {}, false);
  hinge("two", "left", {0, 0, 1}, "top", {}, false);
  hinge("three", "top", {2, 0, 0.5}, "right", {}, false);
  hinge("four", "", {2.5, 0, 0}, "right", {0.5, 0, -1.5}, true);
  for (const Formulation formulation : formulations) {
    CHECK(difference(scene, formulation, 1e-9, 1) < 1e-6);
    const Recording r = run(scene, formulation);
    CHECK(norm(r.frames.back().X_WB[1].p - r.frames[0].X_WB[1].p) > 0.1);  // it does move
  }
}
