// parse_scene(scene_text(s)) is s, bit for bit, for random scenes that use every field.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>

#include "molejo/io/scene.h"
#include "molejo/math/expression.h"
#include "tests/io/random_scene.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

// Calls visit(field) for every number and visit(text) for every text, in a fixed order, so that two
// scenes are the same when both give the same sequence.
struct Sequence {
  std::vector<std::string> entries;

  void add(const std::string& field, double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    entries.push_back(field + " = " + std::to_string(bits) + " (" + std::to_string(x) + ")");
  }
  void add(const std::string& field, const std::string& x) {
    entries.push_back(field + " = '" + x + "'");
  }
  void add(const std::string& field, const Vec3& a) {
    add(field + ".x", a.x), add(field + ".y", a.y), add(field + ".z", a.z);
  }
  void add(const std::string& field, const Pose& X) {
    add(field + ".p", X.p);
    for (int r = 0; r < 3; ++r) add(field + ".R" + std::to_string(r), X.R[r]);
  }
  void add(const std::string& field, const std::optional<double>& x) {
    if (x) add(field, *x);
    entries.push_back(field + (x ? " set" : " not set"));
  }
  void add(const std::string& field, const std::vector<double>& list) {
    for (double x : list) add(field, x);
    entries.push_back(field + " has " + std::to_string(list.size()));
  }

  void add(const Shape& s) {
    add("shape kind", static_cast<double>(s.geometry.index()));
    add("X_BS", s.X_BS);
    add("color", std::vector<double>{s.color.r, s.color.g, s.color.b, s.color.a});
    if (const auto* g = std::get_if<Sphere>(&s.geometry)) add("radius", g->radius);
    if (const auto* g = std::get_if<Box>(&s.geometry)) add("half", g->half);
    if (const auto* g = std::get_if<Capsule>(&s.geometry)) {
      add("capsule", std::vector<double>{g->radius, g->half_length});
    }
    if (const auto* g = std::get_if<Cylinder>(&s.geometry)) {
      add("cylinder", std::vector<double>{g->radius, g->half_length});
    }
    if (const auto* g = std::get_if<Polyhedron>(&s.geometry)) {
      for (const Vec3& v : g->vertices) add("vertex", v);
      for (const auto& [a, b, c] : g->triangles)
        add("triangle", Vec3{double(a), double(b), double(c)});
    }
    if (const auto* g = std::get_if<HeightField>(&s.geometry)) {
      add("grid", std::vector<double>{double(g->columns), double(g->rows), g->dx, g->dy});
      add("heights", g->heights);
    }
    add("surface", std::vector<double>{s.surface.friction, s.surface.restitution});
    add("collides", s.collides);
  }
  void add(const SceneBody& b) {
    add("body", b.name);
    add("X_WB", b.X_WB);
    if (b.given) {
      const Sym3& I = b.given->I_BC;
      add("mass", b.given->mass), add("p_BC", b.given->p_BC);
      add("I_BC", std::vector<double>{I.xx, I.yy, I.zz, I.xy, I.xz, I.yz});
    }
    add("density", b.density);
    for (const Shape& s : b.shapes) add(s);
    add("group", b.group);
    add("immobile", b.immobile), add("massless", b.massless);
    if (b.velocity) add("v", b.velocity->linear), add("w", b.velocity->angular);
  }
  void add(const Drive& d) {
    add("drive", std::vector<double>{d.stiffness, d.rest, d.damping, d.hertz, d.damping_ratio,
                                     d.armature, d.limit_stiffness, d.limit_damping, d.kp, d.kd,
                                     d.target, d.target_velocity, d.force});
    add("lower", d.lower), add("upper", d.upper), add("max_force", d.max_force);
  }
  void add(const std::string& field, const SceneFormula& x) {
    add(field, x.text), add(field + " scope", x.scope);
  }
  void add(const std::string& field, const std::vector<SceneFormula>& list) {
    for (const SceneFormula& x : list) add(field, x);
    entries.push_back(field + " has " + std::to_string(list.size()));
  }
  void add(const SceneDefinition& d) {
    add("definition", d.name), add("formula", d.formula), add("is function", d.is_function);
    for (const std::string& p : d.parameters) add("parameter", p);
    for (const CurveKey& k : d.keys) {
      add("key", std::vector<double>{k.x, k.value, static_cast<double>(k.interpolation), k.left.x,
                                     k.left.value, k.right.x, k.right.value});
    }
    add("ends", std::vector<double>{static_cast<double>(d.before), static_cast<double>(d.after)});
    add("value", d.value), add("lowest", d.lower), add("highest", d.upper);
  }
  void add(const SceneJoint& j) {
    add("joint", j.name), add("parent", j.parent), add("child", j.child);
    add("type", static_cast<double>(j.type)), add("loop", j.loop);
    add("X_PF", j.X_PF), add("X_BM", j.X_BM);
    for (const Drive& d : j.drives) add(d);
    for (const MotorFormulas& m : j.motor_formulas) {
      add("target", m.target), add("target_velocity", m.target_velocity), add("force", m.force);
    }
    add("position", j.position), add("velocity", j.velocity);
  }
  void add(const Scene& s) {
    add("name", s.name), add("description", s.description);
    for (const SceneBody& b : s.bodies) add(b);
    for (const SceneJoint& j : s.joints) add(j);
    for (const SceneSpring& p : s.springs) {
      add("spring", p.name), add("a", p.a.body), add("b", p.b.body), add("a", p.a.p),
          add("b", p.b.p);
      add("spring", std::vector<double>{p.stiffness, p.rest_length, p.damping});
    }
    for (const SceneForce& f : s.forces) {
      add("force", f.name), add("at", f.at.body), add("at", f.at.p);
      for (const auto& m : f.samples) add("t", m.t), add("force", m.force), add("torque", m.torque);
      add("force", f.force_formulas), add("torque", f.torque_formulas);
      add("axes", f.in_body_axes), add("implicit", f.implicit);
    }
    // in the order of the file: those of one kind together
    for (const bool curves : {false, true}) {
      for (const bool functions : {false, true}) {
        for (const SceneDefinition& d : s.definitions) {
          if (d.is_function == functions && d.keys.empty() != curves) add(d);
        }
      }
    }
    for (const SceneProbe& p : s.probes) add("probe", p.name), add("probe", p.formula);
    const Settings& t = s.settings;
    add("gravity", t.gravity);
    add("settings", std::vector<double>{static_cast<double>(t.formulation),
                                        static_cast<double>(t.integrator), t.time_step, t.tolerance,
                                        t.min_step, t.max_step, static_cast<double>(t.project),
                                        t.constraint_tolerance, t.start_time, t.duration, t.fps});
    const ContactSettings& c = t.contact;
    add("contact",
        std::vector<double>{double(c.enabled), double(c.friction), double(c.restitution),
                            c.rest_speed, double(c.iterations), c.tolerance, c.recovery, c.slop,
                            c.distance, double(c.sleep), c.sleep_speed, c.sleep_time});
    for (const SceneContactPair& p : s.contact_pairs) {
      add("pair", p.a), add("pair", p.b), add("response", static_cast<double>(p.response));
      add("friction", p.friction), add("restitution", p.restitution), add("sticks", p.sticks);
      add("penalty", std::vector<double>{p.stiffness, p.damping, p.reach});
    }
    add("camera", s.camera.position), add("camera", s.camera.target), add("fov", s.camera.fov_deg);
    for (const std::string& p : s.plot) add("plot", p);
    for (const SceneTable& table : s.tables) add("table", table.body), add("file", table.file);
    add("legacy angles", s.legacy_angles);
    for (const std::string& w : s.warnings) add("warning", w);
    if (!s.character) return;
    add("torso", s.character->torso), add("forward", s.character->forward);
    for (const SceneFoot& f : s.character->feet) {
      add("foot", f.body), add("toe", f.toe), add("heel", f.heel), add("radius", f.radius);
    }
    for (const MirrorPair& p : s.character->mirror) add("left", p.left), add("right", p.right);
  }
};

std::string first_difference(const Scene& a, const Scene& b) {
  Sequence x, y;
  x.add(a), y.add(b);
  for (std::size_t i = 0; i < std::min(x.entries.size(), y.entries.size()); ++i) {
    if (x.entries[i] != y.entries[i]) return x.entries[i] + " became " + y.entries[i];
  }
  return x.entries.size() == y.entries.size() ? "" : "number of fields";
}

}  // namespace

TEST_CASE("scene text: reads back bit for bit, for random scenes with every field") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const Scene scene = test::RandomScene(seed).make();
    const std::string text = scene_text(scene);
    CAPTURE(seed);
    CAPTURE(text);
    Scene back;
    REQUIRE_NOTHROW(back = parse_scene(text, "random.json"));
    REQUIRE(first_difference(scene, back) == "");
    REQUIRE(scene_text(back) == text);
  }
}

TEST_CASE("scene text: a difference in any field is seen") {
  Scene a = test::RandomScene(5).make();
  Scene b = a;
  b.bodies[0].X_WB.p.x = std::nextafter(b.bodies[0].X_WB.p.x, 1e9);
  CHECK(first_difference(a, b).find("X_WB.p.x") == 0);
  b = a;
  b.settings.fps += 1e-9;
  CHECK(first_difference(a, b) != "");
  b = a;
  b.settings.gravity.x = -0.0;
  a.settings.gravity.x = 0.0;
  CHECK(first_difference(a, b).find("gravity.x") == 0);
  b = a;
  b.settings.contact.slop *= 2;
  CHECK(first_difference(a, b).find("contact") == 0);
  b = a;
  b.bodies[0].group += "x";
  CHECK(first_difference(a, b).find("group") == 0);
  b = a;
  b.contact_pairs.emplace_back();
  CHECK(first_difference(a, b) != "");
  a.character = b.character = {"torso", {{"foot", {}, {}, 0.02}}, {{"l", "r"}}, {1, 0, 0}};
  b.contact_pairs = a.contact_pairs;
  CHECK(first_difference(a, b) == "");
  b.character->mirror[0].right = "x";
  CHECK(first_difference(a, b).find("right") == 0);
}

TEST_CASE("scene text: what is written is what a person would write") {
  Scene scene;
  scene.name = "Small";
  scene.settings.integrator = Integrator::rk4;
  SceneBody arm;
  arm.name = "arm";
  arm.X_WB.p = {0, 0, 1};
  arm.shapes.push_back({Box{{0.02, 0.02, 0.1}},
                        {axis_rotation({0, 1, 0}, radians(30)), {}},
                        {200 / 255.0, 100 / 255.0, 50 / 255.0, 1}});
  scene.bodies.push_back(arm);
  SceneJoint pivot{.name = "pivot",
                   .type = JointType::revolute,
                   .parent = "",
                   .child = "arm",
                   .X_PF = {frame_from_z({0, 1, 0}), {0, 0, 1.1}},
                   .X_BM = {frame_from_z({0, 1, 0}), {0, 0, 0.1}},
                   .loop = false,
                   .drives = {Drive{}},
                   .motor_formulas = {},
                   .position = {radians(30)},
                   .velocity = {}};
  pivot.drives[0].lower = radians(-90);
  pivot.drives[0].upper = radians(90);
  pivot.X_PF.R = pivot.X_BM.R = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
  pivot.X_BM.p.z = 1.1 - 1;
  scene.joints.push_back(pivot);
  CHECK(scene_text(scene) == R"({
  "name": "Small",
  "integrator": "rk4",
  "bodies": [
    {
      "name": "arm",
      "position": [0, 0, 1],
      "shape": {
        "box": [0.04, 0.04, 0.2],
        "orientation": {"axis": [0, 1, 0], "angle_deg": 30},
        "color": "#c86432"
      }
    }
  ],
  "joints": [
    {
      "name": "pivot",
      "type": "revolute",
      "child": "arm",
      "anchor": [0, 0, 1.1],
      "axis": [0, 1, 0],
      "position_deg": 30,
      "limits_deg": [-90, 90]
    }
  ]
}
)");
}

TEST_CASE("scene text: shipped scenes read back bit for bit") {
  int count = 0;
  for (const char* folder : {"/scenes", "/scenes/characters"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + folder)) {
      if (entry.path().extension() != ".json") continue;
      CAPTURE(entry.path().string());
      const Scene scene = read_scene(SourceFile::given(entry.path().string()));
      CHECK(first_difference(scene, parse_scene(scene_text(scene), "copy.json")) == "");
      ++count;
    }
  }
  CHECK(count >= 18);
}
