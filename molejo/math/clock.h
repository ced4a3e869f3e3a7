// Seconds of a clock that never goes back.
#pragma once

#include <chrono>

namespace molejo {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace molejo
