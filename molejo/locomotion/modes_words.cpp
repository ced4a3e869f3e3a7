#include "molejo/locomotion/modes_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

enum Axis { sagittal, lateral, twist };
enum Parity { together, opposite };

// Bodies of the unbranched chain that ends in `last`, from the trunk outward.
std::vector<int> limb(const Character& c, const std::vector<int>& children, int last) {
  std::vector<int> chain;
  for (int b = last; b != c.root.index && b != c.torso.index && children[at(b)] <= 1;
       b = c.model.links[at(b)].parent) {
    chain.insert(chain.begin(), b);
  }
  return chain;
}

std::vector<int> child_counts(const Model& model) {
  std::vector<int> counts(model.links.size());
  for (const Link& link : model.links) {
    if (link.parent >= 0) ++counts[at(link.parent)];
  }
  return counts;
}

bool is_internal(const Character& c, int body) {
  const Link& link = c.model.links[at(body)];
  const int count = link.translations + link.rotations;
  return count > 0 && link.v >= c.first_internal && link.v < c.first_internal + c.internal;
}

// The turn of the joint above a body: a rotation vector in world axes at rest, for a shape.
Vec3 joint_turn(const Character& c, const Kinematics<double>& k, const VecX& phi, int body) {
  const Link& link = c.model.links[at(body)];
  Vec3 turn;
  for (int j = link.translations; j < link.translations + link.rotations; ++j) {
    turn += k.axes[at(link.v + j)] * phi[link.v + j - c.first_internal];
  }
  return turn;
}

class Wording {
 public:
  Wording(const Character& c, const VecX& phi, int support)
      : c_(c), phi_(phi), support_(support), k_(c.model), roles_(joint_roles_of(c)) {
    update_poses(c.model, c.rest.q.data(), k_);
  }

  ModeWords run() {
    measure_shares();
    measure_symmetry();
    measure_stance();
    w_.name = name();
    return std::move(w_);
  }

 private:
  std::array<double, 3> turn_of(int body) const {
    const Vec3 t = joint_turn(c_, k_, phi_, body);
    return {dot(t, c_.left), dot(t, c_.forward), dot(t, c_.up)};
  }

  int partner(int body) const { return c_.mirror.body.empty() ? body : c_.mirror.body[at(body)]; }

  void measure_shares() {
    for (int b = 0; b < c_.model.body_count(); ++b) {
      if (!is_internal(c_, b)) continue;
      const std::array<double, 3> own = turn_of(b), other = turn_of(partner(b));
      auto& share = w_.share[static_cast<std::size_t>(roles_[at(b)])];
      double all = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        // half of what both sides have; the other half comes with the partner
        const double sum = own[a] + other[a], difference = own[a] - other[a];
        share[a][together] += sum * sum / 4;
        share[a][opposite] += difference * difference / 4;
        w_.axis_share[a] += own[a] * own[a];
        all += own[a] * own[a];
      }
      w_.joints.push_back({c_.model.bodies[at(b)].joint, all});
    }
    std::stable_sort(w_.joints.begin(), w_.joints.end(),
                     [](const JointShare& a, const JointShare& b) { return a.share > b.share; });
    std::erase_if(w_.joints, [](const JointShare& j) { return j.share < 0.05; });
    constexpr double clear = 0.6;
    for (const Axis a : {sagittal, lateral, twist}) {
      if (w_.axis_share[a] > clear) w_.plane = static_cast<ModePlane>(a);
    }
  }

  void measure_symmetry() {
    if (c_.mirror.freedom.empty()) return;
    w_.mirror_product = phi_.dot(mirrored(c_, phi_));
    constexpr double clear = 0.8;
    if (w_.mirror_product > clear) w_.symmetry = ModeSymmetry::symmetric;
    if (w_.mirror_product < -clear) w_.symmetry = ModeSymmetry::alternating;
    if (w_.symmetry != ModeSymmetry::mixed) return;
    // the share of the left side among what both sides have
    double left = 0, both = 0;
    for (const MirrorPair& pair : c_.scene->character->mirror) {
      const Vec3 l = joint_turn(c_, k_, phi_, c_.model.body(pair.left).index);
      const Vec3 r = joint_turn(c_, k_, phi_, c_.model.body(pair.right).index);
      left += dot(l, l), both += dot(l, l) + dot(r, r);
    }
    const bool one_sided = left > clear * both || left < (1 - clear) * both;
    if (both > 0.5 && one_sided) w_.symmetry = ModeSymmetry::one_sided;
  }

  void measure_stance() {
    if (support_ < 0) return;
    const int foot = c_.feet[at(support_)].body.index;
    const std::vector<int> chain = limb(c_, child_counts(c_.model), foot);
    for (const int b : chain) {
      for (std::size_t a = 0; a < 3; ++a) w_.stance_turn[a] += turn_of(b)[a];
    }
    if (chain.size() < 3) return;
    const double ankle = turn_of(chain.back())[sagittal];
    const double knee = turn_of(chain[chain.size() - 2])[sagittal];
    if (ankle * knee < 0) w_.stance_extension = ankle * ankle + knee * knee;
  }

  // Are there pairs of joints with this role?
  bool paired(JointRole role) const {
    for (int b = 0; b < c_.model.body_count(); ++b) {
      if (roles_[at(b)] == role && is_internal(c_, b) && partner(b) != b) return true;
    }
    return false;
  }

  // "left" or "right" where all of this share is on one side, else nothing.
  std::string_view only_side(JointRole role, std::size_t axis) const {
    double left = 0, both = 0;
    for (int b = 0; b < c_.model.body_count(); ++b) {
      if (roles_[at(b)] != role || !is_internal(c_, b)) continue;
      const double turn = turn_of(b)[axis], share = turn * turn;
      both += share;
      if (dot(k_.bodies[at(b)].p, c_.left) > 0) left += share;
    }
    constexpr double clear = 0.95;
    return left > clear * both ? "left" : left < (1 - clear) * both ? "right" : "";
  }

  std::string name() const;
  std::string leg_swing(Parity parity) const;
  std::string trunk_name(Axis axis) const;

  const Character& c_;
  const VecX& phi_;
  int support_;
  Kinematics<double> k_;
  std::vector<JointRole> roles_;
  ModeWords w_;
};

// What the largest share says, for pairs of joints: [role][axis][parity].
constexpr std::string_view pair_names[5][3][2] = {
    {{"whole-body fore-aft bend", "legs scissor fore-aft"},
     {"whole-body lateral bend", "legs spread sideways"},
     {"legs twist the same way", "legs twist in and out"}},
    {{"knees bend together", "knees alternate"},
     {"shins sway sideways", "shins spread sideways"},
     {"shins twist the same way", "shins twist in and out"}},
    {{"feet nod together", "feet nod alternately"},
     {"feet roll to one side", "feet roll in and out"},
     {"feet turn the same way", "feet turn in and out"}},
    {{"arms swing together", "arm swing"},
     {"arms sway sideways", "arms spread sideways"},
     {"arms twist the same way", "arms twist in and out"}},
    {{"elbows bend together", "elbows alternate"},
     {"forearms sway sideways", "forearms spread sideways"},
     {"forearms twist the same way", "forearms twist in and out"}}};
// And for a joint without a partner: [role][axis].
constexpr std::string_view single_names[5][3] = {
    {"leg swings fore-aft", "leg sways sideways", "leg twists"},
    {"knee bends", "shin sways sideways", "shin twists"},
    {"foot nods", "foot rolls", "foot turns"},
    {"arm swings", "arm sways sideways", "arm twists"},
    {"elbow bends", "forearm sways sideways", "forearm twists"}};

// Four and more legs: those in front against those behind.
std::string Wording::leg_swing(Parity parity) const {
  const Vec3 com = totals(c_.model, k_).com;
  double turn[2] = {0, 0}, size[2] = {0, 0};
  for (const BodyId foot : c_.foot_bodies) {
    const std::vector<int> chain = limb(c_, child_counts(c_.model), foot.index);
    if (chain.empty() || partner(chain[0]) == chain[0]) return "";
    const Vec3 p = k_.bodies[at(chain[0])].p;
    const int group = dot(p - com, c_.forward) > 0 ? 0 : 1;
    const double own = turn_of(chain[0])[sagittal], other = turn_of(partner(chain[0]))[sagittal];
    // of the left legs; the right ones are the same or the opposite
    if (dot(p, c_.left) < 0) continue;
    turn[group] += parity == together ? own + other : own - other;
    size[group] += turn[group] * turn[group];
  }
  const double both = size[0] + size[1];
  constexpr double clear = 0.75;
  if (size[0] > clear * both || size[1] > clear * both) {
    const char* which = size[0] > size[1] ? "fore" : "hind";
    return std::string(which) + (parity == together ? " legs swing together" : " legs scissor");
  }
  const bool same = turn[0] * turn[1] > 0;
  if (parity == together) {
    return same ? "all legs swing together" : "fore and hind legs swing apart";
  }
  return same ? "legs of one side swing together" : "diagonal legs swing together";
}

// The joint that moves most, with what it does.
std::string Wording::trunk_name(Axis axis) const {
  double largest = 0;
  std::string joint = "trunk";
  for (int b = 0; b < c_.model.body_count(); ++b) {
    if (!is_internal(c_, b) || roles_[at(b)] != JointRole::trunk) continue;
    const double turn = std::fabs(turn_of(b)[axis]);
    if (turn > largest) largest = turn, joint = c_.model.bodies[at(b)].joint;
  }
  constexpr std::string_view does[] = {" bends fore-aft", " bends sideways", " twists"};
  return joint + std::string(does[axis]);
}

std::string Wording::name() const {
  // the support leg stretches, or carries the body round
  constexpr double clear = 0.5;
  if (w_.stance_extension > clear) return "push-off";
  const auto& turn = w_.stance_turn;
  const double aside = std::fmax(std::fabs(turn[sagittal]), std::fabs(turn[lateral]));
  if (w_.axis_share[twist] > clear * 0.9 && std::fabs(turn[twist]) > 1 &&
      std::fabs(turn[twist]) > 2 * aside) {
    return "turn about the vertical";
  }
  std::size_t role = 0, axis = 0, parity = 0;
  double largest = 0;
  for (std::size_t r = 0; r < joint_roles; ++r) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t p = 0; p < 2; ++p) {
        if (w_.share[r][a][p] > largest)
          largest = w_.share[r][a][p], role = r, axis = a, parity = p;
      }
    }
  }
  if (!(largest > 0)) return "joints slide";
  if (role == static_cast<std::size_t>(JointRole::trunk)) {
    return trunk_name(static_cast<Axis>(axis));
  }
  if (!paired(static_cast<JointRole>(role))) return std::string(single_names[role][axis]);
  if (const auto side = only_side(static_cast<JointRole>(role), axis); !side.empty()) {
    return fmt::format("{} {}", side, single_names[role][axis]);
  }
  if (role == 0 && axis == sagittal && c_.foot_bodies.size() > 2) {
    const std::string legs = leg_swing(static_cast<Parity>(parity));
    if (!legs.empty()) return legs;
  }
  return std::string(pair_names[role][axis][parity]);
}

}  // namespace

std::vector<JointRole> joint_roles_of(const Character& c) {
  std::vector<JointRole> roles(c.model.links.size(), JointRole::trunk);
  const std::vector<int> children = child_counts(c.model);
  const auto name = [&](const std::vector<int>& chain, JointRole first, JointRole middle,
                        JointRole last) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      roles[at(chain[i])] = i == 0 ? first : i + 1 == chain.size() ? last : middle;
    }
  };
  // mirrored limbs are arms unless they end in a foot
  for (int b = 0; b < c.model.body_count(); ++b) {
    const bool mirrored_limb = !c.mirror.body.empty() && c.mirror.body[at(b)] != b;
    if (children[at(b)] > 0 || !mirrored_limb || !is_internal(c, b)) continue;
    name(limb(c, children, b), JointRole::shoulder, JointRole::elbow, JointRole::elbow);
  }
  // feet that do not count still end a leg
  for (const BodyId foot : c.foot_bodies) {
    name(limb(c, children, foot.index), JointRole::hip, JointRole::knee, JointRole::ankle);
  }
  return roles;
}

ModeWords mode_words(const Character& character, const VecX& phi, int support) {
  return Wording(character, phi, support).run();
}

std::string ModeWords::text() const {
  std::string line = name;
  line += fmt::format(" ({}, {}:", to_string(plane), to_string(symmetry));
  for (std::size_t i = 0; i < joints.size() && i < 4; ++i) {
    line +=
        fmt::format("{} {} {:.0f} %", i == 0 ? "" : ",", joints[i].joint, 100 * joints[i].share);
  }
  return line + ")";
}

std::string_view to_string(JointRole role) {
  constexpr std::string_view words[] = {"hip", "knee", "ankle", "shoulder", "elbow", "trunk"};
  return words[static_cast<std::size_t>(role)];
}
std::string_view to_string(ModePlane plane) {
  constexpr std::string_view words[] = {"sagittal", "lateral", "twist", "mixed"};
  return words[static_cast<std::size_t>(plane)];
}
std::string_view to_string(ModeSymmetry symmetry) {
  constexpr std::string_view words[] = {"symmetric", "alternating", "one-sided", "mixed"};
  return words[static_cast<std::size_t>(symmetry)];
}

}  // namespace molejo
