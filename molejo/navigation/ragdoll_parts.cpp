// Which joints of a skeleton become segments, and where these are in the zero configuration.
#include "molejo/navigation/ragdoll_parts.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo::navigation {

namespace {

// The shortest turn that takes the direction of a to that of b.
Quat bone_turn(const Vec3& a, const Vec3& b) {
  const Vec3 u = normalized(a), v = normalized(b);
  const Vec3 axis = cross(u, v);
  const double w = 1 + dot(u, v);
  if (w < 1e-9) {
    // opposite: half a turn about anything across
    const Vec3 across = frame_from_z(u).column(0);
    return {0, across.x, across.y, across.z};
  }
  return normalized(Quat{w, axis.x, axis.y, axis.z});
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class SegmentFinder {
 public:
  SegmentFinder(const Rig& rig, const SkeletonPose& pose, double scale, bool fine)
      : rig_(rig),
        placed_(place_skeleton(rig, pose, scale)),
        legs_(rig.leg_length * scale),
        fine_(fine && is_biped(rig)) {}

  std::vector<Segment> find() {
    add("pelvis", SegmentKind::pelvis, rig_.hips, -1);
    add_torso();
    add_head();
    add_arms();
    for (std::size_t i = 0; i < rig_.legs.size(); ++i) add_leg(static_cast<int>(i));
    for (Segment& s : segments_) measure(s);
    return std::move(segments_);
  }

 private:
  int role(Role r) const { return rig_.roles[r]; }
  bool in_leg(int joint) const {
    return std::any_of(rig_.legs.begin(), rig_.legs.end(), [&](const Leg& leg) {
      return std::find(leg.chain.begin(), leg.chain.end(), joint) != leg.chain.end();
    });
  }
  int segment_of(int joint) const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i].joint == joint) return static_cast<int>(i);
    }
    return -1;
  }
  // Joints below `above`, down to `joint`.
  std::vector<int> between(int above, int joint) const {
    std::vector<int> list;
    for (int j = joint; j >= 0 && j != above; j = rig_.skeleton[j].parent) list.push_back(j);
    std::reverse(list.begin(), list.end());
    return list;
  }

  bool add(const std::string& name, SegmentKind kind, int joint, int tip_joint) {
    if (joint < 0 || segment_of(joint) >= 0) return false;
    Segment s;
    s.name = underscored(name);
    s.kind = kind;
    s.joint = joint;
    s.tip_joint = tip_joint;
    s.spread = {joint};
    if (!segments_.empty()) {
      int j = rig_.skeleton[joint].parent;
      while (j >= 0 && segment_of(j) < 0) j = rig_.skeleton[j].parent;
      if (j < 0) return false;
      s.parent = segment_of(j);
      if (is_spread(kind)) s.spread = between(j, joint);
    }
    segments_.push_back(std::move(s));
    return true;
  }

  // From which all that hangs on the trunk above the hips hangs: arms, or legs in front.
  void add_torso() {
    std::vector<int> hanging;
    for (const Role r : {Role::left_upper_arm, Role::right_upper_arm}) {
      if (role(r) >= 0) hanging.push_back(role(r));
    }
    for (const Leg& leg : rig_.legs) {
      for (const int j : rig_.roles.spine) {
        if (rig_.skeleton.descends(leg.chain.front(), j)) hanging.push_back(leg.chain.front());
      }
    }
    int chest = -1;
    if (!hanging.empty()) {
      chest = rig_.skeleton[hanging.front()].parent;
      const auto carries_all = [&](int joint) {
        return std::all_of(hanging.begin(), hanging.end(),
                           [&](int h) { return rig_.skeleton.descends(h, joint); });
      };
      while (chest >= 0 && !carries_all(chest)) chest = rig_.skeleton[chest].parent;
    }
    if (chest < 0 || chest == rig_.hips || !rig_.skeleton.descends(chest, rig_.hips)) {
      chest = role(Role::chest) >= 0 ? role(Role::chest) : role(Role::spine);
    }
    if (chest < 0 || !rig_.skeleton.descends(chest, rig_.hips)) return;
    const int neck = role(Role::neck) >= 0 ? role(Role::neck) : role(Role::head);
    const std::vector<int> spine = between(rig_.hips, chest);
    if (fine_ && spine.size() > 1) {
      add("waist", SegmentKind::waist, spine[spine.size() / 2 - 1], chest);
    }
    add("torso", SegmentKind::torso, chest, neck);
  }

  void add_head() { add("head", SegmentKind::head, role(Role::head), -1); }

  void add_arms() {
    const auto arm = [&](const std::string& side, Role upper, Role lower, Role hand) {
      if (role(upper) < 0 || role(lower) < 0 || in_leg(role(upper))) return;
      if (!rig_.skeleton.descends(role(lower), role(upper))) return;
      add(side + "_upper_arm", SegmentKind::upper_arm, role(upper), role(lower));
      add(side + "_lower_arm", SegmentKind::lower_arm, role(lower), role(hand));
      if (fine_) add(side + "_hand", SegmentKind::hand, role(hand), -1);
    };
    arm("left", Role::left_upper_arm, Role::left_lower_arm, Role::left_hand);
    arm("right", Role::right_upper_arm, Role::right_lower_arm, Role::right_hand);
  }

  // Bones without length have no body.
  void add_leg(int index) {
    const Leg& leg = rig_.legs[at(index)];
    std::vector<int> chain;
    for (std::size_t i = 0; i < leg.chain.size(); ++i) {
      const bool last = i + 1 == leg.chain.size();
      if (last ||
          norm(placed_.p[at(leg.chain[i + 1])] - placed_.p[at(leg.chain[i])]) > 0.05 * legs_) {
        chain.push_back(leg.chain[i]);
      }
    }
    const bool human = is_biped(rig_) && chain.size() == 3;
    const char* const names[] = {"_upper_leg", "_lower_leg", "_foot"};
    const SegmentKind kinds[] = {SegmentKind::thigh, SegmentKind::shank, SegmentKind::foot};
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const bool last = i + 1 == chain.size();
      const std::string name = human ? names[i] : last ? "_foot" : "_leg_" + std::to_string(i + 1);
      const SegmentKind kind = human ? kinds[i] : last ? SegmentKind::foot : SegmentKind::limb;
      if (!add(leg.name + name, kind, chain[i], last ? -1 : chain[i + 1])) continue;
      segments_.back().leg = index;
    }
    if (fine_ && human && add(leg.name + "_toes", SegmentKind::toes, leg.toes, -1)) {
      segments_.back().leg = index;
    }
  }

  // Origin, tip, axes: z along the bone, y the axis about which it bends.
  void measure(Segment& s) {
    const Vec3 front{1, 0, 0}, up{0, 0, 1};
    Vec3 sum;
    for (const int j : s.spread) sum += placed_.p[at(j)];
    s.origin = sum / static_cast<double>(s.spread.size());
    s.q_WJ = placed_.q[at(s.joint)];
    s.tip = s.tip_joint >= 0 ? placed_.p[at(s.tip_joint)] : s.origin;
    s.upright = is_biped(rig_);
    const Vec3 along = s.upright ? up : front;  // of the trunk
    Vec3 bends_to = front;
    switch (s.kind) {
      case SegmentKind::pelvis:
        s.tip = s.origin + along * (0.2 * legs_);
        if (!s.upright) reach_to_torso(s);
        break;
      case SegmentKind::torso:
        if (norm(s.tip - s.origin) < 0.1 * legs_) s.tip = s.origin + along * (0.5 * legs_);
        break;
      case SegmentKind::head:
        s.tip = s.origin + along * (0.25 * legs_);
        break;
      case SegmentKind::shank:
        bends_to = front * -1;
        break;
      case SegmentKind::lower_arm:
        if (norm(s.tip - s.origin) < 0.05 * legs_) s.tip = s.origin - up * (0.3 * legs_);
        // to the middle of the hand
        if (!has(SegmentKind::hand)) s.tip = s.tip + (s.tip - s.origin) * 0.35;
        break;
      case SegmentKind::hand: {
        const int elbow = segments_[at(s.parent)].joint;
        s.tip = s.origin + (s.origin - placed_.p[at(elbow)]) * 0.5;
        break;
      }
      case SegmentKind::foot:
        measure_foot(s);
        bends_to = up;
        break;
      case SegmentKind::toes:
        s.tip = s.origin + along_foot(s) * 0.3;
        bends_to = up;
        break;
      case SegmentKind::waist:
      case SegmentKind::upper_arm:
      case SegmentKind::thigh:
      case SegmentKind::limb:
        break;
    }
    if (s.kind == SegmentKind::upper_arm || s.kind == SegmentKind::lower_arm ||
        s.kind == SegmentKind::hand) {
      lower_arm(s);
    }
    set_axes(s, bends_to);
  }

  void set_axes(Segment& s, const Vec3& bends_to) const {
    const Vec3 up{0, 0, 1}, left{0, 1, 0};
    s.length = norm(s.tip - s.origin);
    if (!(s.length > 1e-6) || !(s.length < 1e6)) {
      throw InputError("a ragdoll needs bones of some length: '" + rig_.skeleton[s.joint].name +
                       "' has none");
    }
    const Vec3 z = (s.tip - s.origin) / s.length;
    Vec3 y = cross(z, bends_to);
    if (norm(y) < 0.1) y = cross(z, up);
    if (norm(y) < 0.1) y = left;
    y = normalized(y - z * dot(y, z));
    s.q_WB = quaternion(from_columns(cross(y, z), y, z));
  }

  // The trunk of a beast is long: half of it belongs to the pelvis.
  void reach_to_torso(Segment& s) {
    for (const Segment& torso : segments_) {
      if (torso.kind != SegmentKind::torso) continue;
      Vec3 sum;
      for (const int j : torso.spread) sum += placed_.p[at(j)];
      const Vec3 tip = sum / static_cast<double>(torso.spread.size());
      if (norm(tip - s.origin) > 0.2 * legs_) s.tip = tip;
    }
  }

  // Arms hang slantwise in the zero configuration, so that limits are even to all sides.
  void lower_arm(Segment& s) {
    const bool is_left = s.joint == role(Role::left_upper_arm) ||
                         s.joint == role(Role::left_lower_arm) || s.joint == role(Role::left_hand);
    const Vec3 wanted = normalized(Vec3{0.35, is_left ? 0.6 : -0.6, -0.75});
    const Vec3 way = s.tip - s.origin;
    if (norm(way) < 1e-9) return;
    const Quat turn = bone_turn(way, wanted);
    s.tip = s.origin + rotated(turn, way);
    s.q_WJ = turn * s.q_WJ;
    if (s.kind != SegmentKind::upper_arm && segments_[at(s.parent)].joint == carried_.joint) {
      s.origin += carried_.shift, s.tip += carried_.shift;
    }
    if (s.tip_joint >= 0) carried_ = {s.joint, s.tip - placed_.p[at(s.tip_joint)]};
  }

  bool has(SegmentKind kind) const {
    return std::any_of(segments_.begin(), segments_.end(),
                       [kind](const Segment& s) { return s.kind == kind; });
  }

  // From heel to toe.
  Vec3 along_foot(const Segment& s) const {
    const Leg& leg = rig_.legs[at(s.leg)];
    const Affine& X = placed_.X[at(leg.foot())];
    return X * leg.sole.toe - X * leg.sole.heel;
  }

  // Or a short way forward for a paw or hoof.
  void measure_foot(Segment& s) {
    const Leg& leg = rig_.legs[at(s.leg)];
    Vec3 way = along_foot(s);
    if (norm(way) < 0.05 * legs_ && leg.toes >= 0) way = placed_.p[at(leg.toes)] - s.origin;
    if (norm(way) < 0.05 * legs_) way = {0.1 * legs_, 0, 0};
    s.tip = s.origin + way;
  }

  struct Carried {
    int joint = -1;
    Vec3 shift;
  };
  const Rig& rig_;
  PlacedSkeleton placed_;
  double legs_;
  bool fine_;
  std::vector<Segment> segments_;
  Carried carried_;
};

}  // namespace

PlacedSkeleton place_skeleton(const Rig& rig, const SkeletonPose& pose, double scale) {
  const Affine X_WM = placement(rig.bearing(), {}, 0, scale);
  const Quat q_WM = decomposed(X_WM).rotation;
  std::vector<Affine> X(at(rig.skeleton.size()));
  model_transforms(rig.skeleton, pose, X_WM, X);
  PlacedSkeleton placed;
  placed.q = model_rotations(rig.skeleton, pose);
  for (Quat& q : placed.q) q = q_WM * q;
  for (const Affine& x : X) placed.p.push_back(x.origin);
  placed.X = std::move(X);
  return placed;
}

bool is_biped(const Rig& rig) { return rig.legs.size() == 2; }

double mass_fraction(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::pelvis:
      return 0.1117;  // lower part of the trunk
    case SegmentKind::torso:
      return 0.1596 + 0.1633;  // upper and middle part
    case SegmentKind::head:
      return 0.0694;
    case SegmentKind::upper_arm:
      return 0.0271;
    case SegmentKind::lower_arm:
      return 0.0162 + 0.0061;  // with the hand
    case SegmentKind::thigh:
      return 0.1416;
    case SegmentKind::shank:
      return 0.0433;
    case SegmentKind::foot:
      return 0.0137;
    case SegmentKind::waist:
      return 0.1633;  // middle part of the trunk
    case SegmentKind::hand:
      return 0.0061;
    case SegmentKind::toes:
      return 0.2 * 0.0137;  // about their part of the volume
    case SegmentKind::limb:
      break;
  }
  return 0;
}

std::vector<Segment> find_segments(const Rig& rig, const SkeletonPose& pose, double scale,
                                   bool fine) {
  return SegmentFinder(rig, pose, scale, fine).find();
}

}  // namespace molejo::navigation
