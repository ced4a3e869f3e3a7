// A run of a scene from its initial state: step, project, record, account.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "molejo/model/build.h"
#include "molejo/model/recording.h"
#include "molejo/physics/integrate.h"

namespace molejo {

// Told after every frame; return false to stop early.
using Progress = std::function<bool(const Frame& frame, std::int64_t steps)>;

// The same a frame at a time. `model` and `settings` must outlive the run.
class Run {
 public:
  // Throws InputError when a formula has no finite value at the start.
  Run(const Model& model, const State& start, const Settings& settings,
      std::shared_ptr<const FormulaSet> formulas = nullptr);
  ~Run();

  // The next frame, the first at the start, and the contact events since the last one, appended.
  // False: the run is over, and nothing was written.
  bool next_frame(Frame& frame, std::vector<ContactEvent>& events);

  const State& state() const;  // at the end of the last step
  // So far: steps, projections, impacts, errors, failure. Energies and times are the recorder's.
  const Summary& summary() const;

  // Between two frames: formulas in other words (of the same model; variables keep their values),
  // the value of a variable (false: there is none of this name), a push by hand.
  void set_formulas(std::shared_ptr<const FormulaSet> formulas);
  bool set_variable(const std::string& name, double value);
  void add_push(const Push& push);
  // One push that lasts until another is held, or none.
  void hold(const std::optional<Push>& push);

 private:
  class Stepper;
  std::unique_ptr<Stepper> stepper_;
};

// Runs for settings.duration and keeps a frame every 1/fps seconds, the first at the start.
// A numeric failure ends the run at the last good state and is told in summary.failure.
Recording simulate(const Built& built, const Settings& settings, const Progress& progress = {});
// The same of a run that the caller holds, and may change when it is told of a frame. Its probes
// are named by `formulas` (null: it has none).
Recording record(Run& run, const FormulaSet* formulas, const Progress& progress = {});

}  // namespace molejo
