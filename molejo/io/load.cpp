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
#include "molejo/model/error.h"

namespace molejo {

namespace {

std::string lower_case_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

// The name of the first element of an XML text, or nothing: prolog, comments and a document type
// are skipped.
std::string_view root_element(std::string_view text) {
  constexpr std::string_view space = " \t\r\n", byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == byte_order_mark) text.remove_prefix(3);
  while (true) {
    const std::size_t start = text.find_first_not_of(space);
    if (start == std::string_view::npos || text[start] != '<') return {};
    text.remove_prefix(start);
    const std::string_view closing = text.substr(0, 4) == "<!--" ? "-->"
                                     : text.substr(0, 2) == "<?" ? "?>"
                                     : text.substr(0, 2) == "<!" ? ">"
                                                                 : "";
    if (closing.empty()) break;
    const std::size_t end = text.find(closing, 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + closing.size());
  }
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
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
