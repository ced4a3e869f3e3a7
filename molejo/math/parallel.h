// Work spread over threads with the same result for any number of them: every item writes only to
// its own place, addressed by its index.
#pragma once

#include <functional>

namespace molejo {

// Calls f(i) for i = 0 .. count-1 on up to `threads` threads (0: as many as the machine has). The
// first exception (by index) is thrown again here after all threads have ended.
void parallel_for(int count, int threads, const std::function<void(int)>& f);

}  // namespace molejo
