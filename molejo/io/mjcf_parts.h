// What the source files of the MJCF reader share: compiler settings, default classes, the scene
// under construction. Format: MuJoCo documentation, "XML reference".
//
// A value of an element is its own attribute, else that of its default class, else that of the
// class above, and so on (`MjcfElement::find`).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "molejo/io/robot_parts.h"
#include "molejo/model/scene.h"

namespace molejo {

struct MjcfCompiler {
  double angle_unit = 0.017453292519943295;  // radians in one unit of the file
  bool autolimits = true;
  std::string eulerseq = "xyz";
  enum class InertiaFromGeom { no, yes, when_missing } inertia = InertiaFromGeom::when_missing;
  double bound_mass = 0, bound_inertia = 0;
  double total_mass = -1;  // > 0: all masses are scaled to this sum
  bool balance_inertia = false;
  double first_group = 0, last_group = 5;  // groups of geoms that have mass
  std::string mesh_folder;
  bool strip_path = false;
};

class MjcfDefaults {
 public:
  static constexpr std::size_t main = 0;

  MjcfDefaults();
  // A <default> element and those inside it.
  void read(const XmlElement& element);
  // Throws with the nearest class name.
  std::size_t find_class(const XmlValue& name) const;
  // Where an element's attributes are looked for: itself, then its class and those above.
  std::vector<const XmlElement*> levels(const XmlElement& element, std::size_t class_index) const;
  void remember_question(const XmlElement& element, std::string_view attribute) const;
  // Marks what some element asked for, and what could not apply to any element that was read.
  void mark_read() const;

 private:
  struct Class {
    std::string name;
    std::size_t parent = 0;
    std::vector<const XmlElement*> elements;
  };
  void read_into(const XmlElement& element, std::size_t class_index);

  std::vector<Class> classes_;
  std::map<std::string, std::size_t> index_;
  mutable std::set<std::string> asked_, asked_kinds_;
};

// An element seen through the default classes.
struct MjcfElement {
  const XmlElement& element;
  const MjcfDefaults& defaults;
  std::vector<const XmlElement*> levels;  // itself, then from its class up to the main one

  std::optional<XmlValue> find(std::string_view attribute) const;
  // The nearest of several attributes that exclude each other.
  std::optional<XmlValue> find_any(std::initializer_list<std::string_view> attributes) const;
  double number(std::string_view attribute, double otherwise) const;
  Vec3 vector(std::string_view attribute, const Vec3& otherwise) const;
};

// One joint of the file, in MuJoCo's order.
struct MjcfJoint {
  enum class Kind { hinge, slide, ball, free } kind = Kind::hinge;
  std::size_t index = 0;  // in scene.joints
  double ref = 0;         // MuJoCo's coordinate where ours is zero
  Pose X_WB;              // free: pose of the body where our coordinates are zero
};

// A geom as MuJoCo's rules of contact see it.
struct MjcfCollider {
  std::string body;
  std::size_t shape = 0;  // of the body's shapes
  std::uint32_t contype = 1, conaffinity = 1;
};

// The scene under construction.
struct MjcfReading {
  explicit MjcfReading(SourceFile of) : file(std::move(of)) {}

  SourceFile file;
  MjcfCompiler compiler;
  MjcfDefaults defaults;
  ImportWarnings warnings;
  Scene scene;
  std::vector<const XmlElement*> body_elements;  // of each body of the scene
  std::vector<MjcfJoint> joints;
  std::map<std::string, std::size_t> joint_index, body_index;
  std::map<std::string, const XmlElement*> mesh_elements;
  std::map<std::string, TriangleMesh> meshes;  // those that were needed so far
  std::map<std::string, Polyhedron> hulls;     // of these
  std::map<std::string, Color> materials;
  std::map<std::string, const XmlElement*> field_elements;  // <hfield>
  std::map<std::string, HeightField> fields;                // those that were needed so far
  std::size_t heights = 0;                                  // of all height fields of the scene
  std::string ground;                                       // body of the world's geoms, or empty
  std::vector<MjcfCollider> colliders;
  std::map<std::string, std::size_t> geom_index;  // in colliders

  // The element with its own class, or else `childclass`.
  MjcfElement with_defaults(const XmlElement& element, std::size_t childclass) const;
};

// `pos` and one of quat, axisangle, xyaxes, zaxis, euler.
Pose read_mjcf_pose(const MjcfElement& element, const MjcfCompiler& compiler);

// <asset>: meshes, height fields and materials.
void read_mjcf_assets(const XmlElement& asset, MjcfReading& reading);

struct MjcfGeom {
  std::optional<Shape> shape;  // nothing: a kind that was left out, with a warning
  MassProperties mass;         // zero mass: weighs nothing
  std::uint32_t contype = 1, conaffinity = 1;
  bool hidden = false;  // in a group that MuJoCo does not show
};
// The shape in the frame of the body; X_BE is the pose of the frame that holds the element.
MjcfGeom read_mjcf_geom(const MjcfElement& geom, const Pose& X_BE, MjcfReading& reading);

// Mass of a body from its <inertial> and the sum over its geoms, by the compiler's rules.
MassProperties read_mjcf_mass(const XmlElement* inertial, const Pose& X_BE,
                              const MassProperties& of_geoms, const XmlElement& body,
                              const MjcfReading& reading);

void read_mjcf_bodies(const std::vector<const XmlElement*>& sections, MjcfReading& reading);
// A height field of the assets, in the frame of its geom.
const HeightField& mjcf_field(const XmlValue& name, MjcfReading& reading);
// A file that an asset names, where the compiler says that they are.
SourceFile mjcf_asset(const XmlValue& file, const MjcfReading& reading);

// Which bodies touch: the masks of the geoms and the sections <contact>, as groups and pairs.
void read_mjcf_contact(const std::vector<const XmlElement*>& sections, MjcfReading& reading);
void read_mjcf_equalities(const XmlElement& equality, MjcfReading& reading);
// Initial positions and velocities from the key named "home", else from the first one. Returns its
// controls, one for each of the actuators, or nothing.
std::vector<double> read_mjcf_keyframe(const std::vector<const XmlElement*>& sections,
                                       std::size_t actuators, MjcfReading& reading);
void read_mjcf_actuators(const std::vector<const XmlElement*>& sections,
                         const std::vector<double>& controls, MjcfReading& reading);

}  // namespace molejo
