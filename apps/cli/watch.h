// molejo simulate --watch: the file is saved, the run begins again or goes on.
#pragma once

#include "apps/cli/command.h"
#include "apps/cli/run.h"

namespace molejo::cli {

// Simulates a scene that is there, writes and tells what the options ask for. A run that `between`
// ends writes nothing.
int simulate_scene(const SimulateOptions& options, Scene scene, const BetweenFrames& between = {});

// Until the process is ended: simulates, waits for the file to be saved, simulates again. A file
// saved during a run takes its place; where only formulas changed the run goes on with them. A file
// that cannot be read is told, and the run that is there goes on.
int watch(const SimulateOptions& options);

// Are these the same but for the texts of formulas?
bool differ_in_formulas_only(Scene a, Scene b);

}  // namespace molejo::cli
