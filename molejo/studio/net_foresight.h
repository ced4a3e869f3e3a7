// The run of a net to come, where nobody interferes.
#pragma once

#include "molejo/net/trace.h"

namespace molejo {

inline constexpr double foreseen_seconds = 10;  // at least

RunSettings run_settings(const Net& net, Fraction frame_rate, std::uint64_t seed, bool await);

// Throws InputError that names the transitions when the net would, soon, fire for ever at one
// instant, and did not `before`: one that does so already may still be edited.
void refuse_endless(const Net& net, const Net& before, const RunSettings& settings);

}  // namespace molejo
