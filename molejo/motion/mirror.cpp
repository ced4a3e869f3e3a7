#include "molejo/motion/mirror.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "molejo/math/index.h"
#include "molejo/motion/edit.h"

namespace molejo::motion {

namespace {

// S R S for the reflection S across n: the axis of the turn is mirrored, its sense reversed.
Quat reflected(const Quat& q, const Vec3& n) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 v = n * (2 * dot(axis, n)) - axis;
  return {q.w, v.x, v.y, v.z};
}

Vec3 reflected(const Vec3& v, const Vec3& n) { return v - n * (2 * dot(v, n)); }

void pair(std::vector<int>& partners, int a, int b) {
  if (a < 0 || b < 0 || a == b || partners[at(a)] >= 0 || partners[at(b)] >= 0) return;
  partners[at(a)] = b, partners[at(b)] = a;
}

}  // namespace

std::vector<int> mirror_partners(const Skeleton& skeleton, const SkeletonPose& reference,
                                 const Roles& roles) {
  std::vector<int> partners(skeleton.joints.size(), -1);
  for (int r = 0; r < role_count; ++r) {
    const Role role = static_cast<Role>(r);
    pair(partners, roles[role], roles[other_side(role)]);
  }
  // the same words but for the side, and the same number
  std::map<std::string, int> lefts;
  const auto key = [](const std::string& name, const NameParts& parts) {
    std::string digits;
    std::copy_if(name.begin(), name.end(), std::back_inserter(digits),
                 [](char c) { return c >= '0' && c <= '9'; });
    return parts.rest + "#" + digits;
  };
  for (int j = 0; j < skeleton.size(); ++j) {
    const NameParts parts = name_parts(skeleton[j].name);
    if (parts.side > 0) lefts.emplace(key(skeleton[j].name, parts), j);
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    const NameParts parts = name_parts(skeleton[j].name);
    if (parts.side >= 0) continue;
    const auto left = lefts.find(key(skeleton[j].name, parts));
    if (left != lefts.end()) pair(partners, left->second, j);
  }
  // what is left, below partners: by place in the reference pose
  const std::vector<Affine> X = model_transforms(skeleton, reference);
  const Vec3 n = roles.bearing.left;
  const Vec3 middle = roles[Role::hips] >= 0 ? X[at(roles[Role::hips])].origin : Vec3{};
  const std::vector<std::vector<int>> children = skeleton.children();
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    const int other = parent < 0 ? -1 : partners[at(parent)];
    if (partners[at(j)] >= 0 || other < 0) continue;
    const Vec3 image = middle + reflected(X[at(j)].origin - middle, n);
    const double size = norm(X[at(j)].origin - X[at(parent)].origin);
    for (const int k : children[at(other)]) {
      if (norm(X[at(k)].origin - image) <= 0.1 * size) pair(partners, j, k);
    }
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    if (partners[at(j)] < 0) partners[at(j)] = j;
  }
  return partners;
}

Mirror::Mirror(const Skeleton& skeleton, const SkeletonPose& reference, const Roles& roles)
    : skeleton_(skeleton),
      reference_(reference),
      partners_(mirror_partners(skeleton, reference, roles)),
      normal_(roles.bearing.left),
      reference_rotation_(model_rotations(skeleton, reference)),
      rotation_(skeleton.joints.size()),
      turned_(skeleton.joints.size()) {}

void Mirror::apply(const SkeletonPose& pose, SkeletonPose& out) {
  assert(&pose != &out && pose.joints() == skeleton_.size());
  for (int j = 0; j < skeleton_.size(); ++j) {
    const int parent = skeleton_[j].parent;
    rotation_[at(j)] = parent < 0 ? pose.rotation(j) : rotation_[at(parent)] * pose.rotation(j);
  }
  for (int j = 0; j < skeleton_.size(); ++j) {
    const int k = partners_[at(j)], parent = skeleton_[j].parent, other = skeleton_[k].parent;
    const Quat turned = rotation_[at(k)] * conjugate(reference_rotation_[at(k)]);
    turned_[at(j)] = reflected(turned, normal_) * reference_rotation_[at(j)];
    const Quat above = parent < 0 ? Quat{} : turned_[at(parent)];
    out.set_rotation(j, safe_unit(conjugate(above) * turned_[at(j)]));
    // moves away from the reference, from the axes of one parent to those of the other
    const Vec3 moved = pose.translation(k) - reference_.translation(k);
    const Quat from = other < 0 ? Quat{} : reference_rotation_[at(other)];
    const Quat to = parent < 0 ? Quat{} : reference_rotation_[at(parent)];
    const Vec3 image = reflected(rotated(from, moved), normal_);
    out.set_translation(j, reference_.translation(j) + rotated(conjugate(to), image));
    const Vec3 s = pose.scale(k), a = reference_.scale(k), b = reference_.scale(j);
    const auto part = [](double x, double y, double z) { return y != 0 ? z * (x / y) : z; };
    out.set_scale(j, {part(s.x, a.x, b.x), part(s.y, a.y, b.y), part(s.z, a.z, b.z)});
  }
}

Clip Mirror::apply(const Clip& clip) {
  return rebuilt(skeleton_, clip, key_times(clip), skeleton_,
                 [&](double, const SkeletonPose& from, SkeletonPose& to) { apply(from, to); });
}

}  // namespace molejo::motion
