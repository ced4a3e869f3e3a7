// A clip of a skeleton as a figure can follow it: where its limbs point, seen from hips that face
// forward.
//
//   d(t) = B^T turn(up, -heading(t)) (x_end(t) - x_begin(t)) / |...|      B = (front, left, up)
//
// Who is who is told by roles (motion/roles.h); heading is the turn of the hips about up since the
// reference pose. Directions carry over to limbs of any length: elbows and knees bend as they do.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "molejo/motion/character.h"
#include "molejo/motion/roles.h"
#include "molejo/motion/sampler.h"

namespace molejo {

enum class ClipLimb { left_arm, right_arm, left_leg, right_leg };
inline constexpr int clip_limb_count = 4;
// By the name of a limb of a figure: "left_arm", "Arm.R".
std::optional<ClipLimb> clip_limb(const std::string& name);

// All forward, left, up.
struct LimbDirections {
  Vec3 upper, lower;  // unit vectors along the segments
  // Unit axis about which the lower one is turned against the upper one, positive to the side it
  // bends to when it bends most; zero where the limb never bends.
  Vec3 hinge;
};

struct ClipPose {
  std::array<LimbDirections, clip_limb_count> limbs;
  double tilt = 0;       // of the torso forwards since the reference pose, rad
  double clearance = 0;  // of the lower ankle over the lowest of the clip
  Vec3 ground;           // of the hips, along the ground, in the axes of the reference pose
  double heading = 0;    // rad, to the left
};

class ClipData {
 public:
  ClipData(const motion::Character& character, int clip);

  // Roles that a limb needs and nobody plays; of all limbs also the hips.
  std::vector<std::string> missing(ClipLimb limb) const;
  double duration() const { return sampler_.duration(); }
  double leg_length() const { return roles_.leg_length; }  // 0 without legs
  // Are all numbers that the way over the ground needs within bounds?
  bool is_bounded() const { return bounded_; }

  // Each player has one: nothing is allocated while it plays.
  struct Scratch {
    motion::ClipCursor cursor;
    motion::SkeletonPose pose;
    std::vector<motion::Affine> X;
    std::vector<Quat> q;
  };
  Scratch scratch() const;
  // At t seconds after the start of the clip, held before and behind.
  ClipPose at(double t, Scratch& scratch) const;

 private:
  struct Chain {
    int upper = -1, lower = -1, end = -1;  // joints
    bool complete() const { return upper >= 0 && lower >= 0 && end >= 0; }
  };
  void sample(double t, Scratch& s) const;
  double height(const Vec3& p) const { return dot(p, roles_.bearing.up); }
  double lower_ankle(const Scratch& s) const;
  Vec3 spine(const Scratch& s) const;  // from the hips upwards, in model axes
  LimbDirections directions(int limb, const Scratch& s, double heading) const;
  // From model axes to forward, left, up of hips with this heading.
  Vec3 seen(const Vec3& v, double heading) const;
  void learn(const std::vector<double>& times);

  motion::Skeleton skeleton_;
  motion::Roles roles_;
  motion::ClipSampler sampler_;
  std::array<Chain, clip_limb_count> chains_;
  std::array<Vec3, clip_limb_count> hinges_;    // in the axes of the upper joint; zero: unknown
  std::array<Vec3, 2 * clip_limb_count> rest_;  // segments in the reference pose, unit vectors
  std::vector<int> path_;                       // joints with a role and all above, parents first
  int spine_top_ = -1;
  Quat hips_reference_;
  double tilt_reference_ = 0, ground_ = 0;
  bool bounded_ = true;
};

}  // namespace molejo
