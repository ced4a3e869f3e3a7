// Mechanisms with loops against their closed geometry and their one-freedom Lagrangian.
//
// Planar mechanisms lie in x-y with gravity along -y and hinges about z. Every joint is at zero in
// the initial pose, so that any of them may be the one that closes the loop.
#include <doctest/doctest.h>

#include <array>
#include <numbers>

#include "molejo/model/error.h"
#include "tests/support/assemble.h"
#include "tests/support/elliptic.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double pi = std::numbers::pi, g = 9.81;

// Unit vector at an angle in the plane, and its derivative by the angle.
Vec3 along(double angle) { return {std::cos(angle), std::sin(angle), 0}; }
Vec3 across(double angle) { return {-std::sin(angle), std::cos(angle), 0}; }
Mat3 turned_about_z(double angle) { return axis_rotation({0, 0, 1}, angle); }
double angle_of(const Pose& X) { return std::atan2(X.R.r1.x, X.R.r0.x); }

Scene planar_scene() {
  Scene scene;
  scene.settings.gravity = {0, -g, 0};
  return scene;
}

// One body of a mechanism with one freedom s: place and angle, and their derivatives by s.
struct Part {
  double mass, moment;
  Vec3 p, p1, p2;
  double angle, angle1, angle2;
};

// s'' of a mechanism: with T = M(s) s'^2 / 2, Lagrange's equation is M s'' + M' s'^2 / 2 + V' = 0.
template <std::size_t N>
double lagrange(const std::array<Part, N>& parts, double speed) {
  double M = 0, half_slope = 0, V1 = 0;
  for (const Part& b : parts) {
    M += b.mass * dot(b.p1, b.p1) + b.moment * b.angle1 * b.angle1;
    half_slope += b.mass * dot(b.p1, b.p2) + b.moment * b.angle1 * b.angle2;
    V1 += b.mass * g * b.p1.y;
  }
  return -(half_slope * speed * speed + V1) / M;
}

// (s, s') after a time, with own equations and own integrator.
template <class Parts>
VecX own_motion(const Parts& parts, double s, double speed, double duration) {
  const auto rate = [&](double, const VecX& x) {
    VecX r(2);
    r << x[1], lagrange(parts(x[0]), x[1]);
    return r;
  };
  VecX start(2);
  start << s, speed;
  return own_rk4(rate, start, duration, 8000);
}

void add_part(Scene& scene, const std::string& name, const Part& b, double speed) {
  add_body(scene, name, b.mass, {b.moment, b.moment, b.moment}, {turned_about_z(b.angle), b.p})
      .velocity = SceneBody::Velocity{b.p1 * speed, Vec3{0, 0, b.angle1 * speed}};
}

// Crank a from the origin, coupler b, rocker c whose pivot is at (d, 0); uniform bars.
struct FourBar {
  double a = 0.3, b = 0.9, c = 0.8, d = 1.0;

  struct Angles {
    double coupler, rocker;
  };
  Angles angles(double crank) const {
    const Vec3 B = along(crank) * a, DB = B - Vec3{d, 0, 0};
    const double s = norm(DB);
    const double rocker = std::atan2(DB.y, DB.x) - std::acos((c * c + s * s - b * b) / (2 * c * s));
    const Vec3 BC = Vec3{d, 0, 0} + along(rocker) * c - B;
    return {std::atan2(BC.y, BC.x), rocker};
  }
  std::array<Part, 3> parts(double s) const {
    const auto [u, w] = angles(s);
    // a e(s) + b e(u) - c e(w) = (d, 0), differentiated once and twice
    const Vec3 eu = across(u) * b, ew = across(w) * -c;
    const double det = eu.x * ew.y - eu.y * ew.x;
    const auto solve = [&](const Vec3& r) {
      return std::pair{(r.x * ew.y - r.y * ew.x) / det, (eu.x * r.y - eu.y * r.x) / det};
    };
    const auto [u1, w1] = solve(-(across(s) * a));
    const auto [u2, w2] = solve(along(s) * a + along(u) * (b * u1 * u1) - along(w) * (c * w1 * w1));
    const Vec3 half = along(u) * (b / 2), half1 = across(u) * (b / 2 * u1);
    const Vec3 half2 = across(u) * (b / 2 * u2) - along(u) * (b / 2 * u1 * u1);
    const auto bar = [](double length) { return length * length / 12; };
    return {
        Part{1.0, bar(a), along(s) * (a / 2), across(s) * (a / 2), -(along(s) * (a / 2)), s, 1, 0},
        Part{2.0, 2 * bar(b), along(s) * a + half, across(s) * a + half1, half2 - along(s) * a, u,
             u1, u2},
        Part{1.5, 1.5 * bar(c), Vec3{d, 0, 0} + along(w) * (c / 2), across(w) * (c / 2 * w1),
             across(w) * (c / 2 * w2) - along(w) * (c / 2 * w1 * w1), w, w1, w2}};
  }

  // The bar mechanism at a crank angle and speed, with joint `closing` (0 .. 3 from the crank's
  // pivot round to the rocker's) as the loop.
  Scene scene(double s, double speed, int closing) const {
    Scene scene = planar_scene();
    const char* names[] = {"", "crank", "coupler", "rocker"};
    const std::array<Part, 3> at = parts(s);
    for (std::size_t i = 0; i < 3; ++i) add_part(scene, names[i + 1], at[i], speed);
    const Vec3 pivots[] = {{}, along(s) * a, Vec3{d, 0, 0} + along(at[2].angle) * c, {d, 0, 0}};
    for (int i = 0; i < 4; ++i) {
      const char *before = names[i], *after = names[(i + 1) % 4];
      const bool from_start = i < closing || (i == closing && i < 3);
      const char *parent = from_start ? before : after, *child = from_start ? after : before;
      const Pose X = frame_at(pivots[i]);
      i == closing ? add_loop(scene, JointType::revolute, parent, child, X)
                   : add_joint(scene, JointType::revolute, parent, child, X);
    }
    return scene;
  }
};

}  // namespace

TEST_CASE("slider-crank: closed kinematics and the Lagrangian of the crank angle") {
  constexpr double r = 0.25, l = 0.7;
  const auto slide = [&](double s) {
    return r * std::cos(s) + std::sqrt(l * l - r * r * std::sin(s) * std::sin(s));
  };
  const auto parts = [&](double s) {
    // rod angle -b with l sin b = r sin s
    const double sin_b = r * std::sin(s) / l, b = std::asin(sin_b), cos_b = std::cos(b);
    const double b1 = r * std::cos(s) / (l * cos_b);
    const double b2 = (-r * std::sin(s) / l + sin_b * b1 * b1) / cos_b;
    const Vec3 rod = along(-b) * (l / 2), rod1 = across(-b) * (-l / 2 * b1);
    const Vec3 rod2 = across(-b) * (-l / 2 * b2) - along(-b) * (l / 2 * b1 * b1);
    const Vec3 pin = along(s) * r, pin1 = across(s) * r, pin2 = -pin;
    return std::array{
        Part{1.2, 0.02, pin * 0.5, pin1 * 0.5, pin2 * 0.5, s, 1, 0},
        Part{0.8, 0.04, pin + rod, pin1 + rod1, pin2 + rod2, -b, -b1, -b2},
        Part{2.0, 0.01, pin + rod * 2.0, pin1 + rod1 * 2.0, pin2 + rod2 * 2.0, 0, 0, 0}};
  };
  const double s0 = 0.6, speed = 3, t = 2;
  Scene scene = planar_scene();
  const auto at = parts(s0);
  add_part(scene, "crank", at[0], speed);
  add_part(scene, "rod", at[1], speed);
  add_part(scene, "slider", at[2], speed);
  add_joint(scene, JointType::revolute, "", "crank", frame_at({}));
  add_joint(scene, JointType::revolute, "crank", "rod", frame_at(along(s0) * r));
  add_joint(scene, JointType::prismatic, "", "slider", frame_at(at[2].p, {1, 0, 0}));
  add_loop(scene, JointType::revolute, "rod", "slider", frame_at(at[2].p));
  const Built built = build(scene);
  CHECK(redundant_rows(built.model, built.initial) == 3);

  const VecX own = own_motion(parts, s0, speed, t);
  const State s = run(built, Integrator::rk4, 1e-3, t);
  const double crank = s0 + s.q[0];
  CHECK(std::fabs(crank - own[0]) < 1e-8);
  CHECK(std::fabs(s.v[0] - own[1]) < 1e-7);
  CHECK(std::fabs(crank - s0) > 1);
  CHECK(max_abs(pose(built.model, s, "slider").p - Vec3{slide(crank), 0, 0}) < 1e-11);
  CHECK(std::fabs(energy(built.model, s).total() - energy(built.model, built.initial).total()) <
        1e-8);
}

TEST_CASE("four-bar: redundant in space, it follows the coupler's geometry and its Lagrangian") {
  const FourBar bars;
  const double s0 = 0.4, speed = 14, t = 1;
  const Built built = build(bars.scene(s0, speed, 3));
  REQUIRE(built.model.rows == 5);
  // out of the plane one translation and two tilts say nothing new
  CHECK(redundant_rows(built.model, built.initial) == 3);

  const VecX own = own_motion([&](double s) { return bars.parts(s); }, s0, speed, t);
  const State s = run(built, Integrator::rk4, 5e-4, t);
  const double crank = s0 + s.q[0];
  CHECK(std::fabs(crank - own[0]) < 1e-8);
  CHECK(std::fabs(s.v[0] - own[1]) < 1e-7);
  CHECK(std::fabs(s.q[0]) > 2 * pi);  // more than a whole turn
  const FourBar::Angles expected = bars.angles(crank);
  CHECK(std::fabs(std::remainder(angle_of(pose(built.model, s, "coupler")) - expected.coupler,
                                 2 * pi)) < 1e-10);
  CHECK(std::fabs(std::remainder(angle_of(pose(built.model, s, "rocker")) - expected.rocker,
                                 2 * pi)) < 1e-10);
  CHECK(std::fabs(energy(built.model, s).total() - energy(built.model, built.initial).total()) <
        1e-7);
  CHECK(redundant_rows(built.model, s) == 3);
}

TEST_CASE("four-bar: velocities that would open the loop are refused with their residual") {
  Scene scene = FourBar{}.scene(0.4, 0, 3);
  for (SceneBody& body : scene.bodies) body.velocity.reset();
  scene.joints[0].velocity = {2};
  const std::string expected = "joint 'world_rocker' is torn apart in the initial state: equation ";
  std::string text;
  try {
    build(scene);
  } catch (const InputError& e) {
    text = e.what();
  }
  CHECK(text.substr(0, expected.size()) == expected);
  CHECK(text.find(" m/s or rad/s") != std::string::npos);
}

TEST_CASE(
    "four-bar: whichever joint closes the loop, and in maximal coordinates, the motion is one") {
  const FourBar bars;
  std::vector<std::array<Pose, 3>> ends;
  for (int variant = 0; variant < 5; ++variant) {
    Scene scene = bars.scene(1.1, 4, variant % 4);
    if (variant == 4) scene.settings.formulation = Formulation::maximal;
    const Built built = build(scene);
    // 18 freedoms, 20 equations, one freedom left
    if (variant == 4) CHECK(redundant_rows(built.model, built.initial) == 3);
    const State s = run(built, Integrator::rk4, 5e-4, 1.5);
    ends.push_back({pose(built.model, s, "crank"), pose(built.model, s, "coupler"),
                    pose(built.model, s, "rocker")});
  }
  for (std::size_t v = 1; v < ends.size(); ++v) {
    for (std::size_t i = 0; i < 3; ++i) {
      CAPTURE(v);
      CHECK(norm(ends[v][i].p - ends[0][i].p) < 1e-9);
      CHECK(std::fabs(std::remainder(angle_of(ends[v][i]) - angle_of(ends[0][i]), 2 * pi)) < 1e-8);
    }
  }
}

TEST_CASE("parallelogram: the coupler keeps level and the whole swings like one pendulum") {
  constexpr double l = 0.6, width = 0.5, m = 1.1, I = 0.05, load = 3;
  const double s0 = 1.0;  // from the downward vertical
  Scene scene = planar_scene();
  const auto arm = [&](double x) { return Vec3{x, 0, 0} + along(s0 - pi / 2) * (l / 2); };
  const Pose turned{turned_about_z(s0), {}};
  add_body(scene, "left", m, {I, I, I}, {turned.R, arm(0)});
  add_body(scene, "right", m, {I, I, I}, {turned.R, arm(width)});
  const Vec3 end = along(s0 - pi / 2) * l;
  add_body(scene, "coupler", load, {0.2, 0.2, 0.2}, frame_at(end + Vec3{width / 2, -0.1, 0}));
  add_joint(scene, JointType::revolute, "", "left", frame_at({}));
  add_joint(scene, JointType::revolute, "", "right", frame_at({width, 0, 0}));
  add_joint(scene, JointType::revolute, "left", "coupler", frame_at(end));
  add_loop(scene, JointType::revolute, "right", "coupler", frame_at(end + Vec3{width, 0, 0}));
  const Built built = build(scene);
  CHECK(redundant_rows(built.model, built.initial) == 3);

  // (2 (I + m l^2/4) + load l^2) s'' = -(m l + load l) g sin s
  const double w = std::sqrt((m + load) * l * g / (2 * (I + m * l * l / 4) + load * l * l));
  const double k = std::sin(s0 / 2);
  for (const double t : {0.4, 1.3, 3.0}) {
    const State s = run(built, Integrator::rk4, 1e-3, t);
    const double expected = 2 * std::asin(k * jacobi(complete_elliptic(k * k) - w * t, k * k).sn);
    CAPTURE(t);
    CHECK(std::fabs(angle_of(pose(built.model, s, "left")) - expected) < 1e-9);
    CHECK(std::fabs(angle_of(pose(built.model, s, "coupler"))) < 1e-11);
  }
}

TEST_CASE("Bricard's linkage: six hinges in space move with one freedom and stay closed") {
  // every hinge lies in one of three mirror planes through z, even and odd ones alike among
  // themselves: by symmetry each such ring moves (Bricard 1897; Chen, You, Tarnai 2005)
  const auto hinge = [](int i) {
    const double azimuth = i * pi / 3, tilt = i % 2 == 0 ? 0.5 : -0.9;
    const double radius = i % 2 == 0 ? 1.0 : 0.8, height = i % 2 == 0 ? 0.0 : 0.3;
    return frame_at(along(azimuth) * radius + Vec3{0, 0, height},
                    along(azimuth) * std::cos(tilt) + Vec3{0, 0, std::sin(tilt)});
  };
  Scene scene;
  scene.settings.gravity = {1, 2, -9};
  std::string before;
  for (int i = 1; i < 6; ++i) {
    const std::string name = "bar" + std::to_string(i);
    add_body(scene, name, 1 + 0.1 * i, {0.1, 0.12, 0.15},
             frame_at((hinge(i).p + hinge((i + 1) % 6).p) / 2));
    add_joint(scene, JointType::revolute, before, name, hinge(i));
    before = name;
  }
  add_loop(scene, JointType::revolute, "", before, hinge(0));
  const Built built = build(scene);
  const Model& model = built.model;
  REQUIRE(model.nv == 5);
  REQUIRE(model.rows == 5);

  State s = built.initial;
  const double E0 = energy(model, s).total();
  double travelled = 0;
  for (int i = 0; i <= 10; ++i) {
    if (i > 0) s = run(model, s, Integrator::rk4, 1e-3, 0.1 * i);
    CAPTURE(s.t);
    CHECK(redundant_rows(model, s) == 1);
    // the symmetry of the ring is kept whatever the masses and the load
    CHECK(std::fabs(s.q[0] - s.q[2]) < 1e-9);
    CHECK(std::fabs(s.q[0] - s.q[4]) < 1e-9);
    CHECK(std::fabs(s.q[1] - s.q[3]) < 1e-9);
    const Kinematics<double> k = kinematics(model, s);
    const double closing = measure(model, k, model.loops[0]).q[0];
    CHECK(std::fabs(std::remainder(closing + s.q[1], 2 * pi)) < 1e-9);
    Loops loops(model);
    CHECK(closure_error(model, k, loops) < 1e-10);
    CHECK(std::fabs(energy(model, s).total() - E0) < 1e-8);
    travelled = std::max(travelled, std::fabs(s.q[0]));
  }
  CHECK(travelled > 0.5);
}

TEST_CASE("three fixed points: nine equations, three too many, and the body does not move") {
  Scene scene;
  add_body(scene, "plate", 4, {0.3, 0.5, 0.7}, frame_at({0.1, 0.2, 1}));
  for (const Vec3& p : {Vec3{0, 0, 1}, Vec3{1, 0, 1.2}, Vec3{0.2, 0.9, 0.8}}) {
    add_loop(scene, JointType::spherical, "", "plate", frame_at(p));
    scene.joints.back().name += std::to_string(scene.joints.size());
  }
  scene.forces.push_back({"push", {"plate", {0.5, 0, 0}}, {{0, {30, -20, 10}, {5, 5, 5}}}});
  const Built built = build(scene);
  REQUIRE(built.model.rows == 9);
  CHECK(redundant_rows(built.model, built.initial) == 3);
  CHECK(accelerations(built.model, built.initial).norm() < 1e-12);

  // the reactions carry the weight and the push
  Scratch scratch(built.model);
  VecX a(6);
  acceleration(built.model, 0, built.initial.q.data(), built.initial.v.data(), a.data(), scratch);
  Vec3 reaction;
  for (std::size_t r = 0; r < 9; ++r) {
    reaction += scratch.loops.rows[r].f * scratch.loops.lambda[r];
  }
  CHECK(norm(reaction + Vec3{30, -20, 10 - 4 * g}) < 1e-10);

  for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint,
                                  Integrator::rk4, Integrator::rkf45}) {
    const State s = run(built, method, 1e-2, 2);
    CHECK(separation(built.model, s, built.initial) < 1e-10);
  }
}

TEST_CASE("every joint type: the same motion as tree joint, as loop closure and in maximal form") {
  for (const JointType type : {JointType::fixed, JointType::revolute, JointType::prismatic,
                               JointType::cylindrical, JointType::universal, JointType::spherical,
                               JointType::planar, JointType::point_in_plane, JointType::free}) {
    CAPTURE(to_string(type));
    Scene scene;
    add_body(scene, "a", 2, {0.2, 0.3, 0.4},
             {matrix(exp_quat(Vec3{0.1, 0.5, 0.2})), {0.3, 0, -0.2}});
    add_body(scene, "b", 1.4, {0.15, 0.2, 0.1},
             {matrix(exp_quat(Vec3{-0.7, 0.2, 1})), {0.5, 0.4, 0}});
    SceneJoint& base =
        add_joint(scene, JointType::revolute, "", "a", frame_at({}, normalized(Vec3{1, 2, 2})));
    base.position = {0.3}, base.velocity = {1.5};
    SceneJoint& joint =
        add_joint(scene, type, "a", "b", frame_at({0.4, 0.1, 0.1}, normalized(Vec3{2, -1, 2})));
    const Freedoms f = freedoms(type);
    const double values[] = {0.2, -0.1, 0.15, 0.4, -0.3, 0.2};
    for (int i = 0; i < f.count(); ++i) {
      if (f.rotations < 3 || i < f.translations) joint.position.push_back(values[i]);
      joint.velocity.push_back(1 - 0.3 * i);
      Drive drive;
      drive.stiffness = 8 + i, drive.rest = 0.1, drive.damping = 0.4;
      joint.drives.push_back(drive);
    }
    if (f.rotations == 3) {
      const Quat q = exp_quat(Vec3{0.4, -0.3, 0.2});
      joint.position.insert(joint.position.end(), {q.w, q.x, q.y, q.z});
    }
    const Built tree = build(scene);

    // b floats, placed and moving as the tree says, and the joint is a closure
    Scene looped = scene;
    const Kinematics<double> k = kinematics(tree.model, tree.initial);
    const BodyId b = tree.model.body("b");
    looped.bodies[1].X_WB = body_pose(tree.model, k, b);
    looped.bodies[1].velocity = SceneBody::Velocity{point_velocity(k, b, looped.bodies[1].X_WB.p),
                                                    k.bodies[static_cast<std::size_t>(b.index)].w};
    looped.joints[1].loop = true;
    looped.joints[1].position.clear();
    looped.joints[1].velocity.clear();
    const Built loop = build(looped);
    CHECK(loop.model.rows == 6 - f.count());
    scene.settings.formulation = Formulation::maximal;
    const Built maximal = build(scene);
    CHECK(maximal.model.rows == 5 + 6 - f.count());

    const double t = 1;
    const State end = run(tree, Integrator::rk4, 1e-3, t);
    for (const Built* other : {&loop, &maximal}) {
      const State s = run(*other, Integrator::rk4, 1e-3, t);
      CHECK(redundant_rows(other->model, s) == 0);
      for (const char* name : {"a", "b"}) {
        const Pose X = pose(tree.model, end, name), Y = pose(other->model, s, name);
        CHECK(norm(X.p - Y.p) < 1e-9);
        CHECK(norm(log_quat(quaternion(transpose(X.R) * Y.R))) < 1e-9);
      }
      const Energy e = energy(tree.model, end), o = energy(other->model, s);
      CHECK(std::fabs(e.kinetic - o.kinetic) < 1e-8);
      CHECK(std::fabs(e.elastic - o.elastic) < 1e-8);
    }
  }
}
