// A timeline of frames of one model, and what the page may do with it: what gaits, sketches and
// shows have in common.
#pragma once

#include "molejo/model/recording.h"
#include "molejo/studio/bench.h"

namespace molejo {

struct Scene;

struct FrameMoment {
  Frame frame;
  double time() const { return frame.state.t; }
  std::size_t bytes() const;
};

class FrameTimeline : public Timeline {
 public:
  FrameTimeline(double fps, HistoryLimits limits) : fps_(fps), history_(limits) {}

  const Frame& frame() const { return history_.shown().frame; }
  const History<FrameMoment>& history() const { return history_; }
  double time() const override { return frame().state.t; }
  std::int64_t number() const override { return history_.number(); }
  double begin() const override { return history_.begin(); }
  double end() const override { return history_.end(); }
  double interval() const override { return 1 / fps_; }
  std::string failure() const override { return failure_; }
  Advance show_next(Clock::time_point until) override;
  void seek(double t) override { history_.seek(t); }

 protected:
  // The frame after the last one. False: there is none, and failure_ may say why.
  virtual bool make(Frame& frame) = 0;
  // Nothing was shown yet: the first frame is made and shown. Called by the constructors of those
  // who derive from it, and by reset.
  void begin_anew();

  double fps_;
  std::string failure_;
  bool lost_ = false;  // a frame was interrupted: nothing goes on before a reset
  History<FrameMoment> history_;
};

class FrameBench : public Playback, public Bench {
 public:
  FrameBench(BenchOptions options) : Playback({}, options.outputs), options_(std::move(options)) {}

  Playback& playback() override { return *this; }
  std::vector<std::string> exports() const override { return {"glb", "csv", "svg"}; }
  Export prepare_export(const std::string& what, double from, double to) const override;

 protected:
  virtual const Model& model() const = 0;
  virtual const Scene& scene() const = 0;
  virtual const FrameTimeline& line() const = 0;

  const Timeline& timeline() const override { return line(); }
  std::vector<std::string> plot_columns(const std::vector<std::string>& words) const override;
  std::vector<PlotRow> plot_rows(const std::vector<std::string>& words, double from, double to,
                                 std::size_t most) const override;
  std::vector<BinaryFrame> binary_frames(const Subscription& subscription) const override;
  std::string frame_fields(const Subscription& subscription) const override;
  // Kind, file, name, description, model, camera, fps, and the status at its end.
  std::string describe_with(const std::string& more) const;
  const BenchOptions& options() const { return options_; }

 private:
  std::vector<double> plot_values(const std::vector<std::string>& words) const;
  BenchOptions options_;
};

}  // namespace molejo
