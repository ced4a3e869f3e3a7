// What a user gave cannot be used. Thrown while reading and building, never while stepping.
//
// The text is one line: where (file, line or pointer), the offending value, what was expected,
// and for a misspelt word the nearest valid one. The command line prints it and exits with 2.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace molejo {

struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The candidate closest to `word` by edit distance, or nothing when none is near.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

// "unknown joint type 'hinge'; did you mean 'fixed'?": the common sentence for bad names.
std::string unknown_word(std::string_view kind, std::string_view word,
                         std::span<const std::string> candidates);

}  // namespace molejo
