// molejo studio: the page where everything is alive.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct StudioOptions {
  std::string file;  // to begin with; a run unless given
  std::string scenes;
  std::string trainings;
  std::string address = "127.0.0.1";
  std::optional<int> port;  // else 8420, or any free one where that is taken
  std::string token_file;
  std::vector<std::string> origins;
};

CLI::App* add_studio(CLI::App& app, StudioOptions& options);
int studio(const StudioOptions& options);

}  // namespace molejo::cli
