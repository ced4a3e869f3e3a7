#include "tests/adversary/victim.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "molejo/live/network.h"

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
    ::setenv("XDG_RUNTIME_DIR", std::filesystem::path(output_).parent_path().c_str(),
             1);  // not the user's
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

std::string send_file(int port, const std::string& token, const std::string& name,
                      std::string_view bytes) {
  const auto deadline = NetworkClock::now() + std::chrono::seconds(20);
  const Socket socket = connect_to("127.0.0.1", port, deadline);
  const std::string request = "POST /upload?name=" + name +
                              " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
                              "\r\nContent-Length: " + std::to_string(bytes.size()) + "\r\n\r\n" +
                              std::string(bytes);
  std::string answer;
  for (std::size_t sent = 0; NetworkClock::now() < deadline;) {
    const ssize_t out = sent < request.size() ? ::send(socket.descriptor(), request.data() + sent,
                                                       request.size() - sent, MSG_NOSIGNAL)
                                              : 0;
    if (out > 0) {
      sent += static_cast<std::size_t>(out);
      continue;
    }
    char part[4096];
    const ssize_t in = ::recv(socket.descriptor(), part, sizeof part, 0);
    if (in > 0) answer.append(part, static_cast<std::size_t>(in));
    if (in == 0 || (in < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (in < 0) {
      const auto what = sent < request.size() ? Readiness::to_write : Readiness::to_read;
      wait_until(what, socket, NetworkClock::now() + std::chrono::milliseconds(100));
    }
  }
  return answer;
}

}  // namespace molejo::test
