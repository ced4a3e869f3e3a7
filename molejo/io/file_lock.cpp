#include "molejo/io/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "molejo/io/staged_file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::string_view owner_word = "molejo ";

std::string content(int file) {
  char text[64];
  const ssize_t n = ::pread(file, text, sizeof text, 0);
  return std::string(text, n > 0 ? static_cast<std::size_t>(n) : 0);
}

[[noreturn]] void cannot_lock(const std::string& path, const std::string& file, int error) {
  throw InputError(fmt::format("{}: its lock {} cannot be taken: {}", path, file,
                               std::generic_category().message(error)));
}

[[noreturn]] void refuse(const std::string& path, const std::string& owner) {
  std::string who = "another process";
  if (owner.starts_with(owner_word)) {
    who = "process " + owner.substr(owner_word.size(), owner.find('\n') - owner_word.size());
  }
  throw InputError(
      fmt::format("{}: {} is working for it; wait for its end or choose another name", path, who));
}

// Is the open file still the one of this name?
bool is_at(int file, const std::string& name) {
  struct stat open {
  }, named{};
  if (::fstat(file, &open) != 0) return true;  // what cannot be known is taken for right
  if (::lstat(name.c_str(), &named) != 0) return errno != ENOENT;
  return open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

FileLock::FileLock(const std::string& path) : file_(behind_links(path) + ".lock") {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return;
  while (true) {
    Descriptor lock(
        ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (!lock) cannot_lock(path, file_, errno);
    const std::string owner = content(*lock);
    if (!owner.empty() && !owner.starts_with(owner_word)) {
      throw InputError(
          fmt::format("{}: {} is no lock of Molejo; it must have another name", path, file_));
    }
    if (::flock(*lock, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) refuse(path, owner);
      // some file systems have no locks: then nobody is kept out
      if (owner.empty()) ::unlink(file_.c_str());
      return;
    }
    if (!is_at(*lock, file_)) continue;  // its last owner has just removed it
    lock_ = std::move(lock);
    break;
  }
  // for who is refused; without it he is told less
  const std::string owner = fmt::format("{}{}\n", owner_word, ::getpid());
  if (::ftruncate(*lock_, 0) == 0) {
    [[maybe_unused]] const ssize_t n = ::pwrite(*lock_, owner.data(), owner.size(), 0);
  }
}

FileLock::~FileLock() {
  if (lock_) ::unlink(file_.c_str());
}

}  // namespace molejo
