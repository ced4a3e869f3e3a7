// Work spread over threads with the same result for any number of them: every item writes only to
// its own place, addressed by its index.
#pragma once

#include <functional>

#include "molejo/math/interrupt.h"

namespace molejo {

// `threads` itself, or as many as the machine has for 0 and less.
int thread_count(int threads);

// The threads' side of parallel_for and parallel_for_workers.
void run_in_parallel(int count, int threads, const std::function<void(int worker, int i)>& f);

// Calls f(i) for i = 0 .. count-1 on up to `threads` threads (0: as many as the machine has). The
// first exception (by index) is thrown again here after all threads have ended. On one thread: a
// plain loop that allocates nothing and ends at the first exception. Once this thread's work is
// interrupted (interrupt.h), no further item begins.
template <class F>
void parallel_for(int count, int threads, F&& f) {
  if (threads == 1 || count <= 1) {
    for (int i = 0; i < count; ++i) check_interrupt(), f(i);
  } else {
    auto without_worker = [&f](int, int i) { f(i); };
    run_in_parallel(count, threads, std::ref(without_worker));
  }
}

// The same with f(worker, i), worker in 0 .. threads-1: calls with the same worker never overlap.
// Allocates nothing once the threads exist.
template <class F>
void parallel_for_workers(int count, int threads, F&& f) {
  if (threads == 1 || count <= 1) {
    for (int i = 0; i < count; ++i) check_interrupt(), f(0, i);
  } else {
    run_in_parallel(count, threads, std::ref(f));
  }
}

}  // namespace molejo
