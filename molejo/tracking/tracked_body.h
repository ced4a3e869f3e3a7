// A character as a controller sees it: its bodies alone on a ground, the motors of its joints, and
// which of their targets a search may move.
//
//   torque = kp (reference + offset - phi) + kd (rate of the reference - rate of phi)
//
// phi are the rotation vectors of the joints, the torque is held within what the joint may bear.
// Gains follow size and weight: legs and trunk carry the body (kp in m g L), what hangs free
// answers at a few hertz (kp in its own inertia). SI units, z is up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "molejo/model/model.h"
#include "molejo/navigation/ragdoll.h"

namespace molejo::tracking {

using navigation::Affine;
using navigation::Ragdoll;
using navigation::RagdollMap;
using navigation::Rig;
using navigation::SegmentKind;
using navigation::SkeletonPose;

struct JointMotor {
  double stiffness = 0, damping = 0;  // N m/rad, N m s/rad
  double strength = 0;                // N m, its largest torque
};

// One number of an action: the target of this freedom is moved.
struct SampledFreedom {
  int v = 0;          // of the model
  double spread = 1;  // of its samples, against the others
};

// A ground that does not move, for the search: the bodies meet nothing else.
struct TrackedBody {
  std::shared_ptr<const Scene> scene;  // of the bodies and the ground
  Model model;
  std::vector<int> links;   // of the parts of the ragdoll
  int root = 0, torso = 0;  // links of the pelvis, of the upper trunk
  std::vector<int> feet, hands;
  std::vector<int> soles;          // what stands on the ground: feet and toes
  std::vector<JointMotor> motors;  // of each freedom; zero for those of the root
  std::vector<SampledFreedom> sampled;
  double mass = 0, leg_length = 0;
};

struct TrackedBodyOptions {
  double friction = 0.9;
  double stiffness = 1.75;  // of legs and trunk, m g L
  double strength = 0.55;   // likewise
  double damping = 0.05;    // s: part of the stiffness
  double toes = 0.05;       // stiffness of toes, m g L
  double rate = 22;         // rad/s of arms and head
};
TrackedBody make_tracked_body(const Ragdoll& ragdoll, const TrackedBodyOptions& options = {});

}  // namespace molejo::tracking
