// The shipped basic run in closed loop, read once.
#pragma once

#include "molejo/io/motion.h"
#include "molejo/locomotion/gait_problem.h"
#include "tests/support/places.h"

namespace molejo::test {

struct Shipped {
  GaitFile file =
      load_gait(SourceFile::given(source_dir() + "/scenes/gaits/basic_run_closed.gait.json"));
  Character character = make_character(file.motion.scene, file.motion.motion.figure);
  GaitProblem problem{character, file.motion.motion};
  const std::vector<double>& unknowns() const { return file.unknowns; }
  const Feedback& feedback() const { return file.feedback->feedback; }
};

inline const Shipped& shipped() {
  static const Shipped s;
  return s;
}

}  // namespace molejo::test
