// Parts of snapshots (math/snapshot.h) that poses of skeletons are made of.
#pragma once

#include "molejo/math/snapshot.h"
#include "molejo/motion/skeleton.h"

namespace molejo::motion {

template <class Archive>
void visit(Archive& a, Seen<Archive, Affine>& X) {
  a(X.linear, X.origin);
}

template <class Archive>
void visit(Archive& a, Seen<Archive, Transform>& X) {
  a(X.translation, X.rotation, X.scale);
}

// A pose of as many joints as are there.
template <class Archive>
void visit(Archive& a, Seen<Archive, SkeletonPose>& pose) {
  for (int r = 0; r < SkeletonPose::rows; ++r) {
    auto* row = pose.row(r);
    for (int j = 0; j < pose.stride(); ++j) a(row[j]);
  }
}

}  // namespace molejo::motion
