// Work that can be ended from outside: by another thread, by a signal, by a deadline.
//
//   Interrupt interrupt;                     // anybody may call interrupt.cancel()
//   const InterruptScope scope(interrupt);   // all that this thread does until the block ends
//   ...
//   check_interrupt();                       // in every loop that may take long
//
// No signature speaks of it: what is called within the scope can be ended, and what it spreads over
// threads (parallel.h) too. A scope within another one is ended by both. What is not interrupted
// has the same bits as without a scope.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace molejo {

enum class InterruptCause : int { none, cancelled, deadline, memory };

// One line that tells the cause. Not bad input: who catches it knows that nothing was wrong.
struct Interrupted : std::runtime_error {
  Interrupted(InterruptCause why, const std::string& text) : std::runtime_error(text), cause(why) {}
  InterruptCause cause;
};

// Cancels the work of this process that was begun first and goes on still, if it may need memory.
// False: there is none.
bool interrupt_oldest(InterruptCause cause);

bool may_need_memory();

class Interrupt {
 public:
  using Clock = std::chrono::steady_clock;

  Interrupt() = default;
  // Ends by itself after so many seconds.
  explicit Interrupt(double seconds);
  // Of work that never needs much memory: it is not ended where there is none left.
  enum class Appetite { small };
  explicit Interrupt(Appetite) : is_modest_(true) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Any thread, and signal handlers. The first cause is the one told.
  void cancel(InterruptCause cause = InterruptCause::cancelled) noexcept {
    int none = 0;
    cause_.compare_exchange_strong(none, static_cast<int>(cause), std::memory_order_relaxed);
  }
  // As if nobody had cancelled it.
  void forget() noexcept { cause_.store(0, std::memory_order_relaxed); }
  InterruptCause cause() const noexcept {
    return static_cast<InterruptCause>(cause_.load(std::memory_order_relaxed));
  }
  bool is_cancelled() const noexcept { return cause() != InterruptCause::none; }

  // Throws Interrupted when it was cancelled or its time is over. Looks at the clock now and then.
  [[gnu::always_inline]] void check() {
    if (is_cancelled()) tell();
    if (deadline_) look_at_clock();
  }

 private:
  friend bool interrupt_oldest(InterruptCause cause);
  friend bool may_need_memory();
  [[noreturn]] void tell() const;
  void look_at_clock();

  std::atomic<int> cause_{0};
  static_assert(std::atomic<int>::is_always_lock_free);
  const bool is_modest_ = false;
  double seconds_ = 0;
  std::optional<Clock::time_point> deadline_;
};

// Scopes of one thread end in the reverse order of their beginning.
class InterruptScope {
 public:
  enum class Outer { counts, is_ignored };
  explicit InterruptScope(Interrupt& interrupt, Outer outer = Outer::counts);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  friend void check_interrupt();
  friend bool interrupt_oldest(InterruptCause cause);
  friend bool may_need_memory();
  Interrupt& interrupt_;
  InterruptScope* const outer_;   // that counts
  InterruptScope* const before_;  // that is back afterwards
};

// The innermost scope of this thread; null: none.
extern constinit thread_local InterruptScope* current_interrupt_scope;

// Throws Interrupted. A few nanoseconds.
[[gnu::always_inline]] inline void check_interrupt() {
  for (const InterruptScope* s = current_interrupt_scope; s; s = s->outer_) s->interrupt_.check();
}

// Does this thread do work that may need much memory?
inline bool may_need_memory() {
  const InterruptScope* scope = current_interrupt_scope;
  return scope && !scope->interrupt_.is_modest_;
}

// This thread works for the scope of another one, which waits for it.
class JoinedInterruptScope {
 public:
  explicit JoinedInterruptScope(InterruptScope* scope) : before_(current_interrupt_scope) {
    current_interrupt_scope = scope;
  }
  ~JoinedInterruptScope() { current_interrupt_scope = before_; }
  JoinedInterruptScope(const JoinedInterruptScope&) = delete;
  JoinedInterruptScope& operator=(const JoinedInterruptScope&) = delete;

 private:
  InterruptScope* const before_;
};

}  // namespace molejo
