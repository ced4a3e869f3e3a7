#include "molejo/studio/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/model/error.h"
#include "molejo/studio/gait_bench.h"
#include "molejo/studio/motion_bench.h"
#include "molejo/studio/net_bench.h"
#include "molejo/studio/scene_bench.h"
#include "molejo/studio/walk_bench.h"

namespace molejo {

std::unique_ptr<Bench> open_bench(FileKind kind, BenchOptions options) {
  switch (kind) {
    case FileKind::scene:
      return std::make_unique<SceneBench>(std::move(options));
    case FileKind::gait:
      return std::make_unique<GaitBench>(std::move(options));
    case FileKind::motion:
      return std::make_unique<MotionBench>(std::move(options));
    case FileKind::walk:
    case FileKind::character:
      return std::make_unique<WalkBench>(std::move(options));
    case FileKind::show:
    case FileKind::net:
      return std::make_unique<NetBench>(kind, std::move(options));
    default:
      throw InputError(
          fmt::format("{}: a {} cannot be opened here", options.name, to_string(kind)));
  }
}

void check_export(const Bench& bench, const std::string& what) {
  const std::vector<std::string> known = bench.exports();
  if (std::find(known.begin(), known.end(), what) != known.end()) return;
  std::string list;
  for (std::size_t i = 0; i < known.size(); ++i) {
    list += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
  }
  throw InputError(fmt::format("'what': '{:.40}': expected {}", what, list));
}

std::string stem_of(const std::string& name) {
  std::string stem = name.substr(name.find_last_of('/') + 1);
  stem.resize(std::min(stem.find('.'), stem.size()));
  return stem.empty() ? "molejo" : stem;
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./=+,:@") == std::string::npos;
  if (plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string number_or_null(double x) {
  return std::isfinite(x) && std::fabs(x) < 1e30 ? fmt::format("{:.5g}", x) : "null";
}

}  // namespace molejo
