#include "molejo/io/bacin.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>

#include "molejo/io/bacin_files.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"
#include "tests/support/bacin_text.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

const std::string scenes = test::source_dir() + "/scenes/bacin/";

Scene experiment(const std::string& name) {
  return read_bacin(SourceFile::given(scenes + name + "/" + name + ".cfg"));
}

// without its last joints and their count, for tests that need few
TextFiles only_joints(TextFiles files, const std::string& joints, int count) {
  files["s.ctr"] =
      "begin constraints (format of 95-01-09)\n  constraints = " + std::to_string(count) + "\n" +
      joints + "end constraints\n";
  return files;
}

// a free body moving as given, alone in its scene
TextFiles free_body(const std::string& state) {
  TextFiles files = bacin_sample();
  files = with(files, "s.cfg", "mass_properties = exact", "mass_properties = given");
  files.erase("s.ctr");
  files.erase("s.for");
  files["s.bds"] = "begin bodies (format of 95-01-09) bodies = 1 b tet 1 1 1 1 end bodies";
  files["s.ste"] =
      "begin state (format of 95-01-09)\nbodies = 1\ntime = 0\nb " + state + "\nend state\n";
  return files;
}

double distance(const Vec3& a, const Vec3& b) { return norm(a - b); }

}  // namespace

TEST_CASE("bacin: every field of every file is read") {
  const BacinFiles files = parse_bacin_files(source_of(bacin_sample()), "s");
  const BacinFiles::Animation& a = files.animation;
  CHECK(a.duration == 2);
  CHECK(a.frames == 60);
  CHECK(a.tolerance == 1e-5);
  CHECK(a.min_step == 1e-7);
  CHECK(a.max_step == 0.01);
  CHECK_FALSE(a.collision_test);
  CHECK(a.gravity);
  CHECK_FALSE(a.correct_link_violation);
  CHECK(a.gravity_accel == 9.5);
  CHECK(a.restitution == 0.25);
  CHECK(a.collision_tolerance == 0.002);
  CHECK(a.constraint_tolerance == 1e-6);
  CHECK(a.exact_mass_properties);

  REQUIRE(files.shapes.size() == 1);
  const BacinFiles::Shape& shape = files.shapes[0];
  CHECK(shape.name == "tet");
  CHECK(shape.mass == 3);
  CHECK(shape.moments == Vec3{1.2, 1.2, 1.2});
  CHECK(shape.vertex_names == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(shape.face_names == std::vector<std::string>{"one", "two", "three", "four"});
  CHECK(shape.vertices[3] == Vec3{-1, -1, 1});
  CHECK(shape.faces[3] == std::array<int, 3>{1, 2, 3});

  REQUIRE(files.bodies.size() == 3);
  CHECK(files.bodies[0].name == "hung");
  CHECK(files.bodies[0].shape == 0);
  CHECK(files.bodies[0].scale == Vec3{1, 2, 3});
  CHECK(files.bodies[0].density == 0.5);
  CHECK(files.time == 0.5);
  CHECK(files.states[0].r == Vec3{0, 0, 10});  // listed second
  CHECK(files.states[1].r == Vec3{0, 0, 8});

  REQUIRE(files.joints.size() == 7);
  using Kind = BacinFiles::JointKind;
  const Kind kinds[] = {Kind::universal, Kind::fixed,       Kind::plane,   Kind::revolute,
                        Kind::prismatic, Kind::cylindrical, Kind::immobile};
  for (std::size_t i = 0; i < 7; ++i) CHECK(files.joints[i].kind == kinds[i]);
  CHECK(files.joints[0].end_1.p == Vec3{0, 0, -1});
  CHECK(files.joints[0].end_2.body == 1);
  CHECK(files.joints[0].end_2.p == Vec3{0, 0, 1});
  CHECK(files.joints[1].end_1.p == Vec3{0, 0, 2});
  CHECK(files.joints[2].end_2.body == -1);
  CHECK(files.joints[2].end_2.axis == Vec3{0, 0, 2});
  CHECK(files.joints[2].offset == -14);
  CHECK(files.joints[3].end_2.axis == Vec3{0, 0, 1});
  CHECK(files.joints[4].end_2.p == Vec3{-5, 0, 0});
  CHECK(files.joints[6].end_1.body == 2);

  REQUIRE(files.springs.size() == 1);
  CHECK(files.springs[0].stiffness == 20);
  CHECK(files.springs[0].rest_length == 1.5);
  CHECK(files.springs[0].end_1.p == Vec3{0, 1, 0});
  CHECK(files.springs[0].end_2.body == -1);
  REQUIRE(files.forces.size() == 1);
  CHECK(files.forces[0].at.p == Vec3{0, 0, -1});
  REQUIRE(files.forces[0].samples.size() == 3);
  CHECK(files.forces[0].samples[2].t == 2);
  CHECK(files.forces[0].samples[2].force == Vec3{0, 3, 0});
  CHECK(files.forces[0].samples[1].torque == Vec3{0, 0.5, 0});
}

TEST_CASE("bacin: every field survives being written and read again") {
  const BacinFiles first = parse_bacin_files(source_of(bacin_sample()), "s");
  const TextFiles texts = bacin_texts(first);
  const BacinFiles second = parse_bacin_files(source_of(texts), "s");
  CHECK(bacin_texts(second) == texts);
  // the writer says all that the sample says: the same words in the same order
  const auto words = [](const std::string& text) {
    std::vector<std::string> list;
    std::istringstream in(text);
    for (std::string word; in >> word;) list.push_back(word);
    return list;
  };
  const TextFiles sample = bacin_sample();
  for (const char* file : {"s.bds", "tet.shp", "s.ctr", "s.for"}) {
    CAPTURE(file);
    CHECK(words(texts.at(file)) == words(sample.at(file)));
  }
  CHECK(texts.at("s.cfg").find("restitution = 0.25") != std::string::npos);
  CHECK(texts.at("s.cfg").find("collision_tolerance = 0.002") != std::string::npos);
  CHECK(texts.at("s.cfg").find("constraint_tolerance = 1e-06") != std::string::npos);
  CHECK(texts.at("s.cfg").find("gravity_accel = 9.5") != std::string::npos);
  CHECK(texts.at("s.cfg").find("mass_properties = exact") != std::string::npos);
}

TEST_CASE("bacin: optional keys have the defaults of the thesis, and ours") {
  TextFiles files = bacin_sample();
  files["s.cfg"] =
      "begin animation (format of 95-01-09) max_step=0.1 min_step=1e-3 tolerance=1e-4\n"
      "frames=30 duration=1 end animation";
  const BacinFiles::Animation a = parse_bacin_files(source_of(files), "s").animation;
  CHECK(a.collision_test);
  CHECK(a.gravity);
  CHECK(a.correct_link_violation);
  CHECK(a.gravity_accel == 9.8);
  CHECK(a.restitution == 1);
  CHECK(a.collision_tolerance == 1e-3);
  CHECK_FALSE(a.exact_mass_properties);
  const Scene scene = parse(files);
  CHECK(scene.settings.constraint_tolerance == 1e-4);
  CHECK(scene.settings.gravity == Vec3{0, 0, -9.8});
  CHECK(scene.settings.fps == 30);
  CHECK(scene.settings.integrator == Integrator::rkf45);
  CHECK(scene.settings.formulation == Formulation::maximal);
  CHECK(scene.settings.project);
  CHECK(scene.settings.contact.enabled);
  CHECK(scene.settings.contact.distance == 1e-3);
  CHECK_FALSE(scene.settings.contact.sleep);
  for (const SceneBody& body : scene.bodies) CHECK(body.shapes[0].surface == Surface{0, 1});
  CHECK(scene.contact_pairs.empty());
}

TEST_CASE("bacin: errors name file, line, value and what was expected") {
  const TextFiles ok = bacin_sample();
  REQUIRE(error_of(ok) == "no error");
  struct Case {
    const char *file, *from, *to;
    std::string error;
  };
  const Case cases[] = {
      {"s.cfg", "95-01-09", "96-01-09",
       "s.cfg:1: unknown format date '96-01-09', expected 95-01-09"},
      {"s.ste", "95-01-09", "95-06-03",
       "s.ste:1: this is a frame that was written (format of 95-06-03), expected an initial state "
       "(format of 95-01-09)"},
      {"s.cfg", "begin animation", "begin bodies", "s.cfg:1: 'bodies', expected 'animation'"},
      {"s.cfg", "frames = 60", "frames = 0",
       "s.cfg:3: '0', expected the number of frames, a whole number from 1 to 1000000"},
      {"s.cfg", "frames = 60", "frames = 60.5",
       "s.cfg:3: '60.5', expected the number of frames, a whole number from 1 to 1000000"},
      {"s.cfg", "  frames = 60\n", "", "s.cfg:14: the key 'frames' is missing"},
      {"s.cfg", "gravity_accel", "gravity_acel",
       "s.cfg:10: unknown key 'gravity_acel'; did you mean 'gravity_accel'?"},
      {"s.cfg", "gravity = on", "gravity = yes", "s.cfg:8: 'yes', expected on or off"},
      {"s.cfg", "tolerance = 1e-5", "tolerance = nan",
       "s.cfg:4: 'nan', expected the tolerance, a number"},
      {"s.cfg", "tolerance = 1e-5", "tolerance = -1",
       "s.cfg:4: '-1', expected a tolerance above zero"},
      {"s.cfg", "tolerance = 1e-5", "tolerance = 1e400",
       "s.cfg:4: '1e400', expected the tolerance, a number"},
      {"s.cfg", "min_step = 1e-7", "min_step = 1", "s.cfg:15: min_step is above max_step"},
      {"s.cfg", "end animation", "duration = 3", "s.cfg:15: the key 'duration' is given twice"},
      {"s.cfg", "end animation\n", "",
       "s.cfg:15: the file ends, expected a key or 'end animation'"},
      {"s.cfg", "end animation", "end animation more",
       "s.cfg:15: 'more', expected nothing after 'end animation'"},
      {"s.cfg", "restitution = 0.25", "restitution = 1.5",
       "s.cfg:11: the coefficient of restitution is not from 0 to 1"},
      {"s.bds", "bodies = 3", "bodies = 4", "s.bds:6: bodies = 4, but only 3 are listed"},
      {"s.bds", "bodies = 3", "bodies = 2",
       "s.bds:5: 'ground', expected 'end bodies' after 2 bodies"},
      {"s.bds", "bodies = 3", "bodies = 2000000",
       "s.bds:2: '2000000', expected the number of bodies, a whole number from 0 to 1000000"},
      {"s.bds", "bodies = 3", "bodies = -3",
       "s.bds:2: '-3', expected the number of bodies, a whole number from 0 to 1000000"},
      {"s.bds", "tip tet", "tip tetra", "s.bds:4: there is no file tetra.shp"},
      {"s.bds", "tip tet", "hung tet", "s.bds:4: the body 'hung' is listed twice"},
      {"s.bds", "tip tet", "world tet", "s.bds:4: a body cannot be called 'world'"},
      {"s.bds", "hung tet 1 2 3 0.5", "hung tet 1 0 3 0.5",
       "s.bds:3: '0', expected a scale above zero"},
      {"tet.shp", "vertices = 4", "vertices = 5",
       "tet.shp:10: 'a', expected a coordinate of a vertex, a number"},
      {"tet.shp", "faces = 4", "faces = 9", "tet.shp:14: faces = 9, but only 4 are listed"},
      {"tet.shp", "two a b d", "two a b dd", "tet.shp:11: unknown vertex 'dd'; did you mean 'd'?"},
      {"tet.shp", "mass = 3", "mass = 0", "tet.shp: mass = 0, expected above zero"},
      {"s.ste", "bodies = 3", "bodies = 2", "s.ste:2: bodies = 2, but s.bds has 3"},
      {"s.ste", "hung", "hing", "s.ste:7: unknown body 'hing'; did you mean 'hung'?"},
      {"s.ste", "hung", "tip", "s.ste:7: the body 'tip' is listed twice"},
      {"s.ste", "end state", "end", "s.ste:14: the file ends, expected 'state'"},
      {"s.ctr", "constraints = 7", "constraints = 6",
       "s.ctr:9: 'rest', expected 'end constraints' after 6 constraints"},
      {"s.ctr", "Prismatic", "Prisma",
       "s.ctr:7: unknown joint type 'Prisma'; did you mean 'Prismatic'?"},
      {"s.ctr", "hook Fixed hung", "hook Fixed hungry",
       "s.ctr:4: unknown body 'hungry'; did you mean 'hung'?"},
      {"s.ctr", "hook Fixed", "elbow Fixed", "s.ctr:4: the joint 'elbow' is listed twice"},
      {"s.ctr", "tip 0 0 1", "hung 0 0 1", "s.ctr:3: the joint 'elbow' joins a body to itself"},
      {"s.ctr", "world 0 0 2 -14", "world 0 0 0 -14", "s.ctr:5: the axis has no direction"},
      {"s.for", "Interpolated", "Interpolate",
       "s.for:4: unknown force type 'Interpolate'; did you mean 'Interpolated'?"},
      {"s.for", "0 0 -1 3", "0 0 -1 1",
       "s.for:4: '1', expected the number of samples, a whole number from 2 to 1000"},
      {"s.for", "    1    2", "    0.5  2", "s.for:6: the times of the samples do not increase"},
      {"s.for", "Spring 20", "Spring -20",
       "s.for:3: the stiffness and the rest length of a spring cannot be negative"},
      {"s.for", "forces = 2", "forces = 3", "s.for:8: forces = 3, but only 2 are listed"},
  };
  for (const Case& c : cases) CHECK(error_of(with(ok, c.file, c.from, c.to)) == c.error);
}

TEST_CASE("bacin: missing files are named, optional ones may be absent") {
  TextFiles files = bacin_sample();
  files.erase("s.for");
  CHECK(error_of(files) == "no error");
  files.erase("s.ctr");
  CHECK(error_of(files) == "no error");
  files.erase("s.ste");
  CHECK(error_of(files) == "s.cfg: there is no file s.ste");
  files.erase("s.bds");
  CHECK(error_of(files) == "s.cfg: there is no file s.bds");
  files.erase("s.cfg");
  CHECK(error_of(files) == "there is no file s.cfg");
  CHECK_THROWS_AS(read_bacin(SourceFile::given("scene.json")), InputError);
}

TEST_CASE("bacin: scale and density act on mass and second moments") {
  // m = mass sx sy sz density; P_x = (Jy + Jz - Jx) / 2 scales with sx^2 and the mass
  TextFiles files = with(bacin_sample(), "s.cfg", "mass_properties = exact", "");
  const Scene given = parse(files);
  const MassProperties& m = *given.bodies[0].given;
  const double factor = 1 * 2 * 3 * 0.5, P = 0.6;
  CHECK(m.mass == doctest::Approx(3 * factor));
  CHECK(m.I_BC.xx == doctest::Approx(P * factor * (4 + 9)));
  CHECK(m.I_BC.yy == doctest::Approx(P * factor * (1 + 9)));
  CHECK(m.I_BC.zz == doctest::Approx(P * factor * (1 + 4)));
  // P = 0.6 per axis is exact for this tetrahedron, so the two agree and nothing is said
  const Scene exact = parse(bacin_sample());
  CHECK(exact.bodies[0].given->I_BC.xx == doctest::Approx(m.I_BC.xx));
  CHECK(exact.bodies[0].given->I_BC.yy == doctest::Approx(m.I_BC.yy));
  CHECK(given.warnings.size() == 1);  // of the time alone
}

TEST_CASE("bacin: moments that differ from those of the solid are told") {
  const Scene scene = experiment("e1");
  REQUIRE(scene.warnings.size() == 1);
  CHECK(scene.warnings[0] == scenes +
                                 "e1/bar.shp: body 'bar' has moments 1.66 9.66 8.66, but the "
                                 "uniform solid of its mass 10 has 16.67 86.67 96.67.");
  CHECK(scene.bodies[0].given->I_BC == Sym3::diagonal(1.66, 9.66, 8.66));

  // a solid that is not about its origin
  TextFiles files = free_body("0 0 0 1 0 0 0  0 0 0 0 0 0 0");
  for (const auto& [from, to] :
       {std::pair{"a 1 1 1", "a 1 1 2"}, std::pair{"b 1 -1 -1", "b 1 -1 0"},
        std::pair{"c -1 1 -1", "c -1 1 0"}, std::pair{"d -1 -1 1", "d -1 -1 2"}}) {
    files = with(files, "tet.shp", from, to);
  }
  const Scene off = parse(files);
  REQUIRE(off.warnings.size() == 1);
  CHECK(off.warnings[0] ==
        "tet.shp: the centre of the solid of body 'b' is at 0 0 1, not at its origin.");
}

TEST_CASE("bacin: faces are turned outward") {
  const Scene scene = experiment("e3");
  for (const SceneBody& body : scene.bodies) {
    const Polyhedron& solid = std::get<Polyhedron>(body.shapes[0].geometry);
    for (const auto& [a, b, c] : solid.triangles) {
      const Vec3 p = solid.vertices[static_cast<std::size_t>(a)];
      const Vec3 n = cross(solid.vertices[static_cast<std::size_t>(b)] - p,
                           solid.vertices[static_cast<std::size_t>(c)] - p);
      CHECK(dot(n, p) > 0);
    }
  }
}

TEST_CASE("bacin: E3 is a tree from the world, frames meet in the initial state") {
  const Scene scene = experiment("e3");
  CHECK(scene.settings.duration == 15);
  CHECK(scene.settings.fps == 30);
  CHECK(scene.settings.gravity == Vec3{0, 0, -9.8});
  REQUIRE(scene.joints.size() == 2);
  const SceneJoint &elbow = scene.joints[0], &anchor = scene.joints[1];
  CHECK(elbow.type == JointType::spherical);
  CHECK(elbow.parent == "upper");
  CHECK(elbow.child == "lower");
  CHECK(elbow.X_PF.p == Vec3{0, 0, -6});
  CHECK(elbow.X_BM.p == Vec3{-6, 0, 0});
  CHECK_FALSE(elbow.loop);
  CHECK(anchor.type == JointType::spherical);
  CHECK(anchor.parent == "");
  CHECK(anchor.child == "upper");
  CHECK(anchor.X_PF.p == Vec3{0, 0, 25});
  CHECK_FALSE(anchor.loop);
}

TEST_CASE("bacin: the first joints make the tree, later ones close loops") {
  const Scene scene = parse(bacin_sample());
  // hook ties hung to the world, but elbow stands before it in the file; both lead to new bodies
  std::map<std::string, const SceneJoint*> joints;
  for (const SceneJoint& joint : scene.joints) joints[joint.name] = &joint;
  REQUIRE(joints.size() == 6);  // Immobile became a property
  CHECK(scene.bodies[2].immobile);
  CHECK_FALSE(joints["hook"]->loop);
  CHECK_FALSE(joints["elbow"]->loop);
  for (const char* name : {"floor", "pin", "slide", "tube"}) CHECK(joints[name]->loop);
  CHECK(joints["floor"]->type == JointType::point_in_plane);
  CHECK(joints["pin"]->type == JointType::revolute);
  CHECK(joints["slide"]->type == JointType::prismatic);
  CHECK(joints["tube"]->type == JointType::cylindrical);
  // the world is never the child
  CHECK(joints["tube"]->parent == "");
  CHECK(joints["tube"]->child == "hung");
}

TEST_CASE("bacin: the frames of every joint coincide in the initial state") {
  // tilted bodies, so that axes differ in the two; cylinder and slider start away from their zero
  TextFiles files = bacin_sample();
  const std::string turned = fmt::format("{} 0 {} 0", std::cos(0.3), std::sin(0.3));
  files = with(files, "s.ste", "0 0 8  1 0 0 0", "0 0 7  " + turned);
  for (const char* kind : {"Cylindrical", "Prismatic"}) {
    // the axis of tip: world z seen from a frame turned by 0.6 about y
    const std::string axis = fmt::format("{} 0 {}", -std::sin(0.6), std::cos(0.6));
    const Scene scene = parse(only_joints(
        files, "j " + std::string(kind) + " tip 0 0 0 " + axis + "  hung 0 0 0  0 0 3\n", 1));
    REQUIRE(scene.joints.size() == 1);
    const SceneJoint& joint = scene.joints[0];
    CHECK(joint.parent == "hung");
    CHECK(joint.child == "tip");
    const Pose F = scene.bodies[0].X_WB * joint.X_PF, M = scene.bodies[1].X_WB * joint.X_BM;
    CHECK(distance(F.p, M.p) < 1e-12);
    CHECK(max_abs((F.R - M.R).r0) + max_abs((F.R - M.R).r1) + max_abs((F.R - M.R).r2) < 1e-12);
    CHECK(distance(F.R.column(2), {0, 0, 1}) < 1e-12);
  }
}

TEST_CASE("bacin: velocities come from the rates of the Euler parameters") {
  // E2: theta = 1, so w = 2 theta_dot
  const Scene e2 = experiment("e2");
  CHECK(distance(e2.bodies[0].velocity->angular, {0.40, 0.64, 0.46}) < 1e-15);
  // a quarter turn about x, spinning about the body's y, which is the world's z
  const double h = std::sqrt(0.5);
  const std::string theta = fmt::format("{} {} 0 0", h, h);
  // theta' = theta (0, 0, w/2, 0) with w = 0.6
  const std::string rate = fmt::format("0 0 {} {}", 0.3 * h, 0.3 * h);
  const Scene scene = parse(free_body("1 2 3 " + theta + " 4 5 6 " + rate));
  CHECK(distance(scene.bodies[0].velocity->angular, {0, 0, 0.6}) < 1e-15);
  CHECK(scene.bodies[0].velocity->linear == Vec3{4, 5, 6});
  CHECK(distance(scene.bodies[0].X_WB * Vec3{0, 1, 0}, {1, 2, 4}) < 1e-15);
}

TEST_CASE("bacin: an initial state that cannot be is told with its residual") {
  CHECK(error_of(free_body("0 0 0 0.9 0 0 0  0 0 0 0 0 0 0")) ==
        "s.ste:4: the Euler parameters of body 'b' have length 0.9, residual -0.1, expected 1");
  CHECK(error_of(free_body("0 0 0 1 0 0 0  0 0 0 0.71 0 0 0.71")) ==
        "s.ste:4: the rates of the Euler parameters of body 'b' are not tangent: residual theta . "
        "theta' = 0.71, expected 0");
  const TextFiles files = bacin_sample();
  // tip and hung 1.9 apart where 2 is needed; the smaller radius is sqrt 3
  CHECK(
      error_of(with(files, "s.ste", "0 0 8 ", "0 0 8.1 ")) ==
      "s.ctr:3: joint 'elbow' is open in the initial state: relative residual 0.0577, expected at "
      "most 1e-02");
  CHECK(
      error_of(with(files, "s.ste", "    0 0 0  0 0 0 0\n  hung", "    1 0 0  0 0 0 0\n  hung")) ==
      "s.ctr:3: joint 'elbow' has velocities that are not tangent in the initial state: relative "
      "residual 1, expected at most 1e-02");
  CHECK(error_of(with(files, "s.ctr", "world 0 0 2 -14", "world 0 0 2 -14.01")) ==
        "s.ctr:5: joint 'floor' is open in the initial state: relative residual 0.00289, expected "
        "at most 1e-06 where joints close a loop");
  CHECK(error_of(with(files, "s.ste", "5 0 0  1 0 0 0\n    0 0 0", "5 0 0  1 0 0 0\n    1 0 0")) ==
        "s.ste:10: the immobile body 'ground' has a velocity, expected 0");
}

TEST_CASE("bacin: small faults of the initial state are mended and told") {
  const Scene unit = parse(free_body("0 0 0 0.97 0.11 0.11 0.21  0 0 0 0 0 0 0"));
  REQUIRE(unit.warnings.size() == 1);
  CHECK(unit.warnings[0] ==
        "s.ste:4: the Euler parameters of body 'b' have length 1.00459 and were "
        "normalised, residual 0.00459.");
  const Mat3 R = unit.bodies[0].X_WB.R;
  CHECK(max_abs((R * transpose(R) - Mat3::identity()).r0) < 1e-15);

  const Scene tangent = parse(free_body("0 0 0 1 0 0 0  0 0 0 0.001 0 0 0.2"));
  REQUIRE(tangent.warnings.size() == 1);
  CHECK(tangent.warnings[0].find("residual theta . theta' = 0.001.") != std::string::npos);
  CHECK(distance(tangent.bodies[0].velocity->angular, {0, 0, 0.4}) < 1e-15);

  // the child of the open joint is moved to close it
  const TextFiles two = only_joints(
      bacin_sample(), "elbow Universal hung 0 0 -1  tip 0 0 1\nhook Fixed hung 0 0 2\n", 2);
  const Scene closed = parse(with(two, "s.ste", "0 0 8 ", "0 0 8.01 "));
  CHECK(closed.bodies[1].X_WB.p.z == doctest::Approx(8));
  bool told = false;
  for (const std::string& warning : closed.warnings) {
    told |= warning ==
            "s.ctr:3: joint 'elbow' is open in the initial state, relative residual 0.00577; its "
            "bodies were fitted.";
  }
  CHECK(told);
}

TEST_CASE("bacin: the experiments of the thesis can be read") {
  const Scene e4 = experiment("e4");
  CHECK(e4.bodies[1].immobile);
  CHECK(e4.bodies[0].given->mass == 1.5);
  CHECK(e4.settings.fps == doctest::Approx(100 / 3.3));
  // the pyramid of the spec has the printed moments
  CHECK(e4.warnings.empty());
  CHECK(e4.settings.contact.enabled);
  CHECK_FALSE(experiment("e3").settings.contact.enabled);
  const Scene e5 = experiment("e5");
  REQUIRE(e5.joints.size() == 1);
  CHECK(e5.joints[0].child == "second");
  const Vec3 tip = e5.bodies[0].X_WB * Vec3{6, 0, 0};
  CHECK(distance(tip, {2, 0, 11.5}) < 1e-12);
  CHECK(distance(tip, e5.bodies[1].X_WB * Vec3{0, 0, 6.1}) < 1e-12);
  // E above z = 0
  double energy = 0;
  for (const SceneBody& body : e5.bodies) {
    if (body.given) energy += body.given->mass * 9.8 * body.X_WB.p.z;
  }
  CHECK(energy == doctest::Approx(1955.1).epsilon(1e-6));
}
