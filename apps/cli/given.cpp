#include "apps/cli/given.h"

#include <CLI/CLI.hpp>

namespace molejo::cli {

namespace {

std::vector<std::string>& roots() {
  static std::vector<std::string> folders;
  return folders;
}

}  // namespace

void add_roots(CLI::App& command) {
  command
      .add_option("--root", roots(),
                  "Folder whose files may be named by the files that are read, besides those "
                  "around them; may be repeated")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

const std::vector<std::string>& given_roots() { return roots(); }

SourceFile given(const std::string& path) { return SourceFile::given(path, roots()); }

}  // namespace molejo::cli
