// Grey PNG files made by hand: deflate blocks that are stored as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace molejo::test {

inline std::string big_endian(std::uint32_t x, int bytes = 4) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(x >> (8 * i) & 255);
  return out;
}

// ISO/IEC 15948, annex D
inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xedb88320 ^ (crc >> 1) : crc >> 1;
  }
  return ~crc;
}

inline std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(crc32(type + data));
}

// RFC 1950 and 1951, one stored block: up to 65535 bytes
inline std::string stored(const std::string& data) {
  const auto size = static_cast<std::uint32_t>(data.size());
  std::string out = "\x78\x01\x01";
  for (const std::uint32_t n : {size, ~size}) {
    out += static_cast<char>(n & 255);
    out += static_cast<char>(n >> 8 & 255);
  }
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return out + data + big_endian(b << 16 | a);
}

// `data` is every row with a zero before it, as the bits and the colour type ask.
inline std::string png_of(std::uint32_t width, std::uint32_t height, int bits, int color_type,
                          const std::string& data) {
  std::string header = big_endian(width) + big_endian(height);
  header += static_cast<char>(bits);
  header += static_cast<char>(color_type);
  header += std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", stored(data)) +
         chunk("IEND", "");
}

// 8 or 16 bits a pixel.
inline std::string grey_png(const std::vector<std::vector<int>>& rows, int bits) {
  std::string data;
  for (const std::vector<int>& row : rows) {
    data += '\0';
    for (const int x : row) data += big_endian(static_cast<std::uint32_t>(x), bits / 8);
  }
  return png_of(static_cast<std::uint32_t>(rows[0].size()), static_cast<std::uint32_t>(rows.size()),
                bits, 0, data);
}

}  // namespace molejo::test
