// A mode shape in words, by what is measured on it.
//
// The joints of a figure have roles: the chain from the torso to a foot is a leg (its first joint
// the hip, its last the ankle, between them knees), a mirrored chain without a foot is an arm, all
// others belong to the trunk. The share of a joint is its part of |phi|^2. It is split by the axis
// of the turn and by whether both sides turn the same way:
//
//   about the lateral axis: sagittal     about the forward axis: lateral     about the vertical:
//   twist together: (left + right)^2 / 2       opposite: (left - right)^2 / 2
#pragma once

#include <array>
#include <string>
#include <vector>

#include "molejo/locomotion/modes.h"

namespace molejo {

enum class JointRole { hip, knee, ankle, shoulder, elbow, trunk };
inline constexpr int joint_roles = 6;

enum class ModePlane { sagittal, lateral, twist, mixed };
// Of the shape under the mirror: phi.M(phi) near 1, near -1, one side alone, or none of these.
enum class ModeSymmetry { symmetric, alternating, one_sided, mixed };

struct JointShare {
  std::string joint;
  double share = 0;
};

struct ModeWords {
  std::string name;  // "legs scissor fore-aft"
  ModePlane plane = ModePlane::mixed;
  ModeSymmetry symmetry = ModeSymmetry::mixed;
  double mirror_product = 0;           // phi.M(phi), from -1 to 1; 0 without a mirror
  std::array<double, 3> axis_share{};  // sagittal, lateral, twist
  // share[role][axis][0 together, 1 opposite]; all of it sums to 1
  std::array<std::array<std::array<double, 2>, 3>, joint_roles> share{};
  std::vector<JointShare> joints;  // those with a share above 5 %, largest first
  // of the support leg: the sum of its joints' turns, which the torso makes against the foot, and
  // the share of knee and ankle where they turn in opposite senses, so that the leg stretches
  std::array<double, 3> stance_turn{};
  double stance_extension = 0;

  // name, plane, symmetry and joints in one line
  std::string text() const;
};

// The role of the joint above each body.
std::vector<JointRole> joint_roles_of(const Character& character);

// Of one column of Modes::phi; `support` is the foot that is fixed, -1 in the air.
ModeWords mode_words(const Character& character, const VecX& phi, int support = -1);

std::string_view to_string(JointRole role);
std::string_view to_string(ModePlane plane);
std::string_view to_string(ModeSymmetry symmetry);

}  // namespace molejo
