// Commands that are asked to end: SIGINT, SIGTERM, SIGHUP.
#pragma once

#include <atomic>
#include <csignal>

namespace molejo::cli {

// Returns when the process is asked to end. Once.
void wait_for_stop_signal();

// While it lives, the first such signal is only noted, so that the command can tidy up; the second
// one ends the program at once. A SIGHUP that nohup ignores stays so.
class StopRequest {
 public:
  StopRequest();
  // Ends the program by the signal that was noted, if one was: who started it shall know.
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  const std::atomic<bool>& made() const;

 private:
  struct sigaction before_[3];
};

}  // namespace molejo::cli
