// Sockets that close themselves, and the error of what the network refuses.
//
// Waiting is always bounded: every socket is non-blocking and every wait has a deadline.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace molejo {

// One line: what was tried, with whom, and why it did not work. A command prints it and exits
// with 1.
struct NetworkError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using NetworkClock = std::chrono::steady_clock;

// A file descriptor of its own, closed when it goes. Holds -1 when it holds nothing.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release();

 private:
  int descriptor_ = -1;
};

// Never blocks and is not inherited by the processes we start.
void make_non_blocking(const Socket& socket);

// Small messages leave at once, and at most about 256 KiB wait in the kernel: what is queued
// there can no longer be replaced by something newer.
void tune_for_messages(const Socket& socket);

// A listening socket at a numeric address; `port` 0 takes any free one and is changed to it.
// Throws NetworkError, for instance when the port is taken.
Socket listen_at(const std::string& address, int& port);

// A connection to host:port, made before the deadline. Resolving a name may take its own time.
Socket connect_to(const std::string& host, int port, NetworkClock::time_point deadline);

// Waits until the socket can be read (or written); false when the deadline passes first.
enum class Readiness { to_read, to_write };
bool wait_until(Readiness readiness, const Socket& socket, NetworkClock::time_point deadline);

// 127.0.0.0/8, ::1 or localhost: reachable from this machine only.
bool is_loopback(const std::string& address);

// The numeric address of the other end, without its port.
std::string peer_address(const Socket& socket);

}  // namespace molejo
