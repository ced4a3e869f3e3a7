#include "molejo/io/load.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "molejo/io/animado.h"
#include "molejo/io/bacin.h"
#include "molejo/io/file.h"
#include "molejo/io/robot.h"
#include "molejo/io/scene.h"
#include "molejo/io/xml.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

std::string lower_case_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

Scene load_xml(const std::string& path) {
  const std::string text = read_file(path);
  const std::string_view root = root_element(text);
  if (root == "mujoco") return parse_mjcf(text, path);
  if (root == "robot") return parse_urdf(text, path);
  if (root.empty()) throw InputError(path + ": no XML element found; expected <mujoco> or <robot>");
  throw InputError(path + ": " +
                   unknown_word("root element", root, std::vector<std::string>{"mujoco", "robot"}));
}

}  // namespace

Scene load_scene(const std::string& path) {
  const std::string ending = lower_case_ending(path);
  if (ending == ".json") return read_scene(path);
  if (ending == ".cfg") return read_bacin(path);
  if (ending == ".dat" || ending == ".ani") return read_animado(path);
  if (ending == ".urdf") return parse_urdf(read_file(path), path);
  if (ending == ".xml") return load_xml(path);

  // a missing file is the likelier mistake than its ending
  read_file(path, max_input_bytes);
  for (const char* part : {".bds", ".shp", ".ste", ".ctr", ".for"}) {
    if (ending == part) throw InputError(path + ": a part of a scene; give its .cfg file");
  }
  if (ending == ".act") throw InputError(path + ": a part of a script; give its .dat file");
  throw InputError(path + ": unknown ending '" + ending.substr(0, 32) +
                   "'; expected .json, .cfg, .dat, .urdf or .xml");
}

Built build_loaded(const Scene& scene, const std::string& path) {
  try {
    return build(scene);
  } catch (const InputError& error) {
    // formulas know their place in the file
    if (std::string_view(error.what()).starts_with(path + ":")) throw;
    throw InputError(path + ": " + error.what());
  }
}

}  // namespace molejo
