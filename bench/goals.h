// The goals of the project, as far as the peers that they name are here.
#pragma once

#include "bench/report.h"

namespace bench {

std::vector<Goal> judge(const Results& results, const Engines& engines);

}  // namespace bench
