#include "molejo/motion/retarget.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include "molejo/math/index.h"
#include "molejo/motion/edit.h"

namespace molejo::motion {

namespace {

using enum Role;

// The smallest rotation that brings direction a to b.
Quat shortest_turn(const Vec3& a, const Vec3& b) {
  const double na = norm(a), nb = norm(b);
  if (!(na > 0 && nb > 0)) return {};
  const Vec3 u = a / na, v = b / nb, axis = cross(u, v);
  return safe_unit({1 + dot(u, v), axis.x, axis.y, axis.z});
}

Mat3 axes(const Bearing& b) { return from_columns(b.left, b.up, b.front); }

Vec3 place_of(const Skeleton& skeleton, const SkeletonPose& pose, int joint) {
  Affine X;
  for (int i = joint; i >= 0; i = skeleton[i].parent) X = affine(pose[i]) * X;
  return X.origin;
}

// Where the hips are when the figure stands on the ground. BVH files put them at the origin in
// their reference pose, with the feet below it.
Vec3 standing_hips(const RetargetSide& side) {
  const int joint = side.roles[hips];
  if (joint < 0) return {};
  const Vec3 up = side.roles.bearing.up;
  Vec3 p = place_of(side.skeleton, side.reference, joint);
  double low = dot(p, up);
  for (const Affine& X : model_transforms(side.skeleton, side.reference)) {
    low = std::min(low, dot(X.origin, up));
  }
  if (std::fabs(low) > 0.2 * side.roles.leg_length) p -= up * low;
  return p;
}

// A bone of a limb, from one role to the next.
constexpr Role bones[][2] = {{left_upper_arm, left_lower_arm},   {left_lower_arm, left_hand},
                             {right_upper_arm, right_lower_arm}, {right_lower_arm, right_hand},
                             {left_upper_leg, left_lower_leg},   {left_lower_leg, left_foot},
                             {right_upper_leg, right_lower_leg}, {right_lower_leg, right_foot}};

}  // namespace

Retarget::Retarget(const RetargetSide& source, const RetargetSide& target,
                   const RetargetOptions& options)
    : from_(source),
      to_(target),
      partners_(target.skeleton.joints.size(), -1),
      from_reference_(model_rotations(source.skeleton, source.reference)),
      to_reference_(model_rotations(target.skeleton, target.reference)),
      from_now_(source.skeleton.joints.size()),
      to_now_(target.skeleton.joints.size()) {
  const double a = source.roles.leg_length, b = target.roles.leg_length;
  scale_ = options.scale > 0 ? options.scale : a > 0 && b > 0 ? b / a : 1;
  facing_ =
      safe_unit(quaternion(axes(target.roles.bearing) * transpose(axes(source.roles.bearing))));
  from_base_ = standing_hips(source), to_base_ = standing_hips(target);
  find_partners();
  if (options.match_references) match_references();
}

void Retarget::find_partners() {
  std::vector<bool> taken(from_.skeleton.joints.size());
  const auto pair = [&](int k, int j) {
    if (k < 0 || j < 0 || partners_[at(k)] >= 0 || taken[at(j)]) return;
    partners_[at(k)] = j, taken[at(j)] = true;
  };
  for (int r = 0; r < role_count; ++r) {
    const Role role = static_cast<Role>(r);
    if (role != spine && role != chest) pair(to_.roles[role], from_.roles[role]);
  }
  // spines of different length: each joint follows the one at the same part of the way
  const std::vector<int>&a = from_.roles.spine, &b = to_.roles.spine;
  for (std::size_t i = 0; i < b.size() && !a.empty(); ++i) {
    const std::size_t k = a.size() == b.size() ? i : (i + 1) * a.size() / b.size();
    if (a.size() >= b.size()) {
      pair(b[i], a[a.size() == b.size() ? i : k - 1]);
    } else if ((i + 1) * a.size() / b.size() > i * a.size() / b.size()) {
      pair(b[i], a[k - 1]);
    }
  }
  // fingers and all else by name
  std::map<std::string, int> exact;
  for (int j = 0; j < from_.skeleton.size(); ++j) exact.emplace(from_.skeleton[j].name, j);
  for (int k = 0; k < to_.skeleton.size(); ++k) {
    const auto same = exact.find(to_.skeleton[k].name);
    if (same != exact.end()) pair(k, same->second);
  }
}

// The target's reference pose with its limbs along the source's: frames turn with their bones.
void Retarget::match_references() {
  const std::vector<Affine> X = model_transforms(from_.skeleton, from_.reference);
  SkeletonPose pose = to_.reference;
  for (const auto& [upper, lower] : bones) {
    const int j = from_.roles[upper], j_end = from_.roles[lower];
    const int k = to_.roles[upper], k_end = to_.roles[lower];
    if (j < 0 || j_end < 0 || k < 0 || k_end < 0 || !to_.skeleton.descends(k_end, k)) continue;
    const std::vector<Affine> Y = model_transforms(to_.skeleton, pose);
    const Vec3 wanted = rotated(facing_, X[at(j_end)].origin - X[at(j)].origin);
    const Vec3 now = Y[at(k_end)].origin - Y[at(k)].origin;
    const std::vector<Quat> q = model_rotations(to_.skeleton, pose);
    const int parent = to_.skeleton[k].parent;
    const Quat above = parent < 0 ? Quat{} : q[at(parent)];
    pose.set_rotation(k, safe_unit(conjugate(above) * shortest_turn(now, wanted) * q[at(k)]));
    // feet and hands keep their own reference: they lie flat in both
    const bool last = lower == left_foot || lower == right_foot;
    if (!last) continue;
    const std::vector<Quat> turned = model_rotations(to_.skeleton, pose);
    const int above_end = to_.skeleton[k_end].parent;
    pose.set_rotation(k_end, safe_unit(conjugate(turned[at(above_end)]) * q[at(k_end)]));
  }
  to_reference_ = model_rotations(to_.skeleton, pose);
}

void Retarget::apply(const SkeletonPose& source, SkeletonPose& target) {
  assert(source.joints() == from_.skeleton.size() && target.joints() == to_.skeleton.size());
  for (int j = 0; j < from_.skeleton.size(); ++j) {
    const int parent = from_.skeleton[j].parent;
    from_now_[at(j)] = parent < 0 ? source.rotation(j) : from_now_[at(parent)] * source.rotation(j);
  }
  for (int k = 0; k < to_.skeleton.size(); ++k) {
    const int j = partners_[at(k)], parent = to_.skeleton[k].parent;
    const Quat above = parent < 0 ? Quat{} : to_now_[at(parent)];
    target.set(k, to_.reference[k]);
    if (j >= 0) {
      const Quat moved = from_now_[at(j)] * conjugate(from_reference_[at(j)]);
      to_now_[at(k)] = facing_ * moved * conjugate(facing_) * to_reference_[at(k)];
      target.set_rotation(k, safe_unit(conjugate(above) * to_now_[at(k)]));
    }
    to_now_[at(k)] = above * target.rotation(k);
  }
  move_hips(source, target);
}

void Retarget::move_hips(const SkeletonPose& source, SkeletonPose& target) const {
  const int j = from_.roles[hips], k = to_.roles[hips];
  if (j < 0 || k < 0) return;
  const Vec3 moved = place_of(from_.skeleton, source, j) - from_base_;
  const Vec3 wanted = to_base_ + rotated(facing_, moved) * scale_;
  Affine above;
  for (int i = to_.skeleton[k].parent; i >= 0; i = to_.skeleton[i].parent) {
    above = affine(target[i]) * above;
  }
  if (is_regular(above)) target.set_translation(k, inverse(above) * wanted);
}

Clip Retarget::apply(const Clip& clip) {
  return rebuilt(from_.skeleton, clip, key_times(clip), to_.skeleton,
                 [&](double, const SkeletonPose& from, SkeletonPose& to) { apply(from, to); });
}

}  // namespace molejo::motion
