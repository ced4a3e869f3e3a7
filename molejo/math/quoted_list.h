// Names in a sentence.
#pragma once

#include <algorithm>
#include <span>
#include <string>

namespace molejo {

// "'a', 'b', 'c', 'd' and 3 more"
inline std::string quoted_list(std::span<const std::string> words) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
    text += (i > 0 ? ", '" : "'") + words[i] + "'";
  }
  if (words.size() > most) text += " and " + std::to_string(words.size() - most) + " more";
  return text;
}

}  // namespace molejo
