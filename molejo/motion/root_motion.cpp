#include "molejo/motion/root_motion.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/sampler.h"

namespace molejo::motion {

namespace {

Affine ground_affine(const GroundPose& g, const Vec3& up) {
  return {matrix(exp_quat(up * g.heading)), g.position};
}

// The part of a rotation that turns about up: its twist.
double heading_of(const Quat& q, const Vec3& up) {
  const double s = q.x * up.x + q.y * up.y + q.z * up.z;
  return 2 * arc_tangent(s, q.w);
}

double nearest_turn(double angle, double to) {
  constexpr double full = 6.283185307179586;
  return angle + full * std::round((to - angle) / full);
}

// Joints that carry the others over the ground: neither above the hips nor below a carrier.
std::vector<int> carriers(const Skeleton& skeleton, int hips) {
  std::vector<int> result;
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    const bool above = hips >= 0 && j != hips && skeleton.descends(hips, j);
    const bool first =
        parent < 0 || (hips >= 0 && parent != hips && skeleton.descends(hips, parent));
    if (!above && first) result.push_back(j);
  }
  return result;
}

// Every carrier of a pose moved by `change`, what is above them as in `frame`.
void carry(const Skeleton& skeleton, int hips, const std::vector<int>& moved, const Affine& change,
           const SkeletonPose& frame, const SkeletonPose& from, SkeletonPose& to) {
  const std::vector<Affine> X = model_transforms(skeleton, from);
  to = from;
  for (int j = skeleton[hips].parent; j >= 0; j = skeleton[j].parent) to.set(j, frame[j]);
  const std::vector<Affine> Y = model_transforms(skeleton, to);
  for (const int j : moved) {
    const int parent = skeleton[j].parent;
    const Affine above = parent < 0 ? Affine{} : Y[at(parent)];
    if (!is_regular(above)) continue;
    Transform t = decomposed(inverse(above) * change * X[at(j)]);
    t.scale = from.scale(j);
    to.set(j, t);
  }
}

}  // namespace

GroundPose joined(const GroundPose& a, const GroundPose& b, const Vec3& up) {
  return {a.position + matrix(exp_quat(up * a.heading)) * b.position, a.heading + b.heading};
}

GroundPose inverse(const GroundPose& a, const Vec3& up) {
  return {-(matrix(exp_quat(up * -a.heading)) * a.position), -a.heading};
}

GroundPose RootMotion::at(double t) const {
  if (times.empty()) return {};
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  if (next == times.begin()) return poses.front();
  if (next == times.end()) return poses.back();
  const auto k = static_cast<std::size_t>(next - times.begin());
  const double u = (t - times[k - 1]) / (times[k] - times[k - 1]);
  const GroundPose &a = poses[k - 1], &b = poses[k];
  return {a.position + (b.position - a.position) * u, a.heading + (b.heading - a.heading) * u};
}

GroundPose RootMotion::over(double from, double to, long loops) const {
  if (times.empty()) return {};
  // back to the start, then whole ways, then on
  GroundPose way = inverse(at(from), up);
  const GroundPose whole = loops < 0 ? inverse(poses.back(), up) : poses.back();
  for (long k = 0; k < std::labs(loops); ++k) way = joined(way, whole, up);
  return joined(way, at(to), up);
}

double RootMotion::speed() const {
  if (times.size() < 2) return 0;
  return norm(poses.back().position) / (times.back() - times.front());
}

InPlace extract_root_motion(const Skeleton& skeleton, const Roles& roles, const Clip& clip,
                            const RootMotionOptions& options) {
  InPlace result{clip, {}};
  const int hips = roles[Role::hips];
  if (hips < 0) return result;
  const Vec3 up = roles.bearing.up;
  result.motion.up = up;
  result.motion.times = key_times(clip);
  const ClipSampler sampler(skeleton, clip);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose pose(skeleton), start(skeleton);
  sampler.sample(result.motion.times.front(), cursor, start);
  const Quat q_start = model_rotations(skeleton, start)[at(hips)];
  const Vec3 p_start = model_transforms(skeleton, start)[at(hips)].origin;
  const auto flat = [&](const Vec3& v) { return v - up * dot(v, up); };
  for (const double t : result.motion.times) {
    sampler.sample(t, cursor, pose);
    GroundPose g;
    const Quat turned = model_rotations(skeleton, pose)[at(hips)] * conjugate(q_start);
    const double last = result.motion.poses.empty() ? 0 : result.motion.poses.back().heading;
    if (options.turning) g.heading = nearest_turn(heading_of(turned, up), last);
    // the hips themselves stay over one place, also while they turn
    const Vec3 p = flat(model_transforms(skeleton, pose)[at(hips)].origin);
    g.position = p - matrix(exp_quat(up * g.heading)) * flat(p_start);
    result.motion.poses.push_back(g);
  }
  const std::vector<int> moved = carriers(skeleton, hips);
  std::size_t k = 0;
  result.clip = rebuilt(skeleton, clip, result.motion.times, skeleton,
                        [&](double, const SkeletonPose& from, SkeletonPose& to) {
                          const GroundPose back = inverse(result.motion.poses[k++], up);
                          carry(skeleton, hips, moved, ground_affine(back, up), start, from, to);
                        });
  return result;
}

Clip apply_root_motion(const Skeleton& skeleton, const Roles& roles, const InPlace& in_place) {
  const int hips = roles[Role::hips];
  if (hips < 0 || in_place.motion.times.empty()) return in_place.clip;
  const std::vector<int> moved = carriers(skeleton, hips);
  const RootMotion& motion = in_place.motion;
  SkeletonPose start(skeleton);
  evaluate(in_place.clip, skeleton, motion.times.front(), start);
  return rebuilt(skeleton, in_place.clip, motion.times, skeleton,
                 [&](double t, const SkeletonPose& from, SkeletonPose& to) {
                   const Affine go = ground_affine(motion.at(t), motion.up);
                   carry(skeleton, hips, moved, go, start, from, to);
                 });
}

}  // namespace molejo::motion
