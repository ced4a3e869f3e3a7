// Mass, centre of mass and inertia of uniform solids, exactly.
//
// Closed forms for sphere, capsule, box and cylinder; signed tetrahedra for polyhedra
// (the covariance of a tetrahedron with one vertex at the origin is det(A) A C A^T).
#pragma once

#include "molejo/model/shapes.h"

namespace molejo {

struct MassProperties {
  double mass = 0;  // kg
  Vec3 p_BC;        // centre of mass in the body frame, m
  Sym3 I_BC;        // inertia about the centre of mass in body axes, kg m^2
  bool operator==(const MassProperties&) const = default;
};

// Of one shape of the given density (kg/m^3), in the frame of its body. Planes and height
// fields have no mass.
MassProperties mass_properties(const Shape& shape, double density);

// Of two solids together.
MassProperties operator+(const MassProperties& a, const MassProperties& b);

// The same solid seen from frame A, with X_AB the pose of its frame there.
MassProperties transformed(const Pose& X_AB, const MassProperties& m);

// Principal moments in ascending order and the rotation whose columns are the principal axes.
struct PrincipalInertia {
  Vec3 moments;
  Mat3 axes;
};
PrincipalInertia principal_inertia(const Sym3& I);

// Is I the inertia of some solid: positive definite, and no moment above the sum of the others
// (up to a relative slack)?
bool is_physical_inertia(const Sym3& I, double slack = 1e-6);

}  // namespace molejo
