// Contact of chosen points of a tree with the ground z = 0, for one world or a pack of four.
//
// Points of one body share six rows: what unit torques and forces at its joint point are felt as by
// the freedoms between it and the root (U, by the eliminations of the articulated-body algorithm).
// Bodies a and b that touch answer each other by a 6x6 block,
//
//   Y_ab = U_a D^-1 U_b^T        twist of a += Y_ab wrench on b,
//
// so Gauss-Seidel runs on the twists of the few bodies that touch. The law of each contact is that
// of contact_system.h. Each lane of a pack gives the bits of a single world, and may have a step
// of its own.
#pragma once

#include "molejo/physics/contact_system.h"

namespace molejo {

// A sphere (or a corner, of radius zero) that is fixed to a body.
struct GroundPoint {
  int body = 0;
  Vec3 p;  // from the body's joint point, in its axes
  double radius = 0;
};

// What of the shapes of the bodies can touch a plane: corners of boxes and polyhedra, spheres, ends
// of capsules; cylinders by points of their rims. Sorted by bodies. Bodies that cannot be moved are
// left out.
std::vector<GroundPoint> ground_points(const Model& model);

// Rows and twist of one body that touches.
template <class S>
struct TouchingBody {
  int body = 0;
  int first = 0, last = 0;         // of PointContact::blocks
  std::vector<Vec3T<S>> U_a, U_l;  // of each freedom on the way: felt of torques, of forces
  Spatial<S> twist;                // with all impulses so far
  Spatial<S> wrench;               // their sum
};

template <class S>
struct PointContact {
  PointContact(const Model& model, std::vector<GroundPoint> ground_points, double friction);

  std::vector<GroundPoint> points;
  double friction;
  double recovery = 0.1;    // part of a penetration that is taken back per step
  double tolerance = 5e-5;  // m/s: change of contact velocities at which the solver stops
  int most_iterations = 30;

  std::vector<S> allowed;         // per body: may it touch? 1 or 0
  std::vector<Vec3T<S>> impulse;  // on each point in the last step, N s
  std::vector<S> body_impulse;    // of each body: the sum of the normal ones
  Vec3T<S> total;                 // the sum of all
  int iterations = 0;             // of the last solve

  // memory
  double yielding;                    // least mobility that counts, 1/kg
  std::vector<int> first_point;       // of each body, and one behind the last
  std::vector<double> reach;          // of each body: its farthest point from the joint point
  std::vector<std::vector<int>> way;  // freedoms from the root to each body
  std::vector<int> position;          // of each freedom on all ways that it is on
  std::vector<ContactBlock<S>> blocks;
  std::vector<int> block_point;
  std::vector<Vec3T<S>> block_arm;  // world, from the joint point
  std::vector<TouchingBody<S>> bodies;
  int touching = 0;  // how many of them are used
  std::vector<S> Y;  // a block for each pair of them
  S* block(int a, int b) { return Y.data() + 36 * (a * touching + b); }
  std::vector<S> felt, dv;
  std::vector<Spatial<S>> motion;
};

// Forgets the impulses of the last step, from which the solver starts.
template <class S>
void forget(PointContact<S>& contact);

// From the velocities v of free motion over a step h to those with contact, with the factor and the
// poses of d. Bodies in d.kinematics get the velocities of free motion.
template <class S>
void meet_ground(const Model& model, const S& h, S* v, Dynamics<S>& d, PointContact<S>& contact);
void meet_ground(const Model& model, const Pack4& h, Pack4* v, Dynamics<Pack4>& d,
                 PointContact<Pack4>& contact);

}  // namespace molejo
