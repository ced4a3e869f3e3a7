// Forces, motors and probes that are formulas: closed forms, twins without formulas, live changes.
#include "molejo/physics/formula_forces.h"

#include <doctest/doctest.h>

#include "molejo/model/error.h"
#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

SceneFormula formula(const std::string& text, const std::string& scope = "") {
  return {text, scope, "here"};
}

void add_force(Scene& scene, const std::string& body, const std::vector<std::string>& force,
               const std::vector<std::string>& torque = {}) {
  SceneForce f;
  f.name = "force on " + body;
  f.at.body = body;
  for (const std::string& text : force) f.force_formulas.push_back(formula(text));
  for (const std::string& text : torque) f.torque_formulas.push_back(formula(text));
  scene.forces.push_back(f);
}

void add_number(Scene& scene, const std::string& name, double value) {
  SceneDefinition d;
  d.name = name;
  d.value = value;
  d.formula = formula("");
  scene.definitions.push_back(d);
}

void add_definition(Scene& scene, const std::string& name, const std::string& text) {
  SceneDefinition d;
  d.name = name;
  d.formula = formula(text);
  scene.definitions.push_back(d);
}

void add_probe(Scene& scene, const std::string& name, const std::string& text) {
  scene.probes.push_back({name, formula(text)});
}

// The last of so many more frames.
Frame frame_after(int count, Run& run) {
  Frame frame;
  std::vector<ContactEvent> events;
  for (int i = 0; i < count; ++i) REQUIRE(run.next_frame(frame, events));
  return frame;
}

// 2 kg at x = 0.5 m, without gravity.
Scene ball_scene() {
  Scene scene;
  scene.settings.gravity = {};
  scene.settings.duration = 2;
  scene.settings.fps = 100;
  add_solid(scene, "ball", Sphere{0.1}, 2, {Mat3::identity(), {0.5, 0, 0}});
  return scene;
}

double probe(const Recording& recording, std::size_t frame, const std::string& name) {
  for (std::size_t i = 0; i < recording.probes.size(); ++i) {
    if (recording.probes[i].name == name) return recording.frames[frame].probes[i];
  }
  FAIL("no probe " << name);
  return 0;
}

}  // namespace

TEST_CASE("formula forces: a spring law swings like its closed form, by every integrator") {
  for (const Integrator way : all_ways) {
    CAPTURE(to_string(way));
    Scene scene = ball_scene();
    scene.settings.integrator = way;
    scene.settings.tolerance = 1e-10;
    add_number(scene, "k", 18);  // 3 rad/s
    add_force(scene, "ball", {"-k*ball.position"});
    const Shown shown(scene);
    const double off = way == Integrator::semi_implicit_euler ? 3e-3
                       : way == Integrator::midpoint          ? 3e-6
                                                              : 1e-8;
    for (std::size_t i = 0; i < shown.frames().size(); ++i) {
      CHECK(std::fabs(shown.pose("ball", i).p.x - 0.5 * std::cos(3 * shown.seconds(i))) < off);
    }
  }
}

TEST_CASE("formula forces: one vector and three numbers are the same, in world and body axes") {
  const auto end = [](const std::vector<std::string>& force, bool in_body_axes) {
    Scene scene = ball_scene();
    scene.bodies[0].velocity = {{0, 0, 0}, {0, 0, 2}};
    add_force(scene, "ball", force, {"[0, 0.01*sin(t), 0]"});
    scene.forces[0].in_body_axes = in_body_axes;
    const Shown shown(scene);
    return shown.recording.summary.hash;
  };
  CHECK(end({"[1, 2*t, sin(t)]"}, false) == end({"1", "2*t", "sin(t)"}, false));
  CHECK(end({"[1, 2*t, sin(t)]"}, true) == end({"1", "2*t", "sin(t)"}, true));
  CHECK(end({"[1, 2*t, sin(t)]"}, true) != end({"[1, 2*t, sin(t)]"}, false));
}

TEST_CASE("formula forces: axes of the body turn with it") {
  Scene scene = ball_scene();
  scene.bodies[0].velocity = {{0, 0, 0}, {0, 0, 2}};
  add_force(scene, "ball", {"[4, 0, 0]"});
  scene.forces[0].in_body_axes = true;
  const Shown shown(scene);
  // a = 2 (cos 2t, sin 2t)
  const double t = 2;
  CHECK(shown.pose("ball").p.x == doctest::Approx(0.5 + 0.5 * (1 - std::cos(2 * t))).epsilon(1e-6));
  CHECK(shown.pose("ball").p.y == doctest::Approx(t - 0.5 * std::sin(2 * t)).epsilon(1e-6));
}

TEST_CASE("formula forces: the work of a force is the energy it gives") {
  Scene scene = ball_scene();
  scene.bodies[0].velocity = {{0, 1, 0}, {3, 0, 1}};
  add_force(scene, "ball", {"[2*cos(3*t), -0.5*ball.vy, 1 + ball.x]"},
            {"-0.01*ball.angular_velocity"});
  scene.forces[0].at.p = {0.02, 0.01, 0};
  const Shown shown(scene);
  const double gained = shown.frames().back().energy.kinetic - shown.frames()[0].energy.kinetic;
  const double work = probe(shown.recording, shown.frames().size() - 1, "force on ball.work");
  CHECK(std::fabs(gained) > 0.1);
  CHECK(work == doctest::Approx(gained).epsilon(1e-5));
}

TEST_CASE("formula forces: definitions may use each other in any order, and variables can be set") {
  Scene scene = ball_scene();
  add_definition(scene, "pull", "stiffness*stretch");
  add_definition(scene, "stretch", "ball.x - rest");
  add_number(scene, "stiffness", 8);
  add_number(scene, "rest", 0.1);
  add_force(scene, "ball", {"-pull", "0", "0"});
  const Built built = build(scene);
  Run run(built.model, built.initial, scene.settings, built.formulas);
  const Frame frame = frame_after(101, run);
  CHECK(frame.X_WB[0].p.x == doctest::Approx(0.1 + 0.4 * std::cos(2.0)).epsilon(1e-5));
  // from here on about another place
  const double x = frame.X_WB[0].p.x, v = -0.8 * std::sin(2.0);
  CHECK(run.set_variable("rest", x));
  CHECK_FALSE(run.set_variable("restt", x));
  CHECK(frame_after(100, run).X_WB[0].p.x ==
        doctest::Approx(x + v / 2 * std::sin(2.0)).epsilon(1e-5));
}

TEST_CASE("formula forces: a formula replaced while it runs acts from the next step on") {
  Scene scene = ball_scene();
  add_number(scene, "f", 3);
  add_force(scene, "ball", {"f", "0", "0"});
  const Built built = build(scene);
  Run run(built.model, built.initial, scene.settings, built.formulas);
  frame_after(101, run);
  CHECK(run.set_variable("f", 5));
  scene.forces[0].force_formulas[0] = formula("-f");
  run.set_formulas(compile_formulas(scene, built.model));
  // 1.5 m/s^2 for a second, then -2.5: the value that was set has stayed
  CHECK(frame_after(100, run).X_WB[0].p.x ==
        doctest::Approx(0.5 + 0.75 + 1.5 - 1.25).epsilon(1e-9));
}

TEST_CASE("implicit formulas: a spring a thousand times too stiff for the step stays calm") {
  for (const Integrator way : {Integrator::midpoint, Integrator::semi_implicit_euler}) {
    CAPTURE(to_string(way));
    Scene scene = ball_scene();
    scene.settings.integrator = way;
    scene.settings.time_step = 0.01;
    add_number(scene, "k", 2e8);  // 1e4 rad/s: a hundred radians a step
    add_force(scene, "ball", {"-k*(ball.x - 0.499)", "-5 * ball.vy", "0"});
    scene.bodies[0].velocity = {{0, 1, 0}, {}};
    scene.forces[0].implicit = true;
    const Shown stiff(scene);
    CHECK(stiff.recording.summary.failure == "");
    for (const Frame& frame : stiff.frames()) CHECK(std::fabs(frame.X_WB[0].p.x - 0.499) < 2e-3);
    CHECK(stiff.velocity("ball").linear.y == doctest::Approx(std::exp(-5.0)).epsilon(0.03));
    scene.forces[0].implicit = false;
    CHECK(Shown(scene).recording.summary.failure != "");
  }
}

TEST_CASE("implicit formulas: a joint's spring and damper as a formula are those of its drive") {
  for (const Integrator way : {Integrator::midpoint, Integrator::semi_implicit_euler}) {
    CAPTURE(to_string(way));
    // about a hinge, so that torques on bodies are forces of freedoms
    Scene scene = chain_scene(3, 0.3);
    scene.settings.integrator = way;
    scene.settings.duration = 1;
    Scene drives = scene;
    Drive drive;
    drive.stiffness = 5e4, drive.damping = 30, drive.rest = 0.5;
    drives.joints[0].drives = {drive};
    const std::string joint = scene.joints[0].name, body = scene.joints[0].child;
    add_force(scene, body, {},
              {"0", "-5e4*(" + joint + ".angle - 0.5) - 30*" + joint + ".rate", "0"});
    scene.forces[0].implicit = true;
    const Shown a(drives), b(scene);
    CHECK(separation(a.built.model, a.frames().back().state, b.frames().back().state) < 1e-7);
  }
}

TEST_CASE("implicit formulas: directions, turned axes and offsets, against small explicit steps") {
  Scene scene = ball_scene();
  scene.bodies[0].velocity = {{0, 0.5, 0}, {1, 2, 3}};
  scene.settings.duration = 0.5;
  add_force(scene, "ball", {"[-30*(ball.x - 0.4), -4*ball.vy, 20*ball.x_axis.z]"},
            {"-0.05*ball.angular_velocity + 0.4*[0, ball.z_axis.x, 0]"});
  scene.forces[0].at.p = {0.03, -0.02, 0.05};
  for (const bool in_body_axes : {false, true}) {
    CAPTURE(in_body_axes);
    scene.forces[0].in_body_axes = in_body_axes;
    scene.forces[0].implicit = false;
    scene.settings.integrator = Integrator::rk4;
    const Shown exact(scene);
    const auto error = [&](double h) {
      Scene stiff = scene;
      stiff.forces[0].implicit = true;
      stiff.settings.integrator = Integrator::midpoint;
      stiff.settings.time_step = h;
      const Shown shown(stiff);
      return separation(exact.built.model, exact.frames().back().state,
                        shown.frames().back().state);
    };
    // second order
    CHECK(order(error(2e-3), error(1e-3)) == doctest::Approx(2).epsilon(0.1));
    CHECK(error(1e-3) < 4e-4);
  }
}

TEST_CASE(
    "implicit formulas: a field across the velocity turns it, however strong, and that is all") {
  Scene scene = ball_scene();
  scene.bodies[0].velocity = {{3, -4, 0.5}, {}};
  scene.settings.time_step = 0.01;
  add_number(scene, "b", 1e4);  // 5000 rad/s: 50 radians a step
  add_force(scene, "ball", {"-b*ball.vy", "b*ball.vx", "0"});
  scene.forces[0].implicit = true;
  const Shown shown(scene);
  for (std::size_t i = 0; i < shown.frames().size(); ++i) {
    const Vec3 v = shown.velocity("ball", i).linear;
    CHECK(std::hypot(v.x, v.y) == doctest::Approx(5).epsilon(1e-6));
    CHECK(v.z == doctest::Approx(0.5));
  }
}

TEST_CASE("implicit formulas: a ball joint's turn and its rate, against small explicit steps") {
  Scene scene = ball_scene();
  SceneJoint socket;
  socket.name = "socket", socket.type = JointType::spherical, socket.child = "ball";
  socket.X_PF.p = {0.5, 0, 0};
  const Quat turned = quaternion(axis_rotation({0.6, 0, 0.8}, 1.8));
  socket.position = {turned.w, turned.x, turned.y, turned.z};
  socket.velocity = {2, -3, 1};
  scene.joints = {socket};
  scene.settings.duration = 0.5;
  add_force(scene, "ball", {},
            {"-0.3*[socket.rotation.x, 0, 2*socket.rotation.z] - 0.02*socket.angular_velocity"});
  scene.forces[0].in_body_axes = true;
  scene.settings.integrator = Integrator::rk4;
  const Shown exact(scene);
  const auto error = [&](double h) {
    Scene stiff = scene;
    stiff.forces[0].implicit = true;
    stiff.settings.integrator = Integrator::midpoint;
    stiff.settings.time_step = h;
    const Shown shown(stiff);
    return separation(exact.built.model, exact.frames().back().state, shown.frames().back().state);
  };
  // second order
  CHECK(order(error(2e-3), error(1e-3)) == doctest::Approx(2).epsilon(0.1));
}

TEST_CASE("push: a force by hand acts for its time") {
  const Scene scene = ball_scene();
  const Built built = build(scene);
  Run run(built.model, built.initial, scene.settings);
  run.add_push({{0}, {}, {4, 0, 0}, 0.5});
  const Frame frame = frame_after(101, run);
  CHECK(frame.state.v[0] == doctest::Approx(1).epsilon(3e-3));
  CHECK(frame.X_WB[0].p.x == doctest::Approx(0.5 + 0.25 + 0.5).epsilon(3e-3));
}

TEST_CASE("formula forces: a formula that begins to push a sleeper wakes it") {
  Scene scene;
  scene.settings = contact_settings(Integrator::midpoint, 3);
  add_ground(scene, {0.5, 0});
  add_solid(scene, "box", Box{{0.1, 0.1, 0.1}}, 1, {Mat3::identity(), {0, 0, 0.1}}, {0.5, 0});
  add_probe(scene, "x", "box.x");
  const Built built = build(scene);
  Run run(built.model, built.initial, scene.settings, built.formulas);
  Frame frame;
  std::vector<ContactEvent> events;
  for (int i = 0; i <= 150; ++i) REQUIRE(run.next_frame(frame, events));
  REQUIRE(frame.asleep == 1);
  const double x = frame.X_WB[1].p.x;
  add_force(scene, "box", {"8", "0", "0"});
  run.set_formulas(compile_formulas(scene, built.model));
  for (int i = 0; i < 100; ++i) REQUIRE(run.next_frame(frame, events));
  CHECK(frame.asleep == 0);
  // 8 N less the friction, for a second
  CHECK(frame.X_WB[1].p.x - x == doctest::Approx(0.5 * (8 - 0.5 * g)).epsilon(1e-2));
}

TEST_CASE("formula forces: probes see what frames show") {
  Scene scene = ragdoll_scene();
  scene.settings.duration = 0.5;
  const std::string body = scene.bodies[4].name;
  for (const char* word :
       {"position", "com", "velocity", "angular_velocity", "x_axis", "y_axis", "z_axis"}) {
    add_probe(scene, word, body + "." + word);
  }
  add_probe(scene, "angles", "[" + body + ".rx, " + body + ".ry, " + body + ".rz]");
  add_probe(scene, "total", "total.energy");
  add_probe(scene, "time", "t");
  const Shown shown(scene);
  const auto vector = [&](std::size_t i, const std::string& name) {
    return Vec3{probe(shown.recording, i, name + ".x"), probe(shown.recording, i, name + ".y"),
                probe(shown.recording, i, name + ".z")};
  };
  for (const std::size_t i : {std::size_t{0}, shown.frames().size() - 1}) {
    const Pose& X = shown.pose(body, i);
    const SceneBody::Velocity v = shown.velocity(body, i);
    CHECK(max_abs(vector(i, "position") - X.p) < 1e-13);
    CHECK(max_abs(vector(i, "velocity") - v.linear) < 1e-12);
    CHECK(max_abs(vector(i, "angular_velocity") - v.angular) < 1e-12);
    CHECK(max_abs(vector(i, "x_axis") - X.R.column(0)) < 1e-14);
    CHECK(max_abs(vector(i, "y_axis") - X.R.column(1)) < 1e-14);
    CHECK(max_abs(vector(i, "z_axis") - X.R.column(2)) < 1e-14);
    const Vec3 a = vector(i, "angles");
    const Mat3 R = axis_rotation({1, 0, 0}, a.x) * axis_rotation({0, 1, 0}, a.y) *
                   axis_rotation({0, 0, 1}, a.z);
    CHECK(max_abs(R.r0 - X.R.r0) < 1e-14);
    CHECK(max_abs(R.r2 - X.R.r2) < 1e-14);
    const Energy& e = shown.frames()[i].energy;
    CHECK(probe(shown.recording, i, "total") == doctest::Approx(e.kinetic + e.gravity));
    CHECK(probe(shown.recording, i, "time") == shown.seconds(i));
  }
}

TEST_CASE("formula forces: a body's centre of mass is where its mass is, floating or on a hinge") {
  Scene scene = ball_scene();
  scene.bodies[0].given->p_BC = {0.2, 0, 0.1};
  add_probe(scene, "com", "ball.com");
  const auto check = [&](const auto& expected) {
    const Shown shown(scene);
    for (const std::size_t i : {std::size_t{0}, std::size_t{70}, shown.frames().size() - 1}) {
      const Vec3 com{probe(shown.recording, i, "com.x"), probe(shown.recording, i, "com.y"),
                     probe(shown.recording, i, "com.z")};
      CHECK(max_abs(com - expected(shown.seconds(i))) < 1e-4);
    }
  };
  // it goes straight on, whatever its origin does
  scene.bodies[0].velocity = {{0, 1, 0}, {0, 0, 3}};
  check([](double t) { return Vec3{0.7, 0, 0.1} + Vec3{0, 1 + 3 * 0.2, 0} * t; });
  scene.bodies[0].velocity.reset();
  SceneJoint hinge;
  hinge.name = "hinge", hinge.type = JointType::revolute, hinge.child = "ball";
  hinge.X_PF.p = {0.5, 0, 0};
  hinge.velocity = {3};
  scene.joints = {hinge};
  check([](double t) { return Vec3{0.5 + 0.2 * std::cos(3 * t), 0.2 * std::sin(3 * t), 0.1}; });
}

TEST_CASE("formula motors: the same as numbers, in both formulations") {
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    CAPTURE(to_string(formulation));
    Scene scene = chain_scene(2, 0.3);
    scene.settings.formulation = formulation;
    scene.settings.duration = 1;
    Drive motor;
    motor.kp = 20, motor.kd = 1, motor.target = 0.7, motor.force = 0.5;
    for (SceneJoint& joint : scene.joints) joint.drives = {motor};
    const Shown numbers(scene);
    add_number(scene, "goal", 0.7);
    for (SceneJoint& joint : scene.joints) {
      joint.drives[0].target = joint.drives[0].force = 0;
      joint.motor_formulas = {{formula("goal"), {}, formula("0.5 + 0*" + joint.name + ".angle")}};
    }
    const Shown formulas(scene);
    CHECK(formulas.recording.summary.hash == numbers.recording.summary.hash);
  }
}

TEST_CASE("formula motors: a controller of formulas holds a cart-pole upright") {
  // a cart on a rail with a pole of 1 m; gains by pole placement for the linear system
  Scene scene;
  scene.settings.duration = 6;
  add_solid(scene, "cart", Box{{0.2, 0.1, 0.1}}, 1, {});
  add_solid(scene, "pole", Capsule{0.02, 0.5}, 0.2, {Mat3::identity(), {0, 0, 0.5}});
  scene.settings.contact.enabled = false;
  SceneJoint rail, pin;
  rail.name = "rail", rail.type = JointType::prismatic, rail.child = "cart";
  rail.X_PF.R = rail.X_BM.R = frame_from_z({1, 0, 0});
  rail.motor_formulas = {
      {{}, {}, formula("k1*rail.position + k2*rail.speed + k3*pin.angle + k4*pin.rate")}};
  pin.name = "pin", pin.type = JointType::revolute;
  pin.parent = "cart", pin.child = "pole";
  pin.X_PF.R = pin.X_BM.R = frame_from_z({0, 1, 0});
  pin.X_BM.p = {0, 0, -0.5};
  pin.position = {0.3};
  scene.joints = {rail, pin};
  add_number(scene, "k1", 2);
  add_number(scene, "k2", 4);
  // leaning to +x, the cart must run to +x
  add_number(scene, "k3", 40);
  add_number(scene, "k4", 9);
  const Shown shown(scene);
  CHECK(shown.recording.summary.failure == "");
  CHECK(std::fabs(shown.pose("cart").p.x) < 0.1);
  CHECK(shown.pose("pole").R.r2.z > 1 - 1e-4);
}

TEST_CASE("formula signals: a ball at rest feels its weight from the floor") {
  for (const Integrator way : {Integrator::midpoint, Integrator::rkf45}) {
    CAPTURE(to_string(way));
    Scene scene = on_ground(contact_settings(way, 1));
    scene.settings.contact.sleep = false;
    add_solid(scene, "ball", Sphere{0.1}, 2, {Mat3::identity(), {0, 0, 0.1}});
    add_probe(scene, "load", "ball.contact.force");
    add_probe(scene, "touches", "ball.contact");
    const Shown shown(scene);
    const std::size_t last = shown.frames().size() - 1;
    CHECK(probe(shown.recording, last, "load.z") == doctest::Approx(2 * g).epsilon(1e-6));
    CHECK(probe(shown.recording, last, "touches") == 1);
  }
}

TEST_CASE("formulas: mistakes are told with place, column and the nearest name") {
  const auto told = [](const std::string& force) {
    Scene scene = ball_scene();
    add_force(scene, "ball", {force, "0", "0"});
    return error_text([&] { simulate(build(scene), scene.settings); });
  };
  const std::string unknown = told("-3*bal.x");
  CHECK(unknown.find("here: '-3*bal.x'") != std::string::npos);
  CHECK(unknown.find("column 4") != std::string::npos);
  CHECK(unknown.find("ball.x") != std::string::npos);
  CHECK(told("ball.position").find("vector") != std::string::npos);
  const std::string infinite = told("1/(ball.x - 0.5)");
  CAPTURE(infinite);
  CHECK(infinite.find("column 2") != std::string::npos);
  CHECK(told("3 +").find("column") != std::string::npos);

  Scene scene = ball_scene();
  add_definition(scene, "a", "b + 1");
  add_definition(scene, "b", "2*a");
  add_force(scene, "ball", {"a", "0", "0"});
  const std::string cycle = error_text([&] { build(scene); });
  CHECK(cycle.find("a") != std::string::npos);
  CHECK(cycle.find("b") != std::string::npos);
}

TEST_CASE("formulas: units are checked when that is wanted") {
  Scene scene = ball_scene();
  add_force(scene, "ball", {"-3 N/m * ball.x", "2 N + ball.mass", "ball.vx"});
  const Built built = build(scene);
  const std::vector<std::string> complaints = unit_complaints(*built.formulas, built.model, false);
  REQUIRE(complaints.size() == 2);
  CHECK(complaints[0].find("N + kg") != std::string::npos);
  CHECK(complaints[1].find("m/s") != std::string::npos);
}
