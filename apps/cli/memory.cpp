#include "apps/cli/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "apps/cli/numbers.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

constexpr std::size_t least_memory = std::size_t{64} << 20;
std::size_t allowed = std::size_t{1} << 30;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;  // sanitizers reserve far more than they use
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

// Only for this process: what it starts may take what it likes (studio/child.h).
void refuse_more_than(std::size_t most) {
  if (sanitized) return;
  // stacks count, though little of them is used
  constexpr std::size_t stack = std::size_t{8} << 20;
  const std::size_t stacks = stack * static_cast<std::size_t>(thread_count(0) + 8);
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most / 8 * 7 + stacks);
  ::setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

std::size_t read_memory(const std::string& text) {
  const auto bytes = static_cast<std::size_t>(amount("--max-memory", text, 1024));
  if (bytes >= least_memory) return bytes;
  throw InputError(fmt::format("--max-memory: '{:.40}': expected 64M or more", text));
}

MemoryLimit::MemoryLimit(std::size_t most) : guard_((allowed = most) / 4 * 3) {
  refuse_more_than(most);
}

std::size_t max_memory() { return allowed; }

RunBudget run_budget() { return {.contacts = allowed / 4, .recording = allowed / 2}; }

}  // namespace molejo::cli
