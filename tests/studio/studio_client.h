// A studio on loopback and those who look at it.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <string>

#include "molejo/io/json_document.h"
#include "molejo/live/client.h"
#include "molejo/studio/studio.h"
#include "tests/support/loopback.h"
#include "tests/support/places.h"

namespace molejo::test {

struct LoopbackStudio : Studio {
  explicit LoopbackStudio(const std::string& file, ServerOptions server = {},
                          HistoryLimits history = {}, const std::string& trainings = "")
      : Studio(
            {.page = {{"/index.html", "<title>page</title><script src=\"app.js?token={token}\">"},
                      {"/app.js", "1"}},
             .scenes = source_dir() + "/scenes",
             .trainings = trainings,
             .history = history},
            std::move(server)) {
    start(file);
  }
};

// Asks one thing after another; what else comes meanwhile is kept.
class Visitor {
 public:
  explicit Visitor(const Studio& studio) : client_(studio.live_url()) {}

  JsonValue ask(const std::string& text) {
    client_.send(text);
    return answer();
  }
  // To what was asked last.
  JsonValue answer() {
    while (true) {
      const WebSocketMessage message = next();
      if (message.opcode == Opcode::binary) continue;
      JsonValue value = parse_json(message.payload, "answer").root;
      if (value.find("ok") || value.find("error")) return value;
      if (value.find("event")) events.push_back(std::move(value));
    }
  }
  // That it went well.
  JsonValue must(const std::string& text) {
    JsonValue value = ask(text);
    CAPTURE(text);
    if (value.find("error")) CAPTURE(value.find("error")->text);
    REQUIRE(value.find("ok"));
    return value;
  }
  std::string error(const std::string& text) {
    const JsonValue value = ask(text);
    return value.find("error") ? value.find("error")->text : "no error";
  }
  // The next binary frame of this type.
  std::string frame(int type) {
    while (true) {
      WebSocketMessage message = next();
      if (message.opcode == Opcode::binary) {
        if (message.payload[0] == type) return message.payload;
      } else {
        JsonValue value = parse_json(message.payload, "event").root;
        if (value.find("event")) events.push_back(std::move(value));
      }
    }
  }
  // The next event of this name, also one that came before.
  JsonValue event(const std::string& name) {
    while (true) {
      while (!events.empty()) {
        JsonValue value = std::move(events.front());
        events.pop_front();
        if (value.find("event")->text == name) return value;
      }
      const WebSocketMessage message = next();
      if (message.opcode == Opcode::binary) continue;
      JsonValue value = parse_json(message.payload, "event").root;
      if (value.find("event")) events.push_back(std::move(value));
    }
  }
  Client& client() { return client_; }
  std::deque<JsonValue> events;

 private:
  WebSocketMessage next() {
    auto message = client_.receive(patience);
    REQUIRE(message);
    return *message;
  }
  Client client_;
};

template <class T>
T read_at(const std::string& bytes, std::size_t at) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

inline double number(const JsonValue& value, const char* key) {
  REQUIRE(value.find(key));
  return value.find(key)->number;
}

// One request, with the token unless the headers have one; all that is answered, head and body.
inline std::string http(const Studio& studio, const std::string& method, const std::string& target,
                        const std::string& body = "", const std::string& headers = "") {
  const auto deadline = NetworkClock::now() + patience;
  Socket socket = connect_to("127.0.0.1", studio.port(), deadline);
  std::string request = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (headers.find("Authorization") == std::string::npos) request += bearer(studio.token());
  if (method == "POST" && headers.find("Content-Length") == std::string::npos) {
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  request += "\r\n" + body;
  std::string answered;
  std::size_t sent = 0;
  while (true) {
    if (sent < request.size()) {
      const ssize_t count =
          ::send(socket.descriptor(), request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (count > 0) {
        sent += static_cast<std::size_t>(count);
        continue;
      }
      if (errno != EAGAIN && errno != EWOULDBLOCK) sent = request.size();
    }
    char bytes[65536];
    const ssize_t count = ::recv(socket.descriptor(), bytes, sizeof(bytes), 0);
    if (count > 0) answered.append(bytes, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return answered;
    if (count < 0) {
      const Readiness what = sent < request.size() ? Readiness::to_write : Readiness::to_read;
      REQUIRE(wait_until(what, socket, deadline));
    }
  }
}

inline std::string body_of(const std::string& answered) {
  const std::size_t end = answered.find("\r\n\r\n");
  REQUIRE(end != std::string::npos);
  return answered.substr(end + 4);
}

}  // namespace molejo::test
