// An empty folder for a test, gone at its end.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace molejo::test {

class EmptyFolder {
 public:
  EmptyFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "molejo_test_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no folder for a test");
    path_ = name;
  }
  ~EmptyFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  // Names of all that is there, hidden or not, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      all.push_back(entry.path().filename().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::string path_;
};

}  // namespace molejo::test
