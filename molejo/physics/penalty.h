// Contact as a spring and a damper along the normal (ANIMADO's springs, and soft or long contacts
// of any bodies): at every point of a pair with this response,
//
//   f = stiffness (reach - gap) - damping d/dt gap,   not below zero, while gap < reach
//
// A force like any other: every integrator takes it.
#pragma once

#include "molejo/physics/contacts.h"
#include "molejo/physics/dynamics.h"

namespace molejo {

struct Penalty {
  explicit Penalty(const Model& model);

  Contacts contacts;  // contacts.list: the points of the last call
  Contacts::Chunk found;
  std::vector<double> force;   // normal force at each, N
  std::vector<double> margin;  // of each collider, m
};

// Is there any pair of this response?
bool has_penalty(const Model& model);

// Adds the forces to d.applied. Poses and velocities of d.kinematics must be up to date.
void apply_penalty(const Model& model, Dynamics<double>& d, Penalty& penalty);

// Energy in the springs at the poses of k.
double penalty_energy(const Model& model, const Kinematics<double>& k, Penalty& penalty);

}  // namespace molejo
