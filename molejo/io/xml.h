// XML as a tree of elements that know their line and remember what was read of them.
//
// Readers ask for elements and attributes; whatever nobody asked for is reported at the end
// (`add_unread`), so that a reader cannot drop anything silently. Errors are InputError:
// "file:line: <element attribute="value">: what was expected". Bounded: bytes, depth, number of
// elements; entities are never expanded. Nothing outside xml.cpp sees the XML library.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "molejo/math/rotation.h"

namespace molejo {

inline constexpr std::size_t max_xml_bytes = std::size_t{16} << 20;
inline constexpr int max_xml_depth = 128;
inline constexpr std::size_t max_xml_elements = 200'000;
inline constexpr std::size_t max_xml_attributes = 256;  // of one element

struct XmlElement;

struct XmlAttribute {
  std::string name, value;
  mutable bool read = false;
};

// An attribute where it stands, with typed access. Every function throws InputError on a value of
// another form.
struct XmlValue {
  const XmlElement* element = nullptr;
  const XmlAttribute* attribute = nullptr;

  const std::string& text() const { return attribute->value; }
  double number() const;        // finite
  double positive() const;      // > 0
  double not_negative() const;  // >= 0
  Vec3 vector() const;          // three finite numbers
  // Finite numbers separated by blanks; their count must lie in [least, most].
  std::vector<double> numbers(std::size_t least, std::size_t most) const;
  bool boolean() const;  // "true" or "false"
  // The index of the word in the list; the error names the nearest one.
  std::size_t word(std::string_view kind, const std::vector<std::string>& words) const;
  [[noreturn]] void fail(std::string_view expected) const;
};

struct XmlElement {
  std::string name;
  int line = 0;
  std::shared_ptr<const std::string> file;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  int text_line = 0;  // line of the first text that is not blank, 0: none
  std::string text;   // all text directly inside, joined
  mutable bool read = false;

  // Marks the attribute as read.
  std::optional<XmlValue> find(std::string_view attribute) const;
  XmlValue require(std::string_view attribute) const;
  // A required attribute that is not empty.
  const std::string& require_name() const;
  // The first child of that name, marked as read; the second one throws when `only` is set.
  const XmlElement* child(std::string_view child_name, bool only = true) const;
  // All children of that name, marked as read.
  std::vector<const XmlElement*> all(std::string_view child_name) const;

  std::string place() const;  // "file:line: "
  [[noreturn]] void fail(std::string_view what) const;
};

// What a document may have at most.
struct XmlLimits {
  std::size_t bytes = max_xml_bytes, elements = max_xml_elements;
};

// The root element of a document. Throws InputError.
XmlElement parse_xml(std::string_view text, const std::string& file, const XmlLimits& limits = {});

// Sentences about what was not carried over: equal ones are counted, the first place is told.
class ImportWarnings {
 public:
  void add(const XmlElement& at, const std::string& sentence);
  void add(const std::string& sentence) { add_at("", sentence); }
  // Everything below `root` that was neither read nor inside something that was not read.
  void add_unread(const XmlElement& root);
  // "file:line: sentence (3 times)", in the order of their first appearance.
  std::vector<std::string> sentences() const;

 private:
  struct Entry {
    std::string place, sentence;
    int count = 0;
  };
  void add_at(const std::string& place, const std::string& sentence);
  void add_unread_below(const XmlElement& element, const std::string& path);

  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> index_;
};

// A value for an error text: one line, printable, shortened.
std::string shown(std::string_view value);

// The name of the first element of a text, or nothing: prolog, comments and a document type are
// skipped.
std::string_view root_element(std::string_view text);

}  // namespace molejo
