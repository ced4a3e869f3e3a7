// parse_scene(scene_text(s)) is s, bit for bit, for random scenes that use every field.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "molejo/io/scene.h"
#include "molejo/math/expression.h"
#include "molejo/model/bounds.h"
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

// Random scenes; numbers are short, long, negative zero, tiny or huge.
class RandomScene {
 public:
  explicit RandomScene(unsigned seed) : random_(seed) {}

  Scene make() {
    Scene s;
    s.name = text();
    s.description = text();
    const int count = 1 + below(5);
    for (int i = 0; i < count; ++i) s.bodies.push_back(body(i));
    for (int i = 0; i < 4; ++i) s.joints.push_back(joint(s, i));
    for (int i = below(3); i > 0; --i) {
      s.springs.push_back(
          {"s" + std::to_string(i), attachment(s), attachment(s), size(), size(), size()});
    }
    if (chance()) s.springs.push_back({"", attachment(s), attachment(s), 0, 0, 0});
    for (int i = below(3); i > 0; --i) s.forces.push_back(force(s, i));
    for (int i = below(3); i > 0; --i) s.forces.push_back(formula_force(s, i));
    for (int i = below(6); i > 0; --i) s.definitions.push_back(definition(i));
    for (int i = below(3); i > 0; --i)
      s.probes.push_back({"probe {" + std::to_string(i), formula()});
    settings(s.settings);
    if (chance()) contact(s.settings.contact);
    for (int i = below(3); i > 0; --i) s.contact_pairs.push_back(contact_pair(s));
    if (chance()) s.camera = {vec(), vec(), 1 + 170 * unit()};
    if (chance()) s.plot = {s.bodies[0].name + ".x", s.joints[0].name};
    if (chance()) s.warnings = {text(), text()};
    for (int i = below(3); i >= 0 && i < count; --i) {
      s.tables.push_back(
          {s.bodies[static_cast<std::size_t>(i)].name, std::to_string(i) + "{a}.out"});
    }
    s.legacy_angles = chance();
    character(s);
    return s;
  }

 private:
  void character(Scene& s) {
    std::vector<std::string> free;
    for (const SceneBody& b : s.bodies) {
      if (!b.immobile && !b.follows) free.push_back(b.name);
    }
    if (free.empty() || chance()) return;
    s.character.emplace();
    s.character->torso = free[0];
    if (chance()) s.character->feet.push_back({free[0], vec(), vec(), chance() ? 0.02 : size()});
    if (free.size() > 1 && chance()) s.character->mirror.push_back({free[1], free[0]});
    s.settings.gravity.y = 0;
    if (chance()) s.character->forward = {0, 1, 0};
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance() { return below(2) == 0; }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  // Of any size that may be given.
  double within(const Bounds& bounds) {
    const double least = std::max(bounds.least, 1e-15);
    return std::clamp(least * std::pow(bounds.most / least, unit()), bounds.least, bounds.most);
  }
  double size() {
    switch (below(4)) {
      case 0:
        return (1 + below(100)) / 10.0;
      case 1:
        return 1e-3 + unit();
      case 2:
        return std::exp(40 * (unit() - 0.5));
      default:
        return 1 + below(1000);
    }
  }
  double number() {
    if (below(8) == 0) return chance() ? 0.0 : -0.0;
    if (below(4) == 0) return radians(below(720) - 360);
    return chance() ? size() : -size();
  }
  Vec3 vec() { return {number(), number(), number()}; }
  Mat3 rotation() {
    switch (below(4)) {
      case 0:
        return Mat3::identity();
      case 1: {
        Vec3 axis;
        axis[below(3)] = chance() ? 1 : -1;
        return axis_rotation(axis, radians(below(360)));
      }
      case 2:
        return frame_from_z(normalized(Vec3{unit() - 0.5, unit() - 0.5, unit() - 0.5}));
      default:
        return matrix(quat()) * matrix(quat());
    }
  }
  Quat quat() { return normalized(Quat{unit() - 0.5, unit() - 0.5, unit() - 0.5, unit() + 0.1}); }
  Pose pose() { return {rotation(), chance() ? Vec3{} : vec()}; }
  std::string text() {
    static const std::vector<std::string> texts{
        "",     "plain",    "a \"quoted\" one",    "line\nbreak\t\\", "umlaut \xc3\xa4",
        "=1+1", "{braces}", std::string(1, '\x01')};
    return texts[static_cast<std::size_t>(below(static_cast<int>(texts.size())))];
  }

  Shape shape() {
    Shape s;
    s.X_BS = pose();
    if (chance()) s.color = {unit(), unit(), unit(), unit()};
    if (chance())
      s.color = {below(256) / 255.0, below(256) / 255.0, below(256) / 255.0, chance() ? 1 : 0.2};
    if (chance()) s.surface = {size(), unit()};
    s.collides = chance();
    switch (below(7)) {
      case 0:
        s.geometry = Sphere{size()};
        break;
      case 1:
        s.geometry = Capsule{size(), size()};
        break;
      case 2:
        s.geometry = Box{{size(), size(), size()}};
        break;
      case 3:
        s.geometry = Cylinder{size(), size()};
        break;
      case 4: {
        std::vector<Vec3> points;
        for (int i = 0; i < 4 + below(12); ++i) points.push_back({unit(), unit(), unit()});
        while (points.size() < 4) points.push_back({unit(), unit(), unit()});
        s.geometry = convex_hull(points);
        break;
      }
      case 5: {
        HeightField field{2 + below(3), 2 + below(3), size(), size(), {}};
        if (chance()) field.dy = field.dx;
        for (int i = field.columns * field.rows; i > 0; --i) field.heights.push_back(number());
        s.geometry = field;
        break;
      }
      default:
        s.geometry = Plane{};
    }
    return s;
  }

  SceneBody body(int i) {
    SceneBody b;
    static const std::vector<std::string> names{"arm", "a.b", "with space",
                                                "{0}", "=x",  "umlaut \xc3\xa4"};
    b.name = names[static_cast<std::size_t>(below(6))] + std::to_string(i);
    b.X_WB = pose();
    if (chance()) {
      const double m = size();
      b.given = MassProperties{m, vec(), rotated(rotation(), Sym3::diagonal(m, m * 1.2, m * 1.5))};
      if (chance()) b.given->I_BC = Sym3::diagonal(m, m, m);
    }
    if (chance()) b.density = size();
    for (int k = below(4); k > 0; --k) b.shapes.push_back(shape());
    if (chance()) b.group = chance() ? "feet" : "{team} " + std::to_string(below(2));
    b.immobile = below(4) == 0;
    b.massless = below(4) == 0;
    if (b.massless && chance()) b.given = MassProperties{};
    if (chance()) b.velocity = {chance() ? Vec3{} : vec(), chance() ? Vec3{} : vec()};
    return b;
  }

  Drive drive() {
    Drive d;
    if (chance()) d.rest = number();
    if (chance()) d.damping = size();
    if (chance()) (chance() ? d.stiffness : d.hertz) = size();
    if (chance()) d.damping_ratio = size();
    if (chance()) d.armature = size();
    if (chance()) d.lower = -size();
    if (chance()) d.upper = radians(below(180));
    if (chance()) d.lower = -radians(below(180));
    if (chance()) d.limit_stiffness = size();
    if (chance()) d.limit_damping = size();
    if (chance()) d.kp = size(), d.kd = size(), d.target = number(), d.target_velocity = number();
    if (chance()) d.force = number();
    if (chance()) d.max_force = size();
    return d;
  }

  SceneJoint joint(const Scene& s, int i) {
    SceneJoint j;
    j.type = static_cast<JointType>(below(9));
    const auto some = [&] {
      return s.bodies[static_cast<std::size_t>(below(static_cast<int>(s.bodies.size())))].name;
    };
    j.child = some();
    j.parent = chance() ? "" : some();
    j.loop = below(3) == 0;
    if (j.loop && j.child != j.parent && below(4) == 0) j.child = "";
    j.name = "joint" + std::to_string(i);
    // consistent with the zero configuration, or free
    if (chance()) {
      Pose X_WJ = pose();
      if (chance()) X_WJ.R = frame_from_z({0, 1, 0});
      const auto pose_of = [&](const std::string& name) {
        for (const SceneBody& b : s.bodies) {
          if (b.name == name) return b.X_WB;
        }
        return Pose{};
      };
      j.X_PF = inverse(pose_of(j.parent)) * X_WJ;
      j.X_BM = inverse(pose_of(j.child)) * X_WJ;
    } else {
      j.X_PF = pose(), j.X_BM = pose();
    }
    const Freedoms f = freedoms(j.type);
    if (chance()) {
      const bool alike = chance();
      for (int k = 0; k < f.count(); ++k)
        j.drives.push_back(alike && k > 0 ? j.drives[0] : drive());
      if (below(4) == 0) j.drives.assign(static_cast<std::size_t>(f.count()), Drive{});
      for (Drive& d : j.drives) {
        if (!chance()) continue;
        MotorFormulas m;
        if (chance()) m.target = formula(), d.target = 0;
        if (chance()) m.target_velocity = formula(), d.target_velocity = 0;
        if (m.target.empty() || chance()) m.force = formula(), d.force = 0;
        j.motor_formulas.resize(j.drives.size());
        j.motor_formulas[static_cast<std::size_t>(&d - j.drives.data())] = m;
      }
    }
    if (j.loop) return j;
    if (chance()) {
      for (int k = 0; k < f.count(); ++k) j.velocity.push_back(number());
    }
    if (chance() && f.count() > 0) {
      for (int k = 0; k < f.translations + f.rotations % 3; ++k) j.position.push_back(number());
      const Quat q = quat();
      if (f.rotations == 3) j.position.insert(j.position.end(), {q.w, q.x, q.y, q.z});
    }
    return j;
  }

  Attachment attachment(const Scene& s) {
    return {chance() ? "" : s.bodies[0].name, chance() ? Vec3{} : vec()};
  }
  SceneForce force(const Scene& s, int i) {
    SceneForce f{chance() ? "" : "push" + std::to_string(i), {s.bodies[0].name, vec()}, {}};
    double t = chance() ? 0 : size();
    for (int k = 1 + below(4) * below(2); k > 0; --k, t += size())
      f.samples.push_back({t, vec(), vec()});
    for (std::size_t k = 1; k < f.samples.size(); ++k) {
      f.samples[k].t = std::max(f.samples[k].t, std::nextafter(f.samples[k - 1].t, 1e300));
    }
    return f;
  }
  // texts are not looked at before the scene is built
  SceneFormula formula() {
    static const std::vector<std::string> texts{
        "1", "-2.5e-07", "t + ball.x", "'{odd} name'.y * 2", "\"", "1.50", "[1, 2, 3]"};
    const std::string scopes[] = {"", "arm", "arm.{1}"};
    return {texts[static_cast<std::size_t>(below(static_cast<int>(texts.size())))],
            scopes[below(3)], "somewhere"};
  }
  SceneForce formula_force(const Scene& s, int i) {
    SceneForce f{"formula" + std::to_string(i), {s.bodies[0].name, vec()}};
    for (auto* list : {&f.force_formulas, &f.torque_formulas}) {
      for (int k = std::vector{1, 3, 0}[static_cast<std::size_t>(below(3))]; k > 0; --k) {
        list->push_back(formula());
      }
    }
    if (f.force_formulas.empty()) f.force_formulas = {formula()};
    f.in_body_axes = chance(), f.implicit = chance();
    return f;
  }
  SceneDefinition definition(int i) {
    SceneDefinition d;
    d.name = "name" + std::to_string(i);
    d.formula = formula();
    const int kind = below(4);
    if (kind == 0) return d;
    if (kind == 1) {
      d.is_function = true;
      d.parameters = {"x"};
      if (chance()) d.parameters.push_back("other_1");
      return d;
    }
    d.formula.text = "";
    if (kind == 2) {
      d.value = number();
      if (chance()) d.lower = *d.value - 1e9, d.upper = *d.value + 1e9;
      return d;
    }
    double x = number();
    for (int k = 2 + below(4); k > 0; --k, x += 1 + std::fabs(x)) {
      CurveKey key{x, number(), static_cast<Interpolation>(below(4)), {}, {}};
      if (chance()) key.left = {-size(), number()}, key.right = {size(), number()};
      d.keys.push_back(key);
    }
    d.before = static_cast<Extension>(below(3)), d.after = static_cast<Extension>(below(3));
    return d;
  }
  void contact(ContactSettings& c) {
    c.enabled = below(4) > 0;
    c.friction = static_cast<Combination>(below(5));
    c.restitution = static_cast<Combination>(below(5));
    if (chance()) c.rest_speed = within(bounds_of::speed);
    if (chance()) c.iterations = 1 + below(1000);
    if (chance()) c.tolerance = within(bounds_of::tolerance);
    if (chance()) c.recovery = unit();
    if (chance()) c.slop = chance() ? 0 : within(bounds_of::slop);
    if (chance()) c.distance = within(bounds_of::distance);
    c.sleep = chance();
    if (chance()) c.sleep_speed = within(bounds_of::speed);
    if (chance()) c.sleep_time = within(bounds_of::sleep_time);
  }
  SceneContactPair contact_pair(const Scene& s) {
    const auto name = [&]() -> std::string {
      const SceneBody& b =
          s.bodies[static_cast<std::size_t>(below(static_cast<int>(s.bodies.size())))];
      return chance() ? b.name : b.group;  // without a group: any
    };
    SceneContactPair p;
    p.a = name(), p.b = name();
    p.response = static_cast<Response>(below(4));
    if (chance()) p.friction = size();
    if (chance()) p.restitution = unit();
    p.sticks = chance();
    if (p.response == Response::penalty) {
      p.stiffness = size();
      if (chance()) p.damping = size(), p.reach = size();
    }
    return p;
  }
  void settings(Settings& t) {
    if (chance()) t.gravity = vec();
    if (chance()) t.start_time = number();
    t.formulation = chance() ? Formulation::reduced : Formulation::maximal;
    t.integrator = static_cast<Integrator>(below(4));
    if (chance()) t.time_step = within(bounds_of::time_step);
    if (chance()) t.tolerance = within(bounds_of::tolerance);
    if (chance()) {
      t.max_step = within(bounds_of::time_step);
      t.min_step = within({bounds_of::min_step.least, t.max_step, "seconds"});
    }
    t.project = chance();
    if (chance()) t.constraint_tolerance = within(bounds_of::tolerance);
    if (chance()) t.fps = within(bounds_of::fps);
    if (chance()) t.duration = std::min(within(bounds_of::duration), 9e6 / t.fps);  // few frames
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("scene text: reads back bit for bit, for random scenes with every field") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const Scene scene = RandomScene(seed).make();
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
  Scene a = RandomScene(5).make();
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
