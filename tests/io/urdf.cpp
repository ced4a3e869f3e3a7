// The URDF reader. Numbers of the arm come from MuJoCo 2.2.2 (Debian), which reads the same file.
#include <numbers>

#include "molejo/io/robot.h"
#include "tests/support/imports.h"

using namespace molejo;
using namespace molejo::test;

namespace {

Scene parse(const std::string& content) {
  return parse_urdf("<robot name='r'>" + content + "</robot>", SourceFile::given("r.urdf"));
}

const std::string weight =
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    "</inertial>";

std::string link_text(const std::string& name, const std::string& content = weight) {
  return "<link name='" + name + "'>" + content + "</link>";
}

std::string joint_text(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const std::string& content = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + content + "</joint>";
}

Scene arm() { return parse_urdf(read_file(import_path("arm.urdf")), "arm.urdf"); }

}  // namespace

TEST_CASE("urdf: the arm has six freedoms and MuJoCo's mass matrix and accelerations") {
  Scene scene = arm();
  const char* names[]{"waist", "shoulder", "elbow", "forearm_roll", "wrist", "flange_roll"};
  const double q[]{0.4, -0.3, 0.7, 1.1, -0.6, 0.5}, v[]{0.5, -0.8, 1.2, -0.4, 0.9, 2.0};
  for (int i = 0; i < 6; ++i) {
    for (SceneJoint& j : scene.joints) {
      if (j.name == names[i]) j.position = {q[i]}, j.velocity = {v[i]};
    }
  }
  // MuJoCo 2.2.2 fuses the pedestal with the world, we weigh it: it stands still at (0, 0, 0.1).
  // Values: qM and qacc_smooth (without dry friction), contacts and limits disabled. MuJoCo keeps
  // principal moments, and its diagonalisation leaves 3.8e-9 kg m^2 on the turret's izz of 0.064.
  const double moving = 24.55, still = 18;
  const Vec3 com = (Vec3{0.0888004778341454, 0.0361867322926411, 0.494840982167679} * moving +
                    Vec3{0, 0, 0.1} * still) *
                   (1 / (moving + still));
  check_reference(
      build(scene),
      {moving + still,
       com,
       {0.5575106725016, 1.588205280435, 0.4506155804633, 0.005202545071431, 0.00453, 0.00016},
       3.04146376324559,
       {1.291356147022, 8.156050562402, 17.76021681075, 24.98254577618, -21.497732669,
        -631.6217045221}},
      1e-8);
}

TEST_CASE("urdf: links, poses, inertias and colours of the arm") {
  const Scene scene = arm();
  CHECK(scene.name == "arm");
  // the world is no body, the tool point is a massless one
  CHECK(scene.bodies.size() == 8);
  CHECK(joint_of(scene, "mount").parent.empty());
  CHECK(body_of(scene, "tool_point").massless);
  CHECK(body_of(scene, "tool_point").given->mass == 0);
  check_near(body_of(scene, "upper_arm").X_WB.p, {0.06, 0, 0.36});
  check_near(body_of(scene, "upper_arm").X_WB.R.column(2), {std::sin(0.35), 0, std::cos(0.35)});

  const MassProperties turret = *body_of(scene, "turret").given;
  CHECK(turret.mass == 9.5);
  check_near(turret.p_BC, {0.02, 0, 0.09});
  // turned by rpy 0 0 0.3
  CHECK(turret.I_BC.zz == doctest::Approx(0.064));
  CHECK(turret.I_BC.xx == doctest::Approx(0.082 * std::cos(0.3) * std::cos(0.3) +
                                          0.091 * std::sin(0.3) * std::sin(0.3) -
                                          2 * 0.004 * std::sin(0.3) * std::cos(0.3)));
  const SceneBody& forearm = body_of(scene, "forearm");
  CHECK(std::get<Cylinder>(forearm.shapes[0].geometry).half_length == 0.1);
  check_near(forearm.shapes[0].X_BS.R.column(2), {1, 0, 0});
  CHECK(forearm.shapes[0].color == Color{0.93, 0.46, 0.13, 1});
  check_near(std::get<Box>(body_of(scene, "turret").shapes[0].geometry).half, {0.12, 0.10, 0.09});
}

TEST_CASE("urdf: limits, effort and damping become drives") {
  const Scene scene = arm();
  const Drive waist = joint_of(scene, "waist").drives[0];
  CHECK(*waist.lower == -2.9);
  CHECK(*waist.upper == 2.9);
  CHECK(*waist.max_force == 180);
  CHECK(waist.damping == 1.5);
  const Drive roll = joint_of(scene, "forearm_roll").drives[0];
  CHECK(!roll.lower);
  CHECK(!roll.upper);
  CHECK(*roll.max_force == 30);
  check_near(joint_of(scene, "forearm_roll").X_BM.R.column(2), {1, 0, 0});
  CHECK(joint_of(scene, "mount").drives.empty());
}

TEST_CASE("urdf: all that the arm says and a scene cannot hold is named") {
  const std::vector<std::string> expected{
      "arm.urdf:147: dry friction of joints (<dynamics friction>) was left out",
      "arm.urdf:114: <robot/joint/limit velocity> is not supported and was left out (5 times)",
      "arm.urdf:162: <robot/transmission> is not supported and was left out"};
  CHECK(arm().warnings == expected);
  const Scene scene = parse(link_text("a") + link_text("b") +
                            joint_text("j", "revolute", "a", "b",
                                       "<mimic joint='k'/><safety_controller k_velocity='1'/>"
                                       "<calibration rising='0'/>") +
                            "<gazebo reference='a'/><gazebo/><sensor name='s'/>");
  CHECK(has_warning(scene, "<robot/joint/mimic> is not supported and was left out"));
  CHECK(has_warning(scene, "<robot/joint/safety_controller> is not supported and was left out"));
  CHECK(has_warning(scene, "<robot/joint/calibration> is not supported and was left out"));
  CHECK(has_warning(scene, "<robot/gazebo> is not supported and was left out (2 times)"));
  CHECK(has_warning(scene, "<robot/sensor> is not supported and was left out"));
  CHECK(has_warning(scene, "a revolute joint has no <limit> and moves without limits"));
}

TEST_CASE("urdf: what is seen does not collide, and what collides is not drawn beside it") {
  const std::string box = "<geometry><box size='1 1 1'/></geometry>";
  const std::string ball = "<geometry><sphere radius='2'/></geometry>";
  const auto body = [&](const std::string& inside) {
    return parse(link_text("a", weight + inside)).bodies[0];
  };
  const SceneBody seen = body("<visual>" + box + "</visual>");
  REQUIRE(seen.shapes.size() == 1);
  CHECK_FALSE(seen.shapes[0].collides);

  const SceneBody solid = body("<collision>" + box + "</collision>");
  REQUIRE(solid.shapes.size() == 1);
  CHECK(solid.shapes[0].collides);
  CHECK(solid.shapes[0].color == Color{});
  CHECK(solid.shapes[0].surface == Surface{});

  const SceneBody both = body("<collision>" + ball + "</collision><visual>" + box + "</visual>");
  REQUIRE(both.shapes.size() == 2);
  CHECK(std::holds_alternative<Box>(both.shapes[0].geometry));
  CHECK_FALSE(both.shapes[0].collides);
  CHECK(both.shapes[0].color.a == 1);
  CHECK(std::holds_alternative<Sphere>(both.shapes[1].geometry));
  CHECK(both.shapes[1].collides);
  CHECK(both.shapes[1].color.a == 0);

  // the same form at the same place is one shape
  const std::string there = "<origin xyz='1 0 0'/>";
  const SceneBody one = body("<visual>" + box + "</visual><visual>" + there + box +
                             "</visual><collision>" + there + box + "</collision>");
  REQUIRE(one.shapes.size() == 2);
  CHECK_FALSE(one.shapes[0].collides);
  CHECK(one.shapes[1].collides);
  CHECK(one.shapes[1].color.a == 1);
}

TEST_CASE("urdf: a form that is seen collides itself where every size of it is the same") {
  const auto shapes = [&](const std::string& seen, const std::string& solid) {
    return parse(link_text("a", weight + "<visual><geometry>" + seen +
                                    "</geometry></visual><collision><geometry>" + solid +
                                    "</geometry></collision>"))
        .bodies[0]
        .shapes.size();
  };
  const std::vector<std::vector<std::string>> forms = {
      {"<box size='1 2 3'/>", "<box size='1 2 4'/>"},
      {"<sphere radius='2'/>", "<sphere radius='3'/>"},
      {"<cylinder radius='2' length='1'/>", "<cylinder radius='3' length='1'/>",
       "<cylinder radius='2' length='3'/>"},
      {"<capsule radius='2' length='1'/>", "<capsule radius='3' length='1'/>",
       "<capsule radius='2' length='3'/>"}};
  for (const std::vector<std::string>& kind : forms) {
    for (const std::string& seen : kind) {
      for (const std::string& solid : kind) {
        CAPTURE(seen);
        CAPTURE(solid);
        CHECK(shapes(seen, solid) == (seen == solid ? 1 : 2));
      }
    }
  }
}

TEST_CASE("urdf: names of what is seen and of what collides cost no warning") {
  const std::string box = "<geometry><box size='1 1 1'/></geometry>";
  const Scene scene =
      parse(link_text("a", weight + "<visual name='skin'>" + box +
                               "</visual><collision name='hull'>" + box + "</collision>"));
  CHECK(scene.warnings.empty());
}

TEST_CASE("urdf: a link without inertia is weighed once, by what collides") {
  const Scene alone = parse(
      "<link name='a'><visual><geometry><box size='3 3 3'/></geometry></visual>"
      "<collision><geometry><box size='1 1 1'/></geometry></collision></link>");
  CHECK(alone.bodies[0].given->mass == doctest::Approx(1000));
  const Scene seen =
      parse("<link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual></link>");
  CHECK(build(seen).model.links[0].mass == doctest::Approx(1000));
}

TEST_CASE("urdf: every joint type") {
  const std::string links = link_text("a") + link_text("b") + link_text("c") + link_text("d") +
                            link_text("e") + link_text("f");
  const Scene scene =
      parse(links + joint_text("fixed", "fixed", "a", "b") +
            joint_text("slide", "prismatic", "a", "c", "<axis xyz='0 2 0'/><limit upper='1'/>") +
            joint_text("plane", "planar", "a", "d",
                       "<axis xyz='0 0 1'/><dynamics damping='2'/><origin xyz='1 2 3'/>") +
            joint_text("float", "floating", "a", "e") + joint_text("spin", "continuous", "a", "f"));
  CHECK(joint_of(scene, "fixed").type == JointType::fixed);
  const SceneJoint& slide = joint_of(scene, "slide");
  CHECK(slide.type == JointType::prismatic);
  check_near(slide.X_PF.R.column(2), {0, 1, 0});
  CHECK(*slide.drives[0].lower == 0);
  CHECK(*slide.drives[0].upper == 1);
  const SceneJoint& plane = joint_of(scene, "plane");
  CHECK(plane.type == JointType::planar);
  REQUIRE(plane.drives.size() == 3);
  CHECK(plane.drives[2].damping == 2);
  check_near(plane.X_PF.p, {1, 2, 3});
  CHECK(joint_of(scene, "float").type == JointType::free);
  // the axis is x where none is given
  check_near(joint_of(scene, "spin").X_BM.R.column(2), {1, 0, 0});
  // six of the root, none, one, three, six, one
  CHECK(build(scene).model.nv == 17);
}

TEST_CASE("urdf: the root floats unless it is the world") {
  const std::string rest = link_text("b") + joint_text("j", "continuous", "base", "b");
  CHECK(build(parse(link_text("base") + rest)).model.nv == 7);
  const Scene fixed =
      parse(link_text("world", "") + link_text("b") + joint_text("j", "continuous", "world", "b"));
  CHECK(fixed.bodies.size() == 1);
  CHECK(build(fixed).model.nv == 1);
  const Scene shown = parse(
      link_text("world", "<visual><geometry><box size='2 2 2'/></geometry></visual>" + weight) +
      link_text("ground") + joint_text("j", "continuous", "world", "ground"));
  CHECK(body_of(shown, "ground_").immobile);
  CHECK(body_of(shown, "ground_").shapes.size() == 1);
  CHECK(has_warning(shown, "the mass of the link 'world' was left out"));
  CHECK(build(shown).model.nv == 1);
}

TEST_CASE("urdf: links without inertia are massless, weighed by their shapes, or refused") {
  const std::string ball = "<visual><geometry><sphere radius='0.1'/></geometry></visual>";
  // carried by something that has mass
  const Scene hinge = parse(link_text("base") + link_text("frame", ball) + link_text("end") +
                            joint_text("j", "continuous", "base", "frame") +
                            joint_text("k", "fixed", "frame", "end"));
  CHECK(body_of(hinge, "frame").massless);
  CHECK(body_of(hinge, "frame").given->mass == 0);
  CHECK(build(hinge).model.nv == 7);
  // nothing below has mass
  const Scene weighed = parse(link_text("base") + link_text("frame", "") + link_text("end", ball) +
                              joint_text("j", "continuous", "base", "frame") +
                              joint_text("k", "fixed", "frame", "end"));
  CHECK(!body_of(weighed, "end").massless);
  CHECK(has_warning(weighed, "its shapes were weighed at 1000 kg/m^3"));
  CHECK(build(weighed).model.links[2].mass ==
        doctest::Approx(1000 * 4.0 / 3 * std::numbers::pi * 1e-3));
  // a mass without inertia is a point
  const Scene point =
      parse(link_text("base") +
            link_text("p",
                      "<inertial><origin xyz='0 1 0'/><mass value='2'/><inertia ixx='0' iyy='0'"
                      " izz='0'/></inertial>") +
            joint_text("j", "continuous", "base", "p"));
  CHECK(body_of(point, "p").massless);
  CHECK(body_of(point, "p").given->mass == 2);
}

TEST_CASE("urdf: meshes from OBJ and STL, of packages too, unreadable ones only cost a warning") {
  const TemporaryFolder folder("urdf_mesh");
  const std::string tetra =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  folder.write("robot/meshes/t.obj", tetra);
  const auto parse_mesh = [&](const std::string& visual, const std::string& more = "") {
    return parse_urdf("<robot name='r'><link name='a'>" + weight +
                          "<visual><geometry><mesh filename='" + visual +
                          "' scale='2 2 2'/></geometry></visual>" + more + "</link></robot>",
                      SourceFile::given(folder.file("robot/urdf/r.urdf")));
  };
  const Scene scene = parse_mesh("package://robot/meshes/t.obj");
  const auto& hull = std::get<Polyhedron>(scene.bodies[0].shapes[0].geometry);
  CHECK(hull.vertices.size() == 4);
  CHECK(mass_properties(scene.bodies[0].shapes[0], 1).mass == doctest::Approx(8.0 / 6));
  CHECK(scene.warnings.empty());
  CHECK(parse_mesh("../meshes/t.obj").bodies[0].shapes.size() == 1);

  const std::string box = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
  const Scene other = parse_mesh("../meshes/t.dae", box);
  CHECK(has_warning(other, "this visual was left out"));
  CHECK(std::holds_alternative<Box>(other.bodies[0].shapes[0].geometry));
  CHECK(other.bodies[0].shapes[0].collides);
  // one that is not needed to see the link is left out
  const std::string lost =
      "<collision><geometry><mesh filename='none.stl'/></geometry></collision>";
  const Scene without = parse_mesh("../meshes/t.obj", lost);
  CHECK(without.bodies[0].shapes.size() == 1);
  CHECK(has_warning(without, "no such file; this collision was left out"));
  // a collision mesh that is needed must be there
  const std::string error = error_text([&] {
    parse(
        "<link name='a'><collision><geometry><mesh "
        "filename='none.stl'/></geometry></collision></link>");
  });
  CHECK(error == "r.urdf:1: <mesh filename=\"none.stl\">: none.stl: no such file");
}

TEST_CASE("urdf: bad files are refused with file, line, value and what was expected") {
  const std::string ab = link_text("a") + link_text("b");
  const auto shape = [](const std::string& geometry) {
    return link_text("a", weight + "<visual><geometry>" + geometry + "</geometry></visual>");
  };
  const auto inertial = [](const std::string& mass, const std::string& inertia) {
    return link_text("a",
                     "<inertial><mass value='" + mass + "'/><inertia " + inertia + "/></inertial>");
  };
  const struct {
    std::string content, error;
  } cases[] = {
      {"", "r.urdf:1: <robot>: expected at least one <link>"},
      {"<link/>", "r.urdf:1: <link>: expected the attribute 'name'"},
      {"<link name=''/>", "r.urdf:1: <link name=\"\">: expected a name"},
      {link_text("a") + link_text("a"), "<link name=\"a\">: a second link of this name"},
      {ab, "<link>: two root links, 'a' and 'b'; expected one link without a parent"},
      {ab + joint_text("j", "fixed", "a", "b") + joint_text("k", "fixed", "b", "a"),
       "<link>: every link has a parent: the joints form a cycle"},
      {ab + link_text("c") + joint_text("j", "fixed", "b", "c") +
           joint_text("k", "fixed", "c", "b"),
       "<joint>: the link 'b' is not below the root: its joints form a cycle"},
      {ab + joint_text("j", "fixed", "a", "a"),
       "the link 'a' is not below the root: its joints form a cycle"},
      {ab + joint_text("j", "fixed", "a", "b") + joint_text("k", "fixed", "a", "b"),
       "<joint>: the link 'b' already has a parent, by the joint on line 1"},
      {ab + joint_text("j", "fixed", "a", "b") + joint_text("j", "fixed", "a", "b"),
       "<joint name=\"j\">: a second joint of this name"},
      {link_text("base") + link_text("b") + joint_text("j", "fixed", "bas", "b"),
       "<parent link=\"bas\">: unknown link 'bas'; did you mean 'base'?"},
      {ab + joint_text("j", "fixed", "a", "c"), "<child link=\"c\">: unknown link 'c'"},
      {ab + "<joint name='j' type='fixed'><child link='b'/></joint>",
       "<joint>: expected <parent link=\"...\">"},
      {ab + joint_text("j", "revolut", "a", "b"),
       "<joint type=\"revolut\">: unknown joint type 'revolut'; did you mean 'revolute'?"},
      {ab + "<joint name='j'><parent link='a'/><child link='b'/></joint>",
       "<joint>: expected the attribute 'type'"},
      {ab + joint_text("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>"),
       "<axis xyz=\"0 0 0\">: expected a direction"},
      {ab + joint_text("j", "revolute", "a", "b", "<axis xyz='0 0'/>"),
       "<axis xyz=\"0 0\">: expected 3 finite numbers"},
      {ab + joint_text("j", "revolute", "a", "b", "<origin xyz='0 nan 0'/>"),
       "<origin xyz=\"0 nan 0\">: expected 3 finite numbers"},
      {ab + joint_text("j", "revolute", "a", "b", "<origin rpy='0 0 1x'/>"),
       "<origin rpy=\"0 0 1x\">: expected 3 finite numbers"},
      {ab + joint_text("j", "revolute", "a", "b", "<limit lower='1' upper='0'/>"),
       "<limit>: lower is above upper"},
      {ab + joint_text("j", "revolute", "a", "b", "<limit effort='-1'/>"),
       "<limit effort=\"-1\">: expected a number that is not negative"},
      {ab + joint_text("j", "revolute", "a", "b", "<limit/><limit/>"),
       "<limit>: given twice; expected one in <joint>"},
      {inertial("-1", "ixx='1' iyy='1' izz='1'"),
       "<mass value=\"-1\">: expected a number that is not negative"},
      {inertial("inf", "ixx='1' iyy='1' izz='1'"),
       "<mass value=\"inf\">: expected a finite number"},
      {inertial("0", "ixx='1' iyy='1' izz='1'"),
       "<mass value=\"0\">: expected a positive mass beside this inertia"},
      {inertial("1", "ixx='1' iyy='1'"), "<inertia>: expected the attribute 'izz'"},
      {inertial("1", "ixx='1' iyy='1' izz='3'"),
       "<inertia>: expected a positive definite inertia with no moment above the sum"},
      {link_text("a", "<inertial><mass value='1'/></inertial>"), "<inertial>: expected <inertia>"},
      {link_text("a", "<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial>"),
       "<inertial>: expected <mass>"},
      {shape("<boks size='1 1 1'/>"), "<boks>: unknown shape 'boks'; did you mean 'box'?"},
      {shape("<box size='1 0 1'/>"), "<box size=\"1 0 1\">: expected positive sizes"},
      {shape("<sphere radius='-1'/>"), "<sphere radius=\"-1\">: expected a positive number"},
      {shape("<cylinder radius='1'/>"), "<cylinder>: expected the attribute 'length'"},
      {shape(""), "<geometry>: expected one shape"},
      {shape("<mesh/>"), "<mesh>: expected the attribute 'filename'"},
      {link_text("a", weight + "<visual/>"), "<visual>: expected <geometry>"},
      {link_text("base") + link_text("b", "") + joint_text("j", "continuous", "base", "b"),
       "<link>: the link 'b' moves but neither it nor what it carries has mass"},
      {link_text("a") + link_text("world") + joint_text("j", "fixed", "a", "world"),
       "<link>: expected the link 'world' to be the root"},
      {link_text("world", ""), "<robot>: expected a link besides 'world'"},
      {"<link name='a'>", "r.urdf:1: not well-formed XML: Start-end tags mismatch"},
      {"<link name='a' name='b'/>", "<link>: the attribute 'name' is given twice"},
      {"<material name='m'><color rgba='1 1 1'/></material>",
       "<color rgba=\"1 1 1\">: expected 4 finite numbers"},
  };
  for (const auto& [content, error] : cases) {
    check_refused(content, error, [&text = content] { parse(text); });
  }
}

TEST_CASE("urdf: files that are no URDF, too deep, too large or full of entities are refused") {
  const auto error = [](const std::string& text) {
    return error_text([&] { parse_urdf(text, "r.urdf"); });
  };
  CHECK(error("<mujoco/>") == "r.urdf:1: <mujoco>: expected the root element <robot>");
  CHECK(error("<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='&a;'/>") ==
        "r.urdf:1: <!ENTITY>: entities are not expanded; expected plain text");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<robot>";
  CHECK(error(deep).find("r.urdf:1: not well-formed XML") == 0);
  for (int i = 0; i < 1000; ++i) deep += "</robot>";
  CHECK(error(deep) == "r.urdf:1: <robot>: nested deeper than 128 elements");
  std::string many = "<robot>";
  for (int i = 0; i < 20001; ++i) many += "<link name='l" + std::to_string(i) + "'/>";
  CHECK(error(many + "</robot>") == "r.urdf:1: <link>: more than 20000 links");
  // lines are counted in the file, not in the element
  CHECK(error("<robot>\n\n<link name='a'/>\n<link\n name='a'/></robot>") ==
        "r.urdf:4: <link name=\"a\">: a second link of this name");
  const std::string good = read_file(import_path("arm.urdf"));
  for (std::size_t size = 0; size + 9 < good.size(); size += 13) {
    CHECK(!error(good.substr(0, size)).empty());
  }
}
