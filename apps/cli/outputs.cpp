#include "apps/cli/outputs.h"

#include <unistd.h>

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
  std::error_code error;
  if (fs::is_directory(path, error)) throw InputError(path + ": is a folder, expected a file");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error)) {
    throw InputError(path + ": no such folder '" + folder.string() + "'");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw InputError(path + ": the folder '" + folder.string() + "' is not writable");
  }
  if (fs::equivalent(path, input, error)) {
    throw InputError(path + ": is the input itself; choose another name");
  }
}

const std::vector<std::string>& recording_endings() {
  static const std::vector<std::string> endings{".glb", ".csv", ".json", ".svg", ".sur"};
  return endings;
}

void write_output(const std::string& path, const Scene& scene, const Model& model,
                  const Recording& recording, const ForceArrows& arrows) {
  if (ending(path) == ".sur") {
    write_bacin_frames(model, recording, fs::path(path).replace_extension().string());
  } else {
    write_recording(path, scene, model, recording, arrows);
  }
}

}  // namespace molejo::cli
