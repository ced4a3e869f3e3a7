// A limb of three joints in closed form, ball - hinge - ball: shoulder, elbow, wrist.
//
//   d = |g - s|, held within [|L1 - L2|, L1 + L2]      n = (g - s) / |g - s|
//   cos(bend) = (d^2 - L1^2 - L2^2) / (2 L1 L2)
//   elbow  e = s + n (d^2 + L1^2 - L2^2) / (2 d) + r (cos(swivel) u + sin(swivel) v)
//
// with r the radius of the circle on which the elbow may lie, u the part of a given direction
// across n, v = n x u. The position form of IKAN: Tolani, Goswami and Badler, "Real-time inverse
// kinematics techniques for anthropomorphic limbs" (2000), as used by Bicho (2001), appendix B.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/model/model.h"

namespace molejo {

struct Limb {
  std::string name;
  int upper = 0, lower = 0, end = 0;  // links; they hang on each other in this order
  Vec3 elbow_U;                       // from shoulder to elbow, in the axes of `upper`
  Vec3 wrist_U;                       // from elbow to wrist at zero, in the same
  Vec3 hinge_U;                       // unit axis of the elbow at zero, in the same
  double length_1 = 0, length_2 = 0;  // m
  double zero_bend = 0;               // from elbow_U to wrist_U about the hinge, rad
  double side = 1;                    // which way the hinge bends: the sign of its angle
  std::optional<double> least, most;  // limits of the hinge
  // In the axes of the body it hangs on: where the elbow points to at swivel zero, and the wrist
  // from the shoulder at zero.
  Vec3 towards, rest;
  double outward = 1;  // so that a positive swivel turns the elbow away from the body

  double reach() const { return length_1 + length_2; }
};

struct LimbPose {
  Mat3 R_PU;         // orientation of `upper` in the body it hangs on
  double hinge = 0;  // angle of the elbow
  Vec3 elbow;        // from the shoulder, like the goal
  Vec3 wrist;        // what is reached: the goal, or the nearest point on the way to it
  bool reached = true;
  double beyond_limits = 0;  // rad, of the hinge; told, not prevented
};

// The chain ball - hinge - ball whose first link is `upper`, or nothing. The hinge must be square
// to both segments at zero. A hinge with limits bends to the side that they leave free.
std::optional<Limb> find_limb(const Model& model, int upper);
// All of them; named by what stands before the last dot in the name of the upper body.
std::vector<Limb> find_limbs(const Model& model);

// `goal` is the wrist from the shoulder, in the axes of the body the limb hangs on.
LimbPose solve(const Limb& limb, const Vec3& goal, double swivel = 0);

// The swivel of an elbow (from the shoulder, or from the line to the wrist): the inverse of solve.
double swivel_of(const Limb& limb, const Vec3& elbow, const Vec3& wrist);

// Axes of a segment: along it, its hinge, across both.
inline Mat3 limb_frame(const Vec3& along, const Vec3& hinge) {
  return from_columns(along, hinge, cross(along, hinge));
}

}  // namespace molejo
