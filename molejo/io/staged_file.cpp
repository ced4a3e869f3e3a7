#include "molejo/io/staged_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view staged_prefix = ".molejo-";
constexpr std::size_t random_digits = 16;
constexpr std::size_t most_staged = 200;  // of a set: each holds a descriptor

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw InputError(path + ": cannot be written: " + std::generic_category().message(error));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string unused_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    throw std::runtime_error("the system gives no random numbers");
  }
  return fmt::format("{}{:0{}x}", staged_prefix, number, random_digits);
}

bool is_unused_name(std::string_view name) {
  return name.starts_with(staged_prefix) && name.size() == staged_prefix.size() + random_digits &&
         name.find_first_not_of("0123456789abcdef", staged_prefix.size()) == std::string_view::npos;
}

// Whoever writes a file holds its lock from before it has a name until it has its final one.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

// Removes what killed processes have left here. Looked at once a process.
void remove_leftovers(const std::string& name, int folder) {
  {
    static std::mutex mutex;
    static std::set<std::string> known;
    const std::lock_guard guard(mutex);
    if (!known.insert(name).second) return;
  }
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : ::fdopendir(copy),
                                                    &::closedir);
  if (!entries) {
    if (copy >= 0) ::close(copy);
    return;
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    if (!is_unused_name(entry->d_name)) continue;
    struct stat status {};
    const Descriptor file(
        ::openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file && ::fstat(*file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == ::geteuid() && lock(*file)) {
      ::unlinkat(folder, entry->d_name, 0);
    }
  }
}

// Returns an error of the system, or 0.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n > 0) {
      content.remove_prefix(static_cast<std::size_t>(n));
    } else if (n == 0) {
      return EIO;
    } else if (errno == EAGAIN) {
      pollfd ready{file, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Without the signal that a pipe without a reader sends.
int write_quietly(int file, std::string_view content) {
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const int error = write_all(file, content);
  const timespec now{};
  if (error == EPIPE) ::sigtimedwait(&pipe, nullptr, &now);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

// Some file systems cannot; there is nothing to be done about that.
int sync_all(int file) {
  if (::fsync(file) == 0 || errno == EINVAL || errno == EBADF || errno == ENOTSUP) return 0;
  return errno;
}

std::string open_file_name(int file) { return fmt::format("/proc/self/fd/{}", file); }

}  // namespace

std::string behind_links(const std::string& path) {
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < max_links && fs::is_symlink(at, error); ++i) {
    struct statfs system {};
    // links there lead to what is open, whatever name it has
    if (::statfs(folder_of(at).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC) break;
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = folder_of(at) / next;
  }
  return at.string();
}

WriteTarget check_writable(const std::string& path) {
  WriteTarget target;
  target.path = behind_links(path);
  struct stat status {};
  target.exists = ::stat(path.c_str(), &status) == 0;
  if (!target.exists && errno != ENOENT && errno != ENOTDIR) cannot_write(path, errno);
  if (target.exists) {
    if (S_ISDIR(status.st_mode)) throw InputError(path + ": is a folder, expected a file");
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) cannot_write(path, errno);
    std::error_code error;
    target.in_place = !S_ISREG(status.st_mode) || fs::is_symlink(target.path, error);
    target.mode = status.st_mode & 07777U;
    target.owner = status.st_uid, target.group = status.st_gid;
  }
  if (target.in_place) return target;
  const std::string folder = folder_of(target.path).string();
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw InputError(path + ": no such folder '" + folder + "'");
  }
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    throw InputError(path + ": the folder '" + folder + "' is not writable");
  }
  return target;
}

StagedFile::StagedFile(const std::string& path) : path_(path), target_(check_writable(path)) {
  if (target_.in_place) {
    file_ = Descriptor(::memfd_create("molejo", MFD_CLOEXEC));
    if (!file_) cannot_write(path_, errno);
    return;
  }
  const std::string folder = folder_of(target_.path).string();
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // one that may not be read can still be written
  if (!folder_) folder_ = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) cannot_write(path_, errno);
  remove_leftovers(folder, *folder_);
  open_nameless();
  if (!file_) open_named();
}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) ::unlinkat(*folder_, temporary_.c_str(), 0);
}

void StagedFile::open_nameless() {
  if (::access("/proc/self/fd", X_OK) != 0) return;  // it could not be given a name
  file_ = Descriptor(::openat(*folder_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
                              target_.exists ? S_IRUSR | S_IWUSR : 0666));
  if (file_) {
    lock(*file_);
  } else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
    cannot_write(path_, errno);
  }
}

void StagedFile::open_named() {
  while (true) {
    std::string name = unused_name();
    file_ = Descriptor(::openat(*folder_, name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
                                target_.exists ? S_IRUSR | S_IWUSR : 0666));
    if (!file_ && errno == EEXIST) continue;
    if (!file_) cannot_write(path_, errno);
    lock(*file_);
    temporary_ = std::move(name);
    struct stat status {};
    if (::fstat(*file_, &status) != 0) cannot_write(path_, errno);
    // another process may have taken it for a leftover before it was locked
    if (status.st_nlink > 0) return;
    temporary_.clear();
  }
}

void StagedFile::write(std::string_view content) {
  if (const int error = write_all(*file_, content)) cannot_write(path_, error);
}

std::string StagedFile::door() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), *file_); }

void StagedFile::keep_owner_and_mode() {
  // who may not give it to its owner keeps it: no bits that lend rights, none for another group
  const bool kept = ::fchown(*file_, target_.owner, target_.group) == 0;
  const bool group = kept || ::fchown(*file_, static_cast<uid_t>(-1), target_.group) == 0;
  const mode_t mode = target_.mode & (kept ? 07777U : group ? 0777U : 0707U);
  struct stat status {};
  if (::fchmod(*file_, mode) != 0 &&
      (::fstat(*file_, &status) != 0 || (status.st_mode & 07777U) != mode)) {
    cannot_write(path_, errno);
  }
}

void StagedFile::sync() {
  if (target_.in_place) return;
  if (target_.exists) keep_owner_and_mode();
  if (const int error = sync_all(*file_)) cannot_write(path_, error);
}

// A file without a name gets the target's, where that is free, else one to be renamed.
void StagedFile::give_name() {
  const std::string file = open_file_name(*file_);
  const std::string target = fs::path(target_.path).filename().string();
  std::string name = target_.exists ? unused_name() : target;
  while (::linkat(AT_FDCWD, file.c_str(), *folder_, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno != EEXIST) cannot_write(path_, errno);
    name = unused_name();
  }
  if (name != target) temporary_ = std::move(name);
}

void StagedFile::place() {
  if (target_.in_place) return write_in_place();
  if (temporary_.empty()) give_name();
  if (!temporary_.empty()) {
    const std::string target = fs::path(target_.path).filename().string();
    if (::renameat(*folder_, temporary_.c_str(), *folder_, target.c_str()) != 0) {
      cannot_write(path_, errno);
    }
    temporary_.clear();
  }
}

void StagedFile::settle() {
  const int error = target_.in_place ? 0 : sync_all(*folder_);
  if (error == 0) return;
  throw InputError(path_ + ": is written, but might not outlive the power: " +
                   std::generic_category().message(error));
}

void StagedFile::write_in_place() {
  const Descriptor out = open_waiting(target_.path, O_WRONLY | O_APPEND | O_NOCTTY);
  if (!out) cannot_write(path_, errno);
  char block[1 << 16];
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(*file_, block, sizeof block, at);
    if (n < 0) cannot_write(path_, errno);
    if (n == 0) return;
    at += n;
    if (const int error = write_quietly(*out, {block, static_cast<std::size_t>(n)})) {
      cannot_write(path_, error);
    }
  }
}

void FileSet::add(const std::string& path, std::string_view content) {
  if (files_.size() >= most_staged) commit();
  StagedFile file(path);
  file.write(content);
  file.sync();
  files_.push_back(std::move(file));
}

void FileSet::commit() {
  // a pipe may be closed at any time: before it is known, no file is touched
  for (const bool in_place : {true, false}) {
    for (StagedFile& file : files_) {
      if (file.is_in_place() == in_place) file.place();
    }
  }
  for (StagedFile& file : files_) file.settle();
  files_.clear();
}

}  // namespace molejo
