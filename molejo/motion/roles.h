// What each joint is to a body: hips, legs, arms, spine, head.
//
// Found by the words in their names, in the families that are about (Mixamo, VRM, Unreal, Blender
// and Rigify, 3ds Max Biped, Daz and Poser, SMPL, CMU and other BVH files, Quaternius, Kenney);
// where names say nothing, by the shape of the skeleton in its reference pose. What was found how
// is told, and a user may decide otherwise.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>

#include "molejo/motion/skeleton.h"

namespace molejo::motion {

enum class Role {
  hips,
  spine,
  chest,
  neck,
  head,
  left_shoulder,
  left_upper_arm,
  left_lower_arm,
  left_hand,
  right_shoulder,
  right_upper_arm,
  right_lower_arm,
  right_hand,
  left_upper_leg,
  left_lower_leg,
  left_foot,
  left_toes,
  right_upper_leg,
  right_lower_leg,
  right_foot,
  right_toes,
};
inline constexpr int role_count = 21;
const char* to_string(Role role);
std::optional<Role> parse_role(std::string_view word);
std::vector<std::string> role_words();
// left_foot for right_foot and the reverse; others are their own.
Role other_side(Role role);

enum class Evidence { none, name, shape, user };
const char* to_string(Evidence evidence);

// Directions of the model in its reference pose; unit vectors, left = up x front.
struct Bearing {
  Vec3 up{0, 1, 0}, front{0, 0, 1}, left{1, 0, 0};
};

struct Roles {
  std::array<int, role_count> joints;         // -1: nobody
  std::array<Evidence, role_count> evidence;  // why
  std::vector<int> spine;                     // from the hips, these not included, to the head
  Bearing bearing;
  double leg_length = 0;  // upper leg to foot along the bones, mean of both; 0 without legs
  std::vector<std::string> remarks;

  Roles();
  int operator[](Role role) const { return joints[static_cast<std::size_t>(role)]; }
  // Hips, and both legs from upper leg to foot.
  bool walks() const;
};

// The word for the side in a name, and the rest of it in lower case without side, prefix and
// number: "mixamorig:LeftUpLeg" is left, "upleg". 0: none, 1: left, -1: right.
struct NameParts {
  int side = 0;
  std::string rest;
};
NameParts name_parts(std::string_view name);

// `reference` is the bind pose, where there is one. `given` comes first; -1 leaves a role to
// nobody.
Roles find_roles(const Skeleton& skeleton, const SkeletonPose& reference,
                 const std::map<Role, int>& given = {});

}  // namespace molejo::motion
