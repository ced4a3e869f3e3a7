#include "apps/cli/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace molejo::cli {

namespace {

int stop_pipe[2] = {-1, -1};

extern "C" void on_stop_signal(int) {
  const char byte = 0;
  // nothing can be done about an error here
  [[maybe_unused]] const auto written = ::write(stop_pipe[1], &byte, 1);
}

}  // namespace

void wait_for_stop_signal() {
  if (::pipe(stop_pipe) != 0) throw std::runtime_error("no pipe");
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  char byte = 0;
  while (::read(stop_pipe[0], &byte, 1) < 0) {
  }
}

}  // namespace molejo::cli
