// The command `molejo walk`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct WalkOptions {
  std::string file;  // a character, or a scene .walk.json
  std::string clip, walk, idle, terrain, path, solver;
  std::optional<std::string> heading, duration, fps, scale;
  std::vector<std::string> outputs;
  bool compare = false, curves = false, loop = false, json = false;
};

CLI::App* add_walk(CLI::App& app, WalkOptions& options);
int walk(const WalkOptions& options);

}  // namespace molejo::cli
