#include "molejo/io/file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "molejo/io/staged_file.h"
#include "molejo/math/characters.h"
#include "molejo/model/error.h"

namespace molejo {

namespace fs = std::filesystem;

std::string read_file(const std::string& path, std::size_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(path + ": no such file");
  if (fs::is_directory(status)) throw InputError(path + ": is a folder, expected a file");

  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path + ": cannot be opened: " + std::strerror(errno));
  std::string content;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    content.append(block, static_cast<std::size_t>(in.gcount()));
    if (content.size() > max_bytes) {
      throw InputError(path + ": larger than " + std::to_string(max_bytes) + " bytes");
    }
  }
  if (in.bad()) throw InputError(path + ": cannot be read: " + std::strerror(errno));
  return content;
}

void write_file(const std::string& path, std::string_view content) {
  FileSet one;
  one.add(path, content);
  one.commit();
}

std::string lower_case_ending(const std::string& path) {
  return lower_case(fs::path(path).extension().string());
}

}  // namespace molejo
