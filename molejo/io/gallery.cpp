#include "molejo/io/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include "molejo/io/gallery_page.h"
#include "molejo/io/markup.h"
#include "molejo/math/characters.h"

namespace molejo {

namespace {

// RFC 3986: everything but unreserved characters and the slash is percent-encoded.
std::string url(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 128 &&
        (std::isalnum(code) || std::string_view("-._~/").find(c) != std::string::npos)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", code);
    }
  }
  return out;
}

// The number behind `name="` in the head of an SVG.
double attribute(const std::string& svg, const char* name) {
  const std::string mark = fmt::format(" {}=\"", name);
  const std::size_t at = svg.find(mark), end = svg.find('>', svg.find("<svg"));
  if (at == std::string::npos || at > end) return 0;
  return std::strtod(svg.c_str() + at + mark.size(), nullptr);
}

std::string player_markup(const std::string& title) {
  return fmt::format(
      "<canvas width=\"1120\" height=\"700\" aria-label=\"animation of {}\"></canvas>\n"
      "<div class=\"controls\"><button type=\"button\" aria-label=\"play\"></button>"
      "<input type=\"range\" min=\"0\" max=\"1\" step=\"any\" value=\"0\" aria-label=\"time\">"
      "<output>0.00 s</output></div>\n",
      escaped(title));
}

std::string picture_markup(const GalleryPicture& p) {
  return fmt::format(
      "<a class=\"picture\" href=\"{0}\"><img src=\"{0}\" alt=\"{1}\" width=\"{2:g}\" "
      "height=\"{3:g}\" loading=\"lazy\"></a>\n",
      url(p.file), escaped(p.alt), p.width, p.height);
}

std::string table_markup(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (const std::string& cell : rows[i]) {
      out += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", escaped(cell));
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

// What is told in words and numbers.
std::string text_markup(const GalleryCard& card) {
  std::string out;
  if (!card.table.empty()) out += table_markup(card.table);
  if (!card.sentences.empty()) {
    out += "<ul class=\"findings\">\n";
    for (const GallerySentence& s : card.sentences) {
      out += fmt::format("<li class=\"{}\">{}</li>\n", escaped(s.sign), escaped(s.text));
    }
    out += "</ul>\n";
  }
  if (!card.facts.empty()) {
    out += "<dl>\n";
    for (const auto& [name, value] : card.facts) {
      out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
    }
    out += "</dl>\n";
  }
  out += "<p class=\"files\">";
  for (const auto& [file, label] : card.files) {
    out += fmt::format("<a href=\"{}\">{}</a>", url(file), escaped(label));
  }
  return out + "</p>\n";
}

// Topics in the order in which cards first name them.
std::vector<std::string> topics_of(std::span<const GalleryCard> cards) {
  std::vector<std::string> topics;
  for (const GalleryCard& card : cards) {
    if (std::find(topics.begin(), topics.end(), card.topic) == topics.end()) {
      topics.push_back(card.topic);
    }
  }
  return topics;
}

// "Chain" for a card that is alone with its title, "Walk: show, net" for several: by their kinds,
// or by their files, where kinds are alike.
std::string group_markup(const std::vector<const GalleryCard*>& group) {
  std::set<std::string> kinds;
  for (const GalleryCard* card : group) kinds.insert(card->kind);
  const bool alone = group.size() == 1, by_kind = kinds.size() == group.size();
  std::string out = "<span>";
  if (!alone) out += escaped(group.front()->title);
  for (const GalleryCard* card : group) {
    const std::string& file = card->source;
    const std::string& label = alone ? card->title : by_kind ? card->kind : file;
    const std::size_t folder = !alone && !by_kind ? file.rfind('/') + 1 : 0;
    const char* before = alone ? "" : card == group.front() ? ": " : ", ";
    out += fmt::format("{}<a href=\"#{}\" title=\"{}\">{}</a>", before, url(card->id),
                       escaped(file), escaped(label.substr(folder)));
  }
  return out + "</span>";
}

std::string index_markup(std::span<const GalleryCard> cards,
                         const std::vector<std::string>& topics) {
  std::string out = "<nav aria-label=\"all cards\"><dl>\n";
  for (const std::string& topic : topics) {
    out += fmt::format("<div id=\"index-{0}\"><dt>{0}</dt><dd>", escaped(topic));
    std::vector<const GalleryCard*> group;
    for (const GalleryCard& card : cards) {
      if (card.topic != topic) continue;
      if (!group.empty() && group.front()->title != card.title) {
        out += group_markup(group);
        group.clear();
      }
      group.push_back(&card);
    }
    out += group_markup(group) + "</dd></div>\n";
  }
  return out + "</dl></nav>\n";
}

std::string header_markup(const std::vector<std::string>& topics) {
  std::string out = "<header><div>\n<h1>Molejo</h1>\n<div class=\"topics\">";
  for (const std::string& topic : topics) {
    out += fmt::format("<a href=\"#{0}\">{0}</a>", escaped(topic));
  }
  return out +
         "</div>\n<input id=\"search\" type=\"search\" placeholder=\"Search, or press /\" "
         "aria-label=\"search\">\n<button id=\"theme\" type=\"button\" aria-label=\"light or "
         "dark\" "
         "title=\"Light or dark\"><svg viewBox=\"0 0 18 18\"><path d=\"M9 1a8 8 0 1 0 0 16z\"/>"
         "<path d=\"M9 1a8 8 0 0 1 0 16v-1.6a6.4 6.4 0 0 0 0-12.8z\"/></svg></button>\n"
         "</div></header>\n";
}

}  // namespace

GalleryPicture gallery_picture(const std::string& svg, std::string file, std::string alt) {
  return {std::move(file), std::move(alt), attribute(svg, "width"), attribute(svg, "height")};
}

// With thin spaces that do not break.
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3 + static_cast<std::size_t>(value < 0);) {
    at -= 3;
    digits.insert(at, "\u202F");
  }
  return digits;
}

std::string scientific(double x) {
  if (x == 0 || !std::isfinite(x)) return x == 0 ? "0" : "not finite";
  const std::string text = fmt::format("{:.1e}", x);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent == 0) return text.substr(0, e);
  constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string power = exponent < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(exponent))) power += raised[c - '0'];
  return fmt::format("{}\u202F×\u202F10{}", text.substr(0, e), power);
}

std::vector<std::pair<std::string, std::string>> summary_facts(const Summary& s) {
  const auto rate = static_cast<std::int64_t>(std::clamp(s.steps_per_second, 0.0, 1e15));
  const std::string rejected = " (" + grouped(s.rejected_steps) + " rejected)";
  return {{"simulated", fmt::format("{:.4g} s", s.duration)},
          {"steps", grouped(s.steps) + (s.rejected_steps > 0 ? rejected : "")},
          {"steps per second", grouped(rate)},
          {"energy at start", fmt::format("{:.5g} J", s.energy_initial)},
          {"energy deviation", scientific(s.energy_deviation) + " J"},
          {"energy drift", scientific(s.energy_drift)},
          {"constraint error", scientific(s.constraint_error)},
          {"final state", fmt::format("{:016x}", s.hash)}};
}

std::string gallery_card(const GalleryCard& card) {
  const std::string words = lower_case(fmt::format("{} {} {} {} {}", card.title, card.kind,
                                                   card.topic, card.source, card.description));
  std::string out = fmt::format(
      "<article class=\"card\" id=\"{}\" data-words=\"{}\">\n<h3>{}<span>{}</span></h3>"
      "<p class=\"source\">{}</p>\n",
      url(card.id), escaped(words), escaped(card.title), escaped(card.kind), escaped(card.source));
  if (!card.description.empty()) {
    out += "<p class=\"description\">" + escaped(card.description) + "</p>\n";
  }
  if (!card.failure.empty()) {
    out += "<p class=\"failure\">stopped early: " + escaped(card.failure) + "</p>\n";
  }
  for (const std::string& warning : card.warnings) {
    out += "<p class=\"failure\">warning: " + escaped(warning) + "</p>\n";
  }
  // what moves on the left; beside it pictures, or words where there are none
  const bool moves = !card.film.empty();
  const std::size_t first = moves ? 0 : 1;
  const bool pictures_right = card.pictures.size() > first;
  out += "<div class=\"views\">\n<div class=\"still\">\n";
  if (moves) {
    out += player_markup(card.title);
  } else if (!card.pictures.empty()) {
    out += picture_markup(card.pictures.front());
  }
  if (pictures_right) out += text_markup(card);
  out += "</div>\n<div>\n";
  for (std::size_t i = first; i < card.pictures.size(); ++i) {
    out += picture_markup(card.pictures[i]);
  }
  if (!pictures_right) out += text_markup(card);
  out += "</div>\n</div>\n";
  if (moves) out += "<script type=\"application/json\">" + card.film + "</script>\n";
  return out + "</article>\n";
}

std::string gallery_page(std::span<const GalleryCard> cards) {
  const std::vector<std::string> topics = topics_of(cards);
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Molejo</title>\n<style>\n";
  out += gallery_style();
  out += "</style>\n<script>\n";
  out += gallery_theme();
  out += "</script>\n</head>\n<body>\n" + header_markup(topics) + "<main>\n";
  out += fmt::format(
      "<p class=\"about\">{} {}, each made from the file it names. Drag a moving picture to look "
      "around; the glTF files play in Blender and any glTF viewer.</p>\n",
      cards.size(), cards.size() == 1 ? "animation or net" : "animations and nets");
  out += index_markup(cards, topics);
  out += "<p id=\"nothing\" hidden>Nothing is called so.</p>\n";
  for (const std::string& topic : topics) {
    out += fmt::format("<section class=\"topic\" id=\"{0}\">\n<h2>{0}</h2>\n", escaped(topic));
    for (const GalleryCard& card : cards) {
      if (card.topic == topic) out += gallery_card(card);
    }
    out += "</section>\n";
  }
  out += "</main>\n<script>\n";
  out += gallery_script();
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace molejo
