// A gait: what the muscles do over time, and the state it starts from (Nunes 2012, s.4.2).
//
// A cycle is a row of steps. Each step prepares the landing of its feet in an air phase and pushes
// off in a ground phase. A phase holds pulses: constant joint torques from `start` for `length`
// seconds after the phase began, cut where the phase ends. Nothing is measured: it is open loop.
#pragma once

#include <vector>

#include "molejo/model/model.h"

namespace molejo {

struct Pulse {
  double start = 0, length = 0;
  VecX torque;  // of the internal freedoms, in joint frames
};

// Over its length a pulse is a rectangle, or a smooth hump 2 sin^2 of the same area.
enum class PulseShape { rectangle, smooth };

// The mean of a pulse over t .. t+h, as a part of its torque.
double pulse_mean(const Pulse& pulse, PulseShape shape, double t, double h);

struct GaitPhase {
  double duration = 0;
  std::vector<Pulse> pulses;
};

struct GaitStep {
  std::vector<int> feet;  // of the character, that land and push
  GaitPhase air, ground;
  double duration() const { return air.duration + ground.duration; }
};

struct Gait {
  std::vector<GaitStep> steps;
  bool mirrored = false;  // the cycle goes on with the image of the steps
  PulseShape shape = PulseShape::rectangle;
  State start;

  double duration() const {  // of the steps
    double sum = 0;
    for (const GaitStep& step : steps) sum += step.duration();
    return sum;
  }
  double period() const { return (mirrored ? 2 : 1) * duration(); }
};

}  // namespace molejo
