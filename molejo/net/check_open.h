// What happens for certain in a net that waits for the world, whatever the world does.
#pragma once

#include "molejo/net/check.h"

namespace molejo {

inline constexpr const char* over_open_runs = "all runs in exact time, events at any instant";

// Whether every run meets the formula, in time where the property says so. The world may be silent
// for ever; it does not act infinitely often in finite time. Explores the net up to the formula.
PropertyResult check_eventually(const Property& property, const Net& net,
                                const OpenSettings& settings);

}  // namespace molejo
