// Any text as a table of commands: one that can be asked for at any time and whose command a world
// obeys for a step, or an InputError of one line.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "molejo/io/command_table.h"
#include "molejo/io/load.h"
#include "molejo/physics/integrate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace molejo;
  static const Built built =
      build(load_scene(SourceFile::given(MOLEJO_SOURCE_DIR "/scenes/ragdoll.json")));
  static Scratch scratch(built.model);
  try {
    const CommandTable table({reinterpret_cast<const char*>(data), size}, "fuzz.csv", built.model);
    Command<double> command(built.model);
    for (const double t : {-1e9, 0.0, 0.3, 1.0, 1e9}) {
      table.fill(t, command);
      for (const double force : command.forces) {
        if (!std::isfinite(force)) std::abort();
      }
      if (command.wrenches.size() > built.model.bodies.size()) std::abort();
      State state = built.initial;
      step(built.model, Integrator::midpoint, 1e-3, state, command, scratch);
      if (state.t != built.initial.t + 1e-3) std::abort();
    }
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
