// What a sketch shows: the modes that were marked, and how far they swing.
#pragma once

#include <string>
#include <vector>

#include "molejo/locomotion/sketch.h"

namespace molejo::cli {

struct ShownMode {
  int step = 0, mode = 0;
  SketchPhase phase = SketchPhase::air;
  double amplitude = 0, reached = 0;  // of torque_scale; rad
  std::string words;
};

struct ShownSketch {
  std::vector<ShownMode> modes;
  double times_real_time = 0, largest_turn = 0;
};

// Plays it for so many seconds, without frames.
ShownSketch look_at_sketch(const Character& character, const Motion& motion, Sketch& sketch,
                           double seconds);

const char* to_string(SketchPhase phase);

}  // namespace molejo::cli
