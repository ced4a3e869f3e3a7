#include "apps/cli/given.h"

#include <CLI/CLI.hpp>
#include <filesystem>

namespace molejo::cli {

namespace fs = std::filesystem;

namespace {

std::vector<std::string>& roots() {
  static std::vector<std::string> folders;
  return folders;
}

}  // namespace

void add_roots(CLI::App& command) {
  command
      .add_option("--root", roots(),
                  "Folder that files may refer to, besides the folders around them; may be "
                  "repeated")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

const std::vector<std::string>& given_roots() { return roots(); }

std::string own_scenes() {
  std::error_code error;
  const fs::path home = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  for (const fs::path& folder :
       {home / "share/molejo/scenes", fs::path("scenes"), home / "scenes"}) {
    if (fs::is_directory(folder, error)) return folder.string();
  }
  return "";
}

SourceFile given(const std::string& path) {
  std::vector<std::string> all = roots();
  if (const std::string scenes = own_scenes(); !scenes.empty()) all.push_back(scenes);
  return SourceFile::given(path, all);
}

}  // namespace molejo::cli
