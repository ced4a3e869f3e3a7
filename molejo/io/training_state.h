// A training that was interrupted, as JSON text: what was saved goes on with the same bits.
//
// It is kept beside the gait that it is to become, and knows the motion by its hash, so that it
// does not go on with another one. Numbers and errors as in optimiser_state.h.
#pragma once

#include <string>
#include <string_view>

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
SavedTraining parse_training(std::string_view text, const std::string& file,
                             const GaitProblem& problem, std::uint64_t motion);

// Written beside the target and renamed: whoever is killed leaves the last one or the new one.
void save_training(const std::string& path, const SavedTraining& training);
SavedTraining load_training(const std::string& path, const GaitProblem& problem,
                            std::uint64_t motion);

}  // namespace molejo
