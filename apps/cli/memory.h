// How much memory a command may take.
#pragma once

#include <cstddef>
#include <string>

#include "molejo/math/memory.h"
#include "molejo/model/settings.h"

namespace molejo::cli {

inline constexpr const char* usual_memory = "900M";

// "1G": bytes, with k, M or G of 1024 each. Throws InputError.
std::size_t read_memory(const std::string& text);

// As long as it lives the process takes no more than this: work that needs more is interrupted, and
// what is asked for at once is refused (std::bad_alloc).
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t most);
  ~MemoryLimit();

 private:
  MemoryGuard guard_;
};

// What the limit was given; before there is one, the usual one.
std::size_t max_memory();
// Its parts for one run.
RunBudget run_budget();

}  // namespace molejo::cli
