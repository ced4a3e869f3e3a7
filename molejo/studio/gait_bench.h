// A gait that runs on and on: pushes act from its next (half) cycle on, and who falls begins again
// where it lies.
#pragma once

#include <deque>

#include "molejo/io/motion.h"
#include "molejo/locomotion/replay.h"
#include "molejo/studio/frame_bench.h"

namespace molejo {

class GaitTimeline : public FrameTimeline {
 public:
  // Throws InputError for unknowns that are not those of the motion.
  GaitTimeline(const GaitFile& file, const std::string& name, HistoryLimits limits);

  const Character& character() const { return character_; }
  const GaitProblem& problem() const { return problem_; }
  ReplayReport report() const { return player_->report(); }
  int falls() const { return falls_; }
  void push(const std::string& body, const Vec3& point, const Vec3& force, double seconds);
  // With the feedback of the file, if it has one; from the next cycle on.
  void close_loop(bool closed) { closed_ = closed; }
  bool is_closed() const { return closed_ && has_feedback_; }

  void branch() override;  // at the end of the (half) cycle that is shown
  void reset() override;

 private:
  bool make(Frame& frame) override;

  Character character_;
  GaitProblem problem_;
  bool has_feedback_ = false, closed_ = true;
  int falls_ = 0;
  std::unique_ptr<GaitPlayer> player_;
  GaitPlayer::Mark begin_;
  std::deque<Frame> ready_;
  struct Cycle {
    double end;  // s
    GaitPlayer::Mark after;
  };
  std::deque<Cycle> cycles_;  // of the history
};

class GaitBench : public FrameBench {
 public:
  explicit GaitBench(BenchOptions options);

  FileKind kind() const override { return FileKind::gait; }
  std::string describe() const override;
  std::string command_line() const override;

 protected:
  const Model& model() const override { return line_.character().model; }
  const Scene& scene() const override { return scene_; }
  const FrameTimeline& line() const override { return line_; }
  std::string more_status() const override;

 private:
  GaitFile file_;
  GaitTimeline line_;
  Scene scene_;
};

// The figure of a gait from its right side.
Scene scene_beside(const Character& character, const std::string& name,
                   const std::string& description);

}  // namespace molejo
