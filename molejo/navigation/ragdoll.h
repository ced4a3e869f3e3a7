// A character as rigid bodies, so that it can fall and be hit:
//
//   R_WB = R_WJ R_JB                  a body is turned as its joint J of the skeleton is
//   R_JP^T R_J = q_1 q_2 ... q_n      a torso or a head: its turn is spread over the joints between
//
// All joints are balls, so that every pose of a clip has coordinates; limits about their three axes
// make hinges of knees and elbows. Masses of men's segments: de Leva, "Adjustments to
// Zatsiorsky-Seluyanov's segment inertia parameters" (1996), table 4. What goes on all fours weighs
// as much as water. Without a skin, segments are as thick as their mass asks. SI units, z is up.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "molejo/model/model.h"
#include "molejo/navigation/walk_clips.h"

namespace molejo {
struct Scene;
}

namespace molejo::navigation {

enum class SegmentKind {
  pelvis,
  waist,
  torso,
  head,
  upper_arm,
  lower_arm,
  hand,
  thigh,
  shank,
  foot,
  toes,
  limb  // of an animal's leg, above the foot
};

struct RagdollPart {
  std::string name;  // of its body: "pelvis", "left_upper_leg"
  SegmentKind kind = SegmentKind::limb;
  int leg = -1;                // of the rig
  int parent = -1;             // among the parts; the first is the pelvis
  int joint = -1;              // of the skeleton
  std::vector<int> spread;     // joints that share the turn against the parent, down to `joint`
  Quat q_JB;                   // from the axes of the body to those of the joint
  double carried_inertia = 0;  // kg m^2: about its joint, of all that hangs on it; 0 of the pelvis
};

struct RagdollOptions {
  double mass = 0;  // kg; 0: 22 kg/m^2 times the height squared, on all fours by volume
  double friction = 0.7;
  // Joints lose their speed within about so many seconds.
  double slackness = 0.25;
  // A biped has waist, hands and toes of its own, where the skeleton has joints for them.
  bool fine = false;
};

struct Ragdoll {
  std::shared_ptr<const Scene> scene;  // a body for each part, in their order, and the joints
  std::vector<RagdollPart> parts;      // parents first
  double scale = 1;                    // metres per unit of the model
  double mass = 0;
  double leg_length = 0;  // m
};

// Lengths are those of `shown`, poses that the character takes (of its clips), where there are any;
// else of the rig's reference. Limits leave room for all of `shown`; what overlaps in one of them
// never collides. Throws InputError: a skeleton without extent.
Ragdoll make_ragdoll(const Rig& rig, const Character& character, double scale,
                     std::span<const SkeletonPose> shown, const RagdollOptions& options = {});

// The same with lengths and room for what the clips show.
Ragdoll make_ragdoll(const WalkClips& clips, const Character& character, double scale,
                     const RagdollOptions& options = {});

// Between poses of the skeleton and coordinates of the bodies in a model, in which they may have
// another name before theirs ("ana."). Both must outlive the map.
class RagdollMap {
 public:
  RagdollMap(const Ragdoll& ragdoll, const Rig& rig, const Model& model,
             const std::string& prefix = "");

  // The link of each part.
  const std::vector<int>& links() const { return links_; }
  int root() const { return links_[0]; }

  // Coordinates of the links. Lengths are the ragdoll's: its pelvis is where the hips are, bodies
  // are turned as their joints.
  void write(const SkeletonPose& pose, const Affine& X_WM, VecX& q) const;
  // The reverse: changes the joints with bodies and those that share their turns, and moves the
  // hips, under the same X_WM. All others keep what they have.
  void read(const VecX& q, const Affine& X_WM, SkeletonPose& pose) const;

 private:
  const Ragdoll& ragdoll_;
  const Rig& rig_;
  const Model& model_;
  std::vector<int> links_;
};

}  // namespace molejo::navigation
