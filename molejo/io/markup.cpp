#include "molejo/io/markup.h"

namespace molejo {

namespace {

// Bytes of the UTF-8 character at the start of `s`, or 0 (Unicode 15, table 3-7). Surrogates,
// overlong forms and the two non-characters that XML forbids are refused.
std::size_t character_length(std::string_view s) {
  const auto byte = [&](std::size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return continues(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const bool overlong = a == 0xE0 && b < 0xA0, surrogate = a == 0xED && b > 0x9F;
    const bool forbidden = a == 0xEF && b == 0xBF && byte(2) >= 0xBE;
    return continues(1) && continues(2) && !overlong && !surrogate && !forbidden ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool outside = (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F);
    return continues(1) && continues(2) && continues(3) && !outside ? 4 : 0;
  }
  return 0;
}

// The character at the start of a text that can stand in markup, in bytes; 0: none can.
std::size_t allowed_length(std::string_view text) {
  const auto code = static_cast<unsigned char>(text.front());
  const bool control = (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
  return control ? 0 : character_length(text);
}

}  // namespace

bool is_markup_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = allowed_length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t n = allowed_length(text);
    const char c = text.front();
    if (n == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

}  // namespace molejo
