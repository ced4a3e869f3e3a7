// Commands that go on until they are interrupted.
#pragma once

namespace molejo::cli {

// Returns when the process is asked to end (SIGINT, SIGTERM). Once.
void wait_for_stop_signal();

}  // namespace molejo::cli
