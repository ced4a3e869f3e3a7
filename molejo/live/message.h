// One message of a client, read: {"do": "play", "id": 7}; and the shape of its answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/json_document.h"
#include "molejo/math/types.h"

namespace molejo {

// Who sent it; never used twice.
using ClientKey = std::uint64_t;

// Who waits for an answer, and what it begins with: "id":7, or nothing.
struct Asker {
  ClientKey client = 0;
  std::string id = {};

  std::string ok(const std::string& fields) const;
  std::string error(const std::string& text) const;
};

// What to do, and with what. All throw InputError that names the key and what was expected.
struct Message {
  JsonDocument document;
  ClientKey client = 0;
  std::string id = {};  // as Asker::id

  Asker asker() const { return {client, id}; }
  std::string word() const { return text("do"); }
  const JsonValue* find(std::string_view key) const { return document.root.find(key); }
  const JsonValue& need(std::string_view key, JsonValue::Kind kind, const char* expected) const;
  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, const std::string& otherwise) const;
  double number(std::string_view key) const;
  double number_or(std::string_view key, double otherwise) const;
  // A number from least to most.
  double number_within(std::string_view key, double least, double most) const;
  // A whole number from least to most.
  int whole(std::string_view key, int least, int most) const;
  bool flag_or(std::string_view key, bool otherwise) const;
  Vec3 vector(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key, std::size_t most) const;
};

// What a message gives: the fields of its answer after "ok", without braces; none: empty. Nothing:
// its asker is answered later.
using Execute = std::function<std::optional<std::string>(const Message& message)>;

// The answer to a message: {"id":7,"ok":true,...} or {"id":7,"error":"..."}; nothing: later.
// Whatever goes wrong is an answer.
std::optional<std::string> answer(std::string_view message, ClientKey client,
                                  const Execute& execute);

// What is said of the exception that is being handled: one line.
std::string told_error();

// As JSON: a text, a vector, the fields of an object without its braces.
std::string json_quoted(const std::string& text);
std::string vector_text(const Vec3& v);
std::string fields(const JsonValue& object);

}  // namespace molejo
