// Grey PNG images (ISO/IEC 15948) as height maps: black is 0, white is 1.
//
// 1, 2, 4, 8 and 16 bits per pixel, interlaced or not; an alpha channel is ignored, colours are
// refused. Gamma is ignored too: heights are no light.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/file_scope.h"

namespace molejo {

inline constexpr std::size_t max_image_bytes = std::size_t{64} << 20;

struct GreyImage {
  int width = 0, height = 0;
  std::vector<double> pixels;  // from the upper left, row by row
};

// Throws InputError "file: ..." for what is no grey PNG, is cut off, or has more than `max_pixels`.
GreyImage parse_png(std::string_view bytes, const std::string& file, std::size_t max_pixels);
GreyImage read_png(const SourceFile& file, std::size_t max_pixels);

}  // namespace molejo
