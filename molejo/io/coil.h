// How a spring between two points is drawn: a coil from one point to the other, stretched along
// its axis as the spring is.
#pragma once

#include <vector>

#include "molejo/model/recording.h"

namespace molejo {

struct Coil {
  Mesh mesh;                    // along +z from the origin, of the length it has at stretch 1
  std::vector<Pose> X_WS;       // per frame
  std::vector<double> stretch;  // per frame, > 0
};

// The coil turns about its axis as little as possible from frame to frame.
Coil coil(const PointSpring& spring, const std::vector<const Frame*>& frames);

}  // namespace molejo
