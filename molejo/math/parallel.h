// Work spread over threads with the same result for any number of them: every item writes only to
// its own place, addressed by its index.
#pragma once

#include <functional>

namespace molejo {

// The threads' side of parallel_for.
void run_in_parallel(int count, int threads, const std::function<void(int)>& f);

// Calls f(i) for i = 0 .. count-1 on up to `threads` threads (0: as many as the machine has). The
// first exception (by index) is thrown again here after all threads have ended. On one thread: a
// plain loop that allocates nothing and ends at the first exception.
template <class F>
void parallel_for(int count, int threads, F&& f) {
  if (threads == 1 || count <= 1) {
    for (int i = 0; i < count; ++i) f(i);
  } else {
    run_in_parallel(count, threads, std::ref(f));
  }
}

}  // namespace molejo
