#include "molejo/motion/roles.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/words.h"
#include "molejo/motion/role_shape.h"

namespace molejo::motion {

namespace {

using enum Role;

// What is beside the bones that bend: ends, twists, handles of rigs.
bool is_aside(const std::string& rest) {
  for (const char* part : {"twist", "roll", "pole", "target", "ctrl", "control", "nub", "effector",
                           "socket", "helper", "mch", "tweak", "weapon", "prop", "attach", "ik"}) {
    if (rest.find(part) != std::string::npos) return true;
  }
  return rest.size() > 3 && (rest.compare(rest.size() - 3, 3, "end") == 0 ||
                             rest.compare(rest.size() - 3, 3, "tip") == 0);
}

// Parts of a body without their side. Some words mean one thing in one family and its neighbour in
// another; then who is above whom decides.
enum class Part {
  hips,
  spine,
  chest,
  neck,
  head,
  shoulder,
  upper_arm,
  lower_arm,
  hand,
  upper_leg,
  lower_leg,
  foot,
  toes,
  leg,
  arm,
  hip,
  collar,
  ankle,
  none
};

Part part_of(const std::string& w, int side) {
  if (is_aside(w)) return Part::none;
  if (is_one_of(w, {"hips", "pelvis", "hip", "cog", "下半身"}) && side == 0) return Part::hips;
  if (is_one_of(w, {"upleg", "upperleg", "thigh", "femur", "thighbend", "uleg"}))
    return Part::upper_leg;
  if (is_one_of(
          w, {"lowerleg", "lowleg", "shin", "calf", "knee", "tibia", "shinbend", "lleg", "ひざ"}))
    return Part::lower_leg;
  if (is_one_of(w, {"foot", "feet"})) return Part::foot;
  if (is_one_of(w, {"ankle", "足首"})) return Part::ankle;
  if (is_one_of(w, {"toes", "toe", "toebase", "ball", "football", "つま先"})) return Part::toes;
  if (is_one_of(w, {"leg", "足"})) return Part::leg;
  if (is_one_of(w, {"hip"})) return Part::hip;
  if (is_one_of(w, {"collar", "clavicle", "clav", "collarbone"})) return Part::collar;
  if (is_one_of(w, {"shoulder", "肩"})) return Part::shoulder;
  if (is_one_of(w, {"upperarm", "uparm", "shldr", "humerus", "shldrbend", "uarm", "腕"}))
    return Part::upper_arm;
  if (is_one_of(
          w, {"forearm", "lowerarm", "lowarm", "elbow", "forearmbend", "radius", "larm", "ひじ"}))
    return Part::lower_arm;
  if (is_one_of(w, {"arm"})) return Part::arm;
  if (is_one_of(w, {"hand", "wrist", "手首"})) return Part::hand;
  if (side != 0) return Part::none;
  if (is_one_of(w, {"spine", "abdomen", "waist", "lowerback", "back", "ab", "stomach", "belly",
                    "torso", "spinelower", "abdomenlower", "上半身"}))
    return Part::spine;
  if (is_one_of(
          w, {"chest", "upperchest", "ribcage", "thorax", "upperback", "spineupper", "chestlower"}))
    return Part::chest;
  if (is_one_of(w, {"neck", "necklower", "首"})) return Part::neck;
  if (is_one_of(w, {"head", "頭"})) return Part::head;
  return Part::none;
}

class RoleFinder {
 public:
  RoleFinder(const Skeleton& skeleton, const SkeletonPose& reference)
      : skeleton_(skeleton), X_(model_transforms(skeleton, reference)) {}

  Roles find(const std::map<Role, int>& given) {
    take_given(given);
    by_names();
    by_shape();
    settle_spine();
    roles_.bearing = bearing();
    measure();
    return roles_;
  }

 private:
  void take_given(const std::map<Role, int>& given) {
    for (const auto& [role, joint] : given) {
      roles_.joints[at(role)] = joint;
      roles_.evidence[at(role)] = Evidence::user;
    }
  }

  void set(Role role, int joint, Evidence evidence) {
    if (joint < 0 || roles_.evidence[at(role)] != Evidence::none) return;
    roles_.joints[at(role)] = joint;
    roles_.evidence[at(role)] = evidence;
  }

  // The joint of that part nearest to the root.
  int named(Part part, int side) const {
    int best = -1, depth = 0;
    for (int j = 0; j < skeleton_.size(); ++j) {
      if (parts_[at(j)] != part || sides_[at(j)] != side) continue;
      if (best < 0 || depth_[at(j)] < depth) best = j, depth = depth_[at(j)];
    }
    return best;
  }

  void by_names() {
    for (int j = 0; j < skeleton_.size(); ++j) {
      const NameParts n = name_parts(skeleton_[j].name);
      parts_.push_back(part_of(n.rest, n.side));
      sides_.push_back(n.side);
      depth_.push_back(skeleton_[j].parent < 0 ? 0 : depth_[at(skeleton_[j].parent)] + 1);
    }
    set(hips, named(Part::hips, 0), Evidence::name);
    set(neck, named(Part::neck, 0), Evidence::name);
    set(head, named(Part::head, 0), Evidence::name);
    for (const int side : {1, -1}) name_leg(side), name_arm(side);
  }

  void name_leg(int side) {
    const bool left = side > 0;
    int upper = named(Part::upper_leg, side), lower = named(Part::lower_leg, side);
    const int leg = named(Part::leg, side), hip = named(Part::hip, side);
    // "leg" is the lower one below an upper one, and the upper one where it is the first
    if (lower < 0 && upper >= 0) lower = leg;
    if (upper < 0) upper = leg >= 0 && leg != lower ? leg : hip;
    int foot = named(Part::foot, side), toe = named(Part::toes, side);
    const int ankle = named(Part::ankle, side);
    if (ankle >= 0) {
      if (toe < 0 && foot > ankle && skeleton_.descends(foot, ankle)) toe = foot;
      foot = ankle;
    }
    set(left ? left_upper_leg : right_upper_leg, upper, Evidence::name);
    set(left ? left_lower_leg : right_lower_leg, lower, Evidence::name);
    set(left ? left_foot : right_foot, foot, Evidence::name);
    set(left ? left_toes : right_toes, toe, Evidence::name);
  }

  void name_arm(int side) {
    const bool left = side > 0;
    int upper = named(Part::upper_arm, side), lower = named(Part::lower_arm, side);
    const int arm = named(Part::arm, side), collar = named(Part::collar, side);
    int shoulder_joint = named(Part::shoulder, side);
    if (upper < 0)
      upper = arm;
    else if (lower < 0 && arm > upper && skeleton_.descends(arm, upper))
      lower = arm;
    // beside a collar bone, or above an elbow alone, "shoulder" is the joint of the upper arm
    if (upper < 0 && (collar >= 0 || lower >= 0)) upper = shoulder_joint, shoulder_joint = -1;
    if (shoulder_joint < 0 || shoulder_joint == upper) shoulder_joint = collar;
    set(left ? left_shoulder : right_shoulder, shoulder_joint, Evidence::name);
    set(left ? left_upper_arm : right_upper_arm, upper, Evidence::name);
    set(left ? left_lower_arm : right_lower_arm, lower, Evidence::name);
    set(left ? left_hand : right_hand, named(Part::hand, side), Evidence::name);
  }

  // Where names are silent, the shape speaks.
  void by_shape() {
    const bool legs = roles_[left_upper_leg] >= 0 && roles_[right_upper_leg] >= 0;
    if (roles_[hips] < 0 && legs) {
      set(hips, common_ancestor(skeleton_, roles_[left_upper_leg], roles_[right_upper_leg]),
          Evidence::shape);
    }
    for (const bool left : {true, false}) complete_leg(left);
    const bool complete = roles_.walks() && roles_[head] >= 0 && roles_[left_hand] >= 0;
    if (complete) return;
    const BodyShape shape = body_shape(skeleton_, X_, roles_);
    for (int r = 0; r < role_count; ++r) {
      set(static_cast<Role>(r), shape.joints[at(r)], Evidence::shape);
    }
  }

  // Knee and foot below a named upper leg: the next two joints that lie apart.
  void complete_leg(bool left) {
    const int upper = roles_[left ? left_upper_leg : right_upper_leg];
    if (upper < 0) return;
    const std::vector<int> chain = main_chain(skeleton_, X_, upper);
    if (chain.size() < 3) return;
    const int foot = roles_[left ? left_foot : right_foot];
    const int lower = roles_[left ? left_lower_leg : right_lower_leg];
    if (lower < 0 && (foot < 0 || chain[1] != foot)) {
      set(left ? left_lower_leg : right_lower_leg, chain[1], Evidence::shape);
    }
    if (foot < 0) set(left ? left_foot : right_foot, chain[2], Evidence::shape);
    const int now = roles_[left ? left_foot : right_foot];
    const auto place = std::find(chain.begin(), chain.end(), now);
    if (place != chain.end() && place + 1 != chain.end()) {
      set(left ? left_toes : right_toes, place[1], Evidence::shape);
    }
  }

  void settle_spine() {
    const int top = roles_[neck] >= 0 ? roles_[neck] : roles_[head];
    if (roles_[hips] < 0 || top < 0 || !skeleton_.descends(top, roles_[hips])) return;
    for (int j = skeleton_[top].parent; j >= 0 && j != roles_[hips]; j = skeleton_[j].parent) {
      roles_.spine.insert(roles_.spine.begin(), j);
    }
    if (roles_.spine.empty()) return;
    const auto kind = [&](int j) {
      const Part part = parts_[at(j)];
      return part == Part::spine || part == Part::chest ? Evidence::name : Evidence::shape;
    };
    set(spine, roles_.spine.front(), kind(roles_.spine.front()));
    // the chest carries the arms
    int upper = roles_.spine.back();
    const int arm = roles_[left_shoulder] >= 0 ? roles_[left_shoulder] : roles_[left_upper_arm];
    for (const int j : roles_.spine) {
      if (arm >= 0 && skeleton_.descends(arm, j)) upper = j;
    }
    if (upper != roles_.spine.front()) set(chest, upper, kind(upper));
    if (roles_[neck] >= 0 && roles_[head] >= 0) roles_.spine.push_back(roles_[neck]);
  }

  Vec3 p(Role role) const { return X_[at(roles_[role])].origin; }

  // Up is that of the format unless head and feet say clearly otherwise; left by the legs or arms.
  Bearing bearing() {
    Bearing b;
    const bool legs = roles_[left_upper_leg] >= 0 && roles_[right_upper_leg] >= 0;
    const bool feet = roles_[left_foot] >= 0 && roles_[right_foot] >= 0;
    if (feet && roles_[head] >= 0) {
      const Vec3 rise = p(head) - (p(left_foot) + p(right_foot)) * 0.5;
      const double size = norm(rise);
      for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
        const double along = dot(rise, axis);
        if (std::fabs(along) > 0.8 * size) b.up = axis * (along < 0 ? -1.0 : 1.0);
      }
    }
    const auto flat = [&](const Vec3& v) { return v - b.up * dot(v, b.up); };
    Vec3 across;
    if (legs) across = flat(p(left_upper_leg) - p(right_upper_leg));
    const bool arms = roles_[left_upper_arm] >= 0 && roles_[right_upper_arm] >= 0;
    if (!(norm(across) > 0) && arms) across = flat(p(left_upper_arm) - p(right_upper_arm));
    if (norm(across) > 1e-9 * (1 + max_abs(across))) {
      b.left = normalized(across);
      b.front = cross(b.left, b.up);
    } else {
      b.front = std::fabs(b.up.z) > 0.5 ? Vec3{0, -1, 0} : Vec3{0, 0, 1};
      b.left = cross(b.up, b.front);
    }
    // toes that point back: left and right are named from the onlooker
    const bool toes = roles_[left_toes] >= 0 && roles_[right_toes] >= 0 && feet;
    if (toes) {
      const Vec3 ahead = flat(p(left_toes) - p(left_foot) + p(right_toes) - p(right_foot));
      if (dot(ahead, b.front) < -0.5 * norm(ahead) && norm(ahead) > 0) {
        roles_.remarks.push_back("the toes point backwards: are left and right exchanged?");
      }
    }
    return b;
  }

  void measure() {
    int legs = 0;
    for (const bool left : {true, false}) {
      const int upper = roles_[left ? left_upper_leg : right_upper_leg];
      const int lower = roles_[left ? left_lower_leg : right_lower_leg];
      const int foot = roles_[left ? left_foot : right_foot];
      if (upper < 0 || lower < 0 || foot < 0) continue;
      const auto at_joint = [&](int j) { return X_[at(j)].origin; };
      roles_.leg_length +=
          norm(at_joint(lower) - at_joint(upper)) + norm(at_joint(foot) - at_joint(lower));
      ++legs;
      const auto below = [&](int j, int ancestor, const char* what) {
        if (skeleton_.descends(j, ancestor)) return;
        roles_.remarks.push_back("'" + skeleton_[j].name + "' does not hang from '" +
                                 skeleton_[ancestor].name + "': " + what);
      };
      below(lower, upper, "the knee does not bend this leg");
      below(foot, lower, "its foot is moved on its own");
      if (roles_[hips] >= 0) below(upper, roles_[hips], "the hips do not carry this leg");
    }
    if (legs > 0) roles_.leg_length /= legs;
  }

  const Skeleton& skeleton_;
  std::vector<Affine> X_;
  std::vector<Part> parts_;
  std::vector<int> sides_, depth_;
  Roles roles_;
};

}  // namespace

Roles::Roles() {
  joints.fill(-1);
  evidence.fill(Evidence::none);
}

bool Roles::walks() const {
  for (const Role role : {hips, left_upper_leg, left_lower_leg, left_foot, right_upper_leg,
                          right_lower_leg, right_foot}) {
    if ((*this)[role] < 0) return false;
  }
  return true;
}

Roles find_roles(const Skeleton& skeleton, const SkeletonPose& reference,
                 const std::map<Role, int>& given) {
  return RoleFinder(skeleton, reference).find(given);
}

}  // namespace molejo::motion
