// The framing of WebSocket messages (RFC 6455, sections 5 and 7), as functions of bytes.
//
//   byte 0: FIN RSV1 RSV2 RSV3 opcode(4)    byte 1: MASK length(7)
//   then 2 more bytes of length when it says 126, 8 when 127; 4 bytes of mask; the payload
//
// Both ends of a connection read with the same reader; a client masks, a server must not.
// No sockets here: what arrives is fed in any portions, whole messages come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace molejo {

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

// Why a connection ends (RFC 6455, section 7.4.1). The last two are never sent.
enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  invalid_text = 1007,
  policy = 1008,
  too_big = 1009,
  internal_error = 1011,
  none_given = 1005,
  lost = 1006,
};

struct CloseReason {
  CloseCode code = CloseCode::normal;
  std::string text;
};

// The other end broke the rules: it is told the code, and the connection ends.
struct ProtocolError : std::runtime_error {
  ProtocolError(CloseCode error_code, const std::string& text)
      : std::runtime_error(text), code(error_code) {}
  CloseCode code;
};

// A whole message (its fragments joined) or a control frame.
struct WebSocketMessage {
  Opcode opcode = Opcode::text;
  std::string payload;
};

enum class Sender { client, server };

// Reads what `sender` sends. Memory is bounded by max_message_bytes plus the portion fed last.
class WebSocketReader {
 public:
  WebSocketReader(Sender sender, std::size_t max_message_bytes);

  void append(std::string_view bytes);

  // The next message among the bytes appended so far, nothing when more are needed. Throws
  // ProtocolError, after which the reader is of no further use. A length is judged before the
  // payload is there; text is valid UTF-8; a close has no payload or a valid code and reason.
  std::optional<WebSocketMessage> next();

  // Frames seen so far, fragments and control frames included.
  std::uint64_t frames() const { return frames_; }

 private:
  struct Header {
    bool final = false;
    Opcode opcode = Opcode::text;
    std::size_t size = 0;      // of the header
    std::uint64_t length = 0;  // of the payload
    std::uint8_t mask[4] = {};
  };
  std::optional<Header> header() const;
  void check_first_bytes(std::uint8_t first, std::uint8_t second) const;
  void check_length(const Header& header, std::size_t extra) const;
  std::optional<WebSocketMessage> accept(const Header& header, std::string payload);

  Sender sender_;
  std::size_t max_message_bytes_;
  std::string input_;
  std::size_t used_ = 0;                       // bytes of input_ already read
  std::optional<WebSocketMessage> fragments_;  // the message whose end is still to come
  std::uint64_t frames_ = 0;
};

// One unfragmented frame. A client passes a mask that nobody can guess (RFC 6455, 10.3).
struct FrameForm {
  bool final = true;
  std::optional<std::uint32_t> mask = {};
};
std::string encode_frame(Opcode opcode, std::string_view payload, FrameForm form = {});

// The payload of a close frame; the reason is cut to the 123 bytes that fit, at a whole character.
std::string encode_close(const CloseReason& reason);
// Its inverse, for a payload that WebSocketReader let through.
CloseReason decode_close(std::string_view payload);

// No overlong forms, surrogates or values over 10FFFF (RFC 3629).
bool is_utf8(std::string_view text);

// Sec-WebSocket-Accept: base64 of SHA-1 of the key and a fixed text (RFC 6455, 4.2.2).
std::string accept_key(std::string_view key);

}  // namespace molejo
