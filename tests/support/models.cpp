#include "tests/support/models.h"

#include "molejo/io/scene.h"
#include "molejo/model/scene.h"
#include "tests/support/places.h"

namespace molejo::test {

double symmetric_unit(std::mt19937& random) {
  // from the raw bits: the same on every standard library
  return static_cast<double>(random()) / 2147483648.0 - 1;
}

Vec3 random_vector(std::mt19937& random) {
  const double x = symmetric_unit(random), y = symmetric_unit(random), z = symmetric_unit(random);
  return {x, y, z};
}

Mat3 random_rotation(std::mt19937& random) { return matrix(exp_quat(random_vector(random) * 3.0)); }

Scene shipped_scene(const std::string& name) {
  return read_scene(SourceFile::given(source_dir() + "/scenes/" + name + ".json"));
}

Scene chain_scene(int links, double q0) {
  constexpr double length = 0.2, width = 0.04;
  Scene scene;
  scene.name = "chain";
  scene.settings.contact.enabled = false;
  for (int i = 0; i < links; ++i) {
    SceneBody body;
    body.name = "link" + std::to_string(i);
    body.X_WB.p = {0, 0, -length * (i + 0.5)};
    body.shapes.push_back({Box{{width / 2, width / 2, length / 2}}, {}, {}});
    body.density = 1 / (width * width * length);
    scene.bodies.push_back(body);

    SceneJoint joint;
    joint.name = "hinge" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = i == 0 ? "" : "link" + std::to_string(i - 1);
    joint.child = body.name;
    const Mat3 R = frame_from_z({0, 1, 0});
    joint.X_PF = {R, i == 0 ? Vec3{} : Vec3{0, 0, -length / 2}};
    joint.X_BM = {R, {0, 0, length / 2}};
    if (i == 0) joint.position = {q0};
    scene.joints.push_back(joint);
  }
  return scene;
}

Scene free_body_scene(double mass, const Vec3& moments, const Vec3& angular_velocity) {
  Scene scene;
  scene.name = "free body";
  scene.settings.gravity = {};
  SceneBody body;
  body.name = "body";
  body.given = MassProperties{mass, {}, Sym3::diagonal(moments.x, moments.y, moments.z)};
  body.velocity = SceneBody::Velocity{{}, angular_velocity};
  scene.bodies.push_back(body);
  return scene;
}

Scene ragdoll_scene() {
  struct Part {
    const char *name, *parent;
    Geometry geometry;
    Vec3 center;
    double mass;
    Vec3 anchor;
    Mat3 R;
  };
  const Mat3 upright = Mat3::identity(), along_y = frame_from_z({0, 1, 0});
  std::vector<Part> parts = {
      {"pelvis", "", Box{{.10, .15, .08}}, {0, 0, 1.00}, 12, {}, upright},
      {"torso", "pelvis", Box{{.10, .16, .22}}, {0, 0, 1.32}, 26, {0, 0, 1.09}, upright},
      {"head", "torso", Sphere{.11}, {0, 0, 1.68}, 5, {0, 0, 1.56}, upright}};
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0;
    const auto name = [&](const char* l, const char* r) { return left ? l : r; };
    const char* upper_arm = name("upper_arm_l", "upper_arm_r");
    const char* thigh = name("thigh_l", "thigh_r");
    const char* shin = name("shin_l", "shin_r");
    parts.push_back({upper_arm,
                     "torso",
                     Capsule{.045, .11},
                     {0, side * .33, 1.48},
                     2.2,
                     {0, side * .18, 1.48},
                     along_y});
    parts.push_back({name("forearm_l", "forearm_r"),
                     upper_arm,
                     Capsule{.040, .11},
                     {0, side * .63, 1.48},
                     1.6,
                     {0, side * .48, 1.48},
                     along_y});
    parts.push_back({thigh,
                     "pelvis",
                     Capsule{.07, .15},
                     {0, side * .10, .70},
                     8,
                     {0, side * .10, .92},
                     upright});
    parts.push_back(
        {shin, thigh, Capsule{.05, .15}, {0, side * .10, .28}, 4, {0, side * .10, .48}, upright});
    parts.push_back({name("foot_l", "foot_r"),
                     shin,
                     Box{{.12, .05, .03}},
                     {.06, side * .10, .04},
                     1.1,
                     {0, side * .10, .07},
                     upright});
  }

  Scene scene;
  scene.name = "ragdoll";
  scene.settings.contact.enabled = false;
  const Vec3 spin{0.5, 1.0, 0.2}, raise{0, 0, 0.5}, pelvis{0, 0, 1.5};
  const auto pose_of = [&](const std::string& name) {
    for (const Part& p : parts) {
      if (name == p.name) return Pose{p.R, p.center + raise};
    }
    return Pose{};
  };
  for (const Part& part : parts) {
    SceneBody body;
    body.name = part.name;
    body.X_WB = {part.R, part.center + raise};
    body.shapes.push_back({part.geometry, {}, {}});
    body.density = part.mass / mass_properties(body.shapes[0], 1).mass;
    body.velocity = SceneBody::Velocity{cross(spin, body.X_WB.p - pelvis), spin};
    scene.bodies.push_back(body);
    if (*part.parent == 0) continue;
    SceneJoint joint;
    joint.name = std::string(part.name) + "_joint";
    joint.type = JointType::spherical;
    joint.parent = part.parent;
    joint.child = part.name;
    const Pose anchor{Mat3::identity(), part.anchor + raise};
    joint.X_PF = inverse(pose_of(part.parent)) * anchor;
    joint.X_BM = inverse(body.X_WB) * anchor;
    scene.joints.push_back(joint);
  }
  return scene;
}

namespace {

Drive random_drive(std::mt19937& random) {
  const auto positive = [&] { return 1 + symmetric_unit(random); };
  Drive d;
  d.stiffness = 5 * positive();
  d.rest = 0.3 * symmetric_unit(random);
  d.damping = positive();
  d.lower = -0.6 - 0.2 * positive();
  d.upper = 0.6 + 0.2 * positive();
  d.limit_stiffness = 20 * positive();
  d.limit_damping = positive();
  d.kp = 3 * positive();
  d.kd = positive();
  d.target = 0.4 * symmetric_unit(random);
  return d;
}

}  // namespace

Scene random_tree_scene(const RandomTree& options) {
  static constexpr JointType types[] = {
      JointType::revolute,       JointType::spherical,   JointType::prismatic,
      JointType::universal,      JointType::cylindrical, JointType::planar,
      JointType::point_in_plane, JointType::fixed,       JointType::free};
  std::mt19937 random(options.seed);
  Scene scene;
  scene.name = "random tree";
  scene.settings.contact.enabled = false;
  scene.settings.gravity = random_vector(random) * 9.81;
  scene.settings.contact.enabled = false;  // bodies lie within each other
  for (int i = 0; i < options.bodies; ++i) {
    SceneBody body;
    body.name = "b" + std::to_string(i);
    const Vec3 semi{0.2 + 0.1 * symmetric_unit(random), 0.15 + 0.1 * symmetric_unit(random),
                    0.12 + 0.05 * symmetric_unit(random)};
    body.shapes.push_back({Box{semi}, {random_rotation(random), random_vector(random) * 0.2}, {}});
    body.density = 200;
    body.X_WB = {random_rotation(random), random_vector(random)};
    scene.bodies.push_back(body);
    if (i == 0 && options.floating) continue;

    SceneJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = types[(static_cast<unsigned>(i) + options.seed) % std::size(types)];
    joint.child = body.name;
    if (i > 0) joint.parent = "b" + std::to_string(random() % static_cast<unsigned>(i));
    joint.X_PF = {random_rotation(random), random_vector(random) * 0.3};
    joint.X_BM = {random_rotation(random), random_vector(random) * 0.3};
    if (options.drives) {
      for (int f = 0; f < freedoms(joint.type).count(); ++f) {
        joint.drives.push_back(random_drive(random));
        if (options.rotors) joint.drives.back().armature = 0.05 * (f + 1);
      }
    }
    scene.joints.push_back(joint);
  }
  return scene;
}

State random_state(const Model& model, std::mt19937& random) {
  State state = zero_state(model);
  for (int i = 0; i < model.nv; ++i) state.v[i] = symmetric_unit(random);
  VecX dq(model.nv);
  for (int i = 0; i < model.nv; ++i) dq[i] = 1.5 * symmetric_unit(random);
  move(model, dq.data(), 1.0, state.q.data());
  return state;
}

}  // namespace molejo::test
