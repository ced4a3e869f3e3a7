// A run of a scene from its initial state: step, project, record, account.
#pragma once

#include <functional>

#include "molejo/model/build.h"
#include "molejo/model/recording.h"

namespace molejo {

// Told after every frame; return false to stop early.
using Progress = std::function<bool(const Frame& frame, std::int64_t steps)>;

// Runs for settings.duration and keeps a frame every 1/fps seconds, the first at the start.
// A numeric failure ends the run at the last good state and is told in summary.failure.
Recording simulate(const Built& built, const Settings& settings, const Progress& progress = {});

}  // namespace molejo
