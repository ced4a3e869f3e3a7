// Style sheet and scripts of the gallery page (molejo/io/gallery_page/), as text to embed.
#pragma once

#include <string>
#include <string_view>

namespace molejo {

std::string_view gallery_style();
std::string_view gallery_theme();  // for the head: before anything is drawn
std::string gallery_script();      // for the end of the body

}  // namespace molejo
