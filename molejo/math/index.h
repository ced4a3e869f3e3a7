// Indices are of type int, as in files and in Eigen; the containers of the standard library count
// by std::size_t.
#pragma once

#include <cstddef>

namespace molejo {

// Of an element that exists: container[at(i)].
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline std::size_t at(long i) { return static_cast<std::size_t>(i); }

}  // namespace molejo
