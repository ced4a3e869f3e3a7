// Any text as a property of a net and as the firings of a counterexample: each is read, or refused
// in one line.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/net_file.h"
#include "molejo/io/show.h"
#include "molejo/model/error.h"
#include "molejo/net/analysis.h"
#include "molejo/net/property.h"

namespace {

using namespace molejo;

template <class Error, class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const Error& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Net net =
      load_net(SourceFile::given(MOLEJO_SOURCE_DIR "/scenes/nets/ball_top.net.json"));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt<InputError>([&] { parse_trace(text, "fuzz.json", net); });
  attempt<NetError>([&] {
    const std::string_view line = text.substr(0, text.find('\n'));  // it is one line of text
    parse_property(line, net);
    analyse(net, {.space = {.max_states = 200},
                  .timed = {.max_states = 50},
                  .properties = {std::string(line)}});
  });
  return 0;
}
