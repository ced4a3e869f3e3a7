// Files and messages that try to have a file read that lies elsewhere, and a folder that notices.
#pragma once

#include <string>
#include <vector>

namespace molejo::test {

// A folder with a file of every kind that readers open. Each holds the secret, and could be read.
class Canary {
 public:
  explicit Canary(const std::string& folder);  // made anew
  ~Canary();
  Canary(const Canary&) = delete;

  const std::string& folder() const { return folder_; }
  // How often something in it, or the folder itself, was opened since the last time it was asked.
  int opened();
  static constexpr const char* secret = "CANARY8251";

 private:
  std::string folder_;
  int watch_;
};

struct Escape {
  std::string what;  // which way out
  std::string name;  // of the file
  std::string text;
  bool reaches = true;                    // whether it leads there where everything may be read
  std::string part = {}, part_text = {};  // a file beside it
};

// Scenes that name a file by all spellings of its path that we know. They are good as messages too.
std::vector<Escape> spelled_escapes(const Canary& canary);
// Files of all kinds that name others, each by a path that leads to the folder.
std::vector<Escape> file_escapes(const Canary& canary);

}  // namespace molejo::test
