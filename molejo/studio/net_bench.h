// A net in the studio, alone or directing a show: played live, fired by hand, analysed, edited.
#pragma once

#include <deque>

#include "molejo/studio/bench.h"
#include "molejo/studio/net_analyst.h"
#include "molejo/studio/net_edit.h"
#include "molejo/studio/net_line.h"
#include "molejo/studio/net_part.h"

namespace molejo {

class NetBench : public Playback, public Bench {
 public:
  // Of a show or a net. Throws InputError.
  NetBench(FileKind kind, BenchOptions options);

  FileKind kind() const override { return show_ ? FileKind::show : FileKind::net; }
  Playback& playback() override { return *this; }
  std::string describe() const override;
  std::vector<std::string> exports() const override;
  Export prepare_export(const std::string& what, double from, double to) const override;
  std::string command_line() const override;

 protected:
  const Timeline& timeline() const override { return *line_; }
  std::string more_status() const override;
  std::vector<std::string> plot_columns(const std::vector<std::string>& words) const override;
  std::vector<PlotRow> plot_rows(const std::vector<std::string>& words, double from, double to,
                                 std::size_t most) const override;
  std::string frame_fields(const Subscription& subscription) const override;
  std::vector<BinaryFrame> binary_frames(const Subscription& subscription) const override;
  double look_around(double now) override;

 private:
  // What an edit may change, for undo.
  struct Version {
    Net net;
    NetPart part;
    NetDrawing drawing;
    std::vector<Binding> bindings;
    std::vector<Cause> causes;
    std::size_t bytes() const;  // about
  };

  Net& net() { return show_ ? show_->net : net_; }
  const Net& net() const { return show_ ? show_->net : net_; }
  std::string fire(const Message& message);
  std::string next_firing();
  std::string set_mode(const Message& message);
  std::string play_trace(const Message& message);
  std::string analyse(const Message& message);
  std::string edit(const Message& message);
  std::string look(const Message& message);
  std::string step_back(bool redo);
  void change_to(Version version, bool replay);
  Version version() const;
  void play_anew(NetMode mode, std::vector<TraceStep> trace);
  void start_analysis(std::uint64_t max_markings);
  RunSettings foreseen_settings() const;
  void tell_net() const;
  JsonValue net_json_now() const;
  JsonValue analysis_json_now() const;
  bool notice_violations();
  std::string chart() const;
  std::vector<double> plot_values(const std::vector<std::string>& words) const;
  Recording recording(double from, double to) const;

  BenchOptions bench_;
  std::unique_ptr<Show> show_;
  Net net_;  // without a show
  NetPart part_;
  NetDrawing drawing_;
  std::deque<Version> undo_, redo_;
  bool edited_ = false;
  NetMode mode_ = NetMode::automatic;
  int trace_ = -1;  // that is played
  int revision_ = 0;
  std::unique_ptr<NetLine> line_;
  NetFindings findings_;
  NetFindings violations_;  // seen while it ran: sentences, each with a trace
  bool analysed_ = false;
  std::int64_t told_frame_ = -1;  // what clients know of the net
  int told_jumps_ = -1;
  double told_time_ = 0, told_wall_ = -1e9;
  bool tell_anew_ = true;
  std::unique_ptr<NetAnalyst> analyst_;  // its thread ends first
};

}  // namespace molejo
