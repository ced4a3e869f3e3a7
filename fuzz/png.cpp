// Any bytes either are a grey image of bounded size, or end in an InputError.
#include "molejo/io/png.h"

#include <cstdint>
#include <cstdlib>

#include "molejo/model/error.h"
#include "tests/io/grey_png.h"

namespace {

std::size_t length_at(const std::string& bytes, std::size_t at) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return length;
}

// Chunks with the right check sums, so that what is changed in them is read.
std::string repaired(std::string bytes) {
  constexpr std::size_t signature = 8, around = 12;
  std::size_t at = signature;
  while (bytes.size() >= at + around && length_at(bytes, at) <= bytes.size() - at - around) {
    const std::size_t length = length_at(bytes, at);
    const std::string sum =
        molejo::test::big_endian(molejo::test::crc32(bytes.substr(at + 4, length + 4)));
    bytes.replace(at + 8 + length, 4, sum);
    at += around + length;
  }
  return bytes;
}

void read(const std::string& bytes) {
  constexpr std::size_t most = 10'000;
  try {
    const molejo::GreyImage image = molejo::parse_png(bytes, "fuzz.png", most);
    const auto pixels =
        static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    if (pixels == 0 || pixels > most || image.pixels.size() != pixels) std::abort();
    for (const double x : image.pixels) {
      if (!(x >= 0 && x <= 1)) std::abort();
    }
  } catch (const molejo::InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(repaired(bytes));
  return 0;
}
