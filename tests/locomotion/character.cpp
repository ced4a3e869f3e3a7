// A scene as a character: its rest pose is zero, its springs are relaxed there, its mirror image is
// what it says.
#include "molejo/locomotion/character.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "molejo/io/scene.h"
#include "molejo/math/units.h"
#include "molejo/model/scene.h"
#include "molejo/physics/forces.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"
#include "tests/support/motion.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

Scene shipped(const std::string& name) {
  return read_scene(SourceFile::given(source_dir() + "/scenes/characters/" + name + ".json"));
}

double largest(const Mat3& m) {
  return std::fmax(max_abs(m.r0), std::fmax(max_abs(m.r1), max_abs(m.r2)));
}

// Forces of the drives alone at a state, one per freedom.
VecX drive_forces(const Character& c, const State& state) {
  Dynamics<double> d(c.model);
  apply_drives(c.model, state.q.data(), state.v.data(), ImplicitDrive::explicit_force(), d);
  return Eigen::Map<const VecX>(d.tau.data(), c.model.nv);
}

int link_of(const Character& c, const std::string& joint) {
  for (int i = 0; i < c.model.body_count(); ++i) {
    if (c.model.bodies[static_cast<std::size_t>(i)].joint == joint) return i;
  }
  return -1;
}

Vec3 joint_point(const Character& c, const std::string& joint) {
  const Kinematics<double> k = kinematics(c.model, c.rest);
  return k.bodies[static_cast<std::size_t>(link_of(c, joint))].p;
}

// Links, and a text for their key "character".
std::string with_character(const std::string& character) {
  return R"json({"bodies": [
    {"name": "torso", "position": [0, 0, 1], "mass": 5, "shape": {"box": [0.2, 0.3, 0.6]}},
    {"name": "foot", "position": [0, 0, 0.1], "mass": 1, "shape": {"box": [0.3, 0.1, 0.1]}},
    {"name": "floor", "immobile": true, "shape": {"plane": true}}],
    "joints": [{"name": "ankle", "type": "spherical", "parent": "torso", "child": "foot",
      "anchor": [0, 0, 0.7]}], "character": )json" +
         character + "}";
}

std::string refusal(const std::string& character) {
  return error_text([&] { parse_scene(with_character(character), "f.json"); });
}

}  // namespace

TEST_CASE("character: the shipped ones have the bodies and freedoms they should have") {
  const struct {
    const char* name;
    int bodies, internal, feet;
    double mass;
  } known[] = {{"humanoid", 11, 30, 2, 73.4},
               {"monster", 15, 42, 2, 87.4},
               {"kangaroo", 13, 36, 1, 49.7},
               {"quadruped", 16, 45, 4, 29.2}};
  for (const auto& [name, bodies, internal, feet, mass] : known) {
    CAPTURE(name);
    const Character c = make_character(shipped(name));
    CHECK(c.model.body_count() == bodies + 1);  // and the ground
    CHECK(c.internal == internal);
    CHECK(c.model.nv == internal + 6);
    CHECK(c.free_root);
    CHECK(static_cast<int>(c.feet.size()) == feet);
    CHECK(c.mirror.asymmetry == "");
    CHECK(c.mirror.symmetric);
    double sum = 0;
    for (const Link& link : c.model.links) sum += link.mass;
    CHECK(sum == doctest::Approx(mass).epsilon(1e-12));
    CHECK(c.left == Vec3{0, 1, 0});
    // stands on its lowest sphere, and nothing is below the ground
    double lowest = 1;
    const Kinematics<double> k = kinematics(c.model, c.rest);
    for (const Foot& foot : c.feet) {
      for (const Vec3& p : {foot.toe, foot.heel}) {
        lowest = std::fmin(lowest, (body_pose(c.model, k, foot.body) * p).z - foot.radius);
      }
    }
    CHECK(std::fabs(lowest) < 1e-12);
  }
}

TEST_CASE("character: the humanoid's joints are where the table of its source has them") {
  const Character c = make_character(shipped("humanoid"), {.stand = false});
  const double lean = radians(20);
  const Vec3 knee{0.42 * std::sin(lean), 0.1, 0.875 - 0.42 * std::cos(lean)};
  CHECK(norm(joint_point(c, "left_leg.hip") - Vec3{0, 0.1, 0.875}) < 1e-12);
  CHECK(norm(joint_point(c, "left_leg.knee") - knee) < 1e-12);
  CHECK(norm(joint_point(c, "right_leg.ankle") - Vec3{0, -0.1, 2 * knee.z - 0.875}) < 1e-12);
  CHECK(norm(joint_point(c, "right_arm.shoulder") - Vec3{0, -0.22, 1.5}) < 1e-12);
  // inertia of the pitched box: its own moments seen along its own axes
  const Link& thigh = c.model.links[static_cast<std::size_t>(link_of(c, "left_leg.hip"))];
  const PrincipalInertia own = principal_inertia(thigh.I_BC);
  CHECK(own.moments.x == doctest::Approx(8.0 / 6 * 0.15 * 0.15).epsilon(1e-12));
  CHECK(own.moments.z == doctest::Approx(8.0 / 12 * (0.15 * 0.15 + 0.42 * 0.42)).epsilon(1e-12));
  const Vec3 along = own.axes.column(0);
  CHECK(std::fabs(along.x * std::sin(lean) - along.z * std::cos(lean)) ==
        doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("character: at rest every body frame is the world's and every joint is at zero") {
  RestPose crouch;
  crouch.turns = {{"left_leg.hip", {0, radians(-50), 0}},
                  {"left_leg.knee", {0, radians(70), 0}},
                  {"left_arm.shoulder", {radians(20), 0.1, 0.2}}};
  crouch.mirror = true;
  for (const RestPose& pose : {RestPose{}, crouch}) {
    const Character c = make_character(shipped("humanoid"), {.pose = pose});
    const Kinematics<double> k = kinematics(c.model, c.rest);
    for (int i = 0; i < c.model.body_count(); ++i) {
      const Pose X = body_pose(c.model, k, {i});
      CHECK(largest(X.R - Mat3::identity()) < 1e-12);
      const Link& link = c.model.links[static_cast<std::size_t>(i)];
      for (int j = 0; j < link.translations + link.rotations && link.translations == 0; ++j) {
        CHECK(c.rest.q[link.q + (link.rotations == 3 ? j + 1 : j)] == 0);
      }
    }
    CHECK(drive_forces(c, c.rest).norm() == 0);
    CHECK(c.mirror.symmetric);
  }
}

TEST_CASE("character: a posed figure is the unposed one with its joints turned") {
  const Character standing = make_character(shipped("humanoid"), {.stand = false});
  RestPose pose;
  pose.turns = {{"left_leg.hip", {0.2, -0.5, 0.1}},
                {"left_leg.knee", {0, 0.7, 0}},
                {"right_arm.elbow", {0.1, -0.2, 0.3}}};
  const Character posed = make_character(shipped("humanoid"), {.pose = pose, .stand = false});
  // the same by the coordinates of the unposed one
  State state = standing.rest;
  for (const auto& [joint, turn] : pose.turns) {
    const Link& link = standing.model.links[static_cast<std::size_t>(link_of(standing, joint))];
    const Quat q = exp_quat(turn);
    state.q[link.q] = q.w, state.q[link.q + 1] = q.x, state.q[link.q + 2] = q.y,
    state.q[link.q + 3] = q.z;
  }
  const Kinematics<double> a = kinematics(standing.model, state);
  const Kinematics<double> b = kinematics(posed.model, posed.rest);
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    CHECK(norm(a.bodies[i].p - b.bodies[i].p) < 1e-12);
    CHECK(norm(a.bodies[i].com - b.bodies[i].com) < 1e-12);
    const Mat3 Ia = full(rotated(a.bodies[i].R, standing.model.links[i].I_BC));
    const Mat3 Ib = full(rotated(b.bodies[i].R, posed.model.links[i].I_BC));
    CHECK(largest(Ia - Ib) < 1e-12);
    // shapes go with their bodies
    const Pose X = body_pose(standing.model, a, {static_cast<int>(i)});
    const Pose Y = body_pose(posed.model, b, {static_cast<int>(i)});
    for (std::size_t s = 0; s < posed.model.bodies[i].shapes.size(); ++s) {
      const Pose S = X * standing.model.bodies[i].shapes[s].X_BS;
      const Pose T = Y * posed.model.bodies[i].shapes[s].X_BS;
      CHECK(largest(S.R - T.R) < 1e-12);
      CHECK(norm(S.p - T.p) < 1e-12);
    }
  }
  // limits stay where they were: the knee has used 0.7 of its range
  const Drive& before = standing.model.drives[static_cast<std::size_t>(
      standing.model.links[static_cast<std::size_t>(link_of(standing, "left_leg.knee"))].v + 1)];
  const Drive& after = posed.model.drives[static_cast<std::size_t>(
      posed.model.links[static_cast<std::size_t>(link_of(posed, "left_leg.knee"))].v + 1)];
  CHECK(*after.upper == doctest::Approx(*before.upper - 0.7).epsilon(1e-12));
  CHECK(*after.lower == doctest::Approx(*before.lower - 0.7).epsilon(1e-12));
  CHECK_FALSE(posed.mirror.symmetric);
  CHECK(posed.mirror.asymmetry != "");
}

TEST_CASE("character: the rest pose feels no torque, however the whole figure is turned") {
  const Character c = make_character(shipped("humanoid"));
  std::mt19937 random(3);
  const Link& root = c.model.links[static_cast<std::size_t>(c.root.index)];
  for (int n = 0; n < 20; ++n) {
    State state = c.rest;
    const Quat q = quaternion(random_rotation(random));
    state.q[root.q + 3] = q.w, state.q[root.q + 4] = q.x, state.q[root.q + 5] = q.y,
                     state.q[root.q + 6] = q.z;
    CHECK(drive_forces(c, state).norm() == 0);
  }
}

TEST_CASE("character: the torque of a joint is that of the log map, -k theta e about its axis") {
  const Character c = make_character(shipped("humanoid"), {.stiffness = 150});
  std::mt19937 random(5);
  const Link& hip = c.model.links[static_cast<std::size_t>(link_of(c, "left_leg.hip"))];
  const Link& root = c.model.links[static_cast<std::size_t>(c.root.index)];
  for (const double angle : {1e-6, 1e-3, 0.3, 0.7}) {
    for (int n = 0; n < 10; ++n) {
      Vec3 axis = normalized(random_vector(random));
      if (axis.x < 0) axis.x = -axis.x;  // away from the closest limit
      const Vec3 theta = axis * angle;
      State state = c.rest;
      const Quat q = exp_quat(theta), turn = quaternion(random_rotation(random));
      state.q[hip.q] = q.w, state.q[hip.q + 1] = q.x, state.q[hip.q + 2] = q.y,
      state.q[hip.q + 3] = q.z;
      state.q[root.q + 3] = turn.w, state.q[root.q + 4] = turn.x, state.q[root.q + 5] = turn.y,
                       state.q[root.q + 6] = turn.z;
      const VecX tau = drive_forces(c, state);
      const Vec3 torque{tau[hip.v], tau[hip.v + 1], tau[hip.v + 2]};
      // the axis is the same in parent and child
      CHECK(norm(torque + theta * 150.0) < 1e-6 * 150 * angle);
    }
  }
}

TEST_CASE("character: limits of spherical joints act on components of the log map") {
  const Character c = make_character(shipped("humanoid"));
  const Link& knee = c.model.links[static_cast<std::size_t>(link_of(c, "left_leg.knee"))];
  State state = c.rest;
  const double beyond = radians(95) + 0.1;
  const Quat q = exp_quat(Vec3{0, beyond, 0});
  state.q[knee.q] = q.w, state.q[knee.q + 1] = q.x, state.q[knee.q + 2] = q.y,
  state.q[knee.q + 3] = q.z;
  CHECK(drive_forces(c, state)[knee.v + 1] ==
        doctest::Approx(-200 * beyond - 1000 * 0.1).epsilon(1e-9));
}

TEST_CASE("character: joint torques in axes of the parent do the same work as forces of freedoms") {
  const Character c = make_character(shipped("humanoid"));
  std::mt19937 random(8);
  State state = random_state(c.model, random);
  VecX torques(c.internal);
  for (double& t : torques) t = symmetric_unit(random);
  const VecX forces = freedom_forces(c, state.q, torques);
  const Kinematics<double> k = kinematics(c.model, state);
  double power = 0;
  for (std::size_t i = 0; i < c.model.links.size(); ++i) {
    const Link& link = c.model.links[i];
    if (link.parent < 0) continue;
    const BodyMotion<double>& parent = k.bodies[static_cast<std::size_t>(link.parent)];
    const int r = link.v - c.first_internal;
    const Vec3 world = parent.R * Vec3{torques[r], torques[r + 1], torques[r + 2]};
    power += dot(world, k.bodies[i].w - parent.w);
  }
  CHECK(forces.dot(state.v) == doctest::Approx(power).epsilon(1e-12));
  CHECK(forces.head(c.first_internal).norm() == 0);
}

TEST_CASE("character: mirrored twice is the same") {
  for (const char* name : {"humanoid", "monster", "kangaroo", "quadruped"}) {
    const Character c = make_character(shipped(name));
    std::mt19937 random(1);
    for (int n = 0; n < 10; ++n) {
      const State state = random_state(c.model, random);
      const State back = mirrored(c, mirrored(c, state));
      CHECK(back.q == state.q);
      CHECK(back.v == state.v);
      CHECK(mirrored(c, state).q != state.q);
    }
    CHECK(mirrored(c, c.rest).q == c.rest.q);
    VecX x = VecX::Random(c.internal);
    CHECK(mirrored(c, mirrored(c, x)) == x);
  }
}

TEST_CASE("character: mirrored positions and velocities are those of mirrored bodies") {
  const Character c = make_character(shipped("monster"));
  std::mt19937 random(2);
  const State state = random_state(c.model, random);
  const Kinematics<double> a = kinematics(c.model, state);
  const Kinematics<double> b = kinematics(c.model, mirrored(c, state));
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const auto j = static_cast<std::size_t>(c.mirror.body[i]);
    const Vec3 &p = a.bodies[i].p, &v = a.bodies[i].v, &w = a.bodies[i].w;
    CHECK(norm(Vec3{p.x, -p.y, p.z} - b.bodies[j].p) < 1e-12);
    CHECK(norm(Vec3{v.x, -v.y, v.z} - b.bodies[j].v) < 1e-12);
    CHECK(norm(Vec3{-w.x, w.y, -w.z} - b.bodies[j].w) < 1e-12);
  }
}

TEST_CASE("character: the run of a mirrored state is the mirrored run") {
  // with contact the two differ by what the solver leaves, which takes contacts one after another
  for (const bool contact : {false, true}) {
    for (const char* name : {"humanoid", "monster", "kangaroo", "quadruped"}) {
      CAPTURE(std::string(name));
      CAPTURE(contact);
      Scene scene = shipped(name);
      scene.settings.contact.enabled = contact;
      const Character c = make_character(scene);
      State a = c.rest;
      a.v[0] = 1.5, a.v[1] = 0.4, a.v[3] = 0.6, a.v[5] = -0.8;
      for (int i = 0; i < c.internal; ++i) a.v[c.first_internal + i] = std::sin(1.0 + i);
      State b = mirrored(c, a);
      Scratch scratch_a(c.model), scratch_b(c.model);
      for (int n = 0; n < 200; ++n) {
        step(c.model, Integrator::midpoint, 1e-3, a, scratch_a);
        step(c.model, Integrator::midpoint, 1e-3, b, scratch_b);
      }
      CHECK(separation(c.model, mirrored(c, a), b) < (contact ? 1e-3 : 1e-10));
      CHECK(separation(c.model, a, b) > 0.1);
    }
  }
}

TEST_CASE("character: on one leg, the other foot is none but still the end of a leg") {
  const Character c = make_character(shipped("humanoid"), {.without_feet = {"left_leg.foot"}});
  REQUIRE(c.feet.size() == 1);
  CHECK(c.feet[0].body == c.model.body("right_leg.foot"));
  CHECK(c.foot_bodies.size() == 2);
  CHECK(c.mirror.symmetric);
  CHECK(error_text([] {
          make_character(shipped("humanoid"), {.without_feet = {"left_leg.fot"}});
        }) == "unknown foot 'left_leg.fot'; did you mean 'left_leg.foot'?");
}

TEST_CASE("character: stiffness instead of the scene's, with a tenth of it as damping") {
  const Character c = make_character(shipped("kangaroo"), {.stiffness = 350});
  for (int v = 0; v < c.model.nv; ++v) {
    const Drive& d = c.model.drives[static_cast<std::size_t>(v)];
    CHECK(d.stiffness == (v < 6 ? 0 : 350));
    CHECK(d.damping == (v < 6 ? 0 : doctest::Approx(35)));
  }
}

TEST_CASE("character: hinges keep their motion when the pose becomes zero") {
  Scene scene = chain_scene(4, 0.6);
  for (SceneJoint& joint : scene.joints) {
    if (joint.position.empty()) joint.position = {0.2};
    joint.drives.assign(1, Drive{});
    joint.drives[0].stiffness = 3, joint.drives[0].rest = joint.position[0];
  }
  const Built original = build(scene);
  const Character c = make_character(scene);
  CHECK(c.rest.q.norm() == 0);
  CHECK_FALSE(c.free_root);
  CHECK(c.internal == 4);
  const State a = run(original, Integrator::rk4, 1e-3, 0.5);
  const State b = run(c.model, c.rest, Integrator::rk4, 1e-3, 0.5);
  CHECK((a.q - original.initial.q - b.q).norm() < 1e-10);
  CHECK((a.v - b.v).norm() < 1e-9);
}

TEST_CASE("character: trees of every joint type keep their motion when the pose becomes zero") {
  for (unsigned seed = 1; seed < 5; ++seed) {
    Scene scene = random_tree_scene({.bodies = 12, .floating = true, .seed = seed});
    const Character c = make_character(scene);
    const Built original = build(scene);
    const Kinematics<double> a = kinematics(original.model, original.initial);
    const Kinematics<double> b = kinematics(c.model, c.rest);
    State moved = original.initial, posed = c.rest;
    moved.v.setZero(), posed.v.setZero();
    const State x = run(original.model, moved, Integrator::rk4, 1e-3, 0.2);
    const State y = run(c.model, posed, Integrator::rk4, 1e-3, 0.2);
    const Kinematics<double> ka = kinematics(original.model, x), kb = kinematics(c.model, y);
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
      CHECK(norm(a.bodies[i].p - b.bodies[i].p) < 1e-10);
      CHECK(norm(ka.bodies[i].p - kb.bodies[i].p) < 1e-7);
      CHECK(norm(ka.bodies[i].com - kb.bodies[i].com) < 1e-7);
    }
  }
}

TEST_CASE("character: bad poses are refused in one line") {
  const auto posed = [](const RestPose& pose) {
    return error_text([&] { make_character(shipped("humanoid"), {.pose = pose}); });
  };
  CHECK(posed({.turns = {{"left_leg.kne", {0, 0.1, 0}}}}) ==
        "rest pose: unknown joint 'left_leg.kne'; did you mean 'left_leg.knee'?");
  CHECK(posed({.turns = {{"left_leg.knee", {0, 2, 0}}}})
            .find("rest pose: joint 'left_leg.knee' at 2.0") == 0);
  CHECK(posed({.turns = {{"left_leg.knee", {0, NAN, 0}}}}) ==
        "rest pose: joint 'left_leg.knee': the turn is not finite");
}

TEST_CASE("scene character: is read, written and refused as the rest of the file") {
  const std::string good =
      R"({"torso": "torso", "feet": [{"body": "foot", "toe": [0.1, 0, 0], "heel": [-0.1, 0, 0]}],
          "mirror": [["torso", "foot"]], "forward": [0, 1, 0]})";
  const Scene scene = parse_scene(with_character(good), "f.json");
  REQUIRE(scene.character);
  CHECK(scene.character->feet[0].toe == Vec3{0.1, 0, 0});
  CHECK(scene.character->feet[0].radius == 0.02);
  CHECK(scene.character->forward == Vec3{0, 1, 0});
  CHECK(parse_scene(scene_text(scene), "g.json").character == scene.character);

  CHECK(refusal("{}").find("f.json:6: /character: {}: key 'torso' is missing") !=
        std::string::npos);
  CHECK(refusal(R"({"torso": "toros"})").find("did you mean 'torso'?") != std::string::npos);
  CHECK(refusal(R"({"torso": "floor"})").find("a body that forces cannot move") !=
        std::string::npos);
  CHECK(refusal(R"({"torso": "torso", "fete": []})").find("did you mean 'feet'?") !=
        std::string::npos);
  CHECK(refusal(R"({"torso": "torso", "feet": [{"body": "foot", "toe": [0, 0, 0]}]})")
            .find("key 'heel' is missing") != std::string::npos);
  CHECK(refusal(R"({"torso": "torso", "mirror": [["torso"]]})").find("two bodies") !=
        std::string::npos);
  CHECK(refusal(R"({"torso": "torso", "mirror": [["torso", "torso"]]})").find("already") !=
        std::string::npos);
  CHECK(refusal(R"({"torso": "torso", "forward": [0, 0, 1]})").find("right angles to gravity") !=
        std::string::npos);
  CHECK(refusal(R"({"torso": "torso", "forward": [2, 0, 0]})").find("a unit vector") !=
        std::string::npos);
}
