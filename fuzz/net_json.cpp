// Any text as a net or state machine in JSON: a net that writes back the same, plays and is drawn,
// or an InputError.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/net_draw.h"
#include "molejo/io/net_file.h"
#include "molejo/model/error.h"
#include "molejo/net/analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Net net;
  try {
    net = parse_net_json(text, "fuzz.json");
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  // a few characters can ask for many copies: enough to have read them
  constexpr std::size_t small = 200;
  if (net.places.size() + net.transitions.size() > small) return 0;
  const std::string written = net_json(net);
  if (net_json(parse_net_json(written, "written.json")) != written) std::abort();
  net_svg(net);
  try {
    play(net, {.most_firings_at_once = 1000}, 20);
    analyse(net, {.space = {.max_states = 500},
                  .timed = {.max_states = 100},
                  .structure = {.rows = 100, .cells = 20'000, .siphons = 20, .siphon_steps = 100}});
  } catch (const NetError&) {
  }
  return 0;
}
