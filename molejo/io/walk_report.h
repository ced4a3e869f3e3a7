// How good a walk is, as a table and as JSON (docs/walk.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/io/json_document.h"
#include "molejo/navigation/quality.h"

namespace molejo {

// One run of a scene: figures and costs of each character.
struct WalkJudgement {
  std::string solver;
  std::vector<navigation::Quality> characters;
  std::vector<navigation::FrameCost> costs;
};

// Tables of the characters (of the worst figures of all, where there are more than four);
// `baseline` is the same scene with another solver.
std::string walk_report_text(const WalkJudgement& run, const WalkJudgement* baseline);
JsonValue walk_report_json(const WalkJudgement& run, const WalkJudgement* baseline);

}  // namespace molejo
