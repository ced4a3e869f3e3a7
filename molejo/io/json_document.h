// A JSON text as a tree that remembers the line of every value.
//
// Comments are allowed; duplicate keys, numbers beyond double and deep nesting are refused. Keys
// keep their order. Errors are InputError: "file:line: column N: what is wrong" for syntax, and
// "file:line: /pointer: value: what was expected" from `fail`. Of a file that another one names
// they quote nothing until it is known to be in one of Molejo's formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "molejo/io/file_scope.h"

namespace molejo {

inline constexpr std::size_t max_json_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_json_values = 2'000'000;
inline constexpr int max_json_nesting = 64;

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  int line = 1;
  double number = 0;
  std::string text;               // of a string
  std::vector<std::string> keys;  // of an object, one per item
  std::vector<JsonValue> items;   // of an array or object

  JsonValue() = default;
  JsonValue(double x) : kind(Kind::number), number(x) {}  // NOLINT: a number is a JSON value
  JsonValue(std::string x) : kind(Kind::string), text(std::move(x)) {}  // NOLINT: so is a text
  static JsonValue of(bool x);
  static JsonValue array();
  static JsonValue object();

  bool is(Kind k) const { return kind == k; }
  // The item under `key` of an object, or null.
  const JsonValue* find(std::string_view key) const;
  // Appends to an object.
  JsonValue& add(std::string key, JsonValue value);
};

struct JsonDocument {
  SourceFile file;
  JsonValue root;
  mutable bool is_ours = false;  // its keys are those of one of our formats: it may be quoted
};

JsonDocument parse_json(std::string_view text, const SourceFile& file);

// RFC 6901 pointer to a value of the document, "/" for the root.
std::string json_pointer(const JsonDocument& document, const JsonValue& value);

// "file:line: /pointer" of many values: the tree is walked once, for the first of them. The
// document must stay where it is.
class JsonPlaces {
 public:
  explicit JsonPlaces(const JsonDocument& document) : document_(&document) {}
  std::string of(const JsonValue& value);

 private:
  struct Parent {
    const JsonValue* value;
    std::size_t index;
  };
  void remember(const JsonValue& value);

  const JsonDocument* document_;
  std::unordered_map<const JsonValue*, Parent> parents_;
};

// Throws InputError that names the place, the value and the message.
[[noreturn]] void fail(const JsonDocument& document, const JsonValue& value,
                       const std::string& message);

// Number of values in a tree, itself included.
std::size_t count_values(const JsonValue& value);

// On one line; cut after about `longest` characters.
std::string compact_text(const JsonValue& value, std::size_t longest);

// Indented by two; what fits in 100 columns stays on one line. Numbers have the fewest digits
// that read back exactly; numbers that are not finite throw InputError.
std::string pretty_text(const JsonValue& value);

}  // namespace molejo
