// Loop closures by Lagrange multipliers on top of the tree's factor:
//
//   M a = tau - c + G^T lambda      G a + dG/dt v = 0
//   (G M^-1 G^T) lambda = -(acceleration of the closures without multipliers)
//
// M^-1 is the articulated-body factor: the force of row k, carried from its two bodies to the root,
// leaves u_kj at every freedom j on the way, and (G M^-1 G^T)_kl = sum_j u_kj u_lj / d_j. So the
// matrix is as sparse as the loops are apart, and in maximal coordinates a chain costs O(n).
// Redundant rows are dropped by the factorisation (math/solve.h). Whether a row is one is measured
// against the mobility that it would have if nothing cancelled, so the decision depends neither on
// axes nor on units.
#pragma once

#include "molejo/math/solve.h"
#include "molejo/model/closure.h"
#include "molejo/physics/dynamics.h"

namespace molejo {

// Working memory; the pattern is found once from the model.
struct Loops {
  explicit Loops(const Model& model);

  std::vector<ClosureRow> rows;
  double unit = 1;             // of lengths, for tolerances: closure_unit
  std::vector<double> lambda;  // multiplier of each row after a solve (N or N m)
  int redundant = 0;           // rows dropped by the last factorisation
  // Of all factorisations since it was last set to {}: how close the closures came to losing rank.
  SparseLdlt::Weakest weakest;
  bool is_nearly_singular() const { return weakest.pivot < SparseLdlt::sound; }

  // freedoms on the way from the bodies of each loop to the root, and u of each of its rows there
  struct Support {
    std::vector<int> freedoms;
    std::vector<int> steps_1, steps_2;  // bodies from body 1 and from body 2 to the root
    std::vector<double> u;              // row-major: rows x freedoms
  };
  std::vector<Support> support;
  // pairs of loops that feel each other, and where their freedoms coincide
  struct Pair {
    int a, b;
    std::vector<std::pair<int, int>> shared;  // positions in the two supports
    std::size_t first_value;
  };
  std::vector<Pair> pairs;
  std::vector<double> values;
  std::vector<double> size;  // of each row: its mobility if it met every axis at its best
  SparseLdlt factor;
  std::vector<double> response;         // what each freedom feels of the multipliers
  std::vector<double> change;           // M^-1 G^T lambda
  std::vector<Spatial<double>> motion;  // the same, of each body
  std::vector<int> slot;                // position of a freedom in the support being filled

  // mechanisms: trees that loops couple, named by their first one
  std::vector<int> mechanism_of_tree, mechanism_of_row;
  std::vector<double> kinetic, part;  // energy of each mechanism, and a part of it, J
  std::vector<double> rate;           // d/dt C of each row
  VecX moved;                         // by the last projection, along the freedoms
};

// Rows and factor at the poses of d.kinematics, after `factorize` of the tree.
void factorize_loops(const Model& model, Dynamics<double>& d, Loops& loops);

// Corrects d.a (and the accelerations of the bodies) so that all closures keep closed, after
// `solve_acceleration` and `factorize_loops`. Leaves the multipliers in loops.lambda.
void constrain_acceleration(const Model& model, Dynamics<double>& d, Loops& loops);

struct Projection {
  double error_before = 0, error_after = 0;  // largest misfit
  int iterations = 0;
  // Of the kinetic energy of any mechanism, the largest part that was removed; told only where
  // loops.is_nearly_singular().
  double jolt = 0;
};
// Moves q to the nearest closed configuration (in the metric of the mass matrix, Newton's method),
// then removes the velocity that would open it. Uses and overwrites d and loops. Positions are left
// alone when no misfit is more than `tolerance`; zero: they are closed as well as numbers allow.
Projection project(const Model& model, State& state, double tolerance, Dynamics<double>& d,
                   Loops& loops);

// The kinetic energy of `change`, a difference of velocities, as a part of that of the mechanism
// where it is largest. Overwrites k.
double difference_part(const Model& model, const State& state, const VecX& change,
                       Kinematics<double>& k, Loops& loops);

// Largest |C| at the poses of d.kinematics, m or rad.
double closure_error(const Model& model, const Kinematics<double>& k, Loops& loops);
// Largest misfit, for tolerances.
double closure_misfit(const Model& model, const Kinematics<double>& k, Loops& loops);

// The row that has it, after one of these.
int most_open_row(const Loops& loops);
// The loop that a row belongs to.
int loop_of_row(const Model& model, int row);

// Constraint equations that depend on others at this configuration.
int redundant_rows(const Model& model, const State& state);

}  // namespace molejo
