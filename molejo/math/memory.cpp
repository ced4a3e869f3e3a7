#include "molejo/math/memory.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "molejo/math/interrupt.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace molejo {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds look_interval = 10ms;
constexpr std::chrono::milliseconds patience = 150ms;  // for what was interrupted to end

}  // namespace

std::size_t memory_in_use() {
  // "all resident shared ..." in pages
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  long all = 0, resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &all, &resident);
  std::fclose(file);
  const long page = ::sysconf(_SC_PAGESIZE);
  return read == 2 ? static_cast<std::size_t>(resident) * static_cast<std::size_t>(page) : 0;
}

void give_back_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

MemoryGuard::MemoryGuard(std::size_t most) : most_(most), thread_([this] { watch(); }) {}

MemoryGuard::~MemoryGuard() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void MemoryGuard::watch() {
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds interval = look_interval;
  while (!ended_.wait_for(lock, interval, [this] { return ending_; })) {
    interval = look_interval;
    if (memory_in_use() <= most_) continue;
    // what was freed may still be held for later
    give_back_memory();
    if (memory_in_use() <= most_) continue;
    interrupt_oldest(InterruptCause::memory);
    interval = patience;
  }
}

}  // namespace molejo
