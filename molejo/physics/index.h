// The number of a body, link or row as an index into a vector.
#pragma once

#include <cstddef>

namespace molejo {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace molejo
