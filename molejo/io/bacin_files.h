// What Bacin's files say, field by field, before it becomes a Scene and after a Scene became it.
//
// text  --parse_bacin_files-->  BacinFiles  --scene_of-->  Scene
// text  <--bacin_texts--------  BacinFiles  <--files_of--  Scene
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "molejo/io/bacin.h"

namespace molejo {

using EulerParameters = std::array<double, 4>;  // scalar first

struct BacinFiles {
  struct Animation {
    double duration = 0;
    int frames = 0;
    double tolerance = 0, min_step = 0, max_step = 0;
    bool collision_test = true, gravity = true, correct_link_violation = true;
    // our own keys
    double gravity_accel = 9.8;
    double restitution = 1;
    double collision_tolerance = 1e-3;
    std::optional<double> constraint_tolerance;  // else equal to tolerance
    bool exact_mass_properties = false;          // from the polyhedron, not from the .shp file
  };

  struct Shape {
    std::string name;  // of its file, without the ending
    double mass = 0;
    Vec3 moments;
    std::vector<std::string> vertex_names, face_names;
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> faces;  // indices of vertices, in any orientation
  };

  struct Body {
    std::string name;
    int shape = 0;  // index
    Vec3 scale{1, 1, 1};
    double density = 1;
    int line = 0;  // where it stands in its file, as in the structures below
  };

  struct BodyState {
    Vec3 r;
    EulerParameters theta{1, 0, 0, 0};
    Vec3 r_dot;
    EulerParameters theta_dot{};
    int line = 0;
  };

  enum class JointKind { universal, fixed, plane, cylindrical, prismatic, revolute, immobile };
  struct End {
    int body = -1;  // index, or the world
    Vec3 p;         // point, in the axes of the body
    Vec3 axis;      // axis of a cylindrical, prismatic or revolute joint, normal of a plane
  };
  // A plane: the point of end 1 lies on axis . p + offset = 0 of end 2.
  struct Joint {
    std::string name;
    JointKind kind = JointKind::universal;
    End end_1, end_2;
    double offset = 0;
    int line = 0;
  };

  struct Spring {
    std::string name;
    double stiffness = 0, rest_length = 0;
    End end_1, end_2;
    int line = 0;
  };
  struct Force {
    std::string name;
    End at;
    std::vector<ForceSample> samples;
    int line = 0;
  };

  std::string base;  // path and name of the files without their endings
  Animation animation;
  std::vector<Shape> shapes;
  std::vector<Body> bodies;
  double time = 0;
  std::vector<BodyState> states;  // in the order of the bodies
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  std::vector<Force> forces;
};
using BacinJointKind = BacinFiles::JointKind;

// The words of the .ctr file, in the order of the kinds.
inline constexpr std::array<const char*, 7> bacin_joint_words{
    "Universal", "Fixed", "Plane", "Cylindrical", "Prismatic", "Revolute", "Immobile"};

// Throws InputError "file:line: ...".
BacinFiles parse_bacin_files(const BacinSource& source, const std::string& base);

// The file of a shape, which stands beside the others.
std::string shape_file(const std::string& base, const std::string& shape);

// Text by file name.
std::map<std::string, std::string> bacin_texts(const BacinFiles& files);

// Checks the initial state and throws InputError with the residual where it cannot be used.
Scene scene_of(const BacinFiles& files);

// What cannot be said is added to `warnings`.
BacinFiles files_of(const Scene& scene, const std::string& base,
                    std::vector<std::string>& warnings);

}  // namespace molejo
