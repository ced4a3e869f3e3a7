// How commands print what they found: a label and a text a row.
#pragma once

#include <string>

namespace molejo::cli {

void print_row(const char* label, const std::string& text);

}  // namespace molejo::cli
