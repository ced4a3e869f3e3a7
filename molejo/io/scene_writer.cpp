// A scene as native text. Whatever has a short form that reads back to the same bits gets it:
// degrees, turns about an axis, anchors and axes, hexadecimal colours. Defaults are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <unordered_map>

#include "molejo/io/scene.h"
#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_formulas.h"
#include "molejo/math/expression.h"
#include "molejo/math/units.h"

namespace molejo {

namespace {

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool same(const Vec3& a, const Vec3& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}
bool same(const Mat3& a, const Mat3& b) {
  return same(a.r0, b.r0) && same(a.r1, b.r1) && same(a.r2, b.r2);
}
bool same(const Pose& a, const Pose& b) { return same(a.R, b.R) && same(a.p, b.p); }

// to twelve digits after the point, where inputs have most often fewer
double rounded(double x) {
  constexpr double unit = 1e12;
  const double y = std::nearbyint(x * unit) / unit;
  return y + 0.0;
}
Vec3 rounded(const Vec3& a) { return {rounded(a.x), rounded(a.y), rounded(a.z)}; }

JsonValue list(std::initializer_list<double> numbers) {
  JsonValue value = JsonValue::array();
  for (const double x : numbers) value.items.emplace_back(x);
  return value;
}
JsonValue list(const Vec3& a) { return list({a.x, a.y, a.z}); }
JsonValue list(const std::vector<double>& numbers) {
  JsonValue value = JsonValue::array();
  for (const double x : numbers) value.items.emplace_back(x);
  return value;
}
JsonValue list(const std::vector<std::string>& texts) {
  JsonValue value = JsonValue::array();
  for (const std::string& text : texts) value.items.emplace_back(text);
  return value;
}

void put(JsonValue& object, const char* key, double value, double standard) {
  if (!same(value, standard)) object.add(key, value);
}
void put(JsonValue& object, const char* key, const Vec3& value, const Vec3& standard) {
  if (!same(value, standard)) object.add(key, list(value));
}
void put(JsonValue& object, const char* key, bool value, bool standard) {
  if (value != standard) object.add(key, JsonValue::of(value));
}

std::string reference(const std::string& body) {
  return body.empty() ? "world" : doubled_braces(body);
}

// an angle in degrees, when that is shorter and reads back exactly
std::optional<double> short_degrees(double angle) {
  const double degrees = rounded(angle * (180 / std::numbers::pi));
  if (!same(radians(degrees), angle)) return std::nullopt;
  if (fmt::format("{}", degrees).size() > fmt::format("{}", angle).size()) return std::nullopt;
  return degrees;
}

void put_angle(JsonValue& object, const std::string& key, double value, bool rotation) {
  if (same(value, 0)) return;
  const auto degrees = rotation ? short_degrees(value) : std::nullopt;
  object.add(degrees ? key + "_deg" : key, degrees.value_or(value));
}

JsonValue orientation(const Mat3& R) {
  // a turn about a coordinate axis; the angle from the entries beside the one
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Vec3 axis;
    axis[k] = 1;
    const double angle = rounded(std::atan2(R[j][i], R[i][i]) * (180 / std::numbers::pi));
    if (!same(rotation_deg(axis, angle), R)) continue;
    JsonValue value = JsonValue::object();
    value.add("axis", list(axis));
    value.add("angle_deg", angle);
    return value;
  }
  const Quat q = quaternion(R);
  for (const Quat& c : {Quat{rounded(q.w), rounded(q.x), rounded(q.y), rounded(q.z)}, q}) {
    if (same(tidy(matrix(unit_quaternion(c.w, c.x, c.y, c.z))), R)) {
      return list({c.w, c.x, c.y, c.z});
    }
  }
  JsonValue rows = JsonValue::array();
  for (int r = 0; r < 3; ++r) rows.items.push_back(list(R[r]));
  return rows;
}

void put_pose(JsonValue& object, const Pose& X) {
  put(object, "position", X.p, {});
  if (!same(X.R, Mat3::identity())) object.add("orientation", orientation(X.R));
}

JsonValue color_value(const Color& c) {
  std::string hex = "#";
  for (const double part : {c.r, c.g, c.b, c.a}) {
    const double step = std::nearbyint(part * 255);
    if (!(step >= 0 && step <= 255) || !same(step / 255.0, part)) return list({c.r, c.g, c.b, c.a});
    hex += fmt::format("{:02x}", static_cast<int>(step));
  }
  // opaque goes without saying
  return same(c.a, 1) ? hex.substr(0, 7) : hex;
}

JsonValue polyhedron(const Polyhedron& p) {
  JsonValue value = JsonValue::object();
  JsonValue& vertices = value.add("vertices", JsonValue::array());
  for (const Vec3& v : p.vertices) vertices.items.push_back(list(v));
  JsonValue& faces = value.add("faces", JsonValue::array());
  for (const auto& [a, b, c] : p.triangles) {
    faces.items.push_back(
        list({static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)}));
  }
  return value;
}

// rows as on a map: the first one at +y
JsonValue height_field(const HeightField& field) {
  JsonValue value = JsonValue::object();
  value.add("spacing", same(field.dx, field.dy) ? JsonValue(field.dx) : list({field.dx, field.dy}));
  JsonValue& rows = value.add("heights", JsonValue::array());
  const auto columns = static_cast<std::size_t>(field.columns);
  for (auto r = static_cast<std::size_t>(field.rows); r-- > 0;) {
    JsonValue& row = rows.items.emplace_back(JsonValue::array());
    for (std::size_t c = 0; c < columns; ++c) {
      row.items.emplace_back(field.heights[r * columns + c]);
    }
  }
  return value;
}

JsonValue round_value(double radius, double half_length) {
  JsonValue value = JsonValue::object();
  value.add("radius", radius);
  value.add("length", 2 * half_length);
  return value;
}

JsonValue shape_value(const Shape& shape) {
  JsonValue value = JsonValue::object();
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) {
    value.add("sphere", sphere->radius);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
    value.add("capsule", round_value(capsule->radius, capsule->half_length));
  } else if (const auto* box = std::get_if<Box>(&shape.geometry)) {
    value.add("box", list(box->half * 2.0));
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry)) {
    value.add("cylinder", round_value(cylinder->radius, cylinder->half_length));
  } else if (const auto* hull = std::get_if<Polyhedron>(&shape.geometry)) {
    value.add("polyhedron", polyhedron(*hull));
  } else if (const auto* field = std::get_if<HeightField>(&shape.geometry)) {
    value.add("height_field", height_field(*field));
  } else {
    value.add("plane", JsonValue::of(true));
  }
  put_pose(value, shape.X_BS);
  const Color standard, &c = shape.color;
  if (!same(c.r, standard.r) || !same(c.g, standard.g) || !same(c.b, standard.b) ||
      !same(c.a, standard.a)) {
    value.add("color", color_value(c));
  }
  put(value, "friction", shape.surface.friction, Surface{}.friction);
  put(value, "restitution", shape.surface.restitution, Surface{}.restitution);
  put(value, "collides", shape.collides, true);
  return value;
}

JsonValue mass_value(const MassProperties& m) {
  JsonValue value = JsonValue::object();
  value.add("mass", m.mass);
  put(value, "center", m.p_BC, {});
  const Sym3& I = m.I_BC;
  const bool diagonal = same(I.xy, 0) && same(I.xz, 0) && same(I.yz, 0);
  value.add("inertia",
            diagonal ? list({I.xx, I.yy, I.zz}) : list({I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}));
  return value;
}

JsonValue path_value(const MotionPath& path) {
  JsonValue keys = JsonValue::array();
  for (const MotionKey& key : path.keys()) {
    JsonValue value = JsonValue::object();
    value.add("t", key.t);
    put_pose(value, {tidy(matrix(key.orientation)), key.p});
    if (key.velocity) {
      value.add("velocity", list(key.velocity->linear));
      value.add("angular_velocity", list(key.velocity->angular));
    }
    keys.items.push_back(std::move(value));
  }
  return keys;
}

JsonValue body_value(const SceneBody& body) {
  JsonValue value = JsonValue::object();
  value.add("name", doubled_braces(body.name));
  put_pose(value, body.X_WB);
  if (body.shapes.size() == 1) value.add("shape", shape_value(body.shapes[0]));
  if (body.shapes.size() > 1) {
    JsonValue& shapes = value.add("shapes", JsonValue::array());
    for (const Shape& shape : body.shapes) shapes.items.push_back(shape_value(shape));
  }
  put(value, "density", body.density, SceneBody{}.density);
  if (body.given) value.add("mass_properties", mass_value(*body.given));
  if (body.velocity) {
    const bool turns = !same(body.velocity->angular, {});
    if (!turns || !same(body.velocity->linear, {})) {
      value.add("velocity", list(body.velocity->linear));
    }
    if (turns) value.add("angular_velocity", list(body.velocity->angular));
  }
  if (!body.group.empty()) value.add("group", doubled_braces(body.group));
  put(value, "immobile", body.immobile, false);
  put(value, "massless", body.massless, false);
  if (body.follows) value.add("follow", path_value(*body.follows));
  return value;
}

void put_drive(JsonValue& object, const Drive& d, const MotorFormulas& m, bool rotation) {
  const Drive standard;
  JsonValue spring = JsonValue::object();
  put(spring, "stiffness", d.stiffness, standard.stiffness);
  put(spring, "hertz", d.hertz, standard.hertz);
  put(spring, "damping_ratio", d.damping_ratio, standard.damping_ratio);
  put_angle(spring, "rest", d.rest, rotation);
  if (!spring.items.empty()) object.add("spring", std::move(spring));
  put(object, "damping", d.damping, standard.damping);

  if (d.lower || d.upper) {
    const auto lower = rotation && d.lower ? short_degrees(*d.lower) : std::nullopt;
    const auto upper = rotation && d.upper ? short_degrees(*d.upper) : std::nullopt;
    const bool in_degrees = lower.has_value() == d.lower.has_value() &&
                            upper.has_value() == d.upper.has_value() && rotation;
    const auto end = [](const std::optional<double>& x) { return x ? JsonValue(*x) : JsonValue(); };
    JsonValue& limits = object.add(in_degrees ? "limits_deg" : "limits", JsonValue::array());
    limits.items.push_back(end(in_degrees ? lower : d.lower));
    limits.items.push_back(end(in_degrees ? upper : d.upper));
  }
  put(object, "limit_stiffness", d.limit_stiffness, standard.limit_stiffness);
  put(object, "limit_damping", d.limit_damping, standard.limit_damping);

  JsonValue motor = JsonValue::object();
  put(motor, "kp", d.kp, standard.kp);
  put(motor, "kd", d.kd, standard.kd);
  if (m.target.empty()) {
    put_angle(motor, "target", d.target, rotation);
  } else {
    motor.add("target", formula_value(m.target));
  }
  if (m.target_velocity.empty()) {
    put_angle(motor, "target_velocity", d.target_velocity, rotation);
  } else {
    motor.add("target_velocity", formula_value(m.target_velocity));
  }
  if (m.force.empty()) {
    put(motor, "force", d.force, standard.force);
  } else {
    motor.add("force", formula_value(m.force));
  }
  if (d.max_force) motor.add("max_force", *d.max_force);
  if (!motor.items.empty()) object.add("motor", std::move(motor));
  put(object, "armature", d.armature, standard.armature);
}

void put_drives(JsonValue& object, const SceneJoint& joint) {
  if (joint.drives.empty() && joint.motor_formulas.empty()) return;
  const Freedoms f = freedoms(joint.type);
  const std::size_t count = std::max(joint.drives.size(), joint.motor_formulas.size());
  const auto value_of = [&](std::size_t i) {
    JsonValue value = JsonValue::object();
    put_drive(value, i < joint.drives.size() ? joint.drives[i] : Drive{},
              i < joint.motor_formulas.size() ? joint.motor_formulas[i] : MotorFormulas{},
              static_cast<int>(i) >= f.translations);
    return value;
  };
  // the same for all freedoms of one kind: among the keys of the joint
  const JsonValue first = value_of(0);
  bool alike = f.translations == 0 || f.rotations == 0;
  for (std::size_t i = 1; i < count; ++i) {
    alike = alike && compact_text(value_of(i), SIZE_MAX) == compact_text(first, SIZE_MAX);
  }
  if (alike && !first.items.empty()) {
    for (std::size_t i = 0; i < first.items.size(); ++i) object.add(first.keys[i], first.items[i]);
    return;
  }
  JsonValue& drives = object.add("drives", JsonValue::array());
  for (std::size_t i = 0; i < count; ++i) drives.items.push_back(value_of(i));
}

void put_initial(JsonValue& object, const std::string& key, const std::vector<double>& values,
                 const Freedoms& f) {
  if (values.empty()) return;
  // in degrees when every rotation can be, and one is not zero
  std::vector<double> degrees = values;
  bool turned = false, exact = f.rotations == 1 || f.rotations == 2;
  for (auto i = static_cast<std::size_t>(f.translations); exact && i < values.size(); ++i) {
    const auto d = short_degrees(values[i]);
    exact = d.has_value();
    if (exact) degrees[i] = *d;
    turned = turned || !same(values[i], 0);
  }
  const bool in_degrees = exact && turned;
  const std::vector<double>& shown = in_degrees ? degrees : values;
  object.add(in_degrees ? key + "_deg" : key,
             shown.size() == 1 ? JsonValue(shown[0]) : list(shown));
}

using Bodies = std::unordered_map<std::string, Pose>;

// Tries anchor and axes in the zero configuration; false when they do not give the same frames.
bool put_anchor(JsonValue& object, const SceneJoint& joint, const Bodies& bodies) {
  const auto pose_of = [&](const std::string& name) -> std::optional<Pose> {
    if (name.empty()) return Pose{};
    const auto found = bodies.find(name);
    return found == bodies.end() ? std::nullopt : std::optional(found->second);
  };
  const auto X_WP = pose_of(joint.parent), X_WB = pose_of(joint.child);
  if (!X_WP || !X_WB) return false;
  const Pose X_WJ = *X_WP * joint.X_PF;
  const bool universal = joint.type == JointType::universal;
  const std::string direction(direction_key(joint.type));

  for (const bool round : {true, false}) {
    const auto number = [round](const Vec3& a) { return round ? rounded(a) : a; };
    const Vec3 x = number(X_WJ.R.column(0)), y = number(X_WJ.R.column(1));
    const Vec3 z = number(X_WJ.R.column(2)), anchor = number(X_WJ.p);
    if (x == Vec3{} || y == Vec3{} || z == Vec3{}) return false;
    PendingJoint trial;
    trial.joint = joint;
    if (universal) {
      const Vec3 ux = unit_vector(x), uy = unit_vector(y);
      constexpr double slanted = 1e-7;
      if (std::fabs(dot(ux, uy)) > slanted) return false;
      trial.X_WJ.R = axes_frame(ux, uy);
    } else if (!direction.empty()) {
      trial.X_WJ.R = direction_frame(unit_vector(z));
    }
    for (const bool with_anchor : {false, true}) {
      trial.has_anchor = with_anchor;
      trial.X_WJ.p = anchor;
      place_joint(trial, *X_WP, *X_WB);
      if (!same(trial.joint.X_PF, joint.X_PF) || !same(trial.joint.X_BM, joint.X_BM)) continue;
      if (with_anchor) object.add("anchor", list(anchor));
      if (universal) {
        JsonValue& axes = object.add("axes", JsonValue::array());
        axes.items = {list(x), list(y)};
      } else if (!direction.empty()) {
        object.add(direction, list(z));
      }
      return true;
    }
  }
  return false;
}

JsonValue joint_value(const SceneJoint& joint, const Bodies& bodies) {
  JsonValue value = JsonValue::object();
  const std::string usual_name = reference(joint.child) + (joint.loop ? ".loop" : ".joint");
  if (doubled_braces(joint.name) != usual_name) value.add("name", doubled_braces(joint.name));
  value.add("type", std::string(to_string(joint.type)));
  if (!joint.parent.empty()) value.add("parent", reference(joint.parent));
  value.add("child", reference(joint.child));
  put(value, "loop", joint.loop, false);
  if (!put_anchor(value, joint, bodies)) {
    for (const auto& [key, X] :
         {std::pair("parent_frame", &joint.X_PF), std::pair("child_frame", &joint.X_BM)}) {
      put_pose(value.add(key, JsonValue::object()), *X);
    }
  }
  put_initial(value, "position", joint.position, freedoms(joint.type));
  put_initial(value, "velocity", joint.velocity, freedoms(joint.type));
  put_drives(value, joint);
  return value;
}

JsonValue attachment(const Attachment& a) {
  JsonValue value = JsonValue::object();
  if (!a.body.empty()) value.add("body", doubled_braces(a.body));
  put(value, "point", a.p, {});
  return value;
}

JsonValue spring_value(const SceneSpring& spring) {
  JsonValue value = JsonValue::object();
  if (!spring.name.empty()) value.add("name", doubled_braces(spring.name));
  value.add("a", attachment(spring.a));
  value.add("b", attachment(spring.b));
  put(value, "stiffness", spring.stiffness, 0.0);
  put(value, "rest_length", spring.rest_length, 0.0);
  put(value, "damping", spring.damping, 0.0);
  return value;
}

JsonValue force_value(const SceneForce& force) {
  JsonValue value = JsonValue::object();
  if (!force.name.empty()) value.add("name", doubled_braces(force.name));
  value.add("body", reference(force.at.body));
  put(value, "point", force.at.p, {});
  if (!force.force_formulas.empty()) value.add("force", vector_value(force.force_formulas));
  if (!force.torque_formulas.empty()) value.add("torque", vector_value(force.torque_formulas));
  if (force.samples.empty()) {
    // told even where nothing depends on it, since it makes numbers a formula
    value.add("axes", std::string(force.in_body_axes ? "body" : "world"));
    put(value, "implicit", force.implicit, false);
    return value;
  }
  const auto put_sample = [](JsonValue& object, const ForceSample& s) {
    put(object, "force", s.force, {});
    put(object, "torque", s.torque, {});
  };
  if (force.samples.size() == 1 && same(force.samples[0].t, 0)) {
    put_sample(value, force.samples[0]);
    return value;
  }
  JsonValue& samples = value.add("samples", JsonValue::array());
  for (const ForceSample& s : force.samples) {
    JsonValue& item = samples.items.emplace_back(JsonValue::object());
    item.add("t", s.t);
    put_sample(item, s);
  }
  return value;
}

template <class Element, class ValueOf>
void put_list(JsonValue& top, const char* key, const std::vector<Element>& elements,
              ValueOf value_of) {
  if (elements.empty()) return;
  JsonValue& values = top.add(key, JsonValue::array());
  for (const Element& element : elements) values.items.push_back(value_of(element));
}

JsonValue contact_pair(const SceneContactPair& pair) {
  JsonValue value = JsonValue::object();
  JsonValue& between = value.add("between", JsonValue::array());
  for (const std::string& name : {pair.a, pair.b}) {
    between.items.emplace_back(name.empty() ? std::string(any_body) : doubled_braces(name));
  }
  if (pair.response != Response::rigid) {
    value.add("response", std::string(to_string(pair.response)));
  }
  if (pair.friction) value.add("friction", *pair.friction);
  if (pair.restitution) value.add("restitution", *pair.restitution);
  put(value, "sticks", pair.sticks, false);
  // of no meaning for the other responses
  if (pair.response != Response::penalty) return value;
  value.add("stiffness", pair.stiffness);
  put(value, "damping", pair.damping, 0.0);
  put(value, "reach", pair.reach, 0.0);
  return value;
}

void put_contact(JsonValue& top, const ContactSettings& c,
                 const std::vector<SceneContactPair>& pairs) {
  const ContactSettings standard;
  JsonValue value = JsonValue::object();
  put(value, "enabled", c.enabled, standard.enabled);
  JsonValue combine = JsonValue::object();
  if (c.friction != standard.friction) {
    combine.add("friction", std::string(to_string(c.friction)));
  }
  if (c.restitution != standard.restitution) {
    combine.add("restitution", std::string(to_string(c.restitution)));
  }
  if (!combine.items.empty()) value.add("combine", std::move(combine));
  put(value, "rest_speed", c.rest_speed, standard.rest_speed);
  put(value, "iterations", static_cast<double>(c.iterations), standard.iterations);
  put(value, "tolerance", c.tolerance, standard.tolerance);
  put(value, "recovery", c.recovery, standard.recovery);
  put(value, "slop", c.slop, standard.slop);
  put(value, "distance", c.distance, standard.distance);

  JsonValue sleep = JsonValue::object();
  put(sleep, "enabled", c.sleep, standard.sleep);
  put(sleep, "speed", c.sleep_speed, standard.sleep_speed);
  put(sleep, "time", c.sleep_time, standard.sleep_time);
  const std::vector<std::string> only_enabled{"enabled"};
  if (!sleep.items.empty()) {
    value.add("sleep", sleep.keys == only_enabled ? JsonValue::of(c.sleep) : sleep);
  }
  put_list(value, "pairs", pairs, contact_pair);
  if (value.items.empty()) return;
  top.add("contact", value.keys == only_enabled ? JsonValue::of(c.enabled) : value);
}

void put_settings(JsonValue& top, const Settings& s) {
  const Settings standard;
  put(top, "gravity", s.gravity, standard.gravity);
  if (s.formulation != standard.formulation) {
    top.add("formulation", std::string(to_string(s.formulation)));
  }
  JsonValue steps = JsonValue::object();
  const std::string method(to_string(s.integrator));
  if (s.integrator != standard.integrator) steps.add("method", method);
  put(steps, "time_step", s.time_step, standard.time_step);
  put(steps, "tolerance", s.tolerance, standard.tolerance);
  put(steps, "min_step", s.min_step, standard.min_step);
  put(steps, "max_step", s.max_step, standard.max_step);
  const bool only_method = steps.keys == std::vector<std::string>{"method"};
  if (!steps.items.empty()) top.add("integrator", only_method ? JsonValue(method) : steps);

  JsonValue projection = JsonValue::object();
  put(projection, "enabled", s.project, standard.project);
  put(projection, "tolerance", s.constraint_tolerance, standard.constraint_tolerance);
  const bool only_enabled = projection.keys == std::vector<std::string>{"enabled"};
  if (!projection.items.empty()) {
    top.add("projection", only_enabled ? JsonValue::of(s.project) : projection);
  }
  put(top, "start_time", s.start_time, standard.start_time);
  put(top, "duration", s.duration, standard.duration);
  put(top, "fps", s.fps, standard.fps);
}

void put_camera(JsonValue& top, const Camera& camera) {
  const Camera standard;
  JsonValue value = JsonValue::object();
  put(value, "position", camera.position, standard.position);
  put(value, "target", camera.target, standard.target);
  put(value, "fov_deg", camera.fov_deg, standard.fov_deg);
  if (!value.items.empty()) top.add("camera", std::move(value));
}

void put_character(JsonValue& top, const SceneCharacter& character) {
  const SceneCharacter standard;
  JsonValue value = JsonValue::object();
  value.add("torso", doubled_braces(character.torso));
  put_list(value, "feet", character.feet, [](const SceneFoot& foot) {
    JsonValue item = JsonValue::object();
    item.add("body", doubled_braces(foot.body));
    item.add("toe", list(foot.toe));
    item.add("heel", list(foot.heel));
    put(item, "radius", foot.radius, SceneFoot{}.radius);
    return item;
  });
  put_list(value, "mirror", character.mirror, [](const MirrorPair& pair) {
    return list({doubled_braces(pair.left), doubled_braces(pair.right)});
  });
  put(value, "forward", character.forward, standard.forward);
  top.add("character", std::move(value));
}

}  // namespace

std::string scene_text(const Scene& scene) {
  JsonValue top = JsonValue::object();
  if (!scene.name.empty()) top.add("name", scene.name);
  if (!scene.description.empty()) top.add("description", scene.description);
  put_settings(top, scene.settings);
  put_contact(top, scene.settings.contact, scene.contact_pairs);
  put_camera(top, scene.camera);
  if (!scene.plot.empty()) top.add("plot", list(scene.plot));

  Bodies bodies;
  for (const SceneBody& body : scene.bodies) bodies.emplace(body.name, body.X_WB);
  put_list(top, "bodies", scene.bodies, body_value);
  put_list(top, "joints", scene.joints,
           [&](const SceneJoint& joint) { return joint_value(joint, bodies); });
  put_list(top, "springs", scene.springs, spring_value);
  put_list(top, "forces", scene.forces, force_value);
  put_definitions(top, scene);
  JsonValue tables = JsonValue::object();
  for (const SceneTable& table : scene.tables) tables.add(table.body, table.file);
  if (!scene.tables.empty()) top.add("tables", std::move(tables));
  put(top, "legacy_angles", scene.legacy_angles, false);
  if (scene.character) put_character(top, *scene.character);
  if (!scene.warnings.empty()) top.add("warnings", list(scene.warnings));
  return pretty_text(top);
}

}  // namespace molejo
