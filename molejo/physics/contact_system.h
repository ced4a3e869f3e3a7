// Contact impulses on top of the tree's factor.
//
//   v+ = v + M^-1 J^T lambda        J M^-1 J^T = W W^T
//
// A unit impulse at a contact, carried from its body to the root through the eliminations of the
// articulated-body algorithm, is felt as u_j by each freedom j on the way, and W_kj = u_kj /
// sqrt(d_j). With s = W^T lambda the velocity at the contacts is that of free motion plus W s. So
// Gauss-Seidel reads and writes s along the ways of one contact after the other: the sparse factor
// does all, in joint coordinates, and no matrix of the contacts is ever formed.
//
// Each contact obeys Signorini's and Coulomb's laws,
//
//   0 <= lambda_n,  v_n >= target,  lambda_n (v_n - target) = 0
//   |lambda_t| <= mu lambda_n,  and lambda_t = -mu lambda_n v_t/|v_t| where it slides,
//
// on the true cone: a fixed point of the iteration satisfies them exactly.
// Written once for a scalar S (double or Pack4).
#pragma once

#include "molejo/physics/loops.h"

namespace molejo {

template <class S>
struct ContactBlock {
  Vec3T<S> axis[3];  // two tangents and the normal, from b to a, world
  Vec3T<S> free;     // velocity of a against b along the axes when no impulse acts
  S target{};        // least normal velocity
  S rest_target{};   // the same without a bounce
  S friction{};
  Vec3T<S> impulse;  // on a, along the axes, N s
  S push{};          // normal impulse of the position correction
  S push_target{};   // least normal velocity there

  // its own block of W W^T, and what solves it
  S t11{}, t12{}, t22{}, t1n{}, t2n{}, nn{};
  S stick11{}, stick12{}, stick22{};  // inverse of the tangential part
  S slide{};                          // 1 / its largest eigenvalue
  S inverse_nn{};                     // zero where nothing yields
  S coupling{};                       // tangential velocity per normal velocity of a normal impulse
  double yielding = 0;                // least mobility that counts, 1/kg
  int body_a = -1, body_b = -1;
  int first_group = 0, groups = 0;
  int first_group_b = 0;  // of those of body b
};

// Rows of one contact at four neighbouring freedoms.
template <class S>
struct alignas(32) RowGroup {
  S w[3][4];
};

// Of a lone body: what a unit force along x, y, z, and a unit torque about them, is felt as by its
// translations and rotations, W as in the rows.
template <class S>
struct alignas(32) LoneRows {
  S move[3][4], turn[3][4];
};

struct ContactEffort {
  int iterations = 0;
  double change = 0;  // of contact velocities in the last one, root mean square, m/s
};

template <class S>
struct ContactSystem {
  explicit ContactSystem(const Model& model);

  std::vector<ContactBlock<S>> contacts;

  // freedoms with a place for each tree at a multiple of four; rotations of lone bodies as well
  std::vector<int> slot;          // of each velocity
  std::vector<S> s, s_push;       // W^T lambda
  std::vector<S> root;            // sqrt(1/d)
  std::vector<int> group_slot;    // where each group of rows begins
  std::vector<RowGroup<S>> rows;  // of all contacts, as many as group_slot has, or more
  std::vector<LoneRows<S>> lone;  // of each body that is
  std::vector<double> yielding;   // least mobility of each tree that counts, 1/kg
  std::vector<int> tree;          // of each body
  std::vector<S> felt;            // impulses before `respond`
  std::vector<double> dense[3];   // rows of one contact at all freedoms
  std::vector<Spatial<S>> motion;
};

// Forgets all contacts and takes the factor that `factorize` left.
template <class S>
void start_contacts(const Model& model, const Dynamics<S>& d, ContactSystem<S>& system);

// Adds a contact of the point p_a of body a with the point p_b of body b (world coordinates) along
// a unit normal from b to a; a body of -1 cannot be moved. The caller then sets free, target,
// friction and the impulse to start from.
template <class S>
ContactBlock<S>& add_contact(const Model& model, const Dynamics<S>& d, int body_a, int body_b,
                             const Vec3T<S>& p_a, const Vec3T<S>& p_b, const Vec3T<S>& normal,
                             ContactSystem<S>& system);

// The two halves of add_contact: a place, one contact after the other, then the rows of the
// contact, in any order and on any thread.
template <class S>
ContactBlock<S>& place_contact(const Model& model, int body_a, int body_b,
                               ContactSystem<S>& system);
template <class S>
void fill_contact(const Model& model, const Dynamics<S>& d, const Vec3T<S>& p_a,
                  const Vec3T<S>& p_b, const Vec3T<S>& normal, ContactBlock<S>& c,
                  ContactSystem<S>& system);

// Takes out of the last contact's rows what the loop closures take up, so that its impulses leave
// all closures closed: w -= W_G^T (W_G W_G^T)^-1 W_G w. After factorize_loops.
void keep_loops_closed(const Model& model, Loops& loops, ContactSystem<double>& system);

// Finds the impulses of contacts first .. last-1, which no other contact may influence, starting
// from those that are there.
template <class S>
ContactEffort solve_contacts(ContactSystem<S>& system, int first, int last, int iterations,
                             double tolerance);

// Newton's law of restitution can create energy where friction or joints couple several contacts.
// Where the impulses just solved do, they are moved towards those without bounces, as far as it
// takes for the energy not to grow. `kept` is memory to work in.
template <class S>
void limit_bounces(ContactSystem<S>& system, int first, int last, int iterations, double tolerance,
                   std::vector<Vec3T<S>>& kept);

// Like solve_contacts, for the pushes that take back penetration.
template <class S>
ContactEffort solve_pushes(ContactSystem<S>& system, int first, int last, int iterations,
                           double tolerance);

// dv = M^-1 J^T lambda of all contacts, from s (or s_push) that a solve left.
template <class S>
void contact_response(const Model& model, const Dynamics<S>& d, const std::vector<S>& s,
                      ContactSystem<S>& system, S* dv);

}  // namespace molejo
