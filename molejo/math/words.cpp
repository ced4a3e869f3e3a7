#include "molejo/math/words.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 64;
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  if (word.size() > longest) return best;
  for (const std::string& candidate : candidates) {
    check_interrupt();
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) best_distance = distance, best = candidate;
  }
  return best;
}

std::string unknown_word(std::string_view kind, std::string_view word,
                         std::span<const std::string> candidates) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(word.substr(0, 64)) + "'";
  const std::string near = nearest_word(word, candidates);
  if (!near.empty()) return text + "; did you mean '" + near + "'?";
  constexpr std::size_t shown = 12;
  if (candidates.empty() || candidates.size() > shown) return text;
  text += "; expected one of";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    text += (i ? ", " : " ") + candidates[i];
  }
  return text;
}

std::string without_nuls(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '?');
  return text;
}

}  // namespace molejo
