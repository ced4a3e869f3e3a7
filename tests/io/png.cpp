#include "molejo/io/png.h"

#include <doctest/doctest.h>

#include "tests/io/grey_png.h"
#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

namespace {

std::string error_of(const std::string& bytes, std::size_t max_pixels = 100) {
  return error_text([&] { parse_png(bytes, "bad.png", max_pixels); });
}

}  // namespace

TEST_CASE("png: black is 0 and white is 1, at 8 and at 16 bits") {
  const GreyImage byte = parse_png(grey_png({{0, 51, 255}, {102, 153, 204}}, 8), "a.png", 100);
  CHECK(byte.width == 3);
  CHECK(byte.height == 2);
  CHECK(byte.pixels == std::vector<double>{0, 51 / 255.0, 1, 102 / 255.0, 153 / 255.0, 0.8});
  const GreyImage two = parse_png(grey_png({{0, 1}, {256, 65535}}, 16), "a.png", 100);
  CHECK(two.pixels == std::vector<double>{0, 1 / 65535.0, 256 / 65535.0, 1});
}

TEST_CASE("png: few bits are spread over the whole range, an alpha channel is ignored") {
  // two bits a pixel: 0 1 2 3
  const GreyImage few = parse_png(png_of(4, 1, 2, 0, std::string("\0\x1b", 2)), "a.png", 100);
  CHECK(few.pixels == std::vector<double>{0, 85 / 255.0, 170 / 255.0, 1});
  const GreyImage clear =
      parse_png(png_of(2, 1, 8, 4, std::string("\0\x33\0\xff\x80", 5)), "a.png", 100);
  CHECK(clear.pixels == std::vector<double>{0.2, 1});
}

TEST_CASE("png: what is no grey image is refused in one line") {
  const std::string good = grey_png({{1, 2}, {3, 4}}, 8);
  CHECK(error_of(good) == "no error");
  CHECK(error_of("") == "bad.png: not a PNG image");
  CHECK(error_of("GIF89a") == "bad.png: not a PNG image");
  CHECK(error_of(png_of(1, 1, 8, 2, std::string(4, '\0'))) ==
        "bad.png: the image has colours, expected shades of grey");
  CHECK(error_of(good, 3) == "bad.png: 2 x 2 pixels, more than 3");
  // cut off anywhere
  for (std::size_t size = 8; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(error_of(good.substr(0, size)) == "bad.png: the file is cut off");
  }
  // a single wrong bit: in a check sum, or in what it guards
  int found = 0;
  for (std::size_t i = 8; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    const std::string message = error_of(bad);
    CHECK(message.find('\n') == std::string::npos);
    found += message != "no error";
  }
  CHECK(found >= static_cast<int>(good.size()) - 8 - 12);  // errors in the last chunk are harmless
}

TEST_CASE("png: a small file cannot promise a large image") {
  const std::string huge = png_of(100000, 100000, 16, 0, "");
  CHECK(error_of(huge, 1'000'000) == "bad.png: 100000 x 100000 pixels, more than 1000000");
  CHECK(error_of(png_of(1000, 1000, 16, 0, ""), 1'000'000) == "bad.png: the file is cut off");
  CHECK(error_of(png_of(2000000000, 1, 8, 0, ""), 1'000'000).find("bad.png: ") == 0);
  CHECK(error_of(png_of(0, 1, 8, 0, "")).find("bad.png: ") == 0);
  // nor a long text: a length of 1.7 GB
  std::string text = grey_png({{1, 2}, {3, 4}}, 8);
  text.insert(33, std::string("\x68\x69\x6c\x0btEXthills", 13));
  CHECK(error_of(text) == "bad.png: the file is cut off");
  // one that is there is skipped, whatever it says
  std::string told = grey_png({{1, 2}, {3, 4}}, 8);
  told.insert(33, chunk("tEXt", "hills") + chunk("zTXt", std::string("a\0\0no deflate", 13)));
  CHECK(error_of(told) == "no error");
}
