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
#include "molejo/model/scene.h"

namespace molejo {

namespace {

Scene parse_robot(const std::string& text, const SourceFile& file) {
  const std::string_view root = root_element(text);
  if (root == "mujoco") return parse_mjcf(text, file);
  if (root == "robot") return parse_urdf(text, file);
  if (root.empty()) {
    throw InputError(file.name() + ": no XML element found; expected <mujoco> or <robot>");
  }
  throw InputError(file.name() + ": " +
                   unknown_word("root element", root, std::vector<std::string>{"mujoco", "robot"}));
}

}  // namespace

Scene load_scene(const SourceFile& file) {
  const std::string ending = lower_case_ending(file.name());
  if (ending == ".json") return read_scene(file);
  if (ending == ".cfg") return read_bacin(file);
  if (ending == ".dat" || ending == ".ani") return read_animado(file);

  // a missing file is the likelier mistake than its ending
  const std::string text = file.read();
  if (ending == ".urdf") return unquoted(file, "URDF", [&] { return parse_urdf(text, file); });
  if (ending == ".xml")
    return unquoted(file, "MJCF or URDF", [&] { return parse_robot(text, file); });
  for (const char* part : {".bds", ".shp", ".ste", ".ctr", ".for"}) {
    if (ending == part) throw InputError(file.name() + ": a part of a scene; give its .cfg file");
  }
  if (ending == ".act") throw InputError(file.name() + ": a part of a script; give its .dat file");
  throw InputError(file.name() + ": unknown ending '" + ending.substr(0, 32) +
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
