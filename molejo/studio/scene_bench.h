// A scene that is simulated live, for the page: the session of molejo serve with its model
// described, binary frames and exports.
#pragma once

#include "molejo/live/session.h"
#include "molejo/studio/bench.h"

namespace molejo {

class SceneBench : public Session, public Bench {
 public:
  explicit SceneBench(BenchOptions options);

  FileKind kind() const override { return FileKind::scene; }
  Playback& playback() override { return *this; }
  std::string describe() const override;
  std::vector<std::string> exports() const override { return {"glb", "csv", "svg"}; }
  Export prepare_export(const std::string& what, double from, double to) const override;
  std::string command_line() const override;

 protected:
  std::vector<BinaryFrame> binary_frames(const Subscription& subscription) const override;

 private:
  BenchOptions bench_;
};

// A recording as glb, csv or svg.
Export export_recording(const std::string& what, const std::string& stem, Scene scene, Model model,
                        Recording recording);

}  // namespace molejo
