// What is known of an animated character, in words and as JSON, and a user's word on its roles.
#pragma once

#include <map>
#include <string>

#include "molejo/io/json_document.h"
#include "molejo/motion/character.h"
#include "molejo/motion/roles.h"

namespace molejo {

// {"roles": {"hips": "Bip01 Pelvis", "left_toes": null}}: names of joints, null for nobody. Unknown
// roles and joints throw InputError.
std::map<motion::Role, int> parse_role_choices(std::string_view text, const std::string& file,
                                               const motion::Skeleton& skeleton);
// "hips=Bip01 Pelvis", or "left_toes=" for nobody.
std::pair<motion::Role, int> parse_role_choice(const std::string& text,
                                               const motion::Skeleton& skeleton);

struct ClipFacts {
  int keys = 0, tracks = 0, moving = 0;
  int step = 0, linear = 0, cubic_spline = 0;  // tracks of each form
  double loop_turn = 0, loop_distance = 0;  // from end to start: rad, and a part of the leg length
  double way = 0, turn = 0;                 // over the ground, in units of the file, and rad
};
ClipFacts clip_facts(const motion::Character& character, const motion::Roles& roles,
                     const motion::Clip& clip);

std::string character_text(const motion::Character& character, const motion::Roles& roles);
JsonValue character_json(const motion::Character& character, const motion::Roles& roles);

}  // namespace molejo
