// A run that tells how far it is.
#pragma once

#include "molejo/model/build.h"
#include "molejo/model/recording.h"

namespace molejo::cli {

// Simulates with a progress line on stderr when that is a terminal. Throws InputError when the
// frames would not fit into memory.
Recording run(const Built& built, const Settings& settings);

}  // namespace molejo::cli
