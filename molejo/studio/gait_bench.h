// A trained gait on the ground, for the page.
//
//   {"do": "control", "value": "feedback" | "open_loop" | "reset"}     as GaitControl
//   {"do": "push", "body", "point", "force", "seconds"}   {"do": "drag", ...}   {"do": "drop"}
//   {"do": "pushes"}    the push battery, in the background; {"event": "pushes", ...} at its end
#pragma once

#include "molejo/locomotion/push_battery.h"
#include "molejo/studio/gait_run.h"
#include "molejo/studio/jobs.h"

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
  void judge();
  JsonValue foot_cycle() const;
  void begin_pushes(int directions, int phases);

  GaitRun run_;
  Scene scene_;
  std::string worth_;   // what it is worth, as JSON fields
  std::string pushes_;  // the event with the push battery, when it is known
  bool pushing_ = false;
  Jobs jobs_;  // ends before what it looks at
};

// The figure from its right side, a little from the front.
Scene scene_beside(const Character& character, const std::string& name,
                   const std::string& description);
// The largest pushes that were survived: {"directions", "phases", "mass", "impulse": [...]}, fields
// alone.
std::string push_fields(const PushBattery& battery);

}  // namespace molejo
