// What is wrong with a net, told with the name of its file.
#pragma once

#include <string>

#include "molejo/model/error.h"
#include "molejo/net/net.h"

namespace molejo::cli {

// What f() returns. A NetError is bad input here.
template <class F>
auto about_file(const std::string& file, F&& f) {
  try {
    return f();
  } catch (const NetError& error) {
    throw InputError(file + ": " + error.what());
  }
}

}  // namespace molejo::cli
