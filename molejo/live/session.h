// The messages of a live run of a scene (docs/live.md): JSON in, JSON out.
//
//   {"do": "play", "id": 7}   ->   {"id": 7, "ok": true, ...}   or   {"id": 7, "error": "..."}
#pragma once

#include <memory>
#include <optional>

#include "molejo/io/file_scope.h"
#include "molejo/live/live_run.h"
#include "molejo/live/playback.h"

namespace molejo {

struct SessionOptions : PlaybackOptions {
  FileScope files;  // scenes that clients may load by name
  HistoryLimits history;
  RunBudget budget;
};

class Session : public Playback {
 public:
  Session(Scene scene, SessionOptions options, Outputs outputs);

  const LiveRun& run() const { return *run_; }
  std::string describe() const override;

 protected:
  const Timeline& timeline() const override { return *run_; }
  std::string more_status() const override;
  std::string frame_fields(const Subscription& subscription) const override;
  std::vector<std::string> plot_columns(const std::vector<std::string>& words) const override;
  std::vector<PlotRow> plot_rows(const std::vector<std::string>& words, double from, double to,
                                 std::size_t most) const override;
  // The values of the frame that is shown, in the order of plot_columns.
  std::vector<double> plot_values(const std::vector<std::string>& words) const;
  LiveRun& live() { return *run_; }

 private:
  void replace(const Message& message);
  void push(const Message& message);
  void command(const Message& message);
  void release(const Message& message);
  void load(const Message& message);
  std::vector<RecordedProbe> probes() const;
  const std::vector<std::size_t>& find_plots(const std::vector<std::string>& words) const;

  SessionOptions options_;
  std::unique_ptr<LiveRun> run_;
  // columns by the words that ask for them, until the scene or its probes change
  mutable std::map<std::vector<std::string>, std::vector<std::size_t>> plots_;
};

}  // namespace molejo
