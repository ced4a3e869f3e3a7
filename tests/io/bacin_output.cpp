#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <sstream>

#include "molejo/io/bacin.h"
#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "molejo/io/staged_file.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/physics/world.h"
#include "tests/support/bacin_text.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

Scene experiment(const std::string& name) {
  return read_bacin(
      SourceFile::given(test::source_dir() + "/scenes/bacin/" + name + "/" + name + ".cfg"));
}

double distance(const Vec3& a, const Vec3& b) { return norm(a - b); }

// A folder of its own, empty at first.
std::string fresh_folder(const std::string& name) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("molejo_" + name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string() + "/";
}

struct FrameFile {
  double t = 0;
  std::vector<Vec3> position, velocity;
};

// Reads what the writer should have written, and nothing else.
FrameFile read_frame(const std::string& path) {
  std::istringstream in(read_file(path));
  FrameFile frame;
  std::string line, key, equals;
  std::getline(in, line);
  REQUIRE(line == "begin state (format of 95-06-03)");
  std::size_t count = 0;
  in >> key >> equals >> count;
  REQUIRE(key == "vertices");
  in >> key >> equals >> frame.t;
  REQUIRE(key == "t");
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 p, v;
    in >> key >> p.x >> p.y >> p.z >> v.x >> v.y >> v.z;
    REQUIRE(key == std::to_string(i) + ":");
    frame.position.push_back(p);
    frame.velocity.push_back(v);
  }
  in >> key >> line;
  REQUIRE(key + " " + line == "end state");
  return frame;
}

std::vector<std::array<int, 3>> read_surface(const std::string& path) {
  std::istringstream in(read_file(path));
  std::string line, key, equals;
  std::getline(in, line);
  REQUIRE(line == "begin surface (format of 95-09-14)");
  std::size_t count = 0;
  in >> key >> equals >> count;
  REQUIRE(key == "faces");
  std::vector<std::array<int, 3>> faces(count);
  for (auto& [a, b, c] : faces) in >> a >> b >> c;
  in >> key >> line;
  REQUIRE(key + " " + line == "end surface");
  return faces;
}

// V - E + F of each connected part of a surface; also that every edge is run once each way.
std::vector<int> euler_characteristics(const std::vector<std::array<int, 3>>& faces, int vertices) {
  std::vector<int> part(static_cast<std::size_t>(vertices));
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](int v) {
    while (part[static_cast<std::size_t>(v)] != v) v = part[static_cast<std::size_t>(v)];
    return v;
  };
  std::map<std::pair<int, int>, int> edges;
  for (const auto& face : faces) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = face[k], b = face[(k + 1) % 3];
      ++edges[{a, b}];
      part[static_cast<std::size_t>(root(a))] = root(b);
    }
  }
  std::map<int, int> chi;
  for (int v = 0; v < vertices; ++v) ++chi[root(v)];
  for (const auto& face : faces) ++chi[root(face[0])];
  for (const auto& [edge, times] : edges) {
    CHECK(times == 1);
    CHECK(edges.count({edge.second, edge.first}) == 1);
    if (edge.first < edge.second) --chi[root(edge.first)];
  }
  std::vector<int> result;
  for (const auto& [part_root, value] : chi) result.push_back(value);
  return result;
}

}  // namespace

TEST_CASE("bacin: E1 gives 300 frames whose vertices turn as they should") {
  const Scene scene = experiment("e1");
  const Built built = build(scene);
  const std::string folder = fresh_folder("bacin_e1");
  FileSet files;
  add_bacin_frames(built.model, simulate(built, scene.settings), folder + "e1", files);
  files.commit();
  int frames = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    frames += entry.path().extension() == ".ste";
  }
  CHECK(frames == 300);
  const Polyhedron& bar = std::get<Polyhedron>(scene.bodies[0].shapes[0].geometry);
  for (const int i : {0, 1, 150, 299}) {
    const FrameFile frame = read_frame(folder + "e1" + std::to_string(i) + ".ste");
    CHECK(frame.t == doctest::Approx(i / 30.0));
    REQUIRE(frame.position.size() == 8);
    const double angle = 0.4 * i / 30.0;
    for (std::size_t k = 0; k < 8; ++k) {
      const Vec3 b = bar.vertices[k];
      const Vec3 p{std::cos(angle) * b.x - std::sin(angle) * b.y,
                   std::sin(angle) * b.x + std::cos(angle) * b.y, b.z};
      CHECK(distance(frame.position[k], p) < 1e-6);
      CHECK(distance(frame.velocity[k], {-0.4 * p.y, 0.4 * p.x, 0}) < 1e-6);
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("bacin: a run that is shorter than a frame is one frame") {
  Scene scene = experiment("e1");
  scene.settings.duration = 0.01;
  const Built built = build(scene);
  const std::string folder = fresh_folder("bacin_short");
  FileSet files;
  add_bacin_frames(built.model, simulate(built, scene.settings), folder + "e1", files);
  files.commit();
  CHECK(read_frame(folder + "e10.ste").t == 0);
  CHECK_FALSE(std::filesystem::exists(folder + "e11.ste"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("bacin: the surface is closed for every body, whatever its shape") {
  Scene scene;
  const std::vector<Geometry> geometries{Sphere{1}, Capsule{0.5, 1}, Box{{1, 2, 3}},
                                         Cylinder{1, 2}};
  for (const Geometry& geometry : geometries) {
    SceneBody body;
    body.name = "body" + std::to_string(scene.bodies.size());
    body.shapes.push_back({geometry, {Mat3::identity(), {0.5, 0, 0}}, {}});
    scene.bodies.push_back(body);
  }
  for (const SceneBody& body : experiment("e3").bodies) scene.bodies.push_back(body);
  scene.settings.duration = 0.1;
  const Built built = build(scene);
  const std::string folder = fresh_folder("bacin_surface");
  FileSet files;
  add_bacin_frames(built.model, simulate(built, scene.settings), folder + "s", files);
  files.commit();
  const FrameFile frame = read_frame(folder + "s2.ste");
  const std::vector<std::array<int, 3>> faces = read_surface(folder + "s.sur");
  const std::vector<int> chi =
      euler_characteristics(faces, static_cast<int>(frame.position.size()));
  CHECK(chi == std::vector<int>(6, 2));
  std::filesystem::remove_all(folder);
}

TEST_CASE("bacin: a scene that was read is written and read again the same") {
  const std::string folder = fresh_folder("bacin_write");
  const auto close = [](const Pose& a, const Pose& b) {
    return distance(a.p, b.p) < 1e-12 && distance(a.R.r0, b.R.r0) < 1e-12 &&
           distance(a.R.r1, b.R.r1) < 1e-12 && distance(a.R.r2, b.R.r2) < 1e-12;
  };
  TextFiles sample = bacin_sample();
  sample = with(sample, "s.ste", "time = 0.5", "time = 0");
  for (const Scene& first : {experiment("e2"), experiment("e3"), experiment("e5"), parse(sample)}) {
    CAPTURE(first.name);
    std::vector<std::string> warnings;
    write_bacin(first, folder + "again", warnings);
    const Scene second = read_bacin(SourceFile::given(folder + "again.cfg"));
    REQUIRE(second.bodies.size() == first.bodies.size());
    for (std::size_t i = 0; i < first.bodies.size(); ++i) {
      const SceneBody &a = first.bodies[i], &b = second.bodies[i];
      CHECK(a.name == b.name);
      CHECK(close(a.X_WB, b.X_WB));
      CHECK(a.given.has_value() == b.given.has_value());
      if (a.given) CHECK(a.given->mass == doctest::Approx(b.given->mass).epsilon(1e-14));
      CHECK(a.immobile == b.immobile);
      CHECK(distance(a.velocity->linear, b.velocity->linear) < 1e-12);
      CHECK(distance(a.velocity->angular, b.velocity->angular) < 1e-12);
      const auto& solid_a = std::get<Polyhedron>(a.shapes[0].geometry);
      const auto& solid_b = std::get<Polyhedron>(b.shapes[0].geometry);
      CHECK(solid_a.vertices.size() == solid_b.vertices.size());
      CHECK(solid_a.triangles.size() == solid_b.triangles.size());
    }
    REQUIRE(second.joints.size() == first.joints.size());
    for (std::size_t i = 0; i < first.joints.size(); ++i) {
      const SceneJoint &a = first.joints[i], &b = second.joints[i];
      CHECK(a.name == b.name);
      CHECK(a.type == b.type);
      CHECK(a.parent == b.parent);
      CHECK(a.child == b.child);
      CHECK(a.loop == b.loop);
      CHECK(close(a.X_PF, b.X_PF));
      CHECK(close(a.X_BM, b.X_BM));
    }
    REQUIRE(second.springs.size() == first.springs.size());
    for (std::size_t i = 0; i < first.springs.size(); ++i) {
      const SceneSpring &a = first.springs[i], &b = second.springs[i];
      CHECK(a.stiffness == b.stiffness);
      CHECK(a.rest_length == b.rest_length);
      CHECK(a.a.body == b.a.body);
      CHECK(a.b.body == b.b.body);
      CHECK(distance(a.a.p, b.a.p) < 1e-12);
      CHECK(distance(a.b.p, b.b.p) < 1e-12);
    }
    REQUIRE(second.forces.size() == first.forces.size());
    for (std::size_t i = 0; i < first.forces.size(); ++i) {
      REQUIRE(second.forces[i].samples.size() == first.forces[i].samples.size());
      for (std::size_t k = 0; k < first.forces[i].samples.size(); ++k) {
        CHECK(second.forces[i].samples[k].t == first.forces[i].samples[k].t);
        CHECK(second.forces[i].samples[k].force == first.forces[i].samples[k].force);
        CHECK(second.forces[i].samples[k].torque == first.forces[i].samples[k].torque);
      }
    }
    const Settings &a = first.settings, &b = second.settings;
    CHECK(a.duration == b.duration);
    CHECK(a.fps == b.fps);
    CHECK(a.tolerance == b.tolerance);
    CHECK(a.min_step == b.min_step);
    CHECK(a.max_step == b.max_step);
    CHECK(a.constraint_tolerance == b.constraint_tolerance);
    CHECK(a.project == b.project);
    CHECK(a.gravity == b.gravity);
    CHECK(a.contact == b.contact);
    for (std::size_t i = 0; i < first.bodies.size(); ++i) {
      // without collisions nobody asks how bodies bounce
      if (!a.contact.enabled) break;
      CHECK(first.bodies[i].shapes[0].surface == second.bodies[i].shapes[0].surface);
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("bacin: what the format cannot say is told, and joints it lacks are made of planes") {
  Scene scene;
  scene.settings.gravity = {1, 0, -9.81};
  scene.settings.duration = 0.5;
  for (const char* name : {"a", "b c", "d(1)=2", "e"}) {
    SceneBody body;
    body.name = name;
    body.X_WB.p = {static_cast<double>(scene.bodies.size()), 0, 0};
    body.shapes.push_back({Capsule{0.2, 0.5}, {axis_rotation({0, 1, 0}, 0.5), {0.1, 0, 0}}, {}});
    scene.bodies.push_back(body);
  }
  const auto join = [&](const char* name, JointType type, const char* parent, const Vec3& p,
                        const char* child) {
    SceneJoint joint;
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.X_PF.p = p;
    joint.drives.resize(static_cast<std::size_t>(freedoms(type).count()));
    scene.joints.push_back(joint);
  };
  join("hooke", JointType::universal, "", {}, "a");
  join("weld", JointType::fixed, "a", {1, 0, 0}, "b c");
  join("table", JointType::planar, "b c", {1, 0, 0}, "d(1)=2");
  join("axle", JointType::revolute, "d(1)=2", {1, 0, 0}, "e");
  scene.joints[0].position = {0.3, -0.2};
  scene.joints[0].velocity = {1, 0.5};
  scene.joints[3].drives[0].damping = 0.01;
  std::vector<std::string> warnings;
  const std::string folder = fresh_folder("bacin_say");
  write_bacin(scene, folder + "say", warnings);
  const auto told = [&](const std::string& sentence) {
    return std::find(warnings.begin(), warnings.end(), sentence) != warnings.end();
  };
  CHECK(told("gravity is 1 0 -9.81, but Bacin's is vertical: only its third part is written."));
  CHECK(told("the integrator midpoint is replaced by rkf45, the only one of Bacin's files."));
  CHECK(told("'b c' is written as 'b_c'."));
  CHECK(told("'d(1)=2' is written as 'd_1__2'."));  // what his own words are made of
  CHECK(told("joint 'axle' has a spring, damper, limit or motor, which is left out."));
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("the shape of body 'a' is written as a convex polyhedron") == 0;
  }));

  // 4 + 6 + 3 + 5 equations, and the same motion without what was left out
  const Scene again = read_bacin(SourceFile::given(folder + "say.cfg"));
  const Built there = build(again);
  CHECK(there.model.rows == 18);
  Scene same = scene;
  same.settings.gravity.x = 0;
  same.joints[3].drives.clear();
  for (Settings* settings : {&same.settings}) {
    *settings = again.settings;
    settings->formulation = Formulation::reduced;
  }
  const Built here = build(same);
  const Recording a = simulate(here, same.settings), b = simulate(there, again.settings);
  REQUIRE(a.frames.size() == b.frames.size());
  // the centre of mass of each body: frames differ, as Bacin's are principal axes
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 c{0.1, 0, 0};  // of the capsule
    CHECK(distance(a.frames.back().X_WB[i] * c, b.frames.back().X_WB[i].p) < 1e-4);
  }
  CHECK(distance(a.frames.back().X_WB[3].p, a.frames[0].X_WB[3].p) > 0.1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("bacin: contact is written as far as he knows it, and the rest is told") {
  Scene scene;
  for (const char* name : {"floor", "ball", "ghost"}) {
    SceneBody body;
    body.name = name;
    body.X_WB.p = {0, 0, 3.0 * static_cast<double>(scene.bodies.size())};
    body.shapes.push_back({Box{{1, 1, 1}}, {}, {}});
    scene.bodies.push_back(body);
  }
  scene.settings.integrator = Integrator::rkf45;
  scene.settings.contact.distance = 0.01;
  const std::string folder = fresh_folder("bacin_contact");
  std::vector<std::string> warnings;
  const auto written = [&] {
    warnings.clear();
    write_bacin(scene, folder + "contact", warnings);
    return read_bacin(SourceFile::given(folder + "contact.cfg"));
  };
  for (SceneBody& body : scene.bodies) body.shapes[0].surface = {0, 0.25};
  const Scene plain = written();
  CHECK(warnings.empty());
  CHECK(plain.settings.contact.enabled);
  CHECK(plain.settings.contact.distance == 0.01);
  CHECK(plain.bodies[1].shapes[0].surface == Surface{0, 0.25});

  scene.bodies[0].immobile = true;
  scene.bodies[0].shapes[0].geometry = HeightField{2, 2, 4, 4, {0, 0, 0, 0}};
  scene.bodies[0].shapes[0].surface.friction = 0.5;
  scene.bodies[1].shapes.push_back({Box{{5, 5, 5}}, {}, {}});
  scene.bodies[1].shapes[1].collides = false;
  scene.bodies[1].shapes[0].surface.restitution = 0.75;
  scene.bodies[2].shapes[0].collides = false;
  scene.contact_pairs.emplace_back();
  const Scene rough = written();
  CHECK(rough.bodies[0].shapes[0].surface == Surface{0, 0.75});
  const std::vector<std::string> expected{
      "restitutions from 0.25 to 0.75 are written as 0.75: Bacin's scenes have one.",
      "friction is left out: Bacin's bodies have none.",
      "shapes of body 'ball' that do not collide are left out.",
      "body 'ghost' does not collide, but every body of Bacin's does.",
      "contact pairs are left out: all bodies collide alike.",
      "the shape of body 'floor' is written as a convex polyhedron of 8 vertices.",
      "the shape of body 'ball' is written as a convex polyhedron of 8 vertices."};
  CHECK(warnings == expected);
  // the drawn shell of 10 m is not what collides
  for (const Vec3& p : std::get<Polyhedron>(rough.bodies[1].shapes[0].geometry).vertices) {
    CHECK(max_abs(p) < 1.01);
  }

  // a single body has nothing to collide with
  scene.bodies.resize(1);
  scene.contact_pairs.clear();
  CHECK_FALSE(written().settings.contact.enabled);
  std::filesystem::remove_all(folder);
}

TEST_CASE("bacin: the native scenes of E4 and E5 say the same as his files") {
  for (const char* name : {"e4", "e5"}) {
    CAPTURE(name);
    const Scene his = experiment(name);
    const Scene ours = read_scene(
        SourceFile::given(test::source_dir() + "/scenes/" + std::string(name) + ".json"));
    CHECK(ours.settings.contact == his.settings.contact);
    CHECK(ours.settings.gravity == his.settings.gravity);
    CHECK(ours.settings.fps == his.settings.fps);
    CHECK(ours.settings.duration == his.settings.duration);
    CHECK(ours.settings.tolerance == his.settings.tolerance);
    CHECK(ours.settings.max_step == his.settings.max_step);
    CHECK(ours.settings.constraint_tolerance == his.settings.constraint_tolerance);
    REQUIRE(ours.bodies.size() == his.bodies.size());
    for (std::size_t i = 0; i < his.bodies.size(); ++i) {
      const SceneBody &a = his.bodies[i], &b = ours.bodies[i];
      CAPTURE(a.name);
      CHECK(a.name == b.name);
      CHECK(a.immobile == b.immobile);
      CHECK(distance(a.X_WB.p, b.X_WB.p) < 1e-12);
      for (int r = 0; r < 3; ++r) CHECK(distance(a.X_WB.R[r], b.X_WB.R[r]) < 1e-12);
      CHECK(a.shapes[0].surface == b.shapes[0].surface);
      const MassProperties m = mass_properties(a.shapes[0], 1), n = mass_properties(b.shapes[0], 1);
      CHECK(m.mass == doctest::Approx(n.mass).epsilon(1e-9));
      CHECK(m.I_BC.xx == doctest::Approx(n.I_BC.xx).epsilon(1e-9));
      if (!a.immobile) CHECK(*a.given == *b.given);
    }
    REQUIRE(ours.joints.size() == his.joints.size());
    for (std::size_t i = 0; i < his.joints.size(); ++i) {
      CHECK(ours.joints[i].type == his.joints[i].type);
      CHECK(distance(ours.joints[i].X_PF.p, his.joints[i].X_PF.p) < 1e-12);
      CHECK(distance(ours.joints[i].X_BM.p, his.joints[i].X_BM.p) < 1e-12);
    }
  }
}

TEST_CASE("bacin: the native scenes of E1, E2 and E3 say the same as his files") {
  for (const char* name : {"e1", "e2", "e3"}) {
    CAPTURE(name);
    const Scene his = experiment(name);
    const Scene ours = read_scene(
        SourceFile::given(test::source_dir() + "/scenes/" + std::string(name) + ".json"));
    CHECK(ours.warnings.empty());
    const Built a = build(his), b = build(ours);
    CHECK(ours.settings.gravity == his.settings.gravity);
    CHECK(ours.settings.fps == his.settings.fps);
    const Recording run_a = simulate(a, his.settings), run_b = simulate(b, ours.settings);
    REQUIRE(run_a.frames.size() == run_b.frames.size());
    CHECK(run_a.summary.steps == run_b.summary.steps);
    for (std::size_t i = 0; i < his.bodies.size(); ++i) {
      CHECK(his.bodies[i].name == b.model.bodies[i].name);
      CHECK(distance(run_a.frames.back().X_WB[i].p, run_b.frames.back().X_WB[i].p) < 1e-9);
      CHECK(distance(run_a.frames.back().X_WB[i].R.r0, run_b.frames.back().X_WB[i].R.r0) < 1e-9);
      CHECK(distance(run_a.frames.back().X_WB[i].R.r1, run_b.frames.back().X_WB[i].R.r1) < 1e-9);
      // the same solid, whatever the order of its vertices
      const MassProperties m = mass_properties(his.bodies[i].shapes[0], 1);
      const MassProperties n = mass_properties(ours.bodies[i].shapes[0], 1);
      CHECK(m.mass == doctest::Approx(n.mass).epsilon(1e-12));
      CHECK(m.I_BC.xx == doctest::Approx(n.I_BC.xx).epsilon(1e-12));
      CHECK(m.I_BC.zz == doctest::Approx(n.I_BC.zz).epsilon(1e-12));
    }
  }
}
