#include "molejo/live/client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>

#include "molejo/io/base64.h"
#include "molejo/live/http.h"
#include "molejo/model/error.h"

namespace molejo {
namespace {

struct Place {
  std::string host;  // without brackets
  std::string name;  // as in Host: with brackets and port
  int port = 80;
  std::string target;
};

[[noreturn]] void refuse(const std::string& url, const char* what) {
  throw InputError(fmt::format("'{}': {}; expected ws://HOST:PORT/PATH", url, what));
}

int parse_port(const std::string& url, std::string_view digits) {
  const bool number = !digits.empty() && digits.size() <= 5 &&
                      digits.find_first_not_of("0123456789") == std::string_view::npos;
  const int port = number ? std::stoi(std::string(digits)) : 0;
  if (port < 1 || port > 65535) refuse(url, "no port from 1 to 65535");
  return port;
}

Place parse_url(const std::string& url) {
  constexpr std::string_view scheme = "ws://";
  if (url.compare(0, scheme.size(), scheme) != 0) refuse(url, "does not begin with ws://");
  if (!is_visible(url)) refuse(url, "has a character that must be percent-encoded");
  const std::string_view rest = std::string_view(url).substr(scheme.size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  Place place;
  place.name = rest.substr(0, end);
  place.target = rest.substr(end);
  if (place.target.empty() || place.target[0] == '?') place.target.insert(0, "/");

  const bool bracketed = !place.name.empty() && place.name[0] == '[';
  const std::size_t close = bracketed ? place.name.find(']') : 0;
  if (close == std::string::npos) refuse(url, "has no closing bracket");
  const std::size_t colon = place.name.find(':', close);
  place.host = bracketed ? place.name.substr(1, close - 1) : place.name.substr(0, colon);
  if (place.host.empty()) refuse(url, "has no host");
  if (colon != std::string::npos) {
    place.port = parse_port(url, std::string_view(place.name).substr(colon + 1));
  }
  return place;
}

std::string random_key() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = random();
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(word >> (8 * k));
  }
  return base64(bytes);
}

// the first line of what a server says, safe to print
std::string first_line(std::string_view text) {
  std::string line(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 200)));
  for (char& c : line) {
    if (c < ' ' || c == 0x7f) c = '?';
  }
  return line;
}

}  // namespace

ConnectionClosed::ConnectionClosed(const std::string& url, CloseReason close_reason)
    : NetworkError(close_reason.code == CloseCode::lost
                       ? fmt::format("{}: the connection was lost", url)
                       : fmt::format("{}: closed by the server with {}{}{}", url,
                                     static_cast<int>(close_reason.code),
                                     close_reason.text.empty() ? "" : ": ",
                                     first_line(close_reason.text))),
      reason(std::move(close_reason)) {}

Client::Client(const std::string& url, ClientOptions options)
    : url_(url.substr(0, url.find('?'))),
      options_(std::move(options)),
      reader_(Sender::server, options_.max_message_bytes) {
  const Place place = parse_url(url);
  if (!is_visible(options_.token) || !is_visible(options_.origin)) {
    throw InputError("a token or origin with spaces or control characters; expected visible ASCII");
  }
  socket_ = connect_to(place.host, place.port, NetworkClock::now() + options_.timeout);
  shake_hands(place.name, place.target);
}

void Client::shake_hands(const std::string& host, const std::string& target) {
  const NetworkClock::time_point deadline = NetworkClock::now() + options_.timeout;
  const std::string key = random_key();
  std::string request = fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n",
      target, host, key);
  if (!options_.token.empty()) request += "Authorization: Bearer " + options_.token + "\r\n";
  if (!options_.origin.empty()) request += "Origin: " + options_.origin + "\r\n";
  send_bytes(request + "\r\n");

  try {
    check_answer(key, deadline);
  } catch (const HttpError& error) {
    throw NetworkError(fmt::format("{}: no HTTP answer: {}", url_, error.what()));
  }
}

void Client::check_answer(const std::string& key, NetworkClock::time_point deadline) {
  std::string answer;
  std::optional<std::size_t> end;
  while (!(end = head_end(answer))) {
    if (!receive_bytes(answer, deadline)) {
      throw NetworkError(url_ + ": no answer to the handshake in time");
    }
  }
  const ResponseHead head = parse_http_response(std::string_view(answer).substr(0, *end));
  if (head.status != 101) {
    // a refusal has a sentence after it
    try {
      while (answer.size() == *end && receive_bytes(answer, deadline)) {
      }
    } catch (const ConnectionClosed&) {
    }
    throw NetworkError(fmt::format("{}: refused with {} {}: {}", url_, head.status,
                                   first_line(head.reason),
                                   first_line(std::string_view(answer).substr(*end))));
  }
  const std::string* accepted = head.header("sec-websocket-accept");
  if (accepted == nullptr || *accepted != accept_key(key) || !head.lists("upgrade", "websocket") ||
      !head.lists("connection", "upgrade") || head.header("sec-websocket-extensions") != nullptr) {
    throw NetworkError(url_ + ": the answer is not that of a WebSocket server");
  }
  reader_.append(std::string_view(answer).substr(*end));
}

void Client::send(std::string_view text) { send_frame(Opcode::text, text); }
void Client::send_binary(std::string_view bytes) { send_frame(Opcode::binary, bytes); }

void Client::send_frame(Opcode opcode, std::string_view payload) {
  send_bytes(encode_frame(opcode, payload, {.mask = std::random_device()()}));
}

void Client::send_bytes(std::string_view bytes) {
  if (!socket_) throw NetworkError(url_ + ": the connection is closed");
  const NetworkClock::time_point deadline = NetworkClock::now() + options_.timeout;
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EINTR) {
      throw NetworkError(fmt::format("{}: cannot send: {}", url_, std::strerror(errno)));
    } else if (!wait_until(Readiness::to_write, socket_, deadline)) {
      throw NetworkError(url_ + ": cannot send: the server does not read");
    }
  }
}

std::optional<WebSocketMessage> Client::receive(std::chrono::milliseconds timeout) {
  const NetworkClock::time_point deadline = NetworkClock::now() + timeout;
  try {
    for (;;) {
      while (std::optional<WebSocketMessage> message = reader_.next()) {
        switch (message->opcode) {
          case Opcode::ping:
            send_frame(Opcode::pong, message->payload);
            break;
          case Opcode::pong:
            break;
          case Opcode::close: {
            // the answer is a courtesy: the other end may be gone already
            const std::string bytes = encode_frame(Opcode::close, message->payload.substr(0, 2),
                                                   {.mask = std::random_device()()});
            ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            socket_ = Socket();
            throw ConnectionClosed(url_, decode_close(message->payload));
          }
          default:
            return message;
        }
      }
      std::string bytes;
      if (!receive_bytes(bytes, deadline)) return std::nullopt;
      reader_.append(bytes);
    }
  } catch (const ProtocolError& error) {
    throw NetworkError(fmt::format("{}: the server breaks the protocol: {}", url_, error.what()));
  }
}

bool Client::receive_bytes(std::string& received, NetworkClock::time_point deadline) {
  if (!socket_) throw NetworkError(url_ + ": the connection is closed");
  char bytes[64 * 1024];
  for (;;) {
    const ssize_t count = ::recv(socket_.descriptor(), bytes, sizeof(bytes), 0);
    if (count > 0) {
      received.append(bytes, static_cast<std::size_t>(count));
      return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      socket_ = Socket();
      throw ConnectionClosed(url_, {CloseCode::lost, ""});
    }
    if (!wait_until(Readiness::to_read, socket_, deadline)) return false;
  }
}

CloseReason Client::close(const CloseReason& reason) {
  const NetworkClock::time_point deadline = NetworkClock::now() + options_.timeout;
  send_frame(Opcode::close, encode_close(reason));
  try {
    for (;;) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - NetworkClock::now());
      if (left.count() <= 0 || !receive(left)) {
        throw NetworkError(url_ + ": no answer to the goodbye in time");
      }
    }
  } catch (const ConnectionClosed& closed) {
    return closed.reason;
  }
}

}  // namespace molejo
