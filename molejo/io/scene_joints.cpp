// Joints, drives, springs between points, forces.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/scene_formulas.h"
#include "molejo/io/scene_keys.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

enum class Freedom { translation, rotation };

// A coordinate or rate under `key` in radians or metres, or under key + "_deg" in degrees.
void read_coordinate(const JsonCursor& object, const std::string& key, Freedom freedom,
                     double& target) {
  const std::string key_deg = key + "_deg";
  const std::string_view found = object.only_one({key, key_deg});
  if (found.empty()) return;
  const JsonCursor item = object.need(found);
  target = item.number();
  if (found == key) return;
  if (freedom == Freedom::translation) {
    item.fail(fmt::format("this freedom is a translation: give '{}' in metres", key));
  }
  target = radians(target);
}

void read_joint_spring(const JsonCursor& cursor, Freedom freedom, Drive& drive) {
  cursor.expect_keys(scene_keys(SceneObject::joint_spring));
  cursor.only_one({"stiffness", "hertz"});
  cursor.read_not_negative("stiffness", drive.stiffness);
  cursor.read_not_negative("hertz", drive.hertz);
  cursor.read_not_negative("damping_ratio", drive.damping_ratio);
  read_coordinate(cursor, "rest", freedom, drive.rest);
}

// One freedom as it is driven.
struct ReadDrive {
  Drive drive;
  MotorFormulas formulas;
};

void read_motor(const JsonCursor& cursor, Freedom freedom, const Surroundings& around,
                ReadDrive& read) {
  cursor.expect_keys(scene_keys(SceneObject::motor));
  Drive& drive = read.drive;
  cursor.read_not_negative("kp", drive.kp);
  cursor.read_not_negative("kd", drive.kd);
  const auto take = [&](const std::string& key, SceneFormula& formula) {
    const auto item = cursor.find(key);
    if (!item || !is_formula(*item)) return false;
    formula = read_formula(*item, around);
    return true;
  };
  const auto read_target = [&](const std::string& key, SceneFormula& formula, double& target) {
    cursor.only_one({key, key + "_deg"});
    if (const auto degrees = cursor.find(key + "_deg"); degrees && is_formula(*degrees)) {
      degrees->fail(fmt::format("give a formula as '{}', with degrees as in 30 deg", key));
    }
    if (!take(key, formula)) read_coordinate(cursor, key, freedom, target);
  };
  read_target("target", read.formulas.target, drive.target);
  read_target("target_velocity", read.formulas.target_velocity, drive.target_velocity);
  if (!take("force", read.formulas.force)) cursor.read("force", drive.force);
  if (const auto most = cursor.find("max_force")) drive.max_force = most->not_negative();
}

void read_limits(const JsonCursor& cursor, Freedom freedom, Drive& drive) {
  cursor.read_not_negative("limit_stiffness", drive.limit_stiffness);
  cursor.read_not_negative("limit_damping", drive.limit_damping);
  const std::string_view key = cursor.only_one({"limits", "limits_deg"});
  if (key.empty()) return;
  const JsonCursor limits = cursor.need(key);
  if (!limits.is_array() || limits.size() != 2)
    limits.fail("expected [lower, upper]; null: no limit");
  const bool in_degrees = key == "limits_deg";
  if (in_degrees && freedom == Freedom::translation) {
    limits.fail("this freedom is a translation: give 'limits' in metres");
  }
  const auto end = [&](const JsonCursor& item) -> std::optional<double> {
    if (item.is_null()) return std::nullopt;
    return in_degrees ? radians(item.number()) : item.number();
  };
  drive.lower = end(limits[0]);
  drive.upper = end(limits[1]);
  if (drive.lower && drive.upper && *drive.lower > *drive.upper) {
    limits.fail("the lower limit is above the upper limit");
  }
}

// The keys of a drive, in an object of their own or among those of the joint.
ReadDrive read_drive(const JsonCursor& cursor, Freedom freedom, const Surroundings& around) {
  ReadDrive read;
  Drive& drive = read.drive;
  if (const auto spring = cursor.find("spring")) read_joint_spring(*spring, freedom, drive);
  cursor.read_not_negative("damping", drive.damping);
  read_limits(cursor, freedom, drive);
  if (const auto motor = cursor.find("motor")) read_motor(*motor, freedom, around, read);
  cursor.read_not_negative("armature", drive.armature);
  return read;
}

void add_drive(const ReadDrive& read, SceneJoint& joint) {
  joint.drives.push_back(read.drive);
  joint.motor_formulas.push_back(read.formulas);
}

// without formulas there is no list of them
void tidy_formulas(SceneJoint& joint) {
  const bool none = std::all_of(
      joint.motor_formulas.begin(), joint.motor_formulas.end(), [](const MotorFormulas& m) {
        return m.target.empty() && m.target_velocity.empty() && m.force.empty();
      });
  if (none) joint.motor_formulas.clear();
}

void read_drives(const JsonCursor& cursor, const Surroundings& around, SceneJoint& joint) {
  const Freedoms f = freedoms(joint.type);
  const auto count = static_cast<std::size_t>(f.count());
  const auto kind = [&](std::size_t i) {
    return static_cast<int>(i) < f.translations ? Freedom::translation : Freedom::rotation;
  };
  std::string_view shared;  // a key of the joint that describes a drive
  for (const std::string& key : scene_keys(SceneObject::drive)) {
    if (!cursor.has(key)) continue;
    shared = key;
    cursor.only_one({"drives", key});
  }
  if (!shared.empty()) {
    const std::string type(to_string(joint.type));
    if (count == 0)
      cursor.need(shared).fail(fmt::format("a {} joint has no freedom to drive", type));
    if (f.translations > 0 && f.rotations > 0) {
      cursor.need(shared).fail(fmt::format(
          "a {} joint has translations and rotations: give 'drives', one per freedom", type));
    }
    const ReadDrive read = read_drive(cursor, kind(0), around);
    for (std::size_t i = 0; i < count; ++i) add_drive(read, joint);
  }
  const auto drives = cursor.find("drives");
  if (!drives) return tidy_formulas(joint);
  drives->expect_array(6);
  if (drives->size() != count) {
    drives->fail(fmt::format("{} drives, a {} joint has {} freedoms", drives->size(),
                             to_string(joint.type), count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const JsonCursor item = (*drives)[i];
    item.expect_keys(scene_keys(SceneObject::drive));
    add_drive(read_drive(item, kind(i), around), joint);
  }
  tidy_formulas(joint);
}

// One number for one freedom, else a list.
std::vector<double> number_or_list(const JsonCursor& cursor, std::size_t count) {
  if (count == 1 && cursor.is_number()) return {cursor.number()};
  return cursor.numbers(count);
}

void read_position(const JsonCursor& cursor, SceneJoint& joint) {
  const Freedoms f = freedoms(joint.type);
  const auto translations = static_cast<std::size_t>(f.translations);
  const std::string_view key = cursor.only_one({"position", "position_deg"});
  const auto rotation = cursor.find("rotation");
  if (rotation && f.rotations != 3) {
    rotation->fail("only joints with three rotations have one; give 'position'");
  }
  if (!key.empty()) {
    const JsonCursor item = cursor.need(key);
    if (f.count() == 0) item.fail("a fixed joint has no coordinates");
    const auto count = rotation ? translations : static_cast<std::size_t>(f.coordinates());
    joint.position = number_or_list(item, count);
    if (key == "position_deg") {
      if (f.rotations == 0 || f.rotations == 3) {
        item.fail(f.rotations == 0 ? "this freedom is a translation: give 'position' in metres"
                                   : "give three rotations as a 'rotation'");
      }
      for (std::size_t i = translations; i < joint.position.size(); ++i) {
        joint.position[i] = radians(joint.position[i]);
      }
    }
    if (f.rotations == 3 && !rotation) {
      double* q = &joint.position[translations];
      if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        item.fail("a quaternion of length zero");
      const Quat unit = unit_quaternion(q[0], q[1], q[2], q[3]);
      q[0] = unit.w, q[1] = unit.x, q[2] = unit.y, q[3] = unit.z;
    }
  }
  if (rotation) {
    joint.position.resize(translations, 0);
    const Quat q = quaternion(read_orientation(*rotation));
    joint.position.insert(joint.position.end(), {q.w, q.x, q.y, q.z});
  }
}

void read_velocity(const JsonCursor& cursor, SceneJoint& joint) {
  const Freedoms f = freedoms(joint.type);
  const std::string_view key = cursor.only_one({"velocity", "velocity_deg"});
  if (key.empty()) return;
  const JsonCursor item = cursor.need(key);
  if (f.count() == 0) item.fail("a fixed joint has no velocity");
  joint.velocity = number_or_list(item, static_cast<std::size_t>(f.count()));
  if (key == "velocity") return;
  if (f.rotations == 0) item.fail("this freedom is a translation: give 'velocity' in metres");
  for (auto i = static_cast<std::size_t>(f.translations); i < joint.velocity.size(); ++i) {
    joint.velocity[i] = radians(joint.velocity[i]);
  }
}

JointType read_type(const JsonCursor& cursor) {
  const std::string word = cursor.text();
  if (const auto type = parse_joint_type(word)) return *type;
  // the words of other systems
  const std::map<std::string, std::string, std::less<>> elsewhere{
      {"hinge", "revolute"},  {"continuous", "revolute"}, {"pin", "revolute"},
      {"slide", "prismatic"}, {"slider", "prismatic"},    {"ball", "spherical"},
      {"hooke", "universal"}, {"cardan", "universal"},    {"weld", "fixed"},
      {"floating", "free"},   {"plane", "planar"}};
  const auto other = elsewhere.find(word);
  if (other != elsewhere.end()) {
    cursor.fail(fmt::format("unknown joint type '{}'; did you mean '{}'?", word, other->second));
  }
  std::vector<std::string> known;
  for (int t = 0; t <= static_cast<int>(JointType::free); ++t) {
    known.emplace_back(to_string(static_cast<JointType>(t)));
  }
  cursor.fail(unknown_word("joint type", word, known));
}

// The orientation of the joint frame, in the coordinates of the instance.
Mat3 read_axes(const JsonCursor& cursor, JointType type) {
  const std::string_view key = cursor.only_one({"axis", "normal", "axes", "orientation"});
  if (key == "orientation") return read_orientation(cursor.need(key));
  const std::string_view wanted =
      type == JointType::universal ? std::string_view("axes") : direction_key(type);
  if (key != wanted) {
    if (key.empty()) {
      cursor.fail(fmt::format("key '{}' is missing: a {} joint needs it", wanted, to_string(type)));
    }
    cursor.need(key).fail(
        wanted.empty()
            ? fmt::format("a {} joint has no '{}'; give an 'orientation' or nothing",
                          to_string(type), key)
            : fmt::format("a {} joint has '{}', not '{}'", to_string(type), wanted, key));
  }
  if (key.empty()) return Mat3::identity();
  if (key != "axes") return direction_frame(cursor.need(key).direction());
  const JsonCursor axes = cursor.need(key);
  if (!axes.is_array() || axes.size() != 2) axes.fail("expected two axes [[x, y, z], [x, y, z]]");
  const Vec3 x = axes[0].direction(), y = axes[1].direction();
  constexpr double slanted = 1e-6;
  if (std::fabs(dot(x, y)) > slanted) axes.fail("the two axes must be perpendicular");
  return axes_frame(x, y);
}

Pose read_frame(const JsonCursor& cursor, const BodyReference& body, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::frame));
  const Pose X = read_pose(cursor);
  return body.is_world() && around.X_WI != Pose{} ? around.X_WI * X : X;
}

void read_frames(const JsonCursor& cursor, const Surroundings& around, PendingJoint& pending) {
  const auto parent = cursor.find("parent_frame"), child = cursor.find("child_frame");
  if (parent || child) {
    for (const auto* key : {"anchor", "axis", "normal", "axes", "orientation"}) {
      cursor.only_one({parent ? "parent_frame" : "child_frame", key});
    }
    if (parent) pending.joint.X_PF = read_frame(*parent, pending.parent, around);
    if (child) pending.joint.X_BM = read_frame(*child, pending.child, around);
    pending.has_parent_frame = parent.has_value();
    pending.has_child_frame = child.has_value();
    return;
  }
  pending.X_WJ.R = read_axes(cursor, pending.joint.type);
  pending.has_anchor = cursor.has("anchor");
  cursor.read("anchor", pending.X_WJ.p);
  if (around.X_WI != Pose{}) pending.X_WJ = around.X_WI * pending.X_WJ;
}

// A point on a body; points of the world are moved with the instance.
void read_point(const JsonCursor& cursor, const BodyReference& body, const Surroundings& around,
                Attachment& target) {
  cursor.read("point", target.p);
  if (body.is_world() && around.X_WI != Pose{}) target.p = around.X_WI * target.p;
}

}  // namespace

std::string_view direction_key(JointType type) {
  switch (type) {
    case JointType::revolute:
    case JointType::prismatic:
    case JointType::cylindrical:
      return "axis";
    case JointType::planar:
    case JointType::point_in_plane:
      return "normal";
    default:
      return {};
  }
}

BodyReference read_reference(const JsonCursor& cursor, const Surroundings& around) {
  return {&cursor.value(), around.prefix, cursor.name()};
}

PendingJoint read_joint(const JsonCursor& cursor, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::joint));
  PendingJoint pending;
  SceneJoint& joint = pending.joint;
  joint.type = read_type(cursor.need("type"));
  cursor.read("loop", joint.loop);
  pending.child = read_reference(cursor.need("child"), around);
  pending.parent.name = "world";
  if (const auto parent = cursor.find("parent")) pending.parent = read_reference(*parent, around);
  if (pending.child.is_world() && !joint.loop) {
    cursor.need("child").fail("the world cannot be a child; swap parent and child");
  }
  const auto name = cursor.find("name");
  const std::string usual_name = pending.child.name + (joint.loop ? ".loop" : ".joint");
  joint.name = around.full_name(name ? *name : cursor, name ? name->name() : usual_name);
  read_frames(cursor, around, pending);
  if (joint.loop) {
    for (const auto* key : {"position", "position_deg", "rotation", "velocity", "velocity_deg"}) {
      if (cursor.has(key)) cursor.need(key).fail("a loop closure has no initial state of its own");
    }
  }
  read_position(cursor, joint);
  read_velocity(cursor, joint);
  read_drives(cursor, around, joint);
  return pending;
}

void place_joint(PendingJoint& pending, const Pose& X_WP, const Pose& X_WB) {
  SceneJoint& joint = pending.joint;
  Pose X_WJ = pending.X_WJ;
  if (pending.has_parent_frame) {
    X_WJ = X_WP * joint.X_PF;
  } else if (pending.has_child_frame) {
    X_WJ = X_WB * joint.X_BM;
  } else if (!pending.has_anchor) {
    X_WJ.p = X_WB.p;
  }
  if (!pending.has_parent_frame) joint.X_PF = tidy(inverse(X_WP) * X_WJ);
  if (!pending.has_child_frame) joint.X_BM = tidy(inverse(X_WB) * X_WJ);
}

PendingSpring read_spring(const JsonCursor& cursor, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::spring));
  PendingSpring pending;
  SceneSpring& spring = pending.spring;
  if (const auto name = cursor.find("name")) {
    spring.name = around.full_name(*name, name->name());
  }
  const auto read_end = [&](const char* key, BodyReference& body, Attachment& target) {
    const JsonCursor end = cursor.need(key);
    end.expect_keys(scene_keys(SceneObject::attachment));
    body.name = "world";
    if (const auto word = end.find("body")) body = read_reference(*word, around);
    read_point(end, body, around, target);
  };
  read_end("a", pending.a, spring.a);
  read_end("b", pending.b, spring.b);
  cursor.read_not_negative("stiffness", spring.stiffness);
  cursor.read_not_negative("rest_length", spring.rest_length);
  cursor.read_not_negative("damping", spring.damping);
  return pending;
}

namespace {

bool has_formulas(const JsonCursor& cursor) {
  const auto force = cursor.find("force"), torque = cursor.find("torque");
  return (force && is_vector_formula(*force)) || (torque && is_vector_formula(*torque)) ||
         cursor.has("axes") || cursor.has("implicit");
}

// Numbers alone are turned with the instance, as in any other force; formulas speak of the world.
std::vector<SceneFormula> read_formulas(const JsonCursor& cursor, bool turns,
                                        const Surroundings& around) {
  if (is_vector_formula(cursor)) return read_vector_formula(cursor, around);
  Vec3 numbers = cursor.vec3();
  if (turns && around.X_WI.R != Mat3::identity()) numbers = around.X_WI.R * numbers;
  return {constant_formula(numbers.x), constant_formula(numbers.y), constant_formula(numbers.z)};
}

void read_formula_force(const JsonCursor& cursor, const Surroundings& around, SceneForce& force) {
  for (const char* key : {"force", "torque", "axes", "implicit"}) cursor.only_one({"samples", key});
  if (const auto axes = cursor.find("axes")) {
    const std::string word = axes->text(), known[] = {"world", "body"};
    if (std::find(std::begin(known), std::end(known), word) == std::end(known)) {
      axes->fail(unknown_word("axes", word, known));
    }
    force.in_body_axes = word == "body";
  }
  cursor.read("implicit", force.implicit);
  const bool turns = !force.in_body_axes;
  if (const auto item = cursor.find("force")) {
    force.force_formulas = read_formulas(*item, turns, around);
  }
  if (const auto item = cursor.find("torque")) {
    force.torque_formulas = read_formulas(*item, turns, around);
  }
  if (force.force_formulas.empty() && force.torque_formulas.empty()) {
    cursor.fail("key 'force' or 'torque' is missing");
  }
}

}  // namespace

PendingForce read_force(const JsonCursor& cursor, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::force));
  PendingForce pending;
  SceneForce& force = pending.force;
  if (const auto name = cursor.find("name")) force.name = around.full_name(*name, name->name());
  const JsonCursor body = cursor.need("body");
  pending.body = read_reference(body, around);
  if (pending.body.is_world()) body.fail("the world cannot be pushed; name a body");
  read_point(cursor, pending.body, around, force.at);

  if (has_formulas(cursor)) {
    read_formula_force(cursor, around, force);
    return pending;
  }
  const auto read_sample = [&](const JsonCursor& item, ForceSample& sample) {
    item.read("force", sample.force);
    item.read("torque", sample.torque);
    if (around.X_WI.R != Mat3::identity()) {
      sample.force = around.X_WI.R * sample.force;
      sample.torque = around.X_WI.R * sample.torque;
    }
  };
  const auto samples = cursor.find("samples");
  if (!samples) {
    read_sample(cursor, force.samples.emplace_back());
    return pending;
  }
  cursor.only_one({"samples", "force"});
  cursor.only_one({"samples", "torque"});
  samples->expect_array(max_scene_elements);
  if (samples->size() == 0) samples->fail("expected at least one sample");
  for (std::size_t i = 0; i < samples->size(); ++i) {
    const JsonCursor item = (*samples)[i];
    item.expect_keys(scene_keys(SceneObject::sample));
    ForceSample& sample = force.samples.emplace_back();
    sample.t = item.need("t").number();
    if (i > 0 && !(force.samples[i - 1].t < sample.t)) item.need("t").fail("times must increase");
    read_sample(item, sample);
  }
  return pending;
}

}  // namespace molejo
