// What happened: the one thing that exporters, plots, viewers and tests read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "molejo/model/model.h"

namespace molejo {

struct Energy {
  double kinetic = 0;
  double gravity = 0;  // zero at the world origin
  double elastic = 0;  // springs between points and springs, limits and motors of joints
  double total() const { return kinetic + gravity + elastic; }
};

struct Frame {
  State state;
  std::vector<Pose> X_WB;  // pose of each body frame
  Energy energy;
  Vec3 momentum;
  Vec3 angular_momentum;        // about the world origin
  double constraint_error = 0;  // largest violation of a loop closure (m or rad)
};

struct Summary {
  double duration = 0;  // simulated seconds
  std::int64_t steps = 0, rejected_steps = 0, frames = 0;
  std::int64_t projections = 0;  // steps after which drift was removed
  double energy_initial = 0, energy_final = 0;
  double energy_deviation = 0;  // standard deviation over the frames, J
  double energy_drift =
      0;  // largest |E - E0| over the frames, relative to max(|E0|, largest kinetic energy)
  double momentum_drift = 0, angular_momentum_drift = 0;  // largest change over the frames
  double constraint_error = 0;                            // largest over all steps
  double wall_seconds = 0, steps_per_second = 0;
  std::uint64_t hash = 0;  // of the final state
  std::string failure;     // empty, or why the run stopped early (time, body, cause)
};

struct Recording {
  std::vector<Frame> frames;
  Summary summary;
};

}  // namespace molejo
