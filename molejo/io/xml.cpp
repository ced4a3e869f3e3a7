#include "molejo/io/xml.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <pugixml.hpp>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Decimal numbers only: no hexadecimal, no "nan", no "inf".
std::optional<double> decimal(std::string_view token) {
  if (token.size() > 64) return std::nullopt;
  if (token.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  const std::string text(token);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || text.empty() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// Byte offset -> line, counted from 1.
class LineNumbers {
 public:
  explicit LineNumbers(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') breaks_.push_back(i);
    }
  }
  int at(std::ptrdiff_t offset) const {
    const auto position = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    return 1 + static_cast<int>(std::lower_bound(breaks_.begin(), breaks_.end(), position) -
                                breaks_.begin());
  }

 private:
  std::vector<std::size_t> breaks_;
};

class TreeCopy {
 public:
  TreeCopy(const LineNumbers& lines, const std::string& file, std::size_t most)
      : lines_(lines), file_(std::make_shared<const std::string>(file)), most_(most) {}

  XmlElement copy(const pugi::xml_node& node, int depth) {
    check_interrupt();
    XmlElement element;
    element.name = node.name();
    element.line = lines_.at(node.offset_debug());
    element.file = file_;
    if (depth > max_xml_depth) {
      element.fail("nested deeper than " + std::to_string(max_xml_depth) + " elements");
    }
    if (++count_ > most_) {
      element.fail("more than " + std::to_string(most_) + " elements");
    }
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (element.attributes.size() == max_xml_attributes) {
        element.fail("more than " + std::to_string(max_xml_attributes) + " attributes");
      }
      for (const XmlAttribute& other : element.attributes) {
        if (other.name == attribute.name()) {
          element.fail("the attribute '" + shown(other.name) + "' is given twice");
        }
      }
      element.attributes.push_back({attribute.name(), attribute.value()});
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) {
        element.children.push_back(copy(child, depth + 1));
      } else if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        if (element.text_line == 0) element.text_line = lines_.at(child.offset_debug());
        element.text += child.value();
      }
    }
    return element;
  }

 private:
  const LineNumbers& lines_;
  std::shared_ptr<const std::string> file_;
  std::size_t most_, count_ = 0;
};

// "mujoco/worldbody/body", a run of equal names written once.
std::string joined(const std::string& path, const std::string& name) {
  const std::string last = path.substr(path.rfind('/') + 1);
  if (path.empty()) return name;
  return last == name ? path : path + "/" + name;
}

}  // namespace

std::string shown(std::string_view value) {
  constexpr std::size_t longest = 48;
  std::string text(value.substr(0, longest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return value.size() > longest ? text + "..." : text;
}

XmlElement parse_xml(std::string_view text, const std::string& file, const XmlLimits& limits) {
  if (text.size() > limits.bytes) {
    throw InputError(file + ": larger than " + std::to_string(limits.bytes) + " bytes");
  }
  const LineNumbers lines(text);
  const auto refuse = [&](std::ptrdiff_t offset, const std::string& what) {
    throw InputError(file + ":" + std::to_string(lines.at(offset)) + ": " + what);
  };
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    refuse(static_cast<std::ptrdiff_t>(zero), "a zero byte; expected XML text");
  }
  // bounded before the library allocates a node for each
  const auto tags = static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
  if (tags > 3 * limits.elements) {
    throw InputError(file + ": more than " + std::to_string(limits.elements) + " elements");
  }

  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) refuse(result.offset, std::string("not well-formed XML: ") + result.description());

  const pugi::xml_node root = document.document_element();
  if (root.empty()) refuse(0, "no element; expected an XML document");
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
      refuse(node.offset_debug(), "<!ENTITY>: entities are not expanded; expected plain text");
    }
    if (node.type() == pugi::node_element && node != root) {
      refuse(node.offset_debug(), "<" + shown(node.name()) + ">: a second root element");
    }
  }
  return TreeCopy(lines, file, limits.elements).copy(root, 1);
}

void XmlValue::fail(std::string_view expected) const {
  throw InputError(element->place() + "<" + shown(element->name) + " " + shown(attribute->name) +
                   "=\"" + shown(attribute->value) + "\">: " + std::string(expected));
}

double XmlValue::number() const {
  std::string_view token = attribute->value;
  while (!token.empty() && is_blank(token.front())) token.remove_prefix(1);
  while (!token.empty() && is_blank(token.back())) token.remove_suffix(1);
  const std::optional<double> value = decimal(token);
  if (!value) fail("expected a finite number");
  return *value;
}

double XmlValue::positive() const {
  const double value = number();
  if (!(value > 0)) fail("expected a positive number");
  return value;
}

double XmlValue::not_negative() const {
  const double value = number();
  if (!(value >= 0)) fail("expected a number that is not negative");
  return value;
}

Vec3 XmlValue::vector() const {
  const std::vector<double> v = numbers(3, 3);
  return {v[0], v[1], v[2]};
}

std::vector<double> XmlValue::numbers(std::size_t least, std::size_t most) const {
  const auto refuse = [&] {
    std::string count = std::to_string(least);
    if (most != least) count += " to " + std::to_string(most);
    fail("expected " + count + (count == "1" ? " finite number" : " finite numbers"));
  };
  std::vector<double> values;
  const std::string& text = attribute->value;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const std::optional<double> value = decimal(std::string_view(text).substr(i, end - i));
    if (!value || values.size() == most) refuse();
    values.push_back(*value);
    i = end;
  }
  if (values.size() < least) refuse();
  return values;
}

bool XmlValue::boolean() const {
  if (attribute->value == "true") return true;
  if (attribute->value != "false") fail("expected true or false");
  return false;
}

std::size_t XmlValue::word(std::string_view kind, const std::vector<std::string>& words) const {
  const auto found = std::find(words.begin(), words.end(), attribute->value);
  if (found == words.end()) fail(unknown_word(kind, shown(attribute->value), words));
  return static_cast<std::size_t>(found - words.begin());
}

std::optional<XmlValue> XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes) {
    if (a.name == attribute) {
      a.read = true;
      return XmlValue{this, &a};
    }
  }
  return std::nullopt;
}

XmlValue XmlElement::require(std::string_view attribute) const {
  const std::optional<XmlValue> value = find(attribute);
  if (!value) fail("expected the attribute '" + std::string(attribute) + "'");
  return *value;
}

const std::string& XmlElement::require_name() const {
  const XmlValue value = require("name");
  if (value.text().empty()) value.fail("expected a name");
  return value.text();
}

const XmlElement* XmlElement::child(std::string_view child_name, bool only) const {
  const XmlElement* found = nullptr;
  for (const XmlElement& c : children) {
    if (c.name != child_name) continue;
    if (found == nullptr) {
      found = &c;
      c.read = true;
    } else if (only) {
      c.fail("given twice; expected one in <" + shown(name) + ">");
    }
  }
  return found;
}

std::vector<const XmlElement*> XmlElement::all(std::string_view child_name) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement& c : children) {
    if (c.name != child_name) continue;
    c.read = true;
    found.push_back(&c);
  }
  return found;
}

std::string XmlElement::place() const { return *file + ":" + std::to_string(line) + ": "; }

void XmlElement::fail(std::string_view what) const {
  throw InputError(place() + "<" + shown(name) + ">: " + std::string(what));
}

void ImportWarnings::add(const XmlElement& at, const std::string& sentence) {
  add_at(at.place(), sentence);
}

void ImportWarnings::add_at(const std::string& place, const std::string& sentence) {
  const auto [found, is_new] = index_.try_emplace(sentence, entries_.size());
  if (is_new) entries_.push_back({place, sentence, 0});
  ++entries_[found->second].count;
}

void ImportWarnings::add_unread(const XmlElement& root) { add_unread_below(root, ""); }

void ImportWarnings::add_unread_below(const XmlElement& element, const std::string& path) {
  const std::string here = joined(path, shown(element.name));
  if (!element.read) return add(element, "<" + here + "> is not supported and was left out");
  for (const XmlAttribute& a : element.attributes) {
    if (a.read) continue;
    add(element, "<" + here + " " + shown(a.name) + "> is not supported and was left out");
  }
  if (element.text_line != 0) add(element, "text inside <" + here + "> was left out");
  for (const XmlElement& child : element.children) add_unread_below(child, here);
}

std::vector<std::string> ImportWarnings::sentences() const {
  constexpr std::size_t most = 200;
  std::vector<std::string> all;
  for (const Entry& e : entries_) {
    if (all.size() == most) {
      all.push_back("and " + std::to_string(entries_.size() - most) + " more kinds of warnings");
      break;
    }
    std::string text = e.place + e.sentence;
    if (e.count > 1) text += " (" + std::to_string(e.count) + " times)";
    all.push_back(std::move(text));
  }
  return all;
}

std::string_view root_element(std::string_view text) {
  constexpr std::string_view space = " \t\r\n", byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == byte_order_mark) text.remove_prefix(3);
  while (true) {
    const std::size_t start = text.find_first_not_of(space);
    if (start == std::string_view::npos || text[start] != '<') return {};
    text.remove_prefix(start);
    const std::string_view closing = text.substr(0, 4) == "<!--" ? "-->"
                                     : text.substr(0, 2) == "<?" ? "?>"
                                     : text.substr(0, 2) == "<!" ? ">"
                                                                 : "";
    if (closing.empty()) break;
    const std::size_t end = text.find(closing, 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + closing.size());
  }
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

}  // namespace molejo
