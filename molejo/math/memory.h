// How much memory this process holds, and work that ends before it holds too much.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace molejo {

// Bytes of memory in use; 0 where the system does not tell.
std::size_t memory_in_use();

// Lets the system have what was freed.
void give_back_memory();

// As long as it lives, work (interrupt.h) is interrupted when the process holds more than `most`
// bytes: what was begun first, then the next, until there is room again.
class MemoryGuard {
 public:
  explicit MemoryGuard(std::size_t most);
  ~MemoryGuard();
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;

 private:
  void watch();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace molejo
