// A run that people watch and change while it goes on, with its history.
//
// Frames that were simulated stay and can be shown again; going on from the last one simulates.
// One thread at a time.
#pragma once

#include <deque>

#include "molejo/model/build.h"
#include "molejo/physics/world.h"

namespace molejo {

struct HistoryLimits {
  std::size_t frames = 100'000;
  std::size_t bytes = std::size_t{256} << 20;  // about
};

class LiveRun {
 public:
  // Throws InputError for a scene that cannot be built.
  explicit LiveRun(Scene scene, HistoryLimits limits = {});
  ~LiveRun();

  const Scene& scene() const { return scene_; }
  const Model& model() const { return built_->model; }
  const FormulaSet* formulas() const { return formulas_.get(); }

  // The frame that is shown, and its contact events.
  const Frame& frame() const { return history_[shown_].frame; }
  const std::vector<ContactEvent>& events() const { return history_[shown_].events; }
  std::int64_t number() const { return first_ + static_cast<std::int64_t>(shown_); }
  // Of the history that is there.
  double begin() const { return history_.front().frame.state.t; }
  double end() const { return history_.back().frame.state.t; }
  bool is_at_end() const { return shown_ + 1 == history_.size(); }
  const std::string& failure() const { return run_->summary().failure; }
  std::int64_t steps() const { return run_->summary().steps; }

  // Shows the next frame, simulated where there is none. False: the run has failed.
  bool advance();
  // Shows the frame nearest to a time.
  void seek(double t);
  // Forgets what came after the frame that is shown: the run goes on from there.
  void branch();
  // Back to the start, with the formulas and variables as they are now.
  void reset();

  // Changes act from the last simulated frame on. Throw InputError; what was, stays.
  void set_variable(const std::string& name, double value);
  double variable(const std::string& name) const;
  // A formula by what it is of: "force NAME force", "force NAME torque 2", "joint NAME target",
  // "joint NAME force 1", "variable NAME", "probe NAME"; parts count from 0.
  void replace_formula(const std::string& what, const std::string& name, const std::string& part,
                       int component, const std::string& text);
  // A force (N, world axes) at a point of a body (in its frame), for some seconds.
  void push(const std::string& body, const Vec3& point, const Vec3& force, double seconds);

 private:
  struct Moment {
    Frame frame;
    std::vector<ContactEvent> events;
  };
  std::unique_ptr<Run> make_run(const Built& built, const State& state) const;
  void start(const State& state);
  bool simulate_frame();
  void keep_within_limits();

  Scene scene_;
  HistoryLimits limits_;
  std::unique_ptr<Built> built_;
  Settings settings_;
  std::shared_ptr<const FormulaSet> formulas_;
  std::vector<std::pair<std::string, double>> values_;  // of variables that were set
  std::unique_ptr<Run> run_;
  std::deque<Moment> history_;
  std::size_t shown_ = 0, bytes_ = 0;
  std::int64_t first_ = 0;  // number of the first frame that is kept
};

}  // namespace molejo
