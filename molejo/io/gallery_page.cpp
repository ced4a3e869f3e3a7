#include "molejo/io/gallery_page.h"

#include "molejo/io/take_in.h"

MOLEJO_TAKE_IN(molejo_gallery_style, MOLEJO_GALLERY_DIR "/style.css");
MOLEJO_TAKE_IN(molejo_gallery_theme, MOLEJO_GALLERY_DIR "/theme.js");
// one script, in the order in which its parts use each other
MOLEJO_TAKE_IN(molejo_gallery_picture, MOLEJO_GALLERY_DIR "/picture.js");
MOLEJO_TAKE_IN(molejo_gallery_film, MOLEJO_GALLERY_DIR "/film.js");
MOLEJO_TAKE_IN(molejo_gallery_player, MOLEJO_GALLERY_DIR "/player.js");
MOLEJO_TAKE_IN(molejo_gallery_page, MOLEJO_GALLERY_DIR "/page.js");

namespace molejo {

namespace {

std::string_view text(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view gallery_style() { return text(molejo_gallery_style, molejo_gallery_style_end); }

std::string_view gallery_theme() { return text(molejo_gallery_theme, molejo_gallery_theme_end); }

std::string gallery_script() {
  std::string script;
  script += text(molejo_gallery_picture, molejo_gallery_picture_end);
  script += text(molejo_gallery_film, molejo_gallery_film_end);
  script += text(molejo_gallery_player, molejo_gallery_player_end);
  script += text(molejo_gallery_page, molejo_gallery_page_end);
  return script;
}

}  // namespace molejo
