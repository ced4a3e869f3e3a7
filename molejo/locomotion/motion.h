// A motion as its author asks for it: a character, a rest pose, marked vibration modes with
// amplitudes, and what the run must keep (Nunes 2012, s.4.3, 4.4). `molejo train` turns it into a
// gait.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "molejo/locomotion/rollout.h"

namespace molejo {

struct MarkedMode {
  int mode = 1;          // counted from 1 by rising frequency, as in the palettes
  double amplitude = 0;  // signed, of torque_scale
};

// Marks of one palette. What is in neither list is excluded.
struct PhaseMarks {
  std::vector<MarkedMode> priority;  // green: keep their sign and at least their amplitude
  std::vector<int> others;           // for the optimiser to recruit
  bool choose_others = false;        // more are chosen, see choose_modes.h
};

struct MotionStep {
  std::vector<std::string> feet;  // bodies
  PhaseMarks air, ground;
};

// What torques are made of: shapes of modes, the torques that bend the springs into these shapes
// (which excite one mode alone whatever the stiffnesses are), or one joint freedom each.
enum class Basis { shapes, stiff_shapes, joints };

// Where the search begins, and how far it may go. Times in s, lengths in m, speeds in m/s, angles
// in rad.
struct SearchRange {
  double period = 0.7, least_period = 0.3, most_period = 1.2;
  double air_share = 0.5, least_air_share = 0.05, most_air_share = 0.95;
  double least_pulse = 0.01, most_pulse = 0.3;  // begins at half its phase
  double height = 0.02, below = 0.15, above = 0.25;
  double speed = 2.5, least_speed = 0.5, most_speed = 5;
  double sideways = 0.2, rise_speed = 2.5, side_speed = 1;
  double root_turn = 0.5, root_spin = 4;
  double joint_turn = 1, joint_speed = 10;
  double amplitude = 1;
};

// Largest differences of start and end.
struct CycleTolerance {
  double position = 0.01, angle = 0.02, speed = 0.1, spin = 0.2;
};

// How it is solved. The thesis: constraints as they are, multipliers, nothing else.
struct TrainingSettings {
  bool thesis = false;
  int population = 0;  // 0: 4 + floor(3 ln n)
  double sigma = 0.3, sigma_decay = 0.7, sigma_floor = 1e-3;
  double penalty = 0;   // of the cyclic error; 0: 0.1 in the thesis, 0.003 scaled
  int runs = 20;        // of CMA-ES
  int generations = 0;  // of each; 0: 1000 in the thesis, 600 otherwise
  double tolerance_x = 1e-4;
  long long evaluations = 200000;  // at most

  double cycle_penalty() const { return penalty > 0 ? penalty : thesis ? 0.1 : 0.003; }
};

struct Motion {
  std::string name, description;
  std::string character;  // a scene file, beside the file of the motion
  CharacterOptions figure{};
  std::vector<MotionStep> steps;
  bool mirrored = true;  // the second half is the image of the first
  Basis basis = Basis::shapes;
  PulseShape shape = PulseShape::rectangle;
  bool own_times = false;     // every mode has a pulse of its own
  double torque_scale = 500;  // N m per unit of amplitude
  // Sum of the amplitudes of other modes, at most this part of that of the priority ones.
  double others = 1;
  SearchRange range{};
  CycleTolerance tolerance{};
  RolloutSettings rollout{};
  TrainingSettings training{};
};

}  // namespace molejo
