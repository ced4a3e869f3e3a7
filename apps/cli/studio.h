// molejo studio: the page where everything is alive.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct StudioOptions {
  std::string file;  // to begin with; a run unless given
  std::string scenes;
  std::string address = "127.0.0.1";
  int port = 8420;
  std::string token;
  std::vector<std::string> origins;
};

CLI::App* add_studio(CLI::App& app, StudioOptions& options);
int studio(const StudioOptions& options);

}  // namespace molejo::cli
