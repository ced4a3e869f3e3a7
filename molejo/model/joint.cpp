#include "molejo/model/joint.h"

#include <cassert>

#include "molejo/model/enum_words.h"

namespace molejo {

namespace {

constexpr Words<JointType, 9> joint_type_words{{{"fixed", JointType::fixed},
                                                {"revolute", JointType::revolute},
                                                {"prismatic", JointType::prismatic},
                                                {"cylindrical", JointType::cylindrical},
                                                {"universal", JointType::universal},
                                                {"spherical", JointType::spherical},
                                                {"planar", JointType::planar},
                                                {"point_in_plane", JointType::point_in_plane},
                                                {"free", JointType::free}}};

}  // namespace

Freedoms freedoms(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {0, 0};
    case JointType::revolute:
      return {0, 1};
    case JointType::prismatic:
      return {1, 0};
    case JointType::cylindrical:
      return {1, 1};
    case JointType::universal:
      return {0, 2};
    case JointType::spherical:
      return {0, 3};
    case JointType::planar:
      return {2, 1};
    case JointType::point_in_plane:
      return {2, 3};
    case JointType::free:
      return {3, 3};
  }
  assert(false);
  return {};
}

std::string_view to_string(JointType type) { return word_of(joint_type_words, type); }

std::optional<JointType> parse_joint_type(std::string_view word) {
  return value_of(joint_type_words, word);
}

}  // namespace molejo
