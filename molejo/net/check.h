// Properties decided over all that a net can do, with a trace that shows why.
//
// Which markings count: in a net without delays, events and awaited places there is no time, and
// every marking counts. In all others those in which time passes: when all that fires by itself at
// an instant has fired. What runs are told while they run goes by the same markings
// (net/monitor.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/net/open_space.h"
#include "molejo/net/property.h"
#include "molejo/net/state_space.h"
#include "molejo/net/timed_space.h"

namespace molejo {

enum class Verdict { holds, fails, unknown };

struct PropertyResult {
  Property property = {};
  Verdict verdict = Verdict::unknown;
  std::string how = {};  // over what it was decided, or why it was not
  bool timed = false;
  bool by_world = false;  // it fails if the world says its words so: it need not
  // The way to a marking that breaks it, or that shows a `possible` one; times only where timed.
  std::vector<TimedFiring> trace = {};
  bool has_trace = false;  // the trace may be empty: the start itself
  Fraction until = 0;      // when that marking begins, where timed; of a deadline, when it is over
  bool for_ever = false;   // of eventually: after the trace it can stay out for ever
};

// In a net whose tokens wait, or that waits for events.
bool only_rests_count(const Net& net);

// Over all markings, in whatever order things happen. `sure`: markings of the space are reached by
// the net as it is run; false when the space holds more than that. `max_memory`: bytes that the
// search may use besides the space.
PropertyResult check(const Property& property, const StateSpace& space, bool sure,
                     std::uint64_t max_memory = UINT64_MAX);
// Over all runs in exact time.
PropertyResult check(const Property& property, const TimedSpace& space,
                     std::uint64_t max_memory = UINT64_MAX);
// Over all runs, whatever the world does. `settings`: for what must be explored anew.
PropertyResult check(const Property& property, const OpenSpace& space,
                     const OpenSettings& settings);

}  // namespace molejo
