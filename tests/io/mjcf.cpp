// The MJCF reader. Numbers of whole models come from MuJoCo 2.2.2 (Debian), which compiled the same
// files: mass matrix, centre of mass and accelerations at their keyframe.
#include <numbers>

#include "molejo/io/robot.h"
#include "tests/support/imports.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr double degree = std::numbers::pi / 180;

Scene parse(const std::string& content) {
  return parse_mjcf("<mujoco>" + content + "</mujoco>", SourceFile::given("m.xml"));
}

// One body with one joint, around what the test is about.
Scene parse_body(const std::string& content, const std::string& before = "") {
  return parse(before + "<worldbody><body name='b'>" + content + "</body></worldbody>");
}

const Scene& figure() {
  static const Scene scene = parse_mjcf(read_file(import_path("figure.xml")), "figure.xml");
  return scene;
}

}  // namespace

TEST_CASE("mjcf: the figure has 27 freedoms and MuJoCo's mass matrix and accelerations") {
  const Built built = build(figure());
  CHECK(built.model.nv == 27);
  CHECK(figure().warnings.empty());
  // MuJoCo 2.2.2: figure.xml at its keyframe, contacts and limits disabled
  check_reference(
      built,
      {70.1845915629807,
       {-0.0549169293855612, -0.158914428788468, 0.83452961040025},
       {70.18459156298,   70.18459156298,  70.18459156298,  18.27494873659,   17.9905653867,
        1.214414982609,   0.7497980609714, 10.4109483708,   6.731791546383,   1.793888279724,
        0.477662926151,   2.22297433632,   0.4005331750322, 0.0198326393915,  0.0126261358945,
        2.136991254968,   0.2768280978832, 2.368354060064,  0.4063287626299,  0.01982744961027,
        0.01012430103211, 0.2220723145015, 0.1914604455263, 0.06324320157061, 0.2488219744248,
        0.2044608022856,  0.06322179327477},
       19461.6827760727,
       {-2.018210117856, 1.046165336647,  2.931009532315,  0.4932839541822, 61.73237516611,
        -44.47800532027, 111.32501785,    -247.3211076963, -20.04272693664, 62.21100445457,
        -35.09113109676, 342.6397761495,  -232.6309308319, 213.7703026394,  -61.51421208928,
        -77.26591258131, 122.4948905468,  258.2723769641,  -105.5490194748, 349.3309623747,
        -632.6244134862, -33.38188486045, 162.670118431,   -219.6216728793, -14.55586201309,
        28.51394551972,  171.8876992464}});
}

TEST_CASE("mjcf: bodies of the figure weigh and stand as in MuJoCo") {
  // MuJoCo 2.2.2: body_mass, and xpos at the keyframe
  const struct {
    const char* name;
    double mass;
    Vec3 p;
  } expected[] = {
      {"chest", 18.8307482535193, {0.1, -0.2, 1.12}},
      {"head", 4.98666643910068, {0.200316086169, -0.234850010066, 1.33545802295}},
      {"waist", 6.16832867976434, {-0.00539609190334, -0.167079010324, 0.930678484049}},
      {"right_foot", 1.13625, {-0.521814191931, -0.211058890884, 0.122491785929}},
      {"left_foot", 1.13625, {-0.581824630654, 0.0660902473196, 0.151998078071}},
      {"right_hand", 0.42, {0.108299753188, -0.306210563031, 0.771602045408}},
      {"left_hand", 0.42, {0.147784036947, -0.066845875367, 0.753233886997}},
  };
  const Built built = build(figure());
  Kinematics<double> k(built.model);
  update_poses(built.model, built.initial.q.data(), k);
  for (const auto& e : expected) {
    CAPTURE(e.name);
    const BodyId id = built.model.body(e.name);
    CHECK(built.model.links[static_cast<std::size_t>(id.index)].mass ==
          doctest::Approx(e.mass).epsilon(1e-12));
    check_near(body_pose(built.model, k, id).p, e.p, 1e-11);
  }
  // principal moments of a body of two capsules, and of a full inertia
  const Vec3 chest = principal_inertia(body_of(figure(), "chest").given->I_BC).moments;
  check_near(chest, {0.164668499535626, 0.194889518650329, 0.272063046957658}, 1e-14);
  const Vec3 hand = principal_inertia(body_of(figure(), "left_hand").given->I_BC).moments;
  check_near(hand, {0.000394899963169146, 0.000601506086253715, 0.00070359395057714}, 1e-15);
}

TEST_CASE("mjcf: equalities close loops with the accelerations of rigid constraints") {
  const Scene scene = parse_mjcf(read_file(import_path("fourbar.xml")), "fourbar.xml");
  CHECK(scene.settings.integrator == Integrator::semi_implicit_euler);
  CHECK(scene.settings.time_step == 0.001);
  CHECK(joint_of(scene, "rocker_ground").loop);
  CHECK(joint_of(scene, "rocker_ground").type == JointType::spherical);
  CHECK(joint_of(scene, "rocker_ground").parent.empty());
  CHECK(joint_of(scene, "bob_coupler").type == JointType::fixed);
  // MuJoCo 2.2.2: its M, J and qacc_smooth; multipliers solved for rigid constraints, J a = 0
  check_reference(build(scene), {4.68003838448854,
                                 {0.293886467830051, 0, 1.18698739702854},
                                 {0.7737258871238, 0.5925705189521, 0.06092681599887,
                                  0.7238229473871, 0.7238229473871, 0.7238229473871,
                                  0.0004632466863277, 0.0004632466863277, 0.0004632466863277},
                                 3.28628718633979,
                                 {-7.657060687973, 8.463067076181, -4.836038329246, -1.632162936121,
                                  0, -0.2015015970519, 0, 0.8060063882077, 0}});
}

TEST_CASE("mjcf: MuJoCo's own models import without error" *
          doctest::skip(!std::filesystem::exists("/usr/share/mujoco/model/humanoid"))) {
  const std::string folder = "/usr/share/mujoco/model/";
  const auto load = [&](const std::string& name) {
    return parse_mjcf(read_file(folder + name), SourceFile::given(folder + name));
  };
  const Scene humanoid = load("humanoid/humanoid.xml");
  const Built built = build(humanoid);
  CHECK(built.model.nv == 27);
  Kinematics<double> k(built.model);
  update_poses(built.model, built.initial.q.data(), k);
  CHECK(totals(built.model, k).mass == doctest::Approx(40.844021218).epsilon(1e-9));
  CHECK(joint_of(humanoid, "right_knee").drives[0].max_force == 80);
  CHECK(
      has_warning(humanoid, "<mujoco/worldbody/body/camera> is not supported and was left out (3"));
  // 22 times the same, and one that includes a body from another file
  CHECK(build(load("humanoid/22_humanoids.xml")).model.nv == 22 * 27);
  CHECK(build(load("humanoid100/humanoid100.xml")).model.nv == 627);
  CHECK(build(load("tendon_arm/arm26.xml")).model.nv == 2);
  CHECK(build(load("mug/mug.xml")).model.nv == 6);
}

TEST_CASE("mjcf: several joints of a body become a chain of massless bodies") {
  const SceneJoint& first = joint_of(figure(), "right_hip_x");
  const SceneJoint& second = joint_of(figure(), "right_hip_z");
  const SceneJoint& third = joint_of(figure(), "right_hip_y");
  CHECK(first.parent == "hips");
  CHECK(first.child == "right_thigh_right_hip_x");
  CHECK(second.parent == first.child);
  CHECK(third.parent == second.child);
  CHECK(third.child == "right_thigh");
  CHECK(body_of(figure(), first.child).massless);
  CHECK(body_of(figure(), first.child).given->mass == 0);
  CHECK(body_of(figure(), first.child).X_WB == body_of(figure(), "right_thigh").X_WB);
  check_near(third.X_BM.R.column(2), {0, 1, 0});
  check_near(second.X_PF.p, {0, 0, 0});
}

TEST_CASE("mjcf: drives take units, ref and default classes into account") {
  const Drive knee = joint_of(figure(), "right_knee").drives[0];
  CHECK(knee.stiffness == 2);
  CHECK(knee.damping == 1);
  CHECK(knee.armature == 0.008);
  CHECK(knee.rest == doctest::Approx(15 * degree));
  CHECK(*knee.lower == doctest::Approx(-12 * degree));
  CHECK(*knee.upper == doctest::Approx(140 * degree));
  CHECK(*knee.max_force == 90);
  CHECK(knee.force == doctest::Approx(-18));
  const Drive hip = joint_of(figure(), "right_hip_y").drives[0];
  CHECK(hip.stiffness == 25);
  CHECK(hip.damping == 4);
  CHECK(hip.armature == 0.02);
  // position: kp g^2, target u / g, largest force g f
  const Drive elbow = joint_of(figure(), "right_elbow").drives[0];
  CHECK(elbow.kp == doctest::Approx(27));
  CHECK(elbow.target == doctest::Approx(0.6));
  CHECK(*elbow.max_force == doctest::Approx(45));
  CHECK(elbow.stiffness == 0);
  // velocity: kv g^2, target u / g
  const Drive other = joint_of(figure(), "left_elbow").drives[0];
  CHECK(other.kd == doctest::Approx(2.8));
  CHECK(other.target_velocity == doctest::Approx(0.25));
  CHECK(!other.max_force);
  CHECK(figure().description == "Initial state: keyframe crouch.");
}

TEST_CASE("mjcf: general actuators, springdamper, slides and balls") {
  const Scene scene = parse(
      "<compiler angle='radian'/>"
      "<worldbody><body><joint name='s' type='slide' axis='1 0 0' range='-1 2' ref='0.5'"
      "  springdamper='0.1 0.8'/><geom size='0.1'/>"
      "<body><joint name='r' type='ball' pos='0 0 1' damping='3' armature='0.1'/>"
      "<geom size='0.1'/></body></body></worldbody>"
      "<actuator><general joint='s' gear='2' gainprm='5' biastype='affine' biasprm='1 -3 -4'"
      " ctrlrange='0.2 0.4'/>"
      "<motor joint='r' gear='1 2 3' ctrlrange='-2 2'/></actuator>");
  const SceneJoint& slide = joint_of(scene, "s");
  CHECK(slide.type == JointType::prismatic);
  check_near(slide.X_BM.R.column(2), {1, 0, 0});
  const Drive d = slide.drives[0];
  CHECK(*d.lower == -1.5);
  CHECK(*d.upper == 1.5);
  CHECK(d.hertz == doctest::Approx(1 / (2 * std::numbers::pi * 0.08)));
  CHECK(d.damping_ratio == 0.8);
  // 2 (5 u + 1 - 3 (2 x) - 4 (2 dx)) with u = 0.2 and x = q + 0.5
  CHECK(d.kp == 12);
  CHECK(d.kd == 16);
  CHECK(d.target == doctest::Approx(4.0 / 12 - 0.5));
  const SceneJoint& ball = joint_of(scene, "r");
  CHECK(ball.type == JointType::spherical);
  REQUIRE(ball.drives.size() == 3);
  CHECK(ball.drives[2].damping == 3);
  CHECK(ball.drives[2].armature == 0.1);
  CHECK(*ball.drives[0].max_force == 2);
  CHECK(*ball.drives[2].max_force == 6);
}

TEST_CASE("mjcf: every way to orient a body") {
  const auto turned = [](const std::string& compiler, const std::string& attribute) {
    const Scene scene = parse("<compiler " + compiler + "/><worldbody><body name='b' " + attribute +
                              "><joint/><geom size='1'/></body></worldbody>");
    return body_of(scene, "b").X_WB.R;
  };
  const auto check_same = [](const Mat3& A, const Mat3& B) {
    check_near(A.r0, B.r0), check_near(A.r1, B.r1), check_near(A.r2, B.r2);
  };
  const Mat3 x30 = axis_rotation({1, 0, 0}, 30 * degree),
             z90 = axis_rotation({0, 0, 1}, 90 * degree);
  const Mat3 y20 = axis_rotation({0, 1, 0}, 20 * degree);
  check_same(turned("", "quat='2 0 0 2'"), z90);
  check_same(turned("", "axisangle='2 0 0 30'"), x30);
  check_same(turned("angle='radian'", "axisangle='1 0 0 0.5235987755982988'"), x30);
  check_same(turned("", "euler='30 20 90'"), x30 * y20 * z90);
  check_same(turned("eulerseq='XYZ'", "euler='30 20 90'"), z90 * y20 * x30);
  check_same(turned("eulerseq='zyx'", "euler='90 20 30'"), z90 * y20 * x30);
  check_same(turned("", "xyaxes='0 3 0 -1 1 0'"), z90);
  check_near(turned("", "zaxis='0 0 -2'").column(2), {0, 0, -1});
  check_near(turned("", "zaxis='1 1 0'").column(2), {std::sqrt(0.5), std::sqrt(0.5), 0});
}

TEST_CASE("mjcf: geoms by size and by fromto, their masses and densities") {
  const Scene scene = parse(
      "<worldbody><body name='b'><freejoint/>"
      "<geom type='box' size='0.1 0.2 0.3' mass='6' pos='1 0 0'/>"
      "<geom type='cylinder' size='0.1' fromto='0 0 0 0 2 0' density='10' rgba='1 0 0 0.5'/>"
      "<geom type='sphere' size='0.5' mass='0'/></body></worldbody>");
  const SceneBody& body = body_of(scene, "b");
  REQUIRE(body.shapes.size() == 3);
  CHECK(std::get<Cylinder>(body.shapes[1].geometry).half_length == 1);
  check_near(body.shapes[1].X_BS.p, {0, 1, 0});
  check_near(body.shapes[1].X_BS.R.column(2), {0, -1, 0});
  CHECK(body.shapes[1].color == Color{1, 0, 0, 0.5});
  CHECK(body.shapes[0].color == Color{0.5, 0.5, 0.5, 1});
  const double rod = 10 * std::numbers::pi * 0.01 * 2;
  CHECK(body.given->mass == doctest::Approx(6 + rod));
  check_near(body.given->p_BC, {6 / (6 + rod), rod / (6 + rod), 0});
}

TEST_CASE("mjcf: an ellipsoid weighs exactly and looks like a polyhedron") {
  const Scene scene =
      parse_body("<freejoint/><geom type='ellipsoid' size='0.1 0.2 0.3' mass='5'/>");
  const SceneBody& body = body_of(scene, "b");
  check_near({body.given->I_BC.xx, body.given->I_BC.yy, body.given->I_BC.zz}, {0.13, 0.1, 0.05});
  CHECK(std::get<Polyhedron>(body.shapes[0].geometry).vertices.size() == 114);
  CHECK(has_warning(scene, "m.xml:1: an ellipsoid was replaced by a polyhedron"));
}

TEST_CASE("mjcf: rules of the compiler for masses") {
  const std::string two =
      "<worldbody><body name='a'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"
      "<geom size='0.1' mass='2'/></body><body name='b'><joint/><geom size='0.1' mass='3'"
      " group='2'/></body></worldbody>";
  const auto mass = [&](const std::string& compiler, const char* name) {
    return *body_of(parse("<compiler " + compiler + "/>" + two), name).given;
  };
  CHECK(mass("balanceinertia='true'", "a").I_BC.xx == doctest::Approx(5.0 / 3));
  CHECK(mass("balanceinertia='true'", "a").mass == 1);
  CHECK(mass("inertiafromgeom='true' balanceinertia='true'", "a").mass == 2);
  CHECK(mass("balanceinertia='true' settotalmass='8'", "b").mass == doctest::Approx(6));
  CHECK(mass("balanceinertia='true' boundmass='1.5'", "a").mass == 1.5);
  CHECK(mass("boundinertia='2'", "a").I_BC.xx == doctest::Approx(2));
  CHECK(error_text([&] { mass("balanceinertia='true' inertiagrouprange='0 1'", "b"); }) ==
        "m.xml:1: <body>: 'b' moves but neither it nor what it carries has mass");
  CHECK(error_text([&] {
          mass("", "a");
        }).find("<inertial diaginertia=\"1 1 3\">: expected a positive definite inertia") !=
        std::string::npos);
}

TEST_CASE("mjcf: default classes nest, childclass and class choose") {
  const Scene scene = parse(
      "<default><geom size='0.1'/><joint damping='1' stiffness='1'/>"
      "<default class='p'><joint damping='2'/><default class='q'><joint stiffness='3'/></default>"
      "</default></default>"
      "<worldbody><body childclass='p'><joint name='j1'/><geom/>"
      "<body><joint name='j2' class='q' damping='5'/><geom/>"
      "<body childclass='q'><joint name='j3'/><geom/><body><joint name='j4' class='main'/><geom/>"
      "</body></body></body></body></worldbody>");
  const auto drive = [&](const char* name) { return joint_of(scene, name).drives[0]; };
  CHECK(drive("j1").damping == 2);
  CHECK(drive("j1").stiffness == 1);
  CHECK(drive("j2").damping == 5);
  CHECK(drive("j2").stiffness == 3);
  CHECK(drive("j3").damping == 2);
  CHECK(drive("j3").stiffness == 3);
  CHECK(drive("j4").damping == 1);
  CHECK(scene.warnings.empty());
}

TEST_CASE("mjcf: bodies without joints are welded, the world's shapes are immobile") {
  const Scene scene = parse(
      "<worldbody><geom type='plane' size='1 1 1'/><body name='wall' pos='1 0 0'>"
      "<geom type='box' size='1 1 1'/><body name='door' pos='0 1 0'><joint name='hinge'/>"
      "<geom size='0.1'/><body name='knob' pos='0 0 1'><geom size='0.2'/></body></body></body>"
      "</worldbody>");
  CHECK(body_of(scene, "ground").immobile);
  CHECK(std::holds_alternative<Plane>(body_of(scene, "ground").shapes[0].geometry));
  CHECK(body_of(scene, "wall").immobile);
  CHECK(joint_of(scene, "hinge").parent == "wall");
  CHECK(joint_of(scene, "knob_fixed").type == JointType::fixed);
  check_near(body_of(scene, "knob").X_WB.p, {1, 1, 1});
  CHECK(build(scene).model.nv == 1);
}

TEST_CASE("mjcf: what a rotor turns and what is welded may be without mass") {
  const Scene scene = parse(
      "<worldbody><body name='a'><joint armature='0.1'/><body name='b' pos='1 0 0'/></body>"
      "</worldbody>");
  CHECK(body_of(scene, "a").massless);
  const Built built = build(scene);
  CHECK(built.model.nv == 1);
  Scratch scratch(built.model);
  VecX a(1);
  acceleration(built.model, 0, built.initial.q.data(), built.initial.v.data(), a.data(), scratch);
  CHECK(a[0] == 0);
}

TEST_CASE("mjcf: frames move what is inside them") {
  const Scene scene = parse(
      "<worldbody><frame pos='1 0 0' euler='0 0 90'><body name='b' pos='1 0 0'><joint name='j'/>"
      "<frame pos='0 0 2'><geom size='0.1' pos='0 0 1'/></frame></body></frame></worldbody>");
  check_near(body_of(scene, "b").X_WB.p, {1, 1, 0});
  check_near(body_of(scene, "b").shapes[0].X_BS.p, {0, 0, 3});
}

TEST_CASE("mjcf: the key named home is chosen, a free joint's coordinates start at the body") {
  const Scene scene = parse(
      "<worldbody><body name='b' pos='0 0 1' euler='0 0 90'><freejoint name='f'/><geom size='1'/>"
      "</body></worldbody><keyframe><key qpos='9 9 9 1 0 0 0'/>"
      "<key name='home' qpos='1 2 3 2 0 0 2' qvel='1 2 3 4 5 6'/></keyframe>");
  const SceneJoint& joint = joint_of(scene, "f");
  const std::vector<double> expected{1, 2, 2, 1, 0, 0, 0};
  for (std::size_t i = 0; i < 7; ++i) CHECK(joint.position[i] == doctest::Approx(expected[i]));
  CHECK(joint.velocity == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(scene.description == "Initial state: keyframe home.");
  CHECK(has_warning(scene, "m.xml:1: a further keyframe was left out"));
  const Built built = build(scene);
  Kinematics<double> k(built.model);
  update_poses(built.model, built.initial.q.data(), k);
  check_near(body_pose(built.model, k, {0}).p, {1, 2, 3});
  check_near(body_pose(built.model, k, {0}).R.column(0), {0, 1, 0});
}

TEST_CASE("mjcf: options become settings") {
  CHECK(parse_body("<freejoint/><geom size='1'/>").settings.time_step == 0.002);
  const Scene scene = parse_body("<freejoint/><geom size='1'/>",
                                 "<option timestep='0.01' gravity='1 2 3' integrator='RK4'/>");
  CHECK(scene.settings.time_step == 0.01);
  CHECK(scene.settings.gravity == Vec3{1, 2, 3});
  CHECK(scene.settings.integrator == Integrator::midpoint);
  const Scene untouched = parse_body("<freejoint/><geom size='1'/>",
                                     "<option integrator='RK4'><flag contact='disable'/></option>");
  CHECK(untouched.settings.integrator == Integrator::rk4);
  const Scene other =
      parse_body("<freejoint/><geom size='1'/>",
                 "<option integrator='implicit'><flag gravity='disable'/></option>");
  CHECK(other.settings.gravity == Vec3{});
  CHECK(has_warning(other, "the integrator implicit is semi_implicit_euler here"));
}

TEST_CASE("mjcf: whatever is not read is named with its count") {
  const Scene scene = parse_mjcf(
      "<mujoco>\n<worldbody>\n<body><joint solreflimit='1 1'/><geom size='1' margin='3'/>\n"
      "<body><geom size='1' margin='1'/><site/><site/></body></body>\n</worldbody>\n"
      "<tendon><fixed/></tendon><sensor/>\n"
      "<equality><joint joint1='a'/></equality><actuator><muscle tendon='t'/></actuator>\n"
      "<default><geom solref='1 1'/><site size='1'/></default>hello</mujoco>",
      "m.xml");
  const std::vector<std::string> expected{
      "m.xml:1: text inside <mujoco> was left out",
      "m.xml:3: <mujoco/worldbody/body/joint solreflimit> is not supported and was left out",
      "m.xml:3: <mujoco/worldbody/body/geom margin> is not supported and was left out (2 times)",
      "m.xml:4: <mujoco/worldbody/body/site> is not supported and was left out (2 times)",
      "m.xml:6: <mujoco/tendon> is not supported and was left out",
      "m.xml:6: <mujoco/sensor> is not supported and was left out",
      "m.xml:7: <mujoco/equality/joint> is not supported and was left out",
      "m.xml:7: <mujoco/actuator/muscle> is not supported and was left out",
      "m.xml:8: <mujoco/default/geom solref> is not supported and was left out"};
  CHECK(scene.warnings == expected);
}

TEST_CASE("mjcf: what can only be carried over in part is told") {
  const auto told = [](const std::string& content, const char* part) {
    CAPTURE(content);
    CHECK(has_warning(parse(content), part));
  };
  const std::string body =
      "<worldbody><body name='b'><joint name='j'/><geom size='1'/></body>"
      "<body name='c'><joint name='k' type='ball'/><geom size='1'/></body>"
      "</worldbody>";
  told("<worldbody><body><joint frictionloss='1'/><geom size='1'/></body></worldbody>",
       "dry friction of joints");
  told("<worldbody><body><joint type='ball' range='0 90'/><geom size='1'/></body></worldbody>",
       "the range of a ball joint was left out");
  told("<worldbody><body mocap='true'><geom size='1'/></body></worldbody>", "mocap body");
  told("<worldbody><geom type='sdf'/><body/></worldbody>", "type sdf was left out");
  told("<worldbody><body><geom size='1' condim='4'/></body></worldbody>",
       "torsional and rolling friction was left out");
  told("<worldbody><body><geom size='1'/><geom size='2' contype='2'/></body></worldbody>",
       "geoms of one body have different contype or conaffinity");
  told(body + "<actuator><motor site='s'/></actuator>", "does not drive a joint");
  told(body + "<actuator><position joint='k'/></actuator>",
       "ball or free joint other than a motor");
  told(body + "<actuator><general joint='j' dyntype='filter'/></actuator>", "a general actuator");
  told(body + "<actuator><motor joint='j'/><motor joint='j'/></actuator>", "several actuators");
  told(body + "<actuator><motor joint='j' forcerange='-1 2'/></actuator>", "not symmetric");
  told(body + "<equality><weld body1='b' active='false'/></equality>", "not active");
  told(body + "<equality><connect site1='b' site2='c'/></equality>", "between sites");
}

TEST_CASE("mjcf: meshes from files and from the text, weighed as solids") {
  const TemporaryFolder folder("mjcf_mesh");
  folder.write("parts/cube.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const Scene scene = parse_mjcf(
      "<mujoco><compiler meshdir='parts'/><asset><mesh file='cube.obj' scale='1 2 -3'/>"
      "<mesh name='t' vertex='0 0 0 6 0 0 0 6 0 0 0 6'/></asset><worldbody>"
      "<body name='a'><freejoint/><geom type='mesh' mesh='cube' density='2' pos='0 0 3'/></body>"
      "<body name='b'><freejoint/><geom type='mesh' mesh='t' "
      "mass='3'/></body></worldbody></mujoco>",
      SourceFile::given(folder.file("m.xml")));
  CHECK(scene.warnings.empty());
  CHECK(body_of(scene, "a").given->mass == doctest::Approx(12));
  check_near(body_of(scene, "a").given->p_BC, {0.5, 1, 1.5});
  CHECK(body_of(scene, "a").given->I_BC.xx == doctest::Approx(12 * (4 + 9) / 12.0));
  check_near(body_of(scene, "b").given->p_BC, {1.5, 1.5, 1.5});
  CHECK(body_of(scene, "b").given->mass == 3);
}

TEST_CASE("mjcf: included files stand where the include stands, once") {
  const TemporaryFolder folder("mjcf_include");
  folder.write("arm.xml",
               "<mujoco><body name='arm'><joint name='j'/><geom size='1'/></body></mujoco>");
  folder.write("outer.xml", "<mujocoinclude><include file='inner.xml'/></mujocoinclude>");
  folder.write("inner.xml", "<mujoco><include file='outer.xml'/></mujoco>");
  const auto parse_at = [&](const std::string& content) {
    return parse_mjcf("<mujoco>" + content + "</mujoco>", SourceFile::given(folder.file("m.xml")));
  };
  const Scene scene = parse_at("<worldbody><include file='arm.xml'/></worldbody>");
  CHECK(joint_of(scene, "j").child == "arm");
  const auto error = [&](const std::string& content) {
    return error_text([&] { parse_at(content); });
  };
  CHECK(error("<include file='outer.xml'/>") ==
        folder.file("inner.xml") +
            ":1: <include file=\"outer.xml\">: this file is already included");
  CHECK(error("<worldbody><include file='m.xml'/></worldbody>") ==
        folder.file("m.xml") + ":1: <include file=\"m.xml\">: this file is already included");
  CHECK(error("<include file='none.xml'/>").find("none.xml: no such file") != std::string::npos);
  CHECK(error("<include file='/etc/hosts'/>").find("lies outside of what may be read here") !=
        std::string::npos);
}

TEST_CASE("mjcf: bad files are refused with file, line, value and what was expected") {
  const std::string geom = "<geom size='1'/>";
  const auto in_body = [&](const std::string& content) {
    return "<worldbody><body name='b'>" + content + geom + "</body></worldbody>";
  };
  const struct {
    std::string content, error;
  } cases[] = {
      {"", "m.xml:1: <mujoco>: expected a <body> in <worldbody>"},
      {"<worldbody>", "m.xml:1: not well-formed XML: Start-end tags mismatch"},
      {in_body("<joint type='hing'/>"),
       "m.xml:1: <joint type=\"hing\">: unknown joint type 'hing'; did you mean 'hinge'?"},
      {in_body("<joint axis='0 0 0'/>"), "m.xml:1: <joint axis=\"0 0 0\">: expected a direction"},
      {in_body("<joint axis='1 2'/>"), "<joint axis=\"1 2\">: expected 3 finite numbers"},
      {in_body("<joint damping='nan'/>"), "<joint damping=\"nan\">: expected a finite number"},
      {in_body("<joint damping='1e999'/>"), "<joint damping=\"1e999\">: expected a finite number"},
      {in_body("<joint damping='0x10'/>"), "<joint damping=\"0x10\">: expected a finite number"},
      {in_body("<joint stiffness='-1'/>"),
       "<joint stiffness=\"-1\">: expected a number that is not negative"},
      {in_body("<joint limited='true'/>"),
       "<joint limited=\"true\">: expected the attribute 'range'"},
      {in_body("<joint limited='true' range='2 1'/>"),
       "<joint range=\"2 1\">: expected a lower limit below the upper one"},
      {in_body("<joint limited='yes'/>"), "<joint limited=\"yes\">: unknown value 'yes'"},
      {in_body("<joint class='none'/>"), "<joint class=\"none\">: unknown default class 'none'"},
      {in_body("<joint name='j'/><joint name='j'/>"),
       "<joint name=\"j\">: a second joint of this name"},
      {in_body("<freejoint/><joint/>"), "must be the only joint of a body of the world"},
      {in_body("<joint/><body name='c'><freejoint/>" + geom + "</body>"),
       "<freejoint>: a free joint must be the only joint of a body of the world"},
      {in_body("<body name='b'/>"), "<body name=\"b\">: a second body of this name"},
      {"<worldbody><body name='world'/></worldbody>", "expected another name"},
      {"<worldbody><joint/></worldbody>", "<joint>: the world cannot have a joint"},
      {in_body("<geom type='spere' size='1'/>"),
       "unknown geom type 'spere'; did you mean 'sphere'?"},
      {in_body("<geom type='box' size='1 1'/>"),
       "<geom size=\"1 1\">: expected 3 numbers for a box"},
      {in_body("<geom type='capsule' size='1 -1'/>"),
       "<geom size=\"1 -1\">: expected positive numbers"},
      {in_body("<geom/>"), "<geom>: expected the attribute 'size'"},
      {in_body("<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>"),
       "expected two different points"},
      {in_body("<geom size='1' mass='-2'/>"),
       "<geom mass=\"-2\">: expected a number that is not negative"},
      {in_body("<geom size='1' material='m'/>"), "<geom material=\"m\">: unknown material 'm'"},
      {in_body("<geom type='mesh' mesh='m'/>"), "<geom mesh=\"m\">: unknown mesh 'm'"},
      {in_body("<geom type='mesh'/>"), "<geom>: expected the attribute 'mesh'"},
      {"<asset><mesh name='m' file='x.obj'/></asset>" + in_body("<geom type='mesh' mesh='m'/>"),
       "<mesh file=\"x.obj\">: x.obj: no such file"},
      {"<asset><mesh name='m' file='x.dae'/></asset>" + in_body("<geom type='mesh' mesh='m'/>"),
       "'.dae' meshes cannot be read; expected .obj or .stl"},
      {"<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset>" +
           in_body("<geom type='mesh' mesh='m'/>"),
       "m.xml:1: <mesh vertex=\"0 0 0 1 0 0 0 1 0 1 1 0\">: convex hull: the 4 points lie in one "
       "plane"},
      {"<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset>" +
           in_body("<geom type='mesh' mesh='m'/>"),
       "<mesh face=\"0 1 4\">: expected vertices from 0 to 3"},
      {in_body("<inertial mass='1' diaginertia='1 1 1'/>"),
       "<inertial>: expected the attribute 'pos'"},
      {in_body("<inertial pos='0 0 0' mass='1'/>"),
       "<inertial>: expected the attribute 'diaginertia' or 'fullinertia'"},
      {in_body("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"),
       "<inertial mass=\"-1\">: expected a number that is not negative"},
      {in_body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' euler='0 0 1' quat='1 0 0 0'/>"),
       "given beside 'quat'; expected one of them"},
      {"<worldbody><body quat='0 0 0 0'><joint/><geom size='1'/></body></worldbody>",
       "<body quat=\"0 0 0 0\">: expected a quaternion that is not zero"},
      {"<worldbody><body name='b'><joint/></body></worldbody>",
       "<body>: 'b' moves but neither it nor what it carries has mass"},
      {"<compiler angle='degrees'/>",
       "<compiler angle=\"degrees\">: unknown angle 'degrees'; did you mean 'degree'?"},
      {"<compiler coordinate='global'/>", "expected local coordinates"},
      {"<compiler eulerseq='xyzz'/>", "expected three letters of xyzXYZ"},
      {"<option timestep='0'/>", "<option timestep=\"0\">: expected a positive number"},
      {"<option integrator='Eulr'/>", "unknown integrator 'Eulr'; did you mean 'Euler'?"},
      {"<default><default/></default>", "<default>: expected the attribute 'class'"},
      {"<default><default class='a'/><default class='a'/></default>",
       "<default class=\"a\">: expected a new class name"},
      {in_body("<joint name='knee'/>") + "<actuator><motor joint='kne'/></actuator>",
       "<motor joint=\"kne\">: unknown joint 'kne'; did you mean 'knee'?"},
      {in_body("<joint/>") + "<equality><weld body1='c'/></equality>",
       "<weld body1=\"c\">: unknown body 'c'; did you mean 'b'?"},
      {in_body("<joint/>") + "<equality><weld body1='b' body2='b'/></equality>",
       "<weld>: expected two different bodies"},
      {in_body("<joint/>") + "<equality><connect body1='b'/></equality>",
       "<connect>: expected the attribute 'anchor'"},
      {in_body("<joint/>") + "<keyframe><key qpos='1 2'/></keyframe>",
       "<key qpos=\"1 2\">: expected 1 finite number"},
      {in_body("<joint/>") + "<keyframe><key ctrl='1'/></keyframe>",
       "<key ctrl=\"1\">: expected 0 finite numbers"},
      {in_body("<joint damping='1' damping='2'/>"),
       "<joint>: the attribute 'damping' is given twice"},
  };
  for (const auto& [content, error] : cases) {
    check_refused(content, error, [&text = content] { parse(text); });
  }
}

TEST_CASE("mjcf: files that are no MJCF, too deep, too large or full of entities are refused") {
  const auto error = [](const std::string& text) {
    return error_text([&] { parse_mjcf(text, "m.xml"); });
  };
  CHECK(error("") == "m.xml:1: not well-formed XML: No document element found");
  CHECK(error("<robot/>") == "m.xml:1: <robot>: expected the root element <mujoco>");
  CHECK(error("<mujoco/>\n<mujoco/>") == "m.xml:2: <mujoco>: a second root element");
  CHECK(error(std::string("<mujoco>\n\0</mujoco>", 19)) ==
        "m.xml:2: a zero byte; expected XML text");
  CHECK(
      error("<!DOCTYPE m [\n<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>\n<mujoco model='&b;'/>") ==
      "m.xml:1: <!ENTITY>: entities are not expanded; expected plain text");
  std::string deep = "<mujoco><worldbody>";
  for (int i = 0; i < 100000; ++i) deep += "<body>";
  for (int i = 0; i < 100000; ++i) deep += "</body>";
  CHECK(error(deep + "</worldbody></mujoco>") ==
        "m.xml:1: <body>: nested deeper than 128 elements");
  std::string many = "<mujoco><worldbody>";
  for (int i = 0; i < 200001; ++i) many += "<site/>";
  CHECK(error(many + "</worldbody></mujoco>") == "m.xml:1: <site>: more than 200000 elements");
  CHECK(error(std::string(max_input_bytes / 16 + 1, ' ')) == "m.xml: larger than 16777216 bytes");
  std::string bodies = "<mujoco><worldbody>";
  for (int i = 0; i < 20001; ++i) bodies += "<body><joint/><geom size='1'/></body>";
  CHECK(error(bodies + "</worldbody></mujoco>") == "m.xml:1: <body>: more than 20000 bodies");
  // every prefix of a good file is refused or read, never worse
  const std::string good = read_file(import_path("fourbar.xml"));
  for (std::size_t size = 0; size + 12 < good.size(); size += 7) {
    CHECK(!error(good.substr(0, size)).empty());
  }
}
