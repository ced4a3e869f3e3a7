// Equations of motion of a tree of rigid bodies,
//
//   M(q) a + c(q, v) = tau + sum of J^T f
//
// by the articulated-body algorithm in world axes (Featherstone, Rigid Body Dynamics Algorithms,
// 2008, table 7.1), one freedom at a time: every freedom is a pure rotation or translation through
// the joint point, so a joint of any type is a sequence of rank-one eliminations
//
//   U = I^A s    d = s.U + armature    I^a = I^A - U U^T / d
//
// With accelerations of points (not spatial ones) the velocity terms need angular velocities only.
// The U and d are a sparse factor of M^-1: contact and loops are solved on top of them.
// Recursive Newton-Euler and the composite-rigid-body algorithm are the independent second way.
#pragma once

#include <vector>

#include "molejo/model/kinematics.h"

namespace molejo {

// Torque about the body's joint point and force, or angular and linear acceleration there.
template <class S>
struct Spatial {
  Vec3T<S> angular, linear;
};

// One body: inertia [J B; B^T M] about its joint point (rigid, then articulated), forces,
// accelerations.
template <class S>
struct BodyDynamics {
  Sym3T<S> J;
  Mat3T<S> B;
  Sym3T<S> M;
  Sym3T<S> rigid_J;     // J of the body alone
  Spatial<S> bias;      // force at zero acceleration
  Spatial<S> coriolis;  // acceleration from velocities alone
  Spatial<S> a;         // acceleration of the joint point
};

// One freedom eliminated.
template <class S>
struct FreedomFactor {
  Vec3T<S> U_angular, U_linear;
  S d_inverse;
  S u;  // tau - s.bias
};

// What the motor of a freedom is told: force kp (target - q) + kd (target_velocity - v) + force.
template <class S>
struct MotorInput {
  S target{}, target_velocity{}, force{};
};

// Working memory of one thread (or of four worlds). Means nothing between two calls, except that
// `solve_` functions use what `factorize` left.
template <class S>
struct Dynamics {
  explicit Dynamics(const Model& model);

  Kinematics<S> kinematics;
  std::vector<BodyDynamics<S>> bodies;
  std::vector<FreedomFactor<S>> freedoms;
  // inputs of forward dynamics, filled by the caller
  std::vector<S> tau;                 // force of each freedom
  std::vector<S> inertia;             // added to each freedom's own: armature and implicit terms
  bool lone_inertia = false;          // do lone bodies have some of it? Only from a Command
  std::vector<Spatial<S>> applied;    // on each body: torque about its joint point, force
  std::vector<MotorInput<S>> motors;  // see Model::motors; as the model says until they are changed
  std::vector<S> given_a;             // accelerations of freedoms that follow a path
  std::vector<S> a;                   // output: joint accelerations
};

// Articulated inertias at the configuration of `d.kinematics` (poses up to date) and `d.inertia`.
template <class S>
void factorize(const Model& model, Dynamics<S>& d);

// Accelerations d.a for d.tau, d.applied and gravity at the joint velocities v, after `factorize`.
// Also leaves the accelerations and angular velocities of all bodies. Cost O(n).
template <class S>
void solve_acceleration(const Model& model, const S* v, Dynamics<S>& d);

// All of it: poses, angular velocities, factor and accelerations. d.tau, d.inertia and d.applied
// are read.
template <class S>
void forward_dynamics(const Model& model, const S* q, const S* v, Dynamics<S>& d);
void forward_dynamics(const Model& model, const Pack4* q, const Pack4* v, Dynamics<Pack4>& d);

// x = M^-1 y on the factor that is there (y may be x).
void solve_mass(const Model& model, Dynamics<double>& d, const double* y, double* x);

// The outward half of such a solve: x = M^-1 y and the motion of each body, from what each freedom
// feels of y after the inward eliminations (u).
template <class S>
void respond(const Model& model, const Dynamics<S>& d, const S* u, S* x, Spatial<S>* motion);

// The joint forces that give the accelerations `a` under gravity and d.applied (recursive
// Newton-Euler). With a = 0 this is the bias c(q, v). Poses and velocities must be up to date.
VecX inverse_dynamics(const Model& model, const VecX& v, const VecX& a, Dynamics<double>& d);

// M(q) by the composite-rigid-body algorithm, without armatures. Poses must be up to date.
MatX mass_matrix(const Model& model, Dynamics<double>& d);

// M = L^T D L with L unit lower triangular and as sparse as the tree: row i has entries only at the
// freedoms above i. Featherstone (2008), table 6.3.
struct TreeFactor {
  std::vector<int> parent;  // freedom above each freedom, -1 at the roots
  MatX L;                   // only entries (i, ancestor of i) are used
  VecX D;
};
TreeFactor factorize_mass_matrix(const Model& model, const MatX& M);
VecX solve(const TreeFactor& factor, VecX y);

}  // namespace molejo
