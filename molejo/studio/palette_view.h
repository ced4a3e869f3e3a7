// Palettes, rest pose and springs of a sketch as the page gets them.
#pragma once

#include "molejo/io/json_document.h"
#include "molejo/studio/sketch_run.h"

namespace molejo {

// {"steps": [{"feet": [...], "air": [MODE, ...], "ground": [...]}], "rest", "stiffness", ...} with
//   MODE = {"mode", "hertz", "damping", "word", "about", "amplitude", "mark", "shape": [nv]}
// `shape` is a velocity of the model: the largest turn of a joint is 1 rad.
JsonValue describe_palettes(const SketchRun& run);

// {"step", "palette", "mode", "amplitude", "mark"}: what a slider and a mark change.
JsonValue describe_mode(const SketchRun& run, int step, SketchPhase phase, int mode);

}  // namespace molejo
