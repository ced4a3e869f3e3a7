// Impacts: velocities change at once, positions do not.
//
//   M (v+ - v-) = J^T lambda + G^T (joint impulses),   G v+ = 0
//   v_n+ >= -restitution v_n-  complementary to  lambda_n >= 0,   Coulomb friction
//
// Several contacts at once, and chains of them: those that approach are solved together, then
// those that approach because of it, until none does (Smith et al., "Reflections on simultaneous
// impact", 2012, without their restriction to full restitution). So a box that lands flat stays
// level, and one ball leaves Newton's cradle for one that arrives.
// Bodies that meet slower than the rest speed do not bounce.
#pragma once

#include "molejo/physics/contact_system.h"
#include "molejo/physics/contacts.h"

namespace molejo {

struct ImpactReport {
  int rounds = 0;
  bool solved = true;      // false: not finite; v is left alone
  bool exhausted = false;  // the chain did not end: what was left was stopped without bouncing
};

// Changes v at the poses of d.kinematics. Each contact's impulse becomes what acted on it. The
// contacts touch: their gaps do not matter. Uses and overwrites d, loops and the system.
ImpactReport resolve_impact(const Model& model, std::vector<Contact>& contacts, VecX& v,
                            Dynamics<double>& d, Loops& loops, ContactSystem<double>& system);

// ANIMADO's impulse on body a for one contact of mobility K (velocity change of a against b per
// impulse, contact axes with z the normal from b to a) and approach velocity u of a against b:
// the no-slip impulse, or where that leaves the friction cone the sliding one along its tangent,
// all of it times 1 + restitution (spec: 3.8, the 15 linear equations solved for P).
Vec3 analytic_impulse(const Mat3& K, const Vec3& u, double friction, double restitution);

}  // namespace molejo
