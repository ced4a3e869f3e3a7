// Any text as a table of positions and angles over time: a path that can be followed at any time,
// or an InputError of one line.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/io/animado.h"
#include "molejo/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  try {
    const MotionPath path = parse_motion_table(std::string(data, data + size), "fuzz.path");
    const double first = path.keys().front().t, last = path.keys().back().t;
    for (const double t : {first - 1, first, 0.3 * first + 0.7 * last, last, last + 1}) {
      const Quat q = path.at(t).orientation;
      if (!(std::fabs(squared_norm(q) - 1) < 1e-6)) std::abort();
    }
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
