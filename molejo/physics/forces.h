// What acts on the bodies: drives of joints (springs, dampers, limits, motors), springs between
// points, forces given over time.
//
// Stiff drives can be treated implicitly: the force at a later state is linear in the acceleration,
//
//   f = -k (q + ahead v - rest) - b v - (by_damping b + by_stiffness k) a,
//
// and the last term joins the inertia of the freedom, where the articulated-body algorithm takes
// it at no cost.
#pragma once

#include "molejo/physics/command.h"
#include "molejo/physics/dynamics.h"

namespace molejo {

// H is double, or a pack where each of four worlds has a step of its own.
template <class H>
struct ImplicitDriveT {
  H ahead{}, by_damping{}, by_stiffness{};

  static ImplicitDriveT explicit_force() { return {}; }
  // Force at the end of a step h: first order, damps.
  static ImplicitDriveT end_of_step(const H& h) { return {h, h, h * h}; }
  // Mean of both ends of a step h, with q already at the middle: second order, conserves.
  static ImplicitDriveT middle_of_step(const H& h) { return {H(0.0), h * 0.5, h * h * 0.25}; }
};
using ImplicitDrive = ImplicitDriveT<double>;

// Sets d.tau and d.inertia from the drives of the tree's joints and what a command says of them.
template <class S, class H>
void apply_drives(const Model& model, const S* q, const S* v, const ImplicitDriveT<H>& implicit,
                  Dynamics<S>& d, const Acting<S>& command = {});

// Sets d.applied from springs between points, given forces at time t and the wrenches of a command.
// Poses and velocities of d.kinematics must be up to date. (Drives of loop joints too, for single
// worlds.)
template <class S>
void apply_body_forces(const Model& model, double t, Dynamics<S>& d, const Acting<S>& command = {});

// Does apply_body_forces have anything to do without a command?
bool has_body_forces(const Model& model);

// Force and torque of a given force at time t: a Bezier curve through its samples' hull.
ForceSample force_at(const std::vector<ForceSample>& samples, double t);

// Kinetic energy of the rotors behind joints with an armature.
double rotor_energy(const Model& model, const Kinematics<double>& k, const VecX& v);

// Energy stored in springs between points and in the drives of all joints.
double elastic_energy(const Model& model, const Kinematics<double>& k, const VecX& q);

}  // namespace molejo
