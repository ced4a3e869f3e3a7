// A formula that cannot be used, and where in it the fault lies.
#pragma once

#include "molejo/model/error.h"

namespace molejo {

struct FormulaError : InputError {
  FormulaError(const std::string& text, std::size_t at) : InputError(text), column(at) {}
  std::size_t column;  // in its text, from 1; the text of the error tells it as well
};

}  // namespace molejo
