#include "molejo/io/json_document.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "molejo/io/json_library.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// The parser reads its text through this iterator, so that we know how far it is.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    *reached = ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

std::string where(const std::string& file, int line) { return file + ":" + std::to_string(line); }

// the part of a message by nlohmann that tells what is wrong, on one line
std::string plain_message(std::string text) {
  const std::size_t syntax = text.find("syntax error");
  if (syntax != std::string::npos) text = text.substr(syntax);
  // a long last token says nothing more than its beginning
  constexpr std::size_t longest = 200;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > 126) c = '?';
  }
  return text;
}

// errors are one line, whatever the texts in them hold
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  }
  return text;
}

// Receives the events of the parser and grows the tree.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& file, JsonValue& root)
      : begin_(text.data()), reached_(begin_), counted_(begin_), file_(file), root_(root) {}

  const char** reached() { return &reached_; }

  bool null() { return add({}), true; }
  bool boolean(bool x) { return add(JsonValue::of(x)), true; }
  bool number_integer(std::int64_t x) { return add(static_cast<double>(x)), true; }
  bool number_unsigned(std::uint64_t x) { return add(static_cast<double>(x)), true; }
  bool number_float(double x, const std::string& text) {
    if (!std::isfinite(x)) refuse("number " + text.substr(0, 40) + " is too large");
    return add(x), true;
  }
  bool string(std::string& x) { return add(std::move(x)), true; }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(JsonValue::object()), true; }
  bool start_array(std::size_t) { return open(JsonValue::array()), true; }
  bool key(std::string& x) {
    if (has_key(x)) refuse("duplicate key '" + x.substr(0, 64) + "'");
    open_.back()->keys.push_back(std::move(x));
    return true;
  }
  bool end_object() { return close(), true; }
  bool end_array() { return close(), true; }

  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& e) {
    constexpr int overflow = 406;
    if (e.id == overflow) refuse("number " + token.substr(0, 40) + " is too large");
    const int line = current_line();
    const char* start = reached_ > begin_ ? reached_ - 1 : begin_;
    while (start > begin_ && start[-1] != '\n') --start;
    const auto column = std::max<std::ptrdiff_t>(1, reached_ - start);
    throw InputError(where(file_, line) + ": column " + std::to_string(column) + ": " +
                     plain_message(e.what()));
  }

 private:
  // Does the open object have that key already? One of many keys is given a set of them.
  bool has_key(const std::string& x) {
    constexpr std::size_t few = 32;
    const std::vector<std::string>& keys = open_.back()->keys;
    if (keys.size() < few) return std::find(keys.begin(), keys.end(), x) != keys.end();
    std::set<std::string>& seen = seen_.back();
    if (seen.empty()) seen.insert(keys.begin(), keys.end());
    return !seen.insert(x).second;
  }

  // a token ends at or one before the place the parser has reached, and never holds a line end
  int current_line() {
    const char* end = reached_ > begin_ ? reached_ - 1 : begin_;
    if (end > counted_) {
      line_ += static_cast<int>(std::count(counted_, end, '\n'));
      counted_ = end;
    }
    return line_;
  }

  JsonValue& add(JsonValue value) {
    check_interrupt();
    if (++values_ > max_json_values) {
      refuse("more than " + std::to_string(max_json_values) + " values");
    }
    value.line = current_line();
    if (open_.empty()) return root_ = std::move(value);
    return open_.back()->items.emplace_back(std::move(value));
  }
  // a container is finished before its next sibling is added, so the pointers stay valid
  void open(JsonValue value) {
    if (open_.size() >= static_cast<std::size_t>(max_json_nesting)) {
      refuse("nested deeper than " + std::to_string(max_json_nesting) + " levels");
    }
    open_.push_back(&add(std::move(value)));
    seen_.emplace_back();
  }
  void close() {
    open_.pop_back();
    seen_.pop_back();
  }

  [[noreturn]] void refuse(const std::string& message) {
    throw InputError(one_line(where(file_, current_line()) + ": " + message));
  }

  const char* begin_;
  const char* reached_;
  const char* counted_;  // line ends are counted up to here
  int line_ = 1;
  const std::string& file_;
  JsonValue& root_;
  std::size_t values_ = 0;
  std::vector<JsonValue*> open_;
  std::vector<std::set<std::string>> seen_;  // of the open objects: their keys, where they are many
};

// the keys or indices that lead from `from` to `wanted`, last first
bool find_path(const JsonValue& from, const JsonValue& wanted, std::vector<std::string>& path) {
  if (&from == &wanted) return true;
  for (std::size_t i = 0; i < from.items.size(); ++i) {
    if (!find_path(from.items[i], wanted, path)) continue;
    path.push_back(from.is(JsonValue::Kind::object) ? from.keys[i] : std::to_string(i));
    return true;
  }
  return false;
}

std::string pointer_word(const std::string& key) {
  std::string text;
  for (const char c : key) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

JsonValue JsonValue::of(bool x) {
  JsonValue value;
  value.kind = Kind::boolean;
  value.boolean = x;
  return value;
}

JsonValue JsonValue::array() {
  JsonValue value;
  value.kind = Kind::array;
  return value;
}

JsonValue JsonValue::object() {
  JsonValue value;
  value.kind = Kind::object;
  return value;
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

JsonValue& JsonValue::add(std::string key, JsonValue value) {
  keys.push_back(std::move(key));
  return items.emplace_back(std::move(value));
}

JsonDocument parse_json(std::string_view text, const SourceFile& file) {
  if (text.size() > max_json_bytes) {
    throw InputError(file.name() + ": larger than " + std::to_string(max_json_bytes) + " bytes");
  }
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  if (std::all_of(text.begin(), text.end(), is_space))
    throw InputError(file.name() + ": the file is empty");

  JsonDocument document{file, {}};
  TreeBuilder builder(text, file.name(), document.root);
  const CountingIterator first{text.data(), builder.reached()};
  const CountingIterator last{text.data() + text.size(), builder.reached()};
  constexpr bool strict = true, comments = true;
  unquoted(file, "JSON", [&] {
    nlohmann::json::sax_parse(first, last, &builder, nlohmann::json::input_format_t::json, strict,
                              comments);
  });
  return document;
}

std::string json_pointer(const JsonDocument& document, const JsonValue& value) {
  std::vector<std::string> path;
  find_path(document.root, value, path);
  std::string pointer;
  for (auto key = path.rbegin(); key != path.rend(); ++key) pointer += "/" + pointer_word(*key);
  return pointer.empty() ? "/" : pointer;
}

void JsonPlaces::remember(const JsonValue& value) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    parents_[&value.items[i]] = {&value, i};
    remember(value.items[i]);
  }
}

std::string JsonPlaces::of(const JsonValue& value) {
  if (parents_.empty()) remember(document_->root);
  std::string pointer;
  for (auto at = parents_.find(&value); at != parents_.end();
       at = parents_.find(at->second.value)) {
    const auto& [parent, index] = at->second;
    const bool named = parent->is(JsonValue::Kind::object);
    pointer.insert(0, "/" + (named ? pointer_word(parent->keys[index]) : std::to_string(index)));
    // kept for every formula: keys of a megabyte must not be
    constexpr std::size_t longest = 300;
    if (pointer.size() > longest) pointer = "..." + pointer.substr(pointer.size() - longest);
  }
  return one_line(where(document_->file.name(), value.line) + ": " +
                  (pointer.empty() ? "/" : pointer));
}

void fail(const JsonDocument& document, const JsonValue& value, const std::string& message) {
  constexpr std::size_t shown = 60;
  const std::string place = where(document.file.name(), value.line);
  if (!document.file.is_quotable() && !document.is_ours) {
    throw InputError(place + ": is not a file of the kind that is expected here");
  }
  throw InputError(one_line(place + ": " + json_pointer(document, value) + ": " +
                            compact_text(value, shown) + ": " + message));
}

std::size_t count_values(const JsonValue& value) {
  std::size_t count = 1;
  for (const JsonValue& item : value.items) count += count_values(item);
  return count;
}

}  // namespace molejo
