// What a place in a file gives to what is read there: a folder for the files that it names, and a
// place for errors.
#pragma once

#include <string>

#include "molejo/io/json_cursor.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"

namespace molejo {

// The file of that name beside the document.
inline SourceFile file_beside(const JsonCursor& name) {
  return name.document().file.beside(name.name());
}

// Calls `make`, whose errors get the place of `cursor` unless they have one.
template <class Make>
auto placed(const JsonCursor& cursor, Make make) {
  try {
    return make();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).starts_with(cursor.document().file.name() + ":")) throw;
    cursor.fail(e.what());
  } catch (const ExpressionError& e) {
    cursor.fail(e.what());
  }
}

}  // namespace molejo
