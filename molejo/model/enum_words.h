// The words that files use for the values of an enumeration.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace molejo {

template <class Enum, std::size_t N>
using Words = std::array<std::pair<std::string_view, Enum>, N>;

template <class Enum, std::size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [word, v] : words) {
    if (v == value) return word;
  }
  assert(false);
  return {};
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [w, value] : words) {
    if (w == word) return value;
  }
  return std::nullopt;
}

}  // namespace molejo
