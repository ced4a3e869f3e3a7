// The segments of a character, before they become bodies: which joints, where, how long.
#pragma once

#include <optional>

#include "molejo/model/mass_properties.h"
#include "molejo/navigation/ragdoll.h"

namespace molejo::navigation {

struct Segment {
  std::string name;
  SegmentKind kind = SegmentKind::limb;
  int parent = -1;
  int joint = -1;
  std::vector<int> spread;
  int tip_joint = -1;   // where it ends, if a joint tells
  int leg = -1;         // of the rig
  bool upright = true;  // of the trunk: of one that goes on two legs

  // In the zero configuration, at heading 0, metres.
  Vec3 origin, tip;
  Quat q_WJ, q_WB;
  double length = 0;
};

// Joints in the world at heading 0, with the origin of the model at zero.
struct PlacedSkeleton {
  std::vector<Affine> X;
  std::vector<Vec3> p;
  std::vector<Quat> q;
};
PlacedSkeleton place_skeleton(const Rig& rig, const SkeletonPose& pose, double scale);

// In the zero configuration: as in `pose`, arms hanging down slantwise with straight elbows.
// `fine`: waist, hands and toes are segments of their own.
std::vector<Segment> find_segments(const Rig& rig, const SkeletonPose& pose, double scale,
                                   bool fine = false);

// Goes on all fours, or on more.
bool is_biped(const Rig& rig);

// Part of the mass of a man that is in one such segment, with the waist, hand or toes that are none
// of their own; 0: not known.
double mass_fraction(SegmentKind kind);

// Does it share its turn among the joints between it and the segment above?
inline bool is_spread(SegmentKind kind) {
  return kind == SegmentKind::waist || kind == SegmentKind::torso || kind == SegmentKind::head;
}

// A shape for each, of its mass: `mass` of a biped in all; else by volume. Skins tell the size.
struct Solid {
  Shape shape;
  MassProperties mass;
};
std::vector<Solid> make_solids(const Rig& rig, const Character& character,
                               const std::vector<Segment>& segments, const SkeletonPose& pose,
                               double scale, double mass);

// Do they overlap, at these poses? Points of one in the other: near enough to see which limbs a
// pose has inside each other.
bool overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

}  // namespace molejo::navigation
