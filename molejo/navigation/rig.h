// What walks: hips, and legs that reach from below them to the ground.
//
//   X_WM = (x_W along front, y_W along left, z_W along up), turned by the heading, scaled, moved
//
// The world has z up, as scenes have; the model has the axes of its file. At heading 0 a character
// looks along x. A Rig is made once for a character and shared by all that look like it.
#pragma once

#include <string>
#include <vector>

#include "molejo/motion/character.h"
#include "molejo/motion/roles.h"

namespace molejo::navigation {

using namespace molejo::motion;
using motion::Character;  // others of these names are about
using motion::Clip;

// Where a sole meets the ground, in the frame of the foot. The toe point lies below the joint of
// the toes where there is one, so that the foot rolls over it. Paws and hooves have both in one.
struct Sole {
  Vec3 heel, toe;
};

inline constexpr int max_leg_joints = 16;

struct Leg {
  std::string name;        // "left", "right", "front left"
  std::vector<int> chain;  // joints from the one below the body to the foot, each the parent of the
                           // next
  int toes = -1;           // the joint below the foot that bends over the toe point, or none
  int ball = -1;      // the joint over the ball of the foot: toes, what ends the foot, or the foot
  double length = 0;  // along the bones, in the model
  int opposite = -1;  // the leg on the other side
  Sole sole;

  int foot() const { return chain.back(); }
};

struct Rig {
  Skeleton skeleton;
  SkeletonPose reference;  // in which it was bound: it stands upright
  Roles roles;
  int hips = -1;
  std::vector<Leg> legs;
  double leg_length = 0;  // mean, in the model
  // Of each joint along a leg: the fastest it turns in the walk that the soles were fitted to, of
  // all legs, rad/s.
  std::vector<double> fastest_turn;
  std::vector<int> path;  // joints on the ways from the root to the ends of the legs, parents first

  const Bearing& bearing() const { return roles.bearing; }
};

// Joints of a leg, by index; the chain must go straight from `from` down to `to`.
struct LegChoice {
  std::string name;
  int from = -1, to = -1;
  int toes = -1;
};

// Legs are those of the roles; where the body goes on all fours, its arms too. `legs` replaces them
// all. Throws InputError: no hips, no legs, a chain that is none, that holds the hips or joints of
// another leg, or has no length.
Rig make_rig(const Character& character, const Roles& roles,
             const std::vector<LegChoice>& legs = {});

// Where the soles are: by the skin, where the character has one, else by the lowest that heel and
// toes come in the clip, which must be closed and in place.
void fit_soles(Rig& rig, const Character& character, const Clip& clip);

// Metres per unit of a model with legs of that length: centimetres are found out.
double usual_scale(double leg_length);

// X_WM of a character that stands at `position` (of the model's origin) with this heading, rad.
Affine placement(const Bearing& bearing, const Vec3& position, double heading, double scale);

}  // namespace molejo::navigation
