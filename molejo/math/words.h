// Words of errors: the nearest valid one for a misspelt one, by edit distance (Levenshtein 1966).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace molejo {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> known);

// The candidate closest to `word` by edit distance, or nothing when none is near.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

// "unknown joint type 'hinge'; did you mean 'fixed'?": the common sentence for bad names.
std::string unknown_word(std::string_view kind, std::string_view word,
                         std::span<const std::string> candidates);

// For exceptions, whose what() would end there: a question mark in the place of each NUL that the
// text quotes.
std::string without_nuls(std::string text);

}  // namespace molejo
