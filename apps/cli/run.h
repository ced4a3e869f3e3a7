// A run that tells how far it is.
#pragma once

#include "molejo/model/build.h"
#include "molejo/model/recording.h"
#include "molejo/physics/world.h"

namespace molejo::cli {

// Called after every frame; may change the run. False: it ends here.
using BetweenFrames = std::function<bool(Run&)>;

// Simulates with a progress line on stderr when that is a terminal. Throws InputError when the
// frames would not fit into memory. The controller, if there is one, is asked before every step.
Recording run(const Built& built, const Settings& settings, const BetweenFrames& between = {},
              Run::Controller controller = {});

}  // namespace molejo::cli
