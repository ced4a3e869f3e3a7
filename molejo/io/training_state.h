// A training that was interrupted, as JSON text: what was saved goes on with the same bits.
//
// It is kept beside the gait that it is to become, and knows the motion by its hash, so that it
// does not go on with another one. Numbers and errors as in optimiser_state.h.
#pragma once

#include <string>
#include <string_view>

#include "molejo/io/file_lock.h"
#include "molejo/io/motion.h"
#include "molejo/io/optimiser_state.h"
#include "molejo/locomotion/train.h"

namespace molejo {

struct SavedTraining {
  std::uint64_t motion = 0;  // hash of the MotionFile
  double seconds = 0;        // of wall time so far
  TrainingState state;
};

std::string training_text(const SavedTraining& training);

// Throws InputError where the file is of another motion than `motion` (its hash), or sizes are not
// those of the problem.
SavedTraining parse_training(std::string_view text, const SourceFile& file,
                             const GaitProblem& problem, std::uint64_t motion);

// Of whatever motion, to be looked at. Throws InputError.
SavedTraining load_any_training(const SourceFile& file);

// Throws InputError, with `place` in front, where the motion allows less than one generation.
void check_evaluations(const GaitProblem& problem, const Training& training,
                       const std::string& place);

// Writes what a training found, but never what is not valid over a valid gait: false, it was kept.
bool save_found(const std::string& path, const GaitFile& gait);

// FILE.part, where the training of FILE goes on after it was interrupted. As long as the object
// lives no other process can train for FILE.
class Checkpoint {
 public:
  // Throws InputError: another process trains for it, or FILE.part is something else.
  explicit Checkpoint(const std::string& gait);

  const std::string& path() const { return path_; }
  bool exists() const;
  // Throws InputError as parse_training.
  SavedTraining load(const GaitProblem& problem, std::uint64_t motion) const;
  // Empty, or why it could not be written: then the last one is still there, and the next try may
  // be luckier.
  std::string save(const SavedTraining& training) const;
  void remove() const;

 private:
  FileLock lock_;
  std::string path_;
};

}  // namespace molejo
