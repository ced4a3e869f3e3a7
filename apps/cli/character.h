// molejo character: what a file of an animated character holds, and its clips made into others.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace molejo::cli {

struct CharacterOptions {
  std::string file;
  std::string clip;                // only this one
  std::vector<std::string> roles;  // ROLE=JOINT
  std::string roles_file;          // JSON
  std::string onto;                // a character to put the clips on
  bool mirror = false, in_place = false;
  std::optional<std::string> resample, fps;
  std::vector<std::string> outputs;
  bool json = false;
};
CLI::App* add_character(CLI::App& app, CharacterOptions& options);
int character(const CharacterOptions& options);

}  // namespace molejo::cli
