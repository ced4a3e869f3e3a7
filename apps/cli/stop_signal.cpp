#include "apps/cli/stop_signal.h"

#include <unistd.h>

#include <stdexcept>

namespace molejo::cli {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

int stop_pipe[2] = {-1, -1};
std::atomic<bool> stop_made{false};
std::atomic<int> stop_signal{0};

// Only nohup's choice counts. A shell makes its background jobs ignore SIGINT too, and whoever
// sends that signal to one of them wants it to end.
bool is_ignored(int signal) {
  struct sigaction now {};
  return signal == SIGHUP && ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

extern "C" void on_stop_signal(int) {
  const char byte = 0;
  // nothing can be done about an error here
  [[maybe_unused]] const auto written = ::write(stop_pipe[1], &byte, 1);
}

extern "C" void on_first_stop_signal(int signal) {
  stop_signal = signal;
  stop_made = true;
}

}  // namespace

void wait_for_stop_signal() {
  if (::pipe(stop_pipe) != 0) throw std::runtime_error("no pipe");
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  for (const int signal : signals) {
    if (!is_ignored(signal)) ::sigaction(signal, &action, nullptr);
  }
  char byte = 0;
  while (::read(stop_pipe[0], &byte, 1) < 0) {
  }
}

StopRequest::StopRequest() {
  struct sigaction action {};
  action.sa_handler = on_first_stop_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  struct sigaction* before = before_;
  for (const int signal : signals) {
    ::sigaction(signal, is_ignored(signal) ? nullptr : &action, before++);
  }
}

StopRequest::~StopRequest() {
  const struct sigaction* before = before_;
  for (const int signal : signals) ::sigaction(signal, before++, nullptr);
  if (stop_made) ::raise(stop_signal);
}

const std::atomic<bool>& StopRequest::made() const { return stop_made; }

}  // namespace molejo::cli
