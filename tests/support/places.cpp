#include "tests/support/places.h"

namespace molejo::test {

std::string source_dir() { return MOLEJO_SOURCE_DIR; }
std::string binary_dir() { return MOLEJO_BINARY_DIR; }

}  // namespace molejo::test
