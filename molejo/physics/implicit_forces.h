// Stiff formula forces, taken where the step ends instead of where it begins. With exact
// derivatives D of the formulas and the Jacobians of what they read and of where they act,
//
//   f(s) = f(s_0) + D (J_q (ahead v + by_stiffness a) + by_damping J_v a) = f_0 + r + B a
//   a = a_0 + M^-1 G^T lambda      (1 - B M^-1 G^T) lambda = r + B a_0
//
// with the numbers of ImplicitDrive. Formulas may read positions, velocities, directions, joint
// coordinates and rates; what else they read is taken as it is at the start.
#pragma once

#include "molejo/physics/forces.h"
#include "molejo/physics/formula_forces.h"

namespace molejo {

class ImplicitForces {
 public:
  ImplicitForces(const Model& model, const FormulaSet& set);
  bool empty() const { return parts_.empty(); }

  // After apply_formula_forces at the velocities v of the start of the step, which is f_0, and
  // after factorize: G, B, r and the small system.
  void linearize(const Model& model, const double* v, const ImplicitDrive& implicit,
                 Dynamics<double>& d, FormulaRun& run);
  // After each solve: a_0 -> a, in d.a.
  void correct(Dynamics<double>& d);

 private:
  // One component of a force or torque.
  struct Part {
    int force = 0;  // of the set
    bool is_torque = false;
    int axis = 0;
    std::size_t output = 0, component = 0;  // of program_
  };
  // What one input of the program is: a signal's component, and how it moves.
  struct Input {
    int signal = -1;
    int component = 0;
    bool is_rate = false;
  };
  void add_row(const Model& model, const Kinematics<double>& k, int body, const Vec3& p,
               const Vec3& linear, const Vec3& angular, double scale, double* row) const;
  void add_signal_row(const Model& model, const Kinematics<double>& k, const Signal& s,
                      const Input& input, const FormulaRun& run, double scale, double* row) const;

  ExpressionProgram program_;  // a part of the run's, on its registers
  std::vector<Part> parts_;
  std::vector<Input> inputs_;
  std::size_t nv_;
  std::vector<double> G_, B_, Z_;  // a row of nv numbers for each part
  std::vector<double> system_, r_, lambda_, row_;
  std::vector<std::size_t> pivots_;
};

}  // namespace molejo
