#include <span>

#include "molejo/math/instructions.h"
#include "molejo/motion/skeleton.h"
#include "molejo/motion/slerp_kernel.h"

namespace molejo::motion {

namespace {

using Row = SkeletonPose::Row;

QuatT<Pack4> load_rotation(const SkeletonPose& pose, int j) {
  return {load_pack(pose.row(Row::qw) + j), load_pack(pose.row(Row::qx) + j),
          load_pack(pose.row(Row::qy) + j), load_pack(pose.row(Row::qz) + j)};
}

void store_rotation(SkeletonPose& pose, int j, const QuatT<Pack4>& q) {
  store_pack(pose.row(Row::qw) + j, q.w), store_pack(pose.row(Row::qx) + j, q.x);
  store_pack(pose.row(Row::qy) + j, q.y), store_pack(pose.row(Row::qz) + j, q.z);
}

// Newton's step towards unit length: rounding does not pile up over many blends.
QuatT<Pack4> polished(const QuatT<Pack4>& q) {
  const Pack4 f = 1.5 - 0.5 * squared_norm(q);
  return {q.w * f, q.x * f, q.y * f, q.z * f};
}

Pack4 weight(double w, std::span<const double> mask, int j) {
  return mask.empty() ? Pack4(w) : w * load_pack(mask.data() + j);
}

}  // namespace

namespace MOLEJO_SET {

[[gnu::flatten]] void blend(const SkeletonPose& a, const SkeletonPose& b, double w,
                            SkeletonPose& out, std::span<const double> mask) {
  for (int j = 0; j < a.stride(); j += 4) {
    const Pack4 u = weight(w, mask, j);
    const QuatT<Pack4> p = load_rotation(a, j), q = load_rotation(b, j);
    for (const int r :
         {int{Row::tx}, int{Row::ty}, int{Row::tz}, int{Row::sx}, int{Row::sy}, int{Row::sz}}) {
      const Pack4 x = load_pack(a.row(r) + j);
      store_pack(out.row(r) + j, x + u * (load_pack(b.row(r) + j) - x));
    }
    const Pack4 d = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
    SlerpWeights<Pack4> s = slerp_weights(absolute(d), u);
    s.b = select(d < Pack4(0.0), -s.b, s.b);
    store_rotation(out, j,
                   polished({s.a * p.w + s.b * q.w, s.a * p.x + s.b * q.x, s.a * p.y + s.b * q.y,
                             s.a * p.z + s.b * q.z}));
  }
}

[[gnu::flatten]] void subtract(const SkeletonPose& pose, const SkeletonPose& reference,
                               SkeletonPose& out) {
  for (int j = 0; j < pose.stride(); j += 4) {
    const QuatT<Pack4> q = conjugate(load_rotation(reference, j)) * load_rotation(pose, j);
    for (const int r : {int{Row::tx}, int{Row::ty}, int{Row::tz}}) {
      store_pack(out.row(r) + j, load_pack(pose.row(r) + j) - load_pack(reference.row(r) + j));
    }
    for (const int r : {int{Row::sx}, int{Row::sy}, int{Row::sz}}) {
      store_pack(out.row(r) + j, load_pack(pose.row(r) + j) / load_pack(reference.row(r) + j));
    }
    store_rotation(out, j, polished(q));
  }
}

[[gnu::flatten]] void add(const SkeletonPose& base, const SkeletonPose& difference, double w,
                          SkeletonPose& out, std::span<const double> mask) {
  for (int j = 0; j < base.stride(); j += 4) {
    const Pack4 u = weight(w, mask, j);
    // a part of the turn: its rotation vector times u
    const QuatT<Pack4> d = load_rotation(difference, j);
    const QuatT<Pack4> q = load_rotation(base, j) * exp_quat(log_quat(d) * u);
    for (const int r : {int{Row::tx}, int{Row::ty}, int{Row::tz}}) {
      store_pack(out.row(r) + j, load_pack(base.row(r) + j) + u * load_pack(difference.row(r) + j));
    }
    for (const int r : {int{Row::sx}, int{Row::sy}, int{Row::sz}}) {
      const Pack4 factor = 1.0 + u * (load_pack(difference.row(r) + j) - 1.0);
      store_pack(out.row(r) + j, load_pack(base.row(r) + j) * factor);
    }
    store_rotation(out, j, polished(q));
  }
}

}  // namespace MOLEJO_SET

}  // namespace molejo::motion
