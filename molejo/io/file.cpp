#include "molejo/io/file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "molejo/io/descriptor.h"
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

  const Descriptor file = open_waiting(path, O_RDONLY);
  if (!file) throw InputError(path + ": cannot be opened: " + std::strerror(errno));
  return read_to_end(file, path, max_bytes);
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
