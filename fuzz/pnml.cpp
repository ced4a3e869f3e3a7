// Any bytes as PNML: a net that writes back the same, or an InputError.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/net_file.h"
#include "molejo/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Net net;
  try {
    net = parse_pnml(text, "fuzz.pnml");
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  const std::string written = pnml_text(net);
  Net again;
  try {
    again = parse_pnml(written, "written.pnml");
  } catch (const InputError&) {
    std::abort();
  }
  if (again.places.size() != net.places.size() || again.arcs.size() != net.arcs.size())
    std::abort();
  return 0;
}
