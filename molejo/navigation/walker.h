// A character that goes over any ground: what all that walk have in common.
//
// Two systems answer to it. AdaptiveWalker (adaptive_walker.h) is the default; ThesisWalker
// (thesis_walker.h) is Matthey's IK Navigation System as he described it. Both are steered by where
// to turn and whether to walk, and show a pose of the skeleton, which stands in the world at X_WM.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "molejo/motion/ground.h"
#include "molejo/motion/snapshot.h"
#include "molejo/navigation/rig.h"

namespace molejo::navigation {

struct Steering {
  bool walk = true;  // else it comes to rest and idles
  double turn = 0;   // rad/s, to the left
  double rate = 1;   // of playing the clip
};

enum class Solver { adaptive, gradient_descent };

// What one foot shall do and does, in the world.
struct FootState {
  bool heel_down = false, toe_down = false;  // who shall stand now
  Vec3 target;                               // of the foot's joint
  Vec3 ankle;                                // where that joint is
  Vec3 heel, toe;                            // where the sole is
};

// Seconds of processor time, added up over all frames.
struct WalkCost {
  double sampling = 0, trajectories = 0, inverse_kinematics = 0, matrices = 0;
  long frames = 0;
};

class Walker {
 public:
  virtual ~Walker() = default;

  // One frame further. Allocates nothing.
  virtual void advance(double dt, const Steering& steering) = 0;

  virtual const Rig& rig() const = 0;
  virtual double scale() const = 0;
  virtual const SkeletonPose& pose() const = 0;
  virtual Affine placement() const = 0;                          // X_WM
  virtual std::span<const Affine> model_transforms() const = 0;  // X_MJ of the pose, all joints
  virtual std::span<const FootState> feet() const = 0;           // one per leg
  // Where the joint of a foot in the air shall go until it lands, evenly in time from now on.
  // False: the foot stands, or nothing is planned so far ahead.
  virtual bool plan_of_foot(int, std::span<Vec3>) const { return false; }
  // Where it stands on the ground (below its hips) and where it looks, rad.
  virtual Vec3 position() const = 0;
  virtual double heading() const = 0;
  // The pose that the clips alone would show now, and where: flat ground at the height under the
  // character.
  virtual const SkeletonPose& unadapted() const = 0;
  virtual Affine unadapted_placement() const = 0;
  // It does not go on: the ground before it is impassable.
  virtual bool blocked() const = 0;
  // Does it walk now, and where in the loop of its walk: parts of it, from 0 to 1.
  virtual bool walks() const { return false; }
  virtual double phase() const { return 0; }
  // Goes on from a pose that somebody else gave (a ragdoll, another walker), blending over
  // `seconds`.
  virtual void take_over(const SkeletonPose& pose, const Affine& X_WM, double seconds) = 0;
  // Time per subsystem is measured only when asked for.
  virtual void measure(WalkCost* cost) = 0;
  // For snapshots (math/snapshot.h): what is shown, and all that the next frame depends on.
  virtual void save(SnapshotWriter& a) const = 0;
  virtual void restore(SnapshotReader& a) = 0;
};

// Which of the walkers a snapshot is of.
enum class WalkerKind { adaptive, thesis, fallible, other };
template <class Archive>
void visit_kind(Archive& a, WalkerKind kind) {
  WalkerKind saved = kind;
  visit_enum(a, saved, WalkerKind::other, "walker");
  a.require(saved == kind, "a walker of the same kind");
}

template <class Archive>
void visit(Archive& a, Seen<Archive, FootState>& f) {
  a(f.heel_down, f.toe_down, f.target, f.ankle, f.heel, f.toe);
}

template <class Archive>
void visit(Archive& a, Seen<Archive, Steering>& s) {
  a(s.walk, s.turn, s.rate);
}

}  // namespace molejo::navigation
