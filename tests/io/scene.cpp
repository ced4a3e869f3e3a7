// What a scene file means, key by key.
#include "molejo/io/scene.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "molejo/math/expression.h"
#include "molejo/model/scene.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

Scene scene_of(const std::string& text) { return parse_scene(text, "test.json"); }
SceneBody body_of(const std::string& keys) {
  return scene_of("{\"bodies\": [{\"name\": \"a\", " + keys + "}]}").bodies.at(0);
}
SceneJoint joint_of(const std::string& keys) {
  return scene_of(
             "{\"bodies\": [{\"name\": \"p\", \"position\": [1, 0, 0], \"orientation\": {\"axis\": "
             "[0, 0, 1], "
             "\"angle_deg\": 90}, \"immobile\": true}, {\"name\": \"c\", \"position\": [2, 0, 0], "
             "\"immobile\": true}], \"joints\": [{\"parent\": \"p\", \"child\": \"c\", " +
             keys + "}]}")
      .joints.at(0);
}
double distance(const Mat3& a, const Mat3& b) {
  const Mat3 d = a - b;
  return std::max({max_abs(d.r0), max_abs(d.r1), max_abs(d.r2)});
}

}  // namespace

TEST_CASE("scene: an empty object has the defaults of the structure") {
  const Scene scene = scene_of("{}"), standard;
  CHECK(scene.bodies.empty());
  CHECK(scene.settings.gravity == standard.settings.gravity);
  CHECK(scene.settings.integrator == standard.settings.integrator);
  CHECK(scene.settings.time_step == standard.settings.time_step);
  CHECK(scene.settings.project);
  CHECK(scene.camera.position == standard.camera.position);
}

TEST_CASE("scene: settings, camera, texts") {
  const Scene scene = scene_of(R"({
    // comments of both kinds
    "$schema": "../docs/scene.schema.json", /* are skipped */
    "name": "N", "description": "D", "gravity": [1, 2, 3], "formulation": "maximal",
    "integrator": {"method": "rkf45", "time_step": 0.01, "tolerance": 1e-8, "min_step": 1e-7, "max_step": 0.1},
    "projection": {"enabled": false, "tolerance": 1e-6}, "duration": 3, "fps": 25,
    "camera": {"position": [1, 1, 1], "target": [0, 0, 2], "fov_deg": 50},
    "bodies": [{"name": "b", "immobile": true}], "plot": ["b.x"], "warnings": ["w"]})");
  CHECK(scene.name == "N");
  CHECK(scene.description == "D");
  const Settings& s = scene.settings;
  CHECK(s.gravity == Vec3{1, 2, 3});
  CHECK(s.formulation == Formulation::maximal);
  CHECK(s.integrator == Integrator::rkf45);
  CHECK(std::vector{s.time_step, s.tolerance, s.min_step, s.max_step} ==
        std::vector{0.01, 1e-8, 1e-7, 0.1});
  CHECK_FALSE(s.project);
  CHECK(s.constraint_tolerance == 1e-6);
  CHECK(s.duration == 3);
  CHECK(s.fps == 25);
  CHECK(scene.camera.target == Vec3{0, 0, 2});
  CHECK(scene.camera.fov_deg == 50);
  CHECK(scene.plot == std::vector<std::string>{"b.x"});
  CHECK(scene.warnings == std::vector<std::string>{"w"});
  CHECK(scene_of(R"({"integrator": "rk4"})").settings.integrator == Integrator::rk4);
  CHECK_FALSE(scene_of(R"({"projection": false})").settings.project);
}

TEST_CASE("scene: orientations of every form are the same turn") {
  const Mat3 R = axis_rotation({0, 0, 1}, radians(90));
  for (const char* form :
       {R"({"axis": [0, 0, 2], "angle_deg": 90})", R"({"axis": [0, 0, 1], "angle": "=pi/2"})",
        R"([1, 0, 0, 1])", R"([[0, -1, 0], [1, 0, 0], [0, 0, 1]])", R"({"euler_deg": [0, 0, 90]})",
        R"({"euler": [0, 0, "=90 deg"]})"}) {
    CAPTURE(form);
    CHECK(distance(body_of(std::string("\"immobile\": true, \"orientation\": ") + form).X_WB.R, R) <
          1e-15);
  }
  // x first, then y, then z, about fixed axes
  const Mat3 turned = axis_rotation({0, 0, 1}, radians(30)) *
                      axis_rotation({0, 1, 0}, radians(20)) * axis_rotation({1, 0, 0}, radians(10));
  CHECK(distance(body_of(R"("immobile": true, "orientation": {"euler_deg": [10, 20, 30]})").X_WB.R,
                 turned) < 1e-15);
  const Mat3 along = body_of(R"("immobile": true, "orientation": {"z": [0, 3, 4]})").X_WB.R;
  CHECK(norm(along.column(2) - Vec3{0, 0.6, 0.8}) < 1e-15);
  // quarter turns have no rounding
  CHECK(body_of(R"("immobile": true, "orientation": {"axis": [0, 0, 1], "angle_deg": -270})")
            .X_WB.R == Mat3{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}});
  // rows with few digits become a rotation
  const Mat3 rough =
      body_of(R"("immobile": true, "orientation": [[0.8, -0.6, 0], [0.60001, 0.8, 0], [0, 0, 1]])")
          .X_WB.R;
  CHECK(distance(rough * transpose(rough), Mat3::identity()) < 1e-15);
}

TEST_CASE("scene: sizes of shapes are full sizes") {
  const auto shape = [](const std::string& keys) {
    return body_of("\"shape\": {" + keys + "}").shapes.at(0);
  };
  CHECK(std::get<Sphere>(shape(R"("sphere": 0.5)").geometry).radius == 0.5);
  CHECK(std::get<Sphere>(shape(R"("sphere": {"radius": 0.5})").geometry).radius == 0.5);
  CHECK(std::get<Box>(shape(R"("box": [1, 2, 3])").geometry).half == Vec3{0.5, 1, 1.5});
  CHECK(std::get<Box>(shape(R"("box": 2)").geometry).half == Vec3{1, 1, 1});
  const Shape capsule =
      shape(R"("capsule": {"radius": 0.1, "length": 0.6}, "position": [1, 2, 3])");
  CHECK(std::get<Capsule>(capsule.geometry).radius == 0.1);
  CHECK(std::get<Capsule>(capsule.geometry).half_length == 0.3);
  CHECK(capsule.X_BS.p == Vec3{1, 2, 3});
  const Shape rod = shape(R"("cylinder": {"radius": 0.1, "from": [0, 1, 0], "to": [0, 3, 0]})");
  CHECK(std::get<Cylinder>(rod.geometry).half_length == 1);
  CHECK(rod.X_BS.p == Vec3{0, 2, 0});
  CHECK(rod.X_BS.R.column(2) == Vec3{0, 1, 0});
  CHECK(std::holds_alternative<Plane>(
      scene_of(R"({"bodies": [{"name": "a", "immobile": true, "shape": {"plane": true}}]})")
          .bodies[0]
          .shapes[0]
          .geometry));
  const auto hull = std::get<Polyhedron>(
      shape(
          R"("polyhedron": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]], "scale": 2})")
          .geometry);
  CHECK(hull.vertices.size() == 4);
  CHECK(hull.triangles.size() == 4);
  CHECK(std::get<Polyhedron>(
            shape(R"("polyhedron": {"vertices": [[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0.5,0.5,1]],
            "faces": [[0,1,2,3],[0,1,4],[1,2,4],[2,3,4],[3,0,4]]})")
                .geometry)
            .triangles.size() == 6);
}

TEST_CASE("scene: a polyhedron from an OBJ file beside the scene is the hull of its vertices") {
  const std::filesystem::path folder = std::filesystem::path(test::binary_dir()) / "obj_scene";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "cube.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 0\nv 1 0 1\nv 0 "
                                        "1 1\nv 1 1 1\nv .5 .5 .5\nf 1 2 3\n";
  const std::string path = (folder / "scene.json").string();
  std::ofstream(path)
      << R"({"bodies": [{"name": "a", "density": 2, "shape": {"polyhedron": {"obj": "cube.obj", "scale": 3}}}]})";
  const Scene scene = read_scene(SourceFile::given(path));
  const auto& cube = std::get<Polyhedron>(scene.bodies.at(0).shapes.at(0).geometry);
  CHECK(cube.vertices.size() == 8);
  CHECK(cube.triangles.size() == 12);
  CHECK(mass_properties(scene.bodies[0].shapes[0], 2).mass == doctest::Approx(54).epsilon(1e-12));
}

TEST_CASE("scene: mass by density, by mass and by properties") {
  CHECK_FALSE(body_of(R"("shape": {"box": 1}, "density": 7)").given);
  CHECK(body_of(R"("shape": {"box": 1}, "density": 7)").density == 7);
  const SceneBody massive =
      body_of(R"("shape": {"box": [1, 2, 3], "position": [0, 0, 4]}, "mass": 12)");
  REQUIRE(massive.given);
  CHECK(massive.given->mass == 12);
  CHECK(massive.given->p_BC == Vec3{0, 0, 4});
  CHECK(massive.given->I_BC.xx == doctest::Approx(4 + 9).epsilon(1e-14));
  CHECK(massive.given->I_BC.zz == doctest::Approx(1 + 4).epsilon(1e-14));
  const SceneBody given = body_of(
      R"("mass_properties": {"mass": 2, "center": [1, 2, 3], "inertia": [2, 3, 4, 0.1, 0.2, 0.3]})");
  CHECK(*given.given == MassProperties{2, {1, 2, 3}, {2, 3, 4, 0.1, 0.2, 0.3}});
  const Scene scene = scene_of(R"({"materials": {"steel": {"density": 7800, "color": "#0000ff"}},
      "bodies": [{"name": "a", "material": "steel", "shapes": [{"sphere": 1}, {"sphere": 1, "color": [1, 0, 0]}]},
                 {"name": "b", "material": "steel", "color": "#00ff0080", "shape": {"sphere": 1}}]})");
  CHECK(scene.bodies[0].density == 7800);
  CHECK(scene.bodies[0].shapes[0].color == Color{0, 0, 1, 1});
  CHECK(scene.bodies[0].shapes[1].color == Color{1, 0, 0, 1});
  CHECK(scene.bodies[1].shapes[0].color == Color{0, 1, 0, 128 / 255.0});
}

TEST_CASE("scene: anchor and axis are in the zero configuration") {
  const SceneJoint joint =
      joint_of(R"("type": "revolute", "anchor": [1.5, 0, 1], "axis": [0, 2, 0])");
  CHECK(joint.name == "c.joint");
  const Pose X_WP{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 0, 0}}, X_WB{Mat3::identity(), {2, 0, 0}};
  const Pose F = X_WP * joint.X_PF, M = X_WB * joint.X_BM;
  CHECK(F.p == Vec3{1.5, 0, 1});
  CHECK(M.p == Vec3{1.5, 0, 1});
  CHECK(F.R.column(2) == Vec3{0, 1, 0});
  CHECK(F.R == M.R);
  // without an anchor: at the child's origin; a frame on one body fixes that on the other
  CHECK(joint_of(R"("type": "spherical")").X_BM == Pose{});
  const SceneJoint framed = joint_of(R"("type": "fixed", "parent_frame": {"position": [0, 0, 3]})");
  CHECK(framed.X_PF == Pose{Mat3::identity(), {0, 0, 3}});
  CHECK((X_WB * framed.X_BM).p == Vec3{1, 0, 3});
  const SceneJoint both =
      joint_of(R"("type": "fixed", "parent_frame": {"position": [0, 0, 3]}, "child_frame": {})");
  CHECK(both.X_BM == Pose{});
  const SceneJoint cross_piece = joint_of(R"("type": "universal", "axes": [[0, 1, 0], [0, 0, 1]])");
  CHECK(cross_piece.X_BM.R.column(0) == Vec3{0, 1, 0});
  CHECK(cross_piece.X_BM.R.column(1) == Vec3{0, 0, 1});
  CHECK(joint_of(R"("type": "planar", "normal": [1, 0, 0])").X_BM.R.column(2) == Vec3{1, 0, 0});
}

TEST_CASE("scene: initial coordinates and velocities") {
  CHECK(joint_of(R"("type": "revolute", "axis": [0, 0, 1], "position_deg": 30, "velocity": 2)")
            .position == std::vector{radians(30)});
  CHECK(
      joint_of(R"("type": "cylindrical", "axis": [0, 0, 1], "position_deg": [0.5, 30])").position ==
      std::vector{0.5, radians(30)});
  CHECK(
      joint_of(R"("type": "cylindrical", "axis": [0, 0, 1], "velocity_deg": [0.5, 30])").velocity ==
      std::vector{0.5, radians(30)});
  CHECK(joint_of(R"("type": "spherical", "position": [0, 2, 0, 0])").position ==
        std::vector<double>{0, 1, 0, 0});
  const SceneJoint free = joint_of(
      R"("type": "free", "position": [1, 2, 3], "rotation": {"axis": [1, 0, 0], "angle_deg": 180})");
  CHECK(free.position == std::vector<double>{1, 2, 3, 0, 1, 0, 0});
  CHECK(joint_of(R"("type": "point_in_plane", "normal": [0, 0, 1], "rotation": [1, 0, 0, 0])")
            .position == std::vector<double>{0, 0, 1, 0, 0, 0});
}

TEST_CASE("scene: drives, one for all or one per freedom") {
  const SceneJoint ball = joint_of(
      R"("type": "spherical", "spring": {"hertz": 2, "damping_ratio": 0.3}, "armature": 0.1)");
  REQUIRE(ball.drives.size() == 3);
  CHECK(ball.drives[2].hertz == 2);
  CHECK(ball.drives[2].damping_ratio == 0.3);
  CHECK(ball.drives[1].armature == 0.1);
  const SceneJoint hinge =
      joint_of(R"("type": "revolute", "axis": [0, 0, 1], "spring": {"stiffness": 5, "rest_deg": 30},
      "damping": 2, "limits_deg": [-90, null], "limit_stiffness": 7, "limit_damping": 8,
      "motor": {"kp": 1, "kd": 2, "target_deg": 45, "target_velocity_deg": 10, "force": 3, "max_force": 4})");
  Drive expected;
  expected.stiffness = 5, expected.rest = radians(30), expected.damping = 2;
  expected.lower = radians(-90), expected.limit_stiffness = 7, expected.limit_damping = 8;
  expected.kp = 1, expected.kd = 2, expected.target = radians(45),
  expected.target_velocity = radians(10);
  expected.force = 3, expected.max_force = 4;
  CHECK(hinge.drives == std::vector{expected});
  const SceneJoint slide = joint_of(R"("type": "cylindrical", "axis": [0, 0, 1],
      "drives": [{"limits": [-0.1, 0.2]}, {"spring": {"stiffness": 3, "rest_deg": 90}}])");
  CHECK(slide.drives.at(0).upper == 0.2);
  CHECK(slide.drives.at(1).rest == radians(90));
}

TEST_CASE("scene: springs and forces") {
  const Scene scene = scene_of(R"({"bodies": [{"name": "a", "immobile": true}],
    "springs": [{"name": "s", "a": {"point": [0, 0, 5]}, "b": {"body": "a", "point": [0, 0, 1]}, "stiffness": 2, "rest_length": 3, "damping": 4}],
    "forces": [{"body": "a", "point": [1, 0, 0], "force": [0, 0, 1]},
               {"name": "pulse", "body": "a", "samples": [{"t": 0}, {"t": 1, "torque": [1, 2, 3]}]}]})");
  const SceneSpring& s = scene.springs.at(0);
  CHECK(s.name == "s");
  CHECK(s.a.body == "");
  CHECK(s.a.p == Vec3{0, 0, 5});
  CHECK(s.b.body == "a");
  CHECK(std::vector{s.stiffness, s.rest_length, s.damping} == std::vector<double>{2, 3, 4});
  CHECK(scene.forces.at(0).samples.at(0).force == Vec3{0, 0, 1});
  CHECK(scene.forces.at(0).at.p == Vec3{1, 0, 0});
  CHECK(scene.forces.at(1).samples.at(1).t == 1);
  CHECK(scene.forces.at(1).samples.at(1).torque == Vec3{1, 2, 3});
}

TEST_CASE("scene: an assembly makes a chain, each link on the one before") {
  const Scene scene = scene_of(R"({
    "parameters": {"length": 0.2},
    "assemblies": {"link": {"parameters": {"parent": null, "angle": 0},
      "bodies": [{"name": "rod", "position": [0, 0, "=-length/2"], "shape": {"box": "=length"}}],
      "joints": [{"name": "hinge", "type": "revolute", "parent": "{parent}", "child": "rod",
                  "anchor": [0, 0, 0], "axis": [0, 1, 0], "position": "=angle"}]}},
    "instances": [{"assembly": "link", "name": "link{i}", "count": 10, "position": [0, 0, "=-i*length"],
                   "parameters": {"parent": "link{i-1}.rod"}, "first": {"parent": "world", "angle": "=90 deg"},
                   "last": {"angle": "=i + count"}}]})");
  REQUIRE(scene.bodies.size() == 10);
  REQUIRE(scene.joints.size() == 10);
  CHECK(scene.joints[0].parent == "");
  CHECK(scene.joints[0].position == std::vector{radians(90)});
  CHECK(scene.joints[1].position == std::vector{0.0});
  CHECK(scene.joints[9].position == std::vector{19.0});
  CHECK(scene.bodies[7].name == "link7.rod");
  CHECK(scene.joints[7].name == "link7.hinge");
  CHECK(scene.joints[7].parent == "link6.rod");
  CHECK(scene.joints[7].child == "link7.rod");
  CHECK(norm(scene.bodies[7].X_WB.p - Vec3{0, 0, -1.5}) < 1e-15);
  CHECK(norm(scene.joints[7].X_PF.p - Vec3{0, 0, -0.1}) < 1e-15);
  CHECK(norm(scene.joints[7].X_BM.p - Vec3{0, 0, 0.1}) < 1e-15);
}

TEST_CASE("scene: everything inside an instance is turned and moved with it") {
  const Scene scene = scene_of(R"({
    "assemblies": {
      "foot": {"bodies": [{"name": "toe", "position": [1, 0, 0], "velocity": [1, 0, 0], "angular_velocity": [0, 1, 0], "immobile": true}],
               "joints": [{"type": "revolute", "child": "toe", "axis": [1, 0, 0]}],
               "springs": [{"a": {"point": [1, 0, 0]}, "b": {"body": "toe", "point": [1, 0, 0]}}],
               "forces": [{"body": "toe", "force": [1, 0, 0], "torque": [0, 0, 1]}]},
      "leg": {"instances": [{"assembly": "foot", "position": [0, 0, -1]}]}},
    "instances": [{"assembly": "leg", "name": "left", "position": [0, 5, 0], "orientation": {"axis": [0, 0, 1], "angle_deg": 90}}]})");
  const SceneBody& toe = scene.bodies.at(0);
  CHECK(toe.name == "left.foot.toe");
  CHECK(toe.X_WB.p == Vec3{0, 6, -1});
  CHECK(toe.X_WB.R.column(0) == Vec3{0, 1, 0});
  CHECK(toe.velocity->linear == Vec3{0, 1, 0});
  CHECK(toe.velocity->angular == Vec3{-1, 0, 0});
  CHECK(scene.joints.at(0).X_PF.p == Vec3{0, 6, -1});
  CHECK(scene.joints.at(0).X_PF.R.column(2) == Vec3{0, 1, 0});
  CHECK(scene.springs.at(0).a.p == Vec3{0, 6, -1});
  CHECK(scene.springs.at(0).b.p == Vec3{1, 0, 0});
  CHECK(scene.springs.at(0).b.body == "left.foot.toe");
  CHECK(scene.forces.at(0).samples.at(0).force == Vec3{0, 1, 0});
}

TEST_CASE("scene: names are looked up in the instance first, then outside") {
  const Scene scene = scene_of(R"({
    "assemblies": {"a": {"bodies": [{"name": "x", "immobile": true}],
                         "joints": [{"name": "inner", "type": "fixed", "parent": "y", "child": "x"}]}},
    "bodies": [{"name": "x", "immobile": true}, {"name": "y", "immobile": true}],
    "instances": [{"assembly": "a"}]})");
  CHECK(scene.joints.at(0).child == "a.x");
  CHECK(scene.joints.at(0).parent == "y");
}

TEST_CASE("scene: texts are parameters too, and braces can be written") {
  const Scene scene = scene_of(R"({
    "parameters": {"paint": "#ff0000", "side": "left"},
    "bodies": [{"name": "{side} {{{1+1}}}", "color": "{paint}", "shape": {"sphere": 1}}]})");
  CHECK(scene.bodies.at(0).name == "left {2}");
  CHECK(scene.bodies.at(0).shapes.at(0).color == Color{1, 0, 0, 1});
}
