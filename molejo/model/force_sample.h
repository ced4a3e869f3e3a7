// A force and a torque at one time; several of them make a curve.
#pragma once

#include "molejo/math/types.h"

namespace molejo {

struct ForceSample {
  double t = 0;
  Vec3 force, torque;  // in world axes
};

}  // namespace molejo
