// A tree of joints and the poses it takes:
//
//   X_MJ = X_MP T R S       model <- joint J, through its parent P (glTF 2.0, section 3.5.3)
//
// Parents stand before their children. A pose is ten rows of numbers, one column per joint, so that
// four joints are sampled and blended at once. Lengths in the unit of the file, usually metres.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/math/rotation.h"

namespace molejo::motion {

// T R S of one joint: first scaled, then turned, then moved.
struct Transform {
  Vec3 translation;
  Quat rotation;
  Vec3 scale{1, 1, 1};
  bool operator==(const Transform&) const = default;
};

// p -> linear p + origin.
struct Affine {
  Mat3 linear = Mat3::identity();
  Vec3 origin;
  bool operator==(const Affine&) const = default;
};
inline Affine operator*(const Affine& a, const Affine& b) {
  return {a.linear * b.linear, a.origin + a.linear * b.origin};
}
inline Vec3 operator*(const Affine& a, const Vec3& p) { return a.origin + a.linear * p; }
inline Affine affine(const Transform& t) {
  const Mat3 R = matrix(t.rotation);
  return {from_columns(R.column(0) * t.scale.x, R.column(1) * t.scale.y, R.column(2) * t.scale.z),
          t.translation};
}
// The inverse; the linear part must be regular.
Affine inverse(const Affine& a);
bool is_regular(const Affine& a);
// The nearest T R S: exact unless the matrix shears. Reflections go to the scale of x.
Transform decomposed(const Affine& a);

// q / |q|, or no rotation where q is zero or not finite.
Quat safe_unit(const Quat& q);

struct SkeletonJoint {
  std::string name;
  int parent = -1;  // stands before this one; -1: a root
  Transform rest;   // of the file, kept by all that no clip moves
};

struct Skeleton {
  std::vector<SkeletonJoint> joints;

  int size() const { return static_cast<int>(joints.size()); }
  const SkeletonJoint& operator[](int j) const { return joints[static_cast<std::size_t>(j)]; }
  // The first joint of that name, or -1.
  int find(std::string_view name) const;
  // Is `joint` below `ancestor`, or the same?
  bool descends(int joint, int ancestor) const;
  std::vector<std::vector<int>> children() const;
};

// Where every joint is against its parent. Copying one to another of the same size allocates
// nothing.
class SkeletonPose {
 public:
  enum Row { tx, ty, tz, qw, qx, qy, qz, sx, sy, sz, rows };

  SkeletonPose() = default;
  explicit SkeletonPose(int joints);
  // The rest pose.
  explicit SkeletonPose(const Skeleton& skeleton);

  int joints() const { return joints_; }
  // Numbers of a row: the joints, and up to three more that are identity.
  int stride() const { return stride_; }
  double* row(int r) { return values_.data() + static_cast<std::ptrdiff_t>(r) * stride_; }
  const double* row(int r) const {
    return values_.data() + static_cast<std::ptrdiff_t>(r) * stride_;
  }

  Vec3 translation(int j) const { return {row(tx)[j], row(ty)[j], row(tz)[j]}; }
  Quat rotation(int j) const { return {row(qw)[j], row(qx)[j], row(qy)[j], row(qz)[j]}; }
  Vec3 scale(int j) const { return {row(sx)[j], row(sy)[j], row(sz)[j]}; }
  Transform operator[](int j) const { return {translation(j), rotation(j), scale(j)}; }
  void set_translation(int j, const Vec3& t) {
    row(tx)[j] = t.x, row(ty)[j] = t.y, row(tz)[j] = t.z;
  }
  void set_rotation(int j, const Quat& q) {
    row(qw)[j] = q.w, row(qx)[j] = q.x, row(qy)[j] = q.y, row(qz)[j] = q.z;
  }
  void set_scale(int j, const Vec3& s) { row(sx)[j] = s.x, row(sy)[j] = s.y, row(sz)[j] = s.z; }
  void set(int j, const Transform& t) {
    set_translation(j, t.translation), set_rotation(j, t.rotation), set_scale(j, t.scale);
  }
  bool operator==(const SkeletonPose&) const = default;

 private:
  int joints_ = 0, stride_ = 0;
  std::vector<double> values_;
};

// X_MJ of every joint, under `base`. `out` has one place per joint. Cost O(joints), no allocation.
void model_transforms(const Skeleton& skeleton, const SkeletonPose& pose, const Affine& base,
                      std::span<Affine> out);
// The same for some joints only, listed parents first; a parent that is not listed must have been
// computed before.
void model_transforms(const Skeleton& skeleton, const SkeletonPose& pose, const Affine& base,
                      std::span<const int> joints, std::span<Affine> out);
std::vector<Affine> model_transforms(const Skeleton& skeleton, const SkeletonPose& pose);

// Rotations of the joints in model space, scales left aside.
std::vector<Quat> model_rotations(const Skeleton& skeleton, const SkeletonPose& pose);

// The joints on the ways from the root to these, parents first, each once.
std::vector<int> path_to(const Skeleton& skeleton, std::span<const int> joints);

}  // namespace molejo::motion
