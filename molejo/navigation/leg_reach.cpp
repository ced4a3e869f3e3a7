#include "molejo/navigation/leg_reach.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/motion/sampler.h"
#include "molejo/navigation/foot_tracks.h"

namespace molejo::navigation {

namespace {

// A leg as points and axes, in the model.
struct Chain {
  static constexpr std::size_t max_joints = max_leg_joints;
  std::size_t size = 0;                  // joints, the foot included
  std::array<Vec3, max_joints> p, axis;  // axis[i]: about which joint i bends, 0 < i < size - 1
  std::array<double, max_joints> bend{}, turned{};

  Vec3 tip() const { return p[size - 1] - p[0]; }

  // How joint i bends now: from the bone before it to the one behind, about its axis.
  double measured_bend(std::size_t i) const {
    const Vec3 u = p[i] - p[i - 1], v = p[i + 1] - p[i];
    return std::atan2(dot(axis[i], cross(u, v)), dot(u, v) - dot(u, axis[i]) * dot(v, axis[i]));
  }

  void turn(std::size_t i, double angle) {
    const Quat q = exp_quat(axis[i] * angle);
    for (std::size_t k = i + 1; k < size; ++k) {
      p[k] = p[i] + rotated(q, p[k] - p[i]);
      axis[k] = rotated(q, axis[k]);
    }
    bend[i] += angle;
    turned[i] += angle;
  }
};

// One joint between: |u + R(theta) v|^2 is a constant plus a cosine.
bool bend_one(Chain& chain, double distance, const LegLimits& limits) {
  const Vec3 u = chain.p[1] - chain.p[0], v = chain.p[2] - chain.p[1], e = chain.axis[1];
  const double along = dot(u, e) * dot(v, e);
  const double a = dot(u, v) - along, b = dot(u, cross(e, v));
  const double r = std::hypot(a, b);
  if (!(r > 0)) return false;
  const double wanted = (0.5 * (distance * distance - dot(u, u) - dot(v, v)) - along) / r;
  const double bend = std::acos(std::clamp(wanted, -1.0, 1.0));
  const double least = std::min(limits.least_bend, std::max(chain.bend[1], 0.0));
  const double kept = std::clamp(bend, least, limits.most_bend);
  chain.turn(1, kept - chain.bend[1]);
  return std::abs(wanted) <= 1 && kept == bend;
}

// Several: the least change of all bends that gives the distance, damped.
bool bend_many(Chain& chain, double distance, double length, const LegLimits& limits) {
  constexpr int steps = 12;
  const std::size_t joints = chain.size - 2;
  for (int step = 0; step < steps; ++step) {
    const Vec3 tip = chain.tip();
    const double now = norm(tip), missing = distance - now;
    if (std::abs(missing) < 1e-9 * length || !(now > 0)) break;
    std::array<double, Chain::max_joints> slope{};
    double sum = 1e-4 * length * length;
    for (std::size_t i = 1; i <= joints; ++i) {
      slope[i] = dot(tip, cross(chain.axis[i], chain.p[chain.size - 1] - chain.p[i])) / now;
      sum += slope[i] * slope[i];
    }
    for (std::size_t i = 1; i <= joints; ++i) {
      const double least = std::min(limits.least_bend, chain.bend[i]);
      const double next =
          std::clamp(chain.bend[i] + slope[i] * missing / sum, least, limits.most_bend);
      chain.turn(i, next - chain.bend[i]);
    }
  }
  return std::abs(norm(chain.tip()) - distance) < 1e-3 * length;
}

void refresh(const Skeleton& skeleton, const SkeletonPose& pose, int j, std::span<Affine> X,
             std::span<Quat> Q) {
  const int parent = skeleton[j].parent;
  X[at(j)] = parent < 0 ? affine(pose[j]) : X[at(parent)] * affine(pose[j]);
  Q[at(j)] = parent < 0 ? pose.rotation(j) : normalized(Q[at(parent)] * pose.rotation(j));
}

Quat limited(const Quat& from, const Quat& to, double most) {
  const Vec3 turn = log_quat(conjugate(from) * to);
  const double angle = norm(turn);
  return angle <= most ? to : normalized(from * exp_quat(turn * (most / angle)));
}

}  // namespace

LegHinges find_hinges(const Rig& rig, int leg, const Clip& clip) {
  constexpr int samples = 120;
  const std::vector<int>& chain = rig.legs[at(leg)].chain;
  const std::size_t joints = chain.size() - 2;
  LegHinges hinges{std::vector<Vec3>(joints), std::vector<double>(joints, 1e9),
                   std::vector<double>(joints, -1e9)};
  const ClipSampler sampler(rig.skeleton, clip);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose pose(rig.skeleton);
  for (int k = 0; k < samples; ++k) {
    sampler.sample(sampler.start() + sampler.duration() * k / samples, cursor, pose);
    const std::vector<Affine> X = model_transforms(rig.skeleton, pose);
    const std::vector<Quat> Q = model_rotations(rig.skeleton, pose);
    for (std::size_t i = 0; i < joints; ++i) {
      const Vec3 a = X[at(chain[i])].origin, b = X[at(chain[i + 1])].origin;
      const Vec3 u = b - a, v = X[at(chain[i + 2])].origin - b;
      const double bend = std::atan2(norm(cross(u, v)), dot(u, v));
      hinges.least[i] = std::min(hinges.least[i], bend);
      if (bend <= hinges.most[i]) continue;
      hinges.most[i] = bend;
      // a leg that never bends is one of a human: shins go back
      const Vec3 axis = bend > 0.02 ? normalized(cross(u, v)) : rig.bearing().left;
      hinges.axes[i] = rotated(conjugate(Q[at(chain[i])]), axis);
    }
  }
  return hinges;
}

bool reach(const Rig& rig, int leg_index, const LegHinges& hinges, const Vec3& target,
           const Quat& foot, const LegLimits& limits, SkeletonPose& pose, std::span<Affine> X,
           std::span<Quat> Q) {
  const Leg& leg = rig.legs[at(leg_index)];
  const Skeleton& skeleton = rig.skeleton;
  Chain chain;
  chain.size = leg.chain.size();
  for (std::size_t i = 0; i < chain.size; ++i) chain.p[i] = X[at(leg.chain[i])].origin;
  for (std::size_t i = 1; i + 1 < chain.size; ++i) {
    chain.axis[i] = rotated(Q[at(leg.chain[i - 1])], hinges.axes[i - 1]);
    chain.bend[i] = chain.measured_bend(i);
  }
  const Vec3 way = target - chain.p[0];
  const double distance = norm(way);
  if (!(distance > 1e-9 * leg.length)) return false;
  const bool exact = chain.size == 3 ? bend_one(chain, distance, limits)
                                     : bend_many(chain, distance, leg.length, limits);
  for (std::size_t i = 1; i + 1 < chain.size; ++i) {
    const int j = leg.chain[i];
    pose.set_rotation(
        j, normalized(exp_quat(hinges.axes[i - 1] * chain.turned[i]) * pose.rotation(j)));
  }
  const int first = leg.chain[0], body = skeleton[first].parent;
  const Quat turn = shortest_turn(chain.tip(), way);
  const Quat Q_body = body < 0 ? Quat{} : Q[at(body)];
  pose.set_rotation(first, normalized(conjugate(Q_body) * turn * Q_body * pose.rotation(first)));
  for (std::size_t i = 0; i + 1 < chain.size; ++i) refresh(skeleton, pose, leg.chain[i], X, Q);
  const int shin = leg.chain[chain.size - 2];
  pose.set_rotation(leg.foot(),
                    limited(pose.rotation(leg.foot()), normalized(conjugate(Q[at(shin)]) * foot),
                            limits.foot_turn));
  refresh(skeleton, pose, leg.foot(), X, Q);
  if (leg.toes >= 0) refresh(skeleton, pose, leg.toes, X, Q);
  return exact;
}

}  // namespace molejo::navigation
