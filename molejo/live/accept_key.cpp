// The proof of a WebSocket handshake. SHA-1 (FIPS 180-4, section 6.1) guards nothing here: it
// only shows that the other end speaks the protocol.
#include <array>
#include <cstdint>

#include "molejo/io/base64.h"
#include "molejo/live/websocket.h"

namespace molejo {
namespace {

std::uint32_t rotate_left(std::uint32_t x, int n) { return x << n | x >> (32 - n); }

using Digest = std::array<std::uint32_t, 5>;

void add_block(Digest& hash, std::string_view block) {
  // message schedule
  std::array<std::uint32_t, 80> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t i = 0; i < 4; ++i) {
      w[t] = w[t] << 8 | static_cast<std::uint8_t>(block[4 * t + i]);
    }
  }
  for (std::size_t t = 16; t < 80; ++t) {
    w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }

  auto [a, b, c, d, e] = hash;
  for (std::size_t t = 0; t < 80; ++t) {
    const std::uint32_t f = t < 20   ? (b & c) ^ (~b & d)
                            : t < 40 ? b ^ c ^ d
                            : t < 60 ? (b & c) ^ (b & d) ^ (c & d)
                                     : b ^ c ^ d;
    const std::uint32_t k = t < 20   ? 0x5a827999
                            : t < 40 ? 0x6ed9eba1
                            : t < 60 ? 0x8f1bbcdc
                                     : 0xca62c1d6;
    const std::uint32_t sum = rotate_left(a, 5) + f + e + k + w[t];
    e = d;
    d = c;
    c = rotate_left(b, 30);
    b = a;
    a = sum;
  }
  hash = {hash[0] + a, hash[1] + b, hash[2] + c, hash[3] + d, hash[4] + e};
}

std::string sha1(std::string_view text) {
  // pad with a one, zeros and the length in bits, to whole blocks of 64 bytes
  std::string message(text);
  message += static_cast<char>(0x80);
  while (message.size() % 64 != 56) message += '\0';
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(text.size());
  for (int i = 7; i >= 0; --i) message += static_cast<char>(bits >> (8 * i));

  Digest hash = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (std::size_t at = 0; at < message.size(); at += 64) {
    add_block(hash, std::string_view(message).substr(at, 64));
  }
  std::string bytes;
  for (const std::uint32_t word : hash) {
    for (int i = 3; i >= 0; --i) bytes += static_cast<char>(word >> (8 * i));
  }
  return bytes;
}

}  // namespace

std::string accept_key(std::string_view key) {
  return base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

}  // namespace molejo
