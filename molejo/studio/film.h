// Films: pictures go in one after the other, ffmpeg makes an MP4 or an animated GIF of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "molejo/io/staged_file.h"
#include "molejo/studio/child.h"

namespace molejo {

// What keeps these bytes from being a PNG of this size; empty: nothing. Its chunks are walked, not
// decoded: the encoder does that.
std::string picture_fault(std::string_view bytes, int width, int height);

// One film into one file. All but the first throw std::runtime_error when the encoder gives up or
// it is time to stop.
class FilmWriter {
 public:
  // An ending .gif means an animated picture. Throws InputError where there is no ffmpeg, or
  // the file cannot be written.
  FilmWriter(const std::string& path, double fps);
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  void add(std::string_view png);
  // The file is there when it returns.
  void finish();

 private:
  [[noreturn]] void give_up() const;

  StagedFile file_;
  std::optional<Child> encoder_;
};

}  // namespace molejo
