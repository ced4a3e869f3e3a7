// Style sheet and player script of the gallery page, as text to embed.
#pragma once

#include <string_view>

namespace molejo {

extern const std::string_view gallery_style;
extern const std::string_view gallery_script;

}  // namespace molejo
