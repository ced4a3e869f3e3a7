// The command `molejo direct`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct DirectOptions {
  std::string file, events, gantt, trace, violation;
  std::string frames;         // prefix of pictures, one a frame
  std::string fps, duration;  // empty: those of the show
  std::vector<std::string> outputs;
  std::optional<std::uint64_t> seed;
  bool anyway = false, json = false;
};

CLI::App* add_direct(CLI::App& app, DirectOptions& options);
int direct(const DirectOptions& options);

}  // namespace molejo::cli
