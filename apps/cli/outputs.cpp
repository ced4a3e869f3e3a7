#include "apps/cli/outputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "molejo/io/bacin.h"
#include "molejo/io/export.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace fs = std::filesystem;

std::string ending(const std::string& path) {
  std::string text = fs::path(path).extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void check_output(const std::string& path, const std::vector<std::string>& endings,
                  const std::string& input) {
  if (std::find(endings.begin(), endings.end(), ending(path)) == endings.end()) {
    throw InputError(path + ": " + unknown_word("ending", ending(path), endings));
  }
  check_writable(path);
  std::error_code error;
  if (fs::equivalent(path, input, error)) {
    throw InputError(path + ": is the input itself; choose another name");
  }
}

const std::vector<std::string>& recording_endings() {
  static const std::vector<std::string> endings{".glb", ".csv", ".json", ".svg", ".sur"};
  return endings;
}

void add_output(const std::string& path, const Scene& scene, const Model& model,
                const Recording& recording, const ForceArrows& arrows, FileSet& files) {
  if (ending(path) == ".sur") {
    add_bacin_frames(model, recording, fs::path(path).replace_extension().string(), files);
  } else {
    files.add(path, recording_bytes(path, scene, model, recording, arrows));
  }
}

}  // namespace molejo::cli
