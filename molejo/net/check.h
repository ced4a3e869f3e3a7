// Properties decided over all that a net can do, with a trace that shows why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/net/property.h"
#include "molejo/net/state_space.h"
#include "molejo/net/timed_space.h"

namespace molejo {

enum class Verdict { holds, fails, unknown };

struct PropertyResult {
  Property property;
  Verdict verdict = Verdict::unknown;
  std::string how;  // over what it was decided, or why it was not
  bool timed = false;
  // The way to a marking that breaks it, or that shows a `possible` one; times only where timed.
  std::vector<TimedFiring> trace;
  bool has_trace = false;  // the trace may be empty: the start itself
  bool for_ever = false;   // of eventually: after the trace it can stay out for ever
};

// Over all markings, in whatever order things happen. `sure`: markings of the space are reached by
// the net as it is run; false when the space holds more than that (delays are ignored in it).
PropertyResult check(const Property& property, const StateSpace& space, bool sure);
// Over all runs in exact time, at the states where time passes.
PropertyResult check(const Property& property, const TimedSpace& space);

}  // namespace molejo
