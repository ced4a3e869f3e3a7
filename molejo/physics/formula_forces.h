// What formulas do while a world runs: they read signals, push bodies, command motors, are
// recorded.
#pragma once

#include "molejo/model/formulas.h"
#include "molejo/model/recording.h"
#include "molejo/physics/dynamics.h"

namespace molejo {

// The formulas of one world.
struct FormulaRun {
  FormulaRun(const Model& model, std::shared_ptr<const FormulaSet> formulas);

  std::shared_ptr<const FormulaSet> set;
  std::vector<double> inputs;         // signals and variables
  std::vector<double> inputs_before;  // a step that may be taken back
  ExpressionWorkspace work;
  std::vector<Vec3> contact_force;  // on each body in the last step, N
  // of each force
  std::vector<Spatial<double>> wrench;  // in world axes, about the joint point of its body
  std::vector<double> power;            // at the end of the last step, W
  std::vector<double> done;             // work so far, J
};

// From formulas that are replaced: the values of variables, contact forces, and the work of forces
// with the same name.
void take_over(const FormulaRun& old, FormulaRun& run);

// Fills run.inputs. Poses and velocities of k must be up to date.
void read_signals(const Model& model, double t, const double* q, const double* v,
                  const Kinematics<double>& k, FormulaRun& run);

// After read_signals: adds the forces to d.applied. Implicit ones stay as they were at the start of
// the step when `keep_implicit`.
void apply_formula_forces(const Model& model, bool keep_implicit, Dynamics<double>& d,
                          FormulaRun& run);

// After read_signals at the end of a step of h seconds: run.power, and the work done in it by the
// trapezium of the powers at its ends.
void measure_work(const Model& model, const Kinematics<double>& k, double h, FormulaRun& run);

// After read_signals: sets d.motors.
void command_motors(Dynamics<double>& d, FormulaRun& run);

// Throws InputError when a formula has no finite value: the place, the column and the cause, which
// ends with `when`.
void check_finite(FormulaRun& run, const std::string& when);

// The probes, vectors as name.x, name.y, name.z, and the work of each force as name.work.
std::vector<RecordedProbe> recorded_probes(const FormulaSet& set);
// Their values, after read_signals; replaces `values`.
void read_probes(FormulaRun& run, std::vector<double>& values);

}  // namespace molejo
