// Any bytes as the text language of nets: a net that writes back to the same text, or an
// InputError.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/net_file.h"
#include "molejo/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = net_text(parse_net_text(text, "fuzz.pn"));
    if (net_text(parse_net_text(written, "written.pn")) != written) std::abort();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
