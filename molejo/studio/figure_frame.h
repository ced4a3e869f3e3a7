// All that a frame tells of a state of a figure; contacts are left empty.
#pragma once

#include "molejo/model/kinematics.h"
#include "molejo/model/recording.h"

namespace molejo {

Frame figure_frame(const Model& model, const State& state, Kinematics<double>& k);

}  // namespace molejo
