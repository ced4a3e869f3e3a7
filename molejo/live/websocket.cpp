#include "molejo/live/websocket.h"

#include <algorithm>

namespace molejo {
namespace {

constexpr std::size_t max_control_payload = 125;
constexpr std::size_t max_close_reason = max_control_payload - 2;

bool is_control(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

std::uint8_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<std::uint8_t>(bytes[i]);
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value = value << 8 | byte_at(bytes, i);
  return value;
}

void append_big_endian(std::string& bytes, std::uint64_t value, int count) {
  for (int i = count - 1; i >= 0; --i) {
    bytes += static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

[[noreturn]] void violate(const std::string& text) {
  throw ProtocolError(CloseCode::protocol_error, text);
}

// what may stand in a close frame (RFC 6455, 7.4): 1004 to 1006 and 1015 may not
bool is_sendable(std::uint64_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

void check_close(std::string_view payload) {
  if (payload.empty()) return;
  if (payload.size() == 1) violate("a close of one byte");
  const std::uint64_t code = big_endian(payload.substr(0, 2));
  if (!is_sendable(code)) violate("close code " + std::to_string(code));
  if (!is_utf8(payload.substr(2))) {
    throw ProtocolError(CloseCode::invalid_text, "a close reason that is not UTF-8");
  }
}

}  // namespace

WebSocketReader::WebSocketReader(Sender sender, std::size_t max_message_bytes)
    : sender_(sender), max_message_bytes_(max_message_bytes) {}

void WebSocketReader::append(std::string_view bytes) {
  input_.erase(0, used_);
  used_ = 0;
  input_ += bytes;
}

std::optional<WebSocketMessage> WebSocketReader::next() {
  while (const std::optional<Header> head = header()) {
    if (input_.size() - used_ - head->size < head->length) return std::nullopt;
    std::string payload(input_, used_ + head->size, static_cast<std::size_t>(head->length));
    used_ += head->size + payload.size();
    ++frames_;
    if (sender_ == Sender::client) {
      for (std::size_t i = 0; i < payload.size(); ++i) {
        payload[i] = static_cast<char>(byte_at(payload, i) ^ head->mask[i % 4]);
      }
    }
    if (auto message = accept(*head, std::move(payload))) return message;
  }
  return std::nullopt;
}

std::optional<WebSocketReader::Header> WebSocketReader::header() const {
  const std::string_view bytes = std::string_view(input_).substr(used_);
  if (bytes.size() < 2) return std::nullopt;
  const std::uint8_t first = byte_at(bytes, 0);
  const std::uint8_t second = byte_at(bytes, 1);
  check_first_bytes(first, second);

  const std::size_t short_length = second & 0x7f;
  const std::size_t extra = short_length < 126 ? 0 : short_length == 126 ? 2 : 8;
  if (bytes.size() < 2 + extra) return std::nullopt;
  Header head;
  head.final = (first & 0x80) != 0;
  head.opcode = static_cast<Opcode>(first & 0x0f);
  head.length = extra == 0 ? short_length : big_endian(bytes.substr(2, extra));
  check_length(head, extra);

  head.size = 2 + extra + (sender_ == Sender::client ? 4 : 0);
  if (bytes.size() < head.size) return std::nullopt;
  if (sender_ == Sender::client) {
    for (std::size_t i = 0; i < 4; ++i) head.mask[i] = byte_at(bytes, 2 + extra + i);
  }
  return head;
}

void WebSocketReader::check_first_bytes(std::uint8_t first, std::uint8_t second) const {
  const bool final = (first & 0x80) != 0;
  const int code = first & 0x0f;
  const Opcode opcode = static_cast<Opcode>(code);
  const bool masked = (second & 0x80) != 0;
  if ((first & 0x70) != 0) violate("a reserved bit is set");
  if ((code > 2 && code < 8) || code > 10) violate("reserved opcode " + std::to_string(code));
  if (masked && sender_ == Sender::server) violate("a masked frame from a server");
  if (!masked && sender_ == Sender::client) violate("an unmasked frame from a client");
  if (is_control(opcode)) {
    if (!final) violate("a fragmented control frame");
    if ((second & 0x7f) > max_control_payload) violate("a control frame over 125 bytes");
  } else if (opcode == Opcode::continuation) {
    if (!fragments_) violate("a continuation of nothing");
  } else if (fragments_) {
    violate("a new message amid the fragments of another");
  }
}

void WebSocketReader::check_length(const Header& head, std::size_t extra) const {
  if ((extra == 2 && head.length < 126) || (extra == 8 && head.length < 0x10000)) {
    violate("a length not in its shortest form");
  }
  if (head.length >> 63 != 0) violate("a length of 64 bits");
  if (is_control(head.opcode)) return;
  const std::size_t before = fragments_ ? fragments_->payload.size() : 0;
  if (head.length > max_message_bytes_ - before) {
    throw ProtocolError(CloseCode::too_big,
                        "a message over " + std::to_string(max_message_bytes_) + " bytes");
  }
}

std::optional<WebSocketMessage> WebSocketReader::accept(const Header& head, std::string payload) {
  if (is_control(head.opcode)) {
    if (head.opcode == Opcode::close) check_close(payload);
    return WebSocketMessage{head.opcode, std::move(payload)};
  }

  // join the fragments
  if (head.opcode != Opcode::continuation) {
    fragments_ = WebSocketMessage{head.opcode, std::move(payload)};
  } else {
    fragments_->payload += payload;
  }
  if (!head.final) return std::nullopt;
  WebSocketMessage message = std::move(*fragments_);
  fragments_.reset();
  if (message.opcode == Opcode::text && !is_utf8(message.payload)) {
    throw ProtocolError(CloseCode::invalid_text, "text that is not UTF-8");
  }
  return message;
}

std::string encode_frame(Opcode opcode, std::string_view payload, FrameForm form) {
  std::string bytes;
  bytes.reserve(payload.size() + 14);
  const int mask_bit = form.mask ? 0x80 : 0;
  bytes += static_cast<char>((form.final ? 0x80 : 0) | static_cast<int>(opcode));
  if (payload.size() < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<int>(payload.size()));
  } else if (payload.size() < 0x10000) {
    bytes += static_cast<char>(mask_bit | 126);
    append_big_endian(bytes, payload.size(), 2);
  } else {
    bytes += static_cast<char>(mask_bit | 127);
    append_big_endian(bytes, payload.size(), 8);
  }
  if (!form.mask) return bytes.append(payload);

  append_big_endian(bytes, *form.mask, 4);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    bytes += static_cast<char>(byte_at(payload, i) ^ (*form.mask >> (24 - 8 * (i % 4))));
  }
  return bytes;
}

std::string encode_close(const CloseReason& reason) {
  std::string payload;
  if (reason.code == CloseCode::none_given || reason.code == CloseCode::lost) return payload;
  append_big_endian(payload, static_cast<std::uint64_t>(reason.code), 2);
  std::size_t size = std::min(reason.text.size(), max_close_reason);
  if (size < reason.text.size()) {
    while (size > 0 && (byte_at(reason.text, size) & 0xc0) == 0x80) --size;
  }
  return payload.append(reason.text, 0, size);
}

CloseReason decode_close(std::string_view payload) {
  if (payload.size() < 2) return {CloseCode::none_given, ""};
  return {static_cast<CloseCode>(big_endian(payload.substr(0, 2))), std::string(payload.substr(2))};
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::uint8_t lead = byte_at(text, i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    // the second byte has a narrower range after some leads (RFC 3629, section 4)
    const std::size_t length = lead < 0xc2   ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    const std::uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    const std::uint8_t second = byte_at(text, i + 1);
    if (second < low || second > high) return false;
    for (std::size_t k = 2; k < length; ++k) {
      if ((byte_at(text, i + k) & 0xc0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace molejo
