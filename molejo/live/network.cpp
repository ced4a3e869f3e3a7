#include "molejo/live/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace molejo {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string place(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

AddressList addresses_of(const std::string& host, int port, int flags, const std::string& what) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  const int failure = getaddrinfo(host.c_str(), service.c_str(), &hints, &found);
  if (failure != 0) {
    throw NetworkError(what + " " + place(host, port) + ": " + gai_strerror(failure));
  }
  return {found, &freeaddrinfo};
}

int local_port(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw NetworkError(std::string("cannot tell the port: ") + std::strerror(errno));
  }
  return address.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port)
             : ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void set_option(const Socket& socket, int level, int option, int value) {
  // what the system does not grant is a loss of comfort only
  setsockopt(socket.descriptor(), level, option, &value, sizeof(value));
}

// 0 when connected, else the errno that tells why not
int finish_connecting(const Socket& socket, NetworkClock::time_point deadline) {
  if (!wait_until(Readiness::to_write, socket, deadline)) return ETIMEDOUT;
  int failure = 0;
  socklen_t size = sizeof(failure);
  if (getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0) return errno;
  return failure;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

void make_non_blocking(const Socket& socket) {
  const int descriptor = socket.descriptor();
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) | FD_CLOEXEC);
}

void tune_for_messages(const Socket& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_SNDBUF, 128 * 1024);  // the kernel doubles it
}

Socket listen_at(const std::string& address, int& port) {
  const std::string numeric = address == "localhost" ? "127.0.0.1" : address;
  const std::string what = "cannot listen on";
  const AddressList list = addresses_of(numeric, port, AI_NUMERICHOST | AI_PASSIVE, what);
  Socket socket(::socket(list->ai_family, SOCK_STREAM, 0));
  bool listening = false;
  if (socket) {
    make_non_blocking(socket);
    set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    listening = ::bind(socket.descriptor(), list->ai_addr, list->ai_addrlen) == 0 &&
                ::listen(socket.descriptor(), 64) == 0;
  }
  if (!listening) {
    const int failure = errno;
    throw NetworkError(what + " " + place(numeric, port) + ": " + std::strerror(failure) +
                       (failure == EADDRINUSE ? "; take another port, or 0 for any free one" : ""));
  }
  port = local_port(socket);
  return socket;
}

Socket connect_to(const std::string& host, int port, NetworkClock::time_point deadline) {
  const std::string what = "cannot connect to";
  const AddressList list = addresses_of(host, port, 0, what);
  int failure = 0;
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    Socket socket(::socket(address->ai_family, SOCK_STREAM, 0));
    if (!socket) {
      failure = errno;
      continue;
    }
    make_non_blocking(socket);
    failure = 0;
    if (::connect(socket.descriptor(), address->ai_addr, address->ai_addrlen) != 0) {
      failure = errno == EINPROGRESS ? finish_connecting(socket, deadline) : errno;
    }
    if (failure == 0) {
      set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
      return socket;
    }
  }
  throw NetworkError(what + " " + place(host, port) + ": " + std::strerror(failure));
}

bool wait_until(Readiness readiness, const Socket& socket, NetworkClock::time_point deadline) {
  const short events = readiness == Readiness::to_read ? POLLIN : POLLOUT;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - NetworkClock::now());
    pollfd entry{socket.descriptor(), events, 0};
    const int ready =
        ::poll(&entry, 1, static_cast<int>(std::clamp<long long>(left.count(), 0, 60'000)));
    if (ready > 0) return true;  // an error shows itself in the read or write that follows
    if (ready < 0 && errno != EINTR) return true;
    if (NetworkClock::now() >= deadline) return false;
  }
}

bool is_loopback(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  if (address == "localhost") return true;
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string peer_address(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  char text[NI_MAXHOST] = "";
  if (getpeername(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, text, sizeof(text), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return "unknown";
  }
  return text;
}

}  // namespace molejo
