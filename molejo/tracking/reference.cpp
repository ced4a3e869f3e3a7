#include "molejo/tracking/reference.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/rotation.h"
#include "molejo/model/kinematics.h"
#include "molejo/motion/root_motion.h"
#include "molejo/motion/sampler.h"
#include "molejo/physics/point_contact.h"

namespace molejo::tracking {

namespace {

Quat get_quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }

// The root of q turned about the vertical through the origin, then moved.
void carry(const Link& root, double turn, const Vec3& way, VecX& q) {
  Vec3 M = root.p_LF;
  for (int k = 0; k < 3; ++k) M += root.t_P[k] * q[root.q + k];
  M = turned_by(turn, M) + way - root.p_LF;
  for (int k = 0; k < 3; ++k) q[root.q + k] = dot(root.t_P[k], M);
  const Quat q_PB0 = quaternion(root.R_PB0);
  const Quat r = normalized(conjugate(q_PB0) * (exp_quat(Vec3{0, 0, turn}) *
                                                (q_PB0 * get_quaternion(q.data() + root.q + 3))));
  q[root.q + 3] = r.w, q[root.q + 4] = r.x, q[root.q + 5] = r.y, q[root.q + 6] = r.z;
}

}  // namespace

ClipReference::ClipReference(const TrackedBody& body, const RagdollMap& map, const Rig& rig,
                             const motion::Clip& clip, double scale,
                             const ClipReferenceOptions& options)
    : options_(options), root_(&body.model.links[at(body.root)]) {
  const motion::InPlace in_place =
      motion::extract_root_motion(rig.skeleton, rig.roles, clip, {.turning = true});
  const motion::ClipSampler sampler(rig.skeleton, in_place.clip);
  motion::ClipCursor cursor = sampler.cursor();
  const double T = sampler.duration();
  windows_ = std::max(1L, std::lround(T / options.window));
  step_ = T / static_cast<double>(steps());
  SkeletonPose pose(rig.skeleton);
  const auto& front = rig.bearing().front;
  const auto& left = rig.bearing().left;
  const auto place = [&](const motion::GroundPose& g, double t) {
    const Vec3 p{scale * dot(front, g.position) + options.speed * t, scale * dot(left, g.position),
                 0};
    return std::pair(p, g.heading);
  };
  for (long k = 0; k <= steps(); ++k) {
    const double t = sampler.start() + static_cast<double>(k) * step_;
    sampler.sample(t, cursor, pose);
    const auto [p, heading] = place(in_place.motion.at(t), static_cast<double>(k) * step_);
    VecX q = zero_state(body.model).q;
    map.write(pose, navigation::placement(rig.bearing(), p, heading, scale), q);
    frames_.push_back(std::move(q));
  }
  std::tie(way_, turn_) = place(in_place.motion.at(sampler.end()), T);
  const auto [start, first_turn] = place(in_place.motion.at(sampler.start()), 0);
  turn_ -= first_turn;
  way_ = way_ - turned_by(turn_, start);
  stand_on_ground(body);
}

double ClipReference::speed() const { return norm(way_) / duration(); }

void ClipReference::coordinates(long n, VecX& q) const {
  long loop = 0, k = n;
  if (options_.loops) {
    loop = n / steps() - (n % steps() < 0 ? 1 : 0);
    k = n - loop * steps();
  } else {
    k = std::clamp(n, 0L, steps());
  }
  q = frames_[at(k)];
  if (loop != 0) carry(*root_, turn_ * static_cast<double>(loop), way_of(loop), q);
}

// A sum of turned ones.
Vec3 ClipReference::way_of(long loops) const {
  if (std::fabs(turn_) < 1e-9) return way_ * static_cast<double>(loops);
  Vec3 way;
  for (long i = 0; i < loops; ++i) way += turned_by(turn_ * static_cast<double>(i), way_);
  for (long i = -1; i >= loops; --i) way = way - turned_by(turn_ * static_cast<double>(i), way_);
  return way;
}

void ClipReference::bring_home(long loop, long k, bool in_place, VecX& q) const {
  const double turn = turn_ * static_cast<double>(loop);
  const double gone = in_place ? options_.speed * static_cast<double>(k) * step_ : 0;
  carry(*root_, -turn, turned_by(-turn, way_of(loop)) * -1 - Vec3{gone, 0, 0}, q);
}

// Feet neither hover nor sink: a shift of all frames puts their lowest fifth on the ground, a
// smooth one lifts what is still below it.
void ClipReference::stand_on_ground(const TrackedBody& body) {
  std::vector<GroundPoint> points = ground_points(body.model);
  std::erase_if(points, [&](const GroundPoint& p) {
    return std::find(body.soles.begin(), body.soles.end(), p.body) == body.soles.end();
  });
  if (points.empty()) return;
  Kinematics<double> k(body.model);
  std::vector<double> low;
  for (const VecX& q : frames_) {
    update_poses(body.model, q.data(), k);
    double z = 1e300;
    for (const GroundPoint& p : points) {
      const BodyMotion<double>& b = k.bodies[at(p.body)];
      z = std::min(z, (b.p + b.R * p.p).z - p.radius);
    }
    low.push_back(z);
  }
  std::vector<double> sorted = low;
  std::sort(sorted.begin(), sorted.end());
  const double shift = sorted[sorted.size() / 5];
  lift_ = -shift;
  const auto n = static_cast<long>(low.size()) - 1;
  const long half = std::max(1L, std::lround(options_.sway / step_));
  const auto depth = [&](long i) {
    const long j = options_.loops ? ((i % n) + n) % n : std::clamp(i, 0L, n);
    return std::max(0.0, shift - low[at(j)]);
  };
  for (long i = 0; i <= n; ++i) {
    double sum = 0, weights = 0;
    for (long j = -half; j <= half; ++j) {
      const double x = static_cast<double>(j) / static_cast<double>(half + 1);
      const double w = (1 - x * x) * (1 - x * x);
      sum += w * depth(i + j), weights += w;
    }
    const double up = sum / weights - shift;
    lifted_ = std::max(lifted_, std::fabs(up));
    for (int a = 0; a < 3; ++a) frames_[at(i)][root_->q + a] += root_->t_P[a].z * up;
  }
}

void state_of(const TrackedBody& body, const Reference& reference, long n, State& state) {
  VecX before, after;
  reference.coordinates(n, state.q);
  reference.coordinates(n - 1, before);
  reference.coordinates(n + 1, after);
  // at the ends of what does not loop one side is missing
  const long end = reference.windows() * reference.steps_per_window();
  const double known = !reference.loops() && (n <= 0 || n >= end) ? 1 : 2;
  state.t = static_cast<double>(n) * reference.step();
  state.v = difference(body.model, before, after) / (known * reference.step());
}

}  // namespace molejo::tracking
