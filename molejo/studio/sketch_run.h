// A sketch that goes on while its amplitudes, its rest pose and its springs are changed.
//
// What is shown at time t is the sketch at t modulo its period. After a change it is simulated anew
// from rest for some periods first, so that the figure goes on swinging instead of starting over.
#pragma once

#include <memory>

#include "molejo/io/motion.h"
#include "molejo/locomotion/sketch.h"
#include "molejo/studio/frame_bench.h"

namespace molejo {

enum class ModeMark { green, neutral, red };  // priority, others, neither
std::string_view to_string(ModeMark mark);

class SketchRun : public FrameTimeline {
 public:
  // Throws InputError for a motion that its character cannot make.
  SketchRun(MotionFile file, HistoryLimits limits);

  // As it is now, marks and amplitudes included: what would be trained.
  const MotionFile& file() const { return file_; }
  const Motion& motion() const { return file_.motion; }
  const Character& character() const { return *character_; }
  const Sketch& sketch() const { return *sketch_; }
  double period() const { return sketch_->period(); }

  // Steps count from 0, modes from 1. A mode with an amplitude is a priority mode: one that is
  // given an amplitude turns green, and one that is not green any more loses it. Throw InputError.
  void set_amplitude(int step, SketchPhase phase, int mode, double amplitude);
  void set_mark(int step, SketchPhase phase, int mode, ModeMark mark);
  ModeMark mark(int step, SketchPhase phase, int mode) const;
  double amplitude(int step, SketchPhase phase, int mode) const {
    return sketch_->amplitude(step, phase, mode);
  }

  // Begin anew with another figure, or another motion. Throw InputError; what was, stays.
  void turn_joint(const std::string& joint, const Vec3& turn);  // rad
  void set_springs(std::optional<double> stiffness, double relaxation);
  void replace(MotionFile file);
  // The joint on the other side; empty: it has none.
  std::string partner(const std::string& joint) const;

  void branch() override;
  void reset() override;

 private:
  bool make(Frame& frame) override;
  void rebuild(MotionFile file);
  PhaseMarks& marks(int step, SketchPhase phase);
  const PhaseMarks& marks(int step, SketchPhase phase) const;
  void check(int step, SketchPhase phase, int mode) const;
  void take_amplitude(int step, SketchPhase phase, int mode, double amplitude);

  MotionFile file_;
  std::unique_ptr<Character> character_;
  std::unique_ptr<Sketch> sketch_;
  std::int64_t made_ = -1;  // frames
  bool stale_ = false;      // the sketch is not where it should be
};

}  // namespace molejo
