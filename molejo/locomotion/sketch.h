// What a motion looks like before it is trained: its pulses without gravity and without a ground,
// from rest in the rest pose, air -> ground -> their image -> ... (Nunes 2012, s.4.3).
//
// Any mode of the palettes may be given an amplitude at any time; all begins again then. Nothing
// acts from outside, so the figure floats, and its momentum stays zero.
#pragma once

#include "molejo/locomotion/gait_problem.h"
#include "molejo/model/recording.h"

namespace molejo {

enum class SketchPhase { air, ground };

class Sketch {
 public:
  // Begins with the amplitudes of the priority modes. Throws InputError for feet and modes that the
  // character does not have, and for a mirrored motion of a figure that is not symmetric. The
  // character must outlive the sketch.
  Sketch(const Character& character, const Motion& motion);

  int steps() const { return static_cast<int>(palettes_.size()); }
  int modes(int step, SketchPhase phase) const;  // that there are
  // Of a mode counted from 1, in units of the motion's torque_scale. Begins again.
  void set_amplitude(int step, SketchPhase phase, int mode, double amplitude);
  double amplitude(int step, SketchPhase phase, int mode) const;

  void restart();
  // Simulates on for so many seconds, to within a step of time. Nothing is allocated.
  void advance(double seconds);
  const State& state() const { return state_; }  // now; t since the restart
  double period() const { return gait_.duration(); }
  const Gait& gait() const { return gait_; }  // of the whole cycle, images written out

  // The part of a mode's shape in the present turns of the joints, rad.
  double modal_amplitude(int step, SketchPhase phase, int mode) const;

 private:
  struct Palette {
    Modes air, ground;
    std::vector<double> air_amplitude, ground_amplitude;
  };
  const Modes& palette(int step, SketchPhase phase) const;
  void set_pulses();
  void take_state();

  const Character& character_;
  Motion motion_;
  std::vector<Palette> palettes_;
  Gait gait_;
  Rollout rollout_;
  State state_;
  double goal_ = 0, cycle_start_ = 0;  // s
};

// A sketch played from its restart.
Recording record_sketch(const Character& character, Sketch& sketch, double seconds, double fps);

}  // namespace molejo
