// Any text as the checkpoint of a training of a hopper. Nothing but InputError of one line may
// leave the reader; what was accepted comes back from its own text, and its training goes on.
#include <cstdint>
#include <cstdlib>

#include "molejo/io/motion.h"
#include "molejo/io/training_state.h"
#include "molejo/model/error.h"

namespace {

using namespace molejo;

constexpr std::int64_t most_evaluations = 2000;  // a large population is slow, not wrong

struct Hopper {
  MotionFile file =
      load_motion(SourceFile::given(MOLEJO_SOURCE_DIR "/fuzz/seeds/motion/hopper.motion.json"));
  Character character = make_character(file.scene, file.motion.figure);
  GaitProblem problem{character, file.motion};
  ThreadEvaluator evaluator{evaluation(problem, 1), 1};
};

void go_on(Hopper& hopper, const TrainingState& state) {
  if (state.search && state.search->cma.settings.population > most_evaluations) return;
  Training training(hopper.problem, hopper.evaluator, state);
  training.advance();
  if (training.solution().size() != static_cast<std::size_t>(hopper.problem.size())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Hopper hopper;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::uint64_t motion = hash(hopper.file);
  try {
    const SavedTraining saved = parse_training(text, "hopper.part", hopper.problem, motion);
    const std::string written = training_text(saved);
    if (training_text(parse_training(written, "again.part", hopper.problem, motion)) != written) {
      std::abort();
    }
    go_on(hopper, saved.state);
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
