#include "molejo/io/net_file.h"

#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

std::string ending(const std::string& path) {
  std::string text = std::filesystem::path(path).extension().string();
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

[[noreturn]] void refuse_ending(const std::string& path) {
  throw InputError(path + ": unknown ending '" + ending(path) + "'; expected .pn, .json or .pnml");
}

}  // namespace

Net load_net(const std::string& path) {
  const std::string text = read_file(path);
  const std::string kind = ending(path);
  if (kind == ".pn") return parse_net_text(text, path);
  if (kind == ".json") return parse_net_json(text, path);
  if (kind == ".pnml" || kind == ".xml") return parse_pnml(text, path);
  refuse_ending(path);
}

void save_net(const std::string& path, const Net& net) {
  const std::string kind = ending(path);
  if (kind == ".pn") return write_file(path, net_text(net));
  if (kind == ".json") return write_file(path, net_json(net));
  if (kind == ".pnml" || kind == ".xml") return write_file(path, pnml_text(net));
  refuse_ending(path);
}

}  // namespace molejo
