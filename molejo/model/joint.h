// The nine types of joints, and what acts along their freedoms.
#pragma once

#include <optional>
#include <string_view>

namespace molejo {

enum class JointType {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  universal,
  spherical,
  planar,
  point_in_plane,
  free
};

// Number of translations and rotations a joint type leaves free.
struct Freedoms {
  int translations = 0, rotations = 0;
  int count() const { return translations + rotations; }                  // velocities
  int coordinates() const { return count() + (rotations == 3 ? 1 : 0); }  // quaternion
};
Freedoms freedoms(JointType type);

// The words of the scene file. `parse_joint_type` returns nothing for an unknown word.
std::string_view to_string(JointType type);
std::optional<JointType> parse_joint_type(std::string_view word);

// What acts along one freedom of a joint (N, N/m for a translation; N m, N m/rad for a rotation).
struct Drive {
  double stiffness = 0;      // spring towards `rest`
  double rest = 0;           // coordinate at which the spring is relaxed
  double damping = 0;        // against the joint velocity
  double hertz = 0;          // > 0: stiffness and damping from a natural frequency instead,
  double damping_ratio = 1;  //   with the inertia felt by this freedom in the initial pose
  double armature = 0;       // inertia of a geared rotor, kg m^2 or kg

  // limits act as springs outside [lower, upper]; their stiffness comes from hertz and ratio
  // in the same way when it is not given
  std::optional<double> lower, upper;
  double limit_stiffness = 0;
  double limit_damping = 0;

  // motor: force kp (target - q) + kd (target_velocity - v) + force, held within +-max_force
  double kp = 0, kd = 0, target = 0, target_velocity = 0, force = 0;
  std::optional<double> max_force;
  bool by_formula = false;  // set while building: the last three numbers come from formulas
  bool operator==(const Drive&) const = default;
};

}  // namespace molejo
