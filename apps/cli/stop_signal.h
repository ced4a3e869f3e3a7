// SIGINT, SIGTERM and SIGHUP: the first ends the command in order, the second at once.
#pragma once

#include "molejo/math/interrupt.h"

namespace molejo::cli {

// From now on the first signal cancels the work of the command. What has not ended after two
// seconds is ended as it is: files are whole whenever that happens. A SIGHUP that nohup ignores
// stays ignored.
void heed_stop_signals();

// Cancelled by the signal.
Interrupt& stop_signal();

// Returns when the process is asked to end.
void wait_for_stop_signal();

}  // namespace molejo::cli
