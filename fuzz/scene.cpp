// Any text either is a scene that builds and writes back, or ends in an InputError.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/scene.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scene scene;
  try {
    scene = parse_scene(text, "fuzz.json");
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  // a few characters can ask for many copies: enough to have read them
  constexpr std::size_t small = 200;
  if (scene.bodies.size() + scene.joints.size() > small) return 0;
  // what was read can be written and read again, to the same text
  const std::string written = scene_text(scene);
  if (scene_text(parse_scene(written, "written.json")) != written) std::abort();
  try {
    build(scene);
  } catch (const InputError&) {
  }
  return 0;
}
