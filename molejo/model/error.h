// What a user gave cannot be used. Thrown while reading and building, never while stepping.
//
// The text is one line: where (file, line or pointer), the offending value, what was expected,
// and for a misspelt word the nearest valid one. The command line prints it and exits with 2.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "molejo/math/words.h"

namespace molejo {

struct InputError : std::runtime_error {
  explicit InputError(std::string text) : std::runtime_error(without_nuls(std::move(text))) {}
};

// A run needs more memory than it may have. One line that names what, and how much is allowed; the
// run ends as after a numeric failure.
struct OverBudget : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace molejo
