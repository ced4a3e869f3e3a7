// How the program tells what went wrong: in one line, with the exit code that fits.
#pragma once

#include "apps/cli/command.h"

namespace molejo::cli {

// Needs no memory, and says nothing about a stream that cannot be written.
int complain(ExitCode code, const char* text, const char* more = "") noexcept;

// Only from inside a catch.
int complain_about_what_was_caught() noexcept;

// For std::set_terminate: where nothing can be caught, as in a destructor that finds no memory.
[[noreturn]] void end_where_nothing_is_caught() noexcept;

}  // namespace molejo::cli
