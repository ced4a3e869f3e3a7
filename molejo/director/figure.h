// An actor: a tree of bodies that actions pose, by a few numbers instead of all its freedoms.
//
//   place, heading, lift    where the root stands: over this point of the ground, turned about z,
//                           so far above or below the height at which it stands at rest
//   tilt                    of the torso against the root, forwards
//   a goal for each limb    where its end shall be; limbs are solved in closed form (limb.h)
//
// Feet stay where they stand while the body moves. When a leg cannot reach, the body is lowered
// until it can: so a step lowers the hips, L - sqrt(L^2 - x^2/4), and nothing slips.
// z is up; forward and left turn with the heading.
#pragma once

#include <string>
#include <vector>

#include "molejo/director/limb.h"
#include "molejo/model/build.h"
#include "molejo/model/kinematics.h"

namespace molejo {

// To what the end of a limb is held.
enum class Hold {
  body,    // the body it hangs on: p from the shoulder, in that body's axes
  ground,  // the ground below the root: p from `place`, forward, left, up
  world    // a point of the world: a foot that stands
};

struct LimbGoal {
  Hold hold = Hold::body;
  Vec3 p;
  double swivel = 0;
};

struct Posture {
  Vec3 place;                        // m
  double heading = 0;                // rad
  double lift = 0;                   // m
  double tilt = 0;                   // rad
  std::vector<LimbGoal> limbs = {};  // in the order of Figure::limbs
};

struct FigureLimb : Limb {
  bool is_leg = false;  // its end is a foot, and it hangs on the root
  Vec3 stand;           // of a leg: its end from the place at rest, forward, left, up
};

struct Figure {
  std::string name;
  int root = 0;            // link, with six freedoms
  std::vector<int> links;  // all that hang on it, itself first
  std::vector<FigureLimb> limbs;
  int waist = -1;                  // link of the torso where a hinge across holds it; -1: no tilt
  double tilt_sign = 1;            // of its angle for a tilt forwards
  double height = 0;               // of the root's joint point over the place at rest, m
  Mat3 R_rest = Mat3::identity();  // of the root at heading 0
  Posture rest;                    // at the place where the scene has it

  // Index of a limb by its name without the actor's; -1: none.
  int find_limb(const std::string& limb) const;
};

// The figure whose root is the root of the tree of `body`. `name` is cut from the names of limbs;
// feet are bodies, by index. It rests with its joints at zero, its root where the scene has it. The
// root must be free: else InputError.
Figure make_figure(const Built& built, const std::string& name, int body, double heading,
                   const Vec3& place, const std::vector<int>& feet, int torso);

// The end of a leg or arm in the world, and the goal that holds it there.
Vec3 goal_in_world(const Model& model, const Figure& figure, const Posture& posture, int limb);
void hold(const Model& model, const Figure& figure, Hold how, int limb, Posture& posture);

// How much the root is lowered so that every leg that stands or steps reaches its goal.
double sink(const Model& model, const Figure& figure, const Posture& posture);

// What could not be done as asked.
struct SolveReport {
  double out_of_reach = 0;   // largest distance of an end to its goal, m
  double beyond_limits = 0;  // largest excess of a hinge, rad
};

// Writes the coordinates of the root, the waist and all limbs. `k` is used and left up to date for
// the whole model.
SolveReport pose_figure(const Model& model, const Figure& figure, const Posture& posture,
                        Kinematics<double>& k, VecX& q);

// The posture that the coordinates show: all limbs held where they are, feet on the ground stand.
Posture read_posture(const Model& model, const Figure& figure, const VecX& q,
                     Kinematics<double>& k);

// Puts the body of a link where it is told, relative to its parent as it is in k: a free root, a
// ball or hinge; what its joint does not allow is left out.
void set_joint(const Model& model, int link, const Pose& X_WB, const Kinematics<double>& k,
               VecX& q);

}  // namespace molejo
