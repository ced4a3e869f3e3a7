#include "apps/cli/complaint.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>

#include "apps/cli/memory.h"
#include "molejo/live/network.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

// A message may quote what a file or an argument says: it stays one line, and no terminal obeys it.
void print_line(std::initializer_list<std::string_view> parts) noexcept {
  char line[4000];
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    for (const char c : part) {
      const bool controls = static_cast<unsigned char>(c) < ' ' || c == 0x7f;
      if (size < sizeof line - 1) line[size++] = controls ? '?' : c;
    }
  }
  line[size++] = '\n';
  std::fwrite(line, 1, size, stderr);
}

int complain_about_memory() noexcept {
  std::fprintf(stderr, "molejo: needs more than %zu MB of memory; --max-memory allows more\n",
               max_memory() >> 20);
  return bad_input;
}

}  // namespace

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) print_line({"molejo: warning: ", warning});
}

int complain(ExitCode code, const char* text, const char* more) noexcept {
  print_line({"molejo: ", text, more});
  return code;
}

int complain_about_what_was_caught() noexcept {
  try {
    throw;
  } catch (const InputError& error) {
    return complain(bad_input, error.what());
  } catch (const NetworkError& error) {
    return complain(network_failure, error.what());
  } catch (const Interrupted& error) {
    if (error.cause == InterruptCause::memory) return complain_about_memory();
    return complain(numeric_failure, error.what());
  } catch (const std::bad_alloc&) {
    return complain_about_memory();
  } catch (const std::exception& error) {
    if (std::ferror(stdout)) return complain(internal_error, "standard output cannot be written");
    return complain(internal_error, "internal error: ", error.what());
  } catch (...) {
    return complain(internal_error, "internal error");
  }
}

void end_where_nothing_is_caught() noexcept {
  std::_Exit(std::current_exception() ? complain_about_what_was_caught()
                                      : complain(internal_error, "internal error"));
}

}  // namespace molejo::cli
