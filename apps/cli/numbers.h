// Numbers of the command line: text until they are checked here. All throw InputError that names
// the option, the text and what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "molejo/model/bounds.h"

namespace molejo::cli {

double number(const char* option, const std::string& text, const Bounds& bounds);
// Nothing where nothing was given.
std::optional<double> number(const char* option, const std::optional<std::string>& text,
                             const Bounds& bounds);
std::optional<std::int64_t> whole(const char* option, const std::optional<std::string>& text,
                                  const Bounds& bounds);

// A whole number with k, M or G behind it, as powers of `thousand`: 1000, or 1024 for bytes.
std::uint64_t amount(const char* option, const std::string& text, std::uint64_t thousand);

}  // namespace molejo::cli
