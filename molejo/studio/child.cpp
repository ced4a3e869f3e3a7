#include "molejo/studio/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr int look_up = 20;  // ms between two looks whether it is time to stop

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

std::string need_program(const std::vector<std::string>& names, const std::string& package) {
  for (const std::string& name : names) {
    if (std::string path = find_program(name); !path.empty()) return path;
  }
  throw InputError(fmt::format("{} is not installed: apt-get install {}", names.front(), package));
}

Child::Child(const std::string& program, const std::vector<std::string>& arguments, bool fed) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  // a socket, not a pipe: writing to one whose reader has ended raises no signal
  int ends[2] = {-1, -1};
  if (fed && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("no pipe");
  }
  if (fed) errors_ = ::memfd_create("errors", MFD_CLOEXEC);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    // a group of its own, so that it can be ended with all that it started
    ::setpgid(0, 0);
    // nor does it outlive us
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(fed ? ends[0] : nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(errors_ >= 0 ? errors_ : nowhere, STDERR_FILENO);
    // nothing of ours stays open in it, not even what another thread is about to mark
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    // our bound of memory is not its own
    rlimit memory{};
    if (::getrlimit(RLIMIT_DATA, &memory) == 0) {
      memory.rlim_cur = memory.rlim_max;
      ::setrlimit(RLIMIT_DATA, &memory);
    }
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  if (fed) {
    ::close(ends[0]);
    input_ = ends[1];
  }
  if (pid_ < 0) {
    close_input();
    if (errors_ >= 0) ::close(errors_);
    throw std::runtime_error("no process can be started");
  }
  ::setpgid(pid_, pid_);
}

Child::~Child() {
  close_input();
  if (pid_ >= 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (errors_ >= 0) ::close(errors_);
}

void Child::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

bool Child::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    check_interrupt();
    const ssize_t n = ::send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd ready{input_, POLLOUT, 0};
    ::poll(&ready, 1, look_up);
  }
  return true;
}

bool Child::finish() {
  close_input();
  int status = 0;
  while (pid_ >= 0) {
    const int ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) break;
    check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(look_up / 4));
  }
  pid_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool Child::runs() {
  if (pid_ < 0) return false;
  if (::waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  // what it started may still be there
  ::kill(-pid_, SIGKILL);
  pid_ = -1;
  return false;
}

std::string Child::complaint() const {
  char text[2000];
  const off_t size = errors_ >= 0 ? ::lseek(errors_, 0, SEEK_END) : 0;
  const auto from = std::max<off_t>(size - static_cast<off_t>(sizeof(text)), 0);
  const ssize_t count = size > 0 ? ::pread(errors_, text, sizeof(text), from) : 0;
  std::string_view all(text, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  while (!all.empty() && (all.back() == '\n' || all.back() == '\r')) all.remove_suffix(1);
  return std::string(all.substr(all.find_last_of('\n') + 1));
}

}  // namespace molejo
