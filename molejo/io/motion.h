// Motion files, what `molejo train` reads, and gait files, what it writes (docs/motion.md).
//
// A gait file is the motion, the character's scene as it was, and the numbers that were found: all
// that is needed to replay it. Errors are InputError: "file:line: /pointer: value: what was
// expected".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "molejo/io/feedback.h"
#include "molejo/locomotion/motion.h"
#include "molejo/model/scene.h"

namespace molejo {

struct MotionFile {
  Motion motion;
  Scene scene;  // of the character
};

// Ground that a gait would not feel, as its own is the plane z = 0: "a height field". Empty: felt,
// or no ground.
std::string unfelt_ground(const SceneBody& body, const Shape& shape);

// `file` names the text in errors; the character is found beside it, unless the text has it under
// "scene".
MotionFile parse_motion(std::string_view text, const SourceFile& file);
// Also chooses modes where the file says "auto" (locomotion/choose_modes.h).
MotionFile load_motion(const SourceFile& file);

// The motion with the scene inside. What is read from it again gives the same text, and a training
// the same bits.
std::string motion_text(const MotionFile& motion);

// FNV-1a of that text, but for the number of evaluations that are allowed.
std::uint64_t hash(const MotionFile& motion);

struct GaitFile {
  MotionFile motion;
  std::vector<double> unknowns;  // of GaitProblem, from 0 to 1
  std::uint64_t seed = 1;
  std::int64_t evaluations = 0;
  int restarts = 0;
  double seconds = 0;  // of wall time
  bool valid = false;
  std::optional<Stabilised> feedback{};  // see `molejo stabilise`
};

GaitFile parse_gait(std::string_view text, const SourceFile& file);
GaitFile load_gait(const SourceFile& file);
std::string gait_text(const GaitFile& gait);
void save_gait(const std::string& path, const GaitFile& gait);

// As part of a larger document.
JsonValue to_json(const MotionFile& motion);

}  // namespace molejo
