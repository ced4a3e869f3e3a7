#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "molejo/io/json_document.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using JsonKind = JsonValue::Kind;

void append_quoted(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < ' ') {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                         static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void append_number(double x, std::string& out) {
  // "-0" would come back as the integer 0
  if (x == 0 && std::signbit(x)) {
    out += "-0.0";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", x);
  }
}

// appends the value on one line; stops early once `out` is longer than `longest`
void append_line(const JsonValue& value, std::size_t longest, std::string& out) {
  if (out.size() > longest) return;
  switch (value.kind) {
    case JsonKind::null:
      out += "null";
      return;
    case JsonKind::boolean:
      out += value.boolean ? "true" : "false";
      return;
    case JsonKind::number:
      append_number(value.number, out);
      return;
    case JsonKind::string:
      append_quoted(value.text, out);
      return;
    case JsonKind::array:
    case JsonKind::object:
      break;
  }
  const bool object = value.is(JsonKind::object);
  out += object ? '{' : '[';
  for (std::size_t i = 0; i < value.items.size() && out.size() <= longest; ++i) {
    if (i > 0) out += ", ";
    if (object) {
      append_quoted(value.keys[i], out);
      out += ": ";
    }
    append_line(value.items[i], longest, out);
  }
  out += object ? '}' : ']';
}

// breaks what is too long for its line, which already has `column` characters
void append_pretty(const JsonValue& value, std::size_t indent, std::size_t column,
                   std::string& out) {
  constexpr std::size_t columns = 99;  // a comma may follow
  const std::size_t start = out.size();
  append_line(value, start + columns, out);
  const bool root = indent == 0 && column == 0;
  if (value.items.empty() || (column + out.size() - start <= columns && !root)) return;
  out.resize(start);
  const bool object = value.is(JsonKind::object);
  out += object ? "{\n" : "[\n";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const std::size_t line = out.size();
    out.append(indent + 2, ' ');
    if (object) {
      append_quoted(value.keys[i], out);
      out += ": ";
    }
    append_pretty(value.items[i], indent + 2, out.size() - line, out);
    out += i + 1 < value.items.size() ? ",\n" : "\n";
  }
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

void require_finite(const JsonValue& value) {
  if (value.is(JsonKind::number) && !std::isfinite(value.number)) {
    throw InputError("a number that is not finite cannot be written");
  }
  for (const JsonValue& item : value.items) require_finite(item);
}

}  // namespace

std::string compact_text(const JsonValue& value, std::size_t longest) {
  std::string text;
  append_line(value, longest, text);
  if (text.size() <= longest) return text;
  // cut, but not inside a character of several bytes
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string pretty_text(const JsonValue& value) {
  require_finite(value);
  std::string text;
  append_pretty(value, 0, 0, text);
  return text + "\n";
}

}  // namespace molejo
