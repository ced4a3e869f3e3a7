// Commands: forces along freedoms, targets of motors and wrenches on bodies, against closed forms,
// against what a scene says of the same things, and lane by lane.
#include "molejo/physics/command.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/physics/ground_pack.h"
#include "molejo/physics/snapshot.h"
#include "molejo/physics/world.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/linkages.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// After so many steps that obey one command.
State obeyed(const Built& built, Integrator method, double h, int steps,
             const Command<double>& command) {
  State state = built.initial;
  Scratch scratch(built.model);
  for (int n = 0; n < steps; ++n) step(built.model, method, h, state, command, scratch);
  return state;
}

// The same without one.
State untold(const Built& built, Integrator method, double h, int steps) {
  State state = built.initial;
  Scratch scratch(built.model);
  for (int n = 0; n < steps; ++n) step(built.model, method, h, state, scratch);
  return state;
}

VecX commanded_acceleration(const Model& model, const State& state,
                            const Command<double>& command) {
  Scratch scratch(model);
  VecX a(model.nv);
  acceleration(model, state.t, state.q.data(), state.v.data(), command, a.data(), scratch);
  return a;
}

// A body of 2 kg whose centre is 0.3 m from a hinge about y, below it; moment about the hinge.
constexpr double mass = 2, arm = 0.3, moment = 0.4 + mass * arm * arm;
Scene hinge_scene(double position, bool gravity) {
  Scene scene;
  if (!gravity) scene.settings.gravity = {};
  add_body(scene, "body", mass, {0.3, 0.4, 0.5}, frame_at({0, 0, -arm}));
  add_joint(scene, JointType::revolute, "", "body", frame_at({}, {0, 1, 0})).position = {position};
  return scene;
}

// x'' + 2 zeta w x' + w^2 x = 0 from x0 at rest.
double swing(double w, double zeta, double x0, double t) {
  const double wd = w * std::sqrt(1 - zeta * zeta);
  return x0 * std::exp(-zeta * w * t) * (std::cos(wd * t) + zeta * w / wd * std::sin(wd * t));
}

// Something of everything, different for each seed; a few motors stay off.
Command<double> random_command(const Model& model, unsigned seed, double scale = 1) {
  std::mt19937 random(seed);
  Command<double> command(model);
  for (double& f : command.forces) f = scale * symmetric_unit(random);
  for (MotorTarget<double>& m : command.motors) {
    m = {symmetric_unit(random), symmetric_unit(random), 20 * std::fabs(symmetric_unit(random)),
         std::fabs(symmetric_unit(random)), symmetric_unit(random) > 0 ? 1.0 : 0.0};
  }
  for (const int body : {0, model.body_count() - 1}) {
    command.wrenches.push_back({{body},
                                random_vector(random) * 0.2,
                                random_vector(random) * scale,
                                random_vector(random) * scale});
  }
  return command;
}

Vec3T<Pack4> lanes_of(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Vec3T<Pack4> x;
  const Vec3 all[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) {
    x.x.set(i, all[i].x), x.y.set(i, all[i].y), x.z.set(i, all[i].z);
  }
  return x;
}

// Four commands as one. Wrenches are on the same bodies, or missing.
Command<Pack4> joined(const Model& model, const std::vector<Command<double>>& four) {
  Command<Pack4> command(model);
  for (int i = 0; i < 4; ++i) {
    const Command<double>& one = four[at(i)];
    for (std::size_t n = 0; n < one.forces.size(); ++n) {
      command.forces[n].set(i, one.forces[n]);
      const MotorTarget<double>& m = one.motors[n];
      command.motors[n].position.set(i, m.position);
      command.motors[n].velocity.set(i, m.velocity);
      command.motors[n].stiffness.set(i, m.stiffness);
      command.motors[n].damping.set(i, m.damping);
      command.motors[n].on.set(i, m.on);
    }
  }
  const auto wrench = [&](int i, std::size_t n) {
    const std::vector<Wrench<double>>& list = four[at(i)].wrenches;
    return n < list.size() ? list[n] : Wrench<double>{};
  };
  for (std::size_t n = 0; n < four[0].wrenches.size(); ++n) {
    const Wrench<double> w[] = {wrench(0, n), wrench(1, n), wrench(2, n), wrench(3, n)};
    command.wrenches.push_back({w[0].body, lanes_of(w[0].p, w[1].p, w[2].p, w[3].p),
                                lanes_of(w[0].force, w[1].force, w[2].force, w[3].force),
                                lanes_of(w[0].torque, w[1].torque, w[2].torque, w[3].torque)});
  }
  return command;
}

struct FourWorlds {
  std::vector<Pack4> q, v;
  FourWorlds(const Model& model, const std::vector<State>& worlds)
      : q(at(model.nq)), v(at(model.nv)) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < model.nq; ++j) q[at(j)].set(i, worlds[at(i)].q[j]);
      for (int j = 0; j < model.nv; ++j) v[at(j)].set(i, worlds[at(i)].v[j]);
    }
  }
  int different(int i, const State& world) const {
    int count = 0;
    for (std::size_t j = 0; j < q.size(); ++j) count += q[j][i] != world.q[static_cast<int>(j)];
    for (std::size_t j = 0; j < v.size(); ++j) count += v[j][i] != world.v[static_cast<int>(j)];
    return count;
  }
};

// Two commands in four worlds, the third is told nothing, the last has no motors.
std::vector<Command<double>> four_commands(const Model& model, unsigned seed, double scale = 1) {
  std::vector<Command<double>> four{random_command(model, seed, scale),
                                    random_command(model, seed + 1, scale), Command<double>(model),
                                    random_command(model, seed + 2, scale)};
  for (MotorTarget<double>& m : four[3].motors) m.on = 0;
  return four;
}

}  // namespace

TEST_CASE("command: one that tells nothing leaves every bit as it is") {
  for (const char* name : {"motor_arm", "four_bar", "dominoes", "ragdoll", "cart_pole"}) {
    const Built built = build(shipped_scene(name));
    const Command<double> nothing(built.model);
    for (const Integrator method : all_ways) {
      State with = built.initial, without = built.initial;
      Scratch a(built.model), b(built.model);
      for (int n = 0; n < 200; ++n) {
        step(built.model, method, 1e-3, with, nothing, a);
        step(built.model, method, 1e-3, without, b);
      }
      CAPTURE(name);
      CAPTURE(to_string(method));
      CHECK(hash(with) == hash(without));
    }
  }
}

TEST_CASE("command: a force along a freedom gives a pendulum (force - m g l sin q) / I") {
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    Scene scene = hinge_scene(0.7, true);
    scene.settings.formulation = formulation;
    const Built built = build(scene);
    Command<double> command(built.model);
    command.forces[freedom(built.model, "body")] = 5;
    const VecX a = commanded_acceleration(built.model, built.initial, command);
    const double expected = (5 - mass * g * arm * std::sin(0.7)) / moment;
    // about y: the angular acceleration of the only body
    const double found = formulation == Formulation::reduced ? a[0] : a[4];
    CHECK(std::fabs(found - expected) < 1e-12);
  }
}

TEST_CASE("command: a mass on a motor is a damped oscillator, with every integrator") {
  const double kp = 40, kd = 1.5, target = 0.4, x0 = 0.9;
  const double w = std::sqrt(kp / moment), zeta = kd / (2 * std::sqrt(kp * moment));
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    Scene scene = hinge_scene(x0, false);
    scene.settings.formulation = formulation;
    const Built built = build(scene);
    const Model& model = built.model;
    Command<double> command(model);
    command.motors[freedom(model, "body")] = {target, 0, kp, kd, 1};
    const double expected = target + swing(w, zeta, x0 - target, 1);
    const auto error = [&](Integrator method, double h) {
      const State s = obeyed(built, method, h, static_cast<int>(std::lround(1 / h)), command);
      const Vec3 down = pose(model, s, "body").R.column(2) * -1.0;
      return std::fabs(std::atan2(-down.x, -down.z) - expected);
    };
    CAPTURE(to_string(formulation));
    CHECK(error(Integrator::rk4, 1e-3) < 1e-9);
    CHECK(error(Integrator::rkf45, 1e-3) < 1e-9);
    CHECK(error(Integrator::midpoint, 1e-3) < 1e-5);
    CHECK(error(Integrator::semi_implicit_euler, 1e-3) < 5e-3);
    const double halved =
        order(error(Integrator::midpoint, 4e-3), error(Integrator::midpoint, 2e-3));
    CHECK(halved > 1.9);
    CHECK(halved < 2.1);
  }
}

TEST_CASE("command: a motor has the bits of the same motor in the scene, stiff ones too") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    for (const double stiffness : {30.0, 3e5}) {
      Scene told = random_tree_scene({.bodies = 9, .seed = seed});
      Scene built_in = told;
      std::mt19937 random(seed);
      std::vector<std::pair<std::string, std::vector<Drive>>> motors;
      for (SceneJoint& joint : built_in.joints) {
        joint.drives.resize(at(freedoms(joint.type).count()));
        for (Drive& d : joint.drives) {
          d.kp = stiffness, d.kd = stiffness / 100;
          d.target = 0.5 * symmetric_unit(random), d.target_velocity = 0.1;
          if (seed % 2 == 1) d.max_force = 20;
        }
        motors.emplace_back(joint.name, joint.drives);
      }
      if (seed % 2 == 1) {
        // the bound is the joint's own
        for (SceneJoint& joint : told.joints) {
          joint.drives.assign(at(freedoms(joint.type).count()), Drive{});
          for (Drive& d : joint.drives) d.max_force = 20;
        }
      }
      const Built a = build(told), b = build(built_in);
      Command<double> command(a.model);
      for (const auto& [joint, drives] : motors) {
        for (std::size_t j = 0; j < drives.size(); ++j) {
          const Drive& d = drives[j];
          command.motors[freedom(a.model, joint, static_cast<int>(j))] = {
              d.target, d.target_velocity, d.kp, d.kd, 1};
        }
      }
      for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint}) {
        CAPTURE(seed);
        CAPTURE(stiffness);
        CAPTURE(to_string(method));
        const State x = obeyed(a, method, 2e-3, 500, command);
        // one that is cut at its bound is not stiff, nor solved with the step
        if (seed % 2 == 0) CHECK(x.v.allFinite());
        CHECK(hash(x) == hash(untold(b, method, 2e-3, 500)));
      }
    }
  }
}

TEST_CASE("command: a motor on stands for that of the scene, and one that is off does not") {
  Scene scene = hinge_scene(0.2, true);
  Drive own_motor;
  own_motor.kp = 50, own_motor.kd = 5, own_motor.target = 1;
  scene.joints[0].drives = {own_motor};
  const Built built = build(scene);
  Command<double> command(built.model);
  MotorTarget<double>& motor = command.motors[0];
  // it begins with the numbers of the scene
  CHECK(motor.position == 1);
  CHECK(motor.stiffness == 50);
  CHECK(motor.damping == 5);
  const State own = untold(built, Integrator::midpoint, 1e-3, 500);
  motor.on = 1;
  CHECK(hash(obeyed(built, Integrator::midpoint, 1e-3, 500, command)) == hash(own));
  motor.position = -1;
  const State other = obeyed(built, Integrator::midpoint, 1e-3, 500, command);
  CHECK(other.q[0] < own.q[0] - 1);
  motor.on = 0;
  CHECK(hash(obeyed(built, Integrator::midpoint, 1e-3, 500, command)) == hash(own));
}

TEST_CASE("command: a stiff motor holds a lone body, as the same drive in the scene does") {
  Scene scene = free_body_scene(2, {0.1, 0.2, 0.25}, {0.5, -0.3, 0.8});
  scene.settings.gravity = {0, 0, -g};
  Scene driven = scene;
  const Built lone = build(scene);
  REQUIRE(lone.model.links[0].lone);
  const std::string body = scene.bodies[0].name;
  SceneJoint free;
  free.name = "free", free.type = JointType::free, free.child = body;
  const double kp = 4e4, kd = 300;
  Drive drive;
  drive.kp = kp, drive.kd = kd, drive.target = 0.1;
  free.drives.assign(6, drive);
  driven.joints = {free};
  const Built held = build(driven);
  REQUIRE(!held.model.links[0].lone);
  State other = held.initial;
  other.v = lone.initial.v;
  Command<double> command(lone.model);
  for (MotorTarget<double>& m : command.motors) m = {0.1, 0, kp, kd, 1};
  for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint}) {
    const State early = obeyed(lone, method, 5e-3, 4, command);
    CHECK(early.v.norm() > 1e-2);
    CHECK(separation(lone.model, early, run(held.model, other, method, 5e-3, 0.02)) < 1e-10);
    const State x = obeyed(lone, method, 5e-3, 400, command);
    REQUIRE(x.v.allFinite());
    CHECK(separation(lone.model, x, run(held.model, other, method, 5e-3, 2)) < 1e-9);
    CHECK(std::fabs(x.q[2] - (0.1 - 2 * g / kp)) < 1e-6);
  }
}

TEST_CASE("command: a wrench at the centre that equals the weight lets nothing fall") {
  Scene scene = free_body_scene(3, {0.1, 0.2, 0.3}, {});
  scene.settings.gravity = {1, -2, -g};
  const Built built = build(scene);
  Command<double> command(built.model);
  command.wrenches = {{{0}, {}, built.model.gravity * -3.0, {}}};
  for (const Integrator method : all_ways) {
    CHECK(obeyed(built, method, 1e-3, 500, command).v.norm() < 1e-12);
  }
  // a torque about a principal axis turns it by t^2 tau / 2 I
  command.wrenches[0].torque = {0, 0, 0.6};
  const State turned = obeyed(built, Integrator::rk4, 1e-3, 1000, command);
  CHECK(std::fabs(turned.v[5] - 2) < 1e-12);
}

TEST_CASE("command: a wrench is a push of the same size") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Built built = build(random_tree_scene({.bodies = 8, .drives = true, .seed = seed}));
    const Model& model = built.model;
    const Push push{{5}, {0.1, -0.2, 0.3}, {3, -1, 2}, 1e9};
    Command<double> command(model);
    command.wrenches = {{push.body, push.p, push.force, {}}};
    for (const Integrator method : all_ways) {
      State state = built.initial;
      Scratch scratch(model);
      scratch.pushes = {push};
      for (int n = 0; n < 200; ++n) step(model, method, 1e-3, state, scratch);
      CHECK(separation(model, state, obeyed(built, method, 1e-3, 200, command)) < 1e-9);
      CHECK(separation(model, state, untold(built, method, 1e-3, 200)) > 1e-3);
    }
  }
}

TEST_CASE("command: the forces of inverse dynamics give the acceleration that they are for") {
  std::mt19937 random(3);
  for (unsigned seed = 0; seed < 9; ++seed) {
    const Built built =
        build(random_tree_scene({.bodies = 10, .floating = seed % 2 == 0, .seed = seed}));
    const Model& model = built.model;
    const State state = random_state(model, random);
    VecX wanted(model.nv);
    for (double& x : wanted) x = symmetric_unit(random);
    Dynamics<double> d(model);
    update_poses(model, state.q.data(), d.kinematics);
    update_velocities(model, state.v.data(), d.kinematics);
    const VecX tau = inverse_dynamics(model, state.v, wanted, d);
    Command<double> command(model);
    std::copy(tau.begin(), tau.end(), command.forces.begin());
    CHECK((commanded_acceleration(model, state, command) - wanted).norm() <
          1e-9 * (1 + tau.norm()));
  }
}

TEST_CASE("command: all integrators come to the same motion, with their own order") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Built built = build(random_tree_scene({.bodies = 9, .floating = true, .seed = seed}));
    const Command<double> command = random_command(built.model, seed);
    const State exact = obeyed(built, Integrator::rk4, 5e-4, 200, command);
    const auto error = [&](Integrator method, int steps) {
      return separation(built.model, exact, obeyed(built, method, 0.1 / steps, steps, command));
    };
    CAPTURE(seed);
    CHECK(error(Integrator::rkf45, 200) < 1e-8);
    const double second = order(error(Integrator::midpoint, 400), error(Integrator::midpoint, 800));
    CHECK(second > 1.8);
    const double first = order(error(Integrator::semi_implicit_euler, 400),
                               error(Integrator::semi_implicit_euler, 800));
    CHECK(first > 0.8);
  }
}

TEST_CASE("command: reduced and maximal coordinates obey alike, closed loops too") {
  Scene scene = shipped_scene("four_bar");
  const std::string joint = scene.joints[0].name, loop = scene.joints.back().name;
  std::vector<std::vector<Pose>> found;
  for (const Formulation formulation : {Formulation::reduced, Formulation::maximal}) {
    scene.settings.formulation = formulation;
    const Built built = build(scene);
    const Model& model = built.model;
    Command<double> command(model);
    command.forces[freedom(model, joint)] = 0.7;
    command.forces[freedom(model, loop)] = -0.2;
    command.motors[freedom(model, loop)] = {0.3, 0, 2, 0.1, 1};
    command.wrenches = {{{model.body_count() - 1}, {0.1, 0, 0}, {0.3, 0.1, 0.5}, {0, 0.2, 0}}};
    const State s = obeyed(built, Integrator::rk4, 1e-3, 300, command);
    const State other = untold(built, Integrator::rk4, 1e-3, 300);
    CHECK(separation(model, s, other) > 1e-2);
    std::vector<Pose>& poses = found.emplace_back();
    for (const Body& body : model.bodies) poses.push_back(pose(model, s, body.name));
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    CHECK(norm(found[0][i].p - found[1][i].p) < 1e-7);
  }
}

TEST_CASE("command: a scene that is turned, with its wrenches, moves turned") {
  std::mt19937 random(5);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Pose X{random_rotation(random), random_vector(random)};
    const Scene scene = random_tree_scene({.bodies = 7, .seed = seed});
    const Built here = build(scene), there = build(moved(scene, X));
    const Command<double> command = random_command(here.model, seed);
    Command<double> turned = command;
    for (Wrench<double>& w : turned.wrenches) w.force = X.R * w.force, w.torque = X.R * w.torque;
    for (const Integrator method : all_ways) {
      const State a = obeyed(here, method, 1e-3, 200, command);
      const State b = obeyed(there, method, 1e-3, 200, turned);
      CHECK(separation(here.model, a, b) < 1e-8);
    }
  }
}

TEST_CASE("command: each lane of a pack obeys its own, bit for bit") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Model model =
        build(random_tree_scene(
                  {.bodies = 9, .floating = seed % 2 == 1, .drives = seed > 2, .seed = seed}))
            .model;
    std::mt19937 random(seed);
    std::vector<State> worlds;
    for (int i = 0; i < 4; ++i) worlds.push_back(random_state(model, random));
    const std::vector<Command<double>> four = four_commands(model, seed);
    const Command<Pack4> command = joined(model, four);
    for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint}) {
      FourWorlds together(model, worlds);
      StepScratch<Pack4> pack(model);
      for (int n = 0; n < 100; ++n) {
        step_tree(model, method, n * 2e-3, 2e-3, together.q.data(), together.v.data(), command,
                  pack);
      }
      for (int i = 0; i < 4; ++i) {
        State alone = worlds[at(i)];
        StepScratch<double> scratch(model);
        for (int n = 0; n < 100; ++n) {
          step_tree(model, method, n * 2e-3, 2e-3, alone.q.data(), alone.v.data(), four[at(i)],
                    scratch);
        }
        CAPTURE(seed);
        CAPTURE(i);
        CHECK(together.different(i, alone) == 0);
        CHECK(alone.q.allFinite());
      }
    }
  }
}

TEST_CASE("command: each lane of a pack on the ground obeys its own, bit for bit") {
  for (const bool balls : {false, true}) {
    Scene scene = balls ? Scene{} : ragdoll_scene();
    // packs carry contact with the ground only
    SceneContactPair none;
    none.a = none.b = "figure";
    none.response = Response::none;
    if (balls) {
      for (int i = 0; i < 3; ++i) {
        add_solid(scene, "ball" + std::to_string(i), Sphere{0.1}, 1,
                  {Mat3::identity(), {0.5 * i, 0, 0.15}});
      }
    }
    scene.contact_pairs.push_back(none);
    for (SceneBody& body : scene.bodies) body.group = "figure";
    add_ground(scene);
    scene.settings.contact.enabled = true;
    scene.settings.contact.sleep = false;
    const Built built = build(scene);
    const Model& model = built.model;
    const std::vector<State> worlds(4, built.initial);
    const std::vector<Command<double>> four = four_commands(model, 3, 0.1);
    const Command<Pack4> command = joined(model, four);
    for (const Integrator method : {Integrator::semi_implicit_euler, Integrator::midpoint}) {
      FourWorlds together(model, worlds);
      StepScratch<Pack4> pack(model);
      GroundPack ground(model);
      for (int n = 0; n < 600; ++n) {
        step_on_ground(model, method, n * 1e-3, 1e-3, together.q.data(), together.v.data(), command,
                       pack, ground);
      }
      std::size_t touching = 0;
      for (int i = 0; i < 4; ++i) {
        State alone = built.initial;
        Scratch scratch(model);
        for (int n = 0; n < 600; ++n) {
          alone.t = n * 1e-3;
          step(model, method, 1e-3, alone, four[at(i)], scratch);
        }
        touching += scratch.contact->contacts.list.size();
        CAPTURE(i);
        CHECK(together.different(i, alone) == 0);
        CHECK(alone.q.allFinite());
      }
      CHECK(touching > 0);
    }
  }
}

TEST_CASE("command: what it pushed is let go when it ends") {
  const Built built = build(random_tree_scene({.bodies = 6, .seed = 2}));
  const Model& model = built.model;
  const Command<double> command = random_command(model, 1);
  for (const Integrator method : all_ways) {
    State a = built.initial;
    Scratch used(model);
    step(model, method, 1e-3, a, command, used);
    State b = a;
    Scratch fresh(model);
    for (int n = 0; n < 10; ++n) {
      step(model, method, 1e-3, a, used);
      step(model, method, 1e-3, b, fresh);
    }
    CHECK(hash(a) == hash(b));
  }
  StepScratch<double> used(model), fresh(model);
  State a = built.initial;
  step_tree(model, Integrator::midpoint, 0, 1e-3, a.q.data(), a.v.data(), command, used);
  State b = a;
  step_tree(model, Integrator::midpoint, 0, 1e-3, a.q.data(), a.v.data(), used);
  step_tree(model, Integrator::midpoint, 0, 1e-3, b.q.data(), b.v.data(), fresh);
  CHECK(hash(a) == hash(b));
}

TEST_CASE("command: who sleeps wakes, slides m v = (F - mu m g) t, and sleeps again") {
  Surface surface;
  surface.friction = 0.5;
  Scene scene = on_ground(contact_settings(Integrator::midpoint, 10), surface);
  add_solid(scene, "box", Box{{0.2, 0.2, 0.05}}, 2, {Mat3::identity(), {0, 0, 0.05}}, surface);
  add_solid(scene, "other", Box{{0.2, 0.2, 0.05}}, 2, {Mat3::identity(), {3, 0, 0.05}}, surface);
  const Built built = build(scene);
  const Model& model = built.model;
  State state = built.initial;
  Scratch scratch(model);
  Command<double> command(model);
  const auto steps = [&](int count) {
    for (int n = 0; n < count; ++n) {
      step(model, Integrator::midpoint, 1e-3, state, command, scratch);
    }
  };
  steps(2000);
  REQUIRE(scratch.contact->sleepers == 2);
  // too little to move it, but it stays awake
  const BodyId box = model.body("box");
  command.wrenches = {{box, {}, {5, 0, 0}, {}}};
  steps(2000);
  CHECK(scratch.contact->sleepers == 1);
  const int first = model.links[at(box.index)].v;
  CHECK(std::fabs(state.v[first]) < 1e-9);
  command.wrenches[0].force.x = 20;
  steps(500);
  CHECK(std::fabs(state.v[first] - (20 / 2.0 - 0.5 * g) * 0.5) < 1e-3);
  command.wrenches.clear();
  steps(4000);
  CHECK(scratch.contact->sleepers == 2);
}

TEST_CASE("command: a wrench of zeros is as good as none, and wakes nobody") {
  const Scene scene = shipped_scene("dominoes");
  const Built built = build(scene);
  const Model& model = built.model;
  Run plain(built, scene.settings), told(built, scene.settings);
  Command<double> zeros(model);
  for (int body = 0; body < model.body_count(); ++body) {
    zeros.wrenches.push_back({{body}, {0.1, 0, 0}, {0, -0.0, 0}, {}});
  }
  CHECK(!acting(model, zeros).any());
  told.set_command(zeros);
  Frame a, b;
  std::vector<ContactEvent> events;
  int most_asleep = 0;
  while (plain.next_frame(a, events)) {
    REQUIRE(told.next_frame(b, events));
    CHECK(hash(a.state) == hash(b.state));
    CHECK(a.asleep == b.asleep);
    most_asleep = std::max(most_asleep, a.asleep);
  }
  CHECK(most_asleep > 0);

  // beside one that pushes another body
  Scene two = on_ground(contact_settings(Integrator::midpoint, 10));
  for (int i = 0; i < 2; ++i) {
    add_solid(two, "box" + std::to_string(i), Box{{0.2, 0.2, 0.05}}, 2,
              {Mat3::identity(), {3.0 * i, 0, 0.05}});
  }
  const Built boxes = build(two);
  Command<double> command(boxes.model);
  command.wrenches = {{boxes.model.body("box0"), {}, {1, 0, 0}, {}},
                      {boxes.model.body("box1"), {}, {}, {}}};
  State state = boxes.initial;
  Scratch scratch(boxes.model);
  for (int n = 0; n < 3000; ++n) {
    step(boxes.model, Integrator::midpoint, 1e-3, state, command, scratch);
  }
  CHECK(scratch.contact->sleepers == 1);
}

TEST_CASE("command: a run refuses in one line what is none, and goes on as it was told before") {
  Scene scene = shipped_scene("cart_pole");
  scene.settings.time_step = 1e-3;
  scene.settings.fps = 50;  // no step goes beyond a frame
  const Built built = build(scene);
  const Model& model = built.model;
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const std::size_t hinge = freedom(model, "hinge");
  Command<double> good(model);
  good.forces[hinge] = 2;
  using Change = std::function<void(Command<double>&)>;
  const std::pair<Change, std::string> bad[] = {
      {[&](auto& c) { c.forces.pop_back(); },
       "a command of 1 forces and 2 motors: the model has 2 freedoms"},
      {[&](auto& c) { c.motors.clear(); },
       "a command of 2 forces and 0 motors: the model has 2 freedoms"},
      {[&](auto& c) { c.forces[hinge] = nan; },
       "command of joint 'hinge': force nan: expected a finite number"},
      {[&](auto& c) { c.motors[hinge].position = -infinite; },
       "command of joint 'hinge': position -inf: expected a finite number"},
      {[&](auto& c) { c.motors[hinge].velocity = infinite; },
       "command of joint 'hinge': velocity inf: expected a finite number"},
      {[&](auto& c) { c.motors[hinge].stiffness = infinite; },
       "command of joint 'hinge': stiffness inf: expected a finite number"},
      {[&](auto& c) { c.motors[hinge].stiffness = -1; },
       "command of joint 'hinge': stiffness -1: expected no less than 0"},
      {[&](auto& c) { c.motors[hinge].damping = infinite; },
       "command of joint 'hinge': damping inf: expected a finite number"},
      {[&](auto& c) { c.motors[hinge].damping = -0.5; },
       "command of joint 'hinge': damping -0.5: expected no less than 0"},
      {[&](auto& c) { c.motors[hinge].on = 0.5; },
       "command of joint 'hinge': on 0.5: expected 0 or 1"},
      {[&](auto& c) {
         c.wrenches = {{{100000}, {}, {}, {}}};
       },
       "wrench on body 100000: the model has " + std::to_string(model.body_count()) + " bodies"},
      {[&](auto& c) {
         c.wrenches = {{{-2}, {}, {}, {}}};
       },
       "wrench on body -2: the model has " + std::to_string(model.body_count()) + " bodies"},
      {[&](auto& c) {
         c.wrenches = {{model.body("pole"), {nan, 0, 0}, {}, {}}};
       },
       "wrench on body 'pole': expected finite numbers"},
      {[&](auto& c) {
         c.wrenches = {{model.body("pole"), {}, {0, nan, 0}, {}}};
       },
       "wrench on body 'pole': expected finite numbers"},
      {[&](auto& c) {
         c.wrenches = {{world_body, {}, {}, {0, 0, infinite}}};
       },
       "wrench on the world: expected finite numbers"},
  };
  Run plain(built, scene.settings), told(built, scene.settings), led(built, scene.settings);
  plain.set_command(good), told.set_command(good), led.set_command(good);
  Frame frame, other;
  std::vector<ContactEvent> events;
  Snapshot before, after;
  for (const auto& [change, line] : bad) {
    Command<double> command = good;
    change(command);
    save(told, before);
    CHECK(error_text<InputError>([&] { told.set_command(command); }) == line);
    save(told, after);
    CHECK(before == after);
    // a controller that fills in such a thing
    led.set_controller([&](const State&, Command<double>& c) { change(c); });
    CHECK(error_text<InputError>([&] {
            for (int n = 0; n < 3; ++n) save(led, before), led.next_frame(other, events);
          }) == line);
    led.set_controller({});
    save(led, after);
    CHECK(before == after);
    REQUIRE(plain.next_frame(frame, events));
    REQUIRE(told.next_frame(other, events));
    CHECK(hash(frame.state) == hash(other.state));
    REQUIRE(led.next_frame(other, events));
  }
  save(told, before);
  Run restored(built, scene.settings);
  restore(before, restored);
  CHECK(restored.command().forces[hinge] == 2);
}

TEST_CASE("command: a freedom of several and one of a loop are named in what is wrong") {
  const Model doll = build(shipped_scene("ragdoll")).model;
  Command<double> command(doll);
  command.forces[freedom(doll, "neck", 2)] = std::numeric_limits<double>::infinity();
  CHECK(command_trouble(doll, command) ==
        "command of joint 'neck' freedom 2: force inf: expected a finite number");
  const Model bar = build(shipped_scene("four_bar")).model;
  REQUIRE(!bar.loops.empty());
  Command<double> other(bar);
  other.motors[at(bar.loops[0].first_motor)].damping = -1;
  CHECK(command_trouble(bar, other).starts_with("command of joint '" + bar.loops[0].name + "'"));
  CHECK(command_trouble(bar, Command<double>(bar)).empty());
}

TEST_CASE("command: a step that is interrupted asks the controller again") {
  const Scene scene = shipped_scene("dominoes");
  const Built built = build(scene);
  Run whole(built, scene.settings), ended(built, scene.settings);
  const auto push = [](const State& s, Command<double>& c) {
    c.forces[0] += 1e-3;
    c.wrenches = {{{1}, {}, {0, 0, 1e-2 * s.t}, {}}};
  };
  whole.set_controller(push), ended.set_controller(push);
  Frame a, b;
  std::vector<ContactEvent> events;
  int ended_steps = 0;
  for (int n = 0; n < 20; ++n) {
    REQUIRE(whole.next_frame(a, events));
    for (double seconds = 1e-5;; seconds *= 1.5) {
      Interrupt interrupt(seconds);
      const InterruptScope scope(interrupt);
      try {
        ended.next_frame(b, events);
        break;
      } catch (const Interrupted&) {
        ++ended_steps;
      }
    }
    CHECK(hash(a.state) == hash(b.state));
    CHECK(whole.command().forces[0] == ended.command().forces[0]);
  }
  CHECK(ended_steps > 0);
}

TEST_CASE("command: joints and freedoms are found by name") {
  const Model model = build(shipped_scene("cart_pole")).model;
  CHECK(freedom(model, "rail") == at(model.links[at(model.body("cart").index)].v));
  CHECK(joint_range(model, "hinge").count == 1);
  CHECK(error_text<InputError>([&] { freedom(model, "hing"); }) ==
        "unknown joint 'hing'; did you mean 'hinge'?");
  CHECK(error_text<InputError>([&] { freedom(model, "hinge", 1); }) ==
        "joint 'hinge' has no freedom 1: it has 1");
}

TEST_CASE("command: a run obeys until it is told otherwise, and its snapshot knows") {
  for (const Integrator method : all_ways) {
    CAPTURE(to_string(method));
    Scene scene = ragdoll_scene();
    scene.settings.contact.enabled = true;
    add_ground(scene);
    scene.settings.integrator = method;
    scene.settings.duration = 10;
    scene.settings.time_step = 7e-4;  // frames fall between steps
    const auto frames = [](Run& run, int count) {
      Frame frame;
      std::vector<ContactEvent> events;
      for (int n = 0; n < count; ++n)
        REQUIRE_MESSAGE(run.next_frame(frame, events), run.summary().failure);
      return hash(frame.state);
    };
    const Built built = build(scene);
    Run run(built, scene.settings), other(built, scene.settings), plain(built, scene.settings);
    const Command<double> command = random_command(built.model, 4);
    frames(run, 3);
    run.set_command(command);
    // told, but no step was taken since
    Snapshot told;
    save(run, told);
    frames(run, 4);
    Snapshot snapshot;
    save(run, snapshot);
    restore(told, other);
    frames(other, 4);
    const std::uint64_t expected = frames(run, 4);
    CHECK(frames(other, 4) == expected);
    Run third(built, scene.settings);
    restore(snapshot, third);
    CHECK(third.command().wrenches.size() == 2);
    CHECK(frames(third, 4) == expected);
    CHECK(frames(plain, 11) != expected);
    // and lets go
    run.set_command(Command<double>(built.model));
    third.set_command(Command<double>(built.model));
    CHECK(frames(run, 4) == frames(third, 4));
  }
}

TEST_CASE("command: a frame within a step is of what the step obeyed") {
  Scene scene = hinge_scene(0.5, true);
  scene.settings.time_step = 0.02;
  scene.settings.fps = 200;  // four frames a step
  scene.settings.integrator = Integrator::midpoint;
  const Built built = build(scene);
  Run run(built, scene.settings), other(built, scene.settings);
  Command<double> command(built.model);
  command.forces[0] = 50;
  Frame a, b;
  std::vector<ContactEvent> events;
  for (int n = 0; n < 3; ++n) run.next_frame(a, events), other.next_frame(b, events);
  run.set_command(command);
  for (int n = 0; n < 2; ++n) {
    run.next_frame(a, events), other.next_frame(b, events);
    CHECK(hash(a.state) == hash(b.state));
  }
  for (int n = 0; n < 2; ++n) run.next_frame(a, events), other.next_frame(b, events);
  CHECK(hash(a.state) != hash(b.state));
}

TEST_CASE("command: a snapshot within a step knows what the step obeyed") {
  Scene scene = hinge_scene(0.5, true);
  scene.settings.time_step = 0.02;
  scene.settings.fps = 200;  // four frames a step
  scene.settings.integrator = Integrator::midpoint;
  const Built built = build(scene);
  Run run(built, scene.settings), other(built, scene.settings);
  Command<double> command(built.model);
  command.forces[0] = 50;
  run.set_command(command);
  Frame a, b;
  std::vector<ContactEvent> events;
  for (int n = 0; n < 6; ++n) run.next_frame(a, events);
  run.set_command(Command<double>(built.model));
  Snapshot snapshot;
  save(run, snapshot);
  restore(snapshot, other);
  for (int n = 0; n < 6; ++n) {
    run.next_frame(a, events), other.next_frame(b, events);
    CHECK(hash(a.state) == hash(b.state));
  }
}

TEST_CASE("command: a controller is asked before every step of a run") {
  const Scene scene = hinge_scene(0.5, true);
  const Built built = build(scene);
  Settings settings = scene.settings;
  settings.duration = 1;
  settings.integrator = Integrator::midpoint;
  const auto control = [](const State& s, Command<double>& c) {
    c.forces[0] = -10 * s.q[0] - s.v[0];
  };
  Run run(built, settings);
  run.set_controller(control);
  const Recording recording = record(run, nullptr);
  State state = built.initial;
  Scratch scratch(built.model);
  Command<double> command(built.model);
  for (std::int64_t n = 0; n < run.summary().steps; ++n) {
    control(state, command);
    const double next = static_cast<double>(n + 1) * settings.time_step;
    step(built.model, settings.integrator, next - state.t, state, command, scratch);
    state.t = next;
  }
  CHECK(recording.summary.warnings.empty());
  CHECK(separation(built.model, run.state(), state) < 1e-12);
  CHECK(std::fabs(state.v[0]) > 1e-3);
}

TEST_CASE("command: a damaged one in a snapshot is refused") {
  const Built built = build(hinge_scene(0.5, true));
  Run run(built, {});
  Command<double> command(built.model);
  command.wrenches = {{{0}, {}, {1, 2, 3}, {}}};
  run.set_command(command);
  Snapshot good;
  save(run, good);
  const std::uint64_t two = bits_of(2.0);
  std::uint8_t pattern[8];
  for (int i = 0; i < 8; ++i) pattern[i] = static_cast<std::uint8_t>(two >> 8 * i);
  const auto place = std::search(good.bytes.begin(), good.bytes.end(), pattern, pattern + 8);
  REQUIRE(place != good.bytes.end());
  Snapshot bad = good;
  // not a number
  for (int i = 0; i < 8; ++i)
    bad.bytes[static_cast<std::size_t>(place - good.bytes.begin() + i)] = 0xff;
  CHECK(error_text<SnapshotError>([&] { restore(bad, run); }).starts_with("snapshot: command: "));
  CHECK(run.command().wrenches.size() == 1);
}
