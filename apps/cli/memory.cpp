#include "apps/cli/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "apps/cli/numbers.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"

// sanitizers reserve far more than they use, and watch over new and delete themselves
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOLEJO_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MOLEJO_SANITIZED
#endif
#endif

namespace molejo::cli {

namespace {

constexpr std::size_t least_memory = std::size_t{64} << 20;
std::size_t allowed = std::size_t{900} << 20;
std::atomic<std::size_t> most_of_work{0};  // 0: anything

std::size_t for_work(std::size_t most) { return most / 4 * 3; }

// Only for this process: what it starts may take what it likes (studio/child.h).
void refuse_more_than(std::size_t most) {
#if !defined(MOLEJO_SANITIZED)
  // stacks count, though little of them is used
  constexpr std::size_t stack = std::size_t{8} << 20;
  const std::size_t stacks = stack * static_cast<std::size_t>(thread_count(0) + 8);
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most / 16 * 15 + stacks);
  ::setrlimit(RLIMIT_DATA, &limit);
#else
  (void)most;
#endif
}

}  // namespace

std::size_t read_memory(const std::string& text) {
  const auto bytes = static_cast<std::size_t>(amount("--max-memory", text, 1024));
  if (bytes >= least_memory) return bytes;
  throw InputError(fmt::format("--max-memory: '{:.40}': expected 64M or more", text));
}

MemoryLimit::MemoryLimit(std::size_t most) : guard_(for_work(allowed = most)) {
  most_of_work = for_work(most);
  refuse_more_than(most);
}

MemoryLimit::~MemoryLimit() { most_of_work = 0; }

// Large blocks that work asks for are refused before they are there. Who only answers others is
// never refused: a quarter of the memory is left for that.
void check_block(std::size_t size) {
  constexpr std::size_t large = std::size_t{1} << 20;
  const std::size_t most = most_of_work.load(std::memory_order_relaxed);
  if (size < large || most == 0 || !may_need_memory()) return;
  if (size > most || memory_in_use() > most - size) throw std::bad_alloc();
}

std::size_t max_memory() { return allowed; }

RunBudget run_budget() { return {.contacts = allowed / 4, .recording = allowed / 2}; }

}  // namespace molejo::cli

#if !defined(MOLEJO_SANITIZED)

void* operator new(std::size_t size) {
  molejo::cli::check_block(size);
  if (void* block = std::malloc(size > 0 ? size : 1)) return block;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  molejo::cli::check_block(size);
  const auto a = static_cast<std::size_t>(alignment);
  if (void* block = std::aligned_alloc(a, (size + a - 1) / a * a)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

#endif
