#include "molejo/studio/film.h"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

namespace molejo {

namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t x = 0;
  for (const char c : bytes.substr(0, 4)) x = x << 8 | static_cast<unsigned char>(c);
  return x;
}

std::vector<std::string> encoder_words(bool gif, const std::string& path, double fps) {
  std::vector<std::string> words{"-y", "-loglevel", "error", "-xerror",
                                 // what comes in
                                 "-f", "image2pipe", "-framerate", fmt::format("{:g}", fps), "-c:v",
                                 "png", "-i", "-"};
  // what goes out: of a film sizes must be even, and every player must take it
  static const std::vector<std::string> film{"-vf",       "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                                             "-c:v",      "libx264",
                                             "-crf",      "18",
                                             "-preset",   "veryfast",
                                             "-pix_fmt",  "yuv420p",
                                             "-movflags", "+faststart"};
  // one palette for all pictures, and no noise where nothing moves
  static const std::vector<std::string> animation{
      "-filter_complex",
      "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none", "-loop", "0"};
  const std::vector<std::string>& out = gif ? animation : film;
  words.insert(words.end(), out.begin(), out.end());
  words.insert(words.end(), {"-f", gif ? "gif" : "mp4", path});
  return words;
}

}  // namespace

std::string picture_fault(std::string_view bytes, int width, int height) {
  constexpr std::size_t chunk_frame = 12;  // length, name and checksum
  if (bytes.substr(0, signature.size()) != signature) return "expected a PNG";
  bytes.remove_prefix(signature.size());
  for (bool first = true; bytes.size() >= chunk_frame; first = false) {
    const std::size_t length = big_endian(bytes);
    const std::string_view name = bytes.substr(4, 4);
    if (length > bytes.size() - chunk_frame) break;
    if (first) {
      if (name != "IHDR" || length != 13) return "expected a PNG that begins with its size";
      const std::uint32_t w = big_endian(bytes.substr(8)), h = big_endian(bytes.substr(12));
      if (w != static_cast<std::uint32_t>(width) || h != static_cast<std::uint32_t>(height)) {
        return fmt::format("a picture of {}x{}: expected {}x{}", w, h, width, height);
      }
    }
    bytes.remove_prefix(chunk_frame + length);
    if (name == "IEND") return bytes.empty() ? "" : "expected nothing behind the end of the PNG";
  }
  return "the PNG ends too early";
}

FilmWriter::FilmWriter(const std::string& path, double fps) : file_(path) {
  encoder_.emplace(need_program({"ffmpeg"}, "ffmpeg"),
                   encoder_words(path.ends_with(".gif"), file_.door(), fps), true);
}

void FilmWriter::give_up() const {
  const std::string why = encoder_->complaint();
  throw std::runtime_error("ffmpeg could not make the film" + (why.empty() ? why : ": " + why));
}

void FilmWriter::add(std::string_view png) {
  if (encoder_->feed(png)) return;
  encoder_->finish();  // it has ended: all is said
  give_up();
}

void FilmWriter::finish() {
  if (!encoder_->finish()) give_up();
  file_.sync();
  file_.place();
  file_.settle();
}

}  // namespace molejo
