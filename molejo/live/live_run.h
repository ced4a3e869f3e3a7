// A run that people watch and change while it goes on, with its history.
//
// Frames that were simulated stay and can be shown again; going on from the last one simulates.
// Marks are kept between them, snapshots from which it goes on with the same bits: to branch at a
// frame takes the last mark before it and makes the frames between again. Whatever is done to the
// run is followed by a mark. One thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "molejo/live/timeline.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"
#include "molejo/physics/world.h"

namespace molejo {

class LiveRun : public Timeline {
 public:
  // Throws InputError for a scene that cannot be built.
  explicit LiveRun(Scene scene, HistoryLimits limits = {}, RunBudget budget = {});
  ~LiveRun() override;

  const Scene& scene() const { return scene_; }
  const Model& model() const { return built_->model; }
  const FormulaSet* formulas() const { return formulas_.get(); }

  // The frame that is shown, and its contact events.
  const Frame& frame() const { return history_.shown().frame; }
  const std::vector<ContactEvent>& events() const { return history_.shown().events; }
  // Copies of those that were recorded from one time to another.
  std::vector<Frame> frames(double from, double to) const;
  // At most so many of them, evenly.
  std::vector<const Frame*> some_frames(double from, double to, std::size_t most) const;
  double time() const override { return frame().state.t; }
  std::int64_t number() const override { return history_.number(); }
  double begin() const override { return history_.begin(); }
  double end() const override { return history_.end(); }
  double interval() const override { return 1 / scene_.settings.fps; }
  bool is_at_end() const { return history_.is_at_end(); }
  std::string failure() const override { return run_->summary().failure; }
  std::vector<std::string> warnings() const override { return run_->summary().warnings; }
  std::int64_t steps() const { return run_->summary().steps; }

  Advance show_next(Clock::time_point until) override;
  void seek(double t) override { history_.seek(t); }
  // With the formulas, variables, command and the hand as they are now; if these have not changed
  // since that frame, what follows has the bits that it had.
  void branch() override;
  // With the formulas, variables and command as they are now.
  void reset() override;

  // Changes act from the last simulated frame on. Throw InputError; what was, stays.
  void set_variable(const std::string& name, double value);
  double variable(const std::string& name) const;
  // Those that were set, with their values.
  const std::vector<std::pair<std::string, double>>& changed_variables() const { return values_; }
  // A formula by what it is of: "force NAME force", "force NAME torque 2", "joint NAME target",
  // "joint NAME force 1", "variable NAME", "probe NAME"; parts count from 0.
  void replace_formula(const std::string& what, const std::string& name, const std::string& part,
                       int component, const std::string& text);
  // A force (N, world axes) at a point of a body (in its frame), for some seconds.
  void push(const std::string& body, const Vec3& point, const Vec3& force, double seconds);
  // A spring from a point of a body to a place in the world, until another one or drop(). Without a
  // stiffness [N/m] one that moves the whole figure and that the time step bears; more than it
  // bears is not given.
  void drag(const std::string& body, const Vec3& point, const Vec3& to,
            std::optional<double> stiffness = {});
  void drop();
  // What joints and bodies are told from now on (physics/command.h), until it is changed.
  void set_command(Command<double> command);
  // As it is now.
  Command<double> command() const;

 private:
  struct Moment {
    Frame frame;
    std::vector<ContactEvent> events;
    std::size_t mark = 0;  // bytes of the one that was made here
    double time() const { return frame.state.t; }
    std::size_t bytes() const;
  };
  struct Beginning {
    std::unique_ptr<Run> run;
    Moment first;
  };
  // Where the run was right after it had made a frame, and in which world.
  struct Mark {
    std::int64_t number = 0;  // of the frame
    std::shared_ptr<const Built> built;
    std::shared_ptr<const FormulaSet> formulas;
    std::optional<Push> held;
    std::shared_ptr<const Command<double>> command;
    Snapshot snapshot;
  };
  std::unique_ptr<Run> make_run(const std::shared_ptr<const Built>& built, const State& state,
                                std::shared_ptr<const FormulaSet> formulas) const;
  Beginning begin_at(const std::shared_ptr<const Built>& built, const State& state) const;
  void go_on_from(Beginning beginning);
  void add_frame(Moment moment);
  bool mark_is_due(const Moment& next) const;
  std::unique_ptr<Run> run_at(const Mark& mark, std::int64_t number) const;

  Scene scene_;
  std::shared_ptr<const Built> built_;
  Settings settings_;
  std::shared_ptr<const FormulaSet> formulas_;
  std::vector<std::pair<std::string, double>> values_;  // of variables that were set
  std::optional<Push> held_;
  std::shared_ptr<const Command<double>> command_;  // null: nothing
  std::unique_ptr<Run> run_;
  Moment unfinished_;  // events of the frame that is being made
  History<Moment> history_;
  std::deque<Mark> marks_;  // by number; the first is not after the first frame
  bool touched_ = false;    // something was done to the run since the last mark
};

}  // namespace molejo
