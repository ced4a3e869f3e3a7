#include "molejo/io/net_file.h"

#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/math/quoted_list.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

[[noreturn]] void refuse_ending(const std::string& path) {
  throw InputError(path + ": unknown ending '" + lower_case_ending(path) +
                   "'; expected .pn, .json or .pnml");
}

}  // namespace

Net load_net(const SourceFile& file) {
  const std::string& name = file.name();
  const std::string text = file.read();
  const std::string kind = lower_case_ending(name);
  if (kind == ".json") return parse_net_json(text, file);
  if (kind == ".pn") {
    return unquoted(file, "the text of a net", [&] { return parse_net_text(text, name); });
  }
  if (kind == ".pnml" || kind == ".xml") {
    return unquoted(file, "PNML", [&] { return parse_pnml(text, name); });
  }
  refuse_ending(name);
}

std::vector<std::string> lost_in_file(const std::string& path, const Net& net) {
  std::vector<std::string> lost;
  const std::string kind = lower_case_ending(path);
  std::vector<std::string> refined, acting;
  for (const RefinedPlace& r : net.refined) refined.push_back(r.name);
  for (const Place& p : net.places) {
    if (!p.action.empty()) acting.push_back(p.name);
  }
  if (!refined.empty() && (kind == ".pn" || (kind == ".json" && !nested_net_json(net)))) {
    lost.push_back(path + ": written flat, without the refinement of " + quoted_list(refined));
  }
  if (kind != ".pn") return lost;
  if (!acting.empty())
    lost.push_back(path + ": written without the actions of " + quoted_list(acting));
  if (!net.properties.empty()) {
    lost.push_back(path + ": written without the properties " + quoted_list(net.properties));
  }
  if (!net.name.empty()) lost.push_back(path + ": written without the name '" + net.name + "'");
  return lost;
}

void save_net(const std::string& path, const Net& net) {
  const std::string kind = lower_case_ending(path);
  if (kind == ".pn") return write_file(path, net_text(net));
  if (kind == ".json") return write_file(path, net_json(net));
  if (kind == ".pnml" || kind == ".xml") return write_file(path, pnml_text(net));
  refuse_ending(path);
}

}  // namespace molejo
