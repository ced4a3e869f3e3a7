#include "apps/cli/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace molejo::cli {

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

Child::Child(const std::string& program, const std::vector<std::string>& arguments, bool fed) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (fed && ::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process can be started");
  if (pid_ == 0) {
    // a group of its own, so that it can be ended with all that it started
    ::setpgid(0, 0);
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(fed ? ends[0] : nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  ::setpgid(pid_, pid_);
  if (fed) {
    ::close(ends[0]);
    input_ = ends[1];
    // one that has ended is told by the error of a write
    ::signal(SIGPIPE, SIG_IGN);
  }
}

Child::~Child() {
  if (input_ >= 0) ::close(input_);
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Child::feed(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(input_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool Child::finish() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
  int status = 0;
  while (pid_ >= 0 && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
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

}  // namespace molejo::cli
