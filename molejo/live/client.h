// A client of a live run: one WebSocket connection (RFC 6455), every wait with a timeout.
//
// For `molejo send` and the tests. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "molejo/live/network.h"
#include "molejo/live/websocket.h"

namespace molejo {

// The other end closed the connection, politely or not (CloseCode::lost).
struct ConnectionClosed : NetworkError {
  explicit ConnectionClosed(const std::string& url, CloseReason close_reason);
  CloseReason reason;
};

struct ClientOptions {
  std::string token = {};                   // sent as Authorization: Bearer when not empty
  std::string origin = {};                  // as a browser would; none when empty
  std::chrono::milliseconds timeout{5000};  // to connect, to shake hands, to send, to close
  std::size_t max_message_bytes = std::size_t{64} << 20;
};

class Client {
 public:
  // `url` is ws://HOST[:PORT][/PATH][?QUERY], port 80 unless given. Throws InputError when it is
  // not, NetworkError when nobody answers there or the answer is no (with its status and text).
  explicit Client(const std::string& url, ClientOptions options = {});

  void send(std::string_view text);
  void send_binary(std::string_view bytes);

  // The next text or binary message; nothing when none came in time. Pings are answered while
  // waiting. Throws ConnectionClosed, or NetworkError for bytes that are no WebSocket.
  std::optional<WebSocketMessage> receive(std::chrono::milliseconds timeout);

  // Says goodbye and waits for the answer; messages that still come are discarded. On a closed
  // connection this and all the above throw NetworkError.
  CloseReason close(const CloseReason& reason = {});

 private:
  void shake_hands(const std::string& host, const std::string& target);
  void send_bytes(std::string_view bytes);
  void send_frame(Opcode opcode, std::string_view payload);
  void check_answer(const std::string& key, NetworkClock::time_point deadline);
  // Appends what is there or comes; false when nothing came in time.
  bool receive_bytes(std::string& received, NetworkClock::time_point deadline);

  std::string url_;  // without its query, where a token may be
  ClientOptions options_;
  Socket socket_;
  WebSocketReader reader_;
};

}  // namespace molejo
