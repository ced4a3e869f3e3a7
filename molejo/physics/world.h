// A run of a scene from its initial state: step, project, record, account.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "molejo/math/snapshot.h"
#include "molejo/model/build.h"
#include "molejo/model/recording.h"
#include "molejo/physics/integrate.h"

namespace molejo {

// Told after every frame; return false to stop early.
using Progress = std::function<bool(const Frame& frame, std::int64_t steps)>;

// The same a frame at a time.
//
// save(run, snapshot) takes all that it goes on from, between any two frames; restore(snapshot,
// run) into a run of the same scene, made anew or not, goes on with the same bits: states, frames
// and contact events.
//
// Work may be interrupted (math/interrupt.h): what throws Interrupted has taken back the step that
// was under way as if it had not begun, and can be called again: states, frames and snapshots have
// the same bits. Contact events that were told already are not told again.
class Run {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr SnapshotKind snapshot_kind = SnapshotKind::run;
  // It keeps what it is given, or a share of it. All throw InputError when a formula has no finite
  // value at the start.
  Run(Built built, const Settings& settings);
  Run(Model model, const State& start, const Settings& settings,
      std::shared_ptr<const FormulaSet> formulas = nullptr);
  Run(std::shared_ptr<const Model> model, const State& start, const Settings& settings,
      std::shared_ptr<const FormulaSet> formulas = nullptr);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  // The next frame, the first at the start, and the contact events since the last one, appended.
  // False: the run is over, and nothing was written.
  bool next_frame(Frame& frame, std::vector<ContactEvent>& events);
  // The same, but no step begins after a time, except the first: `not_yet` means that it has to be
  // called again, with the events of this call.
  enum class Made { frame, not_yet, over };
  Made next_frame(Frame& frame, std::vector<ContactEvent>& events, Clock::time_point until);

  const State& state() const;  // at the end of the last step
  const Settings& settings() const;
  // So far: steps, projections, impacts, errors, drift of energy, failure. Energies and times are
  // the recorder's.
  const Summary& summary() const;

  // Between two frames: formulas in other words (of the same model; variables keep their values),
  // the value of a variable (false: there is none of this name), a push by hand.
  void set_formulas(std::shared_ptr<const FormulaSet> formulas);
  bool set_variable(const std::string& name, double value);
  void add_push(const Push& push);
  // One push that lasts until another is held, or none.
  void hold(const std::optional<Push>& push);

  // From the next step on, until it is told otherwise. It is part of snapshots. Throws InputError
  // when it is none for this model (command_trouble), and obeys the one before.
  void set_command(const Command<double>& command);
  // What it is told now.
  const Command<double>& command() const;
  // Called before every step with the state and the command that it obeys, which it may change.
  // It is no part of snapshots: a run that was restored calls its own. Empty: none. A step that is
  // interrupted asks it again when it is begun anew; a command that is none for this model ends in
  // an InputError of next_frame.
  using Controller = std::function<void(const State& state, Command<double>& command)>;
  void set_controller(Controller controller);

  // See math/snapshot.h. The duration of the run, its threads and budgets are not part of it.
  std::uint64_t fingerprint() const;
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  class Stepper;
  std::unique_ptr<Stepper> stepper_;
};

// A model for a run that does not outlive it.
inline std::shared_ptr<const Model> lent(const Model& model) {
  return {std::shared_ptr<const Model>(), &model};
}

// Runs for settings.duration and keeps a frame every 1/fps seconds, the first at the start.
// A numeric failure, an interrupt or a recording that is too large for its budget ends the run at
// the last good state and is told in summary.failure.
Recording simulate(const Built& built, const Settings& settings, const Progress& progress = {});
// The same of a run that the caller holds, and may change when it is told of a frame. Its probes
// are named by `formulas` (null: it has none).
Recording record(Run& run, const FormulaSet* formulas, const Progress& progress = {});

}  // namespace molejo
