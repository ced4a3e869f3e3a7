// Any text either is a motion or a gait, or ends in an InputError; what was accepted comes back
// from its own text, and its problem is made or refused.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/motion.h"
#include "molejo/locomotion/replay.h"
#include "molejo/model/error.h"

namespace {

using namespace molejo;

constexpr std::size_t small = 40;  // bodies: many are slow, not wrong

void use(const MotionFile& file) {
  if (file.scene.bodies.size() + file.scene.joints.size() > small) return;
  try {
    const Character character = make_character(file.scene, file.motion.figure);
    const GaitProblem problem(character, file.motion);
    const VecX x = problem.start();
    const Gait gait = problem.gait(x.data());
    if (!(gait.duration() > 0)) std::abort();
  } catch (const InputError&) {
  }
}

template <class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // a character is looked for in a folder that is not there
  attempt([&] {
    const MotionFile file = parse_motion(text, "nowhere/fuzz.json");
    if (file.scene.bodies.size() > 200) return;
    const std::string written = motion_text(file);
    if (motion_text(parse_motion(written, "nowhere/again.json")) != written) std::abort();
    use(file);
  });
  attempt([&] {
    const GaitFile gait = parse_gait(text, "nowhere/fuzz.json");
    if (gait.motion.scene.bodies.size() > 200) return;
    const std::string written = gait_text(gait);
    if (gait_text(parse_gait(written, "nowhere/again.json")) != written) std::abort();
  });
  return 0;
}
