// molejo render: pictures and films, drawn by the page of the studio in a browser without a window.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct RenderOptions {
  std::string file, output;
  std::string scenes;
  std::string size = "1280x720";
  std::string camera, show;
  double fps = 30, from = 0, seconds = 10;
  bool dark = false, json = false;
};

CLI::App* add_render(CLI::App& app, RenderOptions& options);
int render(const RenderOptions& options);

}  // namespace molejo::cli
