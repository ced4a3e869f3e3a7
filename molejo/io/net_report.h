// What an analysis or a run of a net found, for people and for programs. Words: docs/net.md.
#pragma once

#include <string>

#include "molejo/io/json_document.h"
#include "molejo/net/analysis.h"
#include "molejo/net/trace.h"

namespace molejo {

JsonValue analysis_json(const Net& net, const Analysis& analysis);
std::string analysis_text(const Net& net, const Analysis& analysis);

// The trace of a verdict, to be played.
std::vector<TraceStep> steps_of(const PropertyResult& result);
// "T1 at 0.5 s", "the end of P at 2 s".
std::string step_text(const Net& net, const TimedFiring& step, bool timed);

JsonValue trace_json(const Net& net, const NetTrace& trace);
// "time,frame,event,node,count" lines; `only_firings` leaves out what tokens do.
std::string trace_csv(const Net& net, const NetTrace& trace, bool only_firings);

}  // namespace molejo
