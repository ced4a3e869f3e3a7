// The command `molejo walk`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/io/walk_report.h"
#include "molejo/io/walk_scene.h"

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

struct WalkRun {
  navigation::WalkRecord record;
  WalkJudgement judgement;
};
// With another solver for all, where one is given. Tells its progress on a terminal.
WalkRun run_walk(const WalkScene& scene, std::optional<navigation::Solver> solver = std::nullopt);

}  // namespace molejo::cli
