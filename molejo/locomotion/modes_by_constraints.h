// The same modes by constraints in maximal coordinates, as Nunes (2012, s.2.4) and Kry et al.
// (2009) find them: six velocities (w, v) of each body in its own axes at its centre of mass,
// joints as equations.
//
//   Theta: relative velocity at each joint, -Ad(j<-parent) and +Ad(j<-child)      G: what joints
//   forbid N: null space of G by pivoted QR of G^T (N^T Theta^T K Theta N) x = w^2 (N^T M N) x phi
//   = Theta N x
//
// An independent second way to modes.h, for springs of joints alone: its oracle.
#pragma once

#include "molejo/locomotion/modes.h"

namespace molejo {

struct ConstraintModes {
  MatX mass;             // 6 per body
  MatX theta;            // a row for each freedom of a joint that is not the free root
  MatX stiffness;        // diagonal, of these
  MatX G, null_space;    // G N = 0
  VecX all_eigenvalues;  // with those of rigid motions, which are zero
  MatX eigenvectors;     // of the reduced problem, N^T M N -> 1
  int rigid = 0;
  VecX eigenvalue, hertz;  // of the others
  MatX phi;                // in the order and normalisation of Modes::phi
};

// At the zero state of joints with three rotations. Gravity and springs between points are not
// taken.
ConstraintModes modes_by_constraints(const Model& model, const State& rest,
                                     const ModalOptions& options = {});

}  // namespace molejo
