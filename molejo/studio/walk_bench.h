// Characters that walk over any ground, steered and sculpted by the page.
#pragma once

#include <map>

#include "molejo/studio/bench.h"
#include "molejo/studio/walk_stage.h"

namespace molejo {

class WalkBench : public Playback, public Bench {
 public:
  // A *.walk.json, or a character on flat ground.
  explicit WalkBench(BenchOptions options);

  FileKind kind() const override { return FileKind::walk; }
  Playback& playback() override { return *this; }
  std::string describe() const override;
  std::vector<std::string> exports() const override { return {"glb", "bvh", "csv"}; }
  Export prepare_export(const std::string& what, double from, double to) const override;
  std::string command_line() const override;

 protected:
  const Timeline& timeline() const override { return line_; }
  std::vector<BinaryFrame> binary_frames(const Subscription& subscription) const override;
  std::vector<std::string> plot_columns(const std::vector<std::string>& words) const override;
  std::vector<PlotRow> plot_rows(const std::vector<std::string>& words, double from, double to,
                                 std::size_t most) const override;
  std::string frame_fields(const Subscription& subscription) const override;
  double look_around(double now) override;

 private:
  void add_words();
  std::string steer(const Message& message);
  std::string go_to(const Message& message);
  std::string add_character(const Message& message);
  std::string sculpt(const Message& message);
  std::string set_terrain(const Message& message);
  std::string set_options(const Message& message);
  // Descriptions hold the names of assets; made when first asked for and when the ground changes.
  const std::vector<std::string>& terrain_assets() const;
  JsonValue describe_terrains() const;
  JsonValue describe_character(int character) const;
  std::string figure_asset(int character);
  void tell_ground();
  void tell_ways();
  std::string walkers_frame() const;
  std::string feet_frame() const;
  std::string quality_event();
  void add_columns(int character);
  const std::vector<std::size_t>& find_plots(const std::vector<std::string>& words) const;
  std::vector<double> plot_values(const std::vector<std::string>& words) const;
  // Of some moments, which are seen with all that came since `from`.
  std::vector<PlotRow> measure(const std::vector<std::size_t>& columns, double from,
                               const std::vector<const WalkMoment*>& moments) const;

  BenchOptions options_;
  WalkTimeline line_;
  std::string elevation_, terrain_file_;  // of the ground that was chosen; empty: that of the file
  std::map<const motion::Character*, std::string> figures_;  // assets
  std::vector<std::string> figure_assets_;                   // by character
  mutable std::vector<std::string> terrain_assets_;
  std::vector<Column> columns_;                                                 // of all characters
  std::vector<std::size_t> first_columns_;                                      // of each
  mutable std::map<std::vector<std::string>, std::vector<std::size_t>> plots_;  // columns by words
  std::string ways_told_;
  bool tells_quality_ = false;
  double quality_told_ = -1e9;  // wall seconds
};

}  // namespace molejo
