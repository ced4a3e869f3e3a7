// What is said of bad input.
#pragma once

#include <string>

#include "molejo/model/error.h"

namespace molejo::test {

// The text of the InputError that `action` throws.
template <class Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace molejo::test
