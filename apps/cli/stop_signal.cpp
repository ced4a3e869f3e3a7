#include "apps/cli/stop_signal.h"

#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "apps/cli/command.h"

namespace molejo::cli {

namespace {

int stop_pipe[2] = {-1, -1};
Interrupt stop_interrupt;

// nothing can be done about errors in these two
extern "C" void on_patience_end(int) {
  constexpr char text[] = "molejo: interrupted\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(numeric_failure);
}

extern "C" void on_stop_signal(int) {
  stop_interrupt.cancel();
  constexpr itimerval patience{{0, 0}, {1, 800'000}};
  ::setitimer(ITIMER_REAL, &patience, nullptr);
  const char byte = 0;
  [[maybe_unused]] const auto written = ::write(stop_pipe[1], &byte, 1);
}

void act_on(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void heed_stop_signals() {
  if (::pipe(stop_pipe) != 0) throw std::runtime_error("no pipe");
  act_on(SIGALRM, on_patience_end, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Only nohup's choice counts. A shell makes its background jobs ignore SIGINT too, and whoever
    // sends that signal to one of them wants it to end.
    if (signal == SIGHUP && is_ignored(signal)) continue;
    act_on(signal, on_stop_signal, static_cast<int>(SA_RESETHAND));
  }
}

Interrupt& stop_signal() { return stop_interrupt; }

void wait_for_stop_signal() {
  char byte = 0;
  while (::read(stop_pipe[0], &byte, 1) < 0 && errno == EINTR) {
  }
}

}  // namespace molejo::cli
