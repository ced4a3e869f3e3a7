// What a gait is worth: what `molejo gait` tells of it, for the page.
#pragma once

#include <string>

#include "molejo/io/motion.h"
#include "molejo/locomotion/gait_problem.h"

namespace molejo {

// {"valid", "cyclic_error", "likeness", "speed", "cost_of_transport", "steps", "seconds", "fell",
// ...} of ten seconds on its feet, or fewer; with its feedback where it has one.
std::string gait_worth(const GaitProblem& problem, const GaitFile& gait);

}  // namespace molejo
