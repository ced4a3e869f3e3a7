#include "molejo/motion/skeleton.h"

#include <cassert>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/instructions.h"

namespace molejo::motion {

Affine inverse(const Affine& a) {
  const Mat3 m = molejo::inverse(a.linear);
  return {m, -(m * a.origin)};
}

bool is_regular(const Affine& a) {
  const double size =
      std::fmax(max_abs(a.linear.r0), std::fmax(max_abs(a.linear.r1), max_abs(a.linear.r2)));
  const double d = std::fabs(determinant(a.linear));
  return size > 0 && d > 1e-12 * size * size * size && std::isfinite(d) &&
         std::isfinite(max_abs(a.origin));
}

Transform decomposed(const Affine& a) {
  Transform t;
  t.translation = a.origin;
  Vec3 x = a.linear.column(0), y = a.linear.column(1), z = a.linear.column(2);
  t.scale = {norm(x), norm(y), norm(z)};
  if (determinant(a.linear) < 0) t.scale.x = -t.scale.x;
  // axes that the scale has flattened are found from the others
  const auto unit = [](const Vec3& v, double s) { return s != 0 ? v / s : Vec3{}; };
  x = unit(x, t.scale.x), y = unit(y, t.scale.y), z = unit(z, t.scale.z);
  if (t.scale.y == 0) y = cross(z, x);
  if (t.scale.z == 0) z = cross(x, y);
  if (t.scale.x == 0) x = cross(y, z);
  // Gram-Schmidt, for matrices that shear
  if (!(norm(z) > 0.5)) return t;
  z = normalized(z);
  y = y - z * dot(y, z);
  if (!(norm(y) > 1e-9)) return t;
  y = normalized(y);
  x = cross(y, z);
  t.rotation = safe_unit(quaternion(from_columns(x, y, z)));
  return t;
}

Quat safe_unit(const Quat& q) {
  const double n = squared_norm(q);
  if (!(n > 1e-60) || !std::isfinite(n)) return {};
  return normalized(q);
}

int Skeleton::find(std::string_view name) const {
  for (int j = 0; j < size(); ++j) {
    if ((*this)[j].name == name) return j;
  }
  return -1;
}

bool Skeleton::descends(int joint, int ancestor) const {
  while (joint > ancestor) joint = (*this)[joint].parent;
  return joint == ancestor && joint >= 0;
}

std::vector<std::vector<int>> Skeleton::children() const {
  std::vector<std::vector<int>> result(joints.size());
  for (int j = 0; j < size(); ++j) {
    if ((*this)[j].parent >= 0) result[at((*this)[j].parent)].push_back(j);
  }
  return result;
}

SkeletonPose::SkeletonPose(int joints)
    : joints_(joints), stride_((joints + 3) / 4 * 4), values_(at(stride_) * rows, 0.0) {
  for (const int r : {int{qw}, int{sx}, int{sy}, int{sz}}) {
    for (int j = 0; j < stride_; ++j) row(r)[j] = 1;
  }
}

SkeletonPose::SkeletonPose(const Skeleton& skeleton) : SkeletonPose(skeleton.size()) {
  for (int j = 0; j < joints_; ++j) set(j, skeleton[j].rest);
}

MOLEJO_IN_BOTH_SETS(void model_transforms(const Skeleton& skeleton, const SkeletonPose& pose,
                                          const Affine& base, std::span<Affine> out);
                    void some_model_transforms(const Skeleton& skeleton, const SkeletonPose& pose,
                                               const Affine& base, std::span<const int> joints,
                                               std::span<Affine> out);)

void model_transforms(const Skeleton& skeleton, const SkeletonPose& pose, const Affine& base,
                      std::span<Affine> out) {
  assert(pose.joints() == skeleton.size() && out.size() >= skeleton.joints.size());
  MOLEJO_CHOSEN(model_transforms)(skeleton, pose, base, out);
}

void model_transforms(const Skeleton& skeleton, const SkeletonPose& pose, const Affine& base,
                      std::span<const int> joints, std::span<Affine> out) {
  assert(pose.joints() == skeleton.size() && out.size() >= skeleton.joints.size());
  MOLEJO_CHOSEN(some_model_transforms)(skeleton, pose, base, joints, out);
}

std::vector<Affine> model_transforms(const Skeleton& skeleton, const SkeletonPose& pose) {
  std::vector<Affine> out(skeleton.joints.size());
  model_transforms(skeleton, pose, {}, out);
  return out;
}

std::vector<Quat> model_rotations(const Skeleton& skeleton, const SkeletonPose& pose) {
  std::vector<Quat> out(skeleton.joints.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    out[at(j)] = parent < 0 ? pose.rotation(j) : out[at(parent)] * pose.rotation(j);
  }
  return out;
}

std::vector<int> path_to(const Skeleton& skeleton, std::span<const int> joints) {
  std::vector<bool> wanted(skeleton.joints.size());
  for (int j : joints) {
    for (; j >= 0 && !wanted[at(j)]; j = skeleton[j].parent) wanted[at(j)] = true;
  }
  std::vector<int> path;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (wanted[at(j)]) path.push_back(j);
  }
  return path;
}

}  // namespace molejo::motion
