#include "molejo/math/interrupt.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

namespace molejo {

constinit thread_local InterruptScope* current_interrupt_scope = nullptr;

namespace {

std::mutex all_mutex;
std::vector<InterruptScope*>& all_scopes() {
  static std::vector<InterruptScope*> scopes;  // the oldest first
  return scopes;
}

std::string text_of(InterruptCause cause, double seconds) {
  switch (cause) {
    case InterruptCause::deadline: {
      char text[64];
      std::snprintf(text, sizeof text, "takes longer than %g s", seconds);
      return text;
    }
    case InterruptCause::memory:
      return "needs more memory than it may have";
    default:
      return "interrupted";
  }
}

}  // namespace

Interrupt::Interrupt(double seconds)
    : seconds_(seconds),
      deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(seconds))) {}

void Interrupt::tell() const { throw Interrupted(cause(), text_of(cause(), seconds_)); }

void Interrupt::look_at_clock() {
  constexpr int checks = 16;  // without a look
  thread_local int left = 0;
  if (left-- > 0) return;
  left = checks;
  if (Clock::now() < *deadline_) return;
  cancel(InterruptCause::deadline);
  tell();
}

InterruptScope::InterruptScope(Interrupt& interrupt, Outer outer)
    : interrupt_(interrupt),
      outer_(outer == Outer::counts ? current_interrupt_scope : nullptr),
      before_(current_interrupt_scope) {
  const std::lock_guard lock(all_mutex);
  all_scopes().push_back(this);
  current_interrupt_scope = this;
}

InterruptScope::~InterruptScope() {
  current_interrupt_scope = before_;
  const std::lock_guard lock(all_mutex);
  std::erase(all_scopes(), this);
}

bool interrupt_oldest(InterruptCause cause) {
  const std::lock_guard lock(all_mutex);
  for (InterruptScope* scope : all_scopes()) {
    if (scope->interrupt_.is_cancelled() || scope->interrupt_.is_modest_) continue;
    scope->interrupt_.cancel(cause);
    return true;
  }
  return false;
}

}  // namespace molejo
