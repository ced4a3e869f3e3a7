// A trained gait on the ground, for the page.
//
//   {"do": "control", "value": "feedback" | "open_loop" | "reset"}     as GaitControl
//   {"do": "push", "body", "point", "force", "seconds"}   {"do": "drag", ...}   {"do": "drop"}
//   {"do": "pushes"}    see push_test.h
#pragma once

#include "molejo/studio/gait_run.h"
#include "molejo/studio/push_test.h"

namespace molejo {

class GaitBench : public FrameBench {
 public:
  explicit GaitBench(BenchOptions options);

  FileKind kind() const override { return FileKind::gait; }
  std::string describe() const override;
  std::string command_line() const override;

 protected:
  const Model& model() const override { return run_.model(); }
  const Scene& scene() const override { return scene_; }
  const FrameTimeline& line() const override { return run_; }
  std::string more_status() const override;
  double look_around(double now) override;

 private:
  void add_words();
  JsonValue foot_cycle() const;

  GaitRun run_;
  Scene scene_;
  std::string worth_, foot_cycle_;  // as JSON
  PushTest pushes_;
};

// The figure from its right side, a little from the front.
Scene scene_beside(const Character& character, const std::string& name,
                   const std::string& description);

}  // namespace molejo
