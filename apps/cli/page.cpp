#include "apps/cli/page.h"

#include "molejo/io/take_in.h"

MOLEJO_TAKE_IN(molejo_page_index, MOLEJO_PAGE_DIR "/index.html");
MOLEJO_TAKE_IN(molejo_page_app, MOLEJO_PAGE_DIR "/app.js");
MOLEJO_TAKE_IN(molejo_page_style, MOLEJO_PAGE_DIR "/style.css");

namespace molejo::cli {

std::vector<PageFile> studio_page() {
  const auto bytes = [](const char* begin, const char* end) {
    return std::string(begin, static_cast<std::size_t>(end - begin));
  };
  return {{"/index.html", bytes(molejo_page_index, molejo_page_index_end)},
          {"/app.js", bytes(molejo_page_app, molejo_page_app_end)},
          {"/style.css", bytes(molejo_page_style, molejo_page_style_end)}};
}

}  // namespace molejo::cli
