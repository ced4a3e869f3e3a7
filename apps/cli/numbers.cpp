#include "apps/cli/numbers.h"

#include <fmt/format.h>

#include <cstdlib>

#include "molejo/model/error.h"

namespace molejo::cli {

double number(const char* option, const std::string& text, const Bounds& bounds) {
  const bool plain =
      !text.empty() && text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  char* end = nullptr;
  const double value = plain ? std::strtod(text.c_str(), &end) : 0;
  if (plain && *end == '\0' && bounds.hold(value)) return value;
  throw InputError(fmt::format("{}: '{:.40}': {}", option, text, expectation(bounds)));
}

std::optional<double> number(const char* option, const std::optional<std::string>& text,
                             const Bounds& bounds) {
  if (!text) return {};
  return number(option, *text, bounds);
}

std::optional<std::int64_t> whole(const char* option, const std::optional<std::string>& text,
                                  const Bounds& bounds) {
  if (!text) return {};
  const double value = number(option, *text, bounds);
  const auto count = static_cast<std::int64_t>(value);
  if (static_cast<double>(count) == value) return count;
  throw InputError(fmt::format("{}: '{:.40}': expected a whole number", option, *text));
}

std::uint64_t amount(const char* option, const std::string& text, std::uint64_t thousand) {
  std::uint64_t value = 0;
  std::size_t i = 0;
  for (; i < text.size() && i < 12 && text[i] >= '0' && text[i] <= '9'; ++i) {
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  const std::string unit = text.substr(i);
  const std::string units = "kMG";
  const std::size_t power = unit.size() == 1 ? units.find(unit) : std::string::npos;
  if (i == 0 || value == 0 || (!unit.empty() && power == std::string::npos)) {
    throw InputError(
        fmt::format("{}: '{:.40}': expected a whole number like 500000, 20M or 2G", option, text));
  }
  for (std::size_t k = 0; !unit.empty() && k <= power; ++k) value *= thousand;
  return value;
}

}  // namespace molejo::cli
