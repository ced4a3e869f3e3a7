// A motion before, while and after it is trained, for the page: palettes, sketch, training.
//
//   {"do": "amplitude", "step": 1, "palette": "air" | "ground", "mode": 2, "value": 0.2}
//   {"do": "mark", "step", "palette", "mode", "value": "green" | "neutral" | "red"}
//   {"do": "rest", "joint", "turn": [x, y, z]}  degrees      {"do": "springs", "stiffness",
//   "relaxation"}
//   {"do": "original"}   all of it as in the file
//   {"do": "train"}   {"do": "resume"}   {"do": "cancel"}   {"do": "pushes"}  of what was trained
//   {"event": "mode", ...}  {"event": "palettes", "describe": {...}}
//   {"event": "training", ...}  {"event": "trained", "file", "asset"}  {"event": "pushing", ...}
#pragma once

#include "molejo/studio/push_test.h"
#include "molejo/studio/sketch_run.h"
#include "molejo/studio/training.h"

namespace molejo {

class MotionBench : public FrameBench {
 public:
  explicit MotionBench(BenchOptions options);

  FileKind kind() const override { return FileKind::motion; }
  std::string describe() const override;
  // Also what is not a recording: "motion" as it is now, and "gait", what was trained.
  std::vector<std::string> exports() const override;
  Export prepare_export(const std::string& what, double from, double to) const override;
  std::string command_line() const override;

 protected:
  const Model& model() const override { return run_.character().model; }
  const Scene& scene() const override { return scene_; }
  const FrameTimeline& line() const override { return run_; }
  std::vector<BinaryFrame> binary_frames(const Subscription& subscription) const override;
  double look_around(double now) override;

 private:
  void add_words();
  // `before`: the time that was shown
  void changed_mode(int step, SketchPhase phase, int mode, double before);
  void look_at_figure();
  void changed_figure();
  void train(bool resume);
  void follow_training();
  std::string training_fields() const;
  bool is_edited() const { return hash(run_.file()) != original_; }

  SketchRun run_;
  Scene scene_;
  Vec3 way_to_ghost_;
  std::uint64_t original_;  // hash of the motion in the file
  std::shared_ptr<BackgroundTraining> training_;
  std::int64_t told_ = 0;  // version of its news
  std::string result_;     // name of the gait, once it is there
  std::string result_asset_;
  PushTest pushes_;
};

}  // namespace molejo
