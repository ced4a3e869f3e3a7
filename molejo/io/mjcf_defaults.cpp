#include <algorithm>
#include <cctype>

#include "molejo/io/mjcf_parts.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// All actuator elements share one set of defaults, as in MuJoCo.
std::string_view kind_of(std::string_view name) {
  static constexpr std::string_view actuators[]{"general",     "motor",    "position",
                                                "velocity",    "damper",   "cylinder",
                                                "intvelocity", "adhesion", "muscle"};
  const bool is_actuator =
      std::find(std::begin(actuators), std::end(actuators), name) != std::end(actuators);
  return is_actuator ? "general" : name;
}

std::string question(std::string_view kind, std::string_view attribute) {
  return std::string(kind) + " " + std::string(attribute);
}

Mat3 rotation_from_quaternion(const XmlValue& value) {
  const std::vector<double> q = value.numbers(4, 4);
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 1e-9 && length < 1e9)) value.fail("expected a quaternion that is not zero");
  return matrix(normalized(Quat{q[0], q[1], q[2], q[3]}));
}

Vec3 direction(const XmlValue& value, const Vec3& v) {
  const double length = norm(v);
  if (!(length > 1e-9 && length < 1e9)) value.fail("expected a direction");
  return v / length;
}

Mat3 rotation_from_euler(const XmlValue& value, const MjcfCompiler& compiler) {
  const Vec3 angles = value.vector();
  Mat3 R = Mat3::identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = compiler.eulerseq[static_cast<std::size_t>(i)];
    const bool moving = std::islower(static_cast<unsigned char>(letter)) != 0;
    const int axis = std::tolower(static_cast<unsigned char>(letter)) - 'x';
    Vec3 e;
    e[axis] = 1;
    const Mat3 turn = axis_rotation(e, angles[i] * compiler.angle_unit);
    R = moving ? R * turn : turn * R;
  }
  return R;
}

}  // namespace

MjcfDefaults::MjcfDefaults() : classes_{{"main", 0, {}}}, index_{{"main", main}} {}

void MjcfDefaults::read(const XmlElement& element) {
  // the outermost class is "main", whatever else it is called
  if (const auto name = element.find("class")) index_.try_emplace(name->text(), main);
  read_into(element, main);
}

void MjcfDefaults::read_into(const XmlElement& element, std::size_t class_index) {
  constexpr std::size_t most = 64;
  element.read = true;
  for (const XmlElement& child : element.children) {
    if (child.name != "default") {
      if (classes_[class_index].elements.size() == most) {
        child.fail("more than " + std::to_string(most) + " elements in one default class");
      }
      classes_[class_index].elements.push_back(&child);
      continue;
    }
    const XmlValue name = child.require("class");
    if (name.text().empty() || !index_.try_emplace(name.text(), classes_.size()).second) {
      name.fail("expected a new class name");
    }
    classes_.push_back({name.text(), class_index, {}});
    read_into(child, classes_.size() - 1);
  }
}

std::size_t MjcfDefaults::find_class(const XmlValue& name) const {
  const auto found = index_.find(name.text());
  if (found != index_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : index_) names.push_back(entry.first);
  name.fail(unknown_word("default class", shown(name.text()), names));
}

std::vector<const XmlElement*> MjcfDefaults::levels(const XmlElement& element,
                                                    std::size_t class_index) const {
  std::vector<const XmlElement*> found{&element};
  for (std::size_t c = class_index;; c = classes_[c].parent) {
    // of two elements in one class the later one wins
    for (auto e = classes_[c].elements.rbegin(); e != classes_[c].elements.rend(); ++e) {
      if (kind_of((*e)->name) == kind_of(element.name)) found.push_back(*e);
    }
    if (c == main) return found;
  }
}

void MjcfDefaults::remember_question(const XmlElement& element, std::string_view attribute) const {
  asked_.insert(question(kind_of(element.name), attribute));
  asked_kinds_.insert(std::string(kind_of(element.name)));
}

void MjcfDefaults::mark_read() const {
  for (const Class& c : classes_) {
    for (const XmlElement* e : c.elements) {
      e->read = true;
      const bool applied = asked_kinds_.count(std::string(kind_of(e->name))) != 0;
      for (const XmlAttribute& a : e->attributes) {
        if (!applied || asked_.count(question(kind_of(e->name), a.name)) != 0) a.read = true;
      }
    }
  }
}

std::optional<XmlValue> MjcfElement::find(std::string_view attribute) const {
  return find_any({attribute});
}

std::optional<XmlValue> MjcfElement::find_any(
    std::initializer_list<std::string_view> attributes) const {
  for (const std::string_view attribute : attributes) {
    defaults.remember_question(element, attribute);
  }
  for (const XmlElement* level : levels) {
    std::optional<XmlValue> found;
    for (const std::string_view attribute : attributes) {
      const std::optional<XmlValue> value = level->find(attribute);
      if (value && found) {
        value->fail("given beside '" + found->attribute->name + "'; expected one of them");
      }
      if (value) found = value;
    }
    if (found) return found;
  }
  return std::nullopt;
}

double MjcfElement::number(std::string_view attribute, double otherwise) const {
  const auto value = find(attribute);
  return value ? value->number() : otherwise;
}

Vec3 MjcfElement::vector(std::string_view attribute, const Vec3& otherwise) const {
  const auto value = find(attribute);
  return value ? value->vector() : otherwise;
}

MjcfElement MjcfReading::with_defaults(const XmlElement& element, std::size_t childclass) const {
  const auto name = element.find("class");
  const std::size_t class_index = name ? defaults.find_class(*name) : childclass;
  return {element, defaults, defaults.levels(element, class_index)};
}

Pose read_mjcf_pose(const MjcfElement& element, const MjcfCompiler& compiler) {
  Pose X;
  X.p = element.vector("pos", {});
  const auto value = element.find_any({"quat", "axisangle", "xyaxes", "zaxis", "euler"});
  if (!value) return X;
  const std::string& form = value->attribute->name;
  if (form == "quat") {
    X.R = rotation_from_quaternion(*value);
  } else if (form == "axisangle") {
    const std::vector<double> a = value->numbers(4, 4);
    X.R = axis_rotation(direction(*value, {a[0], a[1], a[2]}), a[3] * compiler.angle_unit);
  } else if (form == "xyaxes") {
    const std::vector<double> a = value->numbers(6, 6);
    const Vec3 x = direction(*value, {a[0], a[1], a[2]}), along{a[3], a[4], a[5]};
    const Vec3 y = direction(*value, along - x * dot(x, along));
    X.R = from_columns(x, y, cross(x, y));
  } else if (form == "zaxis") {
    X.R = frame_from_z(direction(*value, value->vector()));
  } else {
    X.R = rotation_from_euler(*value, compiler);
  }
  return X;
}

}  // namespace molejo
