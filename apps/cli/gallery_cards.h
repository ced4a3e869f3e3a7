// What the gallery shows of a file: one function a kind. Each writes the files that its card links.
#pragma once

#include <string>

#include "molejo/io/gallery.h"
#include "molejo/studio/catalog.h"

namespace molejo::cli {

struct GallerySource {
  CatalogEntry entry;
  std::string path;  // of the file itself
  std::string base;  // names what is written, without an ending
  std::string out;   // folder
};

struct MadeCard {
  GalleryCard card;
  std::string told;  // a line about it
};

// All throw InputError or NetError.
MadeCard scene_card(const GallerySource& source);
MadeCard gait_card(const GallerySource& source);
MadeCard motion_card(const GallerySource& source);
MadeCard show_card(const GallerySource& source);
MadeCard net_card(const GallerySource& source);
MadeCard walk_card(const GallerySource& source);

// By the kind; for characters there is none.
MadeCard make_card(const GallerySource& source);

// Thrown for files that need characters which are not installed.
struct NotInstalled {
  std::string file;
};

}  // namespace molejo::cli
