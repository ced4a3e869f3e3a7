// The elements of a native scene file, each read from its own JSON object (docs/scene.md).
//
// Coordinates in the file are those of the surrounding instance I (the world outside of
// instances); what is returned is in world coordinates or in body frames.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "molejo/io/json_cursor.h"
#include "molejo/io/obj.h"
#include "molejo/io/scene.h"
#include "molejo/math/words.h"
#include "molejo/model/scene.h"

namespace molejo {

inline constexpr int max_scene_elements = 100'000;  // bodies, joints, springs, forces, each
inline constexpr int max_scene_shapes = 1'000'000;
inline constexpr std::size_t max_scene_vertices = 4'000'000;  // of all polyhedra together

class FormulaNotes;

// What surrounds an element.
struct Surroundings {
  Pose X_WI;
  std::string prefix;  // of all names inside, "leg2.foot."; empty in the scene itself
  // "leg2.foot.toe". Where that is too long to be read again, an error at `cursor`.
  std::string full_name(const JsonCursor& cursor, const std::string& name) const;
  FormulaNotes* formulas = nullptr;
};

// R about a unit axis by an angle in degrees; quarter turns are exact.
Mat3 rotation_deg(const Vec3& axis, double angle_deg);
// The rotation with this z axis (not zero) that turns least; see frame_from_z.
Mat3 direction_frame(const Vec3& z);
// The orientation of a universal joint's frame: x turns first, y second. They must be unit vectors.
Mat3 axes_frame(const Vec3& x, const Vec3& y);
// The same rotation or pose without negative zeros, which would only be noise in files.
Mat3 tidy(const Mat3& R);
Pose tidy(const Pose& X);
// The quaternion divided by its length, or as it is when that is 1 to within 1e-12.
Quat unit_quaternion(double w, double x, double y, double z);

// Any of the forms of an orientation: [w, x, y, z], three rows, {axis, angle}, {euler}, {z}.
Mat3 read_orientation(const JsonCursor& cursor);
// The keys "position" and "orientation" of an object.
Pose read_pose(const JsonCursor& object);
// "#rrggbb", "#rrggbbaa", [r, g, b], [r, g, b, a] or a name in `colors`.
Color read_color(const JsonCursor& cursor, const std::map<std::string, Color>& colors);

// The path of a body that follows one: keys, or the name of a table beside the scene
// (docs/animado.md).
MotionPath read_follow(const JsonCursor& cursor, const Pose& X_WI);

struct Material {
  std::optional<double> density;
  std::optional<Color> color;
  std::optional<double> friction, restitution;
};

// What the shapes of a body have unless they say otherwise.
struct ShapeDefaults {
  Color color;
  Surface surface;
  bool collides = true;
};

// Reads bodies and their shapes; remembers OBJ files and how much geometry there is.
class BodyReader {
 public:
  // The named colours and materials of the scene.
  void read_palette(const JsonCursor& scene);
  SceneBody read(const JsonCursor& cursor, const Surroundings& around);

 private:
  void read_shape(const JsonCursor& cursor, const ShapeDefaults& defaults, SceneBody& body);
  Geometry read_geometry(const JsonCursor& cursor, std::string_view kind, Pose& X_BS);
  Polyhedron read_polyhedron(const JsonCursor& cursor);
  HeightField read_height_field(const JsonCursor& cursor);
  // A mesh as its convex parts.
  std::vector<Polyhedron> read_mesh(const JsonCursor& cursor);
  void read_shapes(const JsonCursor& cursor, const ShapeDefaults& defaults, SceneBody& body);
  ShapeDefaults defaults_of(const JsonCursor& body, const Material* material) const;
  const ObjMesh& obj_mesh(const JsonCursor& name);
  void count_vertices(const JsonCursor& cursor, std::size_t count);
  void count_heights(const JsonCursor& cursor, std::size_t count);

  std::map<std::string, Color> colors_;
  std::map<std::string, Material> materials_;
  std::map<std::string, std::vector<Vec3>> obj_hulls_;
  std::map<std::string, ObjMesh> obj_meshes_;
  int shapes_ = 0;
  std::size_t vertices_ = 0, heights_ = 0, height_operations_ = 0;
};

// The name of a body somewhere in the file, to be found when all bodies are known.
struct BodyReference {
  const JsonValue* at = nullptr;
  std::string prefix;  // where it is written
  std::string name;    // as written; "world" for the world
  bool is_world() const { return name == "world"; }
};
BodyReference read_reference(const JsonCursor& cursor, const Surroundings& around);

// A joint whose frames still wait for the poses of its bodies.
struct PendingJoint {
  SceneJoint joint;
  BodyReference parent, child;
  bool has_parent_frame = false, has_child_frame = false;
  Pose X_WJ;                // joint frame in the zero configuration, when neither is given
  bool has_anchor = false;  // else the joint is at the child's origin
};
PendingJoint read_joint(const JsonCursor& cursor, const Surroundings& around);
// Fills the frames that are not given, from the poses of both bodies in the zero configuration.
void place_joint(PendingJoint& pending, const Pose& X_WP, const Pose& X_WB);
// Words for a joint's one direction: "axis", "normal" or nothing.
std::string_view direction_key(JointType type);

struct PendingSpring {
  SceneSpring spring;
  BodyReference a, b;
};
PendingSpring read_spring(const JsonCursor& cursor, const Surroundings& around);

struct PendingForce {
  SceneForce force;
  BodyReference body;
};
PendingForce read_force(const JsonCursor& cursor, const Surroundings& around);

// The key "contact" of the scene: true, false or an object; without its pairs.
void read_contact(const JsonCursor& cursor, ContactSettings& contact);

struct PendingContactPair {
  SceneContactPair pair;
  BodyReference a, b;  // a body, a group or "*"
};
PendingContactPair read_contact_pair(const JsonCursor& cursor, const Surroundings& around);

inline constexpr std::size_t max_feet = 64;

// The key "character"; its bodies must be in the scene.
SceneCharacter read_character(const JsonCursor& cursor, const Scene& scene);

// One of the words of an enumeration; `all` are those it has, for the error.
template <class Enum>
Enum read_word(const JsonCursor& cursor, const char* kind,
               std::optional<Enum> (*parse)(std::string_view), std::initializer_list<Enum> all) {
  const std::string word = cursor.text();
  if (const auto value = parse(word)) return *value;
  std::vector<std::string> known;
  for (const Enum value : all) known.emplace_back(to_string(value));
  cursor.fail(unknown_word(kind, word, known));
}

}  // namespace molejo
