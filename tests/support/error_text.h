// What is said of bad input.
#pragma once

#include <string>

#include "molejo/model/error.h"

namespace molejo::test {

// The text of the InputError, or of another one, that `action` throws.
template <class Error = InputError, class Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace molejo::test
