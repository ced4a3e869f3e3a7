// The page that shows what a folder of scenes holds: out/index.html, one card a file, by topic.
//
// A card holds what there is of a film with its player, pictures, figures, sentences, a table, and
// links to files. The page needs no network and no server: it opens from the file system.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "molejo/model/recording.h"

namespace molejo {

// An SVG beside the page. Its size, so that the page keeps still while it is loaded.
struct GalleryPicture {
  std::string file, alt;
  double width = 0, height = 0;
};
GalleryPicture gallery_picture(const std::string& svg, std::string file, std::string alt);

struct GallerySentence {
  std::string sign;  // good, bad, unknown, remark
  std::string text;
};

struct GalleryCard {
  std::string id;  // its own on the page
  std::string topic, kind, title, description;
  std::string source;                 // the file it is about
  std::string failure;                // why a run stopped early
  std::vector<std::string> warnings;  // what a run did not keep
  std::string film{};                 // film_json; empty: nothing moves
  std::vector<GalleryPicture> pictures{};
  std::vector<std::pair<std::string, std::string>> facts{};  // name and value
  std::vector<GallerySentence> sentences{};
  std::vector<std::vector<std::string>> table{};             // the first row is its head
  std::vector<std::pair<std::string, std::string>> files{};  // beside the page, and their labels
};

// "1 234 567"
std::string grouped(std::int64_t value);
// "1.2 x 10^-9", with a true cross and superscript digits
std::string scientific(double x);

// What a simulation tells of itself.
std::vector<std::pair<std::string, std::string>> summary_facts(const Summary& summary);

std::string gallery_card(const GalleryCard& card);
// The whole page; cards of one topic stand together, topics and cards in the order given.
std::string gallery_page(std::span<const GalleryCard> cards);

}  // namespace molejo
