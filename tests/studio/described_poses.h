// Poses of bodies as the page finds them: from a description and the coordinates of a frame alone.
#pragma once

#include <vector>

#include "molejo/io/json_document.h"
#include "molejo/math/rotation.h"

namespace molejo::test {

inline Vec3 vec_of(const JsonValue& v, std::size_t at = 0) {
  return {v.items[at].number, v.items[at + 1].number, v.items[at + 2].number};
}
inline Pose pose_of(const JsonValue& v, std::size_t at = 0) {
  return {matrix(Quat{v.items[at + 3].number, v.items[at + 4].number, v.items[at + 5].number,
                      v.items[at + 6].number}),
          vec_of(v, at)};
}

inline std::vector<Pose> described_poses(const JsonValue& model, const std::vector<double>& q) {
  std::vector<Pose> poses;
  for (const JsonValue& body : model.find("bodies")->items) {
    const JsonValue& joint = *body.find("joint");
    const int parent = static_cast<int>(body.find("parent")->number);
    const Pose P = parent < 0 ? Pose{} : poses[static_cast<std::size_t>(parent)];
    const Pose X_PF = pose_of(*joint.find("X_PF"));
    std::size_t c = static_cast<std::size_t>(joint.find("first")->number);
    Vec3 at = X_PF.p;
    for (const JsonValue& axis : joint.find("slides")->items) at += vec_of(axis) * q[c++];
    Mat3 R = P.R * X_PF.R;
    for (const JsonValue& axis : joint.find("turns")->items) {
      R = R * axis_rotation(vec_of(axis), q[c++]);
    }
    if (joint.find("ball")->boolean) R = R * matrix(Quat{q[c], q[c + 1], q[c + 2], q[c + 3]});
    poses.push_back({R, P * at - R * vec_of(*joint.find("p_BM"))});
  }
  return poses;
}

// The largest difference of any two entries.
inline double difference(const Pose& a, const Pose& b) {
  double most = norm(a.p - b.p);
  for (const Vec3& e : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    most = std::max(most, norm(a.R * e - b.R * e));
  }
  return most;
}

}  // namespace molejo::test
