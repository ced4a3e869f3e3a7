// Traces of nets in files: what analyses and runs write, and `--trace` plays.
//
//   ["T1", "T2"]                                       as soon as each can fire
//   [{"time": 1.5, "fire": "T1"}, {"time": "7/3", "finish": "P"}, {"time": 3, "put": "P"},
//    {"time": 4}]                                      at these times; the last: until then
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/file_scope.h"
#include "molejo/io/json_document.h"
#include "molejo/net/trace.h"

namespace molejo {

inline constexpr std::size_t max_trace_steps = 1'000'000;

// {"fire": "T1", "time": 1.5}
JsonValue step_json(const Net& net, const TraceStep& step);
// All of them: what is cut cannot be played. Up to max_trace_steps are read again.
JsonValue steps_json(const Net& net, const std::vector<TraceStep>& steps);

// A list as above, or a report that holds one: the first violation that was watched, the first
// property that fails with a trace, the first that is possible by one, the way to a deadlock.
// Throws InputError.
std::vector<TraceStep> parse_trace(std::string_view text, const std::string& file, const Net& net);
std::vector<TraceStep> load_trace(const SourceFile& file, const Net& net);

}  // namespace molejo
