#include "tests/support/loopback.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace molejo::test {

ServerHandlers Log::handlers(ServerHandlers then) {
  ServerHandlers all;
  all.on_open = [this, then](ClientId client) {
    if (then.on_open) then.on_open(client);
    const std::lock_guard lock(mutex_);
    opened.push_back(client);
    changed_.notify_all();
  };
  all.on_message = [this, then](ClientId client, const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      messages[client].push_back(text);
      changed_.notify_all();
    }
    if (then.on_message) then.on_message(client, text);
  };
  all.on_close = [this, then](ClientId client, const CloseReason& reason) {
    if (then.on_close) then.on_close(client, reason);
    const std::lock_guard lock(mutex_);
    closed[client] = reason;
    ++closings;
    changed_.notify_all();
  };
  return all;
}

bool Log::wait(const std::function<bool(const Log&)>& condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return condition(*this); });
}

EchoServer::EchoServer(ServerOptions options) : server(std::move(options)) {
  server.start(log.handlers({.on_message = [this](ClientId client, const std::string& text) {
    server.send(client, text);
  }}));
}

RawSocket::RawSocket(int port)
    : socket_(connect_to("127.0.0.1", port, NetworkClock::now() + patience)) {}

RawSocket::RawSocket(Socket socket) : socket_(std::move(socket)) {}

void RawSocket::send(std::string_view bytes) {
  const auto deadline = NetworkClock::now() + patience;
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EAGAIN || !wait_until(Readiness::to_write, socket_, deadline)) {
      throw NetworkError(std::strerror(errno));
    }
  }
}

std::string RawSocket::receive(std::size_t wanted) {
  const auto deadline = NetworkClock::now() + patience;
  std::string all;
  char bytes[4096];
  while (all.size() < wanted) {
    const std::size_t count = std::min(sizeof(bytes), wanted - all.size());
    const ssize_t got = ::recv(socket_.descriptor(), bytes, count, 0);
    if (got > 0) {
      all.append(bytes, static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EAGAIN) {
      return all;
    } else if (!wait_until(Readiness::to_read, socket_, deadline)) {
      FAIL("the server neither sent nor closed in time");
    }
  }
  return all;
}

void RawSocket::reset() {
  const linger at_once{1, 0};
  setsockopt(socket_.descriptor(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  socket_ = Socket();
}

std::string upgrade_request(std::string_view extra_headers, std::string_view host,
                            std::string_view target) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{}\r\n",
      target, host, extra_headers);
}

RawSocket raw_websocket(const std::string& url) {
  RawSocket socket(std::stoi(url.substr(url.rfind(':') + 1)));
  socket.send(upgrade_request("", "localhost", url.substr(url.find('/', 5))));
  const std::string expected =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
  REQUIRE(socket.receive(expected.size()) == expected);
  return socket;
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

std::string receive_text(Client& client) {
  const std::optional<WebSocketMessage> message = client.receive(patience);
  REQUIRE(message);
  CHECK(message->opcode == Opcode::text);
  return message->payload;
}

CloseReason receive_close(Client& client) {
  try {
    while (client.receive(patience)) {
    }
  } catch (const ConnectionClosed& closed) {
    return closed.reason;
  }
  FAIL("the server did not close in time");
  return {};
}

CloseReason first_close(std::string_view bytes) {
  WebSocketReader reader(Sender::server, 1 << 20);
  reader.append(bytes);
  while (const auto message = reader.next()) {
    if (message->opcode == Opcode::close) return decode_close(message->payload);
  }
  return {CloseCode::lost, ""};
}

std::string masked(Opcode opcode, std::string_view payload, bool final) {
  return encode_frame(opcode, payload, {.final = final, .mask = 0x12345678});
}

bool is_closed_for_flooding(const std::string& url) {
  Client flood(url);
  try {
    for (int n = 0; n < 20'000; ++n) flood.send(R"({"do": "status"})");
    while (flood.receive(5s)) {
    }
  } catch (const NetworkError&) {
    return true;
  }
  return false;
}

std::string refusal(const std::string& url, ClientOptions options) {
  try {
    Client client(url, std::move(options));
    return "";
  } catch (const NetworkError& error) {
    const std::string text = error.what();
    const std::string begin = url.substr(0, url.find('?')) + ": ";
    REQUIRE(text.compare(0, begin.size(), begin) == 0);
    return text.substr(begin.size());
  }
}

std::optional<long> resident_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::nullopt;
#else
  std::ifstream file("/proc/self/statm");
  long total = 0, resident = 0;
  if (!(file >> total >> resident)) return std::nullopt;
  return resident * sysconf(_SC_PAGESIZE);
#endif
}

}  // namespace molejo::test
