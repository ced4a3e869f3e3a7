#include "apps/cli/token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_token = 1000;

std::string absolute_variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value == '/' ? value : "";
}

// Where notes are; empty: nowhere.
std::string note_folder() {
  if (const std::string run = absolute_variable("XDG_RUNTIME_DIR"); !run.empty()) {
    return run + "/molejo";
  }
  if (const std::string state = absolute_variable("XDG_STATE_HOME"); !state.empty()) {
    return state + "/molejo/servers";
  }
  const std::string home = absolute_variable("HOME");
  return home.empty() ? "" : home + "/.local/state/molejo/servers";
}

std::string note_path(int port) { return fmt::format("{}/{}", note_folder(), port); }

// Is it ours, and nobody else's to read or write?
bool is_private(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

// The first line of a private regular file; nothing where it is none.
std::optional<std::string> private_line(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  char text[longest_token + 1];
  const bool good = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_private(status);
  const ssize_t count = good ? ::read(file, text, sizeof text) : -1;
  ::close(file);
  if (count < 0) return {};
  const std::string line(text, static_cast<std::size_t>(count));
  return line.substr(0, line.find_first_of("\r\n"));
}

bool lock(const Descriptor& file) { return ::flock(*file, LOCK_EX | LOCK_NB) == 0; }

// Of servers that were killed: nobody holds them.
void remove_old_notes(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file && lock(file)) std::remove(entry.path().c_str());
  }
}

// Written beside its place by no other mode than 600, locked, and renamed.
Descriptor write_note(int port, const std::string& token) {
  const fs::path folder = note_folder();
  if (folder.empty()) return Descriptor();
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || !is_private(status)) {
    return Descriptor();
  }
  remove_old_notes(folder);
  const std::string path = note_path(port), fresh = fmt::format("{}.{}", path, ::getpid());
  Descriptor file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return Descriptor();
  const std::string line = token + "\n";
  const bool whole =
      lock(file) && ::write(*file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!whole || std::rename(fresh.c_str(), path.c_str()) != 0) std::remove(fresh.c_str());
  return file;
}

}  // namespace

std::string given_token(const std::string& file) {
  if (file.empty()) {
    const char* value = std::getenv("MOLEJO_TOKEN");
    return value ? value : "";
  }
  const std::optional<std::string> token = private_line(file);
  if (!token) {
    throw InputError(file +
                     ": no token: expected a file of yours that nobody else can read "
                     "(chmod 600)");
  }
  if (token->empty()) throw InputError(file + ": no token: the file is empty");
  return *token;
}

TokenNote::TokenNote(int port, std::string token)
    : port_(port), token_(std::move(token)), file_(write_note(port_, token_)) {}

TokenNote::~TokenNote() {
  // another server may have the port by now
  if (noted_token(port_) == token_) std::remove(note_path(port_).c_str());
}

std::string noted_token(int port) {
  return note_folder().empty() ? "" : private_line(note_path(port)).value_or("");
}

}  // namespace molejo::cli
