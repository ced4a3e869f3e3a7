// Where the tests find the repository and may write. Functions, not macros: the paths stay out of
// every compile command but one.
#pragma once

#include <string>

namespace molejo::test {

std::string source_dir();
std::string binary_dir();

}  // namespace molejo::test
