// What an analysis found, as sentences that are right or wrong, with traces that show it.
//
//   "never: deadlock"  fails  ->  { fails, "deadlock after 5 firings", trace 0 }
#pragma once

#include "molejo/director/director.h"
#include "molejo/io/json_document.h"
#include "molejo/net/analysis.h"

namespace molejo {

struct Finding {
  enum class Sign { good, bad, unknown, remark };
  enum class Group { asked, end, tokens, firing, time, sums, returns, siphons };
  Sign sign = Sign::remark;
  Group group = Group::asked;
  std::string text;
  int trace = -1;                        // of NetFindings::traces
  std::vector<int> places, transitions;  // that it is about
  std::string property = {};             // of the file, that it is about
};

struct NetFindings {
  std::vector<Finding> sentences;
  std::vector<std::vector<TraceStep>> traces;
  std::uint64_t markings = 0;
  bool complete = true;  // every marking was seen
  double seconds = 0;    // that it took
};

inline constexpr std::uint64_t quick_markings = 200'000;
inline constexpr std::uint64_t most_markings = 5'000'000;

// Of the first `own` transitions (all unless told); those behind put tokens from outside, as
// with_outside (director/show.h) adds them. Bounded in
// markings and memory: some seconds at most for `max_markings` as above.
NetFindings find_out(const Net& net, std::uint64_t max_markings = quick_markings, int own = -1);

// {"sentences": [{"sign", "group", "text", "trace", "places": [name, ...], "transitions",
//  "property"}], "traces": [[{"fire" | "finish" | "put", "time"}, ...]] up to 1000 steps of each,
//  "trace_lengths", "markings", "complete", "seconds"}
JsonValue findings_json(const Net& net, const NetFindings& findings);

}  // namespace molejo
