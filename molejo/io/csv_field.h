// A field of a CSV file (RFC 4180): one with a comma, quote or line break is quoted, its quotes
// doubled.
#pragma once

#include <string>

namespace molejo {

inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

}  // namespace molejo
