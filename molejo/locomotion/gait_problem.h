// The search for a gait as a problem in numbers (Nunes 2012, s.4.4.1):
//
//   unknowns   the state at the start (without the way forward), amplitudes of the modes that may
//              be used, lengths of pulses, the period, the part of it in the air
//   minimise   E_vel E_energy = (1/v_x^2) mean |active torque|^2
//   subject to phi = (image of the) state at the end - state at the start = 0,
//              easy constraints: walls that are exactly zero inside
//
// All unknowns are scaled to 0 .. 1.
#pragma once

#include "molejo/locomotion/modes.h"
#include "molejo/locomotion/motion.h"

namespace molejo {

struct Unknown {
  std::string name;
  double lower = 0, upper = 1, start = 0;  // equal bounds hold it where it is

  double part(double y) const { return upper > lower ? (y - lower) / (upper - lower) : 0; }
};

// Number of a foot of the character by the name of its body; throws InputError if it is none.
int foot_of(const Character& character, const std::string& name);

// The modes with the toes of these feet fixed.
Modes ground_modes(const Character& character, const std::vector<int>& feet);

// Joint torques of a mode (from 0) at unit amplitude, N m; how many there are of them.
VecX mode_torque(const Character& character, const Motion& motion, const Modes& modes, int mode);
int mode_count(const Character& character, const Motion& motion, const Modes& modes);

class GaitProblem {
 public:
  // Throws InputError for feet and modes that the character does not have.
  GaitProblem(const Character& character, const Motion& motion);

  const Character& character() const { return character_; }
  const Motion& motion() const { return motion_; }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }
  int size() const { return static_cast<int>(unknowns_.size()); }
  int cycle_size() const { return static_cast<int>(tolerance_.size()); }
  const VecX& tolerance() const { return tolerance_; }
  VecX start() const;  // the sketch, scaled
  // Of the amplitudes among the unknowns: the first, and one behind the last.
  int first_amplitude() const { return first_amplitude_; }
  int last_amplitude() const { return last_amplitude_; }

  Gait gait(const double* x) const;
  void set_gait(const double* x, Gait& gait) const;
  // The unknowns of a gait's start state replaced in x.
  void set_state(const State& state, double* x) const;
  // phi / tolerance of a simulated gait.
  void cycle_error(const Gait& gait, const RolloutResult& result, double* phi) const;
  // (state - nominal) / tolerance in the same coordinates: the way forward does not count.
  void state_error(const State& nominal, const State& state, double* phi) const;
  // The state with which the next half or whole cycle begins, with the way forward taken out.
  State next_start(const Gait& gait, const State& end) const;
  // Unit shapes of all priority modes, over the internal freedoms.
  std::vector<VecX> priority_shapes() const;
  bool asks_for_style() const;  // there are priority modes
  // The wall around the amplitudes: other modes may not outweigh the priority ones.
  double priority_term(const double* x) const;
  double objective(const RolloutResult& result) const;
  double easy_sum(const double* x, const RolloutResult& result) const;

 private:
  struct PhaseColumns {
    MatX torque;  // internal freedoms x modes in use, N m per unit
    std::vector<int> mode;
    std::vector<double> sketch;  // zero: not a priority mode
    int first = 0;               // amplitude among the unknowns
    int time = 0;                // first time among them: pulse length, or start and length of each
  };
  struct StepColumns {
    std::vector<int> feet;
    PhaseColumns air, ground;
  };
  void add_state_unknowns();
  PhaseColumns columns(const Modes& modes, const PhaseMarks& marks, const std::string& where);
  void set_phase(const PhaseColumns& columns, const double* x, double duration,
                 GaitPhase& phase) const;
  double value(const double* x, int i) const;

  const Character& character_;
  Motion motion_;
  std::vector<Unknown> unknowns_;
  std::vector<StepColumns> steps_;
  VecX tolerance_;
  int first_amplitude_ = 0, last_amplitude_ = 0, period_ = 0;
};

}  // namespace molejo
