// Random scenes that use every field of a scene file.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "molejo/io/scene.h"
#include "molejo/math/expression.h"
#include "molejo/model/bounds.h"
#include "molejo/model/scene.h"

namespace molejo::test {

// Numbers are short, long, negative zero, tiny or huge.
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

}  // namespace molejo::test
