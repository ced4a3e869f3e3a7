// The tree of <body> elements. A body with several joints becomes a chain of massless bodies, one
// joint each, all at the pose of the body in the zero configuration:
//
//   X_WB(q) = X_WP X_PB J_1(q_1) J_2(q_2) ...     J_i(q) = T(pos_i) Rot(axis_i, q) T(-pos_i)
//
// MuJoCo's coordinate of a hinge or slide is ours plus `ref`.
#include <algorithm>
#include <numbers>

#include "molejo/io/mjcf_parts.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using MjcfJointKind = MjcfJoint::Kind;

// An element with the pose of the <frame>s around it and the class that applies to it.
struct PlacedElement {
  const XmlElement* element = nullptr;
  Pose X_BE;
  std::size_t childclass = MjcfDefaults::main;
};

struct BodyContent {
  std::vector<PlacedElement> joints, geoms, bodies;
  std::optional<PlacedElement> inertial;
};

// What the joints of a body hang from.
struct Parent {
  std::string name;  // empty: the world
  Pose X_WP;
  bool immobile = true;
};

class MjcfBodyReader {
 public:
  explicit MjcfBodyReader(MjcfReading& reading) : reading_(reading), scene_(reading.scene) {}

  // Names that the file gives; those made up for what has none must differ.
  void find_given_names(const XmlElement& element) {
    for (const XmlElement& child : element.children) {
      for (const XmlAttribute& a : child.attributes) {
        if (a.name != "name") continue;
        if (child.name == "body") given_bodies_.insert(a.value);
        if (child.name == "joint" || child.name == "freejoint") given_joints_.insert(a.value);
      }
      find_given_names(child);
    }
  }

  void read_world(const XmlElement& worldbody) {
    worldbody.find("name");
    const BodyContent content = gather({&worldbody, {}, MjcfDefaults::main});
    if (!content.joints.empty()) content.joints[0].element->fail("the world cannot have a joint");
    if (!content.geoms.empty()) {
      SceneBody& ground = ground_body();
      reading_.ground = ground.name;
      add_shapes(content.geoms, ground);
    }
    for (const PlacedElement& body : content.bodies) read_body(body, {"", {}, true});
  }

 private:
  // The shapes of the world are held by one immobile body, made when it is first needed.
  SceneBody& ground_body() {
    if (!ground_) {
      SceneBody ground;
      ground.name = unused_body("ground");
      ground.immobile = true;
      reading_.body_index.emplace(ground.name, scene_.bodies.size());
      reading_.body_elements.push_back(nullptr);
      ground_ = scene_.bodies.size();
      scene_.bodies.push_back(ground);
    }
    return scene_.bodies[*ground_];
  }

  MjcfGeom read_geom(const PlacedElement& geom) {
    return read_mjcf_geom(reading_.with_defaults(*geom.element, geom.childclass), geom.X_BE,
                          reading_);
  }

  // Returns the mass of all. Geoms of hidden groups are clear where the body shows others.
  MassProperties add_shapes(const std::vector<PlacedElement>& geoms, SceneBody& body) {
    MassProperties mass;
    std::vector<std::size_t> hidden;
    const std::size_t before = body.shapes.size();
    for (const PlacedElement& geom : geoms) {
      const MjcfGeom g = read_geom(geom);
      if (g.shape) {
        if (g.hidden) hidden.push_back(body.shapes.size());
        if (const auto name = geom.element->find("name")) {
          reading_.geom_index.emplace(name->text(), reading_.colliders.size());
        }
        reading_.colliders.push_back({body.name, body.shapes.size(), g.contype, g.conaffinity});
        body.shapes.push_back(*g.shape);
      }
      if (g.mass.mass > 0) mass = mass.mass > 0 ? mass + g.mass : g.mass;
    }
    if (hidden.size() == body.shapes.size() - before) return mass;
    for (const std::size_t i : hidden) body.shapes[i].color.a = 0;
    return mass;
  }

  // Sorts the children of a body; a <frame> only moves what is inside it.
  BodyContent gather(const PlacedElement& holder) {
    BodyContent content;
    gather_into(holder, content);
    return content;
  }

  void gather_into(const PlacedElement& holder, BodyContent& content) {
    holder.element->read = true;
    for (const XmlElement& child : holder.element->children) {
      PlacedElement placed{&child, holder.X_BE, holder.childclass};
      if (child.name == "joint" || child.name == "freejoint") {
        content.joints.push_back(placed);
      } else if (child.name == "geom") {
        content.geoms.push_back(placed);
      } else if (child.name == "body") {
        content.bodies.push_back(placed);
      } else if (child.name == "inertial") {
        if (content.inertial) child.fail("given twice; expected one in <body>");
        content.inertial = placed;
      } else if (child.name == "frame") {
        const MjcfElement frame{child, reading_.defaults, {&child}};
        child.find("name");
        placed.X_BE = holder.X_BE * read_mjcf_pose(frame, reading_.compiler);
        placed.childclass = class_below(child, holder.childclass);
        gather_into(placed, content);
        continue;
      } else {
        continue;
      }
      child.read = true;
    }
  }

  std::size_t class_below(const XmlElement& element, std::size_t childclass) const {
    const auto name = element.find("childclass");
    return name ? reading_.defaults.find_class(*name) : childclass;
  }

  void read_body(const PlacedElement& placed, const Parent& parent) {
    const XmlElement& element = *placed.element;
    SceneBody body;
    body.name = body_name(element);
    const MjcfElement plain{element, reading_.defaults, {&element}};
    const Pose X_PB = placed.X_BE * read_mjcf_pose(plain, reading_.compiler);
    body.X_WB = parent.X_WP * X_PB;
    const BodyContent content = gather({&element, {}, class_below(element, placed.childclass)});
    read_mass(content, element, body);

    if (const auto mocap = element.find("mocap"); mocap && mocap->boolean()) {
      reading_.warnings.add(element, "a mocap body was made immobile");
    }
    const bool immobile = content.joints.empty() && parent.immobile;
    if (immobile) {
      body.immobile = true;
    } else {
      read_joints(content.joints, parent, body);
    }
    const Parent self{body.name, body.X_WB, immobile};
    add_body(std::move(body), element);
    for (const PlacedElement& child : content.bodies) read_body(child, self);
  }

  void read_mass(const BodyContent& content, const XmlElement& element, SceneBody& body) {
    const MassProperties of_geoms = add_shapes(content.geoms, body);
    const XmlElement* inertial = content.inertial ? content.inertial->element : nullptr;
    const Pose X_BE = content.inertial ? content.inertial->X_BE : Pose{};
    const MassProperties mass = read_mjcf_mass(inertial, X_BE, of_geoms, element, reading_);
    body.massless = !(mass.mass > 0);
    body.given = mass;
  }

  // names

  std::string body_name(const XmlElement& element) {
    const auto given = element.find("name");
    if (given && !given->text().empty()) {
      if (reading_.body_index.count(given->text()) != 0) {
        given->fail("a second body of this name");
      }
      if (given->text() == "world") given->fail("expected another name: this one is the world's");
      if (given->text() == any_body) {
        given->fail("expected another name: this one stands for any body");
      }
      return given->text();
    }
    return unused_body("body");
  }

  // base, base_2, base_3, ...: the first that is neither taken nor given
  static std::string unused(const std::string& base,
                            const std::map<std::string, std::size_t>& taken,
                            const std::set<std::string>& given,
                            std::map<std::string, std::size_t>& next) {
    for (std::size_t& n = next.try_emplace(base, 1).first->second;; ++n) {
      std::string name = n == 1 ? base : base + "_" + std::to_string(n);
      if (taken.count(name) == 0 && given.count(name) == 0) return name;
    }
  }
  std::string unused_body(const std::string& base) {
    return unused(base, reading_.body_index, given_bodies_, next_body_);
  }
  std::string unused_joint(const std::string& base) {
    return unused(base, reading_.joint_index, given_joints_, next_joint_);
  }

  void add_body(SceneBody body, const XmlElement& element) {
    if (scene_.bodies.size() >= max_imported_bodies) {
      element.fail("more than " + std::to_string(max_imported_bodies) + " bodies");
    }
    reading_.body_index.emplace(body.name, scene_.bodies.size());
    reading_.body_elements.push_back(&element);
    scene_.bodies.push_back(std::move(body));
  }

  // joints

  void read_joints(const std::vector<PlacedElement>& joints, const Parent& parent,
                   const SceneBody& body) {
    // without a joint a body is welded to its parent
    if (joints.empty()) {
      SceneJoint weld;
      weld.name = unused_joint(body.name + "_fixed");
      weld.parent = parent.name;
      weld.child = body.name;
      weld.X_PF = inverse(parent.X_WP) * body.X_WB;
      reading_.joint_index.emplace(weld.name, scene_.joints.size());
      scene_.joints.push_back(weld);
      return;
    }
    Parent above = parent;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const bool last = i + 1 == joints.size();
      SceneJoint joint = read_joint(joints[i], above, body, joints.size() > 1);
      joint.child = body.name;
      if (!last) {
        // the name of the body itself is not taken yet
        SceneBody between;
        between.name = unused_body(body.name + "_" + joint.name);
        between.X_WB = body.X_WB;
        between.massless = true;
        between.given = MassProperties{};
        joint.child = between.name;
        above = {between.name, body.X_WB, false};
        add_body(std::move(between), *joints[i].element);
      }
      scene_.joints.push_back(std::move(joint));
    }
  }

  SceneJoint read_joint(const PlacedElement& placed, const Parent& parent, const SceneBody& body,
                        bool one_of_several) {
    const XmlElement& element = *placed.element;
    const bool free_element = element.name == "freejoint";
    const MjcfElement j = free_element ? MjcfElement{element, reading_.defaults, {&element}}
                                       : reading_.with_defaults(element, placed.childclass);
    static const std::vector<std::string> words{"hinge", "slide", "ball", "free"};
    MjcfJoint entry;
    entry.kind = MjcfJointKind::free;
    if (!free_element) {
      const auto type = j.find("type");
      entry.kind =
          type ? static_cast<MjcfJointKind>(type->word("joint type", words)) : MjcfJointKind::hinge;
    }
    entry.index = scene_.joints.size();
    entry.X_WB = body.X_WB;
    if (entry.kind == MjcfJointKind::free && (!parent.name.empty() || one_of_several)) {
      element.fail("a free joint must be the only joint of a body of the world");
    }

    SceneJoint joint;
    joint.name = joint_name(element, body, words[static_cast<std::size_t>(entry.kind)]);
    joint.parent = parent.name;
    place_joint(j, placed.X_BE, entry.kind, inverse(parent.X_WP) * body.X_WB, joint);
    if (!free_element) read_drives(j, entry, joint);
    reading_.joint_index.emplace(joint.name, entry.index);
    reading_.joints.push_back(entry);
    return joint;
  }

  std::string joint_name(const XmlElement& element, const SceneBody& body,
                         const std::string& kind) {
    const auto given = element.find("name");
    if (!given || given->text().empty()) {
      return unused_joint(body.name + "_" + kind);
    }
    if (reading_.joint_index.count(given->text()) != 0) given->fail("a second joint of this name");
    return given->text();
  }

  static void place_joint(const MjcfElement& j, const Pose& X_BE, MjcfJointKind kind,
                          const Pose& X_PB, SceneJoint& joint) {
    if (kind == MjcfJointKind::free) {
      // translations along world axes, rotation about body axes: MuJoCo's velocities
      joint.type = JointType::free;
      joint.X_PF = {Mat3::identity(), X_PB.p};
      joint.X_BM = {transpose(X_PB.R), {}};
      return;
    }
    Pose X_BJ{Mat3::identity(), X_BE * j.vector("pos", {})};
    joint.type = kind == MjcfJointKind::hinge   ? JointType::revolute
                 : kind == MjcfJointKind::slide ? JointType::prismatic
                                                : JointType::spherical;
    const auto given = j.find("axis");
    if (kind != MjcfJointKind::ball) {
      const Vec3 axis = given ? given->vector() : Vec3{0, 0, 1};
      const double length = norm(axis);
      if (!(length > 1e-9 && length < 1e9)) given->fail("expected a direction");
      X_BJ.R = frame_from_z(X_BE.R * (axis / length));
    }
    joint.X_PF = X_PB * X_BJ;
    joint.X_BM = X_BJ;
  }

  void read_drives(const MjcfElement& j, MjcfJoint& entry, SceneJoint& joint) {
    const bool turns = entry.kind == MjcfJointKind::hinge || entry.kind == MjcfJointKind::ball;
    const bool scalar = entry.kind == MjcfJointKind::hinge || entry.kind == MjcfJointKind::slide;
    const double unit = turns ? reading_.compiler.angle_unit : 1;
    const auto not_negative = [&](const char* name) {
      const auto value = j.find(name);
      return value ? value->not_negative() : 0.0;
    };
    Drive drive;
    drive.stiffness = not_negative("stiffness");
    drive.damping = not_negative("damping");
    drive.armature = not_negative("armature");
    const double ref = j.number("ref", 0) * unit, springref = j.number("springref", 0) * unit;
    if (scalar) {
      entry.ref = ref;
    }
    if (const auto value = j.find("springdamper")) read_spring_damper(*value, drive);
    // a joint without a spring rests nowhere
    if (scalar && (drive.stiffness > 0 || drive.hertz > 0)) drive.rest = springref - ref;
    if (not_negative("frictionloss") > 0) {
      reading_.warnings.add(j.element,
                            "dry friction of joints (<joint frictionloss>) was left out");
    }
    read_limits(j, entry, unit, drive);
    if (!(drive == Drive{})) {
      joint.drives.assign(static_cast<std::size_t>(freedoms(joint.type).count()), drive);
    }
  }

  // (time constant, damping ratio) of the joint with its inertia in the zero configuration:
  // natural frequency 1 / (time constant * ratio)
  static void read_spring_damper(const XmlValue& value, Drive& drive) {
    const std::vector<double> v = value.numbers(2, 2);
    if (!(v[0] > 0 && v[1] > 0)) return;
    drive.hertz = 1 / (2 * std::numbers::pi * v[0] * v[1]);
    drive.damping_ratio = v[1];
    drive.stiffness = drive.damping = 0;
  }

  void read_limits(const MjcfElement& j, const MjcfJoint& entry, double unit, Drive& drive) {
    static const std::vector<std::string> words{"false", "true", "auto"};
    const auto limited = j.find("limited"), range = j.find("range");
    const std::size_t word = limited ? limited->word("value", words) : 2;
    std::vector<double> r{0, 0};
    if (range) r = range->numbers(2, 2);
    const bool limits = word == 1 || (word == 2 && reading_.compiler.autolimits && r[0] < r[1]);
    if (!limits || entry.kind == MjcfJointKind::free) return;
    if (!(r[0] < r[1])) {
      if (!range) limited->fail("expected the attribute 'range'");
      range->fail("expected a lower limit below the upper one");
    }
    if (entry.kind == MjcfJointKind::ball) {
      reading_.warnings.add(j.element, "the range of a ball joint was left out");
      return;
    }
    drive.lower = r[0] * unit - entry.ref;
    drive.upper = r[1] * unit - entry.ref;
  }

  MjcfReading& reading_;
  Scene& scene_;
  std::optional<std::size_t> ground_;
  std::set<std::string> given_bodies_, given_joints_;
  std::map<std::string, std::size_t> next_body_, next_joint_;
};

}  // namespace

void read_mjcf_bodies(const std::vector<const XmlElement*>& sections, MjcfReading& reading) {
  MjcfBodyReader reader(reading);
  for (const XmlElement* worldbody : sections) reader.find_given_names(*worldbody);
  for (const XmlElement* worldbody : sections) reader.read_world(*worldbody);
}

}  // namespace molejo
