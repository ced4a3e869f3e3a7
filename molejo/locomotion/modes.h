// Natural vibrations of a tree of bodies about a pose:
//
//   M x'' + D x' + K x = 0     C x' = 0     K phi = w^2 M phi  on the null space of C
//
// in reduced coordinates x (freedoms of joints and of a free root). K is the stiffness of the
// joints' springs; on request, what gravity and springs between points add (the derivative of their
// static force, the reaction at fixed points included). Rows of C: fixed points, fixed
// orientations, locked freedoms. "Air" has none; "ground" fixes the toe of the support foot.
// Sources: Nunes (2012) s.2.4; Kry et al., "Modal locomotion" (2009). modes_by_constraints.h is the
// same in maximal coordinates, found another way.
#pragma once

#include <string>
#include <vector>

#include "molejo/locomotion/character.h"
#include "molejo/model/recording.h"

namespace molejo {

struct FixedPoint {
  BodyId body;
  Vec3 p;  // in the body frame
};

struct ModalOptions {
  std::vector<FixedPoint> fixed_points{};
  std::vector<BodyId> fixed_orientations{};
  std::vector<int> locked{};  // freedoms that do not move
  // In the stiffness: gravity, for what is held by fixed points or by joints to the world (a figure
  // in free fall does not feel it), and springs between points.
  bool gravity = false;
  bool springs = true;
};

// Modes in the order of their frequencies. Columns of `phi` are the mode shapes in joint
// coordinates: unit length over the freedoms of joints, the largest entry positive. With equal
// stiffness of all joints the torques phi psi excite the modes alone; K phi psi always does.
struct Modes {
  VecX eigenvalue;            // w^2, s^-2
  VecX hertz;                 // w / (2 pi)
  VecX damping_ratio;         // of the dampers of joints; above 1 it creeps back without swinging
  MatX phi;                   // internal freedoms x modes
  MatX shapes;                // all freedoms x modes, the motion of the root included
  std::vector<int> internal;  // freedom of each row of phi
  int rigid = 0;              // motions without stiffness, left out
  VecX falling;               // rates (1/s) at which the pose is left: negative stiffness, left out

  int count() const { return static_cast<int>(hertz.size()); }
};

// The matrices behind it, at the state.
struct ModalMatrices {
  MatX M;           // with armatures
  MatX D;           // dampers of joints
  MatX K;           // symmetric part
  MatX C;           // rows of what is fixed
  MatX null_space;  // orthonormal columns that C takes to zero
};
ModalMatrices modal_matrices(const Model& model, const State& rest, const ModalOptions& options);

// Cost O(nv^3): some milliseconds for a figure. Throws InputError for closed loops, and where no
// freedom is left.
Modes modal_analysis(const Model& model, const State& rest, const ModalOptions& options = {});

// The phases of locomotion: nothing fixed, and the toe of one foot fixed. Rows of phi are the
// character's internal freedoms; what else is in its scene is left out.
Modes air_modes(const Character& character, ModalOptions options = {});
Modes ground_modes(const Character& character, int foot, ModalOptions options = {});

// q at rest (+) amplitude times a shape: a pose of the animated mode.
State deflected(const Model& model, const State& rest, const VecX& shape, double amplitude);

// A mode as it is shown: one full swing from rest to rest, with the largest joint turn at 35
// degrees, at its own frequency but between 0.4 and 1.25 Hz.
Recording mode_clip(const Character& character, const Modes& modes, int mode);

}  // namespace molejo
