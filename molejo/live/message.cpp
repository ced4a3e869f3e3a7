#include "molejo/live/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "molejo/math/interrupt.h"
#include "molejo/model/formula_error.h"

namespace molejo {

const JsonValue& Message::need(std::string_view key, JsonValue::Kind kind,
                               const char* expected) const {
  const JsonValue* value = find(key);
  if (!value || !value->is(kind)) {
    throw InputError(fmt::format("'{}': expected {}", key, expected));
  }
  return *value;
}

std::string Message::text(std::string_view key) const {
  return need(key, JsonValue::Kind::string, "a text").text;
}

std::string Message::text_or(std::string_view key, const std::string& otherwise) const {
  return find(key) ? text(key) : otherwise;
}

double Message::number(std::string_view key) const {
  return need(key, JsonValue::Kind::number, "a number").number;
}

double Message::number_or(std::string_view key, double otherwise) const {
  return find(key) ? number(key) : otherwise;
}

double Message::number_within(std::string_view key, double least, double most) const {
  const double value = number(key);
  if (value >= least && value <= most) return value;
  throw InputError(fmt::format("'{}': {:g}: expected {:g} to {:g}", key, value, least, most));
}

int Message::whole(std::string_view key, int least, int most) const {
  const double value = number_within(key, least, most);
  if (value != std::floor(value)) {
    throw InputError(fmt::format("'{}': {:g}: expected a whole number", key, value));
  }
  return static_cast<int>(value);
}

bool Message::flag_or(std::string_view key, bool otherwise) const {
  return find(key) ? need(key, JsonValue::Kind::boolean, "true or false").boolean : otherwise;
}

Vec3 Message::vector(std::string_view key) const {
  const JsonValue& value = need(key, JsonValue::Kind::array, "[x, y, z]");
  const bool three = value.items.size() == 3 &&
                     std::all_of(value.items.begin(), value.items.end(),
                                 [](const JsonValue& x) { return x.is(JsonValue::Kind::number); });
  if (!three) throw InputError(fmt::format("'{}': expected [x, y, z]", key));
  return {value.items[0].number, value.items[1].number, value.items[2].number};
}

std::vector<std::string> Message::texts(std::string_view key, std::size_t most) const {
  std::vector<std::string> list;
  const JsonValue* value = find(key);
  if (!value) return list;
  if (!value->is(JsonValue::Kind::array) || value->items.size() > most) {
    throw InputError(fmt::format("'{}': expected at most {} names", key, most));
  }
  for (const JsonValue& name : value->items) {
    if (!name.is(JsonValue::Kind::string)) {
      throw InputError(fmt::format("'{}': expected names", key));
    }
    list.push_back(name.text);
  }
  return list;
}

std::string Asker::ok(const std::string& list) const {
  return fmt::format("{{{}\"ok\":true{}{}}}", id, list.empty() ? "" : ",", list);
}

std::string Asker::error(const std::string& text) const {
  return fmt::format("{{{}\"error\":{}}}", id, json_quoted(text));
}

std::optional<std::string> answer(std::string_view message, ClientKey client,
                                  const Execute& execute) {
  Asker asker{client};
  try {
    Message read{parse_json(message, "message"), client};
    if (!read.document.root.is(JsonValue::Kind::object)) {
      throw InputError("a message is an object: {\"do\": \"play\"}");
    }
    if (const JsonValue* given = read.find("id")) {
      if (!given->is(JsonValue::Kind::number) && !given->is(JsonValue::Kind::string)) {
        throw InputError("'id': expected a number or a text");
      }
      asker.id = fmt::format("\"id\":{},", compact_text(*given, std::string::npos));
    }
    read.id = asker.id;
    const std::optional<std::string> result = execute(read);
    if (!result) return {};
    return asker.ok(*result);
  } catch (const FormulaError& e) {
    return fmt::format("{{{}\"error\":{},\"column\":{}}}", asker.id, json_quoted(e.what()),
                       e.column);
  } catch (const std::exception&) {
    return asker.error(told_error());
  }
}

std::string told_error() {
  try {
    throw;
  } catch (const InputError& e) {
    return e.what();
  } catch (const OverBudget& e) {
    return e.what();
  } catch (const Interrupted& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return "needs more memory than it may have";
  } catch (const std::exception& e) {
    return std::string("internal error: ") + e.what();
  }
}

std::string json_quoted(const std::string& text) {
  return compact_text(JsonValue(text), std::string::npos);
}

std::string vector_text(const Vec3& v) {
  return fmt::format("[{:.7g},{:.7g},{:.7g}]", v.x, v.y, v.z);
}

std::string fields(const JsonValue& object) {
  const std::string text = compact_text(object, std::string::npos);
  return text.substr(1, text.size() - 2);
}

}  // namespace molejo
