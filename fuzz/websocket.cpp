// The reader of WebSocket frames. The first byte of the input tells who sends and in how large
// portions the rest arrives.
//
// Nothing but ProtocolError may leave the reader; portions must not change what is read; messages
// are bounded and text is UTF-8; what was read, written again, reads as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/live/websocket.h"

namespace {

using namespace molejo;

constexpr std::size_t limit = 300;

struct Reading {
  std::vector<WebSocketMessage> messages;
  int failure = 0;

  bool operator==(const Reading& other) const {
    if (failure != other.failure || messages.size() != other.messages.size()) return false;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].opcode != other.messages[i].opcode ||
          messages[i].payload != other.messages[i].payload) {
        return false;
      }
    }
    return true;
  }
};

Reading read(Sender sender, std::string_view bytes, std::size_t portion) {
  Reading reading;
  WebSocketReader reader(sender, limit);
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(portion, bytes.size()))) {
      reader.append(bytes.substr(0, portion));
      while (auto message = reader.next()) reading.messages.push_back(*message);
    }
  } catch (const ProtocolError& error) {
    reading.failure = static_cast<int>(error.code);
  }
  return reading;
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Sender sender = data[0] % 2 == 0 ? Sender::client : Sender::server;
  const std::size_t portion = 1 + data[0] / 2;
  const std::string bytes(data + 1, data + size);
  const Reading whole = read(sender, bytes, bytes.size());
  require(whole == read(sender, bytes, portion));
  require(whole == read(sender, bytes, 1));

  std::string again;
  for (const WebSocketMessage& message : whole.messages) {
    require(message.payload.size() <= limit);
    require(message.opcode != Opcode::text || is_utf8(message.payload));
    require(message.opcode != Opcode::continuation);
    if (message.opcode == Opcode::close && !message.payload.empty()) {
      require(encode_close(decode_close(message.payload)) == message.payload);
    }
    const bool masked = sender == Sender::client;
    again += encode_frame(
        message.opcode, message.payload,
        {.mask = masked ? std::optional<std::uint32_t>(0x5a000001u * data[0]) : std::nullopt});
  }
  require(read(sender, again, portion) == Reading{whole.messages, 0});
  return 0;
}
