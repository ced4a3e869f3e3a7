// The "feedback" of a gait file: gains, clips, and what they were found by (docs/motion.md).
#pragma once

#include "molejo/io/json_cursor.h"
#include "molejo/locomotion/stabilise.h"

namespace molejo {

JsonValue to_json(const Stabilised& feedback);
// Sizes are checked against each other here, against the character by check_feedback.
Stabilised read_feedback(const JsonCursor& at);
// Throws InputError if the gains are not those of such a problem.
void check_feedback(const GaitProblem& problem, const Stabilised& feedback,
                    const std::string& file);

}  // namespace molejo
