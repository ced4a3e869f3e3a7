#include "apps/cli/rows.h"

#include <fmt/format.h>

namespace molejo::cli {

void print_row(const char* label, const std::string& text) {
  fmt::print("  {:<24}{}\n", label, text);
}

}  // namespace molejo::cli
