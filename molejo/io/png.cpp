#include "molejo/io/png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// What libpng is given: it calls back with a pointer to this, and ends with a jump on any error.
struct Decoder {
  const char* next = nullptr;
  std::size_t left = 0;
  std::size_t max_pixels = 0;
  char message[200] = "";
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

void refuse(png_structp png, const char* message) {
  auto* decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  std::snprintf(decoder->message, sizeof decoder->message, "%s", message);
  std::longjmp(png_jmpbuf(png), 1);
}

void ignore(png_structp, const char*) {}

void give_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > decoder->left) png_error(png, "the file is cut off");
  std::memcpy(out, decoder->next, count);
  decoder->next += count;
  decoder->left -= count;
}

struct Header {
  std::size_t width = 0, height = 0, row_bytes = 0;
  int bits = 0;
};

// The part up to the pixels. These two functions own nothing, since a jump may leave them.
bool read_header(Decoder& d, Header& header) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  constexpr png_uint_32 longest_side = 1'000'000;
  png_set_user_limits(d.png, longest_side, longest_side);
  // texts, profiles and the like are not even unpacked
  png_set_keep_unknown_chunks(d.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_read_fn(d.png, &d, give_bytes);
  png_read_info(d.png, d.info);

  const png_byte type = png_get_color_type(d.png, d.info);
  if (type != PNG_COLOR_TYPE_GRAY && type != PNG_COLOR_TYPE_GRAY_ALPHA) {
    png_error(d.png, "the image has colours, expected shades of grey");
  }
  header.width = png_get_image_width(d.png, d.info);
  header.height = png_get_image_height(d.png, d.info);
  if (header.width * header.height > d.max_pixels) {
    char text[100];
    std::snprintf(text, sizeof text, "%zu x %zu pixels, more than %zu", header.width, header.height,
                  d.max_pixels);
    png_error(d.png, text);
  }
  png_set_expand_gray_1_2_4_to_8(d.png);
  png_set_strip_alpha(d.png);
  png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  header.bits = png_get_bit_depth(d.png, d.info);
  header.row_bytes = png_get_rowbytes(d.png, d.info);
  return true;
}

bool read_pixels(Decoder& d, png_bytepp rows) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  png_read_image(d.png, rows);
  png_read_end(d.png, nullptr);
  return true;
}

// Do all chunks end inside of the file? libpng allocates what their lengths promise.
bool chunks_are_whole(std::string_view bytes) {
  constexpr std::size_t around = 12;  // length, name and check sum
  while (bytes.size() >= around) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length = length << 8 | static_cast<unsigned char>(bytes[i]);
    }
    if (length > bytes.size() - around) return false;
    const bool last = bytes.substr(4, 4) == "IEND";
    if (last) return true;
    bytes.remove_prefix(around + length);
  }
  return false;
}

[[noreturn]] void fail(const std::string& file, const char* message) {
  std::string text;
  for (const char* c = message; *c; ++c) text += *c >= ' ' && *c < 127 ? *c : '?';
  throw InputError(file + ": " + text);
}

}  // namespace

GreyImage parse_png(std::string_view bytes, const std::string& file, std::size_t max_pixels) {
  constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
  if (!bytes.starts_with(signature)) fail(file, "not a PNG image");
  if (!chunks_are_whole(bytes.substr(signature.size()))) fail(file, "the file is cut off");
  Decoder d;
  d.next = bytes.data();
  d.left = bytes.size();
  d.max_pixels = max_pixels;
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &d, refuse, ignore);
  d.info = d.png ? png_create_info_struct(d.png) : nullptr;
  if (!d.info) throw std::bad_alloc();

  Header header;
  if (!read_header(d, header)) fail(file, d.message);
  // a hostile header must not cost more memory than the pixels it promises: deflate packs at most
  // 1032 to 1 (zlib, technical details)
  constexpr std::size_t best_packing = 1032;
  if (header.row_bytes * header.height > best_packing * bytes.size()) {
    fail(file, "the file is cut off");
  }
  std::vector<png_byte> data(header.row_bytes * header.height);
  std::vector<png_bytep> rows;
  for (std::size_t r = 0; r < header.height; ++r) rows.push_back(&data[r * header.row_bytes]);
  if (!read_pixels(d, rows.data())) fail(file, d.message);

  GreyImage image;
  image.width = static_cast<int>(header.width);
  image.height = static_cast<int>(header.height);
  image.pixels.reserve(header.width * header.height);
  for (std::size_t r = 0; r < header.height; ++r) {
    for (std::size_t c = 0; c < header.width; ++c) {
      const png_byte* at = rows[r] + c * (header.bits == 16 ? 2 : 1);
      image.pixels.push_back(header.bits == 16 ? (256 * at[0] + at[1]) / 65535.0 : at[0] / 255.0);
    }
  }
  return image;
}

GreyImage read_png(const SourceFile& file, std::size_t max_pixels) {
  return parse_png(file.read(max_image_bytes), file.name(), max_pixels);
}

}  // namespace molejo
