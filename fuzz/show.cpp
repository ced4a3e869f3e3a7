// Any text either is a directed scene that plays, or ends in an InputError of one line.
#include <cstdint>
#include <cstdlib>

#include "fuzz/walker_figure.h"
#include "molejo/io/character_file.h"
#include "molejo/io/show.h"
#include "molejo/model/error.h"

namespace {

using namespace molejo;

constexpr std::size_t small = 60;  // bodies, places: many are slow, not wrong

void play(const Show& show) {
  if (show.scene.bodies.size() > small || show.net.places.size() > small) return;
  DirectSettings settings;
  settings.duration = Fraction(1, 2);
  if (show.fps.value() > 100) settings.fps = Fraction(100);
  // steps of a nanosecond are slow too
  if (show.scene.settings.time_step < 1e-3) return;
  try {
    direct(show, settings);
  } catch (const InputError&) {
  } catch (const NetError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // other files are looked for in a folder that is not there
  try {
    const Show show = parse_show(text, "nowhere/fuzz.show.json", [](const SourceFile& file) {
      return parse_bvh(walker_figure, file.name());
    });
    play(show);
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
