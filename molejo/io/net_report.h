// What an analysis or a run of a net found, for people and for programs. Words: docs/net.md.
#pragma once

#include <string>

#include "molejo/io/json_document.h"
#include "molejo/net/analysis.h"
#include "molejo/net/trace.h"

namespace molejo {

JsonValue analysis_json(const Net& net, const Analysis& analysis);
std::string analysis_text(const Net& net, const Analysis& analysis);

JsonValue trace_json(const Net& net, const NetTrace& trace);
// "time,frame,event,node,count" lines; `only_firings` leaves out what tokens do.
std::string trace_csv(const Net& net, const NetTrace& trace, bool only_firings);

}  // namespace molejo
