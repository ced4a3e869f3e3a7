// Words of joints.
#include <algorithm>
#include <cctype>

#include "molejo/math/words.h"
#include "molejo/motion/roles.h"

namespace molejo::motion {

namespace {

constexpr const char* words[] = {
    "hips",       "spine",           "chest",           "neck",
    "head",       "left_shoulder",   "left_upper_arm",  "left_lower_arm",
    "left_hand",  "right_shoulder",  "right_upper_arm", "right_lower_arm",
    "right_hand", "left_upper_leg",  "left_lower_leg",  "left_foot",
    "left_toes",  "right_upper_leg", "right_lower_leg", "right_foot",
    "right_toes"};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Parts of a name at capitals, digits and signs: "Bip01 L_UpperArm" is bip, l, upper, arm.
std::vector<std::string> tokens(std::string_view name) {
  std::vector<std::string> result(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = is_lower(c) || is_upper(c) || static_cast<unsigned char>(c) >= 128;
    if (!letter) {
      if (!result.back().empty()) result.emplace_back();
      continue;
    }
    const bool after_lower = i > 0 && is_lower(name[i - 1]);
    const bool before_lower = i + 1 < name.size() && is_lower(name[i + 1]);
    const bool after_upper = i > 0 && is_upper(name[i - 1]);
    // "leftFoot" and "LHipJoint" part before F and H
    if (is_upper(c) && (after_lower || (after_upper && before_lower)) && !result.back().empty()) {
      result.emplace_back();
    }
    result.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (result.back().empty()) result.pop_back();
  return result;
}

// What belongs to a rig as a whole, in front of a name.
bool is_prefix(const std::string& token) {
  return is_one_of(token, {"mixamorig", "avatar", "armature", "bip", "biped", "valve", "def", "org",
                           "cc", "base", "j", "b", "skel", "rig", "character", "c", "m", "g"});
}

// What every joint may be called besides.
bool is_filler(const std::string& token) {
  return is_one_of(token, {"joint", "jnt", "jt", "bone", "bn"});
}

}  // namespace

const char* to_string(Role role) { return words[static_cast<std::size_t>(role)]; }

std::optional<Role> parse_role(std::string_view word) {
  for (int i = 0; i < role_count; ++i) {
    if (word == words[i]) return static_cast<Role>(i);
  }
  return {};
}

std::vector<std::string> role_words() { return {std::begin(words), std::end(words)}; }

Role other_side(Role role) {
  const std::string word = to_string(role);
  if (word.rfind("left_", 0) == 0) return *parse_role("right_" + word.substr(5));
  if (word.rfind("right_", 0) == 0) return *parse_role("left_" + word.substr(6));
  return role;
}

const char* to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::none:
      return "none";
    case Evidence::name:
      return "name";
    case Evidence::shape:
      return "shape";
    case Evidence::user:
      return "user";
  }
  return "";
}

NameParts name_parts(std::string_view name) {
  // "mixamorig:" and "Armature|"
  const std::size_t colon = name.find_last_of(":|/");
  if (colon != std::string_view::npos && colon + 1 < name.size()) name.remove_prefix(colon + 1);
  NameParts parts;
  std::vector<std::string> all = tokens(name);
  // "mixamorigLeftUpLeg": signs get lost on the way through three.js
  if (!all.empty() && all.size() > 1 && all[0] == "mixamorig") all.erase(all.begin());
  std::vector<std::string> kept;
  for (const std::string& token : all) {
    if (token == "left" || token == "right") {
      parts.side = token == "left" ? 1 : -1;
    } else if ((token == "l" || token == "r") && all.size() > 1) {
      parts.side = token == "l" ? 1 : -1;
    } else {
      kept.push_back(token);
    }
  }
  // "leftfoot", "footleft" and Poser's "lShldr", which tokens() has parted already
  for (std::string& token : kept) {
    if (parts.side != 0) break;
    for (const auto& [word, side] : {std::pair{"left", 1}, std::pair{"right", -1}}) {
      const std::string w = word;
      if (token.size() > w.size() && token.rfind(w, 0) == 0) {
        parts.side = side, token.erase(0, w.size());
      } else if (token.size() > w.size() &&
                 token.compare(token.size() - w.size(), w.size(), w) == 0) {
        parts.side = side, token.resize(token.size() - w.size());
      }
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool only = i + 1 == kept.size() && parts.rest.empty();
    const bool aside = is_filler(kept[i]) || (parts.rest.empty() && is_prefix(kept[i]));
    if (!aside || only) parts.rest += kept[i];
  }
  return parts;
}

}  // namespace molejo::motion
