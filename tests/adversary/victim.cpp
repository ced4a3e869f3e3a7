#include "tests/adversary/victim.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace molejo::test {

Victim::Victim(const std::string& program, const std::vector<std::string>& arguments,
               const std::string& output)
    : output_(output) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process can be started");
  if (pid_ == 0) {
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int nowhere = ::open("/dev/null", O_RDONLY);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
}

Victim::~Victim() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  reap(true);
}

std::string Victim::said() const {
  std::ostringstream text;
  text << std::ifstream(output_).rdbuf();
  return text.str();
}

void Victim::reap(bool wait) {
  if (pid_ < 0) return;
  int status = 0;
  rusage usage{};
  if (::wait4(pid_, &status, wait ? 0 : WNOHANG, &usage) != pid_) return;
  code_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  ended_memory_ = static_cast<double>(usage.ru_maxrss) / 1000 * 1.024;
  pid_ = -1;
}

bool Victim::runs() {
  reap(false);
  return pid_ >= 0;
}

void Victim::interrupt() {
  if (pid_ >= 0) ::kill(pid_, SIGINT);
}

bool Victim::wait(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (runs()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

double Victim::memory() const {
  if (pid_ < 0) return ended_memory_;
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1000 * 1.024;
  }
  return 0;
}

}  // namespace molejo::test
