// The page of the studio, which is part of the program: index.html, app.js, style.css.
#pragma once

#include <vector>

#include "molejo/studio/studio.h"

namespace molejo::cli {

std::vector<PageFile> studio_page();

}  // namespace molejo::cli
