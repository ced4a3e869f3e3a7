// Actuators, equalities and keyframes.
//
// An actuator with gear g on a joint coordinate x (MuJoCo's, x = q + ref) exerts
//
//   g (gain u + b_0 + b_1 g x + b_2 g dx/dt)       u the control, held within its range
//
// which is our motor kp (target - q) + kd (target_velocity - v) + force with kp = -b_1 g^2 and
// kd = -b_2 g^2. Source: MuJoCo documentation, "Computation", actuation model.
#include <algorithm>
#include <cmath>

#include "molejo/io/mjcf_parts.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using MjcfJointKind = MjcfJoint::Kind;

void mark_attributes(const XmlElement& element) {
  for (const XmlAttribute& a : element.attributes) a.read = true;
}

template <class Index>
std::vector<std::string> names_of(const Index& index) {
  std::vector<std::string> names;
  for (const auto& entry : index) names.push_back(entry.first);
  return names;
}

// gain and bias of an actuator that has no state of its own
struct Law {
  double gain = 1, b0 = 0, b1 = 0, b2 = 0;
};

// One motor per freedom of a joint.
struct Motor {
  double kp = 0, kd = 0, target = 0, target_velocity = 0, force = 0;
  std::optional<double> max_force;
};

// a weighted mean of targets keeps the sum of the forces
void add_motor(Drive& drive, bool is_first, const Motor& motor) {
  const auto mean = [](double ka, double a, double kb, double b) {
    return ka + kb > 0 ? (ka * a + kb * b) / (ka + kb) : 0.0;
  };
  drive.target = mean(drive.kp, drive.target, motor.kp, motor.target);
  drive.target_velocity = mean(drive.kd, drive.target_velocity, motor.kd, motor.target_velocity);
  drive.kp += motor.kp;
  drive.kd += motor.kd;
  drive.force += motor.force;
  if (is_first) {
    drive.max_force = motor.max_force;
  } else if (drive.max_force && motor.max_force) {
    *drive.max_force += *motor.max_force;
  } else {
    drive.max_force.reset();
  }
}

class ActuatorReader {
 public:
  ActuatorReader(const XmlElement& element, double control, MjcfReading& reading)
      : element_(element),
        reading_(reading),
        seen_(reading.with_defaults(element, MjcfDefaults::main)),
        control_(control) {
    // what some actuator could ask for is no news in a default class
    for (const char* attribute :
         {"kp", "kv", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "gainprm",
          "biasprm", "gaintype", "biastype", "dyntype"}) {
      reading.defaults.remember_question(element, attribute);
    }
  }

  void read(std::vector<bool>& has_motor) {
    element_.find("name");
    const auto target = seen_.find_any({"joint", "jointinparent"});
    if (!target) return leave_out("an actuator that does not drive a joint was left out");
    const MjcfJoint& joint = find_joint(*target);
    if (!read_law()) return;
    read_control();

    SceneJoint& scene_joint = reading_.scene.joints[joint.index];
    const auto count = static_cast<std::size_t>(freedoms(scene_joint.type).count());
    const auto gears = seen_.find("gear");
    std::vector<double> gear = gears ? gears->numbers(1, 6) : std::vector<double>{1};
    gear.resize(6, 0);
    const bool scalar = joint.kind == MjcfJointKind::hinge || joint.kind == MjcfJointKind::slide;
    if (!scalar && (law_.b1 != 0 || law_.b2 != 0 || target->attribute->name == "jointinparent")) {
      return leave_out("an actuator of a ball or free joint other than a motor was left out");
    }
    if (has_motor[joint.index]) {
      reading_.warnings.add(element_,
                            "several actuators of one joint were added up; the largest "
                            "force is the sum of theirs");
    }
    if (scene_joint.drives.empty()) scene_joint.drives.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      add_motor(scene_joint.drives[i], !has_motor[joint.index], motor(gear[i], joint.ref));
    }
    has_motor[joint.index] = true;
  }

 private:
  void leave_out(const std::string& sentence) {
    reading_.warnings.add(element_, sentence);
    mark_attributes(element_);
  }

  const MjcfJoint& find_joint(const XmlValue& name) const {
    const auto found = reading_.joint_index.find(name.text());
    if (found != reading_.joint_index.end()) {
      // joints are in the order of their indices
      const auto joint =
          std::lower_bound(reading_.joints.begin(), reading_.joints.end(), found->second,
                           [](const MjcfJoint& j, std::size_t index) { return j.index < index; });
      if (joint != reading_.joints.end() && joint->index == found->second) return *joint;
    }
    name.fail(unknown_word("joint", shown(name.text()), names_of(reading_.joint_index)));
  }

  bool read_law() {
    if (element_.name == "position") {
      law_.gain = gain("kp");
      law_.b1 = -law_.gain;
      if (const auto kv = seen_.find("kv")) law_.b2 = -kv->not_negative();
    } else if (element_.name == "velocity") {
      law_.gain = gain("kv");
      law_.b2 = -law_.gain;
    } else if (element_.name == "general") {
      return read_general();
    }
    return true;
  }

  double gain(const char* name) const {
    const auto value = seen_.find(name);
    return value ? value->not_negative() : 1;
  }

  bool read_general() {
    static const std::vector<std::string> dynamics{"none",        "integrator", "filter",
                                                   "filterexact", "muscle",     "user"};
    static const std::vector<std::string> gains{"fixed", "affine", "muscle", "user"};
    static const std::vector<std::string> biases{"none", "affine", "muscle", "user"};
    const auto choose = [&](const char* name, const std::vector<std::string>& words) {
      const auto value = seen_.find(name);
      return value ? value->word(name, words) : 0;
    };
    const std::size_t dyntype = choose("dyntype", dynamics);
    const std::size_t gaintype = choose("gaintype", gains), biastype = choose("biastype", biases);
    const auto gainprm = seen_.find("gainprm"), biasprm = seen_.find("biasprm");
    std::vector<double> g = gainprm ? gainprm->numbers(1, 10) : std::vector<double>{1};
    std::vector<double> b = biasprm ? biasprm->numbers(1, 10) : std::vector<double>{};
    b.resize(10, 0);
    law_.gain = g[0];
    if (biastype == 1) law_.b0 = b[0], law_.b1 = b[1], law_.b2 = b[2];
    if (dyntype != 0 || gaintype != 0 || biastype > 1 || law_.b1 > 0 || law_.b2 > 0) {
      leave_out("a general actuator other than a fixed gain with a servo-like bias was left out");
      return false;
    }
    return true;
  }

  // A range that counts: "limited" says so, or it is given and nothing is said.
  std::optional<std::vector<double>> range(const char* limited, const char* name) const {
    static const std::vector<std::string> words{"false", "true", "auto"};
    const auto flag = seen_.find(limited), value = seen_.find(name);
    const std::size_t word = flag ? flag->word("value", words) : 2;
    std::vector<double> r{0, 0};
    if (value) r = value->numbers(2, 2);
    const bool counts = word == 1 || (word == 2 && reading_.compiler.autolimits && r[0] < r[1]);
    if (!counts) return std::nullopt;
    if (!value) flag->fail(std::string("expected the attribute '") + name + "'");
    if (!(r[0] < r[1])) value->fail("expected a lower limit below the upper one");
    return r;
  }

  void read_control() {
    const auto ctrlrange = range("ctrllimited", "ctrlrange");
    const auto forcerange = range("forcelimited", "forcerange");
    if (ctrlrange) control_ = std::clamp(control_, (*ctrlrange)[0], (*ctrlrange)[1]);
    const auto largest = [](const std::vector<double>& r) {
      return std::max(std::fabs(r[0]), std::fabs(r[1]));
    };
    if (forcerange) {
      max_force_ = largest(*forcerange);
      if ((*forcerange)[0] != -(*forcerange)[1]) {
        reading_.warnings.add(element_, "a force range that is not symmetric was widened");
      }
    } else if (ctrlrange && law_.b1 == 0 && law_.b2 == 0) {
      max_force_ = std::fabs(law_.gain) * largest(*ctrlrange) + std::fabs(law_.b0);
    }
  }

  Motor motor(double gear, double ref) const {
    Motor m;
    const double drive = gear * (law_.gain * control_ + law_.b0);
    m.kp = -law_.b1 * gear * gear;
    m.kd = -law_.b2 * gear * gear;
    if (m.kp > 0) {
      m.target = drive / m.kp - ref;
    } else if (m.kd > 0) {
      m.target_velocity = drive / m.kd;
    } else {
      m.force = drive;
    }
    if (max_force_) m.max_force = std::fabs(gear) * *max_force_;
    return m;
  }

  const XmlElement& element_;
  MjcfReading& reading_;
  MjcfElement seen_;
  double control_;
  Law law_;
  std::optional<double> max_force_;
};

// The body that an equality names; nothing: the world.
const SceneBody* find_body(const std::optional<XmlValue>& name, const MjcfReading& reading) {
  if (!name || name->text() == "world") return nullptr;
  const auto found = reading.body_index.find(name->text());
  if (found == reading.body_index.end()) {
    name->fail(unknown_word("body", shown(name->text()), names_of(reading.body_index)));
  }
  return &reading.scene.bodies[found->second];
}

// anchor or relpose: where body 2 is held, seen from body 1
Pose hold(const MjcfElement& e, bool is_weld, const Pose& X_1W, const Pose& X_W2) {
  if (!is_weld) {
    e.element.require("anchor");
    return {X_1W.R * X_W2.R, e.vector("anchor", {})};
  }
  const auto relpose = e.find("relpose");
  std::vector<double> r = relpose ? relpose->numbers(7, 7) : std::vector<double>(7, 0);
  const Quat q{r[3], r[4], r[5], r[6]};
  // no orientation: as they are in the zero configuration
  if (!(squared_norm(q) > 1e-18)) return X_1W * X_W2;
  return {matrix(normalized(q)), {r[0], r[1], r[2]}};
}

void read_equality(const XmlElement& element, MjcfReading& reading) {
  const bool is_weld = element.name == "weld";
  const MjcfElement seen = reading.with_defaults(element, MjcfDefaults::main);
  if (const auto active = seen.find("active"); active && !active->boolean()) {
    reading.warnings.add(element, "an equality that is not active was left out");
    return mark_attributes(element);
  }
  const auto body_1 = element.find("body1"), body_2 = element.find("body2");
  if (!body_1) {
    reading.warnings.add(element, "an equality between sites was left out");
    return mark_attributes(element);
  }
  const SceneBody* a = find_body(body_1, reading);
  const SceneBody* b = find_body(body_2, reading);
  if (a == b) element.fail("expected two different bodies");
  const Pose X_WA = a != nullptr ? a->X_WB : Pose{}, X_WB = b != nullptr ? b->X_WB : Pose{};
  const Pose X_AH = hold(seen, is_weld, inverse(X_WA), X_WB);

  SceneJoint joint;
  joint.loop = true;
  joint.type = is_weld ? JointType::fixed : JointType::spherical;
  joint.parent = a != nullptr ? a->name : "";
  joint.child = b != nullptr ? b->name : "";
  joint.X_PF = X_AH;
  joint.X_BM = is_weld ? Pose{} : inverse(X_WB) * X_WA * X_AH;
  // the world is always the parent
  if (b == nullptr) {
    std::swap(joint.parent, joint.child);
    std::swap(joint.X_PF, joint.X_BM);
  }
  const auto name = element.find("name");
  const std::string base = name && !name->text().empty()
                               ? name->text()
                               : element.name + "_" + joint.parent + "_" + joint.child;
  joint.name = base;
  const std::size_t index = reading.scene.joints.size();
  for (std::size_t n = index; !reading.joint_index.emplace(joint.name, index).second; ++n) {
    joint.name = base + "_" + std::to_string(n);
  }
  reading.scene.joints.push_back(std::move(joint));
}

const XmlElement* chosen_key(const std::vector<const XmlElement*>& keys) {
  for (const XmlElement* key : keys) {
    const auto name = key->find("name");
    if (name && name->text() == "home") return key;
  }
  return keys.empty() ? nullptr : keys.front();
}

std::size_t coordinates(MjcfJointKind kind) {
  return kind == MjcfJointKind::free ? 7 : kind == MjcfJointKind::ball ? 4 : 1;
}
std::size_t velocities(MjcfJointKind kind) {
  return kind == MjcfJointKind::free ? 6 : kind == MjcfJointKind::ball ? 3 : 1;
}

// MuJoCo's coordinates of one joint as ours.
std::vector<double> our_coordinates(const MjcfJoint& joint, const double* q,
                                    const XmlValue& value) {
  if (joint.kind == MjcfJointKind::hinge || joint.kind == MjcfJointKind::slide)
    return {q[0] - joint.ref};
  const double* w = joint.kind == MjcfJointKind::free ? q + 3 : q;
  Quat quat{w[0], w[1], w[2], w[3]};
  if (!(squared_norm(quat) > 1e-18)) value.fail("expected quaternions that are not zero");
  quat = normalized(quat);
  if (joint.kind == MjcfJointKind::ball) return {quat.w, quat.x, quat.y, quat.z};
  const Vec3 p = Vec3{q[0], q[1], q[2]} - joint.X_WB.p;
  quat = normalized(conjugate(quaternion(joint.X_WB.R)) * quat);
  return {p.x, p.y, p.z, quat.w, quat.x, quat.y, quat.z};
}

void set_positions(const XmlValue& qpos, MjcfReading& reading) {
  std::size_t count = 0, at = 0;
  for (const MjcfJoint& joint : reading.joints) count += coordinates(joint.kind);
  const std::vector<double> q = qpos.numbers(count, count);
  for (const MjcfJoint& joint : reading.joints) {
    reading.scene.joints[joint.index].position = our_coordinates(joint, q.data() + at, qpos);
    at += coordinates(joint.kind);
  }
}

void set_velocities(const XmlValue& qvel, MjcfReading& reading) {
  std::size_t count = 0, at = 0;
  for (const MjcfJoint& joint : reading.joints) count += velocities(joint.kind);
  const std::vector<double> v = qvel.numbers(count, count);
  for (const MjcfJoint& joint : reading.joints) {
    const auto first = v.begin() + static_cast<std::ptrdiff_t>(at);
    const auto size = static_cast<std::ptrdiff_t>(velocities(joint.kind));
    reading.scene.joints[joint.index].velocity.assign(first, first + size);
    at += velocities(joint.kind);
  }
}

}  // namespace

void read_mjcf_actuators(const std::vector<const XmlElement*>& sections,
                         const std::vector<double>& controls, MjcfReading& reading) {
  static const std::vector<std::string> known{"motor", "position", "velocity", "general"};
  std::vector<bool> has_motor(reading.scene.joints.size(), false);
  std::size_t next = 0;
  for (const XmlElement* section : sections) {
    for (const XmlElement& actuator : section->children) {
      const double control = next < controls.size() ? controls[next] : 0;
      ++next;
      if (std::find(known.begin(), known.end(), actuator.name) == known.end()) continue;
      actuator.read = true;
      ActuatorReader(actuator, control, reading).read(has_motor);
    }
  }
}

void read_mjcf_equalities(const XmlElement& equality, MjcfReading& reading) {
  for (const XmlElement& element : equality.children) {
    if (element.name != "connect" && element.name != "weld") continue;
    element.read = true;
    read_equality(element, reading);
  }
}

std::vector<double> read_mjcf_keyframe(const std::vector<const XmlElement*>& sections,
                                       std::size_t actuators, MjcfReading& reading) {
  std::vector<const XmlElement*> keys;
  for (const XmlElement* section : sections) {
    for (const XmlElement* key : section->all("key")) keys.push_back(key);
  }
  const XmlElement* key = chosen_key(keys);
  if (key == nullptr) return {};
  for (const XmlElement* other : keys) {
    if (other == key) continue;
    mark_attributes(*other);
    reading.warnings.add(*other, "a further keyframe was left out");
  }
  const auto name = key->find("name");
  reading.scene.description = "Initial state: keyframe ";
  reading.scene.description.append(name ? shown(name->text()) : "1").append(".");
  if (const auto qpos = key->find("qpos")) set_positions(*qpos, reading);
  if (const auto qvel = key->find("qvel")) set_velocities(*qvel, reading);
  const auto ctrl = key->find("ctrl");
  return ctrl ? ctrl->numbers(actuators, actuators) : std::vector<double>{};
}

}  // namespace molejo
