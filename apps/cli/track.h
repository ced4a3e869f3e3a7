// The command `molejo track`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct TrackOptions {
  std::vector<std::string> clips;  // files with clips, and folders of them
  std::string character, clip;
  std::optional<std::string> candidates, rounds, seconds, speed, mass, seed, threads, fps, push;
  bool loop = false, once = false;
  std::vector<std::string> outputs;
  bool json = false;
};

CLI::App* add_track(CLI::App& app, TrackOptions& options);
// 0: all stand; 1: some fall.
int track(const TrackOptions& options);

}  // namespace molejo::cli
