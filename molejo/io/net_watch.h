// What a run has shown of the properties of its net, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "molejo/io/json_document.h"
#include "molejo/net/monitor.h"
#include "molejo/net/trace.h"

namespace molejo {

// Of a property that was violated: all that happened until then.
std::vector<TraceStep> steps_to_violation(const Net& net, const NetTrace& trace, const Watched& w);

// "violated from 3.2 s (frame 77) to 4 s (frame 96)", "kept", "seen at 2 s (frame 48)",
// "not seen yet".
std::string watched_text(const NetTrace& trace, const Watched& w);

// [{"property", "state": "kept" | "violated" | "seen" | "not seen", "from", "frame", "to",
//   "last_frame", "times", "trace"}]; frames that show it, times in s. The trace plays.
JsonValue watched_json(const Net& net, const NetTrace& trace, const std::vector<Watched>& watched);

}  // namespace molejo
