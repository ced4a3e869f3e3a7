#include "molejo/io/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "molejo/model/error.h"

namespace molejo {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "molejo-";

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Ours, and of nobody any more: whoever uses one holds its lock.
bool is_left(int folder) {
  struct stat status {};
  return ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & 0777U) == 0700 && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
}

// "molejo-1234-Xy3aB7" of process 1234
bool is_ours(const std::string& name) {
  constexpr std::size_t random = 7;  // with its hyphen
  if (!name.starts_with(folder_prefix) || name.size() <= folder_prefix.size() + random)
    return false;
  const std::string_view process(name.data() + folder_prefix.size(),
                                 name.size() - folder_prefix.size() - random);
  return name[name.size() - random] == '-' &&
         process.find_first_not_of("0123456789") == std::string_view::npos;
}

void remove_leftovers(const fs::path& place) {
  std::error_code error;
  for (auto at =
           fs::directory_iterator(place, fs::directory_options::skip_permission_denied, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    if (!is_ours(at->path().filename().string())) continue;
    const Descriptor folder = open_folder(at->path().string());
    std::error_code in_the_way;
    if (folder && is_left(*folder)) fs::remove_all(at->path(), in_the_way);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error) throw InputError(fmt::format("no folder for temporary files: {}", error.message()));
  remove_leftovers(place);
  const auto fail = [&] {
    throw InputError(path_ + ": cannot be made: " + std::generic_category().message(errno));
  };
  const auto is_gone = [&] {
    struct stat status {};
    return ::fstat(*lock_, &status) == 0 && status.st_nlink == 0;
  };
  do {
    path_ = (place / fmt::format("{}{}-XXXXXX", folder_prefix, ::getpid())).string();
    if (!::mkdtemp(path_.data())) fail();
    lock_ = open_folder(path_);
    if (!lock_ && errno != ENOENT) {
      ::rmdir(path_.c_str());
      fail();
    }
    // where folders cannot be locked, nobody else can either, and leftovers stay
    if (lock_) ::flock(*lock_, LOCK_EX);
    // another process may have taken it for a leftover before it was locked
  } while (!lock_ || is_gone());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace molejo
