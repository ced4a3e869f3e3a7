// A gait that runs on while people push and pull it.
//
// With feedback nothing touches the state: it runs on by itself, survives small pushes and falls
// over large ones. Without, every (half) cycle is drawn to the start of the next one, as in the
// thesis (s.5.7.4), until somebody pushes it or it is told to run as an open loop. Who has fallen
// lies without a will for a moment, and begins again where it lies.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "molejo/io/motion.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/model/kinematics.h"
#include "molejo/studio/frame_bench.h"

namespace molejo {

enum class GaitControl { feedback, open_loop, reset };
std::string_view to_string(GaitControl control);

class GaitRun : public FrameTimeline {
 public:
  // Throws InputError for numbers that do not fit the motion. `file` names it in errors.
  GaitRun(GaitFile gait, const std::string& file, HistoryLimits limits);
  GaitRun(const GaitRun&) = delete;

  const GaitFile& gait() const { return file_; }
  const Character& character() const { return character_; }
  const GaitProblem& problem() const { return problem_; }
  const Model& model() const { return character_.model; }
  bool has_feedback() const { return file_.feedback.has_value(); }
  double period() const { return nominal_.period(); }
  int falls() const { return falls_; }
  bool is_down() const { return down_since_ >= 0; }

  // From the next (half) cycle on. Throws InputError for feedback that there is none of.
  void set_control(GaitControl control);
  GaitControl control() const { return control_; }

  // As of a LiveRun: they act from the last frame on. Throw InputError.
  void push(const std::string& body, const Vec3& point, const Vec3& force, double seconds);
  void drag(const std::string& body, const Vec3& point, const Vec3& to,
            std::optional<double> stiffness);
  void drop() { hold_.reset(); }

  void branch() override;
  void reset() override;

 private:
  struct Hold {
    BodyId body;
    Vec3 point, to;
    double stiffness = 0, damping = 0;
  };
  // What a (half) cycle began with, and what was done to it, so that it can be made again.
  struct Cycle {
    int number = 0;
    double time = 0, forward = 0;
    bool image = false, limp = false;
    bool drawn = false;  // to the start of the next
    bool touched = false;
    double down_since = -1;
    int falls = 0;
    Gait gait{};
    std::deque<std::pair<int, std::vector<GaitPush>>> pushes{};  // by step of time
  };
  bool make(Frame& frame) override;
  void go_back_to(double t);
  void begin_cycle(Cycle cycle, const State& start);
  void begin_again(double time, double forward);
  void end_cycle();
  void take_step();
  void simulate_step(std::span<const GaitPush> pushes);
  std::vector<GaitPush> pushes_now();
  GaitPush pull() const;
  double now() const { return cycles_.back().time + rollout_.time(); }
  State simulated() const;
  bool is_somewhere(const State& state) const;
  Frame shown() const;
  void find_correction();

  GaitFile file_;
  Character character_;
  GaitProblem problem_;
  Gait nominal_;
  BetweenCycles between_;
  Rollout rollout_;
  GaitControl control_ = GaitControl::reset;
  VecX draw_q_, draw_v_;  // from the end of a cycle that nobody touched to the start of the next
  std::deque<Cycle> cycles_;
  int step_ = 0;                  // of time, in this cycle
  std::int64_t made_ = 0;         // frames
  std::vector<GaitPush> pushes_;  // by the clock of the run
  std::optional<Hold> hold_;
  bool touched_ = false;  // since it last began
  int falls_ = 0;
  double down_since_ = -1;
  std::vector<std::pair<GroundPoint, Vec3>> touching_;  // in the last step: points and forces
  mutable Kinematics<double> kinematics_;
};

}  // namespace molejo
