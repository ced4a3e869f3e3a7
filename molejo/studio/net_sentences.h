// The sentences of an analysis.
#pragma once

#include "molejo/studio/net_findings.h"

namespace molejo {

// Must be the last of the properties that were asked for.
inline constexpr const char* deadlock_question = "never: deadlock";

// Of the first `own` transitions; those behind act from outside.
void tell_findings(const Net& net, int own, const Analysis& analysis, NetFindings& findings);

}  // namespace molejo
