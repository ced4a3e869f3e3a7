#include "molejo/math/interrupt.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>

#include "molejo/math/parallel.h"

using namespace molejo;

namespace {

// What check_interrupt says here.
std::string told() {
  try {
    check_interrupt();
    return "";
  } catch (const Interrupted& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("interrupt: work without a scope is never ended") { CHECK(told().empty()); }

TEST_CASE("interrupt: another thread ends what is done within the scope, and nothing after it") {
  Interrupt interrupt;
  {
    const InterruptScope scope(interrupt);
    CHECK(told().empty());
    std::thread([&] { interrupt.cancel(); }).join();
    CHECK(told() == "interrupted");
    CHECK(told() == "interrupted");
  }
  CHECK(told().empty());
  interrupt.forget();
  const InterruptScope again(interrupt);
  CHECK(told().empty());
}

TEST_CASE("interrupt: the scope is that of its own thread") {
  Interrupt interrupt;
  interrupt.cancel();
  const InterruptScope scope(interrupt);
  std::string elsewhere = "?";
  std::thread([&] { elsewhere = told(); }).join();
  CHECK(elsewhere.empty());
  CHECK(told() == "interrupted");
}

TEST_CASE("interrupt: an inner scope is ended by the outer one too, unless it ignores it") {
  Interrupt outer, inner;
  const InterruptScope outer_scope(outer);
  {
    const InterruptScope inner_scope(inner);
    outer.cancel();
    CHECK(told() == "interrupted");
  }
  {
    const InterruptScope alone(inner, InterruptScope::Outer::is_ignored);
    CHECK(told().empty());
    inner.cancel();
    CHECK(told() == "interrupted");
  }
  CHECK(told() == "interrupted");
  outer.forget();
  CHECK(told().empty());
}

TEST_CASE("interrupt: a deadline ends it by itself, and the first cause is the one told") {
  Interrupt soon(0.02);
  const InterruptScope scope(soon);
  CHECK(told().empty());
  const auto start = std::chrono::steady_clock::now();
  std::string text;
  while (text.empty() && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    text = told();
  }
  CHECK(text == "takes longer than 0.02 s");
  soon.cancel(InterruptCause::memory);
  CHECK(told() == "takes longer than 0.02 s");
  CHECK(soon.cause() == InterruptCause::deadline);
}

TEST_CASE("interrupt: what is spread over threads belongs to the scope of who asked") {
  for (const int threads : {1, 4}) {
    CAPTURE(threads);
    Interrupt interrupt;
    const InterruptScope scope(interrupt);
    std::atomic<int> begun{0};
    // endless but for the interrupt, on every thread
    const auto work = [&](int) {
      if (++begun == 1) interrupt.cancel();
      while (true) check_interrupt();
    };
    CHECK_THROWS_AS(parallel_for(100, threads, work), Interrupted);
    // what had not begun does not begin
    CHECK(begun <= threads);
    interrupt.forget();
    CHECK(told().empty());
  }
}

TEST_CASE("interrupt: of all that goes on, what was begun first is ended first") {
  CHECK_FALSE(interrupt_oldest(InterruptCause::memory));
  Interrupt modest(Interrupt::Appetite::small), first, second;
  const InterruptScope modest_scope(modest), first_scope(first), second_scope(second);
  CHECK(interrupt_oldest(InterruptCause::memory));
  CHECK(first.cause() == InterruptCause::memory);
  CHECK_FALSE(second.is_cancelled());
  CHECK(told() == "needs more memory than it may have");
  CHECK(interrupt_oldest(InterruptCause::memory));
  CHECK(second.is_cancelled());
  CHECK_FALSE(interrupt_oldest(InterruptCause::memory));
  CHECK_FALSE(modest.is_cancelled());
}
