// The commands `molejo net run|analyse|draw|convert`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct NetOptions {
  std::string file, out, gantt, trace;
  std::vector<std::string> outputs, properties;
  std::string fps = "24", duration;  // empty: a minute, or as long as the trace
  std::string max_states = "10M", max_memory = "800M";
  std::uint64_t seed = 1;
  int threads = 0;
  bool ignore_priorities = false, json = false;
};

// The subcommand `net` with its own subcommands.
CLI::App* add_net(CLI::App& app, NetOptions& options);
int net_command(const std::string& command, const NetOptions& options);

}  // namespace molejo::cli
